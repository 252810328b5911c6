//! New rows of one table: the fast path of a `POST`, where rows of several requests share a statement.

use duet_document::{Purpose, row_tree};
use duet_duality::write::{Change, Known, plan};
use duet_model::json_tape::Body;
use duet_model::{Code, Error, Operand, Result, RowAction, Value};

use crate::read::RequestContext;
use crate::write::document::{Operation, Outcome, Target};
use crate::write::violation::{About, named};

impl RequestContext<'_> {
    /// Inserts a row together with those of others; `None` where it is no such row.
    pub(crate) async fn insert_row(
        &self,
        target: &Target<'_>,
        operation: &Operation,
    ) -> Result<Option<Outcome>> {
        let Operation::Create { body } = operation else { return Ok(None) };
        let (writable, shape) = (target.writable, &target.writable.shape);
        if shape.nodes.len() != 1 || shape.root().filter.is_some() {
            return Ok(None);
        }
        let Some((columns, row)) = row_of(target, body)? else { return Ok(None) };
        let Some(insert) = writable.inserts.of(shape, &columns, target.dialect) else {
            return Ok(None);
        };
        let answer = self.handle().insert(&insert, row.clone()).await;
        let answer = answer.map_err(|error| {
            let set = columns.iter().copied().zip(row.iter().map(Some)).collect();
            let about = About { node: 0, pointer: "", action: RowAction::Insert, set };
            named(error, shape, Some(&about))
        })?;
        let document = target.answer(&answer)?.ok_or_else(|| {
            let message = format!(
                "The database did not insert the row of {}: a trigger or a policy of it keeps it from that.",
                shape.name
            );
            Error::new(Code::RowRefused, message)
        })?;
        Ok(Some(Outcome::Created(Some(document))))
    }
}

/// The columns that have values, in their order in the table, and the values.
type Row = (Vec<usize>, Vec<Value>);

/// The row that a body gives; `None` where a column is to have its default by name.
fn row_of(target: &Target<'_>, body: &Body) -> Result<Option<Row>> {
    let shape = &target.writable.shape;
    let wanted = row_tree(shape, body.json(), Purpose::Create)?;
    let plan = plan(shape, Change::Create(&wanted), &Known::default())?;
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
    Ok(row.map(|row| row.into_iter().unzip()))
}
