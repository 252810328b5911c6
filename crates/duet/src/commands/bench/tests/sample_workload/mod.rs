//! A workload in one folder: its data, its option, its transaction and its invariant. The test
//! registers it and finds it everywhere: in the help, in `duet load`, in runs, in reports.

use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use duet_bench::observe::Watched;
use duet_bench::run::{Job, Merged, Prepared, Proof};
use duet_bench::targets::sql::{DatabaseAddress, SESSION};
use duet_bench::workload::{
    CheckCounts, Configured, Done, Failed, Local, Session, Success, TransactionContext,
    TransactionType, Workload, WorkloadFacts, cannot,
};
use duet_client::{Connection, Statement};
use duet_model::{Result as DuetResult, Value};
use duet_verdict::result::{CheckRow, Invariant, RunResult};
use duet_workloads::built_in::{BuiltIn, Host, Request, Run, Targets};
use duet_workloads::flag::{Flag, FlagValues, Values};
use duet_workloads::generate::schema::{ColumnDefinition, Table, big};
use duet_workloads::generate::{DataSet, DataSource, Filled};
use duet_workloads::registry;
use serde::{Deserialize, Serialize};

use crate::args::Cli;
use crate::report::Outcome;

const COLUMNS: &[ColumnDefinition] = &[big("id").required(), big("price").required()];
const FRUIT: Table = Table::new("fruit", COLUMNS, &["id"]);
const READ: &str = include_str!("read.sql");
const COUNT: &str = include_str!("count.sql");

/// The fruit whose price is read; there are a hundred.
const ONLY: Flag = Flag {
    name: "only",
    placeholder: "ID",
    help: "Read the price of this fruit alone",
    default: None,
    values: Values::Whole(1, 100),
};

#[derive(Clone, Copy, Debug)]
struct Entry;

impl DataSource for Entry {
    fn name(&self) -> &'static str {
        "fruit-shop"
    }

    fn metadata(&self) -> &'static str {
        "fruit_metadata"
    }

    fn make(&self, scale: f64, seed: u64, _given: &FlagValues) -> DataSet {
        let fruit = Filled::rows(&FRUIT, 100, |row, sink| {
            let id = row as i64 + 1;
            sink.int(id);
            sink.int(id * 3);
        });
        DataSet {
            name: "fruit-shop",
            metadata: "fruit_metadata",
            scale,
            seed,
            choices: Vec::new(),
            unasked: Vec::new(),
            tables: vec![fruit],
            views: &[],
            sequences: Vec::new(),
            bounds: Vec::new(),
            rules: &[],
        }
    }
}

impl BuiltIn for Entry {
    fn name(&self) -> &'static str {
        "fruit-shop"
    }

    fn data(&self) -> Option<&'static dyn DataSource> {
        Some(&Self)
    }

    fn runs(&self) -> &'static [Run] {
        const RUNS: &[Run] = &[Run {
            name: "fruit-prices",
            targets: Targets::Databases,
            timeout: Duration::from_secs(45),
            example: "--only 7",
            configurations: &[],
        }];
        RUNS
    }

    fn flags(&self) -> &'static [Flag] {
        &[ONLY]
    }

    fn prepare(&self, request: &Request, host: &mut dyn Host) -> DuetResult<Prepared> {
        let database = request.database(host, &Self, 1.0)?;
        let facts = Prices { database: database.clone(), only: request.given.whole(&ONLY) };
        let unfit = |failed| cannot("The fruit shop cannot run", &failed);
        let job = Job::built_in(facts);
        let workload = job.workload().map_err(unfit)?;
        let target = database.facts();
        Ok(Prepared {
            watched: Watched::of_database(&database, workload).map_err(unfit)?,
            proof: Some(Box::new(SameCount { database, before: None })),
            ..Prepared::new("fruit-prices", job, target)
        })
    }

    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>> {
        Ok(Box::new(serde_json::from_str::<Prices>(facts)?))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Prices {
    database: DatabaseAddress,
    only: Option<u64>,
}

impl WorkloadFacts for Prices {
    const NAME: &'static str = "fruit-shop";

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let kinds = vec![TransactionType::new("Read a price", "PRICE", 1.0)];
        Ok(Arc::new(Shop {
            facts: self.clone(),
            checks: Arc::new(CheckCounts::new(&["is right"], 1)),
            kinds,
        }))
    }
}

struct Shop {
    facts: Prices,
    kinds: Vec<TransactionType>,
    checks: Arc<CheckCounts>,
}

