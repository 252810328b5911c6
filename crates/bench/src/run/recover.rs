//! Recovers the result of a killed run from its spool.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::time::Duration;

use duet_verdict::result::{KILLED, LogLine, Percentiles, RunResult, Second, TypeResult, log_tag};
use duet_verdict::threshold::judge_again;
use duet_verdict::times;
use hdrhistogram::Histogram;

use super::assemble::{Assembly, Rates};
use super::collect::Collector;
use super::plan::Plan;
use super::spool::{LOG, RESULT, Spool};
use crate::workload::TransactionType;
use duet_verdict::times::{histogram, pack};

/// Facts known before a run begins, as stored in its spool.
pub fn before(plan: &Plan, kinds: &[TransactionType]) -> RunResult {
    let mut none = Collector::new(plan.processes, kinds.len());
    let assembly = Assembly::new(plan, kinds);
    let mut result = assembly.result(&mut none, Duration::ZERO, None);
    result.warnings.clear();
    result
}

/// Whether a folder holds an unfinished run, and no result.
pub fn is_unfinished(folder: &Path) -> bool {
    folder.join(Spool::BEGUN).exists() && !folder.join(RESULT).exists()
}

/// Times of a type: service and response.
type Times = [Histogram<u64>; 2];

/// Builds the result of the seconds in a folder's spool. Its figures cover whole measured seconds;
/// what is only known at a run's end is missing, and a warning says so.
///
/// # Errors
/// If the files cannot be read or belong to something else.
pub fn recover(folder: &Path) -> io::Result<RunResult> {
    let mut result = so_far(folder)?;
    result.window.ended_by = KILLED.into();
    let (count, measured_s) = (result.seconds.len(), result.window.measured_s);
    result.warnings.push(format!(
        "recovered, {count} seconds: the run was killed. Its figures are those of the {measured_s} whole seconds that were measured; failures by kind, checks, ledger, bytes and statements are missing."
    ));
    Ok(result)
}

/// The result of a run that goes on, from the seconds in its folder. Its figures cover whole measured seconds.
///
/// # Errors
/// As [`recover`].
pub fn so_far(folder: &Path) -> io::Result<RunResult> {
    let begun = BufReader::new(File::open(folder.join(Spool::BEGUN))?);
    let mut result: RunResult = serde_json::from_reader(begun)?;
    result.seconds = seconds(&folder.join(Spool::ROWS))?;
    let measured: Vec<&Second> =
        result.seconds.iter().filter(|second| second.phase == "measure").collect();
    let (from, count) = (measured.first().map_or(0, |second| second.at_s), measured.len());
    let times = times(&folder.join(LOG), from..from + count as u64)?;
    let by_type = |values: fn(&Second) -> &Vec<u64>, place: usize| -> u64 {
        measured.iter().filter_map(|second| values(second).get(place)).sum()
    };
    for (place, kind) in result.types.iter_mut().enumerate() {
        kind.completed = by_type(|second| &second.by_type, place);
        kind.failed = by_type(|second| &second.failed_by_type, place);
        (kind.completed_in_window, kind.failed_in_window) = (kind.completed, kind.failed);
        set_times(kind, &times);
    }
    let sums =
        [measured.iter().map(|it| it.completed).sum(), measured.iter().map(|it| it.failed).sum()];
    result.window.from_s = from as f64;
    result.window.measured_s = count as f64;
    complete(&mut result, sums, &times);
    Ok(result)
}

/// Adds all types together, and the missing fields of the run.
fn complete(
    result: &mut RunResult,
    [completed, failed]: [u64; 2],
    times: &BTreeMap<String, Times>,
) {
    let measured_s = result.window.measured_s;
    let per_s = |count: u64| if measured_s > 0.0 { count as f64 / measured_s } else { 0.0 };
    let mut all = [histogram(), histogram()];
    for of in times.values() {
        for (sum, one) in all.iter_mut().zip(of) {
            // Both have the same bounds.
            let _ = sum.add(one);
        }
    }
    let mut rates = Rates::default();
    result.seconds.iter().for_each(|second| rates.add(second.completed));
    result.window.total_s = result.seconds.last().map_or(0.0, |second| second.at_s as f64 + 1.0);
    result.window.ended_by.clear();
    let totals = &mut result.totals;
    (totals.completed, totals.failed, totals.max_tpm) = (completed, failed, rates.max_tpm);
    (totals.completed_in_window, totals.failed_in_window) = (completed, failed);
    (totals.tps, totals.ended_per_s) = (per_s(completed), per_s(completed + failed));
    [totals.service, totals.response] = all.each_ref().map(Percentiles::of);
    // The number of planned arrivals until then is unknown.
    totals.offered = None;
    judge_again(result);
}

