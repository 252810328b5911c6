//! Reading a schema again: after every kind of change the catalog is the one that a first reading gives, and as much is
//! read as has changed, however many tables there are.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use duet_model::{Catalog, Code};
use duet_postgres::catalog::SchemaFilter;
use duet_store::{Limits, SharedStore};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::sqlite as files;
use tokio_postgres::{Client, NoTls};

/// Statements for both stores, each of which changes what a reading gives, or might.
const STATEMENTS: [&str; 30] = [
    "CREATE TABLE team (id integer PRIMARY KEY, name varchar(20) NOT NULL)",
    "CREATE TABLE driver (id integer PRIMARY KEY, team_id integer REFERENCES team (id) ON DELETE CASCADE, code text)",
    "CREATE TABLE result (id integer PRIMARY KEY, driver_id integer REFERENCES driver (id), place integer CHECK (place > 0))",
    "CREATE TABLE lonely (a integer, b text)",
    "ALTER TABLE lonely ADD COLUMN c integer DEFAULT 7",
    "CREATE VIEW drivers AS SELECT id, code FROM driver",
    "CREATE VIEW drivers_of AS SELECT * FROM drivers",
    "ALTER TABLE driver ADD COLUMN number integer",
    "CREATE UNIQUE INDEX driver_code ON driver (code)",
    "CREATE INDEX driver_number ON driver (number) WHERE number > 1",
    "CREATE INDEX lonely_b ON lonely (lower(b))",
    "DROP INDEX driver_number",
    "ALTER TABLE driver RENAME COLUMN code TO short",
    "ALTER TABLE team RENAME TO squad",
    "ALTER TABLE squad RENAME COLUMN id TO squad_id",
    "CREATE TABLE seat (driver_id integer NOT NULL REFERENCES driver (id) ON DELETE SET NULL ON UPDATE CASCADE, note text)",
    "DROP VIEW drivers_of",
    "DROP TABLE lonely",
    "CREATE TABLE lonely (a text)",
    "CREATE VIEW all_seats AS SELECT s.note, d.short FROM seat s JOIN driver d ON d.id = s.driver_id",
    "CREATE TABLE \"a \"\"b\" (\"c(\" integer PRIMARY KEY)",
    "ALTER TABLE seat ADD COLUMN extra text DEFAULT 'x'",
    "DROP TABLE seat_gone",
    "INSERT INTO squad VALUES (1, 'a')",
    "ANALYZE",
    "INSERT INTO squad VALUES (2, 'b')",
    "ANALYZE",
    "CREATE TABLE self (id integer PRIMARY KEY, parent integer REFERENCES self (id) ON DELETE CASCADE)",
    "DROP VIEW all_seats",
    "DROP TABLE seat",
];

const OF_SQLITE: [&str; 24] = [
    "CREATE TABLE later (id integer PRIMARY KEY, up integer REFERENCES missing (id) ON DELETE CASCADE)",
    "CREATE TABLE missing (other text)",
    "ALTER TABLE missing ADD COLUMN id integer",
    "CREATE TRIGGER after_squad AFTER INSERT ON squad BEGIN UPDATE squad SET name = 'c'; END",
    "CREATE TRIGGER after_driver AFTER DELETE ON driver BEGIN SELECT 1; END",
    "DROP TRIGGER after_squad",
    "CREATE VIEW broken AS SELECT nothing FROM lonely",
    "ALTER TABLE result ADD COLUMN nothing text",
    "DROP VIEW broken",
    "CREATE VIEW broken AS SELECT * FROM gone",
    "CREATE TABLE gone (a integer, b text COLLATE nocase)",
    "CREATE VIEW above AS SELECT * FROM broken",
    "ALTER TABLE gone ADD COLUMN d real",
    "CREATE VIRTUAL TABLE words USING fts5(b, content='gone', content_rowid='a')",
    "DROP TABLE words",
    "CREATE VIRTUAL TABLE own USING fts5(text)",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('own', 'row')",
    "CREATE TABLE firm (code text PRIMARY KEY, \"at\" timestamp CHECK (\"at\" IS strftime('%Y-%m-%dT%H:%M:%S', \"at\"))) STRICT",
    "CREATE TABLE plain (code text PRIMARY KEY ON CONFLICT REPLACE, made integer AS (1) STORED) WITHOUT ROWID",
    "CREATE VIEW later_of AS SELECT 'x' AS y, id + 1 AS z FROM \"later\"",
    "DROP TABLE own",
    "DROP TABLE gone",
    "PRAGMA writable_schema = 1",
    "UPDATE sqlite_schema SET sql = replace(sql, 'varchar(20)', 'varchar(30)') WHERE name = 'squad'",
];

