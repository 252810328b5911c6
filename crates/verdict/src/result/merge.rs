//! Merges results of several machines that loaded one server concurrently. Histograms are added and
//! percentiles computed from the sum, never averaged. Seconds are aligned by wall clock; the
//! histograms of their service times are in the [logs](LogReader).

use std::collections::BTreeMap;

use duet_model::Result;
use hdrhistogram::Histogram;

use super::file::wrong;
use super::{
    AgentResult, CheckRow, FailureRow, LogReader, MergedLog, PART, Percentiles, ProcessResult,
    RunResult, Second, Threshold, TypeResult,
};
use crate::times::{Damaged, histogram, pack, pack_some, unpack};

/// Merges results, each with its log if there is one.
///
/// # Errors
/// `ResultFile` for fewer than two results, different workloads, models or kinds of target, no common
/// measured time, a duplicate result, or a damaged histogram.
pub fn merge(results: &[RunResult], mut logs: Vec<Option<LogReader<'_>>>) -> Result<RunResult> {
    let Some((first, others)) = results.split_first().filter(|(_, others)| !others.is_empty())
    else {
        return Err(wrong("Merging takes two results or more.".into()));
    };
    for (at, other) in others.iter().enumerate() {
        fits(first, other)?;
        refuse_other_load(first, other)?;
        if results[..=at].contains(other) {
            return Err(wrong(format!("{} is given twice.", other.title())));
        }
    }
    let mut all = first.clone();
    all.name = results.iter().map(RunResult::title).collect::<Vec<_>>().join(" + ");
    let types = Types::of(results);
    all.types = types.merged(results)?;
    all.seconds = seconds(results, &mut logs, &types)?;
    window(&mut all, results)?;
    load(&mut all, results);
    totals(&mut all, results)?;
    rows(&mut all, results);
    unknown(&mut all, results, &logs);
    all.warnings.extend(others.iter().filter_map(|other| other_target(first, other)));
    Ok(all)
}

/// The merged log; `None` if a machine has no log.
pub fn merge_logs<'a>(
    results: &[RunResult],
    logs: Vec<Option<LogReader<'a>>>,
) -> Option<MergedLog<'a>> {
    let origin = origin(results);
    let shifted = results.iter().zip(logs);
    let shifted = shifted.map(|(result, log)| Some((log?, shift(result, origin))));
    Some(MergedLog { start_s: origin as f64 / 1e3, logs: shifted.collect::<Option<_>>()? })
}

fn fits(first: &RunResult, other: &RunResult) -> Result<()> {
    let reason = if first.workload != other.workload {
        "the workloads differ"
    } else if first.load.model != other.load.model {
        "one is open, the other closed"
    } else if first.target.kind != other.target.kind {
        "one speaks HTTP and another SQL"
    } else if first.version != other.version {
        "their versions differ, and what they count with them"
    } else if first.started_ms() == 0 || other.started_ms() == 0 {
        "one does not say when it began"
    } else {
        return Ok(());
    };
    Err(wrong(format!("{} and {} cannot be merged: {reason}.", first.title(), other.title())))
}

/// Refuses parts of unlike loads: the result would describe each of them as the first.
fn refuse_other_load(first: &RunResult, other: &RunResult) -> Result<()> {
    let (a, b) = (&first.load, &other.load);
    let content = |result: &RunResult| result.target.data.get("content").cloned();
    let unlike = [
        ("the think time", a.think_ms != b.think_ms),
        ("the think time inside", a.think_inside_ms != b.think_inside_ms),
        ("the pacing", a.pacing_ms != b.pacing_ms),
        ("the arrivals", a.arrivals != b.arrivals),
        ("the timeout", a.timeout_s.zip(b.timeout_s).is_some_and(|(a, b)| a != b)),
        ("the mix", a.mix != b.mix),
        ("the workload's options", a.options != b.options),
        ("the workload's file", content(first) != content(other)),
    ];
    let found: Vec<&str> = unlike.iter().filter(|(_, is)| *is).map(|(what, _)| *what).collect();
    if found.is_empty() {
        return Ok(());
    }
    let message = format!(
        "{} and {} are no parts of one load. These differ: {}.",
        first.title(),
        other.title(),
        found.join(", ")
    );
    Err(wrong(message).hint("`duet bench compare` shows the values of both."))
}

