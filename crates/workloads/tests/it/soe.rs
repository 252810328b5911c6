//! Tests of order entry's transactions: what each does and counts, on both stores, from both sides;
//! and that runs preserve the invariants.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use duet_bench::record::{ProcessTotals, TransactionCost};
use duet_bench::run::{ChildProcesses, Job, Phases, Plan, prepare};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{
    Configured, Done, MixOptions, Session, Success, TransactionContext, Workload,
};
use duet_client::Connection;
use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_verdict::outcome::Outcome;
use duet_verdict::result::{CheckRow, Dml};
use duet_workloads::flag::FlagValues;
use duet_workloads::generate::DataSource;
use duet_workloads::generate::load::{DataLoadOptions as Load, load};
use duet_workloads::soe::{
    DataCounts, Facts, KINDS, RunCounts, Side, Soe, SoeOptions, after, before, discover,
    prepare_functions,
};
use duet_workloads::{registry, soe};
use tempfile::TempDir;

// The indexes of the types in [`KINDS`].
const NCR: usize = 0;
const UCD: usize = 1;
const BP: usize = 2;
const OP: usize = 3;
const PO: usize = 4;
const BO: usize = 5;
const SQ: usize = 6;
const WQ: usize = 7;
const WA: usize = 8;

/// The data of order entry, at a tiny scale, in its own database.
fn fill(database: &DatabaseAddress) {
    let given = FlagValues::default().with(&soe::UNTIL, "2025-01-01");
    let set = soe::Entry.make(0.000_3, 7, &given);
    let options = Load { threads: 2, replace: false };
    load(&database.target().unwrap(), &soe::Entry, &set, options, &|_: &_| {}).unwrap();
}

fn sqlite(folder: &TempDir) -> DatabaseAddress {
    let path = folder.path().join("soe.sqlite");
    let database = DatabaseAddress::Sqlite { path, synchronous: "normal".into() };
    fill(&database);
    database
}

