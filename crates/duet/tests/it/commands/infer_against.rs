//! `duet infer --against`: new documents for an application in use, on both stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::PathBuf;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// An application that was inferred, and its database with documents.
struct InUse {
    folder: Folder,
    database: String,
}

impl InUse {
    /// Both stores.
    fn both(name: &str, documents: &[Value]) -> [Self; 2] {
        ["sqlite", "postgres"].map(|store| {
            let folder = Folder::new();
            let database = match store {
                "sqlite" => format!("sqlite:{}", folder.path().join("shop.db").display()),
                _ => Server::shared().database(name).url(),
            };
            let in_use = Self { folder, database };
            let file = in_use.file("old/orders.json", documents);
            let app = in_use.app().display().to_string();
            duet_says(&["infer", &file, "--into", &app, "--for", store]);
            duet_says(&["load", &app, "--database", &in_use.database]);
            let server = in_use.serve();
            for document in documents {
                post(&format!("{}/shop/orders/", server.url()), document);
            }
            in_use
        })
    }

    fn app(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    /// Documents as a file; gives its path.
    fn file(&self, name: &str, documents: &[Value]) -> String {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, Value::from(documents.to_vec()).to_string()).unwrap();
        path.display().to_string()
    }

    fn serve(&self) -> Running {
        let app = self.app().display().to_string();
        let serve = ["serve", &app, "--database", &self.database, "--open", "all"];
        Running::start(&[&serve[..], &["--listen", "127.0.0.1:0"]].concat())
    }

    /// Infers against itself: the exit code, output and errors.
    fn infer(&self, files: &[&str], more: &[&str]) -> (i32, String, String) {
        let app = self.app().display().to_string();
        let against = ["--against", &app, "--database", &self.database];
        duet(&[&["infer"], files, &against, more].concat())
    }

    /// Lets patterns of the application name the files of migrations.
    fn with_migrations(&self) {
        let file = self.app().join("app.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(
            &file,
            text.replace("views = [", "migrations = [\"migrations/*.sql\"]\nviews = ["),
        )
        .unwrap();
    }

    fn migrate(&self) -> String {
        let app = self.app().display().to_string();
        duet_says(&["migrate", &app, "--database", &self.database])
    }
}

fn post(url: &str, document: &Value) -> String {
    let headers = [("Content-Type", "application/json")];
    let made = http::request("POST", url, &headers, document.to_string().as_bytes());
    assert_eq!(made.status, 201, "{document}\n{made:?}");
    made.header("location").unwrap().to_owned()
}

/// A document without what belongs to the moment and the address of the request.
fn read(url: &str) -> Value {
    let answer = http::get(url, &[]);
    assert_eq!(answer.status, 200, "{url} {answer:?}");
    let mut document = answer.json();
    document["_metadata"]["asof"] = Value::Null;
    document["links"] = Value::Null;
    document
}

fn old_orders() -> Vec<Value> {
    let order = |number: u32, city: &str, product: &str| {
        json!({"orderId": number, "total": 12.5, "customer": {"id": "ann", "name": "Ann"},
            "shipTo": {"city": city}, "lines": [{"lineNo": 1, "product": product}]})
    };
    vec![order(1, "Delft", "bolt"), order(2, "Gouda", "nut")]
}

/// Each place of a document has something new: a column, a column of a shared row, of a group, of a list, and a list.
fn new_orders() -> Vec<Value> {
    vec![
        json!({"orderId": 11, "total": 4, "channel": "web", "shipTo": {"city": "Delft", "country": "NL"},
            "customer": {"id": "bob", "name": "Bob", "phone": "1"},
            "lines": [{"lineNo": 1, "product": "nut", "grams": 5}],
            "payments": [{"paymentNo": 1, "amount": 2.5}, {"paymentNo": 2, "amount": 1.5}]}),
        json!({"orderId": 12, "total": 5, "customer": {"id": "bob", "name": "Bob", "phone": "1"},
            "shipTo": {"city": "Breda", "country": "NL"}, "lines": [], "payments": []}),
    ]
}

fn invoices() -> Vec<Value> {
    vec![json!({"invoiceId": 7, "amount": 3, "customer": {"id": "bob", "name": "Bob"}})]
}

