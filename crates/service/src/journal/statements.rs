//! Statements on the journal's own tables, each in a transaction of its own.

use std::sync::Arc;

use duet_db::{Call, Ending, Session, Write, Writes};
use duet_document::Codec;
use duet_model::{Error, Result, Value};
use duet_sql::{Statement, find_journal_tables, own_journal, read_journal_mark};

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

impl Write for OwnStatements {
    type Output = Vec<(u64, Rows)>;

    async fn run<S: Session>(&self, session: &mut S) -> Result<Ending<Self::Output>> {
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

/// Host, epoch and last applied sequence id of a journal that this database knows.
pub(super) async fn mark(
    context: &RequestContext<'_>,
    journal: &str,
) -> Result<Option<(String, u64, u64)>> {
    let statement = read_journal_mark(context.dialect(), journal);
    let codecs = vec![Codec::Text, Codec::Integer, Codec::Integer];
    let (_, rows) = run(context, own(statement, codecs)).await?;
    Ok(match rows.first().map(Vec::as_slice) {
        Some([host, epoch, applied]) => Some((host.to_string(), number(epoch), number(applied))),
        _ => None,
    })
}

pub(super) fn number(value: &Value) -> u64 {
    match value {
        Value::Int(value) => u64::try_from(*value).unwrap_or(0),
        _ => 0,
    }
}
