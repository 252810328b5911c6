//! New rows of tables without a key: they are inserted and shown, and no request finds them again.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_document::{Codec, FetchedRows, Purpose, RowSet, TextBuffer, row_tree};
use duet_duality::write::{Change, FoundRows, plan};
use duet_model::{Code, Error, LevelColumn, Operand, Result, RowAction, RowOperation, Value};
use duet_sql::{AssignedValue, Dialect, insert_statement};
use duet_store::{Action, Answer, Call, Done, RowWrite, Session, Writes};
use duet_text::json::body::Body;

use crate::documents::Document;
use crate::read::pages::no_items;
use crate::resources::representation::any_page;
use crate::resources::resource::Resource;
use crate::resources::violation::{About, named};
use crate::write::document::{DocumentOperation, WriteOutcome, WrittenDocument};
use crate::write::execute::given;
use crate::write::mode::WriteMode;

/// Makes a row of a resource without a key.
///
/// # Errors
/// Errors of the body or the database; for anything but an insert, that there are
/// no items.
pub(crate) async fn write(
    session: &mut dyn Session,
    resource: &Resource,
    operation: &DocumentOperation,
    dialect: &dyn Dialect,
    mode: WriteMode,
    blind: bool,
) -> Result<WriteOutcome> {
    let DocumentOperation::Create { body } = operation else { return Err(no_items(resource)) };
    let shape = &resource.shape;
    let wanted = row_tree(shape, body.json(), Purpose::Create)?;
    let plan = plan(shape, Change::Create(&wanted), &FoundRows::default())?;
    if mode.explain && (!mode.dry_run || plan.refusal().is_some()) {
        return Ok(WriteOutcome::Planned(plan));
    }
    if let Some(refusal) = plan.refusal() {
        return Err(refusal.clone());
    }
    let [row] = &plan.operations[..] else {
        return Err(Error::internal("a new row is not one insert"));
    };
    let read = any_page(shape);
    let returned = read.levels[0].columns.iter().filter_map(column);
    let returned: Vec<usize> = returned.filter(|_| !blind).collect();
    let done = inserted(session, resource, row, dialect, &returned).await?;
    if blind && done.affected == 1 {
        return Ok(WriteOutcome::Added);
    }
    let done = one_row(done, resource)?;
    if mode.explain {
        return Ok(WriteOutcome::Planned(plan));
    }
    let fetched = FetchedRows::of_root(done.rows, 0);
    let answer = Answer { fetched: Rc::new(fetched), row: Some(0) };
    Ok(WriteOutcome::Created(Some(shown(resource, &answer)?)))
}

/// Makes a row of a resource without a key, and gives these columns of it.
///
/// # Errors
/// Errors of the body or the database.
pub(crate) async fn returning(
    session: &mut dyn Session,
    resource: &Resource,
    body: &Body,
    dialect: &dyn Dialect,
    returned: &[usize],
) -> Result<RowSet> {
    let shape = &resource.shape;
    let wanted = row_tree(shape, body.json(), Purpose::Create)?;
    let plan = plan(shape, Change::Create(&wanted), &FoundRows::default())?;
    if let Some(refusal) = plan.refusal() {
        return Err(refusal.clone());
    }
    let [row] = &plan.operations[..] else {
        return Err(Error::internal("a new row is not one insert"));
    };
    let done = inserted(session, resource, row, dialect, returned).await?;
    match returned.is_empty() && done.affected == 1 {
        true => Ok(done.rows),
        false => Ok(one_row(done, resource)?.rows),
    }
}

/// Inserts a row, and returns columns of it.
async fn inserted(
    session: &mut dyn Session,
    resource: &Resource,
    row: &RowOperation,
    dialect: &dyn Dialect,
    returned: &[usize],
) -> Result<Done> {
    let shape = &resource.shape;
    let statement = insert_statement(dialect, shape, 0, &assigned(row), returned);
    let columns = &shape.root().table.columns;
    let codecs = returned.iter().map(|&column| Codec::of(&columns[column].ty)).collect();
    let (table, action) = (Arc::clone(&shape.root().table), Action::Insert);
    let writes = match resource.has_items() {
        // Its key is not known.
        true => Writes::AnyRow(table, action),
        false => Writes::Row(RowWrite { table, action, known: None }),
    };
    let done = session.run(&[Call { statement, codecs, writes }]).await;
    let done = done.map_err(|error| {
        let set = row.set.iter().map(|(column, operand)| (*column, given(operand))).collect();
        let about = About { node: 0, pointer: "", action: RowAction::Insert, set };
        named(error, shape, Some(&about))
    })?;
    done.into_iter().next().ok_or_else(|| Error::internal("an insert without an end"))
}

/// What an insert did, if it made a row.
fn one_row(done: Done, resource: &Resource) -> Result<Done> {
    if done.rows.len() == 1 {
        return Ok(done);
    }
    let message = format!(
        "The database did not insert the row of {}: a trigger or a policy of it keeps it from that.",
        resource.shape.name
    );
    Err(Error::new(Code::RowRefused, message))
}

/// The column of the table that is read.
fn column(column: &LevelColumn) -> Option<usize> {
    match column {
        LevelColumn::Column(field) => Some(field.column),
        _ => None,
    }
}

/// The values of a row; nothing generates one for another row here.
fn assigned(row: &RowOperation) -> Vec<(usize, AssignedValue)> {
    let value = |operand: &Operand| match operand {
        Operand::Value(value) => AssignedValue::Value(value.clone()),
        Operand::Default => AssignedValue::Default,
        Operand::Generated { .. } => AssignedValue::Value(Value::Null),
    };
    row.set.iter().map(|(column, operand)| (*column, value(operand))).collect()
}

/// The row as it appears in a page, where it has no link either.
fn shown(resource: &Resource, answer: &Answer) -> Result<WrittenDocument> {
    let program = resource.whole.page();
    let mut body = TextBuffer::kept(program, &answer.fetched, 0..1, None);
    let written = program.write_plain(&answer.fetched, 0, &mut body.text)?;
    let document = Document { body, etag: written.header(), fetched_at: Some(Instant::now()) };
    Ok(WrittenDocument { document, key: None })
}
