//! Answers that leave when the time of a statement is over, whatever the server still does.
//!
//! The server ends a statement at its `statement_timeout`, but only where it looks: matching one long text can take it
//! many times as long, and a function may catch the error and go on. What it still does then is counted: see
//! [`Loan`](crate::pool::Loan).

use std::pin::{Pin, pin};
use std::time::{Duration, Instant};

use duet_admission::Deadline;
use duet_model::{Code, Error, Result};
use futures_util::FutureExt as _;

use duet_client::sqlstate;
use duet_store::memory::arriving::Arriving;

/// How long after the time of a statement the server's own error is waited for.
const GRACE: Duration = Duration::from_millis(50);

/// Longer than anything may take: later moments cannot be computed.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Waits for a read that begins now, as long as a statement may run. Dropping a read cancels it.
///
/// # Errors
/// [`Code::Timeout`] where its time is over.
pub(crate) fn in_time<T>(
    deadline: Deadline,
    statement_timeout: Duration,
    read: impl Future<Output = T>,
) -> impl Future<Output = Result<T>> {
    within(deadline.statement(Instant::now(), statement_timeout), read)
}

/// The same for so long. Not an `async fn`: that has room for its argument twice, as it is given and as it is awaited.
///
/// # Errors
/// [`Code::Timeout`] where its time is over.
pub(crate) fn within<T>(
    time: Duration,
    read: impl Future<Output = T>,
) -> impl Future<Output = Result<T>> {
    let timed = tokio::time::timeout(time.saturating_add(GRACE), read);
    timed.map(|done| done.map_err(|_| over()))
}

/// Waits for statements that are sent together, each of which may run for so long: the server runs one after the
/// other, and says so of each that is complete.
///
/// # Errors
/// [`Code::Timeout`] where one of them has taken longer. It still runs, so the connection is of no more use.
pub(crate) async fn each_in_time<T>(
    arriving: &Arriving,
    time: Duration,
    statements: impl Future<Output = T>,
) -> Result<T> {
    let mut taken = None;
    {
        let statements = pin!(statements.map(|done| taken = Some(done)));
        each_step_in_time(arriving, time, statements).await?;
    }
    taken.ok_or_else(|| Error::internal("an answer that was waited for is absent"))
}

/// The same of any statements: this code is there once.
async fn each_step_in_time(
    arriving: &Arriving,
    time: Duration,
    mut statements: Pin<&mut dyn Future<Output = ()>>,
) -> Result<()> {
    let (mut since, time) = (Instant::now(), time.min(LONGEST) + GRACE);
    while tokio::time::timeout_at((since + time).into(), &mut statements).await.is_err() {
        since = arriving.completed_after(since).ok_or_else(over)?;
    }
    Ok(())
}

/// The error of a statement whose time is over.
pub(crate) fn over() -> Error {
    Error::new(Code::Timeout, sqlstate::TIMEOUT).cause("the server has not stopped it in time")
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use duet_model::memory::Budget;

    use super::*;
    use duet_store::memory::arriving::Copies;

    const TIME: Duration = Duration::from_millis(200);

    fn arriving() -> Arriving {
        Arriving::new(&Budget::new(1 << 20), 1 << 20, &Copies::default())
    }

    #[tokio::test]
    async fn a_statement_that_never_ends_is_left() {
        let (arriving, begun) = (arriving(), Instant::now());
        let ended = each_in_time(&arriving, TIME, pending::<()>()).await;
        assert_eq!(ended.unwrap_err().code, Code::Timeout);
        assert!(begun.elapsed() >= TIME);
        assert_eq!(each_in_time(&arriving, Duration::MAX, async { 7 }).await, Ok(7));
    }

    /// Many statements, each within its time, take longer than one may.
    #[tokio::test]
    async fn statements_that_end_one_after_the_other_are_waited_for() {
        let arriving = arriving();
        let statements = async {
            for _ in 0..8 {
                tokio::time::sleep(TIME / 4).await;
                arriving.completed();
            }
        };
        assert_eq!(each_in_time(&arriving, TIME, statements).await, Ok(()));
    }
}
