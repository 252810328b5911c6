//! What is sent, when nothing goes wrong.

use std::collections::BTreeSet;

use duet_service::webhooks::WebhookKey;
use duet_testkit::http;
use duet_testkit::receiver::{Received, Receiver};
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use super::{App, Place, SECOND, SECRET, send, webhook};

/// The signature of a secret under what was received.
fn signature(secret: &str, received: &Received) -> String {
    let timestamp = received.header("webhook-timestamp").parse().unwrap();
    let key = WebhookKey::read(secret).unwrap();
    key.signature(received.header("webhook-id"), timestamp, received.body.as_bytes())
}

#[test]
fn changes_of_a_row_are_delivered_in_order_and_signed() {
    let folder = Folder::new();
    for place in Place::both(&folder, "delivery") {
        let receiver = Receiver::start();
        let app = App::new(&webhook("erp", &receiver, ""));
        let server = app.serve(&place);
        send(&server, "POST", "orders/", &json!({ "id": 7, "customer": "ann" }));
        receiver.wait_for(1);
        let etag = send(&server, "GET", "orders/7", &Value::Null);
        let etag = etag.header("etag").unwrap().to_owned();
        send(&server, "PUT", "orders/7", &json!({ "id": 7, "customer": "bob" }));
        send(&server, "DELETE", "orders/7", &Value::Null);
        let received = receiver.wait_for(3);
        let kinds: Vec<String> = received.iter().map(Received::kind).collect();
        assert_eq!(kinds, ["orders.created", "orders.updated", "orders.deleted"]);
        let first = received[0].json();
        assert_eq!(
            first["data"],
            json!({ "resource": "orders", "key": { "id": 7 }, "etag": etag })
        );
        assert!(first["timestamp"].as_str().unwrap().ends_with('Z'), "{first}");
        assert_eq!(received[2].json()["data"], json!({ "resource": "orders", "key": { "id": 7 } }));
        for one in &received {
            assert_eq!(one.path, "/erp");
            assert_eq!(one.header("content-type"), "application/json");
            assert_eq!(one.header("webhook-signature"), signature(SECRET, one));
            assert!(one.header("webhook-id").starts_with("msg_"));
        }
        let ids: BTreeSet<&str> = received.iter().map(|one| one.header("webhook-id")).collect();
        assert_eq!(ids.len(), 3);
        // What an endpoint has accepted is not sent again.
        send(&server, "POST", "orders/", &json!({ "id": 8, "customer": "ann" }));
        assert_eq!(receiver.wait_for(4).len(), 4);
    }
}

#[test]
fn operations_are_chosen_and_documents_are_sent_on_request() {
    let folder = Folder::new();
    for place in Place::both(&folder, "document") {
        let receiver = Receiver::start();
        let all = webhook("all", &receiver, "document = true");
        let new = webhook("new", &receiver, "operations = ['created']");
        let app = App::new(&format!("{all}{new}"));
        let server = app.serve(&place);
        send(&server, "POST", "orders/", &json!({ "id": 7, "customer": "ann" }));
        send(&server, "PUT", "orders/7", &json!({ "id": 7, "customer": "bob" }));
        let received = receiver.wait_for(3);
        let of = |name: &str| -> Vec<&Received> {
            received.iter().filter(|one| one.path == format!("/{name}")).collect()
        };
        assert_eq!(of("new").len(), 1);
        assert_eq!(of("new")[0].json()["data"].get("document"), None);
        let last = of("all")[1].json();
        assert_eq!(last["data"]["document"], json!({ "id": 7, "customer": "bob" }));
    }
}

#[test]
fn all_secrets_sign_while_one_replaces_the_other() {
    let folder = Folder::new();
    for place in Place::both(&folder, "rotation") {
        let receiver = Receiver::start();
        let app = App::new(&webhook("erp", &receiver, ""));
        app.write("secret", &format!("{SECOND}\n{SECRET}\n"));
        let server = app.serve(&place);
        send(&server, "POST", "orders/", &json!({ "id": 7, "customer": "ann" }));
        let received = receiver.wait_for(1);
        let (new, old) = (signature(SECOND, &received[0]), signature(SECRET, &received[0]));
        assert_eq!(received[0].header("webhook-signature"), format!("{new} {old}"));
        let errors = server.errors();
        assert!(!errors.contains("whsec_"), "{errors}");
    }
}

/// What is rolled back sends nothing, whoever rolls it back.
#[test]
fn what_is_rolled_back_sends_nothing() {
    let folder = Folder::new();
    for place in Place::both(&folder, "rollback") {
        let receiver = Receiver::start();
        let app = App::new(&webhook("erp", &receiver, ""));
        let server = app.serve(&place);
        place.exec("BEGIN; INSERT INTO orders VALUES (1, 'ann'); ROLLBACK;");
        send(&server, "POST", "orders/", &json!({ "id": 2, "customer": "ann" }));
        let url = format!("{}/api/orders/", server.url());
        let body = json!({ "id": 2, "customer": "bob" }).to_string();
        let json = [("Content-Type", "application/json")];
        let refused = http::request("POST", &url, &json, body.as_bytes());
        assert_eq!(refused.status, 409, "{}", refused.text());
        let outbox = place.own("outbox");
        assert_eq!(place.count(&format!("SELECT count(*) FROM {outbox}")), 1);
        assert_eq!(receiver.wait_for(1).len(), 1);
    }
}
