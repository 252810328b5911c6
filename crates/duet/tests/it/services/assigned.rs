//! Members that a service assigns, beside items in memory: what the service changes is a table that no document
//! shows, so only the written document leaves memory.

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::duet_says;

const APP: &str = "name = 'numbered'\nmount = '/numbered'\ntables = 'listed'\n\
    collections = ['orders.toml']\nservices = ['*.sql']\nprepare = ['numbers.prepare']\n\
    [resources.orders]\nrowstore = '4MiB'\nassign = { number = 'next-number' }\n";

const NUMBERS: &str = "CREATE TABLE IF NOT EXISTS numbers (last bigint NOT NULL);\n\
    INSERT INTO numbers SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM numbers);\n";

/// The body of a service that counts, and one whose statement could change anything.
fn service(description: &str, statement: &str) -> String {
    format!(
        "-- description = \"{description}\"\n-- writes = true\n-- result = \"row\"\n{statement}\n"
    )
}

fn only_the_written_document_leaves_memory(database: &str) {
    let folder = Folder::new();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the folder is writable");
    };
    write("app.toml", APP);
    write("orders.toml", "table = 'purchase_order'\nschema = 'order.json'\n");
    write(
        "order.json",
        r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}, "number": {"type": "string"}}}"#,
    );
    write("numbers.prepare", NUMBERS);
    let next = "UPDATE {schema}.numbers SET last = last + 1 RETURNING CAST(last AS text) AS number";
    write("next-number.sql", &service("The next number", next));
    let common = format!(
        "WITH one AS (SELECT 1 AS step) {}",
        next.replace("+ 1", "+ (SELECT step FROM one)")
    );
    write("any-number.sql", &service("The same in a form that is not read", &common));
    let config = folder.path().join("app.toml").display().to_string();
    let app = folder.path().display().to_string();
    duet_says(&["collection", "prepare", &app, "--database", database]);
    let serve =
        ["serve", database, "--config", &config, "--listen", "127.0.0.1:0", "--open", "all"];
    let server = Running::start(&serve);
    let send = |method: &str, path: &str, body: &str| {
        let url = format!("{}/numbered/{path}", server.url());
        let answer =
            http::request(method, &url, &[("Content-Type", "application/json")], body.as_bytes());
        assert!(answer.status < 300, "{method} {path}: {}", answer.text());
        answer
    };
    let key = |number: usize| format!("0000000a-0000-4000-8000-{number:012}");
    let post = |number: usize| {
        send("POST", "orders", &format!(r#"{{"id":"{}"}}"#, key(number)));
    };
    let get = |number: usize| {
        let answer = send("GET", &format!("orders/{}", key(number)), "");
        (answer.header("x-cache").map(str::to_owned), answer.json()["number"].clone())
    };
    let (miss, hit) = (|| Some("miss".to_owned()), || Some("hit".to_owned()));
    post(1);
    post(2);
    assert_eq!((get(1), get(2)), ((miss(), "1".into()), (miss(), "2".into())));
    post(3);
    assert_eq!((get(1), get(2)), ((hit(), "1".into()), (hit(), "2".into())));
    assert_eq!(get(3), (miss(), "3".into()));
    // The service itself too.
    assert_eq!(send("GET", "next-number", "").json()["number"], "4");
    assert_eq!((get(1).0, get(3).0), (hit(), hit()));
    send("PUT", &format!("orders/{}", key(1)), r#"{"number":"one"}"#);
    assert_eq!((get(1), get(2).0), ((miss(), "one".into()), hit()));
    // Where the text leaves a doubt, everything leaves memory.
    assert_eq!(send("GET", "any-number", "").json()["number"], "5");
    assert_eq!((get(1).0, get(2).0), (miss(), miss()));
}

#[test]
fn only_the_written_document_leaves_memory_on_sqlite() {
    let folder = Folder::new();
    only_the_written_document_leaves_memory(&folder.load("a.db", &[""]).display().to_string());
}

#[test]
fn only_the_written_document_leaves_memory_on_postgres() {
    only_the_written_document_leaves_memory(&Server::shared().database("assigned").url());
}
