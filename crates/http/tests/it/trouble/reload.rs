//! The schema changes while it is served: no request fails but for what is gone, and none
//! gets one type's bytes read as another's.

use duet_testkit::http::Response;
use duet_testkit::postgres::Server;

use crate::support::{App, Database, Load, Setup, eventually, on_both_stores};

on_both_stores! {
    noticed_by_looking
    noticed_when_told
    noticed_by_a_failing_statement
    columns_come_and_go_under_load
    tables_come_and_go_under_load
    a_column_is_renamed_under_load
    a_burst_is_merged
    a_view_is_out_and_back
    all_views_of_a_file_are_out
    a_view_of_the_database_changes
    new_objects_break_no_view
    what_is_not_served_drops_nothing
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
INSERT INTO team VALUES (1, 'Red Bull', 0), (301, 'Ferrari', 30);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  team_id integer REFERENCES team (team_id));
INSERT INTO driver VALUES (103, 'Charles', 301);
";

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id' : t.team_id, 'name' : t.name,
                'driver' : [ SELECT JSON { 'driverId' : d.driver_id, 'name' : d.name }
                               FROM driver d WHERE d.team_id = t.team_id ] } FROM team t;";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database).view("team_dv", VIEW)
}

fn status(app: &App, path: &str) -> u16 {
    app.get(path).status
}

fn has(app: &App, path: &str, member: &str) -> bool {
    app.get(path).json().get(member).is_some()
}

fn noticed_by_looking(database: Database) {
    let app = setup(&database).start();
    assert_eq!(status(&app, "/ords/hr/race/1"), 404);
    database.exec(
        "CREATE TABLE race (race_id integer NOT NULL PRIMARY KEY); INSERT INTO race VALUES (1);",
    );
    eventually("the new table is served", || status(&app, "/ords/hr/race/1") == 200);
    database.exec("ALTER TABLE team ADD COLUMN country varchar(2)");
    eventually("the new column is served", || has(&app, "/ords/hr/team/301", "country"));
    database.exec("DROP TABLE race");
    eventually("the table is gone", || status(&app, "/ords/hr/race/1") == 404);
    let generation = app.generation();
    assert!((2..=4).contains(&generation), "{generation}");
}

fn noticed_when_told(database: Database) {
    let app = setup(&database).without_poll().start();
    database.exec("ALTER TABLE team ADD COLUMN country varchar(2)");
    assert!(!has(&app, "/ords/hr/team/301", "country"), "nobody has told it yet");
    let told = app.reload();
    assert_eq!((told.status, &told.json()["generation"]), (200, &2.into()), "{told:?}");
    assert!(has(&app, "/ords/hr/team/301", "country"));
    let document = app.get("/ords/hr/open-api-catalog/team/");
    assert!(document.text().contains("country"));
}

/// Without polling or a notification, the first request that meets the change reloads.
fn noticed_by_a_failing_statement(database: Database) {
    let app = setup(&database).without_poll().start();
    let all = ["/ords/hr/team/301", "/ords/hr/team/", "/ords/hr/team_dv/301", "/ords/hr/team_dv/"];
    for path in all {
        assert_eq!(status(&app, path), 200);
    }
    database.exec("ALTER TABLE team DROP COLUMN points");
    for path in all {
        assert_eq!(status(&app, path), 200, "{path}");
    }
    assert_eq!(app.generation(), 2);
    assert!(!has(&app, "/ords/hr/team/301", "points"));
    database.exec("ALTER TABLE driver RENAME COLUMN name TO surname; ALTER TABLE driver ADD COLUMN name text;");
    database.exec("ALTER TABLE team RENAME TO squad");
    for (path, expected) in
        [("/ords/hr/team/301", 404), ("/ords/hr/team/", 404), ("/ords/hr/squad/301", 200)]
    {
        assert_eq!(status(&app, path), expected, "{path}");
    }
    assert_eq!(app.generation(), 3);
    // A request that fails for another reason is no reason to look.
    assert_eq!(status(&app, "/ords/hr/squad/999"), 404);
    assert_eq!(app.generation(), 3);
}

