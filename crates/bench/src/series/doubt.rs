//! Why a slice says little of the server: the measuring side was the limit, or others used the machine.

use crate::judge::mean;
use crate::result::RunResult;

/// Percent of the processors that the machine below may take.
const STOLEN: f64 = 2.0;
/// Processors that others on this machine may use.
const OTHERS: f64 = 0.3;

/// What speaks against a slice, in words; nothing where it counts.
pub fn of(result: &RunResult) -> Vec<String> {
    let mut doubts = Vec::new();
    if result.client.was_the_limit {
        let share = result.client.busiest_share * 100.0;
        doubts.push(format!("the measuring side was the limit (a thread ran {share:.0} %)"));
    }
    let stolen = average(result, "cpu.steal").filter(|stolen| *stolen > STOLEN);
    doubts.extend(stolen.map(|stolen| format!("the machine below took {stolen:.1} %")));
    let others = others(result).filter(|others| *others > OTHERS);
    doubts.extend(others.map(|others| format!("others used {others:.1} processors")));
    doubts
}

/// Processors that neither the measuring side nor the server used. Where the server's processes are not
/// all seen, they would be among the others: then nobody can tell.
fn others(result: &RunResult) -> Option<f64> {
    let sees = |name: &str| average(result, name).is_some();
    let sees_all = match result.target.kind.as_str() {
        // It runs inside of the measuring processes.
        "sqlite" => true,
        // A service's database may run beside it.
        "http" => sees("server.cpu") && sees("postgres.cpu"),
        _ => sees("server.cpu") || sees("postgres.cpu"),
    };
    sees_all.then(|| average(result, "host.others")).flatten()
}

/// The mean of the measured seconds that know it.
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
    fn a_quiet_machine_is_not_doubted() {
        assert!(of(&run(&[])).is_empty());
        let quiet = [("cpu.steal", 1.9), ("host.others", 0.29), ("server.cpu", 90.0)];
        assert!(of(&run(&quiet)).is_empty());
    }

    #[test]
    fn what_speaks_against_a_slice() {
        let mut result = run(&[("cpu.steal", 2.1), ("host.others", 0.5), ("server.cpu", 90.0)]);
        result.client.was_the_limit = true;
        result.client.busiest_share = 0.93;
        let expected = [
            "the measuring side was the limit (a thread ran 93 %)",
            "the machine below took 2.1 %",
            "others used 0.5 processors",
        ];
        assert_eq!(of(&result), expected);
    }

    #[test]
    fn a_server_that_is_not_seen_is_not_taken_for_others() {
        let mut result = run(&[("host.others", 1.2)]);
        result.target.kind = "http".into();
        assert!(of(&result).is_empty());
        result.target.kind = "sqlite".into();
        assert_eq!(of(&result).len(), 1);
    }

    #[test]
    fn a_services_database_is_not_taken_for_others() {
        let mut result = run(&[("host.others", 1.2), ("server.cpu", 90.0)]);
        result.target.kind = "http".into();
        assert!(of(&result).is_empty());
        let all = [("host.others", 1.2), ("server.cpu", 90.0), ("postgres.cpu", 50.0)];
        result.seconds = run(&all).seconds;
        assert_eq!(of(&result).len(), 1);
    }
}
