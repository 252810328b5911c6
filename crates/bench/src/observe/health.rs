//! Whether the measuring side was the limit: then its figures say nothing of the server.

use crate::result::{RunResult, Second};

/// A thread that runs more of a second than this, in percent, may itself be the limit.
const BUSY: f64 = 80.0;
/// A second in which the machine below took more than this, in percent, is not the server's.
const STOLEN: f64 = 2.0;
/// Threads that wait longer than this for a processor, in percent of the time, make answers look slow.
const DELAYED: f64 = 20.0;
/// Arrivals that begin late, in percent, although users were free.
const LATE: f64 = 1.0;
/// Users are free while so much of them is at work.
const AT_WORK: f64 = 0.8;

/// Judges the measuring side by its seconds and its totals: sets
/// [`was_the_limit`](crate::result::ClientHealth::was_the_limit) and says why in words.
///
/// Where threads were not observed, what [`ClientHealth`](crate::result::ClientHealth) knows already of
/// the processes' time counts.
pub fn judge(result: &mut RunResult) -> Vec<String> {
    let mut words = Vec::new();
    // SQLite runs inside of the measuring processes: their time is the database's.
    if result.target.kind != "sqlite" {
        let busiest = largest(result, "client.thread");
        if let Some(busiest) = busiest {
            result.client.busiest_share = (busiest / 100.0).min(1.0);
        }
        let busiest = result.client.busiest_share * 100.0;
        result.client.was_the_limit = busiest > BUSY && result.totals.completed > 0;
        if result.client.was_the_limit {
            words.push(format!(
                "A thread of the measuring side used up to {busiest:.0} % of a processor: it may itself have been the limit. Use more processes (--layout) or another machine."
            ));
        }
    }
    words.extend(delayed(result));
    words.extend(stolen(result));
    words.extend(late(result));
    words
}

fn measured(result: &RunResult) -> impl Iterator<Item = &Second> {
    result.seconds.iter().filter(|second| second.phase == "measure")
}

fn values<'a>(result: &'a RunResult, name: &'a str) -> impl Iterator<Item = f64> + 'a {
    measured(result).filter_map(move |second| second.observed.get(name).copied())
}

fn largest(result: &RunResult, name: &str) -> Option<f64> {
    values(result, name).reduce(f64::max)
}

/// Threads that could have run and had no processor.
fn delayed(result: &RunResult) -> Option<String> {
    let delays: Vec<f64> = values(result, "client.delay").collect();
    let mean = delays.iter().sum::<f64>() / delays.len().max(1) as f64;
    (mean > DELAYED).then(|| {
        format!(
            "Threads of the measuring side waited {mean:.0} % of the time for a processor: this is part of the times that they measured. The machine has too few processors for both sides."
        )
    })
}

/// Time that the machine below took.
fn stolen(result: &RunResult) -> Option<String> {
    let of_seconds: Vec<f64> = values(result, "cpu.steal").collect();
    let stolen = of_seconds.iter().filter(|share| **share > STOLEN).count();
    (stolen > 0).then(|| {
        let most = of_seconds.iter().copied().fold(0.0, f64::max);
        format!(
            "In {stolen} of {} measured seconds other machines on the same hardware took more than {STOLEN} % of the processors, at most {most:.0} %: repeat the run when it is quiet.",
            of_seconds.len()
        )
    })
}

/// Arrivals that began late while users were free to begin them: the schedule was not kept.
fn late(result: &RunResult) -> Option<String> {
    let totals = &result.totals;
    let begun = totals.completed + totals.failed;
    totals.offered?;
    let share = 100.0 * totals.late as f64 / begun.max(1) as f64;
    let at_work = totals.throughput_per_s * totals.service.mean_us / 1e6;
    let were_free = at_work < AT_WORK * f64::from(result.load.users);
    (share > LATE && were_free).then(|| {
        format!(
            "{share:.1} % of the transactions began more than 1 ms after their time although users were free: the measuring side did not keep its schedule. Response times count from the intended start and hold this delay."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: &[(&str, &str, f64)]) -> RunResult {
        let mut result = RunResult::default();
        result.totals.completed = 100;
        result.load.users = 10;
        result.seconds = (seconds.iter())
            .map(|(phase, name, value)| Second {
                phase: (*phase).into(),
                observed: [((*name).to_owned(), *value)].into(),
                ..Second::default()
            })
            .collect();
        result
    }

    #[test]
    fn a_busy_thread_is_the_limit_while_it_measures() {
        let mut warm =
            run(&[("warm-up", "client.thread", 99.0), ("measure", "client.thread", 79.0)]);
        assert!(judge(&mut warm).is_empty() && !warm.client.was_the_limit);
        let mut busy =
            run(&[("measure", "client.thread", 20.0), ("measure", "client.thread", 81.0)]);
        assert!(judge(&mut busy)[0].contains("up to 81 %"));
        assert!(busy.client.was_the_limit);
        busy.target.kind = "sqlite".into();
        busy.client.was_the_limit = false;
        assert!(judge(&mut busy).is_empty() && !busy.client.was_the_limit);
    }

    #[test]
    fn time_of_processes_counts_where_threads_are_unknown() {
        let mut result = run(&[]);
        result.client.busiest_share = 0.9;
        assert_eq!(judge(&mut result).len(), 1);
        assert!(result.client.was_the_limit);
    }

    #[test]
    fn stolen_and_awaited_processors() {
        let mut result = run(&[("measure", "cpu.steal", 1.9), ("measure", "cpu.steal", 9.0)]);
        assert!(judge(&mut result)[0].starts_with("In 1 of 2 measured seconds"));
        let mut result =
            run(&[("measure", "client.delay", 10.0), ("measure", "client.delay", 40.0)]);
        assert!(judge(&mut result)[0].contains("waited 25 %"));
    }

    #[test]
    fn lateness_is_the_servers_where_no_user_is_free() {
        let mut result = run(&[]);
        result.totals.offered = Some(100);
        result.totals.late = 5;
        result.totals.throughput_per_s = 100.0;
        result.totals.service.mean_us = 10_000.0;
        assert!(judge(&mut result)[0].starts_with("5.0 %"));
        result.totals.service.mean_us = 95_000.0;
        assert!(judge(&mut result).is_empty());
    }
}