/// An answer is right by the schema before or after the change, never something in between.
fn columns_come_and_go_under_load(database: Database) {
    let app = setup(&database).start();
    let paths =
        ["/ords/hr/team/301", "/ords/hr/team/", "/ords/hr/driver/103", "/ords/hr/team_dv/301"];
    let load = Load::start(&app, 4, &paths, |path, response| {
        let body = right(response)?;
        let item = if path.ends_with("team/") { &body["items"][1] } else { &body };
        let name = if path.contains("driver") { "Charles" } else { "Ferrari" };
        if item["name"] == name { Ok(()) } else { Err("another name".into()) }
    });
    for round in 0..6 {
        load.more(50);
        database.exec("ALTER TABLE team ADD COLUMN extra integer");
        load.more(20);
        database.exec("UPDATE team SET extra = 1");
        if !database.is_sqlite() {
            let ty = ["text", "bigint", "numeric", "uuid USING NULL"][round % 4];
            database.exec(&format!("ALTER TABLE team ALTER COLUMN extra TYPE {ty}"));
            load.more(20);
        }
        database.exec("ALTER TABLE team DROP COLUMN extra");
    }
    load.more(50);
    assert!(load.stop() > 300);
    eventually("the last change is served", || !has(&app, "/ords/hr/team/301", "extra"));
}

fn right(response: &Response) -> Result<serde_json::Value, String> {
    if response.status == 200 { Ok(response.json()) } else { Err("not 200".into()) }
}

fn tables_come_and_go_under_load(database: Database) {
    let app = setup(&database).start();
    let paths = ["/ords/hr/race/1", "/ords/hr/team/301", "/ords/hr/race/"];
    let load = Load::start(&app, 4, &paths, |path, response| {
        match (response.status, path.contains("race")) {
            (200, _) | (404, true) => Ok(()),
            _ => Err("neither there nor gone".into()),
        }
    });
    for round in 0..6 {
        database.exec("CREATE TABLE race (race_id integer NOT NULL PRIMARY KEY, laps integer); INSERT INTO race VALUES (1, 7);");
        assert_eq!(app.reload().status, 200);
        assert_eq!(status(&app, "/ords/hr/race/1"), 200);
        load.more(20);
        if round % 2 == 0 {
            database.exec("DROP TABLE race");
        } else {
            database.exec("ALTER TABLE race RENAME TO old_race; DROP TABLE old_race;");
        }
        assert_eq!(status(&app, "/ords/hr/race/1"), 404);
        load.more(20);
    }
    load.stop();
}

fn a_column_is_renamed_under_load(database: Database) {
    let app = setup(&database).start();
    let load =
        Load::start(&app, 4, &["/ords/hr/team/301", "/ords/hr/team/?limit=2"], |path, response| {
            let body = right(response)?;
            let item = if path.contains('?') { &body["items"][1] } else { &body };
            // One name or the other, with its value.
            let values = ["points", "score"].map(|name| item[name].clone());
            let seen = values.iter().filter(|value| **value == 30).count();
            if seen == 1 && values.iter().any(serde_json::Value::is_null) {
                Ok(())
            } else {
                Err("torn".into())
            }
        });
    for _ in 0..6 {
        load.more(30);
        database.exec("ALTER TABLE team RENAME COLUMN points TO score");
        load.more(30);
        database.exec("ALTER TABLE team RENAME COLUMN score TO points");
    }
    load.stop();
}

fn a_burst_is_merged(database: Database) {
    let app = setup(&database).start();
    let before = app.generation();
    let burst: String =
        (0..200).map(|n| format!("CREATE TABLE burst_{n} (id integer PRIMARY KEY);\n")).collect();
    database.exec(&burst);
    eventually("the last table is served", || status(&app, "/ords/hr/burst_199/") == 200);
    let reloads = app.generation() - before;
    assert!(reloads < 100, "{reloads} reloads for one burst");
    // Nothing more happens once it is over.
    let after = app.generation();
    app.reload();
    assert_eq!(app.generation(), after, "nothing has changed");
    assert_eq!(app.get("/ords/hr/metadata-catalog/?limit=1000").json()["count"], 203);
}