const OF_POSTGRES: [&str; 112] = [
    "COMMENT ON TABLE squad IS 'teams'",
    "COMMENT ON COLUMN squad.name IS 'its name'",
    "COMMENT ON TABLE squad IS NULL",
    "COMMENT ON COLUMN squad.name IS NULL",
    "ALTER TABLE squad ALTER COLUMN name TYPE varchar(40)",
    "ALTER TABLE squad ALTER COLUMN name SET DEFAULT 'none'",
    "ALTER TABLE squad ALTER COLUMN name DROP DEFAULT",
    "ALTER TABLE squad ALTER COLUMN name DROP NOT NULL",
    "ALTER TABLE driver DROP CONSTRAINT driver_team_id_fkey",
    "ALTER TABLE driver ADD CONSTRAINT up FOREIGN KEY (team_id) REFERENCES squad ON UPDATE CASCADE DEFERRABLE",
    "ALTER TABLE driver RENAME CONSTRAINT up TO upwards",
    "ALTER TABLE driver ALTER CONSTRAINT upwards NOT DEFERRABLE",
    "ALTER TABLE driver DROP CONSTRAINT upwards",
    "CREATE DOMAIN grade AS integer CHECK (VALUE > 0)",
    "ALTER TABLE driver ADD COLUMN grade grade",
    "ALTER DOMAIN grade ADD CONSTRAINT small CHECK (VALUE < 9)",
    "ALTER DOMAIN grade DROP CONSTRAINT small",
    "CREATE TYPE mood AS ENUM ('good', 'bad')",
    "ALTER TABLE driver ADD COLUMN mood mood DEFAULT 'good'",
    "ALTER TYPE mood ADD VALUE 'fair'",
    "ALTER TYPE mood RENAME VALUE 'good' TO 'great'",
    "ALTER TYPE mood RENAME TO temper",
    "CREATE TYPE pair AS (a integer, b text)",
    "CREATE FUNCTION pairs() RETURNS SETOF pair LANGUAGE sql AS 'SELECT 1, ''a'''",
    "ALTER TYPE pair ADD ATTRIBUTE c date",
    "CREATE FUNCTION drivers_now() RETURNS SETOF driver LANGUAGE sql AS 'SELECT * FROM driver'",
    "ALTER TABLE driver ADD COLUMN last text",
    "ALTER TABLE driver RENAME TO pilot",
    "COMMENT ON FUNCTION pairs() IS 'pairs'",
    "CREATE OR REPLACE FUNCTION twice(a integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 2 * a'",
    "ALTER TABLE pilot ADD CONSTRAINT even CHECK (twice(number) > 1)",
    "ALTER FUNCTION twice(integer) RENAME TO doubled",
    "CREATE SEQUENCE numbers",
    "ALTER TABLE pilot ALTER COLUMN number SET DEFAULT nextval('numbers')",
    "ALTER SEQUENCE numbers RENAME TO counts",
    "CREATE TABLE made (id serial PRIMARY KEY, n integer GENERATED ALWAYS AS IDENTITY, twice integer GENERATED ALWAYS AS (2 * 3) STORED)",
    "CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE TRIGGER said AFTER INSERT ON result FOR EACH ROW EXECUTE FUNCTION say()",
    "ALTER TABLE result DISABLE TRIGGER said",
    "ALTER TABLE result ENABLE TRIGGER said",
    "DROP TRIGGER said ON result",
    "CREATE RULE ruled AS ON DELETE TO result DO INSTEAD NOTHING",
    "DROP RULE ruled ON result",
    "VACUUM result",
    "CREATE TABLE measure (at date NOT NULL, pilot_id integer) PARTITION BY RANGE (at)",
    "CREATE TABLE measure_1 PARTITION OF measure FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
    "CREATE TABLE measure_2 (at date NOT NULL, pilot_id integer)",
    "ALTER TABLE measure ATTACH PARTITION measure_2 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')",
    "ALTER TABLE measure_2 ADD CONSTRAINT pilots FOREIGN KEY (pilot_id) REFERENCES pilot ON DELETE CASCADE",
    "CREATE TRIGGER said AFTER UPDATE ON measure_1 FOR EACH ROW EXECUTE FUNCTION say()",
    "INSERT INTO measure SELECT '2024-02-02', NULL FROM generate_series(1, 50)",
    "ANALYZE measure_1",
    "ALTER TABLE measure DETACH PARTITION measure_2",
    "CREATE TABLE child (extra text) INHERITS (lonely)",
    "ALTER TABLE child NO INHERIT lonely",
    "ALTER TABLE lonely ENABLE ROW LEVEL SECURITY",
    "REVOKE SELECT ON squad FROM reader",
    "GRANT SELECT (name) ON squad TO reader",
    "GRANT INSERT ON result TO reader",
    "REVOKE SELECT (id) ON result FROM reader",
    "REVOKE USAGE ON SCHEMA public FROM reader, PUBLIC",
    "GRANT USAGE ON SCHEMA public TO reader",
    "CREATE ROLE readers",
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO readers",
    "GRANT readers TO reader",
    "ALTER ROLE reader NOINHERIT",
    "REVOKE readers FROM reader",
    "CREATE MATERIALIZED VIEW stored AS SELECT * FROM squad WITH NO DATA",
    "REFRESH MATERIALIZED VIEW stored",
    "CREATE INDEX words ON squad USING gin (to_tsvector('english', name))",
    "ALTER INDEX words RENAME TO terms",
    "CREATE SCHEMA more CREATE TABLE thing (id integer PRIMARY KEY)",
    "ALTER TABLE lonely SET SCHEMA more",
    "DROP OWNED BY readers",
    "CREATE TABLE rows_of (id integer PRIMARY KEY, one pilot, many pilot[])",
    "CREATE FUNCTION named(p pilot) RETURNS text LANGUAGE sql AS 'SELECT p.short'",
    "ALTER TABLE pilot RENAME TO racer",
    "DROP FUNCTION named(racer)",
    "ALTER TABLE racer RENAME TO rider",
    "CREATE TABLE by_name (t regclass DEFAULT 'rider'::regclass, CHECK (t <> 'made'::regclass))",
    "ALTER TABLE rider RENAME TO driver",
    "ALTER TABLE made RENAME TO \"Made up\"",
    "ALTER TABLE squad SET SCHEMA more",
    "ALTER SCHEMA more RENAME TO extra",
    "DROP MATERIALIZED VIEW stored",
    "CREATE COLLATION loose (provider = icu, locale = 'und', deterministic = false)",
    "ALTER TABLE extra.squad ALTER COLUMN name TYPE varchar(40) COLLATE loose",
    "ALTER COLLATION loose RENAME TO looser",
    "ALTER TABLE result SET UNLOGGED",
    "CREATE INDEX CONCURRENTLY later ON result (place)",
    "ALTER TABLE result ADD CONSTRAINT places UNIQUE (place) DEFERRABLE INITIALLY DEFERRED",
    "CREATE OR REPLACE VIEW drivers AS SELECT id, short AS code, 1 AS one FROM driver",
    "ALTER VIEW drivers RENAME COLUMN one TO two",
    "ALTER FUNCTION pairs() SECURITY DEFINER",
    "REVOKE EXECUTE ON FUNCTION pairs() FROM PUBLIC",
    "CREATE PROCEDURE done() LANGUAGE plpgsql AS 'BEGIN COMMIT; END'",
    "CREATE EXTENSION citext",
    "ALTER TABLE driver ADD COLUMN mail citext",
    "CREATE TABLE own_part (id integer PRIMARY KEY)",
    "ALTER EXTENSION citext ADD TABLE own_part",
    "ALTER EXTENSION citext DROP TABLE own_part",
    "DROP EXTENSION citext CASCADE",
    "ALTER TABLE driver OWNER TO reader",
    "GRANT pg_read_all_data TO reader",
    "ALTER ROLE reader SUPERUSER",
    "ALTER ROLE reader NOSUPERUSER",
    "BEGIN; SAVEPOINT s; ALTER TABLE result ADD COLUMN gone text; ROLLBACK TO s; ALTER TABLE result ADD COLUMN kept text; COMMIT",
    "VACUUM FULL pg_class",
    "VACUUM FREEZE pg_attribute",
    "CREATE TEMP TABLE passing (a integer)",
    "DROP TABLE driver CASCADE",
    "DROP SCHEMA extra CASCADE",
];

