//! The workload: users that run queries, or write sales.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::{
    CheckCounts, Done, Failed, TransactionType, Local, Session, Success, TransactionContext, Workload,
};
use duet_client::Moved;
use duet_client::Statement;
use duet_model::Value;
use duet_verdict::result::{Answer, CheckRow, Figure, RunResult};
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::LABEL;
use super::answer::answer_of;
use super::checks::{CHECKS, REPEATED};
use super::client::Client;
use super::queries::{Domain, QUERIES};
use super::sales::{Bounds, Sales};

/// Names and short names of the writes.
pub const SALES: [(&str, &str); 6] = [
    ("New Store Sale", "NSS"),
    ("Update Store Sale", "USS"),
    ("New Catalog Sale", "NCS"),
    ("Update Catalog Sale", "UCS"),
    ("New Web Sale", "NWS"),
    ("Update Web Sale", "UWS"),
];

/// The most answers that are remembered: more would let memory grow with the run.
const REMEMBERED: usize = 10_000;

/// The modes of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// One user runs all queries in order, repeatedly.
    Power,
    /// Each user runs all queries, in its own order.
    Throughput,
    /// Users run queries by weight.
    Mix,
    /// Users write sales by weight.
    Dml,
}

impl Mode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Throughput => "throughput",
            Self::Mix => "mix",
            Self::Dml => "dml",
        }
    }
}

/// The data that users need, for every process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The database. It may hold a password: see [`DatabaseAddress`].
    pub database: DatabaseAddress,
    /// The mode.
    pub mode: Mode,
    /// Weights of the mode's types, in order; 0 disables a type.
    pub weights: Vec<f64>,
    /// The domain of parameters.
    pub domain: Domain,
    /// The domain of keys.
    pub bounds: Bounds,
    /// The timeout of statements, which fail after it.
    pub timeout: Duration,
    /// The seed of the users' orders.
    pub seed: u64,
}

/// The workload.
#[derive(Debug)]
pub struct Retail {
    facts: Facts,
    kinds: Vec<TransactionType>,
    /// The indexes of the types that have a weight.
    enabled: Vec<usize>,
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
    checks: Arc<CheckCounts>,
}

impl Retail {
    /// Of these facts.
    ///
    /// # Errors
    /// If they do not have a weight for each type.
    pub fn new(facts: Facts) -> Result<Self, String> {
        let mut kinds = Self::kinds_of(facts.mode);
        if facts.weights.len() != kinds.len() {
            return Err(format!("{} of retail has {} types", facts.mode.name(), kinds.len()));
        }
        kinds.iter_mut().zip(&facts.weights).for_each(|(kind, weight)| kind.weight = *weight);
        let weighs = |place: &usize| kinds[*place].weight > 0.0;
        let enabled: Vec<usize> = (0..kinds.len()).filter(weighs).collect();
        if enabled.is_empty() {
            return Err("no type of retail is left to run".into());
        }
        let checks = Arc::new(CheckCounts::new(&CHECKS, kinds.len()));
        Ok(Self { facts, kinds, enabled, answers: Arc::default(), checks })
    }

    /// Short names and default weights of a mode's types.
    pub fn usual(mode: Mode) -> impl Iterator<Item = (&'static str, f64)> {
        let weight = move |class: super::Class| match mode {
            Mode::Mix => class.weight(),
            _ => 1.0,
        };
        let queries = QUERIES.iter().map(move |query| (query.short, weight(query.class)));
        let sales = SALES.iter().map(|(_, short)| (*short, 1.0));
        let is_dml = mode == Mode::Dml;
        queries.filter(move |_| !is_dml).chain(sales.filter(move |_| is_dml))
    }

    fn kinds_of(mode: Mode) -> Vec<TransactionType> {
        match mode {
            Mode::Dml => SALES.iter().map(|(name, short)| TransactionType::new(name, short, 1.0)).collect(),
            _ => {
                let kind = |query: &super::Query| {
                    let name = format!("{} {}", query.short, query.name);
                    TransactionType::new(&name, query.short, 1.0)
                };
                QUERIES.iter().map(kind).collect()
            }
        }
    }

    /// The types that run.
    pub fn len(&self) -> usize {
        self.enabled.len()
    }

    /// Whether no type runs; such a workload is never created.
    pub fn is_empty(&self) -> bool {
        self.enabled.is_empty()
    }

    /// The order of a user's queries.
    fn order(&self, user: u32) -> Vec<usize> {
        let mut order = self.enabled.clone();
        let mut random = Rng::with_seed(self.facts.seed ^ (u64::from(user) << 32));
        // Decorrelates similar seeds.
        random.fork().shuffle(&mut order);
        order
    }
}

impl Workload for Retail {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn is_blocking(&self) -> bool {
        self.facts.database.is_blocking()
    }

    fn draw(&self, user: u32, n: u64) -> Option<usize> {
        let place = usize::try_from(n % self.enabled.len() as u64).ok()?;
        match self.facts.mode {
            Mode::Power => self.enabled.get(place).copied(),
            Mode::Throughput => self.order(user).get(place).copied(),
            Mode::Mix | Mode::Dml => None,
        }
    }