fn postgres(name: &str) -> DatabaseAddress {
    let database = DatabaseAddress::Postgres(Server::shared().database(name).url());
    fill(&database);
    database
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn connect(database: &DatabaseAddress) -> Connection {
    Connection::open(&database.target().unwrap(), "test").await.unwrap()
}

async fn facts(database: &DatabaseAddress, options: &SoeOptions) -> Facts {
    discover(database, options).await.unwrap()
}

/// Runs one type after the other as one user, and returns the outcomes.
struct User {
    workload: Soe,
    session: Box<dyn Session>,
    context: TransactionContext,
    made: RunCounts,
}

impl User {
    async fn open(facts: &Facts) -> Self {
        let workload = Soe::new(facts.clone()).unwrap();
        let session = workload.open(0).await.unwrap();
        let context = TransactionContext::new(1);
        Self { workload, session, context, made: RunCounts::default() }
    }

    async fn run(&mut self, kind: usize) -> (Done, TransactionCost) {
        self.context.work = TransactionCost::default();
        let done = self.session.run(kind, &mut self.context).await;
        let work = self.context.work;
        self.made.count(kind, u64::from(done.is_ok()), u64::from(done.is_err()), &work.dml);
        (done, work)
    }
}

/// Selects, inserts, updates, commits; nothing is deleted or rolled back.
fn counts(dml: &Dml) -> [u64; 4] {
    assert_eq!((dml.deletes, dml.rollbacks), (0, 0));
    [dml.selects, dml.inserts, dml.updates, dml.commits]
}

async fn holds(database: &DatabaseAddress, snapshot: &DataCounts, made: &RunCounts, facts: &Facts) {
    let mut connection = connect(database).await;
    let rows = after(&mut connection, snapshot, made, facts).await.unwrap();
    assert!(rows.len() >= 7 && rows.iter().all(|row| row.passed), "{rows:#?}");
    // These invariants can fail: an extra order, a lost piece, an unregistered customer.
    let broken = RunCounts::default();
    let rows = after(&mut connection, snapshot, &broken, facts).await.unwrap();
    assert!(rows.iter().any(|row| !row.passed), "{rows:#?}");
}

/// Waits until PostgreSQL has counted as many updates as the transactions report.
async fn updates_are_counted(database: &DatabaseAddress, declared: u64) {
    if database.is_blocking() {
        return;
    }
    let mut connection = connect(database).await;
    let sql = "SELECT sum(n_tup_upd)::bigint FROM pg_stat_user_tables WHERE schemaname = 'soe' \
        AND relname <> 'orderentry_metadata'";
    let statement = connection.prepare(sql).await.unwrap();
    let declared = i64::try_from(declared).unwrap();
    let began = std::time::Instant::now();
    // A session publishes its counts when it ends, or some time before.
    loop {
        let counted = connection.query(&statement, &[]).await.unwrap().first_int(0).unwrap();
        assert!(counted <= declared, "{counted} > {declared}");
        if counted == declared {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{counted} < {declared}");
    }
}

/// The counts of a client's transactions, according to the original's tables.
fn expected_of_client(kind: usize, success: Success, dml: &Dml) -> [u64; 4] {
    let empty = success == Success::Empty;
    let (looks, items) = (dml.selects, dml.inserts.saturating_sub(2));
    match kind {
        NCR => [2, 4, 0, 2],
        UCD if empty => [1, 0, 0, 1],
        UCD => [1, 1, 1, 1],
        BP => [looks.clamp(2, 24), 0, 0, 0],
        OP if empty => [looks.clamp(4, 26), 1, 0, 1],
        OP => [looks.clamp(5, 27), 2 + items.clamp(1, 2), 1 + items, 2],
        PO if empty => [1, 0, 0, 0],
        PO => [1, 0, 1, 1],
        BO if empty => [3, 1, 0, 2],
        BO => [4, 1, 2, 2],
        _ => [1, 0, 0, 0],
    }
}

/// Runs every type until it finds something to do; `check` receives each one's counts.
async fn every_type(
    database: &DatabaseAddress,
    facts: &Facts,
    check: impl Fn(usize, Success, &TransactionCost),
) -> TransactionCost {
    let snapshot = before(&mut connect(database).await).await.unwrap();
    let mut user = User::open(facts).await;
    let mut all = TransactionCost::default();
    for (kind, (_, short)) in KINDS.iter().enumerate() {
        let mut did_something = false;
        for _ in 0..60 {
            let (done, work) = user.run(kind).await;
            let success = done.unwrap_or_else(|failed| panic!("{short}: {failed:?}"));
            check(kind, success, &work);
            all.add(&work);
            did_something |= success == Success::Ok;
        }
        // With so little data names are unique, and the last hour has orders of few warehouses.
        assert!(did_something || [UCD, WA].contains(&kind), "{short}");
    }
    holds(database, &snapshot, &user.made, facts).await;
    checks_are_counted(facts, &user.workload.checks());
    all
}

/// Each check counts once per run of its type, or per row or request; no run has a window here.
fn checks_are_counted(facts: &Facts, rows: &[CheckRow]) {
    assert!(rows.iter().all(|row| row.failed_outside == 0), "{rows:?}");
    let passed =
        |name: &str| rows.iter().find(|row| row.name == name).map_or(0, |row| row.passed_outside);
    match facts.side.run_name() {
        "soe-client" => {
            assert_eq!(passed("NCR: finds the new customer"), 60);
            assert!(passed("NCR: changes one row") >= 3 * 60 && passed("PO: changes one row") > 0);
        }
        "soe-rest-client" => {
            assert_eq!(passed("NCR: finds the new customer"), 60);
            assert_eq!(passed("NCR: reports that all was done"), 60);
            assert!(passed("BP: has the expected status") > 60, "a request for each product");
            assert!(
                passed("BP: returns requested rows") > 0 && passed("SQ: returns rows in order") > 0
            );
        }
        "soe-server" if !facts.database.is_blocking() => {
            assert_eq!(passed("BP: returns its counts"), 60);
        }
        "soe-rest" => {
            assert_eq!(passed("BP: returns its counts"), 60);
            assert_eq!(passed("BP: has the expected status"), 60);
        }
        _ => assert!(passed("NCR: changes one row") > 0, "{rows:?}"),
    }
}

/// Runs all types as a client does; returns the number of updated rows.
async fn client(database: &DatabaseAddress) -> u64 {
    let facts = facts(database, &SoeOptions::of(Side::Client)).await;
    assert_eq!((facts.customers, facts.products, facts.warehouses), ([1, 300], 100, 100));
    let all = every_type(database, &facts, |kind, success, work| {
        let (short, dml) = (KINDS[kind].1, &work.dml);
        let expected = expected_of_client(kind, success, dml);
        assert_eq!(counts(dml), expected, "{short} {success:?}");
        // BEGIN is a round trip too; a logon commits by itself; UCD also takes a number.
        let begins = u64::from(expected[3] > 0 && !(kind == OP && success == Success::Empty));
        let logons = u64::from([NCR, OP, BO].contains(&kind));
        let trips = dml.selects + dml.inserts + dml.updates + begins + dml.commits - logons
            + u64::from(kind == UCD);
        let trips = if database.is_blocking() { 0 } else { trips };
        assert_eq!(work.round_trips, trips, "{short}");
    });
    all.await.dml.updates
}

#[test]
fn client_side_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    block_on(client(&sqlite(&folder)));
}

#[test]
fn client_side_on_postgres() {
    let database = postgres("soe_client");
    block_on(async { updates_are_counted(&database, client(&database).await).await });
}

/// The counts of a call; it always commits once.
fn expected_of_server(kind: usize, embedded: bool, success: Success, dml: &Dml) -> [u64; 4] {
    let empty = success == Success::Empty;
    let logon = |inserts: u64, others: u64| others + (inserts - others).min(1);
    match kind {
        // A function takes three numbers, with a statement each.
        NCR => [if embedded { 3 } else { 5 }, logon(dml.inserts, 3), 0, 1],
        UCD if empty => [1, 0, 0, 1],
        UCD => [1, 1, 1, 1],
        BP => [dml.selects.clamp(2, 24), 0, 0, 1],
        OP if empty => [dml.selects.clamp(5, 27), logon(dml.inserts, 0), 0, 1],
        OP => {
            let items = (dml.updates - 1).min(5);
            [dml.selects.clamp(5, 32), logon(dml.inserts, 1 + items), 1 + items, 1]
        }
        PO if empty => [1, 0, 0, 1],
        PO => [1, 0, 1, 1],
        // An order has no lines if none of its products was in stock.
        BO if empty => [dml.selects.clamp(4, 5), logon(dml.inserts, 0), 0, 1],
        BO => [5, logon(dml.inserts, 0), 2, 1],
        _ => [1, 0, 0, 1],
    }
}

async fn server(database: &DatabaseAddress) {
    let facts = facts(database, &SoeOptions::of(Side::Server)).await;
    let embedded = database.is_blocking();
    assert_eq!(facts.side_name(), if embedded { "embedded" } else { "server" });
    let all = every_type(database, &facts, |kind, success, work| {
        let expected = expected_of_server(kind, embedded, success, &work.dml);
        assert_eq!(counts(&work.dml), expected, "{} {success:?}", KINDS[kind].1);
        assert_eq!(work.round_trips, u64::from(!embedded), "{}", KINDS[kind].1);
    });
    updates_are_counted(database, all.await.dml.updates).await;
}

#[test]
fn server_side_on_sqlite_is_embedded() {
    let folder = tempfile::tempdir().unwrap();
    block_on(server(&sqlite(&folder)));
}

#[test]
fn server_side_on_postgres() {
    let database = postgres("soe_server");
    block_on(async {
        server(&database).await;
        // Our functions may be replaced; others are left alone.
        facts(&database, &SoeOptions::of(Side::Server)).await;
        let mut connection = connect(&database).await;
        connection.script("COMMENT ON FUNCTION soe.neworder IS 'mine'").await.unwrap();
        let refused = discover(&database, &SoeOptions::of(Side::Server)).await.unwrap_err();
        assert!(refused.message.contains("soe.neworder"), "{refused:?}");
    });
}

#[test]
fn think_time_within_the_database_is_reported() {
    let database = postgres("soe_think");
    block_on(async {
        let facts = facts(&database, &SoeOptions::of(Side::Server)).await;
        let mut user = User::open(&facts).await;
        user.context.think = [Duration::from_millis(2); 2];
        user.run(PO).await.0.unwrap();
        assert_eq!(user.context.slept, Duration::from_millis(2));
    });
}

/// Both kinds of customers with unique names, so that there is a customer to update.
async fn namesakes(database: &DatabaseAddress) {
    let mut connection = connect(database).await;
    let schema = if database.is_blocking() { "" } else { "soe." };
    let same = format!(
        "UPDATE {schema}customers SET cust_first_name = 'Ada', cust_last_name = 'Lot', \
         cust_email = 'ada.lot@example.com'"
    );
    connection.script(&same).await.unwrap();
}

async fn updates(database: &DatabaseAddress, side: Side) {
    namesakes(database).await;
    let facts = facts(database, &SoeOptions::of(side)).await;
    let mut user = User::open(&facts).await;
    let snapshot = before(&mut connect(database).await).await.unwrap();
    for _ in 0..5 {
        let (done, work) = user.run(UCD).await;
        assert_eq!(done.unwrap(), Success::Ok);
        assert_eq!(counts(&work.dml), [1, 1, 1, 1]);
    }
    holds(database, &snapshot, &user.made, &facts).await;
}

#[test]
fn customers_are_updated_by_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let (sqlite, postgres) = (sqlite(&folder), postgres("soe_update"));
    block_on(async {
        for side in [Side::Client, Side::Server] {
            updates(&sqlite, side).await;
            updates(&postgres, side).await;
        }
    });
}

