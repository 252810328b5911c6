//! The statements that make the table of a collection and its indexes. Indexed values are written by the
//! printer that writes conditions and orders, so an index has the expression of the request.

use duet_model::collection::{DOCUMENT, KEY, column_name};
use duet_model::{
    CollectionIndex, CollectionReference, CollectionTable, Column, ColumnRef, DocumentField, Expr,
    Folding, IndexKind, Node, Relation, Shape, Type,
};

use super::values::{extracted, shape_of};
use crate::dialect::Dialect;
use crate::expressions::expr::Printer;
use crate::expressions::json_elements::array;
use crate::parts::index_statement::IndexStatement;
use crate::writer::Writer;

/// The statement that creates the table of a collection, if it does not exist.
pub fn collection_table_statement(dialect: &dyn Dialect, table: &CollectionTable) -> String {
    let types = dialect.collection_types();
    let shape = shape_of(table);
    let mut writer = Writer::new(dialect);
    writer.with_one_table();
    writer.text("CREATE TABLE IF NOT EXISTS ");
    qualified(&mut writer, table.schema.as_deref(), &table.name);
    writer.text(" (");
    writer.identifier(KEY);
    writer.text(types.key);
    writer.text(", ");
    writer.identifier(DOCUMENT);
    writer.text(types.document);
    for reference in &table.references {
        writer.text(", ");
        reference_column(&mut writer, table, &shape, reference);
    }
    for field in columns(dialect, table) {
        writer.text(", ");
        value_column(&mut writer, &shape, field);
    }
    writer.text(")");
    writer.finish_text()
}

/// The statements that add the columns that a table of an earlier declaration lacks, by the names of the columns.
pub fn collection_column_statements(
    dialect: &dyn Dialect,
    table: &CollectionTable,
) -> Vec<IndexStatement> {
    let shape = shape_of(table);
    let statement = |name: String, write: &dyn Fn(&mut Writer<'_>)| {
        let mut writer = Writer::new(dialect);
        writer.with_one_table();
        writer.text("ALTER TABLE ");
        qualified(&mut writer, table.schema.as_deref(), &table.name);
        writer.text(" ADD COLUMN ");
        write(&mut writer);
        IndexStatement { name, sql: writer.finish_text() }
    };
    let references = table.references.iter().map(|reference| {
        statement(reference.column(), &|writer| reference_column(writer, table, &shape, reference))
    });
    let values = columns(dialect, table).into_iter().map(|field| {
        statement(column_name(&field.path), &|writer| value_column(writer, &shape, field))
    });
    references.chain(values).collect()
}

/// The statements that add the keys of references to tables that are made later.
pub fn collection_key_statements(dialect: &dyn Dialect, table: &CollectionTable) -> Vec<String> {
    let ahead = table.references.iter().filter(|one| has_no_key(dialect, one));
    ahead
        .map(|reference| {
            let mut writer = Writer::new(dialect);
            writer.text("ALTER TABLE ");
            qualified(&mut writer, table.schema.as_deref(), &table.name);
            writer.text(" ADD FOREIGN KEY (");
            writer.identifier(&reference.column());
            writer.text(")");
            key_of(&mut writer, table, reference);
            writer.finish_text()
        })
        .collect()
}

/// Whether the column of a reference is made without its key. SQLite looks for a table when rows are written.
fn has_no_key(dialect: &dyn Dialect, reference: &CollectionReference) -> bool {
    reference.is_ahead && !dialect.collection_types().values_are_columns
}

/// Tables in an order in which each comes behind those that it refers to; references to tables behind it are marked.
pub fn in_order_of_references(mut tables: Vec<CollectionTable>) -> Vec<CollectionTable> {
    let mut ordered: Vec<CollectionTable> = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let waits = |table: &CollectionTable| {
            let others = || tables.iter().filter(|other| other.name != table.name);
            table.references.iter().any(|one| others().any(|other| other.name == one.table))
        };
        // Tables that refer to each other in a circle keep their order.
        let next = tables.iter().position(|table| !waits(table)).unwrap_or(0);
        let mut table = tables.remove(next);
        for one in &mut table.references {
            one.is_ahead = tables.iter().any(|other| other.name == one.table);
        }
        ordered.push(table);
    }
    ordered
}

