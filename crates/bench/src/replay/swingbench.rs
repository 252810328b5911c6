//! The report on Swingbench: order entry from the client's side and the database's, in layouts of one,
//! two and four processes, and a mix of analytical queries.
//!
//! Where the report adds up averages of processes that end at different times, this one divides all work
//! by the whole time. Every variant runs more than once, in turns, so that a difference between variants
//! can be told from noise.

use serde::Deserialize;

use super::page::{Claim, Condition, Page, Table, Verdict};
use crate::judge::Pairs;
use crate::result::RunResult;

const PUBLISHED: &str = include_str!("../../data/published/swingbench.json");
/// A difference between variants under this many per cent is none.
const LEAST_PERCENT: f64 = 3.0;
/// Fewer rounds tell nothing of the spread.
const LEAST_ROUNDS: usize = 3;

#[derive(Deserialize)]
struct Published {
    title: String,
    conditions: Conditions,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Conditions {
    database: String,
    client: String,
    load: String,
    data: String,
    rounds: String,
}

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "where")]
    place: String,
    workload: String,
    layout: String,
    max_tpm: Option<u64>,
    tps: f64,
}

/// A variant of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// `soe-client`, `soe-server` or `retail`.
    pub workload: &'static str,
    /// Processes.
    pub processes: u32,
    /// Users of each.
    pub users: u32,
}

/// The report's variants, in its order; 16 connections each.
pub const VARIANTS: [Variant; 6] = [
    Variant { workload: "soe-client", processes: 1, users: 16 },
    Variant { workload: "soe-server", processes: 1, users: 16 },
    Variant { workload: "soe-client", processes: 2, users: 8 },
    Variant { workload: "soe-client", processes: 4, users: 4 },
    Variant { workload: "soe-server", processes: 2, users: 8 },
    Variant { workload: "soe-server", processes: 4, users: 4 },
];

/// The runs of one variant.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Which.
    pub variant: Variant,
    /// Its results, a round each.
    pub results: Vec<RunResult>,
}

impl Runs {
    fn tps(&self) -> Vec<f64> {
        self.results.iter().map(|result| result.totals.tps).collect()
    }

    fn mean(&self, of: impl Fn(&RunResult) -> f64) -> f64 {
        self.results.iter().map(of).sum::<f64>() / self.results.len().max(1) as f64
    }
}

/// The page of the repeated report.
///
/// # Errors
/// Where the published figures cannot be read: they are part of the program.
pub fn page(runs: &[Runs], server: &str, data: &str) -> serde_json::Result<Page> {
    let published: Published = serde_json::from_str(PUBLISHED)?;
    Ok(Page {
        title: format!("{}, repeated", published.title),
        notes: notes(runs),
        tables: vec![rates(&published, runs, server), layers(runs)],
        conditions: conditions(&published, runs, server, data),
        claims: claims(runs),
    })
}

fn notes(runs: &[Runs]) -> Vec<String> {
    let results = || runs.iter().flat_map(|runs| &runs.results);
    let failed: u64 = results().map(|result| result.totals.failed).sum();
    let done: u64 = results().map(|result| result.totals.completed).sum();
    let wrong = results().flat_map(|result| &result.invariants).filter(|row| !row.passed).count();
    let unbalanced =
        results().filter(|result| result.ledger.as_ref().is_some_and(|l| !l.balanced)).count();
    let mut notes = vec![format!(
        "{done} transactions; {failed} failed. After every run the data were held against what was counted: \
         {wrong} statements did not hold, {unbalanced} ledgers did not balance."
    )];
    if results().any(|result| result.client.was_the_limit) {
        notes.push("The measuring side was busy in some runs: the database may bear more.".into());
    }
    notes
}

