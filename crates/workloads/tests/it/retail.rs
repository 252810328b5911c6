//! Tests of retail's queries and modes: both stores return the same, and every mode works as
//! documented.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use duet_bench::run::{Assembly, ChildProcesses, Job, Plan, prepare};
use duet_bench::targets::sql::DatabaseAddress;
use duet_model::Value;
use duet_testkit::postgres::Server;
use duet_verdict::result::{Answer, RunResult};
use duet_workloads::flag::FlagValues;
use duet_workloads::generate::load::{DataLoadOptions, load};
use duet_workloads::generate::validate::validate;
use duet_workloads::generate::{DataSet, DataSource};
use duet_workloads::retail;
use duet_workloads::retail::{
    Client, Domain, Facts, LABEL, Mode, QUERIES, Query, answer_of, discover,
};
use fastrand::Rng;

const TIMEOUT: Duration = Duration::from_secs(120);

fn sqlite(folder: &tempfile::TempDir) -> DatabaseAddress {
    let path = folder.path().join("retail.sqlite");
    DatabaseAddress::Sqlite { path, synchronous: "off".into() }
}

fn postgres(name: &str) -> DatabaseAddress {
    DatabaseAddress::Postgres(Server::shared().database(name).url())
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Tiny data, with the first weeks of the inventory.
fn data(scale: f64, inventory_weeks: u64) -> DataSet {
    let mut given = FlagValues::default();
    given.insert("inventory", if inventory_weeks > 0 { "1" } else { "0" });
    let mut set = retail::Entry.make(scale, 7, &given);
    if let Some(last) = set.tables.last_mut()
        && inventory_weeks > 0
    {
        last.units = inventory_weeks * 900 * 5;
        last.rows = last.units;
    }
    set
}

fn fill(database: &DatabaseAddress, set: &DataSet) {
    let target = database.target().unwrap();
    let options = DataLoadOptions { threads: 2, replace: false };
    load(&target, &retail::Entry, set, options, &|_| {}).unwrap();
}

fn facts(database: &DatabaseAddress, mode: Mode) -> Facts {
    let found = block_on(discover(database, mode, TIMEOUT, 1)).unwrap();
    assert_eq!(found.data["retail"], LABEL);
    found.facts
}

fn plan(users: u32, iterations: u64) -> Plan {
    Plan { iterations: Some(iterations), timeout: TIMEOUT, ..Plan::closed(1, users) }
}

fn run(facts: &Facts, plan: &Plan) -> RunResult {
    let job = Job::built_in(facts.clone());
    let workload = job.workload().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let ready = prepare(plan, &job, &ChildProcesses(|| Command::new("nothing")), &stop).unwrap();
    let mut assembly = Assembly::new(plan, workload.kinds());
    let mut running = ready.go();
    while let Some(merged) = running.next_second() {
        assembly.second(&merged);
    }
    let mut result = assembly.result(&mut running.into_collector(), Duration::ZERO, None);
    workload.conclude(&mut result);
    assert_eq!(result.totals.failed, 0, "{:?}", result.failures);
    assert!(result.warnings.iter().any(|warning| warning.contains(LABEL)));
    result
}

fn figure(result: &RunResult, name: &str) -> f64 {
    result.figures.iter().find(|figure| figure.name == name).unwrap().value
}

/// Parameters of a query: random ones, and some for which rare rows match.
fn parameters(query: &Query, domain: &Domain) -> Vec<Vec<Value>> {
    let mut random = Rng::with_seed(5);
    let mut all: Vec<Vec<Value>> = (0..3).map(|_| (query.draw)(domain, &mut random)).collect();
    match query.short {
        // All days, and revenues that may differ by a factor of ten.
        "D16" => all.push([domain.sold[0], 1_826, 900].map(Value::Int).into()),
        "D09" => {
            let counties = domain.counties.iter().take(3).cloned().map(Value::Text);
            all.push(std::iter::once(Value::Int(1999)).chain(counties).collect());
        }
        _ => {}
    }
    all
}

/// The answers of all queries.
fn answers(database: &DatabaseAddress) -> BTreeMap<String, Answer> {
    let mut domain = facts(database, Mode::Mix).domain;
    // Ten weeks were loaded.
    domain.stocked[1] = domain.stocked[0] + 70;
    block_on(async {
        let mut client = Client::open(&database.target().unwrap(), TIMEOUT).await.unwrap();
        let mut answers = BTreeMap::new();
        for query in &QUERIES {
            let statement = client.prepare(query.sql).await.unwrap();
            for (number, values) in parameters(query, &domain).iter().enumerate() {
                let work = &mut Default::default();
                let rows = client.query(&statement, values, work).await.unwrap();
                assert!(rows.rows.len() <= 100, "{}", query.short);
                answers.insert(format!("{} {number}: {values:?}", query.short), answer_of(&rows));
                let explained = client.explain(query.sql, values).await.unwrap();
                let plan = explained.join("\n").to_lowercase();
                assert!(
                    plan.contains("scan") || plan.contains("search"),
                    "{}: {plan}",
                    query.short
                );
            }
        }
        answers
    })
}

#[test]
fn both_stores_answer_every_query_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (file, server) = (sqlite(&folder), postgres("retail_queries"));
    let set = data(0.01, 10);
    std::thread::scope(|scope| {
        scope.spawn(|| fill(&file, &set));
        scope.spawn(|| fill(&server, &set));
    });
    let (ours, theirs) = (answers(&file), answers(&server));
    for (question, answer) in &ours {
        assert_eq!(theirs.get(question), Some(answer), "{question}");
    }
    assert_eq!(ours.len(), theirs.len());
    for query in &QUERIES {
        let found =
            ours.iter().any(|(key, answer)| key.starts_with(query.short) && answer.rows > 0);
        assert!(found, "{} finds nothing", query.short);
    }
}

