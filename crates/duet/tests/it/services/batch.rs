//! Batches of services that write, on both stores: a result for each item, all or none on request, and once
//! for each idempotency key.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::duet;

const TABLES: &str = "CREATE TABLE sale (id integer PRIMARY KEY, account varchar(20) NOT NULL, amount integer NOT NULL CHECK (amount <> 13));
    CREATE TABLE log (id integer NOT NULL, said varchar(20) NOT NULL);";

const SELL: &str = "-- method = \"POST\"\n-- status = 201\n-- result = \"row\"\n-- location = \"/sale/{id}\"\n\
    -- path = \"/accounts/{account}/sales\"\n-- [parameters]\n-- account = { type = \"text\" }\n\
    -- id = { type = \"integer\" }\n-- amount = { type = \"integer\", minimum = 0, maximum = 100 }\n\
    INSERT INTO log (id, said) VALUES (:id, :account);\n\
    INSERT INTO sale (id, account, amount) VALUES (:id, :account, :amount) RETURNING id, account, amount\n";

const RAISE: &str = "-- method = \"PATCH\"\n-- result = \"row\"\n-- [parameters]\n-- id = { type = \"integer\" }\n\
    UPDATE sale SET amount = amount + 1 WHERE id = :id RETURNING id, amount\n";

const CLEAR: &str = "-- method = \"DELETE\"\n-- result = \"nothing\"\n-- [parameters]\n-- id = { type = \"integer\" }\n\
    DELETE FROM sale WHERE id = :id\n";

struct Shop {
    server: Running,
}

impl Shop {
    fn start(folder: &Path, database: &str) -> Self {
        fs::create_dir(folder.join("services")).unwrap();
        let app = folder.join("app.toml").display().to_string();
        let text = "name = \"shop\"\nmount = \"/shop\"\nservices = [\"services/*.sql\"]\n[resources.sale]\n[resources.log]\n";
        fs::write(&app, text).unwrap();
        for (name, text) in [("sell", SELL), ("raise", RAISE), ("clear", CLEAR)] {
            fs::write(folder.join(format!("services/{name}.sql")), text).unwrap();
        }
        let (code, _, errors) = duet(&["service", "prepare", "--database", database]);
        assert_eq!(code, 0, "{errors}");
        let arguments = ["serve", database, "--config", &app, "--listen", "0", "--open", "all"];
        Self { server: Running::start(&arguments) }
    }

    fn send(&self, (method, path): (&str, &str), more: &[(&str, &str)], body: &Value) -> Response {
        let headers: Vec<_> = [("Content-Type", "application/json")]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        let url = format!("{}/shop/{path}", self.server.url());
        http::request(method, &url, &headers, body.to_string().as_bytes())
    }

    fn sell(&self, query: &str, body: &Value) -> Response {
        self.send(("POST", &format!("accounts/ann/sales/_/batch{query}")), &[], body)
    }

    /// How many rows a table has.
    fn count(&self, table: &str) -> u64 {
        let page = http::get(&format!("{}/shop/{table}/?limit=1000", self.server.url()), &[]);
        page.json()["count"].as_u64().unwrap()
    }
}

fn statuses(response: &Response) -> Vec<u64> {
    assert_eq!(response.status, 200, "{response:?}");
    let items = response.json();
    items.as_array().unwrap().iter().map(|item| item["status"].as_u64().unwrap()).collect()
}

