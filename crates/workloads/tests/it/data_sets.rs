//! Tests of data sets: the same rows however they are generated, and loading into both stores.

use std::sync::Mutex;

use duet_client::Synchronous;
use duet_client::connect::Settings;
use duet_client::{ConnectOptions, Connection};
use duet_model::Value;
use duet_testkit::postgres::Server;
use duet_workloads::flag::FlagValues;
use duet_workloads::generate::load::{DataLoadOptions, LoadError, LoadOutcome, load};
use duet_workloads::generate::sink::Digest;
use duet_workloads::generate::state::Metadata;
use duet_workloads::generate::validate::validate;
use duet_workloads::generate::{DataSet, DataSource, Engine, RowSink};
use duet_workloads::{lookup, registry, retail, soe};

/// Other data sets generate rows from their numbers; their scale is the number of rows.
fn depends_on_seed(named: &'static dyn DataSource) -> bool {
    !["lookup", "txn"].contains(&named.name())
}

/// The smallest scale in use.
fn tiny(named: &'static dyn DataSource) -> DataSet {
    let scale = if depends_on_seed(named) { 0.000_3 } else { 100.0 };
    named.make(scale, 7, &any_day(named))
}

/// The options that make data sets the same on any day.
fn any_day(named: &dyn DataSource) -> FlagValues {
    let mut given = FlagValues::default();
    if named.flags().iter().any(|flag| flag.name == "until") {
        given.insert("until", "2025-01-01");
    }
    given
}

fn sqlite(folder: &tempfile::TempDir) -> ConnectOptions {
    ConnectOptions::Sqlite {
        path: folder.path().join("a.sqlite"),
        synchronous: Synchronous::Normal,
    }
}

fn postgres(name: &str) -> ConnectOptions {
    let database = Server::shared().database(name);
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    ConnectOptions::Postgres(settings.connector().unwrap())
}

