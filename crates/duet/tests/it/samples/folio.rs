//! The sample `folio`: the requests of FOLIO's test plans for orders, one after the other, on both stores.

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::duet_says;

/// A server of the sample, and the token of its user.
pub(crate) struct Sample {
    pub(crate) server: Running,
    /// The password of its user.
    pub(crate) secret: String,
    token: String,
    _folder: Folder,
}

impl Sample {
    pub(crate) fn start(database: &str) -> Self {
        let folder = Folder::new();
        let state = folder.path().join("state.json").display().to_string();
        let said = duet_says(&["load", "folio", "--database", database, "--scale", "1"]);
        assert!(said.contains("organization"), "{said}");
        let added = duet_says(&[
            "client",
            "add",
            "librarian",
            "--role",
            "duet.read",
            "--role",
            "duet.write",
            "--role",
            "duet.execute",
            "--id",
            "diku_admin",
            "--state",
            &state,
            "--json",
        ]);
        let added: Value = serde_json::from_str(&added).expect("JSON");
        let secret = added["client_secret"].as_str().expect("a secret").to_owned();
        let server = Running::start(&[
            "serve",
            database,
            "--app",
            "folio",
            "--state",
            &state,
            "--listen",
            "127.0.0.1:0",
        ]);
        let mut sample = Self { server, secret, token: String::new(), _folder: folder };
        let wrong = sample.login("wrong");
        assert_eq!(wrong.status, 401, "{}", wrong.text());
        for (tenant, status) in [(None, 400), (Some("other"), 400)] {
            let url = format!("{}/authn/login", sample.server.url());
            let mut headers = vec![("Content-Type", "application/json")];
            headers.extend(tenant.map(|tenant| ("X-Okapi-Tenant", tenant)));
            let body = json!({ "username": "diku_admin", "password": sample.secret }).to_string();
            let refused = http::request("POST", &url, &headers, body.as_bytes());
            assert_eq!(refused.status, status, "{tenant:?}: {}", refused.text());
        }
        let login = sample.login(&sample.secret);
        assert_eq!(login.status, 201, "{}", login.text());
        sample.token = login.header("x-okapi-token").expect("a token").to_owned();
        sample
    }

    fn login(&self, secret: &str) -> Response {
        let body = json!({ "username": "diku_admin", "password": secret }).to_string();
        self.send("POST", "/authn/login", Some(body.as_bytes()))
    }

    fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Response {
        let mut headers = vec![
            ("X-Okapi-Tenant", "diku"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/plain"),
        ];
        if !self.token.is_empty() {
            headers.push(("X-Okapi-Token", &self.token));
        }
        let url = format!("{}{path}", self.server.url());
        http::request(method, &url, &headers, body.unwrap_or_default())
    }

    /// A request that succeeds, and the JSON of its answer.
    fn ask(&self, method: &str, path: &str, body: &Value, status: u16) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.send(method, path, Some(body.as_bytes()));
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        serde_json::from_str(answer.text()).unwrap_or_default()
    }
}

fn line(order: &str, price: &str) -> Value {
    json!({
        "source": "User", "purchaseOrderId": order, "title": "Bread, yeast and time", "orderFormat": "P/E Mix",
        "acquisitionMethod": "Purchase", "vendorDetail": { "instructions": "", "vendorAccount": "1234" },
        "cost": { "currency": "USD", "listUnitPrice": price, "quantityPhysical": 1 },
    })
}