fn a_view_is_out_and_back(database: Database) {
    let app = setup(&database).start();
    let paths = ["/ords/hr/team/301", "/ords/hr/driver/"];
    let load = Load::start(&app, 2, &paths, |_, response| right(response).map(drop));
    for path in ["/ords/hr/team_dv/301", "/ords/hr/team_dv/"] {
        database.exec("ALTER TABLE driver RENAME COLUMN name TO full_name");
        eventually("the view is out", || status(&app, path) == 503);
        let response = app.get(path);
        assert_eq!(response.json()["errors"][0]["code"], "DUET-6013");
        assert!(response.text().contains("does not fit the schema"), "{response:?}");
        assert!(response.header("retry-after").is_some());
        let operator = app.get("/admin/status").json();
        let notes = operator["applications"][0]["notes"].to_string();
        assert!(notes.contains("driver has no column name"), "{notes}");
        assert_eq!(app.connect().get(path, &[]).status, 401, "strangers learn nothing");
        database.exec("ALTER TABLE driver RENAME COLUMN full_name TO name");
        eventually("the view is back", || status(&app, path) == 200);
    }
    load.stop();
    assert_eq!(app.get("/ords/hr/team_dv/301").json()["driver"][0]["name"], "Charles");
}

/// A file may define several views, and need not be named after any of them.
fn all_views_of_a_file_are_out(database: Database) {
    database.exec(TABLES);
    let second = "CREATE JSON RELATIONAL DUALITY VIEW driver_dv AS
      SELECT JSON { '_id' : d.driver_id, 'name' : d.name } FROM driver d;";
    let app = Setup::new(&database).view("season", &format!("{VIEW}\n{second}")).start();
    let paths = ["/ords/hr/team_dv/301", "/ords/hr/driver_dv/103"];
    for _ in 0..2 {
        database.exec("ALTER TABLE driver RENAME COLUMN name TO full_name");
        eventually("the views are out", || paths.iter().all(|path| status(&app, path) == 503));
        // Another reload while they are out does not make them unknown.
        assert_eq!(app.reload().status, 200);
        assert!(paths.iter().all(|path| status(&app, path) == 503));
        database.exec("ALTER TABLE driver RENAME COLUMN full_name TO name");
        eventually("the views are back", || paths.iter().all(|path| status(&app, path) == 200));
    }
}

fn a_view_of_the_database_changes(database: Database) {
    database.exec("CREATE TABLE base (id integer NOT NULL PRIMARY KEY, a integer, b text); INSERT INTO base VALUES (1, 2, 'three');");
    database.exec("CREATE VIEW seen AS SELECT id, a AS value FROM base");
    let mut setup = setup(&database).without_poll();
    setup.mount().resources.push(duet_service::definition::Resource {
        name: "seen".into(),
        table: "seen".into(),
        key: vec!["id".into()],
        ..Default::default()
    });
    let app = setup.start();
    assert_eq!(app.get("/ords/hr/seen/1").json()["value"], 2);
    // The same name, another type: the old statement would still run on a new connection.
    database.exec("DROP VIEW seen; CREATE VIEW seen AS SELECT id, b AS value FROM base;");
    assert_eq!(app.get("/ords/hr/seen/1").json()["value"], "three");
    assert_eq!(app.get("/ords/hr/seen/").json()["items"][0]["value"], "three");
    database.exec("DROP VIEW seen");
    assert_eq!(status(&app, "/ords/hr/seen/1"), 404);
}

/// Another foreign key, table or view beside those of a definition changes nothing for it.
fn new_objects_break_no_view(database: Database) {
    database.exec(TABLES);
    let by_keys = "CREATE JSON RELATIONAL DUALITY VIEW team_dv_2 AS
      team { _id : team_id name driver [ { driverId : driver_id name } ] };";
    let app = Setup::new(&database).view("team_dv", VIEW).view("team_dv_2", by_keys).start();
    let paths = ["/ords/hr/team_dv/301", "/ords/hr/team_dv_2/301", "/ords/hr/team/301"];
    let before = paths.map(|path| app.get(path).json());
    assert_eq!(before[0]["driver"], before[1]["driver"]);
    database.exec(
        "CREATE VIEW driver_names AS SELECT name FROM driver;
         CREATE TABLE seat (team_id integer NOT NULL REFERENCES team (team_id),
           driver_id integer NOT NULL REFERENCES driver (driver_id), PRIMARY KEY (team_id, driver_id));
         ALTER TABLE driver ADD COLUMN second_team_id integer REFERENCES team (team_id);",
    );
    assert_eq!(app.reload().status, 200);
    for (path, before) in paths.iter().zip(&before) {
        let after = app.get(path).json();
        for member in ["_id", "team_id", "name", "driver"] {
            assert_eq!(after[member], before[member], "{path} {member} {after}");
        }
    }
}

