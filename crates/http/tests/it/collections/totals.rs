//! Totals that triggers keep: lists are counted by them, exactly, after every kind of change by Duet and by other programs.

use std::sync::Arc;

use duet_model::IndexKind;
use duet_service::definition::{Collection, Declaration, DeclaredIndex, Reference};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, eventually, on_both_stores, percent_encode};

on_both_stores! {
    totals_agree_with_counts_after_every_kind_of_change
    concurrent_writers_are_all_counted
    totals_that_are_not_whole_are_not_used
    related_documents_are_counted
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "status": {"type": "string", "enum": ["Open", "Pending", "Closed"]}, "rush": {"type": "boolean"},
  "details": {"type": "object", "properties": {"form": {"type": "string", "enum": ["Paper", "File"]}}},
  "title": {"type": "string"}}}"#;

const TOTALS: &str = "items_status_rush_details_form_idx_totals";

/// The filters, of which the last ones name a value that is not counted by.
const SEARCHES: [(&str, bool); 11] = [
    ("cql.allRecords=1", true),
    ("status==Open", true),
    ("status==open and rush==true", true),
    ("status==Open or details.form==Paper", true),
    ("status==Closed not rush==true", true),
    ("status<>Open", true),
    ("rush=\"\"", true),
    ("cql.allRecords=1 not details.form=\"\"", true),
    ("status==(Open or Pending) and details.form==File", true),
    ("status==Open and title==\"title 3\"", false),
    ("title==\"title 3\"", false),
];

fn items(totals: bool) -> Arc<Collection> {
    let index = DeclaredIndex {
        then: vec!["rush".into(), "details.form".into()],
        ..DeclaredIndex::new("status", IndexKind::Totals)
    };
    let indexes = if totals { vec![index] } else { Vec::new() };
    let name = if totals { "items" } else { "plain" };
    let declaration = Declaration { indexes, ..Declaration::new(name) };
    Arc::new(Collection::new(declaration, SCHEMA).unwrap())
}

fn start(database: &Database) -> App {
    let collections = vec![items(true), items(false)];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.roles = vec!["duet.write"];
    });
    setup.start()
}

fn document(number: usize) -> Value {
    let mut document = json!({
        "id": format!("{number:08x}-0000-4000-8000-000000000000"),
        "title": format!("title {}", number % 10),
    });
    // Some have none of the values.
    match number % 4 {
        0 => {}
        kind => document["status"] = json!(["Open", "Pending", "Closed"][kind - 1]),
    }
    match number % 3 {
        0 => {}
        kind => document["rush"] = json!(kind == 1),
    }
    if !number.is_multiple_of(5) {
        document["details"] =
            json!({"form": if number.is_multiple_of(2) { "Paper" } else { "File" }});
    }
    document
}

fn send(app: &App, method: &str, target: &str, body: &Value) -> u16 {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request(method, target, &headers, body.to_string().as_bytes()).status
}

fn total(app: &App, name: &str, search: &str, mode: &str) -> Value {
    let search = percent_encode(search);
    let target = format!("/ords/hr/{name}?limit=1&totalRecords={mode}&query={search}");
    let answer = app.get(&target);
    assert_eq!(answer.status, 200, "{target}: {answer:?}");
    answer.json()["totalRecords"].clone()
}

/// The statement that counts a search.
fn counting(app: &App, search: &str) -> String {
    let search = percent_encode(search);
    let target = format!("/ords/hr/items?limit=1&totalRecords=exact&query={search}");
    let explained = app.service.explanation("GET", &target).unwrap();
    let total = explained.statements.iter().find(|statement| statement.title == "total").unwrap();
    total.sql.to_string()
}

/// Both collections have the same documents: so the searches count the same.
fn agree(app: &App, when: &str) {
    for (search, _) in SEARCHES {
        for mode in ["exact", "auto"] {
            let [totals, counted] = ["items", "plain"].map(|name| total(app, name, search, mode));
            assert_eq!(totals, counted, "{when}: {search} {mode}");
        }
    }
}

