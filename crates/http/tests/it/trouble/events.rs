//! What happens in a server is one event each, which logs and metrics are made from.

use std::sync::Arc;
use std::time::Duration;

use duet_http::Stage;
use duet_model::Code;
use duet_model::commit::{CommitConsumer, CommitEvent};
use duet_testkit::http::Response;

use super::costs::metric;
use crate::support::{App, Database, Seen, Setup, Witness, on_both_stores};

const TABLE: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(99) NOT NULL);
INSERT INTO team VALUES (1, 'Red Bull'), (301, 'Ferrari');
";

on_both_stores! {
    a_request_is_one_event_with_its_stages
    the_store_step_of_a_write_has_parts
    a_refusal_ends_at_its_stage
    statements_are_those_of_the_request
    a_batch_with_a_limit_is_one_statement
    a_last_page_is_not_counted
    a_stream_ends_with_an_event
    logins_and_reloads_are_events
    commits_are_counted
}

fn start(database: &Database) -> (App, Arc<Witness>) {
    database.exec(TABLE);
    let mut setup = Setup::new(database)
        .with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
            // Every statement counts as slow.
            setup.options.slow = Duration::ZERO;
        })
        .without_poll();
    let witness = Witness::of(&mut setup);
    (setup.start(), witness)
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request(method, path, &headers, body.as_bytes())
}

const STAGES: [Stage; 4] = [Stage::Authenticate, Stage::Route, Stage::Plan, Stage::Answer];

fn a_request_is_one_event_with_its_stages(database: Database) {
    let (app, witness) = start(&database);
    let item = app.get("/ords/hr/team/301?fields=name");
    assert_eq!(item.status, 200, "{item:?}");
    let event = witness.answered("GET /ords/hr/team/301?fields=name");
    assert_eq!((event.status, event.code, event.bytes), (200, None, item.body.len()));
    assert_eq!(event.resource.as_deref(), Some("/ords/hr/team"));
    assert_eq!(event.application, "test");
    assert_eq!(event.client, (app.id.as_str().to_owned(), "test".to_owned()));
    assert!(STAGES.iter().all(|stage| event.stages.get(*stage).is_some()), "{event:?}");
    let (store, write) = (event.stages.store().unwrap(), event.stages.write().unwrap());
    assert_eq!(event.stages.get(Stage::Answer), Some(store + write));
    let all: Duration = STAGES.iter().filter_map(|stage| event.stages.get(*stage)).sum();
    assert_eq!(event.stages.total(), all);
    // The same in metrics.
    let metrics = app.get("/metrics");
    for step in ["authenticate", "route", "plan", "store", "write", "total"] {
        let line = format!(
            "duet_step_seconds_count{{application=\"test\",resource=\"/ords/hr/team\",step=\"{step}\"}} 1"
        );
        assert!(metrics.text().contains(&line), "{line}: {}", metrics.text());
    }
}

/// With `server_timing` alone: a row, a batch and a refused row.
fn the_store_step_of_a_write_has_parts(database: Database) {
    database.exec(TABLE);
    const STEPS: [&str; 5] = ["row", "queue", "statement", "commit", "document"];
    for server_timing in [false, true] {
        let setup = Setup::new(&database).with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
            setup.options.server_timing = server_timing;
        });
        let app = setup.without_poll().start();
        let first = if server_timing { 10 } else { 20 };
        let row = |id: u32| format!(r#"{{"team_id":{id},"name":"A"}}"#);
        let posted = send(&app, "POST", "/ords/hr/team/", &row(first));
        let batch = format!("[{},{}]", row(first + 1), row(first + 2));
        let batch = send(&app, "POST", "/ords/hr/team/_/batch", &batch);
        let refused = send(&app, "POST", "/ords/hr/team/", &row(first));
        assert_eq!([posted.status, batch.status, refused.status], [201, 200, 409], "{posted:?}");
        for (response, shows) in [(&posted, true), (&batch, true), (&refused, false)] {
            let header = response.header("server-timing").unwrap_or_default();
            let parts = ["queue;dur=", "statement;dur=", "commit;dur="];
            let all = parts.iter().all(|part| header.contains(part));
            assert_eq!(all, server_timing && shows, "{header}");
        }
        let metrics = app.get("/metrics");
        let of = |unit: &str, step: &str| -> Option<f64> {
            let series = format!(
                "duet_step_seconds_{unit}{{application=\"test\",resource=\"/ords/hr/team\",step=\"{step}\"}} "
            );
            let text = metrics.text();
            text.lines().find_map(|line| line.strip_prefix(&series)?.parse().ok())
        };
        let counts = STEPS.map(|step| of("count", step));
        assert_eq!(counts, [server_timing.then_some(2.0); 5], "{}", metrics.text());
        if server_timing {
            let sum: f64 = STEPS.iter().filter_map(|step| of("sum", step)).sum();
            let store = of("sum", "store").unwrap();
            assert!((store - sum).abs() < 1e-8, "{sum} of {store}");
        }
    }
}