fn crud(database: &str) {
    let sample = Sample::start(database);
    let none = Value::Null;
    let token = sample.send("GET", "/orders/composite-orders?limit=0", None);
    assert_eq!(token.status, 200, "{}", token.text());
    let vendors = sample.ask(
        "GET",
        "/organizations-storage/organizations?limit=1&query=status==Active%20AND%20isVendor==true",
        &none,
        200,
    );
    let vendor = vendors["organizations"][0]["id"].clone();
    assert!(vendor.is_string(), "{vendors}");
    let titles = sample.ask("GET", "/inventory/instances?limit=1", &none, 200);
    assert!(titles["instances"][0]["title"].is_string(), "{titles}");
    let entry = json!({ "module": "ORDERS", "configName": "poLines-limit", "enabled": true, "value": "100" });
    sample.ask("POST", "/configurations/entries", &entry, 201);

    // Orders.
    let new = json!({ "vendor": vendor, "workflowStatus": "Pending", "orderType": "One-Time" });
    let made = sample.ask("POST", "/orders/composite-orders?limit=1", &new, 201);
    let [id, number] = ["id", "poNumber"]
        .map(|name| made[name].as_str().unwrap_or_else(|| panic!("{made}")).to_owned());
    assert_eq!(made["compositePoLines"], json!([]), "{made}");
    assert_eq!(number, "11000", "the first number behind those of the data");
    let order = format!("/orders/composite-orders/{id}");
    let stored = sample.ask("GET", &format!("/orders-storage/purchase-orders/{id}"), &none, 200);
    let mut whole = sample.ask("GET", &order, &none, 200);
    whole.as_object_mut().expect("an order is an object").remove("compositePoLines");
    assert_eq!(stored, whole);
    let closed = json!({
        "id": id, "notes": [], "poNumber": number, "orderType": "One-Time", "totalEstimatedPrice": 0.0,
        "totalItems": 0, "vendor": vendor, "workflowStatus": "Closed", "compositePoLines": [],
    });
    sample.ask("PUT", &order, &closed, 204);
    let after = sample.ask("GET", &order, &none, 200);
    assert_eq!(
        (&after["workflowStatus"], &after["totalItems"]),
        (&json!("Closed"), &none),
        "{after}"
    );

    // Lines.
    let new = sample.ask("POST", "/orders/order-lines", &line(&id, "42"), 201);
    let line_id = new["id"].as_str().expect("a line has an id").to_owned();
    assert_eq!(new["cost"]["listUnitPrice"], json!(42), "{new}");
    let path = format!("/orders/order-lines/{line_id}");
    sample.ask("PUT", &path, &line(&id, "7"), 204);
    let changed = sample.ask("GET", &path, &none, 200);
    assert_eq!(changed["cost"]["listUnitPrice"], json!(7), "{changed}");
    assert_eq!(
        changed,
        sample.ask("GET", &format!("/orders-storage/po-lines/{line_id}"), &none, 200)
    );
    composite(&sample, &order, &changed);
    sample.ask("DELETE", &path, &none, 204);
    sample.ask("DELETE", &order, &none, 204);
    sample.ask("GET", &format!("/orders-storage/purchase-orders/{id}"), &none, 404);
    let listed = sample.ask("GET", "/orders/order-lines?limit=0", &none, 200);
    assert_eq!(listed["totalRecords"], json!(1000), "{listed}");
}

/// Lines that are written with their order are documents of their collection.
fn composite(sample: &Sample, order: &str, line: &Value) {
    let none = Value::Null;
    let whole = sample.ask("GET", order, &none, 200);
    assert_eq!(whole["compositePoLines"], json!([line]));
    // An order that leaves its lines out keeps them, and a line that is sent back unchanged does not change.
    let mut without = whole.clone();
    without.as_object_mut().expect("an order is an object").remove("compositePoLines");
    sample.ask("PUT", order, &without, 204);
    assert_eq!(sample.ask("GET", order, &none, 200)["compositePoLines"], json!([line]));
    let mut more = whole.clone();
    let mut second = line.clone();
    second.as_object_mut().expect("a line is an object").remove("id");
    second.as_object_mut().expect("a line is an object").remove("purchaseOrderId");
    second["title"] = json!("A short history of maps");
    more["compositePoLines"] = json!([line, second]);
    sample.ask("PUT", order, &more, 204);
    let lines = sample.ask("GET", order, &none, 200)["compositePoLines"].clone();
    let lines = lines.as_array().expect("lines are an array");
    let added = lines.iter().find(|one| one["title"] == second["title"]).expect("the second line");
    assert_eq!((lines.len(), &added["purchaseOrderId"]), (2, &whole["id"]), "{added}");
    assert!(added["metadata"]["createdDate"].is_string() && lines.contains(line), "{lines:?}");
    second["cost"] = json!({ "listUnitPrice": "x" });
    more["compositePoLines"] = json!([line, second]);
    let refused = sample.ask("PUT", order, &more, 422);
    let keys: Vec<&Value> = refused["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|one| &one["parameters"][0]["key"])
        .collect();
    assert!(keys.contains(&&json!("compositePoLines.1.cost.listUnitPrice")), "{refused}");
    sample.ask("PUT", order, &whole, 204);
    let lines = sample.ask("GET", order, &none, 200)["compositePoLines"].clone();
    assert_eq!(lines, json!([line]), "the second line is gone");
}

#[test]
fn the_plan_of_folio_on_sqlite() {
    let folder = Folder::new();
    crud(&folder.path().join("f.db").display().to_string());
}

#[test]
fn the_plan_of_folio_on_postgres() {
    crud(&Server::shared().database("folio_sample").url());
}
