//! The report on ORDS: one row by its key, from a table and from a duality view over the same rows.

use serde::Deserialize;

use super::page::{Claim, Condition, Page, Table, Verdict};
use crate::result::{Percentiles, RunResult};

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
    avg: f64,
    min: f64,
    med: f64,
    max: f64,
    p90: f64,
    p95: f64,
    per_s: f64,
}

/// What was measured: a variant in the order of the runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The server and its store.
    pub server: String,
    /// `table` or `view`.
    pub resource: String,
    /// The run.
    pub result: RunResult,
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
        let times = [row.avg, row.min, row.med, row.max, row.p90, row.p95];
        let server = format!("ORDS {} (published)", row.release);
        table.rows.push(line(&server, &row.resource, times, row.per_s));
    }
    for row in measured {
        let totals = &row.result.totals;
        table.rows.push(line(
            &row.server,
            &row.resource,
            times(&totals.service),
            totals.throughput_per_s,
        ));
    }
    Ok(Page {
        title: format!("{}, repeated", published.title),
        notes: notes(measured),
        tables: vec![table],
        conditions: conditions(&published, measured),
        claims: claims(&published, measured),
    })
}

fn times(times: &Percentiles) -> [f64; 6] {
    let ms = |micros: u64| micros as f64 / 1000.0;
    [
        times.mean_us / 1000.0,
        ms(times.min_us),
        ms(times.p50_us),
        ms(times.max_us),
        ms(times.p90_us),
        ms(times.p95_us),
    ]
}

fn line(server: &str, resource: &str, times: [f64; 6], per_s: f64) -> Vec<String> {
    let mut line = vec![server.to_owned(), resource.to_owned()];
    line.extend(times.map(|ms| format!("{ms:.2}")));
    line.push(format!("{per_s:.0}"));
    line
}

fn notes(measured: &[Measured]) -> Vec<String> {
    let failed: u64 = measured.iter().map(|row| row.result.totals.failed).sum();
    let done: u64 = measured.iter().map(|row| row.result.totals.completed).sum();
    let mut notes = vec![format!(
        "{done} requests with the report's three checks (status 200, application/json, the resource that was asked for); {failed} failed."
    )];
    if measured.iter().any(|row| row.result.client.is_in_doubt()) {
        notes.push("The client was busy: the server may bear more than this.".into());
    }
    notes
}

fn conditions(published: &Published, measured: &[Measured]) -> Vec<Condition> {
    let theirs = &published.conditions;
    let first = measured.first().map(|row| &row.result);
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
            "one run each: no difference between runs can be told from noise".into(),
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

fn claims(published: &Published, measured: &[Measured]) -> Vec<Claim> {
    let per_s = |resource: &str| {
        let row = measured.iter().find(|row| row.resource == resource);
        row.map(|row| row.result.totals.throughput_per_s)
    };
    let theirs = |release: &str, resource: &str| {
        let row =
            published.rows.iter().find(|row| row.release == release && row.resource == resource);
        row.map_or(0.0, |row| row.per_s)
    };
    let mut claims = vec![Claim {
        text: "Between two releases, views got about 3 times as fast and tables 2 times.".into(),
        verdict: Verdict::CannotTell,
        why: "One build was measured here. `duet bench releases` compares builds.".into(),
    }];
    if let (Some(view), Some(table)) = (per_s("view"), per_s("table")) {
        let (here, there) = (view / table, theirs("24.1.0", "view") / theirs("24.1.0", "table"));
        claims.push(Claim {
            text: format!("A view costs more than a table: {there:.2} of its rate."),
            verdict: of_single_runs(1.0 / here),
            why: format!("{here:.2} of it here, in one run each."),
        });
        let least = (view / theirs("24.1.0", "view")).min(table / theirs("24.1.0", "table"));
        claims.push(Claim {
            text: "The published rates are the floor.".into(),
            verdict: of_single_runs(least),
            why: format!(
                "At least {least:.0} times the published rate of 24.1.0, on another machine."
            ),
        });
    }
    claims
}

/// Two runs of the same may differ by as much (see `duet bench compare`).
const DRIFT: f64 = 1.15;

/// Whether something is greater than 1 that single runs have measured.
fn of_single_runs(ratio: f64) -> Verdict {
    match () {
        () if ratio > DRIFT => Verdict::Holds,
        () if ratio < 1.0 / DRIFT => Verdict::DoesNotHold,
        () => Verdict::CannotTell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(resource: &str, per_s: f64) -> Measured {
        let mut result = RunResult::default();
        result.totals.throughput_per_s = per_s;
        result.totals.completed = 10_000;
        result.load.users = 10;
        Measured { server: "Duet on SQLite".into(), resource: resource.into(), result }
    }

    #[test]
    fn claims_are_judged() {
        let page = page(&[measured("view", 7_000.0), measured("table", 10_000.0)]).unwrap();
        assert_eq!(page.tables[0].rows.len(), 8);
        let verdicts: Vec<Verdict> = page.claims.iter().map(|claim| claim.verdict).collect();
        assert_eq!(verdicts, [Verdict::CannotTell, Verdict::Holds, Verdict::Holds]);
        let verdict = |view: f64| {
            let page = super::page(&[measured("view", view), measured("table", 10_000.0)]).unwrap();
            page.claims[1].verdict
        };
        assert_eq!(verdict(9_900.0), Verdict::CannotTell);
        assert_eq!(verdict(12_000.0), Verdict::DoesNotHold);
        assert!(page.text().contains("| ORDS 24.1.0 (published) |     view |"), "{}", page.text());
    }
}