fn a_refusal_ends_at_its_stage(database: Database) {
    let (app, witness) = start(&database);
    let good = app.bearer();
    for (path, bearer, status, code, passed) in [
        ("/ords/hr/team/2", Some(good.as_str()), 404, Code::NoSuchItem, 4),
        ("/ords/hr/team/1?x=1", Some(&good), 400, Code::BadParameter, 3),
        ("/ords/hr/%zz/1", Some(&good), 400, Code::BadRequest, 2),
        ("/ords/hr/team/1", None, 401, Code::Unauthorized, 3),
        ("/ords/hr/nothing/1", None, 401, Code::Unauthorized, 3),
        ("/ords/hr/team/301", Some("Bearer x"), 401, Code::Unauthorized, 1),
    ] {
        let headers: Vec<_> = bearer.map(|bearer| ("Authorization", bearer)).into_iter().collect();
        let response = app.connect().get(path, &headers);
        let event = witness.answered(&format!("GET {path}"));
        assert_eq!((response.status, event.status), (status, status), "{event:?}");
        assert_eq!(event.code, Some(code), "{event:?}");
        let reached = STAGES.map(|stage| event.stages.get(stage).is_some());
        assert_eq!(reached, [passed > 0, passed > 1, passed > 2, passed > 3], "{event:?}");
        assert!(event.stages.store().is_none(), "no rows arrived: {event:?}");
        let instance = response.json()["instance"].as_str().unwrap().to_owned();
        assert!(instance.ends_with(&format!("/{}", event.id)), "{instance}: {event:?}");
    }
    let refused = witness.others(1, "TokenRefused");
    assert_eq!(refused, ["TokenRefused { peer: \"127.0.0.1\", code: Unauthorized }"]);
    // What is no request of HTTP is one event too.
    let mut client = app.connect();
    client.send(b"NONSENSE\r\n\r\n").unwrap();
    client.read_to_end().unwrap();
    let event = witness.answered("- -");
    assert_eq!((event.status, event.code), (400, Some(Code::BadRequest)));
}