impl Workload for Shop {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn is_blocking(&self) -> bool {
        self.facts.database.is_blocking()
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn open(&self, _user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let mut connection = Connection::open(&self.facts.database.target()?, SESSION).await?;
            let read = connection.prepare(READ).await?;
            let (only, checks) = (self.facts.only, self.checks.clone());
            Ok(Box::new(Buyer { connection, read, only, checks }) as Box<dyn Session>)
        })
    }
}

struct Buyer {
    connection: Connection,
    read: Statement,
    only: Option<u64>,
    checks: Arc<CheckCounts>,
}

impl Session for Buyer {
    fn run<'a>(&'a mut self, _kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let id = self.only.unwrap_or_else(|| context.random.u64(1..=100)) as i64;
            let rows = self.connection.query(&self.read, &[Value::Int(id)]).await?;
            context.work.dml.selects += 1;
            context.work.implicit += 1;
            self.checks.of(0).hold(0, rows.first_int(0) == Some(id * 3))?;
            Ok(Success::Ok)
        })
    }
}

/// No fruit is added or removed.
struct SameCount {
    database: DatabaseAddress,
    before: Option<i64>,
}

impl SameCount {
    fn count(&self) -> Result<Option<i64>, Failed> {
        let target = self.database.target()?;
        crate::runtime::runtime().unwrap().block_on(async {
            let mut connection = Connection::open(&target, "test").await?;
            Ok(connection.ask(COUNT, &[]).await?.first_int(0))
        })
    }
}

impl Proof for SameCount {
    fn before(&mut self) -> Result<(), Failed> {
        self.before = self.count()?;
        Ok(())
    }

    fn second(&mut self, _merged: &Merged) {}

    fn after(&mut self, _shared: bool) -> Result<Vec<Invariant>, Failed> {
        let (passed, found) = (self.count()? == self.before, format!("{:?}", self.before));
        Ok(vec![Invariant { name: "no fruit is lost".into(), passed, found }])
    }
}

/// Runs a command line.
fn duet(words: &[&str]) -> Outcome {
    let typed = ["duet"].iter().chain(words);
    crate::commands::run(Cli::try_parse_from(typed).unwrap().command)
}

fn help(words: &[&str]) -> String {
    let typed = ["duet"].iter().chain(words).chain(&["--help"]);
    Cli::try_parse_from(typed).unwrap_err().to_string()
}

fn message(outcome: Outcome) -> String {
    let error = outcome.unwrap_err().coded().unwrap();
    format!("{} {}", error.message, error.hint.unwrap_or_default())
}

#[test]
fn a_registered_workload_is_listed_runs_and_is_reported() {
    registry::register(&Entry);
    let listed = help(&["bench", "run"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "soe-rest-client, retail, lookup, txn, ingest, orders, fruit-prices, or a file",
        "of fruit-prices 45s",
        "Options of the workload fruit-shop: --only <ID> Read the price of this fruit alone",
        "duet bench run fruit-prices --only 7",
    ] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    assert!(help(&["bench", "load"]).contains("fruit-shop"));
    let refusal = message(duet(&["bench", "run", "rest", "--only", "1"]));
    assert!(refusal.starts_with("`--only` is for the workload fruit-shop."), "{refusal}");
    let refusal = message(duet(&["bench", "run", "vegetables"]));
    assert!(
        refusal.contains("lookup, txn, ingest, orders, fruit-prices, and files of your own"),
        "{refusal}"
    );

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (database, out) = (format!("sqlite:{}", path("fruit.db")), path("run"));
    let refusal = message(duet(&["bench", "run", "fruit-prices", "--target", &database]));
    assert!(refusal.contains("`duet bench load fruit-shop --database"), "{refusal}");
    duet(&["bench", "load", "fruit-shop", "--database", &database]).unwrap();
    duet(&["bench", "validate", "fruit-shop", "--database", &database]).unwrap();
    let words =
        ["bench", "run", "fruit-prices", "--only", "7", "--iterations", "20", "--out", &out];
    duet(&[&words[..], &["--quiet", "--target", &database]].concat()).unwrap();

    let text = std::fs::read_to_string(folder.path().join("run/result.json")).unwrap();
    let result = RunResult::from_json(&text, "result.json").unwrap();
    assert_eq!(result.workload, "fruit-prices");
    assert_eq!(result.totals.completed, 8 * 20);
    assert_eq!((result.checks[0].passed, result.checks[0].failed), (8 * 20, 0));
    assert!(result.invariants[0].passed && result.invariants[0].name == "no fruit is lost");
    let page = path("page.html");
    duet(&["bench", "report", &out, "--out", &page]).unwrap();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("fruit-prices") && page.contains("Read a price"));
    // Without a target it creates its own data.
    let words = ["bench", "run", "fruit-prices", "--iterations", "5", "--quiet", "--out"];
    duet(&[&words[..], &[&path("own")]].concat()).unwrap();
}
