//! The statements that change or remove all rows that a page's filter selects, without reading them first: for tables
//! without a key, and for columns of a key.

use duet_model::{Page, ReadPlan, Root};

use super::rows::{AssignedValue, assign, returned};
use crate::dialect::Dialect;
use crate::expressions::joins::table;
use crate::read::levels::{filtered, needs_joins};
use crate::writer::{Statement, Writer};

/// Gives columns of the selected rows other values, at least one, and returns the columns `returning`. `None` where the
/// filter needs rows of other tables.
pub fn update_selected_statement(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    set: &[(usize, AssignedValue)],
    returning: &[usize],
) -> Option<Statement> {
    let (page, relation) = (page_of(plan)?, &plan.shape.root().table);
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    table(&mut writer, &plan.shape, 0);
    writer.text(" SET ");
    writer.list(set, ", ", |writer, (column, assigned)| {
        let column = &relation.columns[*column];
        writer.identifier(&column.name);
        writer.text(" = ");
        assign(writer, column, assigned);
    });
    filtered(&mut writer, plan, page);
    returned(&mut writer, relation, returning);
    Some(writer.finish())
}

/// Removes the selected rows, and returns the columns `returning`. `None` where the filter needs rows of other tables.
pub fn delete_selected_statement(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    returning: &[usize],
) -> Option<Statement> {
    let page = page_of(plan)?;
    let mut writer = Writer::new(dialect);
    writer.text("DELETE FROM ");
    table(&mut writer, &plan.shape, 0);
    filtered(&mut writer, plan, page);
    returned(&mut writer, &plan.shape.root().table, returning);
    Some(writer.finish())
}

/// The page of a plan whose filter needs the rows of its root alone.
fn page_of(plan: &ReadPlan) -> Option<&Page> {
    match &plan.root {
        Root::Page(page) if !needs_joins(plan, page) => Some(page),
        _ => None,
    }
}
