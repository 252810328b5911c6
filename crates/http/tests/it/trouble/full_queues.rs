//! What requests for a collection meet when more of them wait than may: the others get 503 at once with the same
//! permanent code, what waits is answered, and afterwards all is as before.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use duet_model::Code;
use duet_service::definition::{Collection, Declaration, Resource};
use duet_testkit::http::{Client, Response};
use serde_json::json;

use crate::support::{App, Database, Held, Setup, eventually, on_both_stores, percent_encode};

on_both_stores! {
    lists_and_searches_wait_or_are_refused
    new_documents_are_stored_or_refused
}

const BOOKS: &str = "/ords/hr/books";
const BOOK: &str = r#"{"type": "object", "required": ["title"], "properties":
  {"id": {"type": "string", "format": "uuid"}, "title": {"type": "string"}}}"#;
/// Requests of a kind: far more than can run and wait.
const FLOOD: usize = 40;
/// Requests that may wait in each queue.
const WAITING: usize = 4;

const SLOW_POSTGRES: &str = "CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(3600)::text AS long";
const SLOW_SQLITE: &str = "CREATE VIEW slow AS
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
  SELECT 1 AS id, (SELECT count(*) FROM n) AS long";

fn start(database: &Database) -> App {
    database.exec(if database.is_sqlite() { SLOW_SQLITE } else { SLOW_POSTGRES });
    let books = Arc::new(Collection::new(Declaration::new("books"), BOOK).unwrap());
    database.prepare_collections(vec![books.table(None)]);
    let setup = Setup::new(database).without_poll().with(|setup| {
        setup.open = duet_auth::Open::All;
        setup.limits.connections = 4;
        setup.limits.queue_length = WAITING;
        setup.limits.statement_timeout = Duration::from_secs(3600);
        setup.limits.queue_timeout = Duration::from_secs(3600);
        setup.mount().collections = vec![books];
        setup.mount().resources.push(Resource {
            name: "slow".into(),
            table: "slow".into(),
            key: vec!["id".into()],
            ..Resource::default()
        });
    });
    setup.start()
}

/// Sends a request and reads no response.
fn send(app: &App, method: &str, path: &str, body: &str) -> Client {
    let mut client = app.connect();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    client.send(request.as_bytes()).unwrap();
    client
}

/// The sum of a metric over the queues whose labels have this text.
fn sum(app: &App, name: &str, labels: &str) -> usize {
    let text = app.get("/metrics").text().to_owned();
    let lines = text.lines().filter(|line| line.starts_with(name) && line.contains(labels));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum()
}

fn refused(app: &App) -> usize {
    sum(app, "duet_queue_refused_total{", "cause=\"full\"")
}

/// Whether a request was refused; if so, as every full queue refuses.
fn is_refused(response: &Response) -> bool {
    if response.status != 503 {
        return false;
    }
    assert_eq!(response.header("retry-after"), Some("1"), "{response:?}");
    let code = &response.json()["errors"][0]["code"];
    assert_eq!(code, Code::Overloaded.as_str(), "{response:?}");
    true
}

/// The titles of all books.
fn titles(app: &App) -> BTreeSet<String> {
    let list = app.get(&format!("{BOOKS}?limit=1000&totalRecords=exact")).json();
    let books = list["books"].as_array().unwrap();
    assert_eq!(list["totalRecords"], json!(books.len()));
    books.iter().map(|book| book["title"].as_str().unwrap().to_owned()).collect()
}

/// The response to a request that was sent.
fn answer(mut client: Client) -> Response {
    client.read_response(false).unwrap()
}

/// Requests that keep all connections for pages busy, and all but two places of their queue.
fn busy(app: &App) -> Vec<Client> {
    let (before, mut slow) = (refused(app), Vec::new());
    let of = |name: &str| sum(app, name, "queue=\"page\"");
    while refused(app) == before {
        slow.push(send(app, "GET", &format!("/ords/hr/slow/?limit={}", 200 + slow.len()), ""));
        eventually("it runs, waits or is refused", || {
            let taken = of("duet_queue_running{") + of("duet_queue_waiting{");
            taken + refused(app) - before == slow.len()
        });
    }
    // The one that was refused, and two that wait.
    slow.truncate(slow.len() - 3);
    eventually("there is room for two", || of("duet_queue_waiting{") == WAITING - 2);
    slow
}

fn lists_and_searches_wait_or_are_refused(database: Database) {
    let app = start(&database);
    for number in 0..3 {
        let book = json!({ "title": format!("T{number}") }).to_string();
        let made = answer(send(&app, "POST", BOOKS, &book));
        assert_eq!(made.status, 201, "{made:?}");
    }
    let search = format!("{BOOKS}?totalRecords=exact&query={}", percent_encode("title==T1"));
    for (path, found) in [(format!("{BOOKS}?limit=500&totalRecords=exact"), 3), (search, 1)] {
        let slow = busy(&app);
        let before = refused(&app);
        let flood: Vec<Client> = (0..FLOOD).map(|_| send(&app, "GET", &path, "")).collect();
        eventually("most are refused", || refused(&app) - before >= FLOOD - WAITING);
        drop(slow);
        let answers: Vec<Response> = flood.into_iter().map(answer).collect();
        let waited: Vec<_> = answers.iter().filter(|one| !is_refused(one)).collect();
        assert!((1..FLOOD / 2).contains(&waited.len()), "{}", waited.len());
        for answer in waited {
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.json()["totalRecords"], json!(found), "{answer:?}");
        }
        assert_eq!(app.get(&path).status, 200);
    }
    assert_eq!(titles(&app).len(), 3);
}

fn new_documents_are_stored_or_refused(database: Database) {
    let app = start(&database);
    let mut expected = BTreeSet::new();
    for (path, kind) in [(BOOKS, "one"), (BOOKS, "list"), ("/ords/hr/books/_/batch", "batch")] {
        let body = |number: usize| {
            let book = json!({ "title": format!("{kind} {number}") });
            if kind == "one" { book } else { json!([book]) }
        };
        let held = Held::new(&database, "public.books");
        let before = refused(&app);
        let post = |number| send(&app, "POST", path, &body(number).to_string());
        let flood: Vec<Client> = (0..FLOOD).map(post).collect();
        eventually("the queue is full", || refused(&app) > before);
        held.release(&database);
        let mut stored = 0;
        for (number, client) in flood.into_iter().enumerate() {
            let answer = answer(client);
            if !is_refused(&answer) {
                assert!(matches!(answer.status, 200 | 201), "{answer:?}");
                expected.insert(format!("{kind} {number}"));
                stored += 1;
            }
        }
        assert!((WAITING..FLOOD).contains(&stored), "{kind}: {stored}");
        // What was refused has not been stored, and what was stored has been told so.
        assert_eq!(titles(&app), expected);
        let again = answer(post(FLOOD));
        assert!(matches!(again.status, 200 | 201), "{again:?}");
        expected.insert(format!("{kind} {FLOOD}"));
    }
    assert_eq!(titles(&app), expected);
}
