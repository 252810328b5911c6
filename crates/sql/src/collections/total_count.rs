//! The total of a list, read from the totals of its table.

use std::sync::Arc;

use duet_model::catalog::IndexedPart;
use duet_model::{
    CollectionDocument, Column, ColumnRef, Expr, MemberKind, Page, ReadPlan, Relation, Shape, Type,
};

use crate::dialect::Dialect;
use crate::expressions::{condition, joins};
use crate::parts::totals::NUMBER;
use crate::writer::{Statement, Writer};

/// The statement that counts what a page's filter selects by totals, if the table has some of all values that the filter
/// names. The database user must be allowed to read their table.
pub fn total_statement(dialect: &dyn Dialect, plan: &ReadPlan, page: &Page) -> Option<Statement> {
    let root = plan.shape.root();
    let document = root.members.iter().find_map(|member| match &member.kind {
        MemberKind::Document(document) => Some(&**document),
        _ => None,
    })?;
    let filter = match &root.filter {
        Some(own) => page.filter.clone().and(own.clone().at_node(0)),
        None => page.filter.clone(),
    };
    let (name, columns, filter) = root.table.indexes.iter().find_map(|index| {
        let Some(IndexedPart::Totals { paths }) = &index.part else { return None };
        let filter = filter.clone().with_references(&|value| counted(document, paths, value))?;
        let ty = |path: &String| {
            let known = document.fields.iter().find(|field| field.path == *path);
            known.map_or(Type::Text, |field| field.ty.clone())
        };
        let columns = paths.iter().enumerate().map(|(at, path)| {
            let ty = if ty(path) == Type::Boolean { Type::Boolean } else { Type::Text };
            Column::new(format!("v{at}"), ty)
        });
        Some((&index.name, columns.collect::<Vec<_>>(), filter))
    })?;
    let relation = Relation::table(&root.table.schema, name, columns);
    let shape = Shape::of_relation(&Arc::new(relation));
    let mut writer = Writer::new(dialect);
    writer.with_arguments(&page.arguments);
    writer.text("SELECT CAST(coalesce(sum(");
    writer.identifier(NUMBER);
    writer.text("), 0) AS bigint) FROM ");
    joins::table(&mut writer, &shape, 0);
    writer.text(" WHERE ");
    condition::write(&mut writer, &shape, &filter);
    Some(writer.finish())
}

/// The column of the totals with a value of the document; `None` for values of other documents too.
fn counted(document: &CollectionDocument, paths: &[String], value: &Expr) -> Option<Expr> {
    value.first_field().filter(|field| field.column_at(0).node == 0)?;
    let field = document.field_of(value)?;
    let column = paths.iter().position(|path| *path == field.path)?;
    Some(ColumnRef { node: 0, column }.into())
}