fn options(threads: usize, replace: bool) -> DataLoadOptions {
    DataLoadOptions { threads, replace }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn run(target: &ConnectOptions, sql: &str) {
    block_on(async {
        let mut connection = Connection::open(target, "test").await.unwrap();
        connection.script(sql).await.unwrap();
    });
}

/// Hash and number of rows of each table, generated in slices of this many units.
fn generated(set: &DataSet, step: u64) -> Vec<(u64, u64)> {
    let of = |filled: &duet_workloads::generate::Filled| {
        let mut digest = Digest::default();
        let mut from = 0;
        while from < filled.units {
            let to = (from + step).min(filled.units);
            (filled.make)(from..to, &mut digest);
            from = to;
        }
        digest.value()
    };
    set.tables.iter().map(of).collect()
}

/// The same for a database's content, money in cents.
fn stored(target: &ConnectOptions, set: &DataSet) -> Vec<(u64, u64)> {
    use duet_workloads::generate::schema::SqlType;
    block_on(async {
        let store = Engine::of(target);
        let mut connection = Connection::open(target, "test").await.unwrap();
        let mut digests = Vec::new();
        for filled in &set.tables {
            let columns = filled.table.columns.iter().map(|column| match (store, column.kind) {
                (Engine::Postgres, SqlType::Money) => format!("({} * 100)::bigint", column.name),
                (Engine::Postgres, SqlType::Date | SqlType::Timestamp) => {
                    format!("{}::text", column.name)
                }
                _ => column.name.to_owned(),
            });
            let columns: Vec<String> = columns.collect();
            let name = store.name(set.name, filled.table.name);
            let sql = format!("SELECT {} FROM {name}", columns.join(", "));
            let mut digest = Digest::default();
            for row in connection.ask(&sql, &[]).await.unwrap().rows {
                for value in row {
                    match value {
                        Value::Null => digest.null(),
                        Value::Int(value) => digest.int(value),
                        Value::Text(text) => digest.text(&[&text]),
                        other => panic!("{other:?}"),
                    }
                }
                digest.end_row();
            }
            digests.push(digest.value());
        }
        digests
    })
}

#[test]
fn rows_do_not_depend_on_slices_and_match_their_count() {
    for named in registry::data_sets() {
        let set = tiny(named);
        let whole = generated(&set, u64::MAX / 2);
        assert_eq!(whole, generated(&set, 97), "{}", set.name);
        let counts: Vec<u64> = whole.iter().map(|(_, rows)| *rows).collect();
        let message: Vec<u64> = set.tables.iter().map(|filled| filled.rows).collect();
        assert_eq!(counts, message, "{}", set.name);
        let other = named.make(set.scale, 8, &any_day(named));
        assert_eq!(generated(&other, 1_000) != whole, depends_on_seed(named), "{}", set.name);
    }
}

#[test]
fn sizes_at_scale_one() {
    let soe = soe::Entry.make(1.0, 42, &FlagValues::default());
    let rows = |name: &str| {
        soe.tables.iter().find(|filled| filled.table.name == name).map(|filled| filled.rows)
    };
    assert_eq!(rows("customers"), Some(1_000_000));
    assert_eq!(rows("logon"), Some(2_382_984));
    assert!(rows("order_items").unwrap().abs_diff(7_112_651) < 60_000, "{:?}", rows("order_items"));
    assert!(rows("inventories").unwrap().abs_diff(900_000) < 10_000);
}

fn round(target: &ConnectOptions, named: &'static dyn DataSource) {
    let set = tiny(named);
    let reports = Mutex::new(Vec::new());
    let report = |progress: &_| reports.lock().unwrap().push(*progress);
    let LoadOutcome::Loaded(figures) =
        load(target, named, &set, options(8, false), &report).unwrap()
    else {
        panic!("it was there already");
    };
    assert_eq!(figures.rows, set.rows());
    assert!(figures.commits >= set.tables.len() as u64 && figures.batches >= figures.commits);
    let reports = reports.into_inner().unwrap();
    let wholes = reports.iter().filter(|progress| progress.done == progress.total).count();
    assert_eq!(wholes, set.tables.len());
    assert_eq!(reports.last().unwrap().all_done, set.rows());
    let expected = generated(&set, 1_000);
    assert_eq!(stored(target, &set), expected, "8 threads");
    let checks = validate(target, named).unwrap();
    assert!(checks.len() > set.tables.len());
    assert!(checks.iter().all(|check| check.passed), "{checks:#?}");

    let quiet = |_: &_| {};
    let again = load(target, named, &set, options(2, false), &quiet).unwrap();
    assert!(matches!(again, LoadOutcome::AlreadyThere));
    let other = named.make(set.scale * 2.0, 7, &any_day(named));
    let refused = load(target, named, &other, options(2, false), &quiet).unwrap_err();
    assert!(matches!(refused, LoadError::Different { seed: Some(7), .. }), "{refused}");
    load(target, named, &set, options(1, true), &quiet).unwrap();
    assert_eq!(stored(target, &set), expected, "1 thread");
}

fn metadata(target: &ConnectOptions) -> Metadata {
    block_on(async {
        let mut connection = Connection::open(target, "test").await.unwrap();
        Metadata::read(&mut connection, &soe::Entry).await.unwrap().unwrap()
    })
}

#[test]
fn order_entry_ends_before_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let target = sqlite(&folder);
    let made = |until: &str| {
        let mut given = FlagValues::default();
        given.insert("until", until);
        soe::Entry.make(0.000_3, 7, &given)
    };
    let set = made("2031-03-04");
    assert_eq!(generated(&set, 1_000), generated(&made("2031-03-04"), 1_000));
    assert_ne!(generated(&set, 1_000), generated(&made("2031-03-05"), 1_000));
    load(&target, &soe::Entry, &set, options(2, false), &|_| {}).unwrap();
    block_on(async {
        let mut connection = Connection::open(&target, "test").await.unwrap();
        let sql = "SELECT max(order_date) < '2031-03-04' AND max(order_date) >= '2031-01-01' \
                   AND min(order_date) >= '2026-03-04' FROM orders";
        assert_eq!(connection.ask(sql, &[]).await.unwrap().first_int(0), Some(1));
        let sql = "SELECT max(logon_date) < '2031-03-04' AND max(dispatch_date) < '2031-03-04' \
                   FROM logon, order_items WHERE logon_id = line_item_id";
        assert_eq!(connection.ask(sql, &[]).await.unwrap().first_int(0), Some(1));
    });
    // The metadata record the day, by which the data are validated.
    assert_eq!(generated(&metadata(&target).data_set().unwrap(), 1_000), generated(&set, 1_000));
    assert!(validate(&target, &soe::Entry).unwrap().iter().all(|check| check.passed));
    // A load without the option takes data of any day, one with another day does not.
    let today = soe::Entry.make(0.000_3, 7, &FlagValues::default());
    assert_eq!(today.unasked, ["UNTIL"]);
    let again = load(&target, &soe::Entry, &today, options(2, false), &|_| {}).unwrap();
    assert!(matches!(again, LoadOutcome::AlreadyThere));
    let other = load(&target, &soe::Entry, &made("2031-03-05"), options(2, false), &|_| {});
    assert!(matches!(other, Err(LoadError::Different { .. })));
    // Loads before the option existed have no such row.
    run(&target, "DELETE FROM orderentry_metadata WHERE metadata_key = 'SOE_UNTIL'");
    let before = metadata(&target);
    assert!(before.is_of(&made("2025-01-01")) && !before.is_of(&set));
}