#[test]
fn sqlite_is_read_again_as_at_first() {
    let folder = files::Folder::new();
    let path = folder.load("a.db", &[]);
    let (writer, reader) = (files::open(&path), files::open(&path));
    let mut memory = duet_sqlite::catalog::Memory::default();
    let (mut before, mut in_part) = (Catalog::default(), 0);
    for statement in STATEMENTS.iter().chain(&OF_SQLITE) {
        // One names what is not there: nothing changes then.
        let _ = writer.execute_batch(statement);
        let again = duet_sqlite::catalog::introspect_again(&reader, &mut memory).unwrap();
        assert_eq!(again, duet_sqlite::catalog::introspect(&reader).unwrap(), "{statement}");
        assert_shared(statement, &before, &again);
        in_part += u32::from(memory.read() < again.relations.len());
        before = again;
    }
    assert!(in_part > 40, "{in_part} times some relations were read, and not all");
}

/// What is as it was is shared with the catalog before.
fn assert_shared(statement: &str, before: &Catalog, now: &Catalog) {
    for relation in &now.relations {
        let known = before.relation(&relation.schema, &relation.name);
        if let Some(known) = known.filter(|known| *known == relation) {
            assert!(Arc::ptr_eq(known, relation), "{statement}: {}", relation.name);
        }
    }
}