async fn quirks(database: &DatabaseAddress) {
    let options = SoeOptions { compat: true, ..SoeOptions::of(Side::Client) };
    let facts = facts(database, &options).await;
    let mut connection = connect(database).await;
    let snapshot = before(&mut connection).await.unwrap();
    let mut user = User::open(&facts).await;
    let mut orders = 0;
    for _ in 0..200 {
        orders += u64::from(user.run(OP).await.0.unwrap() == Success::Ok);
    }
    assert!(orders > 0);
    let schema = if database.is_blocking() { "" } else { "soe." };
    let cents = if database.is_blocking() { 100 } else { 1 };
    let odd = format!(
        "SELECT count(*) FROM {schema}order_items WHERE unit_price <> product_id * {cents} \
         AND order_id > (SELECT max(order_id) FROM {schema}orders) - {orders}"
    );
    assert_eq!(connection.ask(&odd, &[]).await.unwrap().first_int(0), Some(0));
    let (done, work) = user.run(BO).await;
    let phantom = if done.unwrap() == Success::Ok { 5 } else { 4 };
    assert_eq!(work.dml.selects, phantom);
    for kind in [SQ, WQ, WA] {
        let (done, work) = user.run(kind).await;
        assert!(done.is_ok());
        assert_eq!(work.dml, Dml::default());
    }
    let all_done = format!("UPDATE {schema}orders SET order_status = 9");
    connection.script(&all_done).await.unwrap();
    let (done, work) = user.run(PO).await;
    assert_eq!(done.unwrap_err().outcome, Outcome::Check);
    assert_eq!(work.dml.rollbacks, 1);
    holds(database, &snapshot, &user.made, &facts).await;
}

