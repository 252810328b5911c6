//! Checks whether the client lost time of its users in the measured window.

use super::RunResult;
use crate::judge::little::{Little, law};
use crate::text::counted;

/// The shortest window for a check of Little's law, so that effects at its edges are small.
const SHORTEST_S: f64 = 5.0;
/// The minimum number of transactions for a reliable mean think time.
const MANY: u64 = 1_000;

impl RunResult {
    /// The percentage of the transactions due in the window that began late although a user was idle.
    pub fn late_by_client(&self) -> f64 {
        let totals = &self.totals;
        let begun = totals.completed + totals.failed + totals.unfinished;
        100.0 * totals.late_by_client as f64 / begun.max(1) as f64
    }

    /// Whether the users ended one by one, after what each had to do.
    fn is_ended_by_users(&self) -> bool {
        self.load.model == "groups"
            || matches!(&*self.window.ended_by, "iterations" | "transactions")
    }

    /// Compares a closed run with Little's law. It counts users of processes that finished, and includes reconnect
    /// back-off. `None` if the law does not apply, for example if a transaction count ended the users one by one.
    pub fn little(&self) -> Option<Little> {
        let (load, totals, measured_s) = (&self.load, &self.totals, self.window.measured_s);
        let by_count = self.is_ended_by_users();
        let think_s = f64::midpoint(load.think_ms[0], load.think_ms[1]) / 1e3;
        let few = think_s > 0.0 && totals.completed < MANY;
        if self.is_open() || load.pacing_ms.is_some() || by_count || few || measured_s < SHORTEST_S
        {
            return None;
        }
        let finished = self.processes.iter().filter(|process| process.finished);
        let users = match self.processes.is_empty() {
            true => f64::from(load.users),
            false => finished.map(|it| f64::from(it.users.saturating_sub(it.lost_users))).sum(),
        };
        let busy = totals.under_way + totals.reconnects.backing_off_s / measured_s;
        law(users, busy, totals.ended_per_s, think_s)
    }

    /// The warning that transactions of a closed run are long beside its window: throughput then depends on how
    /// many of each user's happen to end in it.
    pub fn coarse(&self) -> Option<String> {
        let by_count = self.is_ended_by_users();
        let mean_s = self.totals.service.mean_us / 1e6;
        let wanted_s = 10.0 * mean_s;
        (!self.is_open() && !by_count && wanted_s > self.window.measured_s).then(|| {
            format!(
                "Transactions take {mean_s:.1} s on average, and {:.1} s were measured: throughput depends on how they fall into that time. Measure {wanted_s:.0} s or longer.",
                self.window.measured_s
            )
        })
    }

    /// The warning that the client lost time of its users.
    pub fn lost_time(&self) -> Option<String> {
        let law = self.little().filter(|law| !law.holds && law.off < 0.0)?;
        Some(format!(
            "By Little's law {:.1} of {} were in a transaction, thinking or waiting to connect again: the load generator lost {:.0} % of their time.",
            law.found,
            counted(law.users.round() as u64, "user"),
            -100.0 * law.off
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{ProcessResult, Reconnects};

    /// A closed run of 10 s, of one process.
    fn run(users: u32, under_way: f64) -> RunResult {
        let mut result = RunResult::default();
        result.load.model = "closed".into();
        result.load.users = users;
        result.window.measured_s = 10.0;
        result.totals.completed = 40_000;
        result.totals.ended_per_s = 4_290.0;
        result.totals.under_way = under_way;
        result.processes =
            vec![ProcessResult { users, finished: true, ..ProcessResult::default() }];
        result
    }

    #[test]
    fn waiting_for_a_slow_server_is_not_lost_time() {
        // 9,000 users with responses of 2 s: transactions across the window's edges are included.
        assert_eq!(run(9_000, 8_995.0).lost_time(), None);
        let message = run(9_000, 7_110.0).lost_time().unwrap();
        assert!(
            message.contains("7110.0 of 9000 users") && message.contains("lost 21 %"),
            "{message}"
        );
    }

    #[test]
    fn reconnects_and_lost_workers_are_not_lost_time() {
        let mut result = run(100, 60.0);
        assert!(result.lost_time().is_some());
        // 40 users were in reconnect back-off, on average.
        result.totals.reconnects = Reconnects { backing_off_s: 400.0, ..Reconnects::default() };
        assert_eq!(result.lost_time(), None);

        let mut result = run(100, 45.0);
        result.processes[0].users = 50;
        let lost = ProcessResult { users: 50, finished: false, ..ProcessResult::default() };
        result.processes.push(lost);
        assert!(result.lost_time().unwrap().contains("45.0 of 50 users"));
        result.processes[0].lost_users = 5;
        assert_eq!(result.lost_time(), None);
    }

    #[test]
    fn long_transactions_need_a_long_window() {
        let mut result = run(10, 10.0);
        result.totals.service.mean_us = 900_000.0;
        assert_eq!(result.coarse(), None);
        result.totals.service.mean_us = 3_000_000.0;
        let message = result.coarse().unwrap();
        assert!(
            message.contains("take 3.0 s") && message.ends_with("Measure 30 s or longer."),
            "{message}"
        );
        result.load.model = "open".into();
        assert_eq!(result.coarse(), None);
    }

    #[test]
    fn skips_runs_to_which_the_law_does_not_apply() {
        let mut result = run(10, 1.0);
        result.window.ended_by = "iterations".into();
        assert_eq!(result.little(), None);
        result.window.ended_by = "duration".into();
        assert!(result.little().is_some());
        result.load.model = "open".into();
        assert_eq!(result.little(), None);
    }

    #[test]
    fn counts_late_starts_beside_idle_users() {
        let mut result = run(10, 10.0);
        (result.totals.completed, result.totals.failed, result.totals.unfinished) = (90, 5, 5);
        (result.totals.late_by_client, result.totals.late_by_server) = (2, 50);
        assert!((result.late_by_client() - 2.0).abs() < 1e-9);
    }
}
