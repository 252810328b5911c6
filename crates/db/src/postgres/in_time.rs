//! Answers that leave when the time of a statement is over, whatever the server still does.
//!
//! The server ends a statement at its `statement_timeout`, but only where it looks: matching one long text can take it
//! many times as long. What it still does then is counted: see [`Loan`](crate::postgres::pool::Loan).

use std::time::{Duration, Instant};

use duet_admission::Deadline;
use duet_model::{Code, Error, Result};

use crate::postgres::sqlstate;

/// How long after the time of a statement the server's own error is waited for.
const GRACE: Duration = Duration::from_millis(50);

/// Waits for a read that begins now, as long as a statement may run. Dropping a read cancels it.
///
/// # Errors
/// [`Code::Timeout`] where its time is over.
pub(crate) async fn in_time<T>(
    deadline: Deadline,
    statement_timeout: Duration,
    read: impl Future<Output = T>,
) -> Result<T> {
    within(deadline.statement(Instant::now(), statement_timeout), read).await
}

/// The same for so long.
///
/// # Errors
/// [`Code::Timeout`] where its time is over.
pub(crate) async fn within<T>(time: Duration, read: impl Future<Output = T>) -> Result<T> {
    tokio::time::timeout(time.saturating_add(GRACE), read).await.map_err(|_| over())
}

fn over() -> Error {
    Error::new(Code::Timeout, sqlstate::TIMEOUT).cause("the server has not stopped it in time")
}