/// What another part says of the target, which machines may name and reach differently.
fn other_target(first: &RunResult, other: &RunResult) -> Option<String> {
    let (a, b) = (&first.target, &other.target);
    let pairs = [[&a.address, &b.address], [&a.transport, &b.transport], [&a.server, &b.server]];
    let unlike = pairs.iter().filter(|[a, b]| a != b).map(|[a, b]| format!("{a} and {b}"));
    let unlike: Vec<String> = unlike.collect();
    (!unlike.is_empty()).then(|| {
        format!(
            "{} and {} name their targets differently: {}. Their sum is one load only if it is one server.",
            first.title(),
            other.title(),
            unlike.join(", ")
        )
    })
}

/// The types of all results, by name, in the order of their first appearance.
struct Types {
    names: Vec<String>,
}

impl Types {
    fn of(results: &[RunResult]) -> Self {
        let mut names: Vec<String> = Vec::new();
        for kind in results.iter().flat_map(|result| &result.types) {
            if !names.contains(&kind.name) {
                names.push(kind.name.clone());
            }
        }
        Self { names }
    }

    /// The positions of a result's types among all types.
    fn places(&self, result: &RunResult) -> Vec<usize> {
        let place = |kind: &TypeResult| self.names.iter().position(|name| *name == kind.name);
        result.types.iter().map(|kind| place(kind).unwrap_or_default()).collect()
    }

    fn merged(&self, results: &[RunResult]) -> Result<Vec<TypeResult>> {
        let of = |name: &String| {
            let kinds = results.iter().flat_map(|result| &result.types);
            one_type(&kinds.filter(|kind| kind.name == *name).collect::<Vec<_>>())
        };
        self.names.iter().map(of).collect()
    }
}

fn one_type(kinds: &[&TypeResult]) -> Result<TypeResult> {
    let mut all = TypeResult::default();
    let (mut service, mut response) = (histogram(), histogram());
    let (mut least_service, mut least_response) = (histogram(), histogram());
    for kind in kinds {
        all.name.clone_from(&kind.name);
        all.short.clone_from(&kind.short);
        all.completed += kind.completed;
        all.failed += kind.failed;
        all.unfinished += kind.unfinished;
        all.completed_in_window += kind.completed_in_window;
        all.failed_in_window += kind.failed_in_window;
        count(&mut all.outcomes, &kind.outcomes);
        all.dml.add(&kind.dml);
        all.round_trips += kind.round_trips;
        all.bytes += kind.bytes;
        add(&mut service, &kind.service_histogram)?;
        add(&mut response, &kind.response_histogram)?;
        add(&mut least_service, &kind.unfinished_service_histogram)?;
        add(&mut least_response, &kind.unfinished_response_histogram)?;
    }
    if service.len() < all.completed {
        let name = &all.name;
        return Err(wrong(format!("The type {name} lacks histograms: it cannot be merged.")));
    }
    all.service = Percentiles::with_unfinished(&service, &least_service);
    all.response = Percentiles::with_unfinished(&response, &least_response);
    (all.service_histogram, all.response_histogram) = (pack(&service), pack(&response));
    all.unfinished_service_histogram = pack_some(&least_service);
    all.unfinished_response_histogram = pack_some(&least_response);
    Ok(all)
}

fn add(sum: &mut Histogram<u64>, text: &str) -> Result<()> {
    sum.add(&unpack(text).map_err(damaged)?).map_err(unfit)
}

fn count(sum: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (name, count) in more {
        *sum.entry(name.clone()).or_default() += count;
    }
}

