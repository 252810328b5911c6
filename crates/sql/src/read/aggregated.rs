//! What an aggregate makes of the rows of a page.

use duet_model::catalog::MediaAggregate;
use duet_model::{MemberKind, ReadPlan, Root, Shape};

use super::levels::rows_of_page;
use crate::dialect::Dialect;
use crate::expressions::expr::Printer;
use crate::writer::{Statement, Writer};

/// The rows, under a name that no column of them has.
const ROWS: &str = "_postgrest_t";

/// The statement that gives the number of rows of a page, and what an aggregate makes of them: bytes or a text.
/// `None` for a plan without a page, and where rows of any columns have more than values.
pub fn aggregate_statement(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    aggregate: &MediaAggregate,
) -> Option<Statement> {
    let Root::Page(page) = &plan.root else { return None };
    let is_whole = aggregate.of.is_some();
    if !is_whole && !has_values_only(&plan.shape) {
        return None;
    }
    let mut writer = Writer::new(dialect);
    writer.text("SELECT count(*), ");
    writer.identifier(&aggregate.schema);
    writer.text(".");
    writer.identifier(&aggregate.name);
    writer.text("(");
    writer.text(ROWS);
    writer.text(if is_whole { ".r)::pg_catalog." } else { ")::pg_catalog." });
    writer.text(if aggregate.is_binary { "bytea" } else { "text" });
    writer.text(" FROM (");
    let columns = |writer: &mut Writer<'_>| match is_whole {
        true => whole_row(writer, &plan.shape),
        false => shown_columns(writer, &plan.shape),
    };
    rows_of_page(&mut writer, plan, page, &columns);
    writer.text(") AS ");
    writer.text(ROWS);
    Some(writer.finish())
}

/// Whether the members of documents are values of the root alone.
fn has_values_only(shape: &Shape) -> bool {
    let is_value =
        |kind: &MemberKind| matches!(kind, MemberKind::Column(_) | MemberKind::Generated { .. });
    shape.root().members.iter().all(|member| is_value(&member.kind))
}

/// The row of the root's table as one value of its type; that of a statement is made of its columns.
fn whole_row(writer: &mut Writer<'_>, shape: &Shape) {
    let table = &shape.root().table;
    if table.query.is_none() {
        writer.alias(0);
        return writer.text(" AS r");
    }
    writer.text("ROW(");
    let own = table.columns.iter().filter(|column| column.computed_by.is_none());
    writer.list(own, ", ", |writer, column| writer.column(0, &column.name));
    writer.text(")::");
    writer.identifier(&table.schema);
    writer.text(".");
    writer.identifier(&table.name);
    writer.text(" AS r");
}

/// The members of documents as columns of their names.
fn shown_columns(writer: &mut Writer<'_>, shape: &Shape) {
    let root = shape.root();
    let shown = root.members.iter().filter(|member| match &member.kind {
        MemberKind::Column(column) => !column.hidden,
        MemberKind::Generated { hidden, .. } => !hidden,
        _ => false,
    });
    writer.list(shown, ", ", |writer, member| {
        match &member.kind {
            MemberKind::Column(column) => {
                let column = &root.table.columns[column.column];
                match column.ty.domain_casts() {
                    Some(_) => writer.shown(&column.ty, |writer| writer.column(0, &column.name)),
                    None => writer.column(0, &column.name),
                }
            }
            MemberKind::Generated { expr, .. } => Printer::of(shape, 0).value(writer, expr),
            _ => {}
        }
        writer.text(" AS ");
        writer.identifier(&member.name);
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::catalog::RelationName;
    use duet_model::{Column, Expr, Page, Relation, Type};

    use super::*;
    use crate::postgres_dialect::Postgres;

    #[test]
    fn rows_are_of_their_table_or_of_any_columns() {
        let columns = vec![Column::new("id", Type::Integer { bits: 32 })];
        let shape = Shape::of_relation(&Arc::new(Relation::table("s", "t", columns)));
        let page = Page {
            filter: Expr::all(),
            order: Vec::new(),
            by_row_number: false,
            after: None,
            offset: 0,
            limit: 10,
            arguments: Arc::default(),
        };
        let plan = ReadPlan::page(Arc::new(shape), page);
        let of = RelationName { schema: "s".into(), name: "t".into() };
        for (of, rows, call) in [
            (Some(of), "SELECT t0 AS r FROM", "(_postgrest_t.r)::pg_catalog.text"),
            (None, "SELECT t0.\"id\" AS \"id\" FROM", "(_postgrest_t)::pg_catalog.text"),
        ] {
            let (schema, name, media) = ("s".into(), "a\"g".into(), "text/x".into());
            let (is_binary, security_definer) = (false, false);
            let aggregate = MediaAggregate { schema, name, of, media, is_binary, security_definer };
            let statement =
                aggregate_statement(&Postgres { icu: true }, &plan, &aggregate).unwrap();
            assert!(statement.sql.contains(rows), "{}", statement.sql);
            let head = format!("SELECT count(*), \"s\".\"a\"\"g\"{call} FROM (");
            assert!(statement.sql.starts_with(&head), "{}", statement.sql);
        }
    }
}
