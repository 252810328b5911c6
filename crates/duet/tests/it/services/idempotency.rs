//! `duet service prepare`, and services with an idempotency key on both stores.

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::duet;

const TABLE: &str = "CREATE TABLE sale (id integer PRIMARY KEY, amount integer NOT NULL)";

const SELL: &str = "-- method = \"POST\"\n-- status = 201\n-- result = \"row\"\n-- location = \"/sale/{id}\"\n\
    -- [parameters]\n-- amount = { type = \"integer\" }\n\
    INSERT INTO sale (id, amount) SELECT count(*) + 1, :amount FROM sale RETURNING id, amount\n";

fn sells_once(folder: &Path, database: &str, table: &str) {
    fs::create_dir(folder.join("services")).expect("a folder");
    let app = folder.join("app.toml").display().to_string();
    fs::write(
        &app,
        "name = \"shop\"\nmount = \"/shop\"\nservices = [\"services/*.sql\"]\n[resources.sale]\n",
    )
    .expect("a file");
    fs::write(folder.join("services/sell.sql"), SELL).expect("a file");
    let server =
        Running::start(&["serve", database, "--config", &app, "--listen", "0", "--open", "all"]);
    let sell = |key: &str, body: &str| -> Response {
        let headers = [("Content-Type", "application/json"), ("Idempotency-Key", key)];
        http::request("POST", &format!("{}/shop/sell", server.url()), &headers, body.as_bytes())
    };
    let refused = sell("\"k\"", r#"{"amount":5}"#);
    assert_eq!(refused.status, 501, "{refused:?}");
    for said in ["Made", "already exists"] {
        let (code, out, errors) = duet(&["service", "prepare", "--database", database]);
        assert_eq!(code, 0, "{errors}");
        assert!(out.contains(said) && out.contains(table), "{out}");
    }
    let first = sell("\"k\"", r#"{"amount":5}"#);
    assert_eq!((first.status, first.text()), (201, r#"{"id":1,"amount":5}"#));
    let again = sell("\"k\"", r#"{"amount":5}"#);
    assert_eq!((again.status, again.text()), (201, r#"{"id":1,"amount":5}"#));
    assert_eq!(again.header("location"), first.header("location"));
    assert!(first.header("location").is_some_and(|place| place.ends_with("/shop/sale/1")));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(sell("\"k\"", r#"{"amount":6}"#).status, 422);
    assert_eq!(sell("\"l\"", r#"{"amount":6}"#).text(), r#"{"id":2,"amount":6}"#);
    let served = http::get(&format!("{}/shop/open-api-catalog/", server.url()), &[]);
    assert!(!served.text().contains("idempotency\""), "the table of keys is not served");
    assert!(server.stop().success());
}

#[test]
fn sqlite_services_write_once_for_a_key() {
    let folder = Folder::new();
    folder.load("a.db", &[TABLE]);
    let database = format!("sqlite:{}", folder.path().join("a.db").display());
    sells_once(folder.path(), &database, "duet_idempotency");
}

#[test]
fn postgres_services_write_once_for_a_key() {
    let database = Server::shared().database("idempotency_services");
    database.exec(TABLE);
    let folder = Folder::new();
    sells_once(folder.path(), &database.url(), "duet.idempotency");
}

#[test]
fn no_file_is_made_for_keys() {
    let folder = Folder::new();
    let file = folder.path().join("missing.db");
    let (code, _, errors) =
        duet(&["service", "prepare", "--database", &file.display().to_string()]);
    assert_eq!(code, 1);
    assert!(errors.contains("cannot be written") && !file.exists(), "{errors}");
}
