//! Statements on tables of Duet's own, such as those of the journal and of webhooks, in transactions of their own.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::Codec;
use duet_model::{Error, Result, Value};
use duet_sql::Statement;
use duet_store::{Call, Ending, Session, Write, Writes};

use crate::hosting::context::RequestContext;

/// A statement on a table of Duet's own, which no commit event tells.
pub(crate) fn own(statement: Statement, codecs: Vec<Codec>) -> Call {
    Call { statement, codecs, writes: Writes::Nothing }
}

/// Rows of a statement.
pub(crate) type Rows = Vec<Vec<Value>>;

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
pub(crate) async fn run(context: &RequestContext<'_>, call: Call) -> Result<(u64, Rows)> {
    let done = context.handle().write(Arc::new(OwnStatements { calls: vec![call] })).await?;
    done.into_iter().next().ok_or_else(|| Error::internal("a statement gave no result"))
}

/// Runs statements in one transaction.
pub(crate) async fn run_all(context: &RequestContext<'_>, calls: Vec<Call>) -> Result<Vec<Rows>> {
    let done = context.handle().write(Arc::new(OwnStatements { calls })).await?;
    Ok(done.into_iter().map(|(_, rows)| rows).collect())
}

/// Runs statements in one transaction; how many rows each affects.
pub(crate) async fn run_counted(
    context: &RequestContext<'_>,
    calls: Vec<Call>,
) -> Result<Vec<u64>> {
    let done = context.handle().write(Arc::new(OwnStatements { calls })).await?;
    Ok(done.into_iter().map(|(affected, _)| affected).collect())
}
