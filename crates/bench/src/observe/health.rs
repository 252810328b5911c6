//! Finds runs in which the client or its machine was the bottleneck, so that the figures say
//! nothing about the server.

use duet_verdict::result::{ClientHealth, OTHERS, RunResult};

use super::table::{Table, seconds_of};

/// The CPU use of a thread within a second, in percent, above which the thread may be the
/// bottleneck.
const BUSY: f64 = 80.0;
/// CPU steal within a second, in percent, above which the second is not representative.
const STOLEN: f64 = 2.0;
/// The share of time that threads wait for a processor, in percent, above which latencies are
/// inflated.
const DELAYED: f64 = 20.0;
/// The share of transactions that began late although a user was idle, in percent, above which the
/// client was the bottleneck.
const LATE: f64 = 1.0;

/// The share of the run that users waited while others were recorded, in percent, above which the
/// client was the bottleneck.
const RECORDING: f64 = 5.0;

/// Judges the client by its seconds and totals: sets
/// [`was_the_limit`](duet_verdict::result::ClientHealth::was_the_limit) and
/// [`was_busy`](duet_verdict::result::ClientHealth::was_busy), and explains them.
///
/// Where threads were not observed, the processes' CPU time in the result decides.
pub(super) fn judge(result: &mut RunResult, seconds: &Table) -> Vec<String> {
    let mut words = Vec::new();
    let values = |name: &str| seconds.values(name, seconds_of(&result.window));
    let (threads, delays, steals) =
        (values("client.thread"), values("client.delay"), values("cpu.steal"));
    // SQLite runs inside the client's processes: their CPU time is the database's.
    if result.target.kind == "sqlite" {
        result.client.was_busy = false;
    } else {
        if let Some(busiest) = threads.into_iter().reduce(f64::max) {
            // A thread that has ended by the end of a short run was not seen in its second.
            let share = (busiest / 100.0).max(result.client.thread_share);
            result.client.busiest_share = share.min(1.0);
        }
        let busiest = result.client.busiest_share * 100.0;
        result.client.was_busy = busiest > BUSY && result.totals.completed > 0;
        if result.client.was_busy {
            words.push(format!(
                "A thread of the client used up to {busiest:.0} % of a processor: throughput may be limited by the client. Use more processes (--layout) or another machine."
            ));
        }
    }
    words.extend(delayed(&delays));
    words.extend(stolen(&steals));
    words.extend(others(&values("host.others")));
    // Nothing is due to a client whose server answers nothing.
    let was_late = result.late_by_client() > LATE && result.totals.completed > 0;
    let held_up = held_up(&delays, &steals, &values("host.others"));
    result.client.was_held_up = was_late && held_up && !result.client.was_busy;
    result.client.was_the_limit = was_late && !result.client.was_held_up;
    words.extend(late(result));
    words.extend(recording(&mut result.client));
    words
}

/// Whether in any second the client's threads waited for a processor, or others used them.
fn held_up(delays: &[f64], steals: &[f64], others: &[f64]) -> bool {
    let exceeds = |values: &[f64], most| values.iter().any(|value| *value > most);
    exceeds(delays, DELAYED) || exceeds(steals, STOLEN) || exceeds(others, OTHERS)
}

/// Threads that were runnable and waited for a processor.
fn delayed(delays: &[f64]) -> Option<String> {
    let mean = delays.iter().sum::<f64>() / delays.len().max(1) as f64;
    (mean > DELAYED).then(|| {
        format!(
            "Threads of the client waited {mean:.0} % of the time for a processor: the measured times include this wait. The machine has too few processors for both sides."
        )
    })
}

/// CPU steal.
fn stolen(of_seconds: &[f64]) -> Option<String> {
    let stolen = of_seconds.iter().filter(|share| **share > STOLEN).count();
    (stolen > 0).then(|| {
        let most = of_seconds.iter().copied().fold(0.0, f64::max);
        format!(
            "In {stolen} of {} measured seconds CPU steal exceeded {STOLEN} %, at most {most:.0} %: repeat the run when it is quiet.",
            of_seconds.len()
        )
    })
}

/// Processors used by programs other than the client and the server.
fn others(of_seconds: &[f64]) -> Option<String> {
    let mean = of_seconds.iter().sum::<f64>() / of_seconds.len().max(1) as f64;
    (mean > OTHERS).then(|| {
        format!(
            "Other programs of this machine used {mean:.1} processors on average during the measurement: repeat the run when it is quiet."
        )
    })
}

/// Users that waited for each other, because one at a time is recorded.
fn recording(client: &mut ClientHealth) -> Option<String> {
    let share = 100.0 * client.recording_share;
    client.was_the_limit |= share > RECORDING;
    (share > RECORDING).then(|| {
        format!(
            "The client was the bottleneck: its users waited {share:.0} % of the run while it recorded transactions, and the measured times hold this wait. Use more processes (--layout), fewer types of transaction, or another machine."
        )
    })
}