/// A file is read for so long and no longer; then the connection serves as before.
#[test]
fn sqlite_is_read_in_time() {
    let folder = files::Folder::new();
    let path = folder.load("a.db", &[&tables(200)]);
    let open = |schema_timeout| -> SharedStore {
        let limits = Limits { schema_timeout, ..Limits::default() };
        let opened = duet_sqlite::Database::open(&path, &Default::default(), limits);
        Arc::new(opened.unwrap())
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let hurried = open(Duration::ZERO);
    let error = runtime.block_on(hurried.introspect()).unwrap_err();
    assert_eq!(error.code, Code::Timeout);
    assert!(error.message.contains("`schema_timeout`"), "{error}");
    assert!(runtime.block_on(hurried.schema_version()).is_ok());
    let patient = open(Duration::from_secs(600));
    assert_eq!(runtime.block_on(patient.introspect()).unwrap().relations.len(), 400);
}

/// A client of a database, whose tasks run while `work` does.
fn with_client<T>(database: &Database, user: &str, work: impl AsyncFnOnce(&Client) -> T) -> T {
    let url = database.url().replace("user=postgres", &format!("user={user}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        work(&client).await
    })
}

#[test]
fn postgres_is_read_again_as_at_first() {
    // Roles are those of all databases of a server.
    let server = Server::start();
    let database = server.database("again");
    database.exec(
        "CREATE ROLE reader LOGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader",
    );
    with_client(&database, "reader", async |client| {
        let mut memory = duet_postgres::catalog::Memory::default();
        let mut before = Catalog::default();
        let mut in_part = 0;
        for statement in STATEMENTS.iter().chain(&OF_POSTGRES) {
            // Some name what is not there, and change nothing.
            if let Err(error) = database.try_exec(statement) {
                assert!(statement.contains("_gone"), "{error}");
            }
            let all = SchemaFilter::All;
            let again =
                duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
            let first = duet_postgres::catalog::introspect(client, &all).await.unwrap();
            assert_eq!(again, first, "{statement}");
            assert_shared(statement, &before, &again);
            in_part += u32::from(memory.read() < again.relations.len());
            before = again;
        }
        assert!(in_part > 50, "{in_part} times some relations were read, and not all");
    });
}

/// A transaction that began before a reading, and ends behind it, is not missed.
#[test]
fn changes_of_a_transaction_that_was_under_way_are_read() {
    let database = Server::shared().database("again_under_way");
    database.exec("CREATE TABLE early (id integer PRIMARY KEY); CREATE TABLE late (a text)");
    with_client(&database, "postgres", async |client| {
        let (all, mut memory) = (SchemaFilter::All, duet_postgres::catalog::Memory::default());
        duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
        let (other, connection) = tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        other.batch_execute("BEGIN; ALTER TABLE early ADD COLUMN b text").await.unwrap();
        database.exec("ALTER TABLE late ADD COLUMN c text");
        let between =
            duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
        let columns = |catalog: &Catalog| -> Vec<usize> {
            catalog.relations.iter().map(|relation| relation.columns.len()).collect()
        };
        assert_eq!(columns(&between), [1, 2]);
        other.batch_execute("COMMENT ON COLUMN early.b IS 'b'; COMMIT").await.unwrap();
        let after =
            duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
        assert_eq!(columns(&after), [2, 2]);
        assert_eq!(after, duet_postgres::catalog::introspect(client, &all).await.unwrap());
        // What is deleted leaves no row that is newer.
        for statement in
            ["COMMENT ON COLUMN early.b IS NULL", "ALTER TABLE early DROP CONSTRAINT early_pkey"]
        {
            database.exec(statement);
            let after =
                duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
            assert_eq!(
                after,
                duet_postgres::catalog::introspect(client, &all).await.unwrap(),
                "{statement}"
            );
        }
    });
}

/// So many tables, each with a key to the one before.
fn tables(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let key = match at {
            0 => String::new(),
            _ => format!(" REFERENCES t{} (id) ON DELETE CASCADE", at - 1),
        };
        // Writing to a String cannot fail.
        let _ = write!(text, "CREATE TABLE t{at} (id integer PRIMARY KEY{key}, a varchar(9));");
        let _ = write!(text, "CREATE VIEW v{at} AS SELECT a FROM t{at};");
    }
    text
}

