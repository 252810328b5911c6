//! What introspection costs, by count, for a schema and for one twice as large: steps of SQLite's machine, rows of
//! PostgreSQL's catalogs, and Duet's own steps.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_model::steps;
use duet_postgres::catalog::SchemaFilter;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite as files;
use tokio_postgres::NoTls;

/// Tables in a chain of keys that cascade, each with an index on an expression and a trigger, and a view of each.
fn schema(tables: usize, trigger: &dyn Fn(usize) -> String) -> String {
    let mut text = String::new();
    for at in 0..tables {
        let parent = match at {
            0 => String::new(),
            _ => format!(" REFERENCES t{} (id) ON DELETE CASCADE", at - 1),
        };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "CREATE TABLE t{at} (id integer PRIMARY KEY{parent}, a varchar(9), b varchar(9) UNIQUE, c integer CHECK (c > 0));
             CREATE INDEX i{at} ON t{at} (lower(a)); CREATE VIEW v{at} AS SELECT * FROM t{at}; {}",
            trigger(at)
        );
    }
    text
}

fn is_linear(what: &str, once: u64, twice: u64) {
    assert!(once > 0 && twice * 10 <= once * 22, "{what}: {once}, then {twice}");
}

#[test]
fn sqlite_reads_each_table_once() {
    // So many that the ends of the chain, which reach fewer tables, do not count.
    let counts = [500, 1_000].map(|tables| {
        let trigger =
            |at| format!("CREATE TRIGGER r{at} AFTER INSERT ON t{at} BEGIN SELECT 1; END;");
        let folder = files::Folder::new();
        let mut connection = files::open(&folder.load("a.db", &[&schema(tables, &trigger)]));
        let machine = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&machine);
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection.progress_handler(1, Some(count)).unwrap();
        let (catalog, own) =
            steps::counted(|| duet_sqlite::catalog::introspect(&connection).unwrap());
        assert_eq!((catalog.relations.len(), catalog.notes.len()), (2 * tables, 0));
        (machine.load(Ordering::Relaxed), own)
    });
    is_linear("steps of SQLite", counts[0].0, counts[1].0);
    is_linear("steps of ours", counts[0].1, counts[1].1);
}

/// A script for SQLite: so many tables, each with a key to the next. All but one are written into its schema, as `CREATE
/// TABLE` reads all of that once more for each table.
fn chain(tables: usize) -> String {
    let table = "id integer PRIMARY KEY REFERENCES t";
    format!(
        "CREATE TABLE t0 ({table}1 (id) ON DELETE CASCADE);
         PRAGMA writable_schema = ON;
         WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < {tables} - 1)
         INSERT INTO sqlite_schema
         SELECT 'table', 't' || at, 't' || at, rootpage,
           'CREATE TABLE t' || at || ' ({table}' || (at + 1) || ' (id) ON DELETE CASCADE)'
         FROM n, sqlite_schema WHERE name = 't0';
         PRAGMA writable_schema = RESET;"
    )
}

/// A chain of 10,000 keys takes twice what one of 5,000 does.
#[test]
fn sqlite_reads_a_long_chain_of_keys() {
    let counts = [5_000, 10_000].map(|tables| {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(&chain(tables)).unwrap();
        let (catalog, own) =
            steps::counted(|| duet_sqlite::catalog::introspect(&connection).unwrap());
        assert_eq!((catalog.relations.len(), catalog.notes.len()), (tables, 1));
        own
    });
    is_linear("steps of ours", counts[0], counts[1]);
}

/// Rows of the system catalogs that the sessions of this database have read so far.
const ROWS_READ: &str = "SELECT pg_stat_force_next_flush(), (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8
    FROM pg_stat_sys_tables WHERE schemaname = 'pg_catalog' AND relname NOT LIKE 'pg_stat%')";

#[test]
fn postgres_reads_each_row_of_its_catalogs_some_times() {
    let counts = [300, 600].map(|tables| {
        let database = Server::shared().database(&format!("introspect_costs_{tables}"));
        let trigger = |at| {
            format!(
                "CREATE TRIGGER r{at} AFTER INSERT ON t{at} FOR EACH ROW EXECUTE FUNCTION say();"
            )
        };
        database.exec(
            "CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        );
        database.exec(&schema(tables, &trigger));
        database.exec("VACUUM ANALYZE");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
            tokio::spawn(connection);
            let rows_read = async || {
                // The statement that asks is counted by the next one.
                client.query(ROWS_READ, &[]).await.unwrap();
                client.query_one(ROWS_READ, &[]).await.unwrap().get::<_, i64>(1)
            };
            // The first time fills caches of the session.
            duet_postgres::catalog::introspect(&client, &SchemaFilter::All).await.unwrap();
            let (before, own) = (rows_read().await, steps::so_far());
            let catalog =
                duet_postgres::catalog::introspect(&client, &SchemaFilter::All).await.unwrap();
            assert_eq!((catalog.relations.len(), catalog.notes.len()), (2 * tables, 0));
            let own = steps::so_far() - own;
            (u64::try_from(rows_read().await - before).unwrap(), own)
        })
    });
    is_linear("rows of catalogs", counts[0].0, counts[1].0);
    is_linear("steps of ours", counts[0].1, counts[1].1);
}
