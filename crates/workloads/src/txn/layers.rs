//! What each step of a request costs in the server, from its own clocks in `/metrics`: read before and after a run.

use std::fmt::Write as _;
use std::time::Duration;

use duet_bench::record::Work;
use duet_bench::run::{Merged, Proof};
use duet_bench::targets::http::{Connection, Url};
use duet_bench::workload::Failed;
use duet_verdict::result::Invariant;

use crate::blocking;

/// The steps of a request, in their order, with what they are here.
const STEPS: [(&str, &str); 5] = [
    ("authenticate", "token"),
    ("route", "route"),
    ("plan", "JSON in"),
    ("store", "queue, statement and commit"),
    ("write", "JSON out"),
];

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
    total: Clock,
    /// The wait in the queues before the store, of all resources.
    queue: Clock,
}

impl Clocks {
    fn since(self, earlier: Self) -> Self {
        let step = |place: usize| self.steps[place].since(earlier.steps[place]);
        Self {
            steps: std::array::from_fn(step),
            total: self.total.since(earlier.total),
            queue: self.queue.since(earlier.queue),
        }
    }
}

/// Reads the clocks around a run.
#[derive(Debug)]
pub(super) struct Layers {
    url: Url,
    authorization: Option<String>,
    before: Option<Clocks>,
}

impl Layers {
    /// Of the resource at a URL.
    pub(super) fn new(url: Url, authorization: Option<String>) -> Self {
        Self { url, authorization, before: None }
    }

    /// The clocks now; `None` of a server that has none.
    async fn read(&self) -> Result<Option<Clocks>, Failed> {
        let url = self.url.at("/metrics");
        let mut connection = Connection::open(&url, PATIENCE).await?;
        let authorization = match &self.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n{authorization}\r\n", url.host);
        let answer = connection.exchange(request.as_bytes(), &mut Work::default()).await?;
        let text = String::from_utf8_lossy(answer.body);
        Ok((answer.status == 200).then(|| clocks(&text, self.url.path.trim_end_matches('/'))))
    }
}

impl Proof for Layers {
    fn before(&mut self) -> Result<(), Failed> {
        let read = blocking(self.read()).map_err(|error| Failed::check(error.message))?;
        self.before = read?;
        Ok(())
    }

    fn second(&mut self, _: &Merged) {}

    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed> {
        let read = blocking(self.read()).map_err(|error| Failed::check(error.message))?;
        let (Some(before), Some(after), false) = (self.before, read?, shared) else {
            return Ok(Vec::new());
        };
        Ok(reconciled(after.since(before)).into_iter().collect())
    }
}

/// The steps beside the whole; `None` where nothing was answered.
fn reconciled(clocks: Clocks) -> Option<Invariant> {
    let whole = clocks.total.mean_us();
    if whole <= 0.0 {
        return None;
    }
    let mut found = String::new();
    for ((_, name), clock) in STEPS.iter().zip(clocks.steps) {
        // Writing to a string cannot fail. Steps that a request did not reach cost it nothing.
        let _ = write!(found, "{name} {:.1}, ", clock.seconds / clocks.total.count * 1e6);
    }
    let sum = clocks.steps.iter().map(|clock| clock.seconds).sum::<f64>();
    let _ = write!(
        found,
        "sum {:.1} of {whole:.1} µs a request; wait in queues {:.1} µs",
        sum / clocks.total.count * 1e6,
        clocks.queue.mean_us()
    );
    let missed = (clocks.total.seconds - sum).abs();
    let passed = missed <= clocks.total.seconds * MISSED + clocks.total.count * BETWEEN_S;
    Some(Invariant { name: "the server's steps add up to its whole time".into(), passed, found })
}

/// The clocks of a text in Prometheus's format.
fn clocks(text: &str, resource: &str) -> Clocks {
    let mut clocks = Clocks::default();
    let label = format!("resource=\"{resource}\"");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((series, value)) = line.rsplit_once(' ') else { continue };
        let (Some((name, labels)), Ok(value)) = (series.split_once('{'), value.parse::<f64>())
        else {
            continue;
        };
        let (clock, unit) = match name.strip_prefix("duet_step_seconds_") {
            Some(unit) if labels.contains(&label) => match of_step(labels, &mut clocks) {
                Some(clock) => (clock, unit),
                None => continue,
            },
            _ => match name.strip_prefix("duet_queue_wait_seconds_") {
                Some(unit) => (&mut clocks.queue, unit),
                None => continue,
            },
        };
        match unit {
            "sum" => clock.seconds += value,
            "count" => clock.count += value,
            _ => {}
        }
    }
    clocks
}

fn of_step<'c>(labels: &str, clocks: &'c mut Clocks) -> Option<&'c mut Clock> {
    if labels.contains("step=\"total\"") {
        return Some(&mut clocks.total);
    }
    let is_named = |(step, _): &(&str, &str)| labels.contains(&format!("step=\"{step}\""));
    STEPS.iter().position(is_named).map(|place| &mut clocks.steps[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two requests: 2, 2, 10, 60 and 20 µs in the steps of each.
    fn text(total: f64, other: &str) -> String {
        let mut text = String::from("# HELP duet_step_seconds of each step\n");
        for (step, micros) in [
            ("authenticate", 2.0),
            ("route", 2.0),
            ("plan", 10.0),
            ("store", 60.0),
            ("write", 20.0),
            ("total", total),
        ] {
            let labels = format!("{{application=\"a\",resource=\"/t{other}\",step=\"{step}\"}}");
            let _ = writeln!(text, "duet_step_seconds_sum{labels} {}", micros * 2e-6);
            let _ = writeln!(text, "duet_step_seconds_count{labels} 2");
            let _ = writeln!(text, "duet_step_seconds_bucket{labels} 2");
        }
        text.push_str("duet_queue_wait_seconds_sum{queue=\"insert\"} 0.00001\n");
        text.push_str("duet_queue_wait_seconds_count{queue=\"insert\"} 2\n");
        text
    }

    #[test]
    fn steps_are_compared_with_the_whole() {
        let of = |total: f64| reconciled(clocks(&text(total, ""), "/t")).unwrap();
        let row = of(95.0);
        assert!(row.passed);
        assert_eq!(
            row.found,
            "token 2.0, route 2.0, JSON in 10.0, queue, statement and commit 60.0, JSON out 20.0, \
             sum 94.0 of 95.0 µs a request; wait in queues 5.0 µs"
        );
        assert!(!of(120.0).passed);
        assert!(!of(80.0).passed);
    }

    #[test]
    fn another_resource_is_left_out() {
        let read = clocks(&format!("{}{}", text(95.0, ""), text(700.0, "/more")), "/t");
        assert_eq!(read.total.mean_us().round(), 95.0);
        assert_eq!(reconciled(read.since(read)), None);
    }
}
