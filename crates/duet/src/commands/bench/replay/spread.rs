//! How the requests of a run were spread over the instances of a server: their counts in `/admin/instances`, before the
//! run and after it.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::run::{Merged, Proof};
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::workload::Failed;
use duet_verdict::result::{Figure, Invariant, RunResult};
use serde_json::Value;

use crate::runtime::runtime;

/// A reading that takes longer fails.
const PATIENCE: Duration = Duration::from_secs(5);

/// The figure, by its name in results.
const NAME: &str = "Busiest instance ÷ least";

/// Requests that each instance answered, by its number.
type Counts = BTreeMap<u64, u64>;

/// Reads the counts around a run, beside what the workload itself proves.
pub(in crate::commands::bench) struct Spread {
    url: Url,
    authorization: Option<String>,
    inner: Option<Box<dyn Proof>>,
    before: Counts,
    factor: Option<f64>,
}

impl Spread {
    /// Of a server at this URL.
    pub(in crate::commands::bench) fn new(
        url: Url,
        authorization: Option<String>,
        inner: Option<Box<dyn Proof>>,
    ) -> Self {
        Self { url, authorization, inner, before: Counts::new(), factor: None }
    }

    async fn read(&self) -> Result<Counts, Failed> {
        let url = self.url.at("/admin/instances");
        let mut connection = HttpConnection::open(&url, PATIENCE).await?;
        let authorization = match &self.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let request =
            format!("GET {} HTTP/1.1\r\nHost: {}\r\n{authorization}\r\n", url.path, url.host);
        let mut cost = TransactionCost::default();
        let answer = connection.exchange(request.as_bytes(), &mut cost).await?;
        match answer.status {
            200 => Ok(counts(&serde_json::from_slice(answer.body).unwrap_or_default())),
            status => Err(Failed::check(format!("GET /admin/instances is {status}"))),
        }
    }

    fn read_now(&self) -> Result<Counts, Failed> {
        let runtime = runtime().map_err(|error| Failed::check(error.message))?;
        runtime.block_on(self.read())
    }
}

impl Proof for Spread {
    fn before(&mut self) -> Result<(), Failed> {
        self.before = self.read_now()?;
        self.factor = None;
        self.inner.as_mut().map_or(Ok(()), |inner| inner.before())
    }

    fn second(&mut self, merged: &Merged) {
        if let Some(inner) = &mut self.inner {
            inner.second(merged);
        }
    }

    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed> {
        self.factor = factor(&self.before, &self.read_now()?);
        self.inner.as_mut().map_or(Ok(Vec::new()), |inner| inner.after(shared))
    }

    fn figures(&self, result: &RunResult) -> Vec<Figure> {
        let mut figures = self.inner.as_ref().map_or(Vec::new(), |inner| inner.figures(result));
        figures.extend(self.factor.map(|factor| Figure::new(NAME, factor, "×")));
        figures
    }
}

/// What each instance has answered.
fn counts(body: &Value) -> Counts {
    let count = |it: &Value| {
        let of = |name: &str| it[name].as_u64().unwrap_or(0);
        Some((it["instance"].as_u64()?, of("succeeded") + of("refused") + of("failed")))
    };
    body["instances"].as_array().into_iter().flatten().filter_map(count).collect()
}

/// The work of the busiest instance in units of that of the least busy one; `None` where one did nothing.
fn factor(before: &Counts, after: &Counts) -> Option<f64> {
    let grown = after.iter().map(|(number, count)| {
        count.saturating_sub(before.get(number).copied().unwrap_or_default())
    });
    let grown: Vec<u64> = grown.collect();
    let (least, most) = (grown.iter().min()?, grown.iter().max()?);
    (*least > 0).then(|| *most as f64 / *least as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_work_of_a_run_is_compared() {
        let read = |a: u64, b: u64| {
            counts(&json!({ "instances": [
                { "instance": 1, "succeeded": a, "refused": 1, "failed": 0 },
                { "instance": 2, "succeeded": b, "refused": 0, "failed": 2 },
            ] }))
        };
        assert_eq!(factor(&read(10, 10), &read(110, 160)), Some(1.5));
        assert_eq!(factor(&read(10, 10), &read(110, 10)), None, "one did nothing");
        assert_eq!(factor(&Counts::new(), &Counts::new()), None);
    }
}
