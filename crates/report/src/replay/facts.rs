//! Facts about the measurement, by name, for the placeholders of notes, conditions and captions.
//! The engine derives them from the measurement; a runner adds those that only it knows.

use std::collections::BTreeMap;

use duet_verdict::result::{HostFacts, RunResult};
use duet_verdict::text::counted;

use super::definition::Definition;
use super::labels::named;
use super::measured::{Facts, ReplayMeasurement, Runs, Series};

/// The facts that any report may use; a text with a missing one is left out or says so.
pub(super) const KNOWN: [&str; 36] = [
    // Of results.
    "completed",
    "failed",
    "wrong_invariants",
    "unbalanced",
    "client_in_doubt",
    "sqlite",
    "rounds",
    "users",
    "each",
    "measured_s",
    "warm_up_s",
    // Of seconds.
    "all_reads",
    "all_runs",
    "variants",
    "unsteady_factor",
    "unsteady_least",
    "unsteady_most",
    "unsteady_variant",
    "unsteady_count",
    // Of the report.
    "published_reads",
    "published_runs",
    // Of the machine.
    "machine",
    "load_before",
    // Of a runner.
    "server",
    "preset",
    "soe_scale",
    "retail_scale",
    "retail_label",
    "reads",
    "runs",
    "started",
    "databases",
    "build",
    "not_optimized",
    "spinners",
    "rows",
];

/// Facts that matter by their presence.
pub(super) const FLAGS: [&str; 2] = ["quick", "interrupted"];

/// Prefixes of facts with one per table or per published path.
pub(super) const KNOWN_BY_PART: [&str; 2] = ["plan.", "like."];

/// Runs of a variant whose times differ by more than this factor had different conditions.
const UNSTEADY: f64 = 1.5;

/// All facts of a measurement.
pub(super) fn facts(definition: &Definition, measured: &ReplayMeasurement) -> Facts {
    let mut facts = of_report(definition);
    let results: Vec<&RunResult> = measured.series.iter().flat_map(Series::results).collect();
    if measured.series.iter().any(|series| matches!(series.runs, Runs::Results(_))) {
        facts.extend(of_results(&results, &measured.series));
    }
    if measured.series.iter().all(|series| matches!(series.runs, Runs::Seconds(_))) {
        facts.extend(of_seconds(definition, measured));
    }
    let host = measured.host.as_ref().or_else(|| results.first().map(|result| &result.host));
    facts.extend(host.into_iter().flat_map(of_host));
    facts.extend(alike(measured));
    facts.extend(measured.facts.clone());
    facts
}

fn fact(name: &str, value: &dyn ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

/// A fact that matters by its presence.
fn flag(name: &str, is_so: bool) -> Option<(String, String)> {
    is_so.then(|| fact(name, &"yes"))
}

fn of_report(definition: &Definition) -> Facts {
    let published = &definition.published;
    let runs = published.rows.iter().flatten().filter_map(|cell| match cell {
        super::number::Cell::Runs(runs) => Some(runs.len()),
        super::number::Cell::Text(_) => None,
    });
    let reads = published.reads.map(|reads| fact("published_reads", &reads));
    reads.into_iter().chain(runs.max().map(|runs| fact("published_runs", &runs))).collect()
}

fn of_host(host: &HostFacts) -> Facts {
    let machine =
        format!("{} processors ({}), {} MB, {}", host.cpus, host.cpu, host.memory_mb, host.kernel);
    Facts::from([
        fact("machine", &machine),
        fact("load_before", &format!("{:.1}", host.load_before)),
    ])
}

fn of_results(results: &[&RunResult], series: &[Series]) -> Facts {
    let sum = |of: fn(&RunResult) -> usize| results.iter().map(|it| of(it)).sum::<usize>();
    let total = |of: fn(&RunResult) -> u64| results.iter().map(|result| of(result)).sum::<u64>();
    // Rounds that all variants have.
    let rounds = series.iter().map(|series| series.results().len()).filter(|rounds| *rounds > 0);
    let rounds = counted(rounds.min().unwrap_or(0) as u64, "round");
    let mut facts = Facts::from([
        fact("completed", &total(|it| it.totals.completed)),
        fact("failed", &total(|it| it.totals.failed)),
        fact("wrong_invariants", &sum(|it| it.invariants.iter().filter(|row| !row.passed).count())),
        fact("unbalanced", &sum(|it| usize::from(it.ledger.as_ref().is_some_and(|l| !l.balanced)))),
        fact("rounds", &rounds),
    ]);
    facts.extend(flag("client_in_doubt", results.iter().any(|it| it.client.is_in_doubt())));
    facts.extend(flag("sqlite", results.iter().any(|it| it.target.kind == "sqlite")));
    if let Some(first) = results.first() {
        let done = first.totals.completed + first.totals.failed;
        facts.extend([
            fact("users", &first.load.users),
            fact("each", &(done / u64::from(first.load.users.max(1)))),
            fact("measured_s", &format!("{:.0}", first.window.measured_s)),
            fact("warm_up_s", &format!("{:.0}", first.load.warm_up_s)),
        ]);
    }
    facts
}

fn of_seconds(definition: &Definition, measured: &ReplayMeasurement) -> Facts {
    let series = || measured.series.iter().filter(|series| !series.seconds().is_empty());
    let runs: usize = series().map(|series| series.seconds().len()).sum();
    let mut facts = Facts::from([
        fact("all_runs", &runs),
        fact("all_reads", &(runs as u64 * measured.reads)),
        fact("reads", &measured.reads),
        fact("variants", &series().count()),
    ]);
    let spread = |series: &Series| {
        let most = series.seconds().iter().copied().fold(f64::MIN, f64::max);
        let least = series.seconds().iter().copied().fold(f64::MAX, f64::min);
        (most / least, least, most)
    };
    let all = series().map(|series| (series, spread(series)));
    let unsteady: Vec<_> = all.filter(|(_, (factor, ..))| *factor > UNSTEADY).collect();
    let worst = unsteady.iter().max_by(|a, b| f64::total_cmp(&a.1.0, &b.1.0));
    if let Some((series, (factor, least, most))) = worst {
        facts.extend([
            fact("unsteady_factor", &format!("{factor:.1}")),
            fact("unsteady_least", &format!("{least:.3}")),
            fact("unsteady_most", &format!("{most:.3}")),
            fact("unsteady_variant", &named(&definition.variants.name, &series.variant.labels)),
            fact("unsteady_count", &unsteady.len()),
        ]);
    }
    facts
}

/// The published paths, each with our variants that are compared with it.
fn alike(measured: &ReplayMeasurement) -> Facts {
    let mut paths: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for series in measured.series.iter().filter(|series| series.is_measured()) {
        let label = |name: &str| series.variant.labels.get(name);
        if let (Some(like), Some(path)) = (label("like"), label("path")) {
            let paths = paths.entry(format!("like.{like}")).or_default();
            if !paths.contains(&path.as_str()) {
                paths.push(path);
            }
        }
    }
    paths.into_iter().map(|(like, paths)| (like, paths.join("; "))).collect()
}
