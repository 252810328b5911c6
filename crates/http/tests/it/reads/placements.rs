//! What is said of resources whose tables an engine spreads over machines.

use duet_testkit::citus::{self, SpreadTable};
use serde_json::{Value, json};

use crate::support::{Database, Setup, percent_encode};

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

/// The statements for distributed tables do on plain PostgreSQL what the others do.
#[test]
fn documents_of_distributed_tables_are_written() {
    let database = Database::postgres("placements_written");
    database.exec(TABLES);
    database.exec(
        "INSERT INTO team VALUES (1, 'Red'); INSERT INTO driver VALUES (11, 1), (12, 1);
         INSERT INTO result VALUES (101, 11), (102, 12)",
    );
    database.exec(&citus::catalog(&[
        SpreadTable::reference("team"),
        SpreadTable::distributed("driver", "id", 2),
        SpreadTable::distributed("result", "driver_id", 2),
    ]));
    let view = "view driver_dv as driver @insert @update @delete {
        _id: id  result @insert @update @delete [ { id } ]  team @unnest { teamId: id  team: name } }";
    let setup = Setup::new(&database).view("driver_dv", view);
    let app = setup.with(|setup| setup.roles = vec!["duet.read", "duet.write"]).start();
    let (mut client, bearer) = (app.connect(), app.bearer());
    let mut send = |method: &str, path: &str, body: &Value, etag: Option<&str>| {
        let path = format!("/ords/hr/{path}");
        let kind = if method == "PATCH" { "merge-patch+json" } else { "json" };
        let kind = format!("application/{kind}");
        let mut headers = vec![("Authorization", &*bearer), ("Content-Type", &*kind)];
        headers.extend(etag.map(|etag| ("If-Match", etag)));
        client.request(method, &path, &headers, body.to_string().as_bytes())
    };
    let read = app.get("/ords/hr/driver_dv/11");
    let etag = read.header("etag").unwrap().to_owned();
    let mut document = read.json();
    document["result"] = json!([{ "id": 101 }, { "id": 103 }]);
    let written = send("PUT", "driver_dv/11", &document, Some(&etag));
    assert_eq!(written.status, 200, "{written:?}");
    assert_eq!(written.json()["result"], document["result"]);
    let again = send("PUT", "driver_dv/11", &document, Some(&etag));
    assert_eq!(again.status, 412, "{again:?}");
    let team = json!({ "team_id": null });
    assert_eq!(send("PATCH", "driver/12", &team, None).status, 200);
    assert_eq!(send("DELETE", "driver_dv/12", &json!({}), None).status, 200);
    let count = database.count("SELECT count(*) FROM result");
    assert_eq!((count, database.count("SELECT count(*) FROM driver")), (2, 1));
}

/// Conditions on rows of arrays select the same documents whether tables are distributed or not, and also where what links
/// the rows is NULL.
#[test]
fn arrays_of_distributed_tables_are_searched_alike() {
    let rows = "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (3, 'Green');
        INSERT INTO driver VALUES (11, 1), (12, 1), (13, NULL), (14, 2);
        INSERT INTO result VALUES (101, 11), (102, 12), (103, 13)";
    let team = "view team_dv as team { _id: id  name  driver [ { id  result [ { id } ] } ] }";
    let answers = [false, true].map(|is_citus| {
        let database = Database::postgres(&format!("placements_searched_{is_citus}"));
        database.exec(TABLES);
        database.exec(rows);
        if is_citus {
            database.exec(&citus::catalog(&[
                SpreadTable::distributed("team", "id", 1),
                SpreadTable::distributed("driver", "id", 2),
                SpreadTable::distributed("result", "driver_id", 2),
            ]));
        }
        let app = Setup::new(&database).view("team_dv", team).start();
        let filters = [
            r#"{"driver.id":{"$gt":11}}"#,
            r#"{"$not":{"driver.id":{"$gt":11}}}"#,
            r#"{"driver.result.id":101}"#,
            r#"{"$or":[{"driver.result.id":{"$gte":102}},{"name":"Green"}]}"#,
            r#"{"$not":{"driver.result.id":{"$gt":0}}}"#,
        ];
        filters.map(|filter| {
            let path = format!("/ords/hr/team_dv/?q={}", percent_encode(filter));
            let page = app.get(&path);
            assert_eq!(page.status, 200, "{filter}: {page:?}");
            let page = page.json();
            let items = page["items"].as_array().unwrap();
            items.iter().map(|item| item["_id"].as_i64().unwrap()).collect::<Vec<_>>()
        })
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0][..2], [vec![1, 2], vec![3]]);
}
