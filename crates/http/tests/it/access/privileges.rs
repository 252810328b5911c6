//! Access rules, and what refused clients learn.

use duet_auth::{Open, Operation, Privilege};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    a_refusal_says_what_is_missing
    an_administrator_learns_the_roles
    the_nearest_name_that_may_be_known
    by_pattern
    by_item
    by_operation
    edit_links_are_for_writers
    for_anyone
    strangers_learn_nothing
    open_to_read
    administration
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL);
INSERT INTO team VALUES (1, 'Red Bull'), (301, 'Ferrari');
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, team_id integer REFERENCES team (team_id));
INSERT INTO driver VALUES (7, 301);
";

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id' : t.team_id, 'driver' : [ SELECT JSON { 'driverId' : d.driver_id }
                  FROM driver d WHERE d.team_id = t.team_id ] } FROM team t;";

fn setup(database: &Database, roles: &[&'static str]) -> Setup {
    database.exec(TABLES);
    let roles = roles.to_vec();
    Setup::new(database).view("team_dv", VIEW).with(|setup| setup.roles = roles)
}

#[track_caller]
fn check(app: &App, cases: &[(&str, u16)]) {
    for (path, status) in cases {
        let response = app.get(path);
        assert_eq!(response.status, *status, "{path} {response:?}");
        if *status == 403 {
            let challenge = response.header("www-authenticate").unwrap();
            assert!(challenge.contains("insufficient_scope"), "{challenge}");
            assert_eq!(response.json()["errors"][0]["code"], "DUET-4002");
            let message = response.json()["detail"].as_str().unwrap().to_owned();
            assert!(message.contains("may not") && message.contains(": it has "), "{message}");
        }
    }
}

fn catalog(app: &App) -> Vec<String> {
    let page = app.get("/ords/hr/metadata-catalog/").json();
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// Links invite a caller to edit only what the caller may edit; the etag is the same for all.
fn edit_links_are_for_writers(database: Database) {
    let cases = [
        ("looks", vec![Operation::Read], false, false),
        ("adds", vec![Operation::Read, Operation::Insert], false, true),
        ("changes", vec![Operation::Read, Operation::Update], true, true),
        ("removes", vec![Operation::Read, Operation::Delete], true, true),
    ];
    let mut setup = setup(&database, &[]).with(|setup| {
        setup.holders = cases.iter().map(|(role, ..)| (*role).to_owned()).collect();
    });
    for (role, operations, ..) in &cases {
        setup.mount().privileges.push(Privilege {
            name: (*role).to_owned(),
            operations: operations.clone(),
            roles: vec![(*role).to_owned()],
            patterns: vec!["/team/*".into()],
        });
    }
    let app = setup.start();
    let has_edit = |body: &serde_json::Value| {
        let links = body["links"].as_array().unwrap().iter();
        links.map(|link| &link["rel"]).any(|rel| rel == "edit")
    };
    let mut etags = std::collections::BTreeSet::new();
    for (role, _, item, page) in &cases {
        let bearer = app.bearer_of(role);
        let get = |path: &str| app.connect().get(path, &[("Authorization", &bearer)]);
        let (one, all) = (get("/ords/hr/team/301"), get("/ords/hr/team/"));
        assert_eq!((has_edit(&one.json()), has_edit(&all.json())), (*item, *page), "{role}");
        let grouped =
            get("/ords/hr/team/?q=%7B%22$group%22:%7B%22n%22:%7B%22$count%22:%22*%22%7D%7D%7D");
        assert_eq!(grouped.json()["count"], 1, "{grouped:?}");
        assert!(!has_edit(&grouped.json()), "a group is no item: {grouped:?}");
        etags.extend([one, all].map(|answer| answer.header("etag").unwrap().to_owned()));
    }
    assert_eq!(etags.len(), 2, "{etags:?}");
    // What a write answers has the links of the item.
    let write = |role: &str, method: &str, path: &str, body: &str| {
        let bearer = app.bearer_of(role);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let answer = app.connect().request(method, path, &headers, body.as_bytes());
        assert!(answer.status < 300, "{answer:?}");
        answer.json()
    };
    let added = write("adds", "POST", "/ords/hr/team/", r#"{"team_id":9,"name":"Haas"}"#);
    assert!(!has_edit(&added), "{added}");
    let changed = write("changes", "PATCH", "/ords/hr/team/9", r#"{"name":"Haas F1"}"#);
    assert!(has_edit(&changed), "{changed}");
    let patch = r#"[{"method":"PATCH","path":"team/9","body":{"name":"Haas"}}]"#;
    let all = write("changes", "POST", "/ords/hr/_/transaction", patch);
    assert!(all.to_string().contains("\"edit\""), "{all}");
}

/// A refusal names what was to be done, to what, and the roles that the client has; only to clients with a token.
fn a_refusal_says_what_is_missing(database: Database) {
    let setup = setup(&database, &["fan", "guest"]).privilege(&["crew", "chief"], &["/driver/*"]);
    let app = setup.start();
    let message = |path: &str| app.get(path).json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(
        message("/ords/hr/driver/7"),
        "The client may not read `driver`: it has the roles `fan`, `guest`, which is not enough."
    );
    assert_eq!(
        message("/metrics"),
        "The client may not administrate: it has the roles `fan`, `guest`, which is not enough."
    );
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for (method, path, body, what) in [
        ("POST", "/ords/hr/team/", "{}", "insert `team`"),
        ("DELETE", "/ords/hr/team/301", "", "delete `team`"),
        (
            "POST",
            "/ords/hr/_/transaction",
            r#"[{"method":"DELETE","path":"team/301"}]"#,
            "delete `team`",
        ),
    ] {
        let refused = app.connect().request(method, path, &headers, body.as_bytes());
        assert_eq!(refused.status, 403, "{refused:?}");
        assert!(
            refused.text().contains(what) && !refused.text().contains("duet.write"),
            "{refused:?}"
        );
    }
    let stranger = app.connect().get("/ords/hr/driver/7", &[]);
    assert_eq!(stranger.status, 401);
    assert!(
        !stranger.text().contains("driver") && !stranger.text().contains("crew"),
        "{stranger:?}"
    );
    let icon = app.connect().get("/favicon.ico", &[]);
    assert_eq!((icon.status, icon.header("www-authenticate")), (404, None));
}

/// Administrators learn which roles would allow it.
fn an_administrator_learns_the_roles(database: Database) {
    let setup = setup(&database, &["duet.admin"]).privilege(&["crew", "chief"], &["/driver/*"]);
    let refused = setup.start().get("/ords/hr/driver/7");
    assert_eq!(
        refused.json()["detail"],
        "The client may not read `driver`: it has the role `duet.admin`, and needs one of the \
         roles `duet.read`, `duet.write`, `chief`, `crew`."
    );
}

/// An unknown name gets the nearest one among those that the caller may use.
fn the_nearest_name_that_may_be_known(database: Database) {
    let app = setup(&database, &["fan"]).privilege(&["fan"], &["/team/*"]).start();
    let hint = |path: &str| app.get(path).json()["errors"][0]["hint"].clone();
    assert_eq!(hint("/ords/hr/teams/"), "Did you mean `team`?");
    assert_eq!(hint("/ords/hr/Team/301"), "Did you mean `team`?");
    assert!(hint("/ords/hr/drivers/").is_null());
    let stranger = app.connect().get("/ords/hr/teams/", &[]);
    assert!(stranger.status == 401 && !stranger.text().contains("Did you"), "{stranger:?}");
}

fn by_pattern(database: Database) {
    let app = setup(&database, &["fan"]).privilege(&["fan"], &["/team/*"]).start();
    check(
        &app,
        &[
            ("/ords/hr/team/", 200),
            ("/ords/hr/team", 200),
            ("/ords/hr/team/301", 200),
            ("/ords/hr/%74eam/301", 200),
            ("/ords/hr/driver/", 403),
            ("/ords/hr/driver/7", 403),
            ("/ords/hr/%64river/7", 403),
            ("/ords/hr/team_dv/301", 403),
            ("/ords/hr/nowhere/", 404),
            ("/ords/hr/metadata-catalog/team/", 200),
            ("/ords/hr/metadata-catalog/driver/", 404),
            ("/ords/hr/open-api-catalog/driver/", 404),
            ("/metrics", 403),
            ("/admin/status", 403),
        ],
    );
    assert_eq!(catalog(&app), ["TEAM"]);
    let document = app.get("/ords/hr/open-api-catalog/").text().to_owned();
    assert!(document.contains("/team/") && !document.contains("driver"), "{document}");
}

fn by_item(database: Database) {
    let patterns = ["/team/301", "/driver"];
    let app = setup(&database, &["fan"]).privilege(&["fan"], &patterns).start();
    check(
        &app,
        &[
            ("/ords/hr/team/301", 200),
            ("/ords/hr/team/%33%30%31", 200),
            ("/ords/hr/team/1", 403),
            ("/ords/hr/team/", 403),
            ("/ords/hr/team/301/..", 403),
            ("/ords/hr/driver/", 200),
            ("/ords/hr/driver/7", 403),
        ],
    );
}

fn by_operation(database: Database) {
    let mut setup = setup(&database, &["writer", "reader"]);
    let privilege = |role: &str, pattern: &str, operation| Privilege {
        name: role.into(),
        roles: vec![role.into()],
        patterns: vec![pattern.into()],
        operations: vec![operation],
    };
    let privileges = &mut setup.mount().privileges;
    privileges.push(privilege("writer", "/team/*", Operation::Insert));
    privileges.push(privilege("reader", "/driver/*", Operation::Read));
    privileges.push(privilege("writer", "/driver/*", Operation::Delete));
    let app = setup.start();
    // The catalogs speak of what the caller may do.
    let entry = app.get("/ords/hr/metadata-catalog/driver/").json();
    assert_eq!(entry["operations"], serde_json::json!(["delete"]));
    let paths = &app.get("/ords/hr/open-api-catalog/").json()["paths"];
    let item = paths["/driver/{driver_id}"].as_object().unwrap();
    assert!(item.contains_key("delete") && !item.contains_key("put"), "{item:?}");
    assert!(paths.get("/_/transaction").is_some());
    let schema = app.get("/ords/hr/metadata-catalog/driver/schema").json();
    assert_eq!(schema["x-duet-operations"], serde_json::json!(["delete"]));
    check(&app, &[("/ords/hr/team/301", 403), ("/ords/hr/driver/7", 200)]);
}

fn for_anyone(database: Database) {
    let app = setup(&database, &["fan"]).privilege(&["duet.anyone"], &["/team/*"]).start();
    let anonymous = |path: &str| app.connect().get(path, &[]).status;
    assert_eq!(anonymous("/ords/hr/team/301"), 200);
    assert_eq!(anonymous("/ords/hr/driver/7"), 401);
    assert_eq!(anonymous("/ords/hr/nowhere/7"), 401);
    check(&app, &[("/ords/hr/team/301", 200), ("/ords/hr/driver/7", 403)]);
}

/// What an anonymous client learns does not depend on the resource.
fn strangers_learn_nothing(database: Database) {
    let app = setup(&database, &["duet.read"]).start();
    let mut answers = std::collections::BTreeSet::new();
    for path in [
        "/ords/hr/team/",
        "/ords/hr/team/301",
        "/ords/hr/team/999",
        "/ords/hr/team/?limit=x",
        "/ords/hr/team/?q=%7B%22nam%22:1%7D",
        "/ords/hr/team_dv/301",
        "/ords/hr/nowhere/",
        "/ords/hr/nowhere/1",
        "/ords/hr/",
        "/ords/hr",
        "/ords/other/team/",
        "/ords/hr/metadata-catalog/",
        "/ords/hr/metadata-catalog/team/",
        "/ords/hr/metadata-catalog/nowhere/",
        "/ords/hr/open-api-catalog/",
        "/ords/hr/_/constant/5",
        "/ords/hr/oauth/nothing",
        "/metrics",
        "/admin/status",
        "/admin/nothing",
        "/nothing",
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            let response = app.connect().request(method, path, &[("Accept", "text/html")], b"");
            let mut body = response.json();
            body["instance"] = "".into();
            let challenge = response.header("www-authenticate").map(str::to_owned);
            answers.insert((response.status, challenge, body.to_string()));
        }
    }
    assert_eq!(answers.len(), 1, "{answers:#?}");
    let (status, challenge, _) = answers.first().unwrap();
    assert_eq!((*status, challenge.as_deref()), (401, Some("Bearer realm=\"duet\"")));
    // The index of the process says where a token comes from, and names nothing that is served.
    let index = app.connect().get("/", &[("Accept", "application/json")]);
    assert_eq!(index.status, 200);
    let index = index.json();
    assert_eq!((&index["applications"], index.get("version")), (&serde_json::json!([]), None));
    assert!(!index.to_string().contains("/ords"), "{index}");
}

fn open_to_read(database: Database) {
    let app = setup(&database, &["fan"]).with(|setup| setup.open = Open::Read).start();
    let mut client = app.connect();
    for (path, status) in [
        ("/ords/hr/team/301", 200),
        ("/ords/hr/driver/", 200),
        ("/ords/hr/team_dv/301", 200),
        ("/ords/hr/metadata-catalog/", 200),
        ("/ords/hr/open-api-catalog/", 200),
        ("/ords/hr/nowhere/", 404),
        ("/nowhere", 404),
        ("/ords/hr/team/?limit=x", 400),
        ("/metrics", 401),
        ("/admin/status", 401),
        ("/admin/reload", 401),
    ] {
        assert_eq!(client.get(path, &[]).status, status, "{path}");
    }
    // Clients may do no less than strangers.
    check(&app, &[("/ords/hr/team/301", 200), ("/metrics", 403)]);
}

/// A state that is damaged or gone is visible to operators; its clients stay.
#[test]
fn an_unreadable_state_is_reported() {
    let database = Database::sqlite();
    let folder = duet_testkit::sqlite::Folder::new();
    let path = folder.path().join("state.json");
    let state = path.clone();
    let app = setup(&database, &["duet.admin"]).with(|setup| setup.state = Some(state)).start();
    let readable = || {
        let status =
            app.get("/admin/status").json()["applications"][0]["clients"]["readable"].clone();
        let metrics = app.get("/metrics");
        let line =
            format!("duet_clients_readable{{application=\"test\"}} {}\n", u8::from(status == true));
        assert!(metrics.text().contains(&line), "{status} {}", metrics.text());
        status
    };
    assert_eq!(readable(), true);
    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, "{").unwrap();
    app.reload();
    assert_eq!(readable(), false);
    let away = folder.path().join("away");
    std::fs::rename(&path, &away).unwrap();
    app.reload();
    assert_eq!(readable(), false);
    std::fs::write(&away, good).unwrap();
    std::fs::rename(&away, &path).unwrap();
    app.reload();
    assert_eq!(readable(), true);
}

fn administration(database: Database) {
    let app = setup(&database, &["duet.admin"]).start();
    check(
        &app,
        &[
            ("/metrics", 200),
            ("/admin/status", 200),
            // The role gives no access to data.
            ("/ords/hr/team/301", 403),
        ],
    );
    assert_eq!(app.reload().status, 200);
    let metrics = app.get("/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let expected = "duet_resource_requests_total{application=\"test\",resource=\"/ords/hr/team\",status=\"4xx\"} 1\n";
    assert!(metrics.text().contains(expected), "{}", metrics.text());
    let status = app.get("/admin/status").text().to_owned();
    assert!(!status.contains(&app.secret), "{status}");
    for path in ["/health", "/health/", "/health/live", "/health/ready"] {
        let response = app.connect().get(path, &[]);
        assert_eq!((response.status, &response.json()["status"]), (200, &"up".into()), "{path}");
    }
}