fn reference_column(
    writer: &mut Writer<'_>,
    table: &CollectionTable,
    shape: &Shape,
    reference: &CollectionReference,
) {
    let types = writer.dialect.collection_types();
    writer.identifier(&reference.column());
    writer.text(types.reference.0);
    extracted(writer, shape, &reference.path, &Type::Text);
    writer.text(types.reference.1);
    writer.text(types.computed);
    if !has_no_key(writer.dialect, reference) {
        key_of(writer, table, reference);
    }
}

/// ` REFERENCES other (id)`
fn key_of(writer: &mut Writer<'_>, table: &CollectionTable, reference: &CollectionReference) {
    let types = writer.dialect.collection_types();
    writer.text(" REFERENCES ");
    // SQLite looks for it in the schema of the table.
    let schema = table.schema.as_deref().filter(|_| !types.values_are_columns);
    qualified(writer, schema, &reference.table);
    writer.text(" (");
    writer.identifier(KEY);
    writer.text(if reference.cascades { ") ON DELETE CASCADE" } else { ")" });
}

fn value_column(writer: &mut Writer<'_>, shape: &Shape, field: &DocumentField) {
    let types = writer.dialect.collection_types();
    writer.identifier(&column_name(&field.path));
    writer.text(match field.ty {
        Type::Boolean => " BOOLEAN GENERATED ALWAYS AS (",
        Type::Text | Type::Enum(_) => " TEXT GENERATED ALWAYS AS (",
        _ => " NUMERIC GENERATED ALWAYS AS (",
    });
    match field.joined {
        Some(_) => Printer::of(shape, 0).value(writer, &field.value(0, 1)),
        None => extracted(writer, shape, &field.path, &field.ty),
    }
    writer.text(")");
    writer.text(types.computed);
}

/// The fields that have a column, each once and without references.
fn columns<'t>(dialect: &dyn Dialect, table: &'t CollectionTable) -> Vec<&'t DocumentField> {
    if !dialect.collection_types().values_are_columns {
        return Vec::new();
    }
    let refers = |path: &str| path == KEY || table.references.iter().any(|one| one.path == path);
    let mut found: Vec<&'t DocumentField> = Vec::new();
    let of_conditions = table.indexes.iter().filter_map(|index| index.condition.as_ref());
    let of_conditions = of_conditions.flat_map(|condition| &condition.fields);
    // Elements and pairs have no value of their own, and totals have columns of theirs.
    let has_values = |kind: IndexKind| {
        !kind.is_of_pairs() && !matches!(kind, IndexKind::Elements | IndexKind::Totals)
    };
    let of_values = table.indexes.iter().filter(|index| has_values(index.kind));
    let of_indexes = of_values.flat_map(CollectionIndex::fields);
    for field in of_indexes.chain(of_conditions) {
        let is_known = found.iter().any(|known| known.path == field.path);
        if !is_known && !refers(&field.path) {
            found.push(field);
        }
    }
    found
}

/// The statements that create the absent indexes of a collection; `online` beside writes, each in
/// a transaction of its own. A kind that the dialect does not have is left out, and so are [totals](crate::Totals), which are
/// no index.
pub fn collection_index_statements(
    dialect: &dyn Dialect,
    table: &CollectionTable,
    online: bool,
) -> Vec<IndexStatement> {
    let mut statements: Vec<IndexStatement> = Vec::new();
    for reference in &table.references {
        let field = DocumentField {
            path: reference.path.clone(),
            ty: Type::Text,
            column: None,
            folding: Folding::Never,
            repeated: false,
            joined: None,
        };
        let index = CollectionIndex::new(field, IndexKind::Ordered);
        statements.extend(statement(dialect, table, &index, online, true));
    }
    for index in &table.indexes {
        let made = statement(dialect, table, index, online, false);
        let made = made.filter(|made| statements.iter().all(|other| other.name != made.name));
        statements.extend(made);
    }
    statements
}

