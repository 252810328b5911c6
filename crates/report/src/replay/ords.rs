//! The report on ORDS: one row by its key, from a table and from a duality view over the same rows.

use duet_verdict::judge::Pairs;
use duet_verdict::result::{Percentiles, RunResult};
use duet_verdict::text::{Table, counted};
use serde::Deserialize;

use super::enough::{self, SECONDS};
use super::number::Number;
use super::page::{Claim, Condition, Page, Remark, Verdict};

const PUBLISHED: &str = include_str!("../../data/published/ords.json");

#[derive(Deserialize)]
struct Published {
    title: String,
    /// The sample that has the report's tables.
    mount: String,
    /// What was measured, in the report's order, and its name in the sample.
    resources: Vec<(String, String)>,
    conditions: Conditions,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Conditions {
    server: String,
    database: String,
    client: String,
    load: String,
    security: String,
    rounds: String,
}

/// A line of the report; times in milliseconds.
#[derive(Deserialize)]
struct Row {
    release: String,
    resource: String,
    avg: Number,
    min: Number,
    med: Number,
    max: Number,
    p90: Number,
    p95: Number,
    per_s: Number,
}

/// What was measured: a variant in the order of the runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The server and its store.
    pub server: String,
    /// `table` or `view`.
    pub resource: String,
    /// Its runs, a round each.
    pub results: Vec<RunResult>,
}

impl Measured {
    /// Seconds, all rounds together.
    pub fn seconds(&self) -> f64 {
        self.results.iter().map(|result| result.window.measured_s).sum()
    }

    /// Requests that ended, all rounds together.
    fn done(&self) -> u64 {
        self.results.iter().map(|result| result.totals.completed + result.totals.failed).sum()
    }

    fn per_s(&self) -> Vec<f64> {
        self.results.iter().map(|result| result.totals.throughput_per_s).collect()
    }
}

/// The sample that has the report's tables, and what of it is measured: its kind, its name.
///
/// # Errors
/// As [`page`].
pub fn sample() -> serde_json::Result<(String, Vec<(String, String)>)> {
    let published: Published = serde_json::from_str(PUBLISHED)?;
    Ok((published.mount, published.resources))
}

/// The page of the repeated report.
///
/// # Errors
/// Where the published figures cannot be read: they are part of the program.
pub fn page(measured: &[Measured]) -> serde_json::Result<Page> {
    let published: Published = serde_json::from_str(PUBLISHED)?;
    let mut table = Table {
        caption: "Times in ms".into(),
        head: ["server", "resource", "avg", "min", "med", "max", "p90", "p95", "requests/s"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    for row in &published.rows {
        let times = [&row.avg, &row.min, &row.med, &row.max, &row.p90, &row.p95, &row.per_s];
        let mut line = vec![format!("ORDS {} (published)", row.release), row.resource.clone()];
        line.extend(times.map(ToString::to_string));
        table.rows.push(line);
    }
    table.rows.extend(measured.iter().map(line));
    Ok(Page {
        title: format!("{}, repeated", published.title),
        notes: notes(measured),
        tables: vec![table],
        conditions: conditions(&published, measured),
        claims: claims(),
        remarks: remarks(&published, measured),
    })
}

/// A line of all rounds: histograms are added, requests are divided by the whole time.
fn line(row: &Measured) -> Vec<String> {
    let mut all = duet_verdict::times::histogram();
    for result in &row.results {
        // All are histograms of the bench, of one form.
        let _ = all.add(result.histogram());
    }
    let times = Percentiles::of(&all);
    let ms = |micros: u64| micros as f64 / 1000.0;
    let mut line = vec![row.server.clone(), row.resource.clone()];
    line.push(format!("{:.2}", times.mean_us / 1000.0));
    let figures = [times.min_us, times.p50_us, times.max_us, times.p90_us, times.p95_us];
    line.extend(figures.map(|micros| format!("{:.2}", ms(micros))));
    let seconds = row.seconds();
    let per_s = if seconds > 0.0 { row.done() as f64 / seconds } else { 0.0 };
    line.push(format!("{per_s:.1}"));
    line
}

fn notes(measured: &[Measured]) -> Vec<String> {
    let results = || measured.iter().flat_map(|row| &row.results);
    let failed: u64 = results().map(|result| result.totals.failed).sum();
    let done: u64 = results().map(|result| result.totals.completed).sum();
    let mut notes = vec![format!(
        "{done} requests with the report's three checks (status 200, application/json, the resource that was asked for); {failed} failed."
    )];
    notes.push(
        "The published figures are of another machine: they are not compared with ours. What may be compared \
         are ratios within one machine."
            .into(),
    );
    if results().any(|result| result.client.is_in_doubt()) {
        notes.push("The client was busy: the capacity of the server may be higher.".into());
    }
    notes
}

fn conditions(published: &Published, measured: &[Measured]) -> Vec<Condition> {
    let theirs = &published.conditions;
    let first = measured.iter().flat_map(|row| &row.results).next();
    let host = first.map(|result| &result.host);
    let machine = host.map_or_else(String::new, |host| {
        format!("{} processors ({}), {} MB, {}", host.cpus, host.cpu, host.memory_mb, host.kernel)
    });
    let load = first.map_or_else(String::new, |result| {
        let each =
            (result.totals.completed + result.totals.failed) / u64::from(result.load.users.max(1));
        format!("{} users, {each} GETs each, no think time, random key", result.load.users)
    });
    let servers: Vec<&str> = measured.iter().map(|row| row.server.as_str()).collect();
    let condition = |what: &str, published: &str, here: String| Condition {
        what: what.into(),
        published: published.into(),
        here,
    };
    vec![
        condition("server", &theirs.server, "Duet, one process".into()),
        condition(
            "database and machine",
            &theirs.database,
            format!("{}; {machine}; client, server and database together", distinct(&servers)),
        ),
        condition(
            "client",
            &theirs.client,
            "Duet's bench: a request's time alone, HdrHistogram".into(),
        ),
        condition("load", &theirs.load, load),
        condition("security", &theirs.security, "OAuth2, one token for all requests".into()),
        condition(
            "rounds",
            &theirs.rounds,
            format!("{}, view and table interleaved", counted(rounds(measured) as u64, "round")),
        ),
    ]
}

fn distinct(names: &[&str]) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name);
        }
    }
    distinct.join(", ")
}

