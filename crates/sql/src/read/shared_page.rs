//! One statement for the pages of many requests that differ in their values alone.
//!
//! Each request is a row of arrays, one array for each parameter; a lateral join reads its page. The limit is a
//! literal, which the planner needs to read an order from an index.

use duet_model::{ReadPlan, Root, Type};

use super::levels::write_level;
use crate::dialect::{Dialect, KeyStyle};
use crate::writer::{Parameter, Statement, Writer};

/// The most parameters of a page that is shared.
const PARAMETERS: usize = 32;

/// The statement that reads the roots of pages for many requests. Its first column is the number of the request,
/// from 1; its parameters are arrays of texts, part by part what [`page_statement`](crate::page_statement)
/// binds before the limit.
///
/// `None` for pages behind an offset, for those without parameters, for values whose texts do not say all, and for a
/// dialect that reads one document at a time. Engines refuse such joins with tables that they distribute over machines.
pub fn shared_page_statement(dialect: &dyn Dialect, plan: &ReadPlan) -> Option<Statement> {
    let Root::Page(page) = &plan.root else { return None };
    let is_whole = plan.levels.len() == 1 && page.offset == 0 && page.limit != u64::MAX;
    let is_alone = dialect.key_style() == KeyStyle::Single || plan.shape.is_distributed();
    if !is_whole || is_alone {
        return None;
    }
    let mut inner = Writer::of_rows(dialect);
    write_level(&mut inner, plan, 0);
    let inner = inner.finish();
    let count = inner.parameters.len();
    if count == 0 || count > PARAMETERS || !inner.parameters.iter().all(is_said_by_text) {
        return None;
    }
    let mut writer = Writer::new(dialect);
    writer.text("SELECT r.n, p.* FROM unnest(");
    writer.list(0..count, ", ", |writer, part| writer.bind_key(part, &Type::Text, "text"));
    writer.text(") WITH ORDINALITY AS r (");
    writer.list(0..count, ", ", |writer, part| {
        writer.text("p");
        writer.number(part + 1);
    });
    writer.text(", n) CROSS JOIN LATERAL (");
    writer.statement(&inner);
    writer.text(") AS p");
    Some(writer.finish())
}

/// Whether a cast from a value's text gives the value.
fn is_said_by_text(parameter: &Parameter) -> bool {
    let Parameter::Value { ty, .. } = parameter else { return false };
    ty.is_number() || ty.is_temporal() || matches!(ty, Type::Text | Type::Boolean | Type::Uuid)
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::Placement;
    use duet_model::{Column, Compare, Expr, Page, Relation, Shape, Value};

    use super::*;
    use crate::{Postgres, Sqlite};

    fn plan(change: impl FnOnce(&mut Page)) -> ReadPlan {
        let columns = ["id", "name"].map(|name| Column::new(name, Type::Text));
        let mut table = Relation::table("public", "team", columns.to_vec());
        table.primary_key = vec![0];
        let shape = Shape::of_relation(&table.into());
        let name = duet_model::ColumnRef { node: 0, column: 1 };
        let operand = Expr::operand(Value::Text("x".into()), &Type::Text);
        let filter = Expr::compare(Compare::Eq, name, operand);
        let arguments = std::sync::Arc::default();
        let (order, by_row_number) = (Vec::new(), false);
        let mut page =
            Page { filter, order, by_row_number, after: None, offset: 0, limit: 10, arguments };
        change(&mut page);
        ReadPlan::page(shape.into(), page)
    }

    #[test]
    fn values_are_columns_of_a_row() {
        let postgres = Postgres { icu: false };
        let statement = shared_page_statement(&postgres, &plan(|_| {})).unwrap();
        let expected = "SELECT r.n, p.* FROM unnest($1::text[]) WITH ORDINALITY AS r (p1, n) CROSS JOIN LATERAL (";
        assert!(statement.sql.starts_with(expected), "{}", statement.sql);
        assert!(statement.sql.contains("= r.p1::text"), "{}", statement.sql);
        assert!(statement.sql.ends_with("LIMIT 11) AS p"), "{}", statement.sql);
        assert_eq!(statement.parameters, [Parameter::Key { part: 0, ty: Type::Text }]);
        for alone in [plan(|page| page.offset = 1), plan(|page| page.filter = Expr::all())] {
            assert_eq!(shared_page_statement(&postgres, &alone), None);
        }
        assert_eq!(shared_page_statement(&Sqlite, &plan(|_| {})), None);
        let mut distributed = plan(|_| {});
        let shape = std::sync::Arc::make_mut(&mut distributed.shape);
        std::sync::Arc::make_mut(&mut shape.nodes[0].table).placement = Placement::Mixed;
        assert_eq!(shared_page_statement(&postgres, &distributed), None);
    }
}
