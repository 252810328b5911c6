//! What each layer of a `CREATE` costs: the server's own clocks in `/metrics`, read at the beginning and the end of
//! the measuring window, reconciled with the time that users measure.

use std::fmt::Write as _;
use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::run::{Merged, Proof};
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::workload::Failed;
use duet_verdict::result::{Figure, Invariant, RunResult};

use super::facts::{CREATE, Facts, KINDS, SQL};
use crate::blocking;

/// The steps of a request, in their order, with what they are here.
const STEPS: [(&str, &str); 5] = [
    ("authenticate", "token"),
    ("route", "route"),
    ("plan", "JSON in"),
    ("store", "store"),
    ("write", "JSON out"),
];
const AUTHENTICATE: usize = 0;
const ROUTE: usize = 1;
const PLAN: usize = 2;
const STORE: usize = 3;
const WRITE: usize = 4;

/// The parts of the step `store`, of a server with `--server-timing`.
const PARTS: [&str; 5] = ["row", "queue", "statement", "commit", "document"];

/// The layers of a `CREATE` in its order, by their names in results: those of the server, then the rest.
pub const LAYERS: [&str; 7] = [
    "CREATE: token and route",
    "CREATE: JSON in",
    "CREATE: queue",
    "CREATE: statement",
    "CREATE: commit",
    "CREATE: JSON out",
    "CREATE: not explained (network, client)",
];
/// The time of a `CREATE` at the client, by its name in results.
pub const WHOLE: &str = "CREATE: whole";
/// The time of the same `INSERT` by SQL, by its name in results.
pub const BY_SQL: &str = "INSERT by SQL: whole";

/// An endpoint that takes longer has no figures.
const PATIENCE: Duration = Duration::from_secs(5);

/// The sum of the steps may miss this share of the whole, and this time for each request: the clock is read between them.
const MISSED: f64 = 0.05;
const BETWEEN_S: f64 = 2e-6;

/// Seconds and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Clock {
    seconds: f64,
    count: f64,
}

impl Clock {
    fn since(self, earlier: Self) -> Self {
        Self { seconds: self.seconds - earlier.seconds, count: self.count - earlier.count }
    }

    fn mean_us(self) -> f64 {
        if self.count > 0.0 { self.seconds / self.count * 1e6 } else { 0.0 }
    }
}

/// The clocks of one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Clocks {
    steps: [Clock; STEPS.len()],
    parts: [Clock; PARTS.len()],
    total: Clock,
}

impl Clocks {
    fn since(self, earlier: Self) -> Self {
        Self {
            steps: std::array::from_fn(|at| self.steps[at].since(earlier.steps[at])),
            parts: std::array::from_fn(|at| self.parts[at].since(earlier.parts[at])),
            total: self.total.since(earlier.total),
        }
    }

    /// Whether the server has told the parts of every write.
    fn has_parts(&self) -> bool {
        self.steps[STORE].count > 0.0 && self.parts[0].count == self.steps[STORE].count
    }

    /// The server's layers, µs; `None` where it does not tell the parts of writes.
    fn layers(&self) -> Option<[f64; LAYERS.len() - 1]> {
        let step = |at: usize| self.steps[at].mean_us();
        let [row, queue, statement, commit, document] = self.parts.map(Clock::mean_us);
        self.has_parts().then_some([
            step(AUTHENTICATE) + step(ROUTE),
            step(PLAN) + row,
            queue,
            statement,
            commit,
            document + step(WRITE),
        ])
    }
}

/// Reads the clocks around the measuring window.
#[derive(Debug)]
pub(super) struct Layers {
    url: Url,
    authorization: Option<String>,
    /// Whether all requests are of `CREATE`.
    creates_only: bool,
    /// Whole seconds before the window.
    warm_up_s: u64,
    before: Option<Clocks>,
    measured: Option<Clocks>,
}

