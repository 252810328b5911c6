//! `ETag` and `If-None-Match`: what has not changed is not sent again, and nothing else is held
//! back.

use std::collections::BTreeMap;

use duet_testkit::golden::mask_asof;
use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    not_modified
    other_tags_are_refused
    no_tag_is_shared
    unchecked_members_count_too
    pages_notice_every_change
    catalogs_follow_the_schema
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL,
  points integer NOT NULL, team_id integer REFERENCES team (team_id));
INSERT INTO team VALUES (1, 'Red Bull', 7), (2, 'Mercedes', 7), (301, 'Ferrari', 30);
INSERT INTO driver VALUES (101, 'Max', 0, 1), (102, 'Sergio', 0, 1), (103, 'Charles', 25, 301);
";

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id' : t.team_id, 'name' : t.name, 'points' : t.points WITH NOCHECK,
                'driver' : [ SELECT JSON { 'driverId' : d.driver_id, 'name' : d.name,
                                           'points' : d.points WITH NOCHECK }
                               FROM driver d WHERE d.team_id = t.team_id ] }
    FROM team t;";

fn start(database: &Database) -> App {
    database.exec(TABLES);
    Setup::new(database).view("team_dv", VIEW).start()
}

const REPRESENTATIONS: [&str; 19] = [
    "/ords/hr/team/301",
    "/ords/hr/team/1",
    "/ords/hr/team/2",
    "/ords/hr/team/301?fields=name,points",
    "/ords/hr/team/301?fields=points,name",
    "/ords/hr/team/301?fields=team_id,name,points",
    "/ords/hr/team/301?fields=name",
    "/ords/hr/team/",
    "/ords/hr/team/?fields=name,points",
    "/ords/hr/team/?fields=points,name",
    "/ords/hr/team/?limit=1&offset=2",
    "/ords/hr/team/?count=exact",
    "/ords/hr/team_dv/301",
    "/ords/hr/team_dv/301?fields=name",
    "/ords/hr/team_dv/301?fields=driver.name",
    "/ords/hr/team_dv/301?fields=driver",
    "/ords/hr/team_dv/",
    "/ords/hr/metadata-catalog/",
    "/ords/hr/open-api-catalog/team/",
];

fn not_modified(database: Database) {
    let app = start(&database);
    for path in REPRESENTATIONS {
        let first = app.get(path);
        assert_eq!(first.status, 200, "{path} {first:?}");
        let tag = first.header("etag").unwrap().to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() >= 34, "{path} {tag}");
        let bare = tag.trim_matches('"');
        let lists = [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"other\", {tag}"),
            bare.to_owned(),
            "*".to_owned(),
        ];
        for list in &lists {
            for method in ["GET", "HEAD"] {
                let headers = [("Authorization", &*app.bearer()), ("If-None-Match", list)];
                let response = app.connect().request(method, path, &headers, b"");
                assert_eq!(response.status, 304, "{method} {path} {list}");
                assert!(response.body.is_empty());
                assert_eq!(response.header("etag"), Some(tag.as_str()), "{path}");
                assert_eq!(response.header("vary"), first.header("vary"), "{path}");
                assert_eq!(response.header("content-type"), None, "{path}");
                assert_ne!(response.header("content-length"), Some("0"), "{path}");
            }
        }
        let lines = [("If-None-Match", "\"other\""), ("If-None-Match", tag.as_str())];
        assert_eq!(app.get_with(path, &lines).status, 304, "{path}");
        for other in ["\"other\"", "\"\"", "", &tag[..20], &bare[1..]] {
            let again = app.get_with(path, &[("If-None-Match", other)]);
            assert_eq!(again.status, 200, "{path} {other}");
            assert_eq!(mask_asof(again.text()), mask_asof(first.text()), "{path} {other}");
            assert_eq!(again.header("etag"), Some(tag.as_str()), "{path}");
        }
    }
    // What is not there has no tag that could match.
    assert_eq!(app.get_with("/ords/hr/team/999", &[("If-None-Match", "*")]).status, 404);
}

