//! Values of a collection's documents as SQL, over a shape of key and document alone: what indexes and totals hold.

use duet_model::collection::{DOCUMENT, KEY};
use duet_model::{
    CollectionDocument, CollectionTable, Column, ColumnRef, Expr, FieldRef, Member, MemberKind,
    Node, Operations, Relation, Shape, Type,
};

use crate::dialect::Dialect;
use crate::expressions::expr::Printer;
use crate::parts::totals::{Totals, TotalsValue};
use crate::writer::Writer;

/// A shape of key and document alone, over which expressions are printed.
pub(crate) fn shape_of(table: &CollectionTable) -> Shape {
    let columns = vec![Column::new(KEY, Type::Text), Column::new(DOCUMENT, Type::Json)];
    let relation = Relation::table("", &table.name, columns);
    let (fields, indexes) = Default::default();
    let (list, schema) = ("".into(), "".into());
    let search = Default::default();
    let document = CollectionDocument {
        shown: true,
        spread: false,
        column: 1,
        fields,
        open: true,
        list,
        indexes,
        schema,
        search,
    };
    let kind = MemberKind::Document(Box::new(document));
    let node = Node {
        table: relation.into(),
        link: None,
        members: vec![Member { name: String::new(), kind }],
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
        operations: Operations::default(),
    };
    Shape {
        name: table.name.clone(),
        nodes: vec![node],
        key: vec![0],
        metadata: false,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    }
}

/// Writes the value at a path inside the document.
pub(crate) fn extracted(writer: &mut Writer<'_>, shape: &Shape, path: &str, ty: &Type) {
    let steps = path.split('.').map(str::to_owned).collect();
    let mut field = FieldRef::from(ColumnRef { node: 0, column: 1 });
    field.path = steps;
    Printer::of(shape, 0).value(writer, &Expr::Extracted(field, ty.clone()));
}

/// The values by which totals count a row that has the column of the document.
pub(crate) fn totals_values(totals: &Totals, dialect: &dyn Dialect) -> Vec<String> {
    let table = CollectionTable { name: totals.table.clone(), ..CollectionTable::default() };
    let shape = shape_of(&table);
    let value = |value: &TotalsValue| {
        let mut writer = Writer::new(dialect);
        writer.with_one_table();
        extracted(&mut writer, &shape, &value.path, &value.ty());
        writer.finish_text()
    };
    totals.values.iter().map(value).collect()
}