/// Transactions that began late although a user was idle: the client missed its schedule, by its own fault or another's.
fn late(result: &RunResult) -> Option<String> {
    let client = &result.client;
    let cause = match (client.was_the_limit, client.was_held_up) {
        (true, _) => "The client was the bottleneck",
        (_, true) => "Other programs used the processors",
        _ => return None,
    };
    Some(format!(
        "{cause}: {:.1} % of the transactions began more than 1 ms late although a user was idle. Response times of open runs count from the intended start and hold this delay.",
        result.late_by_client()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run whose first second is outside the measured window, with a figure for each second.
    fn run(name: &str, values: &[f64]) -> (RunResult, Table) {
        let mut result = RunResult::default();
        result.totals.completed = 100;
        result.load.users = 10;
        result.window.from_s = 1.0;
        result.window.measured_s = 10.0;
        let mut seconds = Table::default();
        for (second, value) in (0..).zip(values) {
            seconds.put(second, &[(name.to_owned(), *value)].into());
        }
        (result, seconds)
    }

    fn judged(name: &str, values: &[f64]) -> (RunResult, Vec<String>) {
        let (mut result, seconds) = run(name, values);
        let words = judge(&mut result, &seconds);
        (result, words)
    }

    #[test]
    fn a_busy_thread_is_reported_within_the_window() {
        let (result, words) = judged("client.thread", &[99.0, 79.0, 20.0]);
        assert!(words.is_empty() && !result.client.was_busy);
        let (result, words) = judged("client.thread", &[0.0, 20.0, 81.0]);
        assert!(words[0].contains("up to 81 %") && result.client.was_busy);
        let (mut result, seconds) = run("client.thread", &[99.0, 99.0]);
        result.target.kind = "sqlite".into();
        result.client.was_busy = true;
        assert!(judge(&mut result, &seconds).is_empty() && !result.client.was_busy);
    }

    #[test]
    fn time_of_processes_counts_where_threads_are_unknown() {
        let (mut result, seconds) = run("", &[]);
        result.client.busiest_share = 0.9;
        assert_eq!(judge(&mut result, &seconds).len(), 1);
        assert!(result.client.was_busy);
    }

    #[test]
    fn stolen_and_awaited_processors() {
        let (_, words) = judged("cpu.steal", &[50.0, 1.9, 9.0]);
        assert!(words[0].starts_with("In 1 of 2 measured seconds"), "{words:?}");
        let (_, words) = judged("client.delay", &[90.0, 10.0, 40.0]);
        assert!(words[0].contains("waited 25 %"), "{words:?}");
    }

    #[test]
    fn others_are_doubted_whatever_the_target() {
        for kind in ["http", "postgres", "sqlite"] {
            let (mut result, seconds) = run("host.others", &[9.0, 0.2, 1.0]);
            result.target.kind = kind.into();
            let words = judge(&mut result, &seconds);
            assert!(words[0].contains("used 0.6 processors on average"), "{kind}: {words:?}");
        }
        let (_, words) = judged("host.others", &[9.0, 0.2, 0.3]);
        assert!(words.is_empty(), "{words:?}");
    }

    #[test]
    fn the_client_was_the_limit_only_where_a_user_was_idle() {
        let (mut result, seconds) = run("client.thread", &[0.0, 99.0]);
        result.totals.late_by_server = 100;
        // It was busy: that is no proof.
        assert_eq!(judge(&mut result, &seconds).len(), 1);
        assert!(result.client.was_busy && !result.client.was_the_limit);
        let (mut result, seconds) = run("client.thread", &[0.0, 9.0]);
        result.totals.late_by_client = 1;
        assert!(judge(&mut result, &seconds).is_empty() && !result.client.was_the_limit);
        result.totals.late_by_client = 5;
        let words = judge(&mut result, &seconds);
        assert!(words[0].starts_with("The client was the bottleneck: 5.0 %"), "{words:?}");
        assert!(result.client.was_the_limit && !result.client.was_busy);
        // Nothing was answered, so nothing says how fast the client can be.
        result.totals.completed = 0;
        assert!(judge(&mut result, &seconds).is_empty() && !result.client.was_the_limit);
    }

    #[test]
    fn the_client_was_the_limit_where_users_waited_to_be_recorded() {
        for (share, is_limit) in [(0.04, false), (0.06, true)] {
            let (mut result, seconds) = run("", &[]);
            result.client.recording_share = share;
            result.target.kind = "sqlite".into();
            let words = judge(&mut result, &seconds);
            let is_said = words.iter().any(|it| it.contains("its users waited 6 % of the run"));
            assert_eq!((result.client.was_the_limit, is_said), (is_limit, is_limit), "{words:?}");
        }
    }

    #[test]
    fn a_second_in_which_others_used_the_processors_is_not_the_clients_fault() {
        for (name, value) in [("client.delay", 60.0), ("host.others", 1.0), ("cpu.steal", 9.0)] {
            let mut calm = vec![0.0; 10];
            calm[4] = value;
            let (mut result, seconds) = run(name, &calm);
            result.totals.late_by_client = 5;
            let words = judge(&mut result, &seconds);
            let last = words.last().unwrap();
            assert!(last.starts_with("Other programs used the processors: 5.0 %"), "{words:?}");
            assert!(result.client.was_held_up && !result.client.was_the_limit);
            assert!(result.client.is_in_doubt());
            // A busy thread of its own is its own fault.
            result.client.busiest_share = 0.95;
            judge(&mut result, &seconds);
            assert!(result.client.was_the_limit && !result.client.was_held_up);
        }
    }
}