impl Layers {
    /// Of the resource that these users meet, in runs with this time before the window.
    pub(super) fn new(url: Url, facts: &Facts, warm_up: Duration) -> Self {
        let is_other =
            |(kind, weight): (usize, &f64)| kind < SQL && kind != CREATE && *weight > 0.0;
        Self {
            url,
            authorization: facts.authorization.clone(),
            creates_only: !facts.weights.iter().enumerate().any(is_other),
            warm_up_s: warm_up.as_secs(),
            before: None,
            measured: None,
        }
    }

    /// The clocks now; `None` of a server that has none.
    async fn read(&self) -> Result<Option<Clocks>, Failed> {
        let url = self.url.at("/metrics");
        let mut connection = HttpConnection::open(&url, PATIENCE).await?;
        let authorization = match &self.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n{authorization}\r\n", url.host);
        let answer =
            connection.exchange(request.as_bytes(), &mut TransactionCost::default()).await?;
        let text = String::from_utf8_lossy(answer.body);
        Ok((answer.status == 200).then(|| clocks(&text, self.url.path.trim_end_matches('/'))))
    }

    fn read_now(&self) -> Result<Option<Clocks>, Failed> {
        blocking(self.read()).map_err(|error| Failed::check(error.message))?
    }
}

impl Proof for Layers {
    fn before(&mut self) -> Result<(), Failed> {
        self.before = self.read_now()?;
        self.measured = None;
        Ok(())
    }

    fn second(&mut self, merged: &Merged) {
        // The window begins: what came before was warm-up. Without a new reading the earlier one holds.
        if merged.second + 1 == self.warm_up_s
            && let Ok(Some(now)) = self.read_now()
        {
            self.before = Some(now);
        }
    }

    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed> {
        let read = self.read_now()?;
        let (Some(before), Some(after), false) = (self.before, read, shared) else {
            return Ok(Vec::new());
        };
        let measured = after.since(before);
        self.measured = Some(measured);
        Ok(reconciled(&measured).into_iter().collect())
    }

    fn figures(&self, result: &RunResult) -> Vec<Figure> {
        let layers = self.measured.filter(|_| self.creates_only).and_then(|it| it.layers());
        let (Some(layers), Some(whole)) = (layers, mean_us(result, CREATE)) else {
            return Vec::new();
        };
        let rest = whole - layers.iter().sum::<f64>();
        let figures = LAYERS.iter().zip(layers.into_iter().chain([rest]));
        let by_sql = mean_us(result, SQL).map(|mean| Figure::new(BY_SQL, mean, "µs"));
        let mut figures: Vec<Figure> =
            figures.map(|(name, value)| Figure::new(name, value, "µs")).collect();
        figures.push(Figure::new(WHOLE, whole, "µs"));
        figures.extend(by_sql);
        figures
    }
}

/// The mean time of a type at the client.
fn mean_us(result: &RunResult, kind: usize) -> Option<f64> {
    let row = result.types.iter().find(|row| row.name == KINDS[kind].0)?;
    (row.completed > 0).then_some(row.service.mean_us)
}

/// The steps beside the whole; `None` where nothing was answered.
fn reconciled(clocks: &Clocks) -> Option<Invariant> {
    let whole = clocks.total.mean_us();
    if whole <= 0.0 {
        return None;
    }
    let steps = STEPS.iter().zip(clocks.steps);
    let mut steps: Vec<(&str, f64)> =
        steps.map(|((_, name), clock)| (*name, clock.seconds)).collect();
    if clocks.has_parts() {
        let parts = PARTS.into_iter().zip(clocks.parts.map(|clock| clock.seconds));
        steps.splice(STORE..=STORE, parts);
    }
    let mut found = String::new();
    for (name, seconds) in &steps {
        // Writing to a string cannot fail. Steps that a request did not reach cost it nothing.
        let _ = write!(found, "{name} {:.1}, ", seconds / clocks.total.count * 1e6);
    }
    let sum = steps.iter().map(|(_, seconds)| seconds).sum::<f64>();
    let _ = write!(found, "sum {:.1} of {whole:.1} µs a request", sum / clocks.total.count * 1e6);
    let missed = (clocks.total.seconds - sum).abs();
    let passed = missed <= clocks.total.seconds * MISSED + clocks.total.count * BETWEEN_S;
    Some(Invariant { name: "the server's steps add up to its whole time".into(), passed, found })
}