fn statement(
    dialect: &dyn Dialect,
    table: &CollectionTable,
    index: &CollectionIndex,
    online: bool,
    refers: bool,
) -> Option<IndexStatement> {
    let types = dialect.collection_types();
    if let Some(beside) = dialect.table_beside(table, index) {
        return Some(beside);
    }
    let class = dialect.collection_index(index.kind)?;
    let shape = shape_of(table);
    let name = index.name(&table.name);
    let mut writer = Writer::new(dialect);
    writer.with_one_table();
    let is_unique = index.kind == IndexKind::Unique;
    writer.text(if is_unique { "CREATE UNIQUE INDEX " } else { "CREATE INDEX " });
    writer.text(if online { types.online } else { "" });
    writer.text("IF NOT EXISTS ");
    let schema = table.schema.as_deref();
    if types.values_are_columns {
        qualified(&mut writer, schema, &name);
    } else {
        writer.identifier(&name);
    }
    writer.text(" ON ");
    qualified(&mut writer, schema.filter(|_| !types.values_are_columns), &table.name);
    if let Some(method) = class.method {
        writer.text(" USING ");
        writer.text(method);
    }
    writer.text(" (");
    let has_column = refers || types.values_are_columns;
    let words = index.kind == IndexKind::FullText;
    if words {
        writer.text("to_tsvector(");
        writer.quoted(table.dictionaries.of(&index.field.path));
        writer.text("::regconfig, (");
    }
    let elements = dialect.json_elements().filter(|_| index.kind == IndexKind::Elements);
    writer.list(index.fields(), ", ", |writer, field| {
        if let Some(parts) = elements {
            let column = ColumnRef { node: 0, column: 1 };
            return array(writer, &shape, column, &field.steps(), parts);
        }
        if matches!(field.ty, Type::Pair(_)) {
            return Printer::of(&shape, 0).value(writer, &field.value(0, 1));
        }
        let [before, after] =
            index.folded(field).map_or(["", ""], |fold| writer.dialect.fold(fold));
        writer.text(before);
        match has_column {
            true => writer.identifier(&column_name(&field.path)),
            false if field.joined.is_some() => {
                Printer::of(&shape, 0).value(writer, &field.value(0, 1));
            }
            false => extracted(writer, &shape, &field.path, &field.ty),
        }
        writer.text(after);
    });
    writer.text(if words { ")::text)" } else { "" });
    writer.text(class.operators);
    writer.text(")");
    writer.text(class.storage);
    if let Some(condition) = &index.condition {
        writer.text(" WHERE ");
        writer.with_declared_values(true);
        let shape = with_columns(dialect, table, shape);
        let located = condition.all.iter().map(|condition| located(condition, &shape.nodes[0]));
        Printer::of(&shape, 0).write(&mut writer, &Expr::And(located.collect()));
    }
    Some(IndexStatement { name, sql: writer.finish_text() })
}

/// The shape with the columns that values have in the table.
fn with_columns(dialect: &dyn Dialect, table: &CollectionTable, mut shape: Shape) -> Shape {
    let known = shape.nodes[0].table.columns.iter().cloned();
    let reference =
        if dialect.collection_types().values_are_columns { Type::Text } else { Type::Uuid };
    let references =
        table.references.iter().map(|one| Column::new(one.column(), reference.clone()));
    let values = columns(dialect, table).into_iter().map(|field| {
        let ty = match &field.ty {
            Type::Boolean => Type::Boolean,
            ty if ty.is_number() => ty.clone(),
            _ => Type::Text,
        };
        Column::new(column_name(&field.path), ty)
    });
    let columns = known.chain(references).chain(values).collect();
    shape.nodes[0].table = Relation::table("", &table.name, columns).into();
    shape
}

/// A condition of a declaration, over the columns of a node.
fn located(condition: &Expr, node: &Node) -> Expr {
    let mut made = condition.clone();
    made.for_each_value(&mut |value| {
        let Expr::Extracted(field, ty) = value else { return };
        *value = match node.table.column_index(&column_name(&field.path.join("."))) {
            Some(column) => ColumnRef { node: 0, column }.into(),
            None => {
                let field = duet_model::FieldRef {
                    path: field.path.clone(),
                    ..ColumnRef { node: 0, column: 1 }.into()
                };
                Expr::Extracted(field, ty.clone())
            }
        };
    });
    made
}