#[test]
fn order_entry_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let target = sqlite(&folder);
    round(&target, &soe::Entry);
    // Validation also detects faults.
    run(
        &target,
        "PRAGMA foreign_keys = OFF; DELETE FROM customers WHERE customer_id = 1; \
         UPDATE order_items SET unit_price = unit_price + 1 WHERE order_id = 1",
    );
    let checks = validate(&target, &soe::Entry).unwrap();
    let broken: Vec<&str> =
        checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
    for expected in [
        "rows of customers",
        "sum of order_items.unit_price",
        "every order's total is the sum of its items",
    ] {
        assert!(broken.contains(&expected), "{broken:?}");
    }
    incomplete(&target);
}

#[test]
fn order_entry_on_postgres() {
    let target = postgres("data_soe");
    round(&target, &soe::Entry);
    block_on(async {
        let mut connection = Connection::open(&target, "test").await.unwrap();
        let next = connection.ask("SELECT nextval('soe.orders_seq')", &[]).await.unwrap();
        let metadata = Metadata::read(&mut connection, &soe::Entry).await.unwrap().unwrap();
        assert_eq!(next.first_int(0), metadata.int("SOE_MAX_ORDER_ID").map(|last| last + 1));
        assert_eq!(metadata.int("SOE_PRODUCTS"), Some(100));
    });
    incomplete(&target);
}

/// An incomplete load is detected, and replaced only on request.
fn incomplete(target: &ConnectOptions) {
    let name = Engine::of(target).name("soe", "orderentry_metadata");
    run(target, &format!("DELETE FROM {name} WHERE metadata_key = 'SOE_COMPLETE'"));
    let checks = validate(target, &soe::Entry).unwrap();
    assert!(checks.len() == 1 && !checks[0].passed, "{checks:?}");
    let set = tiny(&soe::Entry);
    let refused = load(target, &soe::Entry, &set, options(2, false), &|_| {}).unwrap_err();
    assert!(matches!(refused, LoadError::Incomplete), "{refused}");
    load(target, &soe::Entry, &set, options(2, true), &|_| {}).unwrap();
    assert!(validate(target, &soe::Entry).unwrap().iter().all(|check| check.passed));
}

#[test]
fn retail_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    round(&sqlite(&folder), &retail::Entry);
}

#[test]
fn retail_on_postgres() {
    round(&postgres("data_retail"), &retail::Entry);
}

#[test]
fn lookup_on_both() {
    let folder = tempfile::tempdir().unwrap();
    round(&sqlite(&folder), &lookup::Entry);
    round(&postgres("data_lookup"), &lookup::Entry);
}

#[test]
fn foreign_tables_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let target = sqlite(&folder);
    run(&target, "CREATE TABLE Orders (mine)");
    let set = tiny(&soe::Entry);
    let refused = load(&target, &soe::Entry, &set, options(2, false), &|_| {}).unwrap_err();
    assert!(matches!(&refused, LoadError::InTheWay(name) if name == "orders"), "{refused}");
    // Data sets share one file.
    load(&target, &lookup::Entry, &tiny(&lookup::Entry), options(2, false), &|_| {}).unwrap();
    load(&target, &retail::Entry, &tiny(&retail::Entry), options(2, false), &|_| {}).unwrap();
    assert!(validate(&target, &lookup::Entry).unwrap().iter().all(|check| check.passed));
}

#[test]
fn the_inventory_is_a_choice() {
    let mut given = FlagValues::default();
    given.insert("inventory", "1");
    let set = retail::Entry.make(0.001, 7, &given);
    let inventory = set.tables.last().unwrap();
    assert_eq!(inventory.table.name, "inventory");
    assert_eq!(inventory.rows, 52 * 900 * 5);
    let mut digest = Digest::default();
    (inventory.make)(0..inventory.units, &mut digest);
    assert_eq!(digest.value().1, inventory.rows);
    // The metadata record the choice.
    let folder = tempfile::tempdir().unwrap();
    let target = sqlite(&folder);
    load(&target, &retail::Entry, &set, options(2, false), &|_| {}).unwrap();
    let kept = block_on(async {
        let mut connection = Connection::open(&target, "test").await.unwrap();
        Metadata::read(&mut connection, &retail::Entry).await.unwrap().unwrap()
    });
    assert_eq!(kept.data_set().unwrap().tables.last().unwrap().table.name, "inventory");
}
