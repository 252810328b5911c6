//! How the server writes acknowledged rows to the database: rate and lag while the load runs, then the wait for the
//! last row, and whether the database has each of them once.

use std::time::{Duration, Instant};

use duet_bench::record::{Measured, TransactionCost};
use duet_bench::run::{Merged, Proof};
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::targets::sql::PROOF;
use duet_bench::workload::Failed;
use duet_verdict::result::{Figure, Invariant, RunResult};
use serde_json::Value;

use super::facts::{COPY, Facts, INGEST, KINDS};
use crate::blocking;
use crate::generate::Engine;

/// The figure of the rows that got into the database while the load ran, by its name in results.
pub const APPLIED: &str = "Rows applied, with the load running";
/// The figures of the rows that were acknowledged and not yet in the database.
pub const LAG: [&str; 2] = ["Lag, mean of the seconds", "Lag, the most"];
/// The figure of the time from the end of the load until every row was in the database.
const DRAINED: &str = "Drain after the load";

/// The check that the database has what was acknowledged.
pub const EACH_ONCE: &str = "every acknowledged row is in the database once";
/// The check that no row became a dead letter: one that was applied twice would.
pub const NONE_REFUSED: &str = "the database refused no row";

/// About the most readings of a run that ends by time.
const READINGS: u64 = 20;
/// A reading that takes longer fails.
const PATIENCE: Duration = Duration::from_secs(5);
/// One wait for the end of the drain: the most that the server waits at once.
const FLUSH_S: u64 = 60;
/// The most waits in which nothing at all is applied.
const IDLE_WAITS: u32 = 2;

/// The state of the journal at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    at: Instant,
    /// The last sequence id that is durable, and the last one that is settled.
    written: u64,
    applied: u64,
    rejected: u64,
}

/// Watches the journal, and compares the database with the acknowledged rows.
pub struct Drain {
    url: Url,
    facts: Facts,
    window: Measured,
    /// Rows of the table before the run.
    before: Option<i64>,
    /// Rows that became dead letters before the run, and after it.
    rejected: [u64; 2],
    /// Transactions of each type: those that ended well, and those that failed.
    done: [[u64; 2]; KINDS.len()],
    readings: Vec<Reading>,
    drained: Option<Duration>,
}

impl Drain {
    /// Of a resource, whose requests are measured in this window.
    pub fn new(url: Url, facts: Facts, window: Measured) -> Self {
        Self {
            url,
            facts,
            window,
            before: None,
            rejected: [0; 2],
            done: [[0; 2]; KINDS.len()],
            readings: Vec::new(),
            drained: None,
        }
    }