/// `If-Match` of a read is met by a strong tag of what it gets, and by `*`; streams have no tag.
fn other_tags_are_refused(database: Database) {
    let app = start(&database);
    let code = |response: &Response| response.json()["errors"][0]["code"].clone();
    for path in REPRESENTATIONS {
        let tag = app.get(path).header("etag").unwrap().to_owned();
        for list in [tag.clone(), format!("\"other\", {tag}"), "*".to_owned()] {
            let met = app.get_with(path, &[("If-Match", &list)]);
            assert_eq!((met.status, met.header("etag")), (200, Some(&*tag)), "{path} {list}");
            let both = app.get_with(path, &[("If-Match", &list), ("If-None-Match", &tag)]);
            assert_eq!(both.status, 304, "{path} {list}");
        }
        for list in ["\"other\"".to_owned(), format!("W/{tag}"), String::new()] {
            for also in ["\"other\"", &*tag] {
                let headers = [("If-Match", &*list), ("If-None-Match", also)];
                let refused = app.get_with(path, &headers);
                assert_eq!(refused.status, 412, "{path} {list}: {refused:?}");
                assert_eq!(code(&refused), "DUET-7013", "{path} {list}");
            }
            let headers = [("Authorization", &*app.bearer()), ("If-Match", &*list)];
            let head = app.connect().request("HEAD", path, &headers, b"");
            assert_eq!((head.status, head.body.len()), (412, 0), "{path} {list}");
        }
    }
    for accept in ["application/x-ndjson", "text/csv", "text/event-stream"] {
        let headers = [("Accept", accept), ("If-Match", "\"other\"")];
        let refused = app.get_with("/ords/hr/team/", &headers);
        assert_eq!((refused.status, code(&refused)), (412, "DUET-7013".into()), "{accept}");
    }
    let lines = [("Accept", "application/x-ndjson"), ("If-Match", "*")];
    assert_eq!(app.get_with("/ords/hr/team/", &lines).status, 200);
    // What is not there is not found, whatever its tag was to be.
    assert_eq!(app.get_with("/ords/hr/team/999", &[("If-Match", "*")]).status, 404);
    let search = app.connect().request(
        "POST",
        "/ords/hr/team/search",
        &[
            ("Authorization", &*app.bearer()),
            ("If-Match", "\"other\""),
            ("Content-Type", "application/json"),
        ],
        b"{}",
    );
    assert_eq!(search.status, 200, "conditions are of safe methods");
}

fn no_tag_is_shared(database: Database) {
    let app = start(&database);
    let mut seen = BTreeMap::new();
    for path in REPRESENTATIONS {
        let tag = app.get(path).header("etag").unwrap().to_owned();
        if let Some(other) = seen.insert(tag.clone(), path) {
            panic!("{path} and {other} share {tag}");
        }
    }
}

fn unchecked_members_count_too(database: Database) {
    let app = start(&database);
    let paths = [
        "/ords/hr/team_dv/301",
        "/ords/hr/team_dv/",
        "/ords/hr/team_dv/301?fields=driver",
        "/ords/hr/team_dv/?fields=points,driver.points",
    ];
    let mut last: Vec<_> = paths.iter().map(|path| app.get(path)).collect();
    let guard = |body: &serde_json::Value| body["_metadata"]["etag"].clone();
    for (change, is_checked) in [
        ("UPDATE driver SET points = points + 1 WHERE driver_id = 103", false),
        ("UPDATE driver SET name = 'Carlos' WHERE driver_id = 103", true),
        ("UPDATE driver SET points = 99 WHERE driver_id = 103", false),
        ("INSERT INTO driver VALUES (104, 'Oliver', 0, 301)", true),
    ] {
        database.exec(change);
        for (path, before) in paths.iter().zip(&mut last) {
            // Names are not among those members.
            if path.ends_with("driver.points") && change.contains("Carlos") {
                continue;
            }
            let tag = before.header("etag").unwrap();
            let now = app.get_with(path, &[("If-None-Match", tag)]);
            assert_eq!(now.status, 200, "{path} after {change}");
            assert_ne!(now.body, before.body, "{path} after {change}");
            if !path.contains('?') && path.ends_with("301") {
                let changed = guard(&now.json()) != guard(&before.json());
                assert_eq!(changed, is_checked, "{path} after {change}");
            }
            *before = now;
        }
    }
    // The tag of a document that is checked in full is the one that guards writes.
    let document = app.get("/ords/hr/team_dv/2");
    assert!(!guard(&document.json()).is_null());
}

fn pages_notice_every_change(database: Database) {
    let app = start(&database);
    let path = "/ords/hr/team/?limit=2";
    let mut before = app.get(path);
    for (change, is_seen) in [
        ("UPDATE team SET points = 8 WHERE team_id = 1", true),
        ("UPDATE team SET points = 9 WHERE team_id = 301", false),
        ("INSERT INTO team VALUES (400, 'Haas', 0)", false),
        ("DELETE FROM team WHERE team_id = 400", false),
        // The page is the same but for `hasMore` and `next`.
        ("DELETE FROM driver; DELETE FROM team WHERE team_id = 301", true),
        ("DELETE FROM team WHERE team_id = 2", true),
        ("INSERT INTO team VALUES (0, 'Lotus', 0)", true),
    ] {
        database.exec(change);
        let tag = before.header("etag").unwrap();
        let now = app.get_with(path, &[("If-None-Match", tag)]);
        assert_eq!(now.status, if is_seen { 200 } else { 304 }, "{change}");
        if is_seen {
            assert_ne!(now.body, before.body, "{change}");
            before = now;
        }
    }
}

fn catalogs_follow_the_schema(database: Database) {
    let app = start(&database);
    let path = "/ords/hr/open-api-catalog/";
    let before = app.get(path);
    let tag = before.header("etag").unwrap();
    database.exec("ALTER TABLE team ADD COLUMN country text");
    assert_eq!(app.reload().status, 200);
    let now = app.get_with(path, &[("If-None-Match", tag)]);
    assert_eq!(now.status, 200);
    assert!(now.text().contains("country"));
}
