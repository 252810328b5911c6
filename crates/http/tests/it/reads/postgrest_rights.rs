//! The profile `compat = "postgrest"` on PostgreSQL: what leads to rows in other ways than their table's own path gives no
//! more than that does.

use duet_model::ProfileRef;
use duet_service::definition::Resource;
use serde_json::json;

use crate::support::{App, Database, Setup};

const TABLES: &str = "
CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer PRIMARY KEY, name text NOT NULL, pin text, team_id integer REFERENCES team (id));
INSERT INTO team VALUES (1, 'Red');
INSERT INTO driver VALUES (10, 'Max', '1234', 1);
CREATE VIEW shown AS SELECT id, name, pin, team_id FROM driver;
CREATE FUNCTION all_drivers() RETURNS SETOF driver LANGUAGE sql STABLE AS 'SELECT * FROM driver';
CREATE FUNCTION members(team) RETURNS SETOF driver LANGUAGE sql STABLE AS 'SELECT * FROM driver WHERE team_id = $1.id';
CREATE FUNCTION initial(team) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT left($1.name, 1)';
";

fn setup(name: &str) -> Setup {
    let database = Database::postgres(name);
    database.exec(TABLES);
    Setup::new(&database).with(|setup| {
        setup.mount().profile = ProfileRef::named("postgrest").unwrap();
        let hides = |name: &str, table: &str| Resource {
            name: name.into(),
            table: table.into(),
            hidden: vec!["pin".into()],
            ..Resource::default()
        };
        // Under another name than that of the table.
        setup.mount().resources = vec![hides("pilot", "driver"), hides("shown", "shown")];
    })
}

fn code(app: &App, path: &str) -> (u16, String) {
    let answer = app.get(&format!("/ords/hr/{path}"));
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn hidden_columns_stay_hidden() {
    let app = setup("postgrest_hidden")
        .with(|setup| setup.roles = vec!["duet.read", "duet.execute"])
        .start();
    let rows = |path: &str| app.get(&format!("/ords/hr/{path}")).json();
    let driver = json!({ "id": 10, "name": "Max", "team_id": 1 });
    assert_eq!(rows("rpc/all_drivers"), json!([driver]));
    assert_eq!(rows("pilot"), json!([driver]));
    for embed in ["members", "pilot", "shown"] {
        let found = rows(&format!("team?select={embed}(*)"));
        assert_eq!(found, json!([{ embed: [driver] }]));
        let nothing = (400, "42703".to_owned());
        assert_eq!(code(&app, &format!("team?select={embed}(pin)")), nothing);
        assert_eq!(code(&app, &format!("team?select={embed}(id)&{embed}.pin=eq.1")), nothing);
        assert_eq!(code(&app, &format!("team?select={embed}(id)&{embed}.order=pin")), nothing);
    }
    assert_eq!(code(&app, "rpc/all_drivers?pin=eq.1").1, "42703");
}

#[test]
fn what_a_caller_may_not_use_is_not_embedded() {
    let app = setup("postgrest_rights")
        .with(|setup| setup.roles = vec!["reader"])
        .privilege(&["reader"], &["/team/*", "/team/"])
        .start();
    let teams = app.get("/ords/hr/team?select=name");
    assert_eq!((teams.status, teams.json()), (200, json!([{ "name": "Red" }])));
    // Without the right to run it, there is no such field, and nothing that it gives.
    assert_eq!(code(&app, "team?select=initial"), (400, "42703".into()));
    assert_eq!(code(&app, "team?initial=eq.R"), (400, "42703".into()));
    assert_eq!(code(&app, "team?select=members(id)"), (400, "PGRST200".into()));
    // Without the right to read a view, none of its rows.
    for embed in ["shown", "pilot"] {
        assert_eq!(code(&app, &format!("team?select={embed}(id)")), (403, "42501".into()));
        assert_eq!(code(&app, &format!("team?select={embed}()&{embed}=is.null")).0, 403);
    }
}