#[test]
fn new_documents_are_added_beside_the_old_ones() {
    for in_use in InUse::both("infer_against", &old_orders()) {
        let address = |number: u32| format!("/shop/orders/{number}");
        let before: Vec<Value> = {
            let server = in_use.serve();
            [1, 2].map(|number| read(&format!("{}{}", server.url(), address(number)))).to_vec()
        };
        let (orders, bills) =
            (in_use.file("orders.json", &new_orders()), in_use.file("invoices.json", &invoices()));
        let old = in_use.folder.path().join("old/orders.json").display().to_string();
        let app_file = in_use.app().join("app.toml");
        let app_text = fs::read_to_string(&app_file).unwrap();
        let (code, said, errors) = in_use.infer(&[&orders, &bills], &["--old", &old]);
        assert_eq!((code, errors.as_str()), (0, ""), "{said}");
        assert!(said.contains("orders: 2 documents; the view orders_v2, beside"), "{said}");
        assert!(said.contains("Checked: 5 documents written"), "{said}");
        assert!(said.contains("to `migrations` of app.toml"), "{said}");
        assert_eq!(fs::read_to_string(&app_file).unwrap(), app_text, "nothing is changed");
        in_use.with_migrations();
        let migrated = in_use.migrate();
        for added in [
            "create column orders.channel",
            "create column orders.ship_to_country",
            "create column customer.phone",
            "create column order_line.grams",
            "create table order_payment",
            "create table invoices",
        ] {
            assert!(migrated.contains(added), "{added}: {migrated}");
        }
        assert!(!migrated.contains("table customer"), "{migrated}");
        assert!(in_use.migrate().contains("is declared is in"), "a second run has nothing to do");
        let server = in_use.serve();
        for (number, before) in [1, 2].into_iter().zip(&before) {
            let url = server.url();
            assert_eq!(read(&format!("{url}{}", address(number))), *before);
            let new = read(&format!("{url}/shop/orders_v2/{number}"));
            assert_eq!((&new["channel"], &new["payments"]), (&Value::Null, &json!([])));
            assert_eq!(new["lines"][0]["product"], before["lines"][0]["product"]);
        }
        for document in new_orders() {
            post(&format!("{}/shop/orders_v2/", server.url()), &document);
        }
        // The customer of the invoice is the one of the orders.
        post(&format!("{}/shop/invoices/", server.url()), &invoices()[0]);
        let patch = [("Content-Type", "application/merge-patch+json")];
        let url = format!("{}/shop/invoices/7", server.url());
        let patched = http::request("PATCH", &url, &patch, br#"{"customer":{"name":"Rob"}}"#);
        assert_eq!(patched.status, 200, "{patched:?}");
        let order = read(&format!("{}/shop/orders_v2/11", server.url()));
        assert_eq!(order["customer"], json!({"id": "bob", "name": "Rob", "phone": "1"}));
        assert_eq!(order["payments"], new_orders()[0]["payments"]);
        // An old client writes through the old view, and what it does not know stays.
        let url = format!("{}/shop/orders/11", server.url());
        let patched = http::request("PATCH", &url, &patch, br#"{"total":6}"#);
        assert_eq!(patched.status, 200, "{patched:?}");
        assert_eq!(read(&format!("{}/shop/orders_v2/11", server.url()))["channel"], json!("web"));
    }
}

#[test]
fn contradictions_are_refused_together() {
    for in_use in InUse::both("infer_contradictions", &old_orders()) {
        let wrong = [
            json!({"orderId": "eleven", "total": "4", "customer": {"id": "x", "name": 5},
                "shipTo": {"city": ["Delft"]}, "lines": {"lineNo": 1}}),
            json!({"orderId": 12, "total": 1, "shipTo": "home", "lines": [{"lineNo": 1.5, "product": "a"}, 7],
                "customer": null}),
        ];
        let orders = in_use.file("orders.json", &wrong);
        let bills = json!({"invoiceId": 1, "customer": {"id": 5, "name": "Bob"}, "amount": 1});
        let bills = in_use.file("invoices.json", &[bills]);
        let (code, said, errors) = in_use.infer(&[&orders, &bills], &[]);
        assert_eq!((code, said.as_str()), (1, ""), "{errors}");
        let place = |file: &str, number: u32, at: &str| {
            format!("{} document {number}: {at}: ", in_use.folder.path().join(file).display())
        };
        for (file, number, at) in [
            ("orders.json", 1, "/orderId"),
            ("orders.json", 1, "/total"),
            ("orders.json", 1, "/customer/name"),
            ("orders.json", 1, "/shipTo/city"),
            ("orders.json", 1, "/lines"),
            ("orders.json", 2, "/shipTo"),
            ("orders.json", 2, "/lines/0/lineNo"),
            ("orders.json", 2, "/lines/1"),
            ("invoices.json", 1, "/customer/id"),
        ] {
            assert!(errors.contains(&place(file, number, at)), "{number} {at}\n{errors}");
        }
        assert_eq!(errors.matches(" document ").count(), 9, "{errors}");
        assert!(!in_use.app().join("migrations").exists(), "nothing is written");
    }
}

#[test]
fn what_fits_needs_nothing() {
    let [in_use, _] = InUse::both("infer_same", &old_orders());
    let orders = in_use
        .file("orders.json", &[json!({"orderId": 9, "total": 1, "shipTo": {"city": "Delft"}, "customer": {"id": "ann", "name": "Ann"}})]);
    let (code, said, errors) = in_use.infer(&[&orders], &[]);
    assert_eq!((code, errors.as_str()), (0, ""), "{said}");
    assert!(said.contains("orders: 1 document; the view holds them as it is"), "{said}");
    assert!(!said.contains("Written"), "{said}");
    // What a table demands is found by the check, which has all conditions of columns.
    let (code, _, errors) = in_use.infer(
        &[&in_use.file("orders.json", &[json!({"orderId": 9, "shipTo": {"city": "Delft"}, "customer": {"id": "ann", "name": "Ann"}})])],
        &[],
    );
    assert_eq!(code, 1);
    assert!(errors.contains("orders.json document 1: /total: refused"), "{errors}");
}