/// The rows of the spool; the last one may be truncated.
fn seconds(path: &Path) -> io::Result<Vec<Second>> {
    let mut seconds = Vec::new();
    let mut lines = BufReader::new(File::open(path)?).lines().peekable();
    while let Some(line) = lines.next() {
        match serde_json::from_str(&line?) {
            Ok(second) => seconds.push(second),
            Err(_) if lines.peek().is_none() => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(seconds)
}

/// The sums of a log's histograms within a range of seconds, by tag; the last line may be
/// truncated.
fn times(path: &Path, within: std::ops::Range<u64>) -> io::Result<BTreeMap<String, Times>> {
    let mut sums: BTreeMap<String, Times> = BTreeMap::new();
    let mut lines = BufReader::new(File::open(path)?).lines().peekable();
    while let Some(line) = lines.next() {
        let line = line?;
        let added = match LogLine::of(&line) {
            Ok(Some(LogLine { second, kind, place, packed })) if within.contains(&second) => {
                let sum = sums.entry(kind.to_owned()).or_insert_with(|| [histogram(), histogram()]);
                times::add(&mut sum[place], packed)
            }
            other => other.map(drop),
        };
        match added {
            Err(error) if lines.peek().is_some() => return Err(io::Error::other(error)),
            _ => {}
        }
    }
    Ok(sums)
}

fn set_times(kind: &mut TypeResult, times: &BTreeMap<String, Times>) {
    let Some([service, response]) = times.get(&log_tag(&kind.short)) else { return };
    (kind.service, kind.response) = (Percentiles::of(service), Percentiles::of(response));
    (kind.service_histogram, kind.response_histogram) = (pack(service), pack(response));
}

/// The error for a folder without a valid spool.
pub fn unreadable(folder: &Path, error: &io::Error) -> duet_model::Error {
    let what = match error.kind() {
        ErrorKind::NotFound => "holds no complete run",
        _ => "holds a run that cannot be recovered",
    };
    let message = format!("{} {what}: {error}.", folder.display());
    duet_model::Error::new(duet_model::Code::ResultFile, message)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;
    use crate::record::Tally;
    use crate::run::{Merged, is_under_way};

    /// A run of an uncounted second and three measured ones, killed while it wrote a line.
    fn killed(folder: &Path) {
        let head = RunResult {
            version: duet_verdict::result::VERSION,
            tool: "duet".into(),
            workload: "w".into(),
            types: vec![TypeResult { short: "A b".into(), ..TypeResult::default() }],
            ..RunResult::default()
        };
        let mut spool = Spool::begin(folder, &["A b".to_owned()], &head).unwrap();
        for second in 0..4 {
            let mut tally = Tally::default();
            tally.service.record(Duration::from_millis(second + 1));
            tally.response.record(Duration::from_millis(second + 1));
            let all = tally.clone();
            let (cpu, parts) = (Duration::ZERO, BTreeMap::new());
            let kinds = [(0, tally)].into();
            let merged = Merged { second, users: 1, types: 1, kinds, all, cpu, parts };
            let phase = if second == 0 { "warm-up" } else { "measure" }.to_owned();
            let (by_type, failed_by_type) = (vec![10], vec![1]);
            let row = Second {
                at_s: second,
                phase,
                completed: 10,
                failed: 1,
                by_type,
                failed_by_type,
                ..Second::default()
            };
            spool.add(&merged, &row).unwrap();
        }
        drop(spool);
        for (name, cut) in [(Spool::ROWS, "{\"at_s\":4,\"pha"), (LOG, "Tag=A_b,4.000,1.0")] {
            let mut file = fs::OpenOptions::new().append(true).open(folder.join(name)).unwrap();
            file.write_all(cut.as_bytes()).unwrap();
        }
    }

    #[test]
    fn whole_seconds_of_a_killed_run_are_its_result() {
        let folder = tempfile::tempdir().unwrap();
        killed(folder.path());
        assert!(is_unfinished(folder.path()) && !is_under_way(folder.path()));
        let result = recover(folder.path()).unwrap();
        assert_eq!((result.workload.as_str(), result.seconds.len()), ("w", 4));
        assert_eq!((result.window.from_s, result.window.measured_s), (1.0, 3.0));
        assert_eq!(
            (result.totals.completed, result.totals.failed, result.totals.tps),
            (30, 3, 10.0)
        );
        assert_eq!((result.types[0].completed, result.types[0].failed), (30, 3));
        assert_eq!(result.histogram().len(), 3, "the warm-up does not count");
        assert!(result.types[0].service.min_us >= 1_990, "{:?}", result.types[0].service);
        assert!(result.warnings[0].starts_with("recovered, 4 seconds"), "{:?}", result.warnings);
        RunResult::from_json(&result.to_json(), "it").unwrap();
    }

    #[test]
    fn damage_before_the_end_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        killed(folder.path());
        let rows = folder.path().join(Spool::ROWS);
        let text = fs::read_to_string(&rows).unwrap();
        fs::write(&rows, text.replacen("{\"at_s\":1,", "{", 1).replacen('}', "]", 1)).unwrap();
        assert!(recover(folder.path()).is_err());
        fs::remove_file(folder.path().join(Spool::BEGUN)).unwrap();
        assert!(!is_unfinished(folder.path()));
        let missing = recover(folder.path()).unwrap_err();
        assert!(unreadable(folder.path(), &missing).message.contains("no complete run"));
    }
}
