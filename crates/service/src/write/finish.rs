//! The quick end of a document's write: where all that it does is to give rows other values, the rows of
//! a table get them in one statement, which gives them back, and the commit leaves with it.
//!
//! That is for writes of which the outcome is known before they are sent. All rows are locked; nothing
//! acts on an update but the database's rules, whose refusal undoes all; no row appears, goes or moves.
//! Then the document as it was read and the rows that come back are the document as it is. Whatever is
//! not like that, and whatever fails here, goes the way of [`Execution`](super::execute::Execution).
//!
//! An update that does not find all its rows fails by itself, so `COMMIT` becomes a rollback. The
//! write is then run again step by step, and reports the error as ever.

use std::rc::Rc;
use std::sync::Arc;

use duet_document::{Codec, RowSet};
use duet_model::commit::{Image, RowChange, set_value};
use duet_model::{LevelColumn, Operand, Result, RowAction, RowOperation, Value, WritePlan};
use duet_store::{Action, Answer, Records, Session, UpdatedRows};

use crate::resources::updates::{Name, key_of, positions};
use crate::write::document::DocumentTarget;

/// In larger plans the time is spent on the rows, whatever the way.
const OPERATIONS: usize = 64;

/// One statement's worth of a plan: the update, and the rows of the level that it is about.
struct Group {
    name: Name,
    updated: UpdatedRows,
    rows: Vec<usize>,
}