fn statements_are_those_of_the_request(database: Database) {
    let (app, witness) = start(&database);
    for (method, path, body, status, statements) in [
        ("GET", "/ords/hr/team/1", "", 200, &["SELECT"][..]),
        ("GET", "/ords/hr/team/", "", 200, &["SELECT"]),
        ("POST", "/ords/hr/team/", r#"{"team_id":2,"name":"A"}"#, 201, &["INSERT INTO"]),
        (
            "POST",
            "/ords/hr/team/_/batch",
            r#"[{"team_id":3,"name":"C"},{"team_id":4,"name":"D"}]"#,
            200,
            // One statement for all rows, where the store can match them.
            if database.is_sqlite() { &["VALUES (?1, ?2)"] } else { &["unnest("] },
        ),
        ("PATCH", "/ords/hr/team/2", r#"{"name":"B"}"#, 200, &["UPDATE", "SELECT"]),
        ("DELETE", "/ords/hr/team/2", "", 200, &["DELETE FROM", "SELECT"]),
        (
            "POST",
            "/ords/hr/team/search",
            r#"{"q":{"name":{"$like":"Red%"}}}"#,
            200,
            if database.is_sqlite() { &["duet_like"] } else { &["LIKE"] },
        ),
    ] {
        let response = send(&app, method, path, body);
        assert_eq!(response.status, status, "{response:?}");
        let event = witness.answered(&format!("{method} {path}"));
        let statement = event.statement.clone().unwrap_or_default();
        assert!(statements.iter().any(|text| statement.contains(text)), "{event:?}");
        assert!(!statement.contains("Red"), "a value of a body: {event:?}");
    }
}

/// Also those of a batch that has a limit of its own.
fn a_batch_with_a_limit_is_one_statement(database: Database) {
    let (app, witness) = start(&database);
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Request-Timeout", "30"),
    ];
    let rows = br#"[{"team_id":3,"name":"C"},{"team_id":4,"name":"D"}]"#;
    let made = app.connect().request("POST", "/ords/hr/team/_/batch", &headers, rows);
    assert_eq!(made.status, 200, "{made:?}");
    let event = witness.answered("POST /ords/hr/team/_/batch");
    let statement = event.statement.clone().unwrap_or_default();
    let expected = if database.is_sqlite() { "VALUES (?1, ?2)" } else { "unnest(" };
    assert!(statement.contains(expected), "{event:?}");
}

/// The rows of the last page imply an exact total, so its statements count nothing: of a table, and of documents with
/// arrays, which are read in several statements. Later pages of a kind may share one.
fn a_last_page_is_not_counted(database: Database) {
    const VIEW: &str = "view team_tree as team { _id: team_id name driver [ { driver_id } ] }";
    database.exec(TABLE);
    database.exec(
        "CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, team_id integer NOT NULL REFERENCES team);
         INSERT INTO driver VALUES (1, 1), (2, 301)",
    );
    let mut setup = Setup::new(&database)
        .with(|setup| setup.options.slow = Duration::ZERO)
        .view("team_tree", VIEW)
        .without_poll();
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let expect = |path: &str, (total, items): (u64, usize), counts: bool| {
        let page = app.get(path).json();
        let found = (page["total"].as_u64().unwrap(), page["items"].as_array().unwrap().len());
        assert_eq!(found, (total, items), "{path}: {page}");
        let event = witness.answered(&format!("GET {path}"));
        let statement = event.statement.unwrap_or_default();
        assert_eq!(statement.contains("count(*)"), counts, "{path}: {statement}");
    };
    for list in ["team", "team_tree"] {
        let path = |more: &str| format!("/ords/hr/{list}/?count=exact{more}");
        expect(&path(""), (2, 2), false);
        expect(&path("&limit=2"), (2, 2), false);
        expect(&path("&limit=1"), (2, 1), true);
        expect(&path("&limit=1&offset=1"), (2, 1), false);
        // Behind the last row nothing says how many there are.
        expect(&path("&limit=1&offset=2"), (2, 0), true);
        for number in 0..20 {
            let q = format!("&q=%7B%22name%22%3A%7B%22%24ne%22%3A%22T{number}%22%7D%7D");
            expect(&path(&q), (2, 2), false);
        }
    }
}

fn a_stream_ends_with_an_event(database: Database) {
    let (app, witness) = start(&database);
    let stream = app.get_with("/ords/hr/team/", &[("Accept", "text/csv")]);
    assert_eq!(stream.status, 200, "{stream:?}");
    let began = witness.answered("GET /ords/hr/team/");
    assert!(began.is_stream && began.stages.store().is_some(), "{began:?}");
    let ended = witness.wait_for(1, |seen| match seen {
        Seen::StreamEnded(exchange) => Some(exchange.clone()),
        _ => None,
    });
    assert_eq!((&ended[0].id, ended[0].bytes), (&began.id, stream.body.len()));
    let sent = witness.wait_for(0, |seen| match seen {
        Seen::StreamSent(bytes) => Some(*bytes),
        _ => None,
    });
    assert_eq!(sent.iter().sum::<usize>(), stream.body.len());
    let broken = witness.all().into_iter().any(|seen| matches!(seen, Seen::StreamBroken(_)));
    assert!(!broken);
}

fn logins_and_reloads_are_events(database: Database) {
    let (app, witness) = start(&database);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let login = |secret: &str| {
        let id = app.id.as_str();
        let body = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        app.connect().request("POST", "/oauth/token", &form, body.as_bytes()).status
    };
    assert_eq!((login(&app.secret), login("wrong")), (200, 401));
    assert_eq!(witness.others(1, "TokenIssued").len(), 1);
    assert_eq!(
        witness.others(1, "LoginRefused"),
        ["LoginRefused { peer: \"127.0.0.1\", status: 401, cause: None }"]
    );
    database.exec("CREATE TABLE more (id integer NOT NULL PRIMARY KEY)");
    assert_eq!(app.reload().status, 200);
    assert_eq!(witness.others(1, "Reloaded").len(), 1);
    app.stop();
    assert_eq!(witness.others(1, "Stopping").len(), 1);
    assert_eq!(witness.others(1, "Stopped"), ["Stopped { in_time: true }"]);
    let (opened, closed) =
        (witness.others(1, "ConnectionOpened"), witness.others(1, "ConnectionClosed"));
    assert_eq!(opened.len(), closed.len(), "{:#?}", witness.all());
}

/// The counters of commits are the same whether another consumer needs the rows or not.
fn commits_are_counted(database: Database) {
    struct Rows;
    impl CommitConsumer for Rows {
        fn committed(&self, _: &CommitEvent<'_>) {}
    }
    database.exec(TABLE);
    database.exec(
        "CREATE TABLE driver (id integer NOT NULL PRIMARY KEY,
           team_id integer REFERENCES team ON DELETE CASCADE)",
    );
    let setup = Setup::new(&database).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
    });
    let app = setup.without_poll().start();
    let counted = || {
        let names = ["commits", "commits_unknown", "commit_rows", "commit_relations"];
        names.map(|name| metric(&app, &format!("duet_{name}_total{{application=\"test\"}}")))
    };
    assert_eq!(counted(), [0; 4]);
    let write = || {
        for (method, path, body) in [
            ("POST", "/ords/hr/team/", r#"{"team_id":2,"name":"A"}"#),
            ("PATCH", "/ords/hr/team/2", r#"{"name":"B"}"#),
            ("PATCH", "/ords/hr/team/99", r#"{"name":"B"}"#),
            ("POST", "/ords/hr/driver/", r#"[{"id":1,"team_id":2},{"id":2,"team_id":2}]"#),
            ("DELETE", "/ords/hr/team/2", ""),
            ("POST", "/ords/hr/driver/_/batch", r#"[{"id":5},{"id":6}]"#),
            ("DELETE", "/ords/hr/driver/5", ""),
            ("DELETE", "/ords/hr/driver/6", ""),
        ] {
            send(&app, method, path, body);
        }
    };
    write();
    assert_eq!(counted(), [7, 0, 9, 1]);
    let rows: Arc<dyn CommitConsumer> = Arc::new(Rows);
    app.service.store().commits().subscribe(Arc::clone(&rows));
    write();
    assert_eq!(counted(), [14, 0, 18, 2]);
    app.service.store().commits().unsubscribe(&rows);
    assert!(!app.service.store().commits().needs_rows());
}

/// Connections beyond the limit are refused, and idle ones give way; either says whose they were.
#[test]
fn refused_and_evicted_connections_are_events() {
    let database = Database::sqlite();
    database.exec(TABLE);
    let mut setup = Setup::new(&database).with(|setup| {
        setup.options.limits.connections = 1;
        setup.options.limits.counts_loopback = true;
        setup.options.limits.connections_per_address = Some(10);
    });
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let mut first = app.connect();
    assert_eq!(first.get("/health/live", &[]).status, 200);
    let mut second = app.connect();
    assert_eq!(second.get("/health/live", &[]).status, 200);
    assert_eq!(first.read_to_end().unwrap(), b"");
    assert_eq!(witness.others(1, "ConnectionEvicted"), ["ConnectionEvicted(Some(127.0.0.1))"]);
    drop(second);
    app.stop();

    let mut setup = Setup::new(&database).with(|setup| setup.options.limits.connections = 1);
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let _first = app.connect();
    witness.others(1, "ConnectionOpened");
    assert_eq!(app.connect().read_response(false).unwrap().status, 503);
    let refused = witness.others(1, "ConnectionRefused");
    assert_eq!(refused, ["ConnectionRefused(Some(127.0.0.1), Full)"]);
}
