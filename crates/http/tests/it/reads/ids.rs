//! Many items by their keys in one answer: `?ids=1,2,3`.

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    items_are_those_of_their_own_requests
    from_memory_and_from_the_database
    composite_and_text_keys
    keys_that_are_equal_to_the_database
    rights_are_those_of_items
    what_cannot_be_is_refused
}

const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL, ids integer);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL,
                     team_id integer REFERENCES team (id));
CREATE TABLE lap (race integer NOT NULL, no varchar(8) NOT NULL, ms integer, PRIMARY KEY (race, no));
CREATE TABLE word (word varchar(20) NOT NULL PRIMARY KEY);
CREATE TABLE loose (n integer);
INSERT INTO team VALUES (1, 'Red', 1), (2, 'Blue', 1), (3, 'Grey', NULL), (4, 'Pink', 9);
INSERT INTO driver VALUES (11, 'Ann', 1), (21, 'Cem', 2);
INSERT INTO lap VALUES (1, '1', 81), (1, '2', 82), (2, 'a,b;c', 83);
INSERT INTO word VALUES ('plain'), ('a,b'), ('50%'), ('two words'), ('\"');
";

const VIEW: &str = "view team_dv as team @update { _id: id  name  driver [ { id name } ] }";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database).view("team_dv", VIEW).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
        setup.read_limits.rowstore_max_age = None;
        setup.read_limits.max_page_size = 5;
        let (name, table) = ("team_dv".to_owned(), "team_dv".to_owned());
        let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
        setup.mount().resources.push(resource);
    })
}

fn get(app: &App, path: &str) -> Response {
    app.get(&format!("/ords/hr/{path}"))
}

/// Without the moment at which the rows were read.
fn without_asof(mut item: Value) -> Value {
    if let Some(metadata) = item.get_mut("_metadata") {
        metadata["asof"] = Value::Null;
    }
    item
}

fn items(response: &Response) -> Vec<Value> {
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["items"].as_array().unwrap().iter().cloned().map(without_asof).collect()
}

fn items_are_those_of_their_own_requests(database: Database) {
    let app = setup(&database).start();
    for (resource, rest) in [
        ("team", ""),
        ("team_dv", ""),
        ("team", "&fields=name"),
        ("team_dv", "&fields=name,driver.name"),
        ("driver", "&expand=team"),
    ] {
        let keys: &[i64] = if resource == "driver" { &[21, 11] } else { &[3, 1, 2] };
        let own = rest.replacen('&', "?", 1);
        let expected: Vec<Value> = keys
            .iter()
            .map(|key| without_asof(get(&app, &format!("{resource}/{key}{own}")).json()))
            .collect();
        let joined = keys.iter().map(ToString::to_string).collect::<Vec<_>>();
        for between in [",", "%2C"] {
            let path = format!("{resource}/?ids={}{rest}", joined.join(between));
            assert_eq!(items(&get(&app, &path)), expected, "{path}");
        }
    }
    // What cannot be a key has no item either.
    let missing = |path: &str| get(&app, path).json()["missing"].clone();
    assert_eq!(missing("team/?ids=x,2,1.5,x"), json!(["x", "1.5"]));
    assert_eq!(missing("lap/?ids=1,2,3"), json!(["1,2,3"]));
    // In the order asked for, each once; what is not there is named.
    let answer = get(&app, "team/?ids=2,99,1,2,02,98");
    let ids: Vec<Value> = items(&answer).iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, [2, 1]);
    let mut page = answer.json();
    page.as_object_mut().unwrap().remove("items");
    let base = app.url();
    let links = json!([
        { "rel": "self", "href": format!("{base}/ords/hr/team/?ids=2,99,1,2,02,98") },
        { "rel": "edit", "href": format!("{base}/ords/hr/team/") },
        { "rel": "describedby", "href": format!("{base}/ords/hr/metadata-catalog/team/") },
        { "rel": "first", "href": format!("{base}/ords/hr/team/?ids=2,99,1,2,02,98") },
    ]);
    assert_eq!(
        page,
        json!({ "missing": ["99", "98"], "hasMore": false, "limit": 4, "offset": 0, "count": 2, "links": links })
    );
    let none = get(&app, "team/?ids=99").json();
    assert_eq!(
        (&none["items"], &none["missing"], &none["count"]),
        (&json!([]), &json!(["99"]), &json!(0))
    );
    // The etag is that of the items.
    let etag = answer.header("etag").unwrap().to_owned();
    let unchanged = |etag: &str| {
        app.get_with("/ords/hr/team/?ids=2,99,1,2,02,98", &[("If-None-Match", etag)]).status
    };
    assert_eq!(unchanged(&etag), 304);
    database.exec("UPDATE team SET name = 'Bluer' WHERE id = 2");
    assert_eq!(unchanged(&etag), 200);
    // A column of the same name is a field of filters.
    let filter = percent_encode(r#"{"ids":1}"#);
    assert_eq!(get(&app, &format!("team/?q={filter}")).json()["count"], 2);
}