/// The clocks of a text in Prometheus's format.
fn clocks(text: &str, resource: &str) -> Clocks {
    let mut clocks = Clocks::default();
    let label = format!("resource=\"{resource}\"");
    for line in text.lines().filter(|line| line.contains(&label)) {
        let Some((series, value)) = line.rsplit_once(' ') else { continue };
        let Some((name, labels)) = series.split_once('{') else { continue };
        let clock = of_step(labels, &mut clocks);
        let (Some(clock), Ok(value)) = (clock, value.parse::<f64>()) else { continue };
        match name.strip_prefix("duet_step_seconds_") {
            Some("sum") => clock.seconds += value,
            Some("count") => clock.count += value,
            _ => {}
        }
    }
    clocks
}

fn of_step<'c>(labels: &str, clocks: &'c mut Clocks) -> Option<&'c mut Clock> {
    let (_, step) = labels.split_once("step=\"")?;
    let (step, _) = step.split_once('"')?;
    if step == "total" {
        return Some(&mut clocks.total);
    }
    match STEPS.iter().position(|(name, _)| *name == step) {
        Some(at) => Some(&mut clocks.steps[at]),
        None => PARTS.iter().position(|name| *name == step).map(|at| &mut clocks.parts[at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVED: [(&str, f64); 5] =
        [("authenticate", 2.0), ("route", 2.0), ("plan", 10.0), ("store", 60.0), ("write", 20.0)];
    const WRITTEN: [(&str, f64); 5] =
        [("row", 5.0), ("queue", 4.0), ("statement", 21.0), ("commit", 28.0), ("document", 2.0)];

    /// Two requests with these steps, in µs, and this total.
    fn text(steps: &[(&str, f64)], total: f64, other: &str) -> String {
        let mut text = String::from("# HELP duet_step_seconds of each step\n");
        for (step, micros) in steps.iter().chain(&[("total", total)]) {
            let labels = format!("{{application=\"a\",resource=\"/t{other}\",step=\"{step}\"}}");
            let _ = writeln!(text, "duet_step_seconds_sum{labels} {}", micros * 2e-6);
            let _ = writeln!(text, "duet_step_seconds_count{labels} 2");
            let _ = writeln!(text, "duet_step_seconds_bucket{labels} 2");
        }
        text
    }

    #[test]
    fn steps_are_compared_with_the_whole() {
        let of = |total: f64| reconciled(&clocks(&text(&SERVED, total, ""), "/t")).unwrap();
        let row = of(95.0);
        assert!(row.passed);
        assert_eq!(
            row.found,
            "token 2.0, route 2.0, JSON in 10.0, store 60.0, JSON out 20.0, sum 94.0 of 95.0 µs a request"
        );
        assert!(!of(120.0).passed);
        assert!(!of(80.0).passed);
    }

    #[test]
    fn parts_of_the_store_are_layers() {
        let all = [SERVED, WRITTEN].concat();
        let read = clocks(&text(&all, 95.0, ""), "/t");
        let row = reconciled(&read).unwrap();
        assert!(row.passed && row.found.contains("row 5.0, queue 4.0, statement 21.0"), "{row:?}");
        assert!(row.found.ends_with("sum 94.0 of 95.0 µs a request"), "{row:?}");
        assert_eq!(read.layers().unwrap().map(f64::round), [4.0, 15.0, 4.0, 21.0, 28.0, 22.0]);
        assert_eq!(clocks(&text(&SERVED, 95.0, ""), "/t").layers(), None);
    }

    #[test]
    fn another_resource_is_left_out() {
        let both = format!("{}{}", text(&SERVED, 95.0, ""), text(&SERVED, 700.0, "/more"));
        let read = clocks(&both, "/t");
        assert_eq!(read.total.mean_us().round(), 95.0);
        assert_eq!(reconciled(&read.since(read)), None);
    }
}