/// Without an application every schema has its mount, new ones too.
#[test]
fn a_schema_comes_and_goes() {
    let database = Database::postgres("reload_schemas");
    database.exec(TABLES);
    let app = Setup::new(&database)
        .with(|setup| setup.mounts = duet_service::definition::Mounts::AdHoc)
        .start();
    let load =
        Load::start(&app, 2, &["/api/public/team/301"], |_, response| right(response).map(drop));
    for _ in 0..3 {
        assert_eq!(status(&app, "/api/other/race/1"), 404);
        database.exec("CREATE SCHEMA other CREATE TABLE race (race_id int PRIMARY KEY); INSERT INTO other.race VALUES (1);");
        eventually("the schema is served", || status(&app, "/api/other/race/1") == 200);
        database.exec("ALTER SCHEMA other RENAME TO another");
        eventually("it has another name", || status(&app, "/api/another/race/1") == 200);
        assert_eq!(status(&app, "/api/other/race/1"), 404);
        database.exec("DROP SCHEMA another CASCADE");
        eventually("the schema is gone", || status(&app, "/api/another/race/1") == 404);
    }
    load.stop();
}

/// A table that is not served, an index on it, new statistics: the snapshot stays, for requests of
/// a reload.
fn what_is_not_served_drops_nothing(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database)
        .view("team_dv", VIEW)
        .with(|setup| {
            setup.mount().all_tables = false;
            setup.mount().resources.push(duet_service::definition::Resource {
                name: "team".into(),
                table: "team".into(),
                ..Default::default()
            });
        })
        .start();
    assert_eq!(status(&app, "/ords/hr/team/301"), 200);
    let looked = app.service.store_counted().schema_looks;
    database
        .exec("CREATE TABLE staging (a integer); CREATE INDEX staging_a ON staging (a); ANALYZE;");
    assert_eq!(app.reload().json()["generation"], 1);
    eventually("more looks", || app.service.store_counted().schema_looks >= looked + 12);
    assert_eq!(app.generation(), 1);
    database.exec("ALTER TABLE team ADD COLUMN country varchar(2)");
    eventually("the new column is served", || has(&app, "/ords/hr/team/301", "country"));
    assert_eq!(app.generation(), 2);
}

/// Temporary tables of other sessions are nothing that is served: no reload, and where the server
/// reports no rows written to its catalogs, they are not even read.
#[test]
fn temporary_tables_change_nothing() {
    // A server of its own: transactions in other databases of a shared one move its snapshot.
    let server = Server::start();
    let database = Database::Postgres(server.database("reload_temporary"));
    let app = setup(&database).start();
    let counted = || app.service.store_counted();
    let looks = |more: u64| {
        let begun = counted().schema_looks;
        eventually("more looks", || counted().schema_looks >= begun + more);
    };
    looks(7);
    let sums = counted().schema_sums;
    looks(20);
    assert_eq!(counted().schema_sums, sums, "an idle database is not summed up");
    for round in 0..8 {
        database.exec(&format!(
            "CREATE TEMP TABLE scratch_{round} (id serial PRIMARY KEY, note text CHECK (note <> ''));
             COMMENT ON TABLE scratch_{round} IS 'x'; CREATE TEMP VIEW seen AS SELECT 1 AS a;
             CREATE TYPE pg_temp.pair AS (a int, b int);"
        ));
        looks(2);
    }
    looks(12);
    assert!(counted().schema_sums > sums);
    assert_eq!(app.generation(), 1);
    // What writes do to rows moves the server's snapshot, not its catalogs.
    looks(7);
    let sums = counted().schema_sums;
    for _ in 0..4 {
        database.exec("UPDATE team SET points = points + 1");
        looks(1);
    }
    assert!(counted().schema_sums <= sums + 2, "{} sums", counted().schema_sums - sums);
}