fn totals_agree_with_counts_after_every_kind_of_change(database: Database) {
    let app = start(&database);
    for (search, is_counted) in SEARCHES {
        assert_eq!(counting(&app, search).contains(TOTALS), is_counted, "{search}");
    }
    agree(&app, "empty");
    let both = |change: &dyn Fn(&str)| ["items", "plain"].into_iter().for_each(change);
    both(&|name| {
        let many: Vec<Value> = (0..200).map(document).collect();
        assert!(send(&app, "POST", &format!("/ords/hr/{name}"), &json!(many)) < 300);
        assert_eq!(send(&app, "POST", &format!("/ords/hr/{name}"), &document(200)), 201);
        // The same key is refused, and so not counted.
        assert_eq!(send(&app, "POST", &format!("/ords/hr/{name}"), &document(200)), 409);
    });
    agree(&app, "after inserts");
    assert_eq!(total(&app, "items", "status==Open", "exact"), json!(50));
    both(&|name| {
        for number in 0..40 {
            let mut changed = document(number + 1);
            changed["id"] = document(number)["id"].clone();
            let target = format!("/ords/hr/{name}/{}", changed["id"].as_str().unwrap_or_default());
            assert!(send(&app, "PUT", &target, &changed) < 300);
        }
        for number in 50..60 {
            let id = document(number)["id"].clone();
            let target = format!("/ords/hr/{name}/{}", id.as_str().unwrap_or_default());
            assert!(send(&app, "DELETE", &target, &Value::Null) < 300);
        }
    });
    agree(&app, "after changes");
    // Other programs, and what they undo.
    both(&|name| {
        database.exec(&format!(
            "DELETE FROM {name} WHERE id IN (SELECT id FROM {name} ORDER BY id LIMIT 20)"
        ));
        database.exec(&format!("BEGIN; DELETE FROM {name}; ROLLBACK"));
        let changed = r#"{"status":"Closed","title":"other"}"#;
        let sql = match database.is_sqlite() {
            true => format!(
                "UPDATE {name} SET jsonb = json_set('{changed}', '$.id', id) WHERE id > '00000090'"
            ),
            false => format!(
                "UPDATE {name} SET jsonb = jsonb_set('{changed}', '{{id}}', to_jsonb(id)) WHERE id::text > '00000090'"
            ),
        };
        database.exec(&sql);
    });
    agree(&app, "after statements of others");
    both(&|name| {
        database.exec(&if database.is_sqlite() {
            format!("DELETE FROM {name}")
        } else {
            format!("TRUNCATE {name}")
        });
    });
    agree(&app, "after all are gone");
}

fn concurrent_writers_are_all_counted(database: Database) {
    let app = start(&database);
    std::thread::scope(|scope| {
        for writer in 0..8_usize {
            let app = &app;
            scope.spawn(move || {
                for turn in 0..25_usize {
                    let number = writer * 1000 + turn;
                    for name in ["items", "plain"] {
                        let target = format!("/ords/hr/{name}");
                        assert_eq!(send(app, "POST", &target, &document(number)), 201);
                        let mut changed = document(number + turn);
                        changed["id"] = document(number)["id"].clone();
                        let target =
                            format!("{target}/{}", changed["id"].as_str().unwrap_or_default());
                        assert!(send(app, "PUT", &target, &changed) < 300);
                        if turn.is_multiple_of(5) {
                            assert!(send(app, "DELETE", &target, &Value::Null) < 300);
                        }
                    }
                }
            });
        }
    });
    agree(&app, "after eight writers");
    assert_eq!(total(&app, "items", "cql.allRecords=1", "exact"), json!(8 * 20));
}

fn totals_that_are_not_whole_are_not_used(database: Database) {
    let app = start(&database);
    let many: Vec<Value> = (0..20).map(document).collect();
    assert!(send(&app, "POST", "/ords/hr/items", &json!(many)) < 300);
    if !database.is_sqlite() {
        // It has its owner's rights: no other user may make it the trigger of a table of its own.
        let open = format!(
            "SELECT count(*) FROM pg_proc p, aclexplode(p.proacl) a WHERE p.proname = '{TOTALS}' AND a.grantee = 0"
        );
        let known = format!(
            "SELECT count(*) FROM pg_proc WHERE proname = '{TOTALS}' AND proacl IS NOT NULL"
        );
        assert_eq!((database.count(&open), database.count(&known)), (0, 1));
    }
    let broken = match database.is_sqlite() {
        true => format!("DROP TRIGGER delete_{TOTALS}"),
        false => format!("ALTER TABLE items DISABLE TRIGGER delete_{TOTALS}"),
    };
    database.exec(&broken);
    eventually("the change is noticed", || !counting(&app, "status==Open").contains(TOTALS));
    assert_eq!(
        send(
            &app,
            "DELETE",
            &format!("/ords/hr/items/{}", document(1)["id"].as_str().unwrap_or_default()),
            &Value::Null
        ),
        204
    );
    assert_eq!(total(&app, "items", "status==Open", "exact"), json!(4));
    database.prepare_collections(vec![items(true).table(None)]);
    eventually("they are used again", || counting(&app, "status==Open").contains(TOTALS));
    assert_eq!(total(&app, "items", "status==Open", "exact"), json!(4));
}

/// Values of related documents may have the same path.
fn related_documents_are_counted(database: Database) {
    let references = vec![Reference::new("itemId", "items")];
    let declaration = Declaration { references, ..Declaration::new("parts") };
    let schema = SCHEMA.replace(
        "\"title\": {",
        "\"itemId\": {\"type\": \"string\", \"format\": \"uuid\"}, \"title\": {",
    );
    let parts = Arc::new(Collection::new(declaration, &schema).unwrap());
    let collections = vec![items(true), parts];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(&database).with(|setup| {
        setup.mount().collections = collections;
        setup.roles = vec!["duet.write"];
    });
    let app = setup.start();
    for number in 0..8 {
        assert_eq!(send(&app, "POST", "/ords/hr/items", &document(number)), 201);
        let part = json!({"itemId": document(number)["id"], "status": "Open"});
        assert_eq!(send(&app, "POST", "/ords/hr/parts", &part), 201);
    }
    assert!(!counting(&app, "parts.status==Open").contains(TOTALS));
    assert_eq!(total(&app, "items", "parts.status==Open", "exact"), json!(8));
    assert_eq!(total(&app, "items", "status==Open", "exact"), json!(2));
    let related = total(&app, "items", "status==Open and parts.status==Open", "exact");
    assert_eq!(related, json!(2));
}
