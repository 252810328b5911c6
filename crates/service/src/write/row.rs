//! New rows of one table: the fast path of a `POST`, where rows of several requests share a statement.

use std::sync::Arc;

use duet_document::{PlainRow, Purpose, row_tree};
use duet_duality::write::{Change, FoundRows, plan};
use duet_model::{Code, Error, Operand, Result, RowAction, Shape, Value};
use duet_sql::{AssignedValue, Dialect, insert_statement};
use duet_store::{Action, Call, InsertBatch, Records, RowWrite, Session, Writes};
use duet_text::json::body::Body;

use crate::hosting::context::RequestContext;
use crate::resources::resource::Resource;
use crate::resources::violation::{About, named};
use crate::write::document::{DocumentOperation, DocumentTarget, WriteOutcome, as_body};

/// A new row of one table, ready to be inserted.
pub(crate) struct NewRow {
    /// Its statement.
    pub(crate) insert: Arc<InsertBatch>,
    /// The columns that have values, in their order in the table.
    columns: Vec<usize>,
    /// The values.
    pub(crate) values: Vec<Value>,
}

impl NewRow {
    /// Its insert where nothing is read back.
    pub(crate) fn unseen(&self, shape: &Shape, dialect: &dyn Dialect) -> Call {
        let values = self.values.iter().cloned().map(AssignedValue::Value);
        let set: Vec<_> = self.columns.iter().copied().zip(values).collect();
        let statement = insert_statement(dialect, shape, 0, &set, &[]);
        let (table, action) = (Arc::clone(&shape.root().table), Action::Insert);
        let writes = Writes::Row(RowWrite { table, action, known: None });
        Call { statement, codecs: Vec::new(), writes }
    }

    /// The row, for messages.
    pub(crate) fn about(&self) -> About<'_> {
        let set = self.columns.iter().copied().zip(self.values.iter().map(Some)).collect();
        About { node: 0, pointer: "", action: RowAction::Insert, set }
    }
}

/// The new row that an operation makes, or has been found to make; `None` where it is anything else.
pub(crate) fn new_row(
    target: &DocumentTarget<'_>,
    operation: &DocumentOperation,
    found: Option<PlainRow>,
) -> Result<Option<NewRow>> {
    let DocumentOperation::Create { body } = operation else { return Ok(None) };
    let (writable, shape) = (target.writable, &target.writable.shape);
    let is_assigned = !target.resource.assigned.is_empty();
    let is_plain = shape.root().filter.is_none() && !shape.has_directives();
    if shape.nodes.len() != 1 || !is_plain || is_assigned {
        return Ok(None);
    }
    let row = found.or_else(|| target.resource.plain_row(body));
    let row = row.map_or_else(|| planned_row(target, body), |row| Ok(Some(row)))?;
    let Some(PlainRow { columns, values }) = row else { return Ok(None) };
    let insert = writable.inserts.of(shape, &columns, target.dialect);
    Ok(insert.map(|insert| NewRow { insert, columns, values }))
}

/// The error of a row that the database did not insert.
pub(crate) fn kept_out(resource: &Resource) -> Error {
    let message = format!(
        "The database did not insert the row of {}: a trigger or a policy of it keeps it from that.",
        resource.shape.name
    );
    Error::new(Code::RowRefused, message)
}

impl RequestContext<'_> {
    /// Inserts a row together with those of others; `None` where it is no such row.
    pub(crate) async fn insert_row(
        &self,
        target: &DocumentTarget<'_>,
        operation: &DocumentOperation,
    ) -> Result<Option<WriteOutcome>> {
        let Some(row) = new_row(target, operation, None)? else { return Ok(None) };
        let answer = self.handle().insert(&row.insert, row.values.clone()).await;
        let answer =
            answer.map_err(|error| named(error, &target.writable.shape, Some(&row.about())))?;
        let document = target.answer(&answer)?.ok_or_else(|| kept_out(target.resource))?;
        Ok(Some(WriteOutcome::Created(Some(document))))
    }
}

impl DocumentTarget<'_> {
    /// Inserts a row where something follows it in its transaction; `None` where it is no such row.
    pub(crate) async fn insert_row(
        &self,
        session: &mut dyn Session,
        operation: &DocumentOperation,
    ) -> Result<Option<WriteOutcome>> {
        // SQLite says when a row was inserted apart from the statement that inserts it.
        if self.writable.shape.metadata {
            return Ok(None);
        }
        let Some(row) = new_row(self, operation, None)? else { return Ok(None) };
        let records = session.records() != Records::Nothing;
        let call = row.insert.call(row.values.clone(), records);
        let done = session.run(std::slice::from_ref(&call)).await;
        let done = done.map_err(|error| named(error, &self.writable.shape, Some(&row.about())))?;
        let inserted = done.into_iter().next().map(|done| row.insert.answer(done.rows));
        let document = inserted.map(|answer| self.answer(&answer)).transpose()?.flatten();
        Ok(Some(WriteOutcome::Created(Some(document.ok_or_else(|| kept_out(self.resource))?))))
    }
}

/// The row that a plan gives, which knows what is wrong; `None` where a column is to have its default by name.
fn planned_row(target: &DocumentTarget<'_>, body: &Body) -> Result<Option<PlainRow>> {
    let shape = &target.writable.shape;
    let completed = target.completed_new(&body.json(), None)?;
    let wanted = row_tree(shape, as_body(&completed, body.json())?, Purpose::Create)?;
    let plan = plan(shape, Change::Create(&wanted), &FoundRows::default())?;
    if let Some(refusal) = plan.refusal() {
        return Err(refusal.clone());
    }
    let Some(operation) = plan.operations.into_iter().next() else { return Ok(None) };
    let mut set = operation.set;
    set.sort_by_key(|(column, _)| *column);
    let value = |(column, operand)| match operand {
        Operand::Value(value) => Some((column, value)),
        Operand::Default | Operand::Generated { .. } => None,
    };
    let row: Option<Vec<(usize, Value)>> = set.into_iter().map(value).collect();
    let plain = |(columns, values)| PlainRow { columns, values };
    Ok(row.map(|row| plain(row.into_iter().unzip())))
}