    /// The response of one of the operator's paths, as JSON, with its status.
    async fn ask(
        &self,
        method: &str,
        path: &str,
        patience: Duration,
    ) -> Result<(u16, Value), Failed> {
        let url = self.url.at("/admin");
        let mut connection = HttpConnection::open(&url, patience).await?;
        let authorization = match &self.facts.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{authorization}Content-Length: 0\r\n\r\n",
            url.host
        );
        let mut cost = TransactionCost::default();
        let answer = connection.exchange(request.as_bytes(), &mut cost).await?;
        let body = serde_json::from_slice(answer.body).unwrap_or(Value::Null);
        Ok((answer.status, body))
    }

    /// The journal now. `None` while no process has opened it, which its first row does.
    fn read(&self) -> Result<Option<Reading>, Failed> {
        let asked = run(self.ask("GET", "/admin/journal", PATIENCE))?;
        match asked {
            (200, body) => Ok(reading(&body, &self.url.path)),
            (status, _) => Err(Failed::check(format!(
                "GET /admin/journal is {status}: the run needs a client with the role duet.admin"
            ))),
        }
    }

    /// Waits until everything is in the database; gives up where nothing gets there.
    fn flush(&self) -> Result<Duration, Failed> {
        let (began, mut idle, mut last) = (Instant::now(), 0, None);
        loop {
            let path = format!("/admin/journal?flush&timeout={FLUSH_S}");
            let (status, body) =
                run(self.ask("POST", &path, Duration::from_secs(FLUSH_S) + PATIENCE))?;
            match status {
                200 => return Ok(began.elapsed()),
                504 => {}
                _ => {
                    return Err(Failed::check(format!(
                        "POST /admin/journal?flush is {status}: {body}"
                    )));
                }
            }
            let applied = self.read()?.map(|it| it.applied);
            idle = if applied == last { idle + 1 } else { 0 };
            if idle >= IDLE_WAITS {
                return Err(Failed::check(
                    "the server applies no row: GET /admin/journal says why",
                ));
            }
            last = applied;
        }
    }

    /// The rows of the table, where the database is known.
    fn count(&self) -> Result<Option<i64>, Failed> {
        let Some(database) = &self.facts.database else { return Ok(None) };
        let target = database.target()?;
        let sql = Engine::of(&target).statement("txn", "SELECT count(*) FROM {s}transactions");
        run(async {
            let mut connection = duet_client::Connection::open(&target, PROOF).await?;
            let rows = connection.ask(&sql, &[]).await?;
            connection.close().await;
            Ok(rows.first_int(0))
        })
    }

    /// Rows of the transactions that ended well, and of all.
    fn between(&self) -> [i64; 2] {
        let rows = |count: fn(&[u64; 2]) -> u64| -> i64 {
            let kinds = self.done.iter().enumerate();
            let sum: u64 = kinds.map(|(kind, done)| count(done) * self.facts.rows_of(kind)).sum();
            i64::try_from(sum).unwrap_or(i64::MAX)
        };
        [rows(|done| done[0]), rows(|done| done[0] + done[1])]
    }

    /// Whether a reading at the end of this second is one of the measuring window.
    fn is_measured(&self, second: u64) -> bool {
        let end = Duration::from_secs(second + 1);
        // The server counts these requests too: few of them, or its counts differ from those of the users.
        let every = match self.window.to {
            Some(to) => ((to - self.window.from).as_secs() / READINGS).max(1),
            None if second < READINGS => 1,
            None => READINGS * 4,
        };
        end >= self.window.from
            && self.window.to.is_none_or(|to| end <= to)
            && (end.as_secs() - self.window.from.as_secs()).is_multiple_of(every)
    }
}

impl Proof for Drain {
    fn before(&mut self) -> Result<(), Failed> {
        self.done = [[0; 2]; KINDS.len()];
        self.drained = None;
        let reading = self.read()?;
        self.rejected = [reading.map_or(0, |it| it.rejected); 2];
        self.readings = reading.into_iter().filter(|_| self.window.from.is_zero()).collect();
        self.before = self.count()?;
        Ok(())
    }

    fn second(&mut self, merged: &Merged) {
        for (kind, tally) in &merged.kinds {
            let Some(done) = self.done.get_mut(*kind) else { continue };
            done[0] += tally.completed();
            done[1] += tally.failed();
        }
        // A second without a reading makes the spans longer, and no figure wrong.
        if self.is_measured(merged.second)
            && let Ok(Some(reading)) = self.read()
        {
            self.readings.push(reading);
        }
    }

    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed> {
        if self.done[..COPY].iter().all(|done| done[0] == 0) {
            // The server has acknowledged nothing.
            return Ok(counted(self.before, self.count()?, self.between(), shared));
        }
        self.drained = Some(self.flush()?);
        let mut rows = counted(self.before, self.count()?, self.between(), shared);
        if let Some(reading) = self.read()?.filter(|_| !shared) {
            self.rejected[1] = reading.rejected;
            let refused = reading.rejected.saturating_sub(self.rejected[0]);
            rows.push(Invariant {
                name: NONE_REFUSED.into(),
                passed: refused == 0,
                found: format!("{refused} dead letters more"),
            });
        }
        Ok(rows)
    }

    fn figures(&self, _result: &RunResult) -> Vec<Figure> {
        let mut figures = rate_and_lag(&self.readings);
        if self.done[INGEST..COPY].iter().any(|done| done[0] > 0) {
            let drained = self.drained.map(|it| Figure::new(DRAINED, it.as_secs_f64(), "s"));
            figures.extend(drained);
        }
        figures
    }
}

fn run<T>(asked: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    blocking(asked).map_err(|error| Failed::check(error.message))?
}

