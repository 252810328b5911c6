//! Request headers in every spelling that their standards allow: names and tokens in any case, blanks,
//! quotes, lists over several lines. None of them may be understood in one spelling only.

use duet_testkit::http::Response;
use serde_json::json;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    a_rollback_in_every_spelling
    what_is_no_rollback_is_refused
    conditions_of_writes
    bodies_and_answers
    preferences_elsewhere
    credentials
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
INSERT INTO team VALUES (1, 'Red Bull', 7), (301, 'Ferrari', 30);
";

const VIEW: &str =
    "view team_dv as team @insert @update @delete { _id: team_id name points @nocheck }";

fn start(database: &Database) -> App {
    database.exec(TABLES);
    Setup::new(database)
        .view("team_dv", VIEW)
        .with(|setup| setup.roles = vec!["duet.write", "duet.read", "duet.execute"])
        .start()
}

fn send(app: &App, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let bearer = app.bearer();
    let mut all = vec![("Authorization", bearer.as_str())];
    all.extend(headers);
    app.connect().request(method, path, &all, body.as_bytes())
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
const ITEM: &str = "/ords/hr/team/1";

fn a_rollback_in_every_spelling(database: Database) {
    let app = start(&database);
    for lines in [
        &["tx=rollback"][..],
        &["tx=\"rollback\""],
        &["tx = rollback"],
        &["TX=Rollback"],
        &["return=representation , Tx = \"ROLLBACK\" ; why=\"a, b\""],
        &["wait=5", "respond-async, tx=rollback"],
        &["tx=rollback, tx=commit"],
    ] {
        let headers: Vec<_> = lines.iter().map(|line| ("pReFeR", *line)).chain([JSON]).collect();
        let answer = send(&app, "PATCH", ITEM, &headers, r#"{"points":99}"#);
        assert_eq!((answer.status, &answer.json()["points"]), (200, &json!(99)), "{lines:?}");
        let applied = answer.header("preference-applied").unwrap();
        assert!(applied.starts_with("tx=rollback"), "{lines:?} {applied}");
        let body = json!([{ "method": "DELETE", "path": "team/1" }]).to_string();
        let answer = send(&app, "POST", "/ords/hr/_/transaction", &headers, &body);
        assert_eq!(answer.status, 200, "{lines:?} {answer:?}");
        let answer = send(&app, "DELETE", "/ords/hr/team/?q=%7B%7D", &headers, "");
        assert_eq!(answer.json(), json!({ "rowsDeleted": 2 }), "{lines:?}");
        assert_eq!(app.get(ITEM).json()["points"], json!(7), "{lines:?}");
    }
}

fn what_is_no_rollback_is_refused(database: Database) {
    let app = start(&database);
    for line in
        ["tx=undo", "tx", "tx=", "TX=roll back", "tx:rollback", "return=minimal; tx=rollback"]
    {
        for (method, path, body) in [
            ("PATCH", ITEM, r#"{"points":99}"#),
            ("DELETE", "/ords/hr/team/?q=%7B%7D", ""),
            ("POST", "/ords/hr/_/transaction", r#"[{"method":"DELETE","path":"team/1"}]"#),
            ("POST", "/ords/hr/team/batchload", r#"[{"team_id":5,"name":"x"}]"#),
        ] {
            let answer = send(&app, method, path, &[("Prefer", line), JSON], body);
            let answer = answer.json();
            assert_eq!(answer["errors"][0]["code"], json!("DUET-1006"), "{line} {answer}");
            let hint = answer["errors"][0]["hint"].as_str().unwrap();
            assert!(hint.contains("tx=rollback") && hint.contains("tx=commit"), "{hint}");
        }
    }
    assert_eq!(app.get("/ords/hr/team/?count=exact").json()["total"], json!(2));
    assert_eq!(app.get(ITEM).json()["points"], json!(7));
}

fn conditions_of_writes(database: Database) {
    let app = start(&database);
    let etag = || app.get("/ords/hr/team_dv/1").header("etag").unwrap().to_owned();
    for (name, template, expected) in [
        ("if-match", "TAG", 200),
        ("IF-MATCH", "\"0\" ,\tTAG", 200),
        ("If-Match", " * ", 200),
        ("If-Match", "BARE", 200),
        ("If-Match", "W/TAG", 412),
        ("If-Match", "\"0\"", 412),
        ("If-Match", "\"0,BARE\"", 412),
        ("If-None-Match", "TAG", 412),
        ("If-None-Match", "W/TAG", 412),
        ("If-None-Match", "\"0\", *", 412),
        ("If-None-Match", "BARE", 412),
        ("If-None-Match", "\"0\"", 200),
        ("If-None-Match", "\"*\"", 200),
    ] {
        let tag = etag();
        let value = template.replace("TAG", &tag).replace("BARE", tag.trim_matches('"'));
        let answer =
            send(&app, "PATCH", "/ords/hr/team_dv/1", &[(name, &value), JSON], r#"{"name":"A"}"#);
        assert_eq!(answer.status, expected, "{name}: {value}");
    }
    // The document's etag is good for a read whose header covers more.
    let document = app.get("/ords/hr/team_dv/1").json();
    let own = document["_metadata"]["etag"].as_str().unwrap();
    assert_ne!(etag().trim_matches('"'), own);
    for spelled in [own.to_owned(), format!("\"{own}\""), format!("W/\"{}\"", own.to_lowercase())] {
        let again = app.get_with("/ords/hr/team_dv/1", &[("If-None-Match", &spelled)]);
        assert_eq!(again.status, 304, "{spelled}");
    }
    database.exec("UPDATE team SET name = 'B' WHERE team_id = 1");
    assert_eq!(app.get_with("/ords/hr/team_dv/1", &[("If-None-Match", own)]).status, 200);
}

fn bodies_and_answers(database: Database) {
    let app = start(&database);
    for (content_type, expected) in [
        ("application/json", 200),
        ("Application/JSON;charset=UTF-8", 200),
        ("application/json ; charset=\"utf-8\"", 200),
        ("application/merge-patch+json", 200),
        ("APPLICATION/Merge-Patch+JSON; a=b", 200),
        ("text/json", 415),
        ("application/jsonx", 415),
        ("application/json-patch+json", 415),
    ] {
        for path in [ITEM, "/ords/hr/team/?q=%7B%22team_id%22:1%7D"] {
            let headers = [("content-TYPE", content_type)];
            let answer = send(&app, "PATCH", path, &headers, r#"{"points":8}"#);
            assert_eq!(answer.status, expected, "{content_type} {path}");
        }
    }
    for (encoding, expected) in [("identity", 200), ("Identity , identity", 200), ("gzip", 415)] {
        let headers = [("Content-Encoding", encoding), JSON];
        let answer = send(&app, "PATCH", ITEM, &headers, r#"{"points":8}"#);
        assert_eq!(answer.status, expected, "{encoding}");
    }
    for (accept, expected) in [
        ("APPLICATION/JSON", 200),
        ("text/html, application/json ; Q = 0.1", 200),
        ("*/* ; q=0.001", 200),
        ("application/json; q=0.000", 406),
        ("application/json-seq", 406),
        ("text/html;level=\",application/json\"", 406),
    ] {
        assert_eq!(app.get_with(ITEM, &[("ACCEPT", accept)]).status, expected, "{accept}");
    }
    for expect in ["100-continue", "100-Continue"] {
        let headers = [("Expect", expect), JSON];
        let answer = send(&app, "PATCH", ITEM, &headers, r#"{"points":8}"#);
        assert!(matches!(answer.status, 100 | 200), "{expect} {answer:?}");
    }
}

fn preferences_elsewhere(database: Database) {
    let app = start(&database);
    let load = |prefer: &str| {
        let headers = [("Prefer", prefer), JSON];
        let row = r#"[{"team_id":9,"name":"x"}]"#;
        send(&app, "POST", "/ords/hr/team/batchload", &headers, row)
    };
    let refused = load("Tx=Rollback");
    assert_eq!((refused.status, app.get("/ords/hr/team/9").status), (400, 404), "{refused:?}");
    assert!(refused.text().contains("nothing was loaded"), "{refused:?}");
    assert_eq!((load("tx=commit").status, app.get("/ords/hr/team/9").status), (200, 200));
    for (prefer, status, applied) in [
        ("RETURN = \"Minimal\"", 204, Some("return=minimal")),
        ("return=representation, return=minimal", 200, Some("return=representation")),
        ("return=headers-only", 200, None),
        ("tx=commit, foo", 200, Some("tx=commit")),
    ] {
        let answer = send(&app, "PATCH", ITEM, &[("Prefer", prefer), JSON], r#"{"points":8}"#);
        let said = (answer.status, answer.header("preference-applied"));
        assert_eq!(said, (status, applied), "{prefer}");
    }
}

fn credentials(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    let token = bearer.trim_start_matches("Bearer ");
    for scheme in ["bearer", "BEARER", "Bearer ", "bEARER"] {
        let value = format!("{scheme} {token}");
        assert_eq!(app.connect().get(ITEM, &[("authorization", &value)]).status, 200, "{scheme}");
    }
    let basic = |scheme: &str| {
        use base64::Engine as _;
        let pair = format!("{}:{}", app.id.as_str(), app.secret);
        format!("{scheme} {}", base64::engine::general_purpose::STANDARD.encode(pair))
    };
    for (scheme, form) in [
        ("Basic", "application/x-www-form-urlencoded"),
        ("basic", "Application/X-WWW-Form-UrlEncoded ; charset=UTF-8"),
        ("BASIC ", "application/x-www-form-urlencoded;charset=\"utf-8\""),
    ] {
        let headers = [("Authorization", &*basic(scheme)), ("Content-Type", form)];
        let body = b"grant_type=client_credentials";
        let answer = app.connect().request("POST", "/oauth/token", &headers, body);
        assert_eq!(answer.status, 200, "{scheme} {form} {answer:?}");
    }
}
