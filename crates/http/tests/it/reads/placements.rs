//! What is said of resources whose tables an engine spreads over machines.

use duet_testkit::citus::{self, SpreadTable};
use serde_json::json;

use crate::support::{Database, Setup};

const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, team_id integer REFERENCES team);
CREATE TABLE result (id integer NOT NULL, driver_id integer NOT NULL REFERENCES driver,
                     PRIMARY KEY (id, driver_id));
CREATE VIEW drivers AS SELECT id FROM driver;
";
const TEAM: &str = "view team_dv as team @update { _id: id  name  driver [ { id } ] }";
const DRIVER: &str = "view driver_dv as driver @update { _id: id  result [ { id } ] }";

/// The catalog and OpenAPI say for each resource what it promises, and of what is not spread nothing.
#[test]
fn resources_say_what_they_promise() {
    let database = Database::postgres("placements");
    database.exec(TABLES);
    let start = || Setup::new(&database).view("team_dv", TEAM).view("driver_dv", DRIVER).start();
    let app = start();
    let entry = app.get("/ords/hr/metadata-catalog/driver_dv/").json();
    assert!(entry["name"].is_string() && entry.get("promises").is_none(), "{entry}");
    assert!(!app.get("/ords/hr/open-api-catalog/").text().contains("promises"));
    drop(app);
    database.exec(&citus::catalog(&[
        SpreadTable::reference("team"),
        SpreadTable::distributed("driver", "id", 2),
        SpreadTable::distributed("result", "driver_id", 2),
    ]));
    let app = start();
    let expected = [
        ("team", [true, true, true, true]),
        ("driver", [true, true, true, false]),
        ("driver_dv", [true, true, true, false]),
        ("team_dv", [true, false, false, false]),
        ("drivers", [true, false, false, false]),
    ];
    let document = app.get("/ords/hr/open-api-catalog/").json();
    for (name, [atomic, locked, whole, page]) in expected {
        let promises =
            json!({ "atomic": atomic, "locked": locked, "document": whole, "page": page });
        let entry = app.get(&format!("/ords/hr/metadata-catalog/{name}/")).json();
        assert_eq!(entry["promises"], promises, "{name}: {entry}");
        let tags = document["tags"].as_array().unwrap();
        let tag = tags.iter().find(|tag| tag["name"] == name).unwrap();
        assert_eq!(tag["x-duet-promises"], promises, "{tag}");
        let text = tag["description"].as_str().unwrap();
        assert_eq!(text.contains("A document may be torn"), !whole, "{text}");
    }
}