fn batches(folder: &Path, database: &str) {
    let shop = Shop::start(folder, database);
    // Each item has its result, and those that are refused leave the others.
    let mixed = shop.sell(
        "",
        &json!([
            { "id": 1, "amount": 10 }, { "id": 1, "amount": 11 }, { "id": 2, "amount": 101 },
            { "amount": "x", "colour": 1 }, { "id": 3, "amount": 13 }, { "id": 4, "amount": 11 },
        ]),
    );
    assert_eq!(statuses(&mixed), [201, 409, 422, 400, 422, 201], "{mixed:?}");
    let items = mixed.json();
    assert_eq!(items[0]["body"], json!({ "id": 1, "account": "ann", "amount": 10 }));
    assert!(items[0]["location"].as_str().unwrap().ends_with("/shop/sale/1"), "{items}");
    assert_eq!(items[2]["problem"]["errors"][0]["pointer"], "/2/amount");
    assert!(items[3]["problem"].to_string().contains("\"/3/colour\""), "{items}");
    assert_eq!((shop.count("sale"), shop.count("log")), (2, 2), "a refused item leaves nothing");
    // All or none.
    let atomic =
        shop.sell("?atomic=true", &json!([{ "id": 5, "amount": 1 }, { "id": 1, "amount": 1 }]));
    assert_eq!(atomic.status, 409, "{atomic:?}");
    assert!(atomic.text().contains("Nothing was changed"), "{atomic:?}");
    let wrong = shop.sell("?atomic=true", &json!([{ "id": 5, "amount": 1 }, { "id": 6 }]));
    assert_eq!((wrong.status, &wrong.json()["errors"][0]["pointer"]), (400, &json!("/1/amount")));
    assert_eq!((shop.count("sale"), shop.count("log")), (2, 2));
    let all =
        shop.sell("?atomic=true", &json!([{ "id": 5, "amount": 1 }, { "id": 6, "amount": 2 }]));
    assert_eq!(statuses(&all), [201, 201]);
    // The method of the service; a row that is not there is 404 for its item alone.
    let raised = shop.send(
        ("PATCH", "raise/_/batch"),
        &[],
        &json!([{ "id": 1 }, { "id": 99 }, { "id": 4 }]),
    );
    assert_eq!(statuses(&raised), [200, 404, 200], "{raised:?}");
    assert_eq!(raised.json()[2]["body"], json!({ "id": 4, "amount": 12 }));
    let cleared = shop.send(("DELETE", "clear/_/batch"), &[], &json!([{ "id": 5 }, { "id": 6 }]));
    assert_eq!(cleared.json(), json!([{ "status": 204 }, { "status": 204 }]));
    once(&shop);
    preferences_and_refusals(&shop);
    // Enough items to be cut and joined again.
    let many: Vec<Value> =
        (0..300).map(|id| json!({ "id": 1000 + id - id % 7 / 6, "amount": 1 })).collect();
    let made = statuses(&shop.sell("", &json!(many)));
    assert!(made.iter().zip(0..).all(|(status, id)| (*status == 409) == (id % 7 == 6)), "{made:?}");
    assert!(shop.server.stop().success());
}

fn once(shop: &Shop) {
    let body = json!([{ "id": 20, "amount": 1 }, { "id": 1, "amount": 1 }]);
    let send = || {
        let path = "accounts/ann/sales/_/batch";
        shop.send(("POST", path), &[("Idempotency-Key", "batch-1")], &body)
    };
    let (first, before) = (send(), shop.count("log"));
    assert_eq!(statuses(&first), [201, 409]);
    let again = send();
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again:?}");
    assert_eq!((again.text(), shop.count("log")), (first.text(), before));
}

fn preferences_and_refusals(shop: &Shop) {
    let sales = shop.count("sale");
    let path = "accounts/ann/sales/_/batch";
    let item = json!([{ "id": 30, "amount": 1 }]);
    let tried = shop.send(("POST", path), &[("Prefer", "tx=rollback")], &item);
    assert_eq!(statuses(&tried), [201]);
    assert_eq!(shop.count("sale"), sales);
    let minimal = shop.send(("POST", path), &[("Prefer", "return=minimal")], &item);
    assert_eq!(minimal.json()[0].get("body"), None);
    for (request, body, status) in [
        (("POST", path), json!([]), 400),
        (("POST", path), json!({ "id": 31, "amount": 1 }), 400),
        (("POST", "accounts/ann/sales/_/batch?atomic=perhaps"), item.clone(), 400),
        (("PUT", path), item.clone(), 405),
        (("POST", "raise/_/batch"), item.clone(), 405),
    ] {
        let refused = shop.send(request, &[], &body);
        assert_eq!(refused.status, status, "{request:?} {refused:?}");
    }
    assert_eq!(shop.count("sale"), sales + 1);
}

#[test]
fn sqlite_services_take_batches() {
    let folder = Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", TABLES]);
    batches(folder.path(), &format!("sqlite:{}", folder.path().join("a.db").display()));
}

#[test]
fn postgres_services_take_batches() {
    let database = Server::shared().database("service_batch");
    database.exec(TABLES);
    let folder = Folder::new();
    batches(folder.path(), &database.url());
}