#[test]
fn quirks_of_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let (sqlite, postgres) = (sqlite(&folder), postgres("soe_quirks"));
    block_on(async {
        quirks(&sqlite).await;
        quirks(&postgres).await;
        let options = SoeOptions { compat: true, ..SoeOptions::of(Side::Server) };
        let refused = discover(&postgres, &options).await.unwrap_err();
        assert!(refused.message.contains("soe-client"));
    });
}

/// Makes the next inserts of customers fail, this many of them: a sequence is never rolled back.
async fn fail_registrations(connection: &mut Connection, state: &str, times: u32) {
    let script = format!(
        "DROP SEQUENCE IF EXISTS soe.failures; CREATE SEQUENCE soe.failures; \
         CREATE OR REPLACE FUNCTION soe.fail() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN \
         IF nextval('soe.failures') <= {times} THEN \
         RAISE EXCEPTION 'not now' USING ERRCODE = '{state}'; END IF; RETURN NEW; END $f$; \
         CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON soe.customers \
         FOR EACH ROW EXECUTE FUNCTION soe.fail()"
    );
    connection.script(&script).await.unwrap();
}

async fn retries(database: &DatabaseAddress, side: Side) {
    let facts = facts(database, &SoeOptions::of(side)).await;
    let mut connection = connect(database).await;
    let snapshot = before(&mut connection).await.unwrap();
    let mut user = User::open(&facts).await;
    fail_registrations(&mut connection, "40P01", 3).await;
    let (done, work) = user.run(NCR).await;
    assert_eq!(done.unwrap(), Success::Retried);
    let (inserts, rollbacks) = (work.dml.inserts, work.dml.rollbacks);
    assert!((3..=4).contains(&inserts) && rollbacks == 3, "{work:?}");
    fail_registrations(&mut connection, "40001", 4).await;
    let (done, work) = user.run(NCR).await;
    assert_eq!(done.unwrap_err().outcome, Outcome::Serialization);
    assert_eq!(work.dml, Dml { rollbacks: 4, ..Dml::default() });
    fail_registrations(&mut connection, "23514", 1).await;
    let (done, work) = user.run(NCR).await;
    assert_eq!(done.unwrap_err().outcome, Outcome::Constraint);
    assert_eq!(work.dml.rollbacks, 1);
    assert_eq!(user.run(NCR).await.0.unwrap(), Success::Ok);
    connection.script("DROP TRIGGER fail ON soe.customers").await.unwrap();
    holds(database, &snapshot, &user.made, &facts).await;
}