/// One table is changed: it is read, with the tables that keys join to it, and its view on SQLite.
const CHANGE: &str = "ALTER TABLE t50 ADD COLUMN b integer";

#[test]
fn sqlite_reads_what_has_changed() {
    let read = [100, 200].map(|count| {
        let folder = files::Folder::new();
        let path = folder.load("a.db", &[&tables(count)]);
        let (writer, reader) = (files::open(&path), files::open(&path));
        let mut memory = duet_sqlite::catalog::Memory::default();
        duet_sqlite::catalog::introspect_again(&reader, &mut memory).unwrap();
        assert_eq!(memory.read(), 2 * count);
        duet_sqlite::catalog::introspect_again(&reader, &mut memory).unwrap();
        assert_eq!(memory.read(), 0);
        writer.execute_batch(CHANGE).unwrap();
        duet_sqlite::catalog::introspect_again(&reader, &mut memory).unwrap();
        memory.read()
    });
    assert_eq!(read, [2; 2]);
}

#[test]
fn postgres_reads_what_has_changed() {
    let read = [100, 200].map(|count| {
        let database = Server::shared().database(&format!("again_{count}"));
        database.exec(&tables(count));
        with_client(&database, "postgres", async |client| {
            let (all, mut memory) = (SchemaFilter::All, duet_postgres::catalog::Memory::default());
            duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
            assert_eq!(memory.read(), 2 * count);
            // Until all transactions have ended that were under way with the tables'.
            while memory.read() > 0 {
                duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
            }
            database.exec(CHANGE);
            duet_postgres::catalog::introspect_again(client, &all, &mut memory).await.unwrap();
            memory.read()
        })
    });
    // The table, and that to which its key leads.
    assert_eq!(read, [2; 2]);
}
