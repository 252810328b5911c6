//! Text that would like to be SQL: in requests, and in the names of tables and columns.

use duet_service::definition::Resource;

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    text_of_requests
    names_of_tables_and_columns
    hidden_columns
    renamed_hidden_columns
}

const TABLE: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, hush varchar(255));
INSERT INTO team VALUES (1, 'Red Bull', 'psst-1'), (301, 'Ferrari', 'psst-301');
CREATE TABLE word (word varchar(255) NOT NULL PRIMARY KEY);
";

const PAYLOADS: [&str; 14] = [
    "'; DROP TABLE team; --",
    "' OR '1'='1",
    "\"; DROP TABLE team; --",
    "1; DROP TABLE team",
    "1) OR (1=1",
    "$1",
    "?1",
    "\\'; DROP TABLE team; --",
    "%' OR name LIKE '%",
    "/* */ UNION SELECT secret FROM team --",
    "name\" FROM team; --",
    "$$; DROP TABLE team; $$",
    "1::int",
    "\u{2019} OR 1=1",
];

fn names(app: &App, path: &str) -> Vec<String> {
    let page = app.get(path).json();
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{path} {page}")).clone();
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

fn text_of_requests(database: Database) {
    database.exec(TABLE);
    let app = Setup::new(&database).start();
    for payload in PAYLOADS {
        let quoted = serde_json::Value::from(payload).to_string();
        let encoded = percent_encode(payload);
        // As a value it is a value, and finds nothing.
        for q in [
            format!(r#"{{"name":{quoted}}}"#),
            format!(r#"{{"name":{{"$like":{quoted}}}}}"#),
            format!(r#"{{"name":{{"$ilike":{quoted}}}}}"#),
            format!(r#"{{"name":{{"$instr":{quoted}}}}}"#),
            format!(r#"{{"name":{{"$in":[{quoted},{quoted}]}}}}"#),
            format!(r#"{{"name":{{"$between":[{quoted},{quoted}]}}}}"#),
        ] {
            let found = names(&app, &format!("/ords/hr/team/?q={}", percent_encode(&q)));
            assert!(found.is_empty(), "{q}: {found:?}");
        }
        // As a name it is none.
        for q in [
            format!(r#"{{{quoted}:1}}"#),
            format!(r#"{{"$orderby":{{{quoted}:"asc"}}}}"#),
            format!(r#"{{"$orderby":{{"name":{quoted}}}}}"#),
            format!(r#"{{"name":{{{quoted}:1}}}}"#),
            format!(r#"{{"team_id":{quoted}}}"#),
        ] {
            let response = app.get(&format!("/ords/hr/team/?q={}", percent_encode(&q)));
            assert_eq!(response.status, 400, "{q}: {response:?}");
        }
        for query in ["fields", "limit", "offset", "count", "after", "q", &encoded] {
            let response = app.get(&format!("/ords/hr/team/?{query}={encoded}"));
            assert_eq!(response.status, 400, "{query}={payload}: {response:?}");
        }
        for path in [format!("word/{encoded}"), format!("team/{encoded}"), format!("{encoded}/1")] {
            assert_eq!(app.get(&format!("/ords/hr/{path}")).status, 404, "{path}");
        }
        // Stored, it is found like any other text.
        let doubled = payload.replace('\'', "''");
        database.exec(&format!("INSERT INTO word VALUES ('{doubled}')"));
        let item = app.get(&format!("/ords/hr/word/{encoded}"));
        assert_eq!(item.json()["word"], payload, "{item:?}");
    }
    assert_eq!(names(&app, "/ords/hr/team/"), ["Red Bull", "Ferrari"]);
    assert_eq!(app.get("/ords/hr/word/?after=&limit=3").json()["count"], 3);
}

fn names_of_tables_and_columns(database: Database) {
    database.exec(
        r#"CREATE TABLE "we""ird; DROP TABLE x; --" ("a""b" integer NOT NULL PRIMARY KEY, "c'd" text, "select" text,
             "$1" text, "ünï cödé" text, "e.f" text, "g,h" text);
           INSERT INTO "we""ird; DROP TABLE x; --" VALUES (7, 'quote', 'keyword', 'dollar', 'unicode', 'dot', 'comma');"#,
    );
    let app = Setup::new(&database).start();
    let path = format!("/ords/hr/{}", percent_encode("we\"ird; drop table x; --"));
    for target in [format!("{path}/7"), format!("{path}/")] {
        let response = app.get(&target);
        assert_eq!(response.status, 200, "{response:?}");
        let body = response.json();
        let item = if target.ends_with('/') { &body["items"][0] } else { &body };
        for (name, value) in [
            ("c'd", "quote"),
            ("select", "keyword"),
            ("$1", "dollar"),
            ("ünï cödé", "unicode"),
            ("e.f", "dot"),
            ("g,h", "comma"),
        ] {
            assert_eq!(item[name], value, "{name} {response:?}");
        }
        assert_eq!(item["a\"b"], 7);
    }
    for name in ["c'd", "select", "ünï cödé", "a\"b"] {
        let quoted = serde_json::Value::from(name).to_string();
        let q = format!(r#"{{"$orderby":{{{quoted}:"desc"}}, {quoted}:{{"$notnull":null}}}}"#);
        let response = app.get(&format!("{path}/?q={}&after=", percent_encode(&q)));
        assert_eq!(response.json()["count"], 1, "{name}: {response:?}");
    }
    for catalog in ["metadata-catalog", "open-api-catalog"] {
        assert_eq!(app.get(&format!("/ords/hr/{catalog}/")).status, 200);
        let name = path.rsplit('/').next().unwrap();
        assert_eq!(app.get(&format!("/ords/hr/{catalog}/{name}/")).status, 200, "{catalog}");
    }
}

/// Where a hidden column gets another name, its table is not served until the application says
/// which one is to be hidden.
fn renamed_hidden_columns(database: Database) {
    database.exec(TABLE);
    let mut setup = Setup::new(&database);
    setup.mount().resources.push(Resource {
        name: "team".into(),
        table: "team".into(),
        hidden: vec!["hush".into()],
        ..Resource::default()
    });
    let app = setup.start();
    assert_eq!(app.get("/ords/hr/team/301").status, 200);
    database.exec("ALTER TABLE team RENAME COLUMN hush TO whisper");
    assert_eq!(app.reload().status, 200);
    let refused = app.get("/ords/hr/team/301");
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(!refused.text().contains("psst"), "{refused:?}");
    let notes = app.get("/admin/status").json()["applications"][0]["notes"].to_string();
    assert!(notes.contains("team has no column"), "{notes}");
    database.exec("ALTER TABLE team RENAME COLUMN whisper TO hush");
    assert_eq!(app.reload().status, 200);
    assert_eq!(app.get("/ords/hr/team/301").status, 200);
}

/// A column that is not served can be asked for in no way, not even for its name.
fn hidden_columns(database: Database) {
    database.exec(TABLE);
    let mut setup = Setup::new(&database);
    setup.mount().resources.push(Resource {
        name: "team".into(),
        table: "team".into(),
        hidden: vec!["hush".into()],
        ..Resource::default()
    });
    let app = setup.start();
    let q = |filter: &str| format!("/ords/hr/team/?q={}", percent_encode(filter));
    for path in [
        q(r#"{"hush":"psst-301"}"#),
        q(r#"{"hush":{"$like":"s%"}}"#),
        q(r#"{"$orderby":{"hush":"asc"}}"#),
        q(r#"{"hus":1}"#),
        q(r#"{"Hush":1}"#),
        "/ords/hr/team/?fields=hush".to_owned(),
        "/ords/hr/team/?fields=hus".to_owned(),
        "/ords/hr/team/301?fields=name,hush".to_owned(),
    ] {
        let response = app.get(&path);
        assert_eq!(response.status, 400, "{path}");
        let hints = response.json()["errors"][0]["hint"].to_string();
        assert!(!hints.contains("hush"), "{path}: {hints}");
    }
    for path in [
        "/ords/hr/team/",
        "/ords/hr/team/301",
        "/ords/hr/metadata-catalog/team/",
        "/ords/hr/metadata-catalog/team/item",
        "/ords/hr/open-api-catalog/",
        "/ords/hr/open-api-catalog/team/",
    ] {
        let response = app.get(path);
        assert_eq!(response.status, 200, "{path}");
        assert!(
            !response.text().contains("hush") && !response.text().contains("psst"),
            "{path} {response:?}"
        );
    }
}