/// Each user has its own order, which is the same every time.
fn orders(facts: &Facts) {
    let order = || -> Vec<Vec<usize>> {
        let workload = Job::built_in(facts.clone()).workload().unwrap();
        let of = |user| (0..17).map(|n| workload.draw(user, n).unwrap()).collect();
        (0..3).map(of).collect()
    };
    let orders = order();
    assert_eq!(orders, order());
    assert!(orders[0] != orders[1] && orders[1] != orders[2]);
    for mut order in orders {
        order.sort_unstable();
        assert_eq!(order, (0..17).collect::<Vec<_>>());
    }
}

/// All modes, on small data without inventory.
fn modes(database: &DatabaseAddress) {
    fill(database, &data(0.001, 0));
    let mut power = plan(1, 34);
    power.uncounted = 17;
    let result = run(&facts(database, Mode::Power), &power);
    assert_eq!(result.totals.completed, 17);
    // Two passes; with few years some queries repeat.
    assert!((18..=34).contains(&result.answers.len()), "{:?}", result.answers);
    assert!(result.types[..17].iter().all(|row| row.completed == 1), "{:?}", result.types);
    assert!(figure(&result, "Geometric Mean of Medians") > 0.0);
    // Figures exclude the earlier runs.
    assert!(result.window.from_s > 0.0 && result.window.measured_s > 0.0);

    let throughput = facts(database, Mode::Throughput);
    orders(&throughput);
    let result = run(&throughput, &plan(3, 17));
    assert_eq!(result.totals.completed, 51);
    assert!(result.types[..17].iter().all(|row| row.completed == 3), "{:?}", result.types);
    assert!(figure(&result, "Queries per Hour") > 0.0);
    let fairness = figure(&result, "Fairness of Users (Jain)");
    assert!((1.0 / 3.0..=1.000_001).contains(&fairness), "{fairness}");
    assert!(figure(&result, "Slowest User") <= figure(&result, "Makespan"));

    let mut mix = plan(2, 15);
    mix.think = [Duration::from_millis(1); 2];
    let result = run(&facts(database, Mode::Mix), &mix);
    assert_eq!(result.totals.completed, 30);
    assert!(figure(&result, "Think-time Ceiling") >= result.totals.tps);

    let result = run(&facts(database, Mode::Dml), &plan(2, 40));
    assert_eq!(result.totals.completed, 80);
    let dml = &result.totals.dml;
    assert!(dml.inserts > 0 && dml.updates > 0 && dml.inserts + dml.updates == dml.commits);
    let checks = validate(&database.target().unwrap(), &retail::Entry).unwrap();
    let broken: Vec<&str> =
        checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
    // Rows were added and prices changed; references and rules still hold.
    let expected = |name: &str| name.starts_with("rows of ") || name.starts_with("sum of ");
    assert!(!broken.is_empty() && broken.iter().all(|name| expected(name)), "{broken:?}");
}

#[test]
fn modes_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    modes(&sqlite(&folder));
}

#[test]
fn modes_on_postgres() {
    modes(&postgres("retail_modes"));
}

/// A query that times out is a failure of its own kind, and the user continues.
fn too_slow(database: &DatabaseAddress) {
    fill(database, &data(0.001, 0));
    let mut facts = facts(database, Mode::Power);
    facts.timeout = Duration::from_millis(1);
    let job = Job::built_in(facts);
    let plan = plan(1, 17);
    let stop = Arc::new(AtomicBool::new(false));
    let ready = prepare(&plan, &job, &ChildProcesses(|| Command::new("nothing")), &stop).unwrap();
    let mut running = ready.go();
    while running.next_second().is_some() {}
    let collector = running.into_collector();
    let totals = collector.totals();
    assert_eq!(totals.whole.iter().sum::<u64>(), 17);
    assert!(totals.failures.keys().all(|(_, outcome, _)| outcome.name() == "timeout"));
    assert!(!totals.failures.is_empty());
}

#[test]
fn slow_queries_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    too_slow(&sqlite(&folder));
}

#[test]
fn a_missing_inventory_is_reported_where_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(&folder);
    fill(&database, &data(0.001, 0));
    let mut found = block_on(discover(&database, Mode::Mix, TIMEOUT, 1)).unwrap();
    assert!(found.allowed().is_ok());
    found.facts.weights[17] = 1.0;
    let refused = found.allowed().unwrap_err();
    assert!(refused.message.contains("`duet bench load retail --inventory`"), "{refused:?}");
    found.has_inventory = true;
    assert!(found.allowed().is_ok());
}

#[test]
fn missing_data_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let refused = block_on(discover(&sqlite(&folder), Mode::Mix, TIMEOUT, 1)).unwrap_err();
    assert!(refused.message.contains("`duet bench load retail` creates it"), "{refused:?}");
}