#[test]
fn conflicts_are_retried() {
    let database = postgres("soe_retries");
    block_on(async {
        retries(&database, Side::Client).await;
        retries(&database, Side::Server).await;
    });
}

#[test]
fn a_locked_file_is_a_conflict() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(&folder);
    block_on(async {
        for side in [Side::Client, Side::Server] {
            let options = SoeOptions { timeout: Duration::from_millis(1), ..SoeOptions::of(side) };
            let facts = facts(&database, &options).await;
            let mut user = User::open(&facts).await;
            let mut other = connect(&database).await;
            other.begin().await.unwrap();
            let (done, work) = user.run(NCR).await;
            assert_eq!(done.unwrap_err().outcome, Outcome::Serialization);
            assert_eq!(work.dml, Dml { rollbacks: 4, ..Dml::default() });
            other.rollback().await.unwrap();
            assert_eq!(user.run(NCR).await.0.unwrap(), Success::Ok);
        }
    });
}

fn plan() -> Plan {
    Plan {
        phases: Phases { measure: Some(Duration::from_secs(2)), ..Phases::default() },
        ..Plan::closed(1, 4)
    }
}

fn conduct(database: &DatabaseAddress, side: Side) {
    let wanted = MixOptions { disable: vec!["SQ".into()], ..MixOptions::default() };
    let options = SoeOptions { wanted, ..SoeOptions::of(side) };
    let totals = conduct_with(database, &block_on(facts(database, &options)));
    assert!(totals.kinds[BP].completed() > 0 && totals.kinds[OP].completed() > 0);
    assert_eq!(totals.kinds[SQ].completed(), 0);
}