pub(crate) fn qualified(writer: &mut Writer<'_>, schema: Option<&str>, name: &str) {
    if let Some(schema) = schema {
        writer.identifier(schema);
        writer.text(".");
    }
    writer.identifier(name);
}

#[cfg(test)]
mod tests {
    use duet_text::Fold;

    use super::*;
    use crate::{Postgres, Sqlite};

    fn table() -> CollectionTable {
        let field = |path: &str, ty, folding| DocumentField {
            path: path.into(),
            ty,
            column: None,
            folding,
            repeated: false,
            joined: None,
        };
        let index = |field, kind| CollectionIndex::new(field, kind);
        let text = || field("a.Name", Type::Text, Folding::Always(Fold::Case));
        let parent = CollectionReference {
            path: "parentId".into(),
            table: "parents".into(),
            cascades: false,
            is_ahead: false,
        };
        CollectionTable {
            schema: Some("main".into()),
            name: "items".into(),
            references: vec![parent],
            indexes: vec![
                index(text(), IndexKind::Ordered),
                index(text(), IndexKind::FullText),
                index(field("rush", Type::Boolean, Folding::Never), IndexKind::Unique),
            ],
            ..CollectionTable::default()
        }
    }

    #[test]
    fn on_postgres_values_are_expressions() {
        let dialect = Postgres { icu: false };
        let sql = collection_table_statement(&dialect, &table());
        assert!(
            sql.starts_with(r#"CREATE TABLE IF NOT EXISTS "main"."items" ("id" uuid PRIMARY KEY"#)
        );
        assert!(sql.contains(r#""parentid" uuid GENERATED ALWAYS AS (("#), "{sql}");
        assert!(sql.ends_with(r#"STORED REFERENCES "main"."parents" ("id"))"#), "{sql}");
        let indexes = collection_index_statements(&dialect, &table(), true);
        let names: Vec<&str> = indexes.iter().map(|index| index.name.as_str()).collect();
        let expected = [
            "items_parentid_idx",
            "items_a_name_idx",
            "items_a_name_idx_ft",
            "items_rush_idx_unique",
        ];
        assert_eq!(names, expected);
        let sql = &indexes[1].sql;
        assert!(sql.starts_with(
            r#"CREATE INDEX CONCURRENTLY IF NOT EXISTS "items_a_name_idx" ON "main"."items" ("#
        ));
        assert!(sql.contains(r#"'{"a","Name"}'"#) && sql.contains("lower("), "{sql}");
        assert!(indexes[2].sql.contains("USING gin (to_tsvector("), "{}", indexes[2].sql);
    }

    #[test]
    fn on_sqlite_values_are_columns() {
        let sql = collection_table_statement(&Sqlite, &table());
        assert!(sql.contains(r#""a_name" TEXT GENERATED ALWAYS AS ("#), "{sql}");
        assert!(sql.contains(r#"REFERENCES "parents" ("id")"#), "{sql}");
        let indexes = collection_index_statements(&Sqlite, &table(), true);
        let [words, plain]: [Vec<_>; 2] =
            indexes.iter().partition(|index| index.name.ends_with("_ft")).into();
        assert!(
            words[0].sql.contains(r#"duet_lexemes(duet_fold(new."a_name"))"#),
            "{}",
            words[0].sql
        );
        let sql: Vec<&str> = plain.iter().map(|index| index.sql.as_str()).collect();
        assert_eq!(
            sql,
            [
                r#"CREATE INDEX IF NOT EXISTS "main"."items_parentid_idx" ON "items" ("parentid")"#,
                r#"CREATE INDEX IF NOT EXISTS "main"."items_a_name_idx" ON "items" (duet_fold_case("a_name"))"#,
                r#"CREATE UNIQUE INDEX IF NOT EXISTS "main"."items_rush_idx_unique" ON "items" ("rush")"#,
            ]
        );
    }
}