/// Rounds that both resources have.
fn rounds(measured: &[Measured]) -> usize {
    measured.iter().map(|row| row.results.len()).min().unwrap_or(0)
}

/// What the report says: both of it is about builds.
fn claims() -> Vec<Claim> {
    let claim = |text: &str| Claim {
        text: text.into(),
        verdict: Verdict::CannotTell,
        why: "One build was measured here. `duet bench releases` compares builds.".into(),
    };
    vec![
        claim("From one release to the next, views got about 3 times as fast."),
        claim("From one release to the next, tables got about 2 times as fast."),
    ]
}

/// What its figures show of a view beside a table, and ours.
fn remarks(published: &Published, measured: &[Measured]) -> Vec<Remark> {
    let theirs = |resource: &str| {
        let is_one = |row: &&Row| row.release == "24.1.0" && row.resource == resource;
        published.rows.iter().find(is_one).map(|row| row.per_s.value)
    };
    let ours = |resource: &str| measured.iter().find(|row| row.resource == resource);
    let (Some(there), Some(view), Some(table)) =
        (theirs("view").zip(theirs("table")), ours("view"), ours("table"))
    else {
        return Vec::new();
    };
    let there = (there.0 / there.1 - 1.0) * 100.0;
    let rounds = rounds(measured);
    let pairs = Pairs::of(table.per_s().into_iter().zip(view.per_s()));
    let here =
        match (enough::missing(rounds, [view.seconds(), table.seconds()], SECONDS), pairs.change())
        {
            (Some(missing), _) => format!("**{}**: {missing}.", Verdict::TooShort.words()),
            (None, Some(change)) => format!("{}.", enough::found(&change, rounds)),
            (None, None) => "It was not measured.".into(),
        };
    vec![Remark {
        text: format!("The rate of a view beside that of a table (24.1.0): {there:+.1} % there."),
        here,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(resource: &str, per_s: &[f64], seconds: f64) -> Measured {
        let result = |per_s: &f64| {
            let mut result = RunResult::default();
            result.totals.throughput_per_s = *per_s;
            result.totals.completed = 10_000;
            result.window.measured_s = seconds;
            result.load.users = 10;
            result
        };
        let results = per_s.iter().map(result).collect();
        Measured { server: "Duet on SQLite".into(), resource: resource.into(), results }
    }

    fn text(seconds: f64, rounds: usize) -> String {
        let view = measured("view", &[7_000.0, 7_010.0, 6_990.0][..rounds], seconds);
        let table = measured("table", &[10_000.0, 10_010.0, 9_990.0][..rounds], seconds);
        page(&[view, table]).unwrap().text().replace("\n  ", " ")
    }

    #[test]
    fn what_is_claimed_and_what_is_only_shown() {
        let text = text(2.0, 3);
        assert!(text.contains("| ORDS 24.1.0 (published) | view     |"), "{text}");
        assert!(text.contains("views got about 3 times as fast. **cannot tell**"), "{text}");
        assert!(text.contains(" (24.1.0): -34.2 % there. -30.0 % here, between "), "{text}");
        // Neither the report's remark nor our figures beside theirs get a verdict.
        assert!(!text.contains("**holds**") && !text.contains("does not hold"), "{text}");
    }

    #[test]
    fn published_figures_are_as_they_were_published() {
        let text = text(2.0, 3);
        for figure in [" 111.435388 |", " 1790 |", " 18.3 |"] {
            assert!(text.contains(figure), "{figure}: {text}");
        }
    }

    #[test]
    fn a_moment_of_load_is_too_short() {
        let text = text(0.03, 1);
        let told =
            "**too short to judge**: 0.03 s measured in 1 round; 5 s in 3 rounds are needed.";
        assert!(text.contains(told), "{text}");
        assert!(!text.contains("% here"), "{text}");
    }
}