/// Four users for two seconds; the job is serialized, as for a process.
fn conduct_with(database: &DatabaseAddress, facts: &Facts) -> ProcessTotals {
    let snapshot = block_on(async { before(&mut connect(database).await).await.unwrap() });
    let sent = facts.json().unwrap();
    let job = Job::BuiltIn(registry::configured(facts.name(), sent.get()).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let ready = prepare(&plan(), &job, &ChildProcesses(|| Command::new("false")), &stop).unwrap();
    let mut running = ready.go();
    let mut made = RunCounts::default();
    while let Some(second) = running.next_second() {
        made.add(&second);
    }
    let totals = running.into_collector().totals().clone();
    assert!(totals.failures.is_empty(), "{:?}", totals.failures);
    block_on(holds(database, &snapshot, &made, facts));
    totals
}

#[test]
fn runs_on_sqlite_leave_the_data_right() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(&folder);
    conduct(&database, Side::Client);
    conduct(&database, Side::Server);
}

#[test]
fn runs_on_postgres_leave_the_data_right() {
    let database = postgres("soe_runs");
    conduct(&database, Side::Client);
    conduct(&database, Side::Server);
}

/// Serves a database; returns the service, the URL of order entry's mount, and credentials.
fn serve(database: &DatabaseAddress) -> (Running, Url, Access) {
    let (name, schema) = match database {
        DatabaseAddress::Postgres(url) => (url.clone(), "soe"),
        DatabaseAddress::Sqlite { path, .. } => (format!("sqlite:{}", path.display()), "main"),
    };
    let folder = tempfile::tempdir().unwrap();
    let definition = folder.path().join("app.toml");
    let key = "[resources.logon]\nkey = [\"logon_id\"]\n";
    let key = if database.is_blocking() { "" } else { key };
    let text = format!("name = \"soe\"\nmount = \"/soe\"\nschema = \"{schema}\"\n{key}");
    std::fs::write(&definition, text).unwrap();
    let definition = definition.to_str().unwrap();
    let listen = ["--listen", "127.0.0.1:0", "--config", definition];
    let service = Running::start(&[&["serve", &name][..], &listen].concat());
    let token = service.bearer().trim_start_matches("Bearer ").to_owned();
    let access = Access { token: Some(token), ..Access::default() };
    let url = format!("{}/soe", service.url()).parse().unwrap();
    (service, url, access)
}

#[test]
fn functions_through_a_service() {
    let database = postgres("soe_rest");
    // The functions are created before the service reads the catalog.
    block_on(prepare_functions(&database)).unwrap();
    let (_service, url, access) = serve(&database);
    let token = access.token.clone().unwrap();
    let options = SoeOptions { service: Some((url.clone(), access)), ..SoeOptions::of(Side::Rest) };
    block_on(async {
        let facts = facts(&database, &options).await;
        assert_eq!((facts.side.run_name(), facts.side_name()), ("soe-rest", "rest"));
        assert!(!format!("{facts:?} {:?}", facts.options()).contains(&token));
        // Two runs must share their options, but not the service's location.
        assert!(!format!("{:?}", facts.options()).contains(&url.host));
        every_type(&database, &facts, |kind, success, work| {
            let expected = expected_of_server(kind, false, success, &work.dml);
            assert_eq!(counts(&work.dml), expected, "{} {success:?}", KINDS[kind].1);
            assert!(work.round_trips == 1 && work.sent > 100 && work.received > 100);
        })
        .await;
        let stranger = SoeOptions { service: Some((url, Access::default())), ..options };
        let facts = discover(&database, &stranger).await.unwrap();
        let refused = User::open(&facts).await.run(BP).await.0.unwrap_err();
        assert!(refused.message.contains("duet.execute"), "{refused:?}");
        let without = discover(&database, &SoeOptions::of(Side::Rest)).await.unwrap_err();
        assert!(without.message.contains("the URL of a service"));
    });
}