/// Seconds by wall clock, counted from the earliest start.
fn seconds(
    results: &[RunResult],
    logs: &mut [Option<LogReader<'_>>],
    types: &Types,
) -> Result<Vec<Second>> {
    let origin = origin(results);
    let mut met: BTreeMap<u64, Vec<(usize, &Second)>> = BTreeMap::new();
    for (machine, result) in results.iter().enumerate() {
        let shift = shift(result, origin);
        for second in &result.seconds {
            met.entry(second.at_s + shift).or_default().push((machine, second));
        }
    }
    let places: Vec<Vec<usize>> = results.iter().map(|result| types.places(result)).collect();
    let one = |(at_s, those): (u64, Vec<(usize, &Second)>)| {
        let none = vec![0; types.names.len()];
        let mut sum = Second {
            at_s,
            phase: those.first().map(|(_, second)| second.phase.clone()).unwrap_or_default(),
            by_type: none.clone(),
            mean_us_by_type: vec![0.0; none.len()],
            failed_by_type: none,
            ..Second::default()
        };
        let (mut service, mut response) = (Some(histogram()), Some(histogram()));
        for (machine, second) in those {
            add_second(&mut sum, second, &places[machine], machine);
            let log = logs.get_mut(machine).and_then(Option::as_mut);
            add_known(&mut response, response_of(second)?)?;
            add_known(&mut service, service_of(&results[machine], second, log)?)?;
        }
        if let Some(service) = service {
            sum.service = Percentiles::of(&service);
        }
        if let Some(response) = response {
            sum.response = Percentiles::of(&response);
            sum.response_histogram = pack(&response);
        }
        Ok(sum)
    };
    met.into_iter().map(one).collect()
}

/// Adds a part; the sum is known only if all parts are.
fn add_known(sum: &mut Option<Histogram<u64>>, one: Option<Histogram<u64>>) -> Result<()> {
    match (sum.as_mut(), one) {
        (Some(sum), Some(one)) => sum.add(&one).map_err(unfit),
        _ => {
            *sum = None;
            Ok(())
        }
    }
}

/// A second's response times, if present.
fn response_of(second: &Second) -> Result<Option<Histogram<u64>>> {
    let is_kept = !second.response_histogram.is_empty() || second.response.count == 0;
    is_kept.then(|| unpack(&second.response_histogram).map_err(damaged)).transpose()
}

/// A second's service times: for closed runs its response times, for open runs from the log. A log with
/// another count belongs to another run or is incomplete.
fn service_of(
    result: &RunResult,
    second: &Second,
    log: Option<&mut LogReader<'_>>,
) -> Result<Option<Histogram<u64>>> {
    if !result.is_open() {
        return response_of(second);
    }
    let logged = log.map(|log| log.service(second.at_s).map_err(|error| unreadable(log, &error)));
    let logged = logged.transpose()?;
    let logged = logged.or_else(|| (second.service.count == 0).then(histogram));
    Ok(logged.filter(|times| times.len() == second.service.count))
}

fn unreadable(log: &LogReader<'_>, error: &Damaged) -> duet_model::Error {
    wrong(format!("The histograms {} cannot be read: {error}.", log.name()))
}

fn damaged(error: Damaged) -> duet_model::Error {
    wrong("A histogram is damaged.".into()).cause(error)
}

fn unfit(error: hdrhistogram::AdditionError) -> duet_model::Error {
    wrong("A histogram does not fit.".into()).cause(error)
}

/// The warning that names the results without histograms.
fn unknown(all: &mut RunResult, results: &[RunResult], logs: &[Option<LogReader<'_>>]) {
    let lacking = results.iter().zip(logs).filter(|(_, log)| log.is_none());
    let names: Vec<String> = lacking.map(|(result, _)| result.title()).collect();
    if !names.is_empty() {
        all.warnings.push(format!(
            "There is no log of histograms beside {}: the merged result has none.",
            names.join(", ")
        ));
    }
    let seconds = all.seconds.iter().filter(|it| !it.service.are_known()).count();
    if seconds == 0 {
        return;
    }
    let why = match names.is_empty() {
        true => "a log does not hold what its result counts".to_owned(),
        false => format!("there is no log beside {}", names.join(", ")),
    };
    all.warnings.push(format!(
        "{seconds} of {} seconds have no percentiles of service times: {why}.",
        all.seconds.len()
    ));
}

fn add_second(sum: &mut Second, second: &Second, places: &[usize], machine: usize) {
    // A second counts as measured only if all processes measured.
    if sum.phase == "measure" && second.phase != "measure" {
        sum.phase.clone_from(&second.phase);
    }
    sum.users += second.users;
    sum.completed += second.completed;
    sum.failed += second.failed;
    sum.offered_per_s = match (sum.offered_per_s, second.offered_per_s) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
    sum.service = without_percentiles(&sum.service, &second.service);
    sum.response = without_percentiles(&sum.response, &second.response);
    for (from, place) in places.iter().enumerate() {
        let count = second.by_type.get(from).copied().unwrap_or_default();
        let mean = second.mean_us_by_type.get(from).copied().unwrap_or_default();
        let (had, all) = (sum.by_type[*place] as f64, (sum.by_type[*place] + count) as f64);
        if all > 0.0 {
            let before = sum.mean_us_by_type[*place] * had;
            sum.mean_us_by_type[*place] = (before + mean * count as f64) / all;
        }
        sum.by_type[*place] += count;
        sum.failed_by_type[*place] += second.failed_by_type.get(from).copied().unwrap_or_default();
    }
    for (name, value) in &second.observed {
        // The database is shared; the machines are not.
        let shared = name.starts_with("db.") || name.starts_with("wait.");
        if machine == 0 || !shared {
            let name =
                if machine == 0 { name.clone() } else { format!("machine{}.{name}", machine + 1) };
            sum.observed.insert(name, *value);
        }
    }
}

/// Merges count, mean, minimum and maximum; percentiles need histograms.
fn without_percentiles(a: &Percentiles, b: &Percentiles) -> Percentiles {
    if a.count == 0 || b.count == 0 {
        return if a.count == 0 { *b } else { *a };
    }
    let count = a.count + b.count;
    Percentiles {
        count,
        mean_us: (a.mean_us * a.count as f64 + b.mean_us * b.count as f64) / count as f64,
        min_us: a.min_us.min(b.min_us),
        max_us: a.max_us.max(b.max_us),
        ..Percentiles::default()
    }
}

fn origin(results: &[RunResult]) -> i64 {
    results.iter().map(RunResult::started_ms).min().unwrap_or_default()
}

/// Whole seconds after the origin, because clocks of several machines are not more precise.
fn shift(result: &RunResult, origin: i64) -> u64 {
    u64::try_from((result.started_ms() - origin + 500) / 1000).unwrap_or_default()
}

fn window(all: &mut RunResult, results: &[RunResult]) -> Result<()> {
    let origin = origin(results);
    let begun = |result: &RunResult| (result.started_ms() - origin) as f64 / 1e3;
    let from = |result: &RunResult| begun(result) + result.window.from_s;
    let until = |result: &RunResult| from(result) + result.window.measured_s;
    let first = results.iter().map(from).fold(f64::INFINITY, f64::min);
    let last = results.iter().map(until).fold(0.0, f64::max);
    let common = results.iter().map(until).fold(f64::INFINITY, f64::min)
        - results.iter().map(from).fold(0.0, f64::max);
    if common <= 0.0 {
        let hint = "Parts of one load, measured at the same time, are merged; `duet bench compare` compares runs.";
        return Err(wrong("The results have no measured second in common.".into()).hint(hint));
    }
    let length = last - first;
    if common < 0.9 * length {
        all.warnings.push(format!(
            "The machines measured together for {common:.0} s of {length:.0} s: throughput is that of \
             the whole time, and too low."
        ));
    }
    if let Some(earliest) = results.iter().min_by_key(|result| result.started_ms()) {
        all.started.clone_from(&earliest.started);
    }
    let ends = |result: &RunResult| begun(result) + result.window.total_s;
    all.window.total_s = results.iter().map(ends).fold(0.0, f64::max);
    (all.window.from_s, all.window.measured_s) = (first, length);
    if let Some(other) =
        results.iter().find(|it| ["interrupted", super::ABORTED].contains(&&*it.window.ended_by))
    {
        all.window.ended_by.clone_from(&other.window.ended_by);
    }
    all.window.grace_s = results.iter().map(|it| it.window.grace_s).fold(0.0, f64::max);
    all.window.logon_s = results.iter().map(|it| it.window.logon_s).fold(0.0, f64::max);
    Ok(())
}

fn load(all: &mut RunResult, results: &[RunResult]) {
    all.load.users = results.iter().map(|result| result.load.users).sum();
    let layouts: Vec<&str> = results.iter().map(|result| &*result.load.layout).collect();
    all.load.layout = layouts.join("+");
    let rates: Vec<f64> = results.iter().filter_map(|result| result.load.rate_per_s).collect();
    all.load.rate_per_s = (!rates.is_empty()).then(|| rates.iter().sum());
}

fn totals(all: &mut RunResult, results: &[RunResult]) -> Result<()> {
    let (mut service, mut response) = (histogram(), histogram());
    for kind in &all.types {
        let _ = kind.histogram(false).map(|one| service.add(&one));
        let _ = kind.histogram(true).map(|one| response.add(&one));
    }
    let sum = &mut all.totals;
    for totals in results.iter().map(|result| &result.totals).skip(1) {
        sum.completed += totals.completed;
        sum.failed += totals.failed;
        sum.unfinished += totals.unfinished;
        sum.completed_in_window += totals.completed_in_window;
        sum.failed_in_window += totals.failed_in_window;
        count(&mut sum.outcomes, &totals.outcomes);
        sum.offered = sum.offered.zip(totals.offered).map(|(a, b)| a + b);
        sum.late += totals.late;
        sum.late_by_client += totals.late_by_client;
        sum.late_by_server += totals.late_by_server;
        sum.unsent += totals.unsent;
        sum.backlog += totals.backlog;
        sum.sent_bytes += totals.sent_bytes;
        sum.received_bytes += totals.received_bytes;
        sum.round_trips += totals.round_trips;
        sum.dml.add(&totals.dml);
        sum.implicit_commits += totals.implicit_commits;
        sum.reconnects.add(&totals.reconnects);
    }
    let lags = || results.iter().map(|result| &result.totals);
    sum.lag_histogram.clear();
    if lags().all(|totals| totals.lag.count == 0 || !totals.lag_histogram.is_empty()) {
        let mut lag = histogram();
        lags().try_for_each(|totals| add(&mut lag, &totals.lag_histogram))?;
        (sum.lag, sum.lag_histogram) = (Percentiles::of(&lag), pack(&lag));
    } else {
        let none = Percentiles::default();
        sum.lag = lags().fold(none, |sum, totals| without_percentiles(&sum, &totals.lag));
    }
    let mut waits = histogram();
    results.iter().try_for_each(|it| add(&mut waits, &it.totals.unsent_histogram))?;
    sum.unsent_histogram = pack_some(&waits);
    let seconds = all.window.measured_s;
    let busy = |result: &RunResult| result.totals.under_way * result.window.measured_s;
    sum.under_way = results.iter().map(busy).sum::<f64>() / seconds;
    sum.unanswered_s = results.iter().map(|result| result.totals.unanswered_s).sum();
    sum.tps = sum.completed_in_window as f64 / seconds;
    sum.ended_per_s = (sum.completed_in_window + sum.failed_in_window) as f64 / seconds;
    let counts: Vec<u64> = all.seconds.iter().map(|second| second.completed).collect();
    let minutes = counts.windows(60.min(counts.len().max(1))).map(|minute| minute.iter().sum());
    sum.max_tpm = minutes.max().unwrap_or(0);
    let [least_service, least_response] = [false, true].map(|response| all.unfinished(response));
    all.totals.service = Percentiles::with_unfinished(&service, &least_service);
    all.totals.response = Percentiles::with_unfinished(&response, &least_response);
    Ok(())
}

fn rows(all: &mut RunResult, results: &[RunResult]) {
    let seconds = all.window.measured_s;
    let processes = results.iter().flat_map(|result| {
        // Each result's rate refers to the length of its own window.
        let share = result.window.measured_s / seconds;
        result.processes.iter().map(move |it| ProcessResult { tps: it.tps * share, ..it.clone() })
    });
    all.processes = processes.collect();
    for (index, process) in (0..).zip(&mut all.processes) {
        process.index = index;
    }
    all.agents.clear();
    let mut before = 0;
    for result in results {
        let shifted = |agent: &AgentResult| {
            let processes = agent.processes.iter().map(|process| process + before).collect();
            AgentResult { processes, ..agent.clone() }
        };
        all.agents.extend(result.agents.iter().map(shifted));
        before += u32::try_from(result.processes.len()).unwrap_or(u32::MAX);
    }
    let mut failures: BTreeMap<[&str; 3], FailureRow> = BTreeMap::new();
    for row in results.iter().flat_map(|result| &result.failures) {
        let none = || FailureRow { count: 0, outside: 0, ..row.clone() };
        let sum = failures.entry([&row.transaction, &row.outcome, &row.message]);
        let sum = sum.or_insert_with(none);
        sum.count += row.count;
        sum.outside += row.outside;
    }
    all.failures = FailureRow::most_frequent(failures.into_values());
    all.checks = CheckRow::sum(results.iter().flat_map(|result| &result.checks));
    costs(all, results);
}

fn costs(all: &mut RunResult, results: &[RunResult]) {
    // Each machine's processor time and its transaction count both cover its entire run.
    let clients = || results.iter().map(|result| &result.client);
    let each = clients().filter(|client| client.cpu_us_per_transaction > 0.0);
    let ran: f64 = each.map(|client| client.cpu_s * 1e6 / client.cpu_us_per_transaction).sum();
    let client = &mut all.client;
    client.cpu_s = clients().map(|client| client.cpu_s).sum();
    client.cpu_us_per_transaction = if ran > 0.0 { client.cpu_s * 1e6 / ran } else { 0.0 };
    client.busiest_share = results.iter().map(|it| it.client.busiest_share).fold(0.0, f64::max);
    client.thread_share = results.iter().map(|it| it.client.thread_share).fold(0.0, f64::max);
    client.recording_share = results.iter().map(|it| it.client.recording_share).fold(0.0, f64::max);
    client.memory_mb = results.iter().map(|result| result.client.memory_mb).sum();
    client.was_the_limit = results.iter().any(|result| result.client.was_the_limit);
    client.was_held_up = results.iter().any(|result| result.client.was_held_up);
    client.was_busy = results.iter().any(|result| result.client.was_busy);
    for other in &results[1..] {
        for warning in other.warnings.iter().map(|it| format!("{}: {it}", other.title())) {
            all.warnings.push(warning);
        }
        let new = other.invariants.iter().filter(|it| !results[0].invariants.contains(it));
        all.invariants.extend(new.cloned());
    }
    // Each was judged by the figures of its part.
    all.thresholds = results.iter().flat_map(named_thresholds).collect();
    if !all.figures.is_empty() {
        all.figures.clear();
        all.warnings
            .push("The figures of the method are left out: each machine has its own.".into());
    }
    if all.ledger.take().is_some() {
        all.warnings.push(
            "The ledger is left out: each machine held only its own counts against the server's."
                .into(),
        );
    }
}

fn named_thresholds(part: &RunResult) -> impl Iterator<Item = Threshold> + '_ {
    part.thresholds.iter().map(|threshold| Threshold {
        rule: format!("{}{PART}{}", part.title(), threshold.rule),
        ..threshold.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::super::log_lines;
    use super::*;
    use crate::example::Example;

    fn two() -> [RunResult; 2] {
        let fast = Example::default().build();
        let mut slow =
            Example { name: "second".into(), seed: 2, median_us: 8_000.0, ..Example::default() }
                .build();
        slow.started = "2026-01-01T00:00:02.1Z".into();
        [slow, fast]
    }

    #[test]
    fn computes_percentiles_from_summed_histograms() {
        let [slow, fast] = two();
        let all = merge(&[slow.clone(), fast.clone()], vec![None, None]).unwrap();
        assert_eq!(all.totals.completed, slow.totals.completed + fast.totals.completed);
        assert_eq!(all.started, fast.started);
        assert_eq!((all.load.users, &*all.load.layout), (32, "1x16+1x16"));
        // 60 s each, the second 2.1 s later.
        assert!(all.window.from_s == 8.0 && (all.window.measured_s - 62.1).abs() < 1e-9);
        assert_eq!(all.totals.tps, all.totals.completed_in_window as f64 / all.window.measured_s);
        let processes: f64 = all.processes.iter().map(|process| process.tps).sum();
        assert!((processes - all.totals.tps).abs() < 1e-9);
        let mut sum = slow.histogram();
        sum.add(fast.histogram()).unwrap();
        assert_eq!(all.totals.service, Percentiles::of(&sum));
        let average = slow.totals.service.p95_us.midpoint(fast.totals.service.p95_us);
        assert!(all.totals.service.p95_us.abs_diff(average) > 1_000);
        assert_eq!(all.types[0].service.count, all.types[0].completed);
        assert_eq!(all.checks[0].passed, all.totals.completed);
        let rules: Vec<&str> = all.thresholds.iter().map(|it| it.rule.as_str()).collect();
        assert_eq!(rules, ["second: p95<20ms", "before: p95<20ms"]);
        assert!(all.thresholds[0].outcome_text().ends_with(" ms"), "{:?}", all.thresholds);
        assert!(crate::stored_result::consistent_file(&all).iter().all(|it| it.holds));
        assert!(all.ledger.is_none() && all.warnings.iter().any(|it| it.contains("ledger")));
        let read = RunResult::from_json(&all.to_json(), "merged").unwrap();
        assert_eq!(read.totals.completed, all.totals.completed);
    }

    #[test]
    fn adds_unfinished_transactions() {
        let [mut slow, mut fast] = two();
        for (result, micros) in [(&mut slow, 9_000_000), (&mut fast, 5_000_000)] {
            let mut least = histogram();
            least.record_n(micros, 2).unwrap();
            let (kind, totals) = (&mut result.types[0], &mut result.totals);
            (kind.unfinished, totals.unfinished, totals.unsent, totals.backlog) = (2, 2, 1, 3);
            kind.unfinished_service_histogram = pack(&least);
            kind.unfinished_response_histogram = pack(&least);
            totals.offered = totals.offered.map(|offered| offered + 3);
            let mut waits = histogram();
            waits.record(micros / 2).unwrap();
            totals.unsent_histogram = pack(&waits);
            totals.under_way = 6.0;
        }
        let all = merge(&[slow, fast], vec![]).unwrap();
        let totals = &all.totals;
        assert_eq!((totals.unfinished, totals.unsent, totals.backlog), (4, 2, 6));
        assert_eq!((totals.service.unfinished, totals.response.unfinished), (4, 6));
        assert!(totals.service.is_bound(5_000_000) && !totals.service.is_bound(4_900_000));
        assert!(totals.response.is_bound(2_500_000));
        // 60 s of 62.1 s each.
        assert!((totals.under_way - 12.0 * 60.0 / 62.1).abs() < 1e-9);
        let wrong = super::super::consistent(&all).into_iter().filter(|it| !it.holds);
        let names = ["unfinished", "histogram's", "in order", "window"];
        let wrong = wrong.filter(|it| names.iter().any(|name| it.name.contains(name)));
        assert_eq!(wrong.collect::<Vec<_>>(), []);
    }

    #[test]
    fn aligns_seconds_by_wall_clock() {
        let [slow, fast] = two();
        let all = merge(&[slow.clone(), fast.clone()], vec![None, None]).unwrap();
        assert_eq!(all.seconds.len(), 70);
        let tenth = &all.seconds[10];
        assert_eq!(tenth.completed, fast.seconds[10].completed + slow.seconds[8].completed);
        assert_eq!(tenth.by_type.iter().sum::<u64>(), tenth.completed);
        assert_eq!(tenth.response.count, tenth.completed);
        // In closed runs service and response times are equal.
        assert_eq!(tenth.service, tenth.response);
        assert_eq!((&*all.seconds[9].phase, &*tenth.phase), ("warm-up", "measure"));
        assert!(tenth.observed.contains_key("machine2.cpu.user"));
        let minute: u64 = all.seconds[5..65].iter().map(|second| second.completed).sum();
        assert!(all.totals.max_tpm >= minute);
    }

    /// An open run's log, with service times of half the response times.
    fn opened(result: &mut RunResult) -> String {
        result.load.model = "open".into();
        let mut log = String::new();
        for second in &mut result.seconds {
            let response = unpack(&second.response_histogram).unwrap();
            let mut service = histogram();
            for row in response.iter_recorded() {
                service.record_n(row.value_iterated_to() / 2, row.count_at_value()).unwrap();
            }
            second.service = Percentiles::of(&service);
            log.push_str(&log_lines(second.at_s, "NO", &service, &response));
        }
        log
    }

    fn reader(log: &str) -> LogReader<'_> {
        LogReader::new("a.hlog".into(), log.lines().map(|line| Ok(line.to_owned())))
    }

    #[test]
    fn reads_service_times_of_seconds_from_logs() {
        let [mut slow, mut fast] = two();
        let logs = [&mut slow, &mut fast].map(opened);
        let of = |places: [Option<usize>; 2]| -> Vec<Option<LogReader<'_>>> {
            places.map(|place| place.map(|place| reader(&logs[place]))).into()
        };
        let both = [slow, fast];
        let all = merge(&both, of([Some(0), Some(1)])).unwrap();
        let mut sum = reader(&logs[0]).service(8).unwrap();
        sum.add(reader(&logs[1]).service(10).unwrap()).unwrap();
        assert_eq!(all.seconds[10].service, Percentiles::of(&sum));
        assert!(all.seconds[10].service.p95_us < all.seconds[10].response.p95_us);
        // A merged result has a log and can be merged again.
        let mut merged = merge_logs(&both, of([Some(0), Some(1)])).unwrap();
        let mut text = String::new();
        while let Some(lines) = merged.next_lines().unwrap() {
            text.push_str(&lines);
        }
        assert_eq!(reader(&text).service(10).unwrap(), sum);
        assert!(merge_logs(&both, of([None, Some(1)])).is_none());

        let without = merge(&both, of([None, Some(1)])).unwrap();
        let lacks = "There is no log of histograms beside second: the merged result has none.";
        assert!(without.warnings.iter().any(|text| text == lacks), "{:?}", without.warnings);
        let tenth = &without.seconds[10].service;
        assert!(!tenth.are_known() && tenth.count == sum.len() && tenth.max_us == sum.max());
        // Before the slow run began and after the fast one ended, only one run was active.
        assert!(without.seconds[1].service.are_known());
        let message =
            "66 of 70 seconds have no percentiles of service times: there is no log beside second.";
        assert!(without.warnings.iter().any(|text| text == message), "{:?}", without.warnings);
        let foreign = merge(&both, of([Some(1), Some(1)])).unwrap();
        assert!(foreign.warnings.iter().any(|text| text.contains("does not hold what its result")));
        let none = vec![Some(reader("none")), None];
        let error = merge(&both, none).unwrap_err();
        let message = "The histograms a.hlog cannot be read: not a line of a log.";
        assert_eq!(error.message, message);
    }

    #[test]
    fn adds_lag_histograms_if_present() {
        let [mut slow, mut fast] = two();
        for (result, micros) in [(&mut slow, 40), (&mut fast, 4_000)] {
            let mut lag = histogram();
            lag.record_n(micros, 100).unwrap();
            (result.totals.lag, result.totals.lag_histogram) = (Percentiles::of(&lag), pack(&lag));
        }
        let all = merge(&[slow.clone(), fast.clone()], vec![]).unwrap();
        assert_eq!((all.totals.lag.count, all.totals.lag.p50_us), (200, 40));
        slow.totals.lag_histogram.clear();
        let all = merge(&[slow, fast], vec![]).unwrap();
        assert!(!all.totals.lag.are_known() && all.totals.lag.max_us >= 4_000);
        let disordered = super::super::consistent(&all).into_iter();
        assert!(disordered.filter(|it| it.name == "percentiles are in order").all(|it| it.holds));
    }

    #[test]
    fn refuses_parts_of_unlike_loads_and_names_what_differs() {
        let [slow, mut fast] = two();
        fast.load.think_ms = [5.0, 5.0];
        fast.load.mix.insert("Payment".into(), 1.0);
        fast.target.data.insert("content".into(), "another".into());
        let error = merge(&[slow.clone(), fast.clone()], vec![]).unwrap_err();
        let expected = format!(
            "{} and {} are no parts of one load. These differ: the think time, the mix, the workload's file.",
            slow.title(),
            fast.title()
        );
        assert_eq!(error.message, expected);
    }

    #[test]
    fn says_that_targets_have_different_names() {
        let [slow, mut fast] = two();
        let warned = |all: RunResult| {
            all.warnings.iter().any(|it| it.contains("name their targets differently"))
        };
        assert!(!warned(merge(&[slow.clone(), fast.clone()], vec![]).unwrap()));
        fast.target.address = "http://other:1/x".into();
        let all = merge(&[slow.clone(), fast], vec![]).unwrap();
        let named = format!("differently: {} and http://other:1/x.", slow.target.address);
        assert!(all.warnings.iter().any(|it| it.contains(&named)), "{:?}", all.warnings);
        assert!(warned(all));
    }

    #[test]
    fn refuses_results_that_do_not_match() {
        let [slow, fast] = two();
        let refused = |results: &[RunResult]| merge(results, vec![]).unwrap_err().message;
        assert!(refused(std::slice::from_ref(&slow)).contains("two results"));
        assert!(refused(&[slow.clone(), slow.clone()]).contains("twice"));
        let other = RunResult { workload: "another".into(), ..fast.clone() };
        assert!(refused(&[slow.clone(), other]).contains("workloads differ"));
        let later = RunResult { started: "2026-01-01T01:00:00Z".into(), ..fast.clone() };
        assert!(refused(&[slow.clone(), later]).contains("no measured second in common"));
        let mut bare = fast;
        bare.types[0].service_histogram.clear();
        assert!(refused(&[slow, bare]).contains("lacks histograms"));
    }
}