impl DocumentTarget<'_> {
    /// Carries out a plan of updates of the document that was read, and commits: gives the document as
    /// it is then. `None` where that is not for this way; nothing is done then.
    pub(crate) async fn finish(
        &self,
        session: &mut dyn Session,
        plan: &WritePlan,
        read: &Answer,
    ) -> Result<Option<Answer>> {
        let records_events = self.writable.shape.notice.is_some();
        if !self.last
            || records_events
            || !session.may_finish()
            || self.writable.locked.levels.is_none()
        {
            return Ok(None);
        }
        let records = session.records();
        let Some((updates, rows)) = self.grouped(plan, read, records) else { return Ok(None) };
        if updates.is_empty() {
            return Ok(Some(read.clone()));
        }
        let returned = session.finish(&updates).await?;
        Ok(Some(self.renewed(read, &updates, &rows, &returned)))
    }

    /// The statements of a plan, and for each of them the rows of its level.
    fn grouped(
        &self,
        plan: &WritePlan,
        read: &Answer,
        records: Records,
    ) -> Option<(Vec<UpdatedRows>, Vec<Vec<usize>>)> {
        if plan.operations.len() > OPERATIONS || read.row != Some(0) {
            return None;
        }
        let mut groups: Vec<Group> = Vec::new();
        for operation in &plan.operations {
            if operation.action != RowAction::Update {
                return None;
            }
            let (set, values) = values(operation)?;
            let name = (operation.node, set);
            let at = groups.iter().position(|group| group.name == name);
            let at = at.map_or_else(|| self.new_group(&mut groups, name), Some)?;
            let row = self.row_of(operation, &groups[at], read)?;
            if groups[at].rows.contains(&row) {
                return None;
            }
            if records != Records::Nothing {
                let level = groups[at].updated.update.level;
                let change = self.change(operation, level, row, read, records)?;
                groups[at].updated.changes.push(change);
            }
            groups[at].rows.push(row);
            groups[at].updated.rows.push(values);
        }
        Some(groups.into_iter().map(|group| (group.updated, group.rows)).unzip())
    }

    fn new_group(&self, groups: &mut Vec<Group>, name: Name) -> Option<usize> {
        let writable = self.writable;
        let update =
            writable.updates.of(&writable.locked.read.plan, name.0, &name.1, self.dialect)?;
        let table = Arc::clone(&writable.shape.nodes[name.0].table);
        let action = Action::update(&table, name.1.iter().copied());
        let updated = UpdatedRows { update, rows: Vec::new(), table, action, changes: Vec::new() };
        groups.push(Group { name, updated, rows: Vec::new() });
        Some(groups.len() - 1)
    }

    /// The row of a level that an update changes, as commit events report it; `None` if the level does
    /// not read all columns that are needed.
    fn change(
        &self,
        operation: &RowOperation,
        level: usize,
        row: usize,
        read: &Answer,
        records: Records,
    ) -> Option<RowChange> {
        let plan = &self.writable.locked.read.plan;
        let table = &self.writable.shape.nodes[operation.node].table;
        let rows = &read.fetched.levels[level].rows;
        let mut before = Image::new();
        for &column in &table.links {
            match positions(plan, operation.node, &[column]).as_deref() {
                Some(&[at]) => {
                    let codec = Codec::of(&table.columns[column].ty);
                    before.push((column, codec.value(rows.get(row, at))));
                }
                _ if records == Records::Links => return None,
                _ => {}
            }
        }
        let mut after = before.clone();
        for (column, operand) in &operation.set {
            if let (Operand::Value(value), true) = (operand, table.links.contains(column)) {
                set_value(&mut after, *column, value.clone());
            }
        }
        Some(RowChange { before: Some(before), after: Some(after) })
    }

    /// The row of the level that an operation is about.
    fn row_of(&self, operation: &RowOperation, group: &Group, read: &Answer) -> Option<usize> {
        let (shape, plan) = (&self.writable.shape, &self.writable.locked.read.plan);
        let key = key_of(shape, operation.node);
        let at = positions(plan, operation.node, key)?;
        let columns = &shape.nodes[operation.node].table.columns;
        let rows = &read.fetched.levels[group.updated.update.level].rows;
        let given = &group.updated.rows;
        let is_it = |row: usize| {
            operation.key.iter().zip(key).zip(&at).all(|(((column, operand), known), &at)| {
                let value = || Codec::of(&columns[*known].ty).value(rows.get(row, at));
                column == known && matches!(operand, Operand::Value(wanted) if *wanted == value())
            })
        };
        // Rows mostly come in the order in which they were read.
        let first = given.len().min(rows.len());
        (first..rows.len()).chain(0..first).find(|&row| is_it(row))
    }

    /// The document that was read, with the rows that came back.
    fn renewed(
        &self,
        read: &Answer,
        updates: &[UpdatedRows],
        rows: &[Vec<usize>],
        returned: &[RowSet],
    ) -> Answer {
        let plan = &self.writable.locked.read.plan;
        let mut fetched = (*read.fetched).clone();
        let as_of = plan.levels[0].position(&LevelColumn::AsOf);
        for ((UpdatedRows { update, .. }, rows), returned) in updates.iter().zip(rows).zip(returned)
        {
            for row in 0..returned.len() {
                let given = update.given(returned, row).and_then(|given| rows.get(given));
                let Some(&at) = given else { continue };
                for column in 0..plan.levels[update.level].columns.len() {
                    let cell = returned.get(row, column);
                    fetched.levels[update.level].rows.set(at, column, cell);
                }
                if let Some(column) = as_of {
                    fetched.levels[0].rows.set(0, column, update.as_of(returned, row));
                }
            }
        }
        Answer { fetched: Rc::new(fetched), row: read.row }
    }
}

/// The columns that an operation sets, in their order in the table, and behind the values of its key
/// the values that they get.
fn values(operation: &RowOperation) -> Option<(Vec<usize>, Vec<Value>)> {
    let value = |(_, operand): &(usize, Operand)| match operand {
        Operand::Value(value) => Some(value.clone()),
        Operand::Default | Operand::Generated { .. } => None,
    };
    let mut set: Vec<&(usize, Operand)> = operation.set.iter().collect();
    set.sort_by_key(|(column, _)| *column);
    let columns = set.iter().map(|(column, _)| *column).collect();
    let values: Option<Vec<Value>> = operation.key.iter().chain(set).map(value).collect();
    values.map(|values| (columns, values))
}
