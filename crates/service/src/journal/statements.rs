//! Statements on the journal's own tables, each in a transaction of its own.

use std::sync::Arc;

use async_trait::async_trait;
use duet_db::{Call, Ending, KeyedRead, Session, Write, Writes};
use duet_document::Codec;
use duet_model::{ColumnRef, Error, LevelColumn, ReadPlan, Result, Shape, Value};
use duet_sql::{Dialect, Statement, find_journal_tables, journal_marks, own_journal};

use super::Ingest;
use crate::read::RequestContext;

/// A statement on the journal's own tables, which no commit event tells.
pub(super) fn own(statement: Statement, codecs: Vec<Codec>) -> Call {
    Call { statement, codecs, writes: Writes::Nothing }
}

/// Rows of a statement.
pub(super) type Rows = Vec<Vec<Value>>;

/// Statements that are run together, in a transaction of their own.
struct OwnStatements {
    calls: Vec<Call>,
}

#[async_trait(?Send)]
impl Write for OwnStatements {
    type Output = Vec<(u64, Rows)>;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>> {
        let done = session.run_own(&self.calls).await?;
        let each = done.iter().zip(&self.calls).map(|(done, call)| {
            let row = |row: usize| {
                let columns = call.codecs.iter().enumerate();
                columns.map(|(at, codec)| codec.value(done.rows.get(row, at))).collect()
            };
            (done.affected, (0..done.rows.len()).map(row).collect())
        });
        Ok(Ending::Commit(each.collect()))
    }
}

/// Runs one statement; how many rows it affects, and those that it returns.
pub(super) async fn run(context: &RequestContext<'_>, call: Call) -> Result<(u64, Rows)> {
    let done = context.handle().write(Arc::new(OwnStatements { calls: vec![call] })).await?;
    done.into_iter().next().ok_or_else(|| Error::internal("a statement gave no result"))
}

/// Whether the tables exist.
pub(super) async fn are_prepared(context: &RequestContext<'_>) -> Result<bool> {
    let call = own(find_journal_tables(context.dialect()), vec![Codec::Text]);
    let (_, rows) = run(context, call).await?;
    Ok(rows.first().and_then(|row| row.first()).is_some_and(|name| *name != Value::Null))
}

/// Makes this host the owner of a journal: its epoch, and the last sequence id that is applied.
pub(super) async fn take_over(
    context: &RequestContext<'_>,
    journal: &str,
    host: &str,
) -> Result<(u64, u64)> {
    let statement = own_journal(context.dialect(), journal, host);
    let (_, rows) = run(context, own(statement, vec![Codec::Integer; 2])).await?;
    match rows.first().map(Vec::as_slice) {
        Some([epoch, applied]) => Ok((number(epoch), number(applied))),
        _ => Err(Error::internal("the mark of a journal was not returned")),
    }
}

/// The read of the mark of a journal by its id.
#[derive(Debug)]
pub(super) struct MarkRead(Arc<KeyedRead>);

impl MarkRead {
    fn of(dialect: &dyn Dialect) -> Self {
        let shape = Shape::of_relation(&journal_marks(dialect).into());
        Self(Arc::new(KeyedRead::new(ReadPlan::by_keys(Arc::new(shape)), dialect)))
    }
}

/// Host, epoch and last applied sequence id of a journal that this database knows. A read like any other: it
/// waits for no lock of writers.
pub(super) async fn mark(
    context: &RequestContext<'_>,
    ingest: &Ingest,
    journal: &str,
) -> Result<Option<(String, u64, u64)>> {
    let MarkRead(read) = ingest.mark_read.get_or_init(|| MarkRead::of(context.dialect()));
    let answer = context.handle().by_key(read, vec![Value::Text(journal.to_owned())]).await?;
    let Some(row) = answer.row else { return Ok(None) };
    let level = &read.plan.levels[0];
    let value = |column: usize, codec: &Codec| {
        let position = level.position(&LevelColumn::Column(ColumnRef { node: 0, column }));
        position.map_or(Value::Null, |at| codec.value(answer.fetched.roots().get(row, at)))
    };
    let applied = number(&value(3, &Codec::Integer));
    Ok(Some((value(1, &Codec::Text).to_string(), number(&value(2, &Codec::Integer)), applied)))
}

pub(super) fn number(value: &Value) -> u64 {
    match value {
        Value::Int(value) => u64::try_from(*value).unwrap_or(0),
        _ => 0,
    }
}