/// The journal of the application that serves a path; that of the only application.
fn reading(body: &Value, path: &str) -> Option<Reading> {
    let open = |it: &&Value| it["journal"].is_string();
    let journals: Vec<&Value> = body["journals"].as_array()?.iter().filter(open).collect();
    let named = |it: &&&Value| {
        let name = it["application"].as_str().unwrap_or_default();
        path.split('/').any(|part| part == name)
    };
    let journal = match &*journals {
        [only] => only,
        several => several.iter().find(named)?,
    };
    let count = |name: &str| journal[name].as_u64();
    Some(Reading {
        at: Instant::now(),
        written: count("writeHwm")?,
        applied: count("applyHwm")?,
        rejected: count("rejected").unwrap_or(0),
    })
}

/// The rows that came into the table, beside those of transactions that ended well, and of all: one that failed may
/// have written its rows or not.
fn counted(
    before: Option<i64>,
    after: Option<i64>,
    [least, most]: [i64; 2],
    shared: bool,
) -> Vec<Invariant> {
    let (Some(before), Some(after), false) = (before, after, shared) else { return Vec::new() };
    let came = after - before;
    let found = match least == most {
        true => format!("{came} rows more, {least} acknowledged"),
        false => format!("{came} rows more, {least} acknowledged, {} not known", most - least),
    };
    let passed = (least..=most).contains(&came);
    vec![Invariant { name: EACH_ONCE.into(), passed, found }]
}

/// The rate from the first to the last reading, and what was waiting at each of them.
fn rate_and_lag(readings: &[Reading]) -> Vec<Figure> {
    let [first, .., last] = readings else { return Vec::new() };
    let took = last.at.duration_since(first.at).as_secs_f64();
    if took <= 0.0 {
        return Vec::new();
    }
    let lags = readings.iter().map(|it| it.written.saturating_sub(it.applied));
    let (sum, most) = lags.fold((0, 0), |(sum, most), lag| (sum + lag, most.max(lag)));
    vec![
        Figure::new(APPLIED, last.applied.saturating_sub(first.applied) as f64 / took, "/s"),
        Figure::new(LAG[0], sum as f64 / readings.len() as f64, "rows"),
        Figure::new(LAG[1], most as f64, "rows"),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_database_is_compared_with_what_was_acknowledged() {
        let passed = |after, between| counted(Some(10), Some(after), between, false)[0].passed;
        assert!(passed(15, [5, 5]) && passed(15, [3, 8]));
        assert!(!passed(14, [5, 5]), "a row is missing");
        assert!(!passed(16, [5, 5]), "a row is there twice");
        assert!(!passed(19, [3, 8]), "more than all that was sent");
        assert!(counted(None, Some(1), [1, 1], false).is_empty());
        assert!(counted(Some(0), Some(1), [5, 5], true).is_empty(), "others write too");
    }

    #[test]
    fn rate_and_lag_of_readings() {
        let at = Instant::now();
        let reading = |seconds, written, applied| Reading {
            at: at + Duration::from_secs(seconds),
            written,
            applied,
            rejected: 0,
        };
        let figures =
            rate_and_lag(&[reading(0, 10, 10), reading(1, 500, 200), reading(2, 900, 810)]);
        let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
        assert_eq!(values, [400.0, 130.0, 300.0]);
        assert!(rate_and_lag(&[reading(0, 1, 1)]).is_empty());
    }

    #[test]
    fn the_journal_of_the_application_is_read() {
        let journal = |name: &str, written: u64| json!({ "application": name, "journal": "j", "writeHwm": written, "applyHwm": 1, "rejected": 2 });
        let of = |journals: Value, path: &str| {
            reading(&json!({ "journals": journals }), path).map(|it| it.written)
        };
        assert_eq!(of(json!([journal("x", 5)]), "/txn/transactions"), Some(5));
        let two = json!([journal("x", 5), journal("txn", 7)]);
        assert_eq!(of(two.clone(), "/txn/transactions"), Some(7));
        assert_eq!(of(two, "/other"), None);
        assert_eq!(of(json!([{ "application": "txn", "journal": null }]), "/txn"), None);
    }
}