/// The counts of a service's client: it chooses keys, and reads before it changes.
fn expected_of_rest_client(kind: usize, success: Success, dml: &Dml) -> [u64; 4] {
    let empty = success == Success::Empty;
    let items = dml.inserts.saturating_sub(2);
    match kind {
        NCR => [1, 4, 0, 2],
        UCD if empty => [1, 0, 0, 0],
        UCD => [1, 1, 1, 1],
        BP => [dml.selects.clamp(2, 24), 0, 0, 0],
        OP if empty => [dml.selects.clamp(4, 26), 1, 0, 1],
        // Two pieces of one product are one change of its stock.
        OP => [dml.selects.clamp(5, 28), 2 + items.clamp(1, 2), dml.updates.clamp(2, 1 + items), 2],
        PO if empty => [1, 0, 0, 0],
        PO => [1, 0, 1, 1],
        BO if empty => [dml.selects.clamp(3, 4), 1, 0, 1],
        BO => [6, 1, 2, 2],
        _ => [1, 0, 0, 0],
    }
}

/// A request reads once, or commits once.
fn check_of_rest_client(kind: usize, success: Success, work: &TransactionCost) {
    let (short, dml) = (KINDS[kind].1, &work.dml);
    let expected = expected_of_rest_client(kind, success, dml);
    assert_eq!(counts(dml), expected, "{short} {success:?}");
    assert_eq!(work.round_trips, dml.selects + dml.commits, "{short}");
    assert!(work.sent > 100 && work.received > 100, "{short}");
}

/// Two runs on facts discovered once, and a user that reconnects within a run: every key is new.
async fn runs_and_connections(found: &Facts) {
    let mut job = Job::built_in(found.clone());
    for seed in 0..2 {
        job.renew().await.unwrap();
        let workload = job.workload().unwrap();
        let mut context = TransactionContext::new(seed);
        for _ in 0..2 {
            let mut session = workload.open(0).await.unwrap();
            assert_eq!(session.run(NCR, &mut context).await.unwrap(), Success::Ok);
        }
    }
}

async fn rest_client(database: &DatabaseAddress) {
    let (_service, url, access) = serve(database);
    let options = SoeOptions {
        service: Some((url.clone(), access.clone())),
        ..SoeOptions::of(Side::RestClient)
    };
    let found = facts(database, &options).await;
    assert_eq!((found.side.run_name(), found.side_name()), ("soe-rest-client", "rest-client"));
    every_type(database, &found, check_of_rest_client).await;

    // Keys of two users never collide, nor do those of a later run; sequences follow.
    let again = facts(database, &options).await;
    assert!(again.first_key > found.first_key);
    every_type(database, &again, check_of_rest_client).await;
    client(database).await;

    namesakes(database).await;
    let found = facts(database, &options).await;
    let snapshot = before(&mut connect(database).await).await.unwrap();
    let mut user = User::open(&found).await;
    let (done, work) = user.run(UCD).await;
    check_of_rest_client(UCD, done.unwrap(), &work);
    assert_eq!(work.dml.updates, 1);
    holds(database, &snapshot, &user.made, &found).await;

    runs_and_connections(&found).await;

    let stranger = SoeOptions { service: Some((url, Access::default())), ..options };
    let facts = discover(database, &stranger).await.unwrap();
    let refused = User::open(&facts).await.run(BP).await.0.unwrap_err();
    assert!(refused.message.contains("duet.read"), "{refused:?}");
}

#[test]
fn tables_through_a_service_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    block_on(rest_client(&sqlite(&folder)));
}