fn from_memory_and_from_the_database(database: Database) {
    let app = setup(&database).start();
    let source = |path: &str| {
        let response = get(&app, path);
        assert_eq!(response.status, 200, "{}", response.text());
        response.header("x-cache").unwrap_or("none").to_owned()
    };
    assert_eq!(source("team_dv/2"), "miss");
    assert_eq!(source("team_dv/?ids=1,2"), "miss", "one of them is not in memory");
    assert_eq!(source("team_dv/?ids=1,2,99"), "hit");
    assert_eq!([source("team_dv/1"), source("team_dv/3")], ["hit", "miss"]);
    assert_eq!(source("team/?ids=1,2"), "none", "nothing of it is kept");
    let fresh = [("Cache-Control", "no-cache")];
    let fresh = app.get_with("/ords/hr/team_dv/?ids=1,2", &fresh);
    assert_eq!(fresh.header("x-cache"), Some("bypass"));
    // Own writes are seen, also of rows below.
    let headers = [("Authorization", &*app.bearer()), ("Content-Type", "application/json")];
    let patch = |path: &str, body: &[u8]| {
        assert_eq!(app.connect().request("PATCH", path, &headers, body).status, 200);
    };
    patch("/ords/hr/driver/11", br#"{"name":"Anna"}"#);
    let seen = items(&get(&app, "team_dv/?ids=2,1"));
    assert_eq!(seen[1]["driver"][0]["name"], "Anna");
    // Those that are not in memory share statements.
    let before = app.service.store_counted();
    items(&get(&app, "team/?ids=1,2,3,4"));
    let after = app.service.store_counted();
    assert_eq!(after.keys - before.keys, 4);
    assert!(after.batches - before.batches <= 2, "{before:?} {after:?}");
}

fn composite_and_text_keys(database: Database) {
    let app = setup(&database).start();
    let laps = items(&get(&app, "lap/?ids=2,a%252Cb%253Bc;1,2;7,7"));
    let ms: Vec<&Value> = laps.iter().map(|lap| &lap["ms"]).collect();
    assert_eq!(ms, [83, 82]);
    let words = ["two words", "a,b", "plain", "50%", "\""];
    let keys: Vec<String> = words.iter().map(|word| percent_encode(word)).collect();
    let answer = items(&get(&app, &format!("word/?ids={}", percent_encode(&keys.join(",")))));
    let found: Vec<&Value> = answer.iter().map(|item| &item["word"]).collect();
    assert_eq!(found, words);
}

/// Keys that the database alone takes for the same are one item, from memory too.
fn keys_that_are_equal_to_the_database(database: Database) {
    let (text, before) = match database.is_sqlite() {
        true => ("varchar(20) COLLATE NOCASE", ""),
        false => ("citext", "CREATE EXTENSION citext;"),
    };
    database.exec(&format!(
        "{before} CREATE TABLE tag (tag {text} NOT NULL PRIMARY KEY, note varchar(20));
         CREATE TABLE price (price numeric(9,2) NOT NULL PRIMARY KEY);
         INSERT INTO tag VALUES ('Hello', 'a'), ('other', 'b'); INSERT INTO price VALUES (1.5);"
    ));
    let app = Setup::new(&database)
        .with(|setup| {
            let (name, table) = ("tag".to_owned(), "tag".to_owned());
            let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
            setup.mount().resources.push(resource);
        })
        .start();
    for rest in ["", "", "&fields=note"] {
        let answer = get(&app, &format!("tag/?ids=hello,HELLO,other,Hello,none{rest}"));
        let found = items(&answer);
        let notes: Vec<&Value> = found.iter().map(|item| &item["note"]).collect();
        assert_eq!(notes, ["a", "b"], "{rest}");
        let answer = answer.json();
        assert_eq!((&answer["count"], &answer["missing"]), (&json!(2), &json!(["none"])));
    }
    assert_eq!(items(&get(&app, "price/?ids=1.5,1.50,01.5")).len(), 1);
}

/// Who may read one item by its path may read it so, and no other.
fn rights_are_those_of_items(database: Database) {
    let setup = setup(&database).privilege(&["some"], &["/team/", "/team/1"]);
    let app = setup.with(|setup| setup.holders = vec!["some".into()]).start();
    let bearer = app.bearer_of("some");
    let status = |path: &str| {
        let path = format!("/ords/hr/{path}");
        app.connect().get(&path, &[("Authorization", &bearer)]).status
    };
    for key in ["1", "2"] {
        let own = status(&format!("team/{key}"));
        assert_eq!(status(&format!("team/?ids={key}")), own, "{key}");
    }
    assert_eq!(app.connect().get("/ords/hr/team/?ids=1", &[]).status, 401);
}

fn what_cannot_be_is_refused(database: Database) {
    let app = setup(&database).start();
    for (path, code, said) in [
        ("team/?ids=", "DUET-1005", "`ids` has an empty key"),
        ("team/?ids=1,,2", "DUET-1005", "`ids` has an empty key"),
        ("team/?ids=1,%2500", "DUET-", "`ids` has \"%00\"."),
        ("team/?ids=1&limit=2", "DUET-1005", "cannot be given with `limit`"),
        ("team/?ids=1&q=%7B%7D", "DUET-1005", "cannot be given with `q`"),
        ("team/?ids=1&offset=0", "DUET-1005", "cannot be given with `offset`"),
        ("team/?ids=1&after=", "DUET-1005", "cannot be given with `after`"),
        ("team/?ids=1&count=exact", "DUET-1005", "cannot be given with `count`"),
        ("team/?ids=1&ids=2", "DUET-1005", "given twice"),
        ("team/?ids=1,2,3,4,5,6", "DUET-1005", "`ids` may have 5 different keys"),
        ("team/?ids=1&fields=nme", "DUET-1005", "has no member"),
        ("team/1?ids=1", "DUET-1005", "no parameter"),
        ("loose/?ids=1", "DUET-", "has no key"),
    ] {
        let refused = get(&app, path);
        assert!((400..=404).contains(&refused.status), "{path}: {}", refused.text());
        let error = &refused.json()["errors"][0];
        assert!(error["code"].as_str().unwrap().starts_with(code), "{path}: {error}");
        assert!(refused.text().replace("\\\"", "\"").contains(said), "{path}: {}", refused.text());
    }
    assert_eq!(items(&get(&app, "team/?ids=1,2,3,4,5,1,2")).len(), 4);
}
