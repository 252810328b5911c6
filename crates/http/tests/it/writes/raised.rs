//! What code of the database raises below services, views, streams and transactions: clients read it where the
//! application sends it, and nowhere else.

use std::sync::Arc;

use duet_model::{Piece, ServiceQuery};
use duet_service::definition::{PathTemplate, ServiceFile, ServiceResult};
use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    triggers_below_services_and_views_speak_where_they_are_allowed_to
}

const VIEW: &str = "view team_dv as team @insert @update { _id: team_id  n }";

/// A service at `/NAME` with this statement, which takes no parameter.
fn service(name: &str, method: &str, result: ServiceResult, statement: &str) -> Arc<ServiceFile> {
    let pieces = vec![Piece::Text { text: statement.to_owned(), at: 0 }];
    Arc::new(ServiceFile {
        name: name.to_owned(),
        file: format!("{name}.sql"),
        method: method.to_owned(),
        path: PathTemplate::read(&format!("/{name}")).unwrap(),
        result,
        statements: vec![ServiceQuery { pieces, parameters: Vec::new() }],
        ..ServiceFile::default()
    })
}

/// Servers that keep to themselves what is raised, and that send it.
fn silent_and_loud(database: &Database, services: &[Arc<ServiceFile>]) -> [(App, bool); 2] {
    [false, true].map(|sends| {
        let setup = Setup::new(database).view("team_dv", VIEW).with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.execute"];
            setup.mount().raised_messages = sends;
            setup.mount().services = services.to_vec();
        });
        (setup.start(), sends)
    })
}

fn send(
    app: &App,
    (method, path): (&str, &str),
    [content, accept]: [&str; 2],
    body: &str,
) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", content), ("Accept", accept)];
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

const JSON: [&str; 2] = ["application/json", "application/json"];

/// Whether an answer is the refusal, with or without the words of the database.
#[track_caller]
fn says(answer: &Response, statuses: &[u16], sends: bool) {
    let text = answer.text();
    assert!(statuses.contains(&answer.status) && text.contains("DUET-7106"), "{answer:?}");
    assert_eq!(text.contains("at most nine"), sends, "{answer:?}");
}

fn triggers_below_services_and_views_speak_where_they_are_allowed_to(database: Database) {
    database.exec("CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, n integer)");
    database.exec("INSERT INTO team VALUES (1, 1)");
    database.exec(match database.is_sqlite() {
        true => {
            "CREATE TRIGGER few BEFORE INSERT ON team WHEN new.n > 9
             BEGIN SELECT RAISE(ABORT, 'at most nine'); END;
             CREATE TRIGGER few_again BEFORE UPDATE ON team WHEN new.n > 9
             BEGIN SELECT RAISE(ABORT, 'at most nine'); END"
        }
        false => {
            "CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS
               $$BEGIN RAISE 'at most nine' USING HINT = 'Send less.'; END$$;
             CREATE TRIGGER few BEFORE INSERT OR UPDATE ON team FOR EACH ROW WHEN (new.n > 9)
             EXECUTE FUNCTION few()"
        }
    });
    let adds = service("adds", "POST", ServiceResult::Count, "INSERT INTO team VALUES (2, 10)");
    for (app, sends) in silent_and_loud(&database, &[adds]) {
        says(&send(&app, ("POST", "adds"), JSON, "{}"), &[400], sends);
        says(&send(&app, ("POST", "team_dv/"), JSON, r#"{"_id":3,"n":10}"#), &[400], sends);
        says(&send(&app, ("PUT", "team_dv/1"), JSON, r#"{"_id":1,"n":10}"#), &[400], sends);
        let load = ("POST", "team_dv/batchload");
        says(&send(&app, load, JSON, r#"[{"_id":4,"n":10}]"#), &[200], sends);
        says(&send(&app, ("POST", "team/"), JSON, r#"[{"team_id":5,"n":10}]"#), &[400], sends);
        let batch = ("POST", "team/_/batch");
        says(&send(&app, batch, JSON, r#"[{"team_id":6,"n":10}]"#), &[200, 207], sends);
        let member = r#"[{"method":"POST","path":"team/","body":{"team_id":7,"n":10}}]"#;
        says(&send(&app, ("POST", "_/transaction"), JSON, member), &[400], sends);
    }
    assert_eq!(database.count("SELECT count(*) FROM team"), 1);
}

/// What a function raises while rows are read, which SQLite cannot.
#[test]
fn functions_below_streams_and_services_speak_where_they_are_allowed_to() {
    let database = Database::postgres("raised::reads");
    database.exec(
        "CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, n integer);
         INSERT INTO team VALUES (1, 10);
         CREATE FUNCTION few(n int) RETURNS int STABLE LANGUAGE plpgsql AS
           $$BEGIN RAISE 'at most nine' USING HINT = 'Send less.'; END$$;
         CREATE VIEW judged AS SELECT team_id, few(n) AS n FROM team",
    );
    let services = [
        service("one", "GET", ServiceResult::Row, "SELECT few(10) AS n"),
        service("all", "GET", ServiceResult::Rows, "SELECT few(10) AS n"),
    ];
    for (app, sends) in silent_and_loud(&database, &services) {
        for (path, accept) in [
            ("one", "application/json"),
            ("all", "application/json"),
            ("judged/", "application/json"),
            ("judged/", "application/x-ndjson"),
            ("judged/", "text/csv"),
        ] {
            says(&send(&app, ("GET", path), ["text/plain", accept], ""), &[400], sends);
        }
    }
}