    fn answers(&self) -> BTreeMap<String, Answer> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn conclude(&self, result: &mut RunResult) {
        match self.facts.mode {
            Mode::Power => result.figures.extend(mean_of_medians(self.len(), result)),
            Mode::Throughput if result.window.measured_s > 0.0 => {
                let per_hour = result.totals.completed as f64 * 3600.0 / result.window.measured_s;
                result.figures.insert(0, Figure::new("Queries per Hour", per_hour, ""));
            }
            Mode::Throughput | Mode::Mix | Mode::Dml => {}
        }
        result.warnings.push(format!("These figures are {LABEL}."));
    }

    fn open(&self, _: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let target = self.facts.database.target()?;
            let mut client = Client::open(&target, self.facts.timeout).await?;
            if self.facts.mode == Mode::Dml {
                let sales = Sales::prepare(&mut client, self.facts.bounds).await?;
                let checks = self.checks.clone();
                return Ok(Box::new(Selling { client, sales, checks }) as Box<dyn Session>);
            }
            let mut statements = Vec::new();
            for (query, kind) in QUERIES.iter().zip(&self.kinds) {
                statements.push(match kind.weight > 0.0 {
                    true => Some(client.prepare(query.sql).await?),
                    false => None,
                });
            }
            let domain = self.facts.domain.clone();
            let (answers, checks) = (self.answers.clone(), self.checks.clone());
            let asking = QuerySession { client, statements, domain, answers, checks };
            Ok(Box::new(asking) as Box<dyn Session>)
        })
    }
}

/// The geometric mean of the queries' medians, if each of them was answered.
fn mean_of_medians(queries: usize, result: &RunResult) -> Option<Figure> {
    let medians = result.types.iter().map(|row| row.service).filter(|times| times.count > 0);
    let medians: Vec<f64> = medians.map(|times| times.p50_us as f64 / 1e3).collect();
    if medians.len() < queries {
        return None;
    }
    let mean = medians.iter().map(|ms| ms.ln()).sum::<f64>() / queries as f64;
    Some(Figure::new("Geometric Mean of Medians", mean.exp(), "ms"))
}

/// A user that writes.
struct Selling {
    client: Client,
    sales: Sales,
    checks: Arc<CheckCounts>,
}

impl Session for Selling {
    fn moved(&self) -> Moved {
        self.client.moved()
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(self.sales.run(&mut self.client, kind, context, self.checks.of(kind)))
    }
}

/// A user that queries.
struct QuerySession {
    client: Client,
    /// The queries that have a weight.
    statements: Vec<Option<Statement>>,
    domain: Domain,
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
    checks: Arc<CheckCounts>,
}

impl Session for QuerySession {
    fn moved(&self) -> Moved {
        self.client.moved()
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let (Some(Some(statement)), Some(query)) =
                (self.statements.get(kind), QUERIES.get(kind))
            else {
                return Err(Failed::check("this query does not run in this run"));
            };
            let values = (query.draw)(&self.domain, &mut context.random);
            let rows = self.client.query(statement, &values, &mut context.work).await?;
            // Outside of a transaction each statement commits.
            context.work.dml.commits += 1;
            let answer = answer_of(&rows);
            let success = if answer.rows == 0 { Success::Empty } else { Success::Ok };
            if let Some(is_same) = self.is_as_before(query.short, &values, &answer) {
                self.checks.of(kind).hold(REPEATED, is_same)?;
            }
            Ok(success)
        })
    }
}

impl QuerySession {
    /// Remembers the first answer, and compares later ones with it; `None` if there is none to
    /// compare with.
    fn is_as_before(&self, short: &str, values: &[Value], answer: &Answer) -> Option<bool> {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        let question = format!("{short} {}", values.join(", "));
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = answers.get(&question) {
            return Some(first == answer);
        }
        if answers.len() < REMEMBERED {
            answers.insert(question, answer.clone());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::{Percentiles, TypeResult};

    use super::*;

    #[test]
    fn weights_of_modes() {
        let mix: Vec<_> = Retail::usual(Mode::Mix).collect();
        assert_eq!(
            (mix.len(), mix[0], mix[3], mix[17]),
            (18, ("D01", 10.0), ("D04", 4.0), ("D18", 1.0))
        );
        let dml: Vec<_> = Retail::usual(Mode::Dml).collect();
        assert_eq!((dml.len(), dml[1]), (6, ("USS", 1.0)));
    }

    #[test]
    fn a_mean_needs_all_queries() {
        let row = |p50_us| TypeResult {
            service: Percentiles { count: 3, p50_us, ..Percentiles::default() },
            ..TypeResult::default()
        };
        let result = RunResult { types: vec![row(2_000), row(8_000)], ..RunResult::default() };
        let mean = mean_of_medians(2, &result).unwrap();
        assert!((mean.value - 4.0).abs() < 1e-9 && mean.unit == "ms", "{mean:?}");
        assert_eq!(mean_of_medians(3, &result), None);
    }
}