#[test]
fn tables_through_a_service_on_postgres() {
    block_on(rest_client(&postgres("soe_rest_client")));
}

/// Users of a service that change the same rows: the later one retries, and no update is lost.
fn crowd(database: &DatabaseAddress) {
    let s = if database.is_blocking() { "" } else { "soe." };
    // All orders are in one warehouse, and few customers order.
    let few = format!(
        "DELETE FROM {s}inventories WHERE warehouse_id > 1 OR product_id > 3; \
         UPDATE {s}product_information SET category_id = 1; \
         UPDATE {s}orders SET customer_id = 1"
    );
    block_on(async { connect(database).await.script(&few).await.unwrap() });
    let (_service, url, access) = serve(database);
    let wanted =
        MixOptions { mix: vec![("OP".into(), 1.0), ("BO".into(), 1.0)], ..MixOptions::default() };
    let options = SoeOptions {
        service: Some((url, access)),
        wanted,
        retries: 1_000,
        ..SoeOptions::of(Side::RestClient)
    };
    let mut facts = block_on(facts(database, &options));
    (facts.customers, facts.warehouses, facts.categories) = ([1, 2], 2, 2);
    // On a busy machine few users work at the same time.
    let mut runs = (0..20).map(|_| conduct_with(database, &facts));
    let totals = runs.find(|totals| totals.whole_work.statuses[4] > 0).expect("no users collided");
    assert!(totals.kinds[OP].completed() > 0 && totals.kinds[BO].completed() > 0);
    assert!(totals.whole_work.dml.rollbacks > 0, "{:?}", totals.whole_work);
}

#[test]
fn clients_of_a_service_lose_no_update() {
    let folder = tempfile::tempdir().unwrap();
    crowd(&sqlite(&folder));
    crowd(&postgres("soe_crowd"));
}

#[test]
fn wrong_data_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(&folder);
    block_on(async {
        let facts = facts(&database, &SoeOptions::of(Side::Client)).await;
        let mut connection = connect(&database).await;
        connection.script("PRAGMA foreign_keys = OFF").await.unwrap();
        let made = RunCounts::default();
        for (wrong, name) in [
            ("UPDATE inventories SET quantity_on_hand = 0 WHERE product_id = 1", "out of stock"),
            ("UPDATE orders SET order_total = order_total + 1 WHERE order_id = 1", "totals of"),
            (
                "UPDATE order_items SET quantity = quantity + 1 WHERE order_id = 1",
                "pieces in lines",
            ),
            (
                "INSERT INTO orders (order_id, order_date, customer_id) VALUES (9999, 0, 1)",
                "new order",
            ),
            (
                "INSERT INTO order_items (order_id, line_item_id, product_id) VALUES (99999, 1, 1)",
                "new line",
            ),
            ("DELETE FROM customers WHERE customer_id = 1", "customer was added"),
            ("INSERT INTO logon VALUES (9999, 1, 0)", "logon was recorded"),
            ("DELETE FROM addresses WHERE address_id = 1", "rows added"),
        ] {
            let snapshot = before(&mut connection).await.unwrap();
            connection.script(wrong).await.unwrap();
            let rows = after(&mut connection, &snapshot, &made, &facts).await.unwrap();
            let found = rows.iter().find(|row| row.name.contains(name));
            assert!(found.is_some_and(|row| !row.passed), "{wrong}: {rows:#?}");
        }
    });
}

#[test]
fn missing_data_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.sqlite");
    let sqlite = DatabaseAddress::Sqlite { path, synchronous: "normal".into() };
    let postgres = DatabaseAddress::Postgres(Server::shared().database("soe_none").url());
    for database in [sqlite, postgres] {
        let refused = block_on(discover(&database, &SoeOptions::of(Side::Client))).unwrap_err();
        assert!(refused.message.contains("load its data first"), "{refused:?}");
    }
}
