//! Checks whether a run is sound: no process was lost, it was not overloaded, the service answered all the time, and few
//! transactions failed. These limits apply to every run without limits of its own.

use std::fmt;

use crate::result::{ABORTED, ACHIEVED, KILLED, MOST_SILENT, RunResult, Silence};
use crate::text::{counted, short};
use crate::threshold::Rule;

/// A reason why a run is not sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoundnessProblem {
    /// The whole run was killed, and its result recovered.
    Killed,
    /// Lost processes, of all.
    Lost(u64, u64),
    /// Users that a fault of the load generator ended, of all.
    LostUsers(u64, u64),
    /// The share of its arrivals that an open run began in the measured window.
    Overloaded(f64),
    /// Time without an answer.
    Silent(Silence),
    /// The share of failed transactions, the allowed share, and whether some of them did not end.
    Failed(f64, f64, bool),
}

impl fmt::Display for SoundnessProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| short(share * 100.0);
        match self {
            Self::Killed => out
                .write_str("the run was killed: what had not ended or begun is not in its figures"),
            Self::Lost(lost, all) => {
                let (was, its) = if *lost == 1 { ("was", "its") } else { ("were", "their") };
                let all = counted(*all, "process");
                write!(out, "{lost} of {all} {was} lost: {its} transactions are missing")
            }
            Self::LostUsers(lost, all) => {
                let (was, its) = if *lost == 1 { ("was", "its") } else { ("were", "their") };
                let all = counted(*all, "user");
                write!(
                    out,
                    "{lost} of {all} {was} lost by a fault of the load generator: {its} transactions are missing"
                )
            }
            Self::Overloaded(achieved) => write!(
                out,
                "the run was overloaded: {} % of the arrivals were begun in time, {} % are needed",
                percent(achieved),
                percent(&ACHIEVED)
            ),
            Self::Silent(silence) => {
                write!(out, "{silence}; the limit is {} %", percent(&MOST_SILENT))
            }
            Self::Failed(failed, most, unfinished) => write!(
                out,
                "{} % of the transactions failed{}; the limit is {} % (--errors)",
                percent(failed),
                if *unfinished { " or did not end" } else { "" },
                percent(most)
            ),
        }
    }
}

/// The problems of a run of which this share may fail.
pub fn problems(result: &RunResult, most_failed: f64) -> Vec<SoundnessProblem> {
    let lost = result.processes.iter().filter(|process| !process.finished).count() as u64;
    let lost = (lost > 0).then_some(SoundnessProblem::Lost(lost, result.processes.len() as u64));
    let finished = result.processes.iter().filter(|process| process.finished);
    let [users, lost_users] = finished.fold([0, 0], |[users, lost], process| {
        [users + u64::from(process.users), lost + u64::from(process.lost_users)]
    });
    let lost_users = (lost_users > 0).then_some(SoundnessProblem::LostUsers(lost_users, users));
    let failed = result.failed_share();
    let unfinished = result.totals.unfinished > 0;
    let failed =
        (failed > most_failed).then_some(SoundnessProblem::Failed(failed, most_failed, unfinished));
    let overloaded = overloaded(result).map(SoundnessProblem::Overloaded);
    let silences = result.silences().into_iter().filter(|silence| silence.share() > MOST_SILENT);
    let silent = silences.map(SoundnessProblem::Silent);
    let killed = (result.window.ended_by == KILLED).then_some(SoundnessProblem::Killed);
    let before = [killed, lost, lost_users, overloaded].into_iter().flatten();
    before.chain(silent).chain(failed).collect()
}

/// The problems of a run with user-defined limits, which replace the checks of failures and unsent
/// arrivals that they cover.
pub fn problems_beside(
    result: &RunResult,
    most_failed: f64,
    own: &[Rule],
) -> Vec<SoundnessProblem> {
    let mut problems = problems(result, most_failed);
    problems.retain(|problem| match problem {
        SoundnessProblem::Killed
        | SoundnessProblem::Lost(..)
        | SoundnessProblem::LostUsers(..)
        | SoundnessProblem::Silent(_) => true,
        SoundnessProblem::Overloaded(_) => !own.iter().any(Rule::is_of_unsent),
        SoundnessProblem::Failed(..) => !own.iter().any(Rule::is_of_failures),
    });
    problems
}

/// The share of its arrivals that an open run began in the measured window, if too small. Interrupted runs
/// are not checked, because they did not complete their schedule.
pub fn overloaded(result: &RunResult) -> Option<f64> {
    let is_whole = !["interrupted", ABORTED].contains(&&*result.window.ended_by);
    result.overloaded().filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use crate::example::Example;
    use crate::judge::MOST_FAILED;

    use super::*;

    #[test]
    fn a_complete_run_is_sound() {
        let mut result = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        result.totals.offered = Some(result.totals.completed + result.totals.failed);
        assert_eq!(problems(&result, MOST_FAILED), []);
    }

    #[test]
    fn lists_the_problems_of_a_run() {
        let mut result = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        let done = result.totals.completed;
        result.totals.failed = done / 9;
        result.totals.offered = Some(done * 2);
        result.totals.backlog = done;
        result.processes.push(crate::result::ProcessResult::default());
        let message: Vec<String> =
            problems(&result, MOST_FAILED).iter().map(ToString::to_string).collect();
        let expected = [
            "1 of 2 processes was lost: its transactions are missing",
            "the run was overloaded: 50 % of the arrivals were begun in time, 99 % are needed",
            "10 % of the transactions failed; the limit is 1 % (--errors)",
        ];
        assert_eq!(message, expected);
        result.totals.unfinished = done / 9;
        let said = problems(&result, MOST_FAILED)[2].to_string();
        assert!(said.starts_with("18.18 % of the transactions failed or did not end; "), "{said}");
        result.totals.unfinished = 0;
        assert_eq!(problems(&result, 0.2).len(), 2);
        for (own, left) in [("errors<50%", 2), ("unsent<=100000", 2), ("TYPE:failed<1", 3)] {
            let own = [own.parse().unwrap()];
            assert_eq!(problems_beside(&result, MOST_FAILED, &own).len(), left, "{own:?}");
        }
        result.window.ended_by = "interrupted".into();
        assert_eq!(overloaded(&result), None);
        let killed = RunResult {
            window: crate::result::Window { ended_by: KILLED.into(), ..result.window.clone() },
            ..result.clone()
        };
        assert_eq!(problems(&killed, MOST_FAILED)[0], SoundnessProblem::Killed);
        let process = |users, lost_users| crate::result::ProcessResult {
            users,
            lost_users,
            finished: true,
            ..crate::result::ProcessResult::default()
        };
        result.processes = vec![process(3, 1), process(4, 0)];
        let lost = problems(&result, 0.2);
        assert_eq!(
            lost[0].to_string(),
            "1 of 7 users was lost by a fault of the load generator: its transactions are missing"
        );
    }
}
