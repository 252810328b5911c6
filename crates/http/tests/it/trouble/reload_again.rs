//! A server that was told of every change of the schema serves and says what one does that starts now.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    every_reload_is_as_good_as_a_start
}

/// Changes for both stores; no second key between two tables, whose names a start would choose otherwise.
const CHANGES: [&str; 20] = [
    "CREATE TABLE race (race_id integer NOT NULL PRIMARY KEY, name text, driver_id integer)",
    "ALTER TABLE race ADD COLUMN team_id integer REFERENCES team (team_id)",
    "CREATE VIEW winners AS SELECT name, points FROM team",
    "ALTER TABLE team ADD COLUMN Country text",
    "CREATE TABLE result (race_id integer NOT NULL REFERENCES race (race_id) ON DELETE CASCADE, place integer)",
    "CREATE UNIQUE INDEX one_place ON result (race_id, place)",
    "ALTER TABLE driver RENAME COLUMN name TO full_name",
    "CREATE TABLE drivers (driver_id integer PRIMARY KEY, links text)",
    "DROP TABLE drivers",
    "ALTER TABLE result RENAME TO results",
    "CREATE TABLE search (id integer PRIMARY KEY)",
    "ALTER TABLE team RENAME COLUMN points TO score",
    "DROP VIEW winners",
    "CREATE VIEW winners AS SELECT team_id, score FROM team",
    "ALTER TABLE race DROP COLUMN driver_id",
    "DROP INDEX one_place",
    "INSERT INTO team (team_id, name) VALUES (3, 'Alpine')",
    "ANALYZE",
    "DROP TABLE results",
    "CREATE TABLE results (race_id integer REFERENCES race (race_id), code integer)",
];

const OF_POSTGRES: [&str; 12] = [
    "CREATE TABLE \"Team\" (id integer PRIMARY KEY)",
    "DROP TABLE \"Team\"",
    "COMMENT ON TABLE race IS 'races'",
    "COMMENT ON COLUMN race.name IS 'its name'",
    "CREATE FUNCTION best() RETURNS SETOF race LANGUAGE sql STABLE AS 'SELECT * FROM race'",
    "ALTER TABLE race ADD COLUMN laps integer",
    "CREATE TYPE mood AS ENUM ('good', 'bad')",
    "ALTER TABLE race ADD COLUMN mood mood",
    "ALTER TYPE mood ADD VALUE 'fair'",
    "CREATE TABLE part (id integer NOT NULL, race_id integer) PARTITION BY RANGE (id)",
    "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10)",
    "ALTER TABLE part_1 ADD FOREIGN KEY (race_id) REFERENCES race",
];

const SERVED: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  team_id integer REFERENCES team (team_id));
";

const VIEW: &str = "view team_dv as team { _id: team_id name driver [ { driverId: driver_id } ] }";

fn setup(database: &Database) -> Setup {
    Setup::new(database).view("team_dv", VIEW).without_poll()
}

/// Everything that is described, and what the operator reads.
fn described(app: &App) -> Vec<Value> {
    let mut found = Vec::new();
    for path in ["", "open-api-catalog/", "metadata-catalog/"] {
        let mut answer = app.get(&format!("/ords/hr/{path}")).json();
        if let Some(servers) = answer.get_mut("servers") {
            servers.take();
        }
        found.push(without_addresses(answer, app.url()));
    }
    let index = found[0]["resources"].as_array().unwrap().clone();
    for resource in index {
        let name = resource["name"].as_str().unwrap();
        for path in [format!("metadata-catalog/{name}/"), format!("open-api-catalog/{name}/")] {
            let answer = app.get(&format!("/ords/hr/{path}"));
            found.push(without_addresses(answer.json(), app.url()));
        }
    }
    let status = app.get("/admin/status").json();
    found.push(status["applications"][0]["notes"].clone());
    found
}

fn without_addresses(value: Value, url: &str) -> Value {
    serde_json::from_str(&value.to_string().replace(url, "")).unwrap()
}

fn every_reload_is_as_good_as_a_start(database: Database) {
    database.exec(SERVED);
    let app = setup(&database).start();
    let of_postgres = if database.is_sqlite() { &[][..] } else { &OF_POSTGRES };
    for change in CHANGES.iter().chain(of_postgres) {
        database.exec(change);
        let told = app.reload();
        assert_eq!(told.status, 200, "{change}: {}", told.text());
        let started = setup(&database).start();
        let (reloaded, fresh) = (described(&app), described(&started));
        assert_eq!(reloaded.len(), fresh.len(), "{change}");
        for (one, other) in reloaded.iter().zip(&fresh) {
            assert_eq!(one, other, "{change}");
        }
        started.stop();
    }
}

/// A database that hangs keeps a reload no longer than `schema_timeout`: what was served stays in force.
#[test]
fn a_reload_ends_though_the_database_hangs() {
    let database = Database::postgres("reload_hangs");
    database.exec(SERVED);
    // The start has the same limit, on a busy machine too.
    let limit = Duration::from_secs(4);
    let app = setup(&database).with(|setup| setup.limits.schema_timeout = limit).start();
    database.exec("ALTER TABLE team ADD COLUMN country text");
    let Database::Postgres(server) = &database else { unreachable!() };
    // A catalog that nothing else reads.
    let script = "SET application_name = 'held'; BEGIN; LOCK TABLE pg_catalog.pg_ts_config IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)";
    let mut holder = Command::new("psql");
    let holder = holder.args([&server.url(), "-c", script]);
    let mut holder = holder.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let locks = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
                  AND relation = 'pg_catalog.pg_ts_config'::regclass";
    eventually("the catalog is locked", || database.count(locks) == 1);
    let told = app.reload();
    assert_eq!(told.status, 504, "{}", told.text());
    assert!(
        told.text().contains("DUET-6003") && told.text().contains("schema_timeout"),
        "{told:?}"
    );
    let team = app.get("/ords/hr/team/");
    assert_eq!((team.status, app.generation()), (200, 1));
    database.count(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE application_name = 'held' AND datname = current_database()",
    );
    assert!(!holder.wait().unwrap().success());
    assert_eq!(app.reload().status, 200);
    assert!(app.get("/ords/hr/open-api-catalog/team/").text().contains("country"));
}
