//! Detects noisy trials: the client was the bottleneck or busy, or other processes used the machine.

use crate::judge::mean;
use crate::result::{OTHERS, RunResult};

/// The tolerated CPU steal in percent.
const STOLEN: f64 = 2.0;

/// The reasons why a trial is noisy; empty if it is usable.
pub fn of(result: &RunResult) -> Vec<String> {
    let mut doubts = Vec::new();
    if result.client.was_the_limit {
        let share = result.late_by_client();
        doubts.push(format!(
            "the client was the bottleneck ({share:.1} % began late beside idle users)"
        ));
    }
    if result.client.was_held_up {
        let share = result.late_by_client();
        doubts.push(format!("others used the processors ({share:.1} % began late)"));
    }
    if result.client.was_busy {
        let share = result.client.busiest_share * 100.0;
        doubts.push(format!("a thread of the client ran {share:.0} %"));
    }
    let stolen = average(result, "cpu.steal").filter(|stolen| *stolen > STOLEN);
    doubts.extend(stolen.map(|stolen| format!("CPU steal was {stolen:.1} %")));
    // For every target; the observer omits it if the server's processes are not visible.
    let others = average(result, "host.others").filter(|others| *others > OTHERS);
    doubts.extend(others.map(|others| format!("others used {others:.1} processors")));
    doubts
}

/// The mean over the measured seconds that have the value.
fn average(result: &RunResult, name: &str) -> Option<f64> {
    let known: Vec<f64> =
        result.measured().filter_map(|second| second.observed.get(name).copied()).collect();
    (!known.is_empty()).then(|| mean(&known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Second;

    fn run(observed: &[(&str, f64)]) -> RunResult {
        let mut result = RunResult::default();
        result.window.measured_s = 2.0;
        let observed = observed.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let second = Second { phase: "measure".into(), observed, ..Second::default() };
        result.seconds = vec![second.clone(), Second { at_s: 1, ..second }];
        result
    }

    #[test]
    fn a_quiet_machine_has_no_noise() {
        assert!(of(&run(&[])).is_empty());
        let quiet = [("cpu.steal", 1.9), ("host.others", 0.29), ("server.cpu", 90.0)];
        assert!(of(&run(&quiet)).is_empty());
    }

    #[test]
    fn lists_the_reasons_for_noise() {
        let mut result = run(&[("cpu.steal", 2.1), ("host.others", 0.5), ("server.cpu", 90.0)]);
        (result.client.was_the_limit, result.client.was_busy) = (true, true);
        (result.totals.completed, result.totals.late_by_client) = (100, 4);
        result.client.busiest_share = 0.93;
        let expected = [
            "the client was the bottleneck (4.0 % began late beside idle users)",
            "a thread of the client ran 93 %",
            "CPU steal was 2.1 %",
            "others used 0.5 processors",
        ];
        assert_eq!(of(&result), expected);
    }

    #[test]
    fn reports_other_load_for_every_target() {
        for kind in ["http", "postgres", "sqlite"] {
            let mut result = run(&[("host.others", 1.2)]);
            result.target.kind = kind.into();
            assert_eq!(of(&result), ["others used 1.2 processors"], "{kind}");
        }
    }
}
