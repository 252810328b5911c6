//! Bulk loads of collections: what is refused, and how the statements grow with the documents.

use std::fmt::Write as _;
use std::sync::Arc;

use duet_model::IndexKind;
use duet_service::definition::{Collection, Declaration, DeclaredIndex};
use serde_json::json;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    documents_that_do_not_fit_are_left_out
    documents_above_the_allowed_errors_undo_their_batch
}

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["code"],
  "properties": {"id": {"type": "string", "format": "uuid"}, "code": {"type": "string"},
    "pages": {"type": "integer"}}}"#;

fn start(database: &Database) -> App {
    let indexes = vec![DeclaredIndex::new("code", IndexKind::Unique)];
    let declaration = Declaration { indexes, ..Declaration::new("books") };
    let collections = vec![Arc::new(Collection::new(declaration, SCHEMA).unwrap())];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.roles = vec!["duet.write"];
    });
    setup.without_poll().start()
}

/// Loads lines; the report.
fn load(app: &App, query: &str, lines: &str) -> String {
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/x-ndjson")];
    let target = format!("/ords/hr/books/batchload?{query}");
    app.connect().request("POST", &target, &headers, lines.as_bytes()).text().to_owned()
}

fn lines(numbers: std::ops::Range<usize>) -> String {
    numbers.fold(String::new(), |mut lines, number| {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let document = json!({ "id": id, "code": format!("c{number}"), "pages": number });
        writeln!(lines, "{document}").unwrap();
        lines
    })
}

const REFUSED: &str = r#"{"code":"c3"}
{"code":7}
not JSON
{"pages":1}
{"code":"last"}
"#;

fn documents_that_do_not_fit_are_left_out(database: Database) {
    let app = start(&database);
    let report = load(&app, "errors=10", &(lines(0..20) + REFUSED + &lines(20..40)));
    assert_eq!(database.count("SELECT count(*) FROM books"), 41, "{report}");
    for line in 21..=24 {
        assert!(report.contains(&format!("Line {line}: ")), "line {line}: {report}");
    }
    for place in ["/code", "DUET-7101"] {
        assert!(report.contains(place), "{place}: {report}");
    }
}

fn documents_above_the_allowed_errors_undo_their_batch(database: Database) {
    let app = start(&database);
    let query = "errors=1&batchRows=10&batchesPerCommit=1";
    let report = load(&app, query, &(lines(0..20) + REFUSED + &lines(20..40)));
    assert_eq!(database.count("SELECT count(*) FROM books"), 20, "{report}");
}

/// Twice the documents are twice the batches, and a statement for each. The trigger that counts them is not known to the
/// server, which inserts the rows of a table with triggers one by one.
#[test]
fn statements_grow_with_the_batches() {
    let database = Database::postgres("collection_load_statements");
    let app = start(&database);
    database.exec(
        "CREATE TABLE call (at integer);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO call VALUES (1); RETURN NULL; END';
         CREATE TRIGGER note AFTER INSERT ON books FOR EACH STATEMENT EXECUTE FUNCTION note();",
    );
    let calls = |from: usize, count: usize| {
        database.exec("DELETE FROM call");
        let report = load(&app, "batchRows=100&batchesPerCommit=1", &lines(from..from + count));
        let there = database.count("SELECT count(*) FROM books");
        assert_eq!(usize::try_from(there).unwrap(), from + count, "{report}");
        database.count("SELECT count(*) FROM call")
    };
    assert_eq!(calls(0, 400), 4);
    assert_eq!(calls(400, 800), 8);
}