fn rates(published: &Published, runs: &[Runs], server: &str) -> Table {
    let mut table = Table {
        caption: "Rates".into(),
        head: [
            "where",
            "workload",
            "processes x connections",
            "Maximum Transactions/min",
            "Average Transactions/sec",
            "from to",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    for row in &published.rows {
        table.rows.push(vec![
            format!("{} (published)", row.place),
            row.workload.clone(),
            if row.layout.is_empty() { "not stated".into() } else { row.layout.clone() },
            row.max_tpm.map_or_else(|| "-".into(), |tpm| tpm.to_string()),
            format!("{:.2}", row.tps),
            String::new(),
        ]);
    }
    for runs in runs {
        let tps = runs.tps();
        let most = tps.iter().copied().fold(f64::MIN, f64::max);
        let least = tps.iter().copied().fold(f64::MAX, f64::min);
        table.rows.push(vec![
            server.to_owned(),
            runs.variant.workload.into(),
            format!("{}x{}", runs.variant.processes, runs.variant.users),
            format!("{:.0}", runs.mean(|result| result.totals.max_tpm as f64)),
            format!("{:.2}", runs.mean(|result| result.totals.tps)),
            format!("{least:.0} to {most:.0}"),
        ]);
    }
    table
}

/// What each layer costs.
fn layers(runs: &[Runs]) -> Table {
    let mut table = Table {
        caption: "What a transaction costs here".into(),
        head: [
            "workload",
            "processes x connections",
            "avg ms",
            "p95 ms",
            "round trips",
            "client CPU µs",
            "commits/s",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    for runs in runs {
        let each = |sum: u64, result: &RunResult| {
            sum as f64 / (result.totals.completed + result.totals.failed).max(1) as f64
        };
        table.rows.push(vec![
            runs.variant.workload.into(),
            format!("{}x{}", runs.variant.processes, runs.variant.users),
            format!("{:.2}", runs.mean(|result| result.totals.service.mean_us / 1000.0)),
            format!("{:.2}", runs.mean(|result| result.totals.service.p95_us as f64 / 1000.0)),
            format!("{:.1}", runs.mean(|result| each(result.totals.round_trips, result))),
            format!("{:.0}", runs.mean(|result| result.client.cpu_us_per_transaction)),
            format!(
                "{:.0}",
                runs.mean(|result| {
                    result.totals.dml.commits as f64 / result.window.measured_s.max(0.001)
                })
            ),
        ]);
    }
    table
}

fn conditions(published: &Published, runs: &[Runs], server: &str, data: &str) -> Vec<Condition> {
    let theirs = &published.conditions;
    let first = runs.first().and_then(|runs| runs.results.first());
    let machine = first.map_or_else(String::new, |result| {
        let host = &result.host;
        format!("{} processors ({}), {} MB, {}", host.cpus, host.cpu, host.memory_mb, host.kernel)
    });
    let load = first.map_or_else(String::new, |result| {
        format!(
            "16 connections in all, {:.0} s measured after a warm-up of {:.0} s; no think time",
            result.window.measured_s, result.load.warm_up_s
        )
    });
    let rounds = runs.iter().map(|runs| runs.results.len()).min().unwrap_or(0);
    let condition = |what: &str, published: &str, here: String| Condition {
        what: what.into(),
        published: published.into(),
        here,
    };
    vec![
        condition(
            "database and machine",
            &theirs.database,
            format!("{server}; {machine}; client and database together"),
        ),
        condition("client", &theirs.client, "Duet's bench, real processes, one clock".into()),
        condition("load", &theirs.load, load),
        condition("data", &theirs.data, data.to_owned()),
        condition(
            "rounds",
            &theirs.rounds,
            format!("{rounds} rounds, every variant in each; all work divided by the whole time"),
        ),
        condition(
            "network",
            "container overlay, proxy, cloud",
            "none: a socket of this machine, or in process".into(),
        ),
    ]
}

fn claims(runs: &[Runs]) -> Vec<Claim> {
    let find = |workload: &str, processes: u32| {
        runs.iter().find(|r| r.variant.workload == workload && r.variant.processes == processes)
    };
    let mut claims = Vec::new();
    let mut compare = |text: &str, base: Option<&Runs>, new: Option<&Runs>| {
        if let (Some(base), Some(new)) = (base, new) {
            let (verdict, why) = faster(base, new);
            claims.push(Claim { text: text.into(), verdict, why });
        }
    };
    compare(
        "From the database's side order entry is about 10 % faster than from the client's.",
        find("soe-client", 1),
        find("soe-server", 1),
    );
    compare(
        "Two processes of 8 are 35 % faster than one of 16 (client's side).",
        find("soe-client", 1),
        find("soe-client", 2),
    );
    compare(
        "Four processes of 4 are about as fast as two of 8, and faster than one of 16 (client's side).",
        find("soe-client", 1),
        find("soe-client", 4),
    );
    compare(
        "Two processes of 8 are about 8 % faster than one of 16 (database's side).",
        find("soe-server", 1),
        find("soe-server", 2),
    );
    for (text, why) in [
        ("Small replicas on several nodes beat one large one.", "There is one machine here."),
        (
            "The containers' proxy costs inbound traffic.",
            "Nothing runs in containers here. `duet bench paths` measures several ways to one database.",
        ),
        ("Fast disks raise the rate most.", "There is one disk here."),
        (
            "A transaction database is 130 % faster at order entry than a warehouse one.",
            "There is one database here.",
        ),
    ] {
        claims.push(Claim { text: text.into(), verdict: Verdict::CannotTell, why: why.into() });
    }
    claims
}

/// Whether one variant is faster than another, by the ratios of the rounds.
fn faster(base: &Runs, new: &Runs) -> (Verdict, String) {
    let rounds = base.results.len().min(new.results.len());
    let Some(change) = Pairs::of(base.tps().into_iter().zip(new.tps())).change() else {
        return (Verdict::CannotTell, "It was not measured.".into());
    };
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let measured = percent(change.log_ratio.exp());
    if rounds < LEAST_ROUNDS {
        let why = format!(
            "{measured:+.1} % in {rounds} rounds; {LEAST_ROUNDS} are the least that tells."
        );
        return (Verdict::CannotTell, why);
    }
    let [low, high] = change.interval(0.95).map(percent);
    let verdict = match () {
        () if low > LEAST_PERCENT => Verdict::Holds,
        () if high < LEAST_PERCENT => Verdict::DoesNotHold,
        () => Verdict::CannotTell,
    };
    (
        verdict,
        format!(
            "{measured:+.1} % here, between {low:+.1} and {high:+.1} % (95 %, {rounds} rounds)."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(variant: usize, tps: &[f64]) -> Runs {
        let result = |tps: &f64| {
            let mut result = RunResult::default();
            result.totals.tps = *tps;
            result
        };
        Runs { variant: VARIANTS[variant], results: tps.iter().map(result).collect() }
    }

    #[test]
    fn claims_are_judged_by_their_rounds() {
        let client = runs(0, &[1000.0, 1010.0, 990.0]);
        let verdict = |tps: &[f64]| faster(&client, &runs(1, tps)).0;
        assert_eq!(verdict(&[1200.0, 1215.0, 1190.0]), Verdict::Holds);
        assert_eq!(verdict(&[800.0, 805.0, 790.0]), Verdict::DoesNotHold);
        assert_eq!(verdict(&[900.0, 1300.0, 1000.0]), Verdict::CannotTell);
        assert_eq!(verdict(&[1500.0]), Verdict::CannotTell);
        let page = page(&[client, runs(1, &[1.0])], "PostgreSQL 15", "scale 0.1").unwrap();
        assert!(page.text().contains("Average Transactions/sec"), "{}", page.text());
        assert_eq!(page.claims.len(), 5);
    }
}
