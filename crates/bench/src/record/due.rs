//! Whether what a session does now belongs to a transaction that was due in the window.
//!
//! Checks are counted where responses are read, far from the recorder. All users of a process share their counters and
//! mostly a thread, so the answer is a value of the task.

use std::sync::atomic::{AtomicU64, Ordering};

use duet_verdict::result::CheckRow;

tokio::task_local! {
    static DUE: bool;
}

/// Runs the work of a transaction; its checks count as those of the window if it was due there.
pub async fn run_as_due<T>(is_due: bool, work: impl Future<Output = T>) -> T {
    DUE.scope(is_due, work).await
}

/// How often a check passed and failed, in transactions that were due in the window and elsewhere.
///
/// A transaction that began before the window and lasts through all of it counts elsewhere: that it was due is only known
/// when it ends.
#[derive(Debug, Default)]
pub struct CheckCount {
    due: [AtomicU64; 2],
    outside: [AtomicU64; 2],
}

impl CheckCount {
    /// Counts a response; returns whether it passed.
    pub fn note(&self, passed: bool) -> bool {
        let is_due = DUE.try_with(|due| *due).unwrap_or(false);
        let counts = if is_due { &self.due } else { &self.outside };
        counts[usize::from(!passed)].fetch_add(1, Ordering::Relaxed);
        passed
    }

    /// Its row.
    pub fn row(&self, name: String, transaction: &str) -> CheckRow {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        CheckRow {
            name,
            transaction: transaction.to_owned(),
            passed: count(&self.due[0]),
            failed: count(&self.due[1]),
            passed_outside: count(&self.outside[0]),
            failed_outside: count(&self.outside[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn checks_belong_to_their_transaction() {
        let count = CheckCount::default();
        assert!(count.note(true));
        let step = async |passed| {
            tokio::task::yield_now().await;
            count.note(passed)
        };
        let (first, second) = tokio::join!(
            run_as_due(true, async { (step(true).await, step(false).await) }),
            run_as_due(false, step(false)),
        );
        assert_eq!((first, second), ((true, false), false));
        let CheckRow { passed, failed, passed_outside, failed_outside, .. } =
            count.row("a".into(), "GET");
        assert_eq!([passed, failed, passed_outside, failed_outside], [1, 1, 1, 1]);
    }
}
