//! Collections: documents of JSON, selected by CQL.

use std::sync::Arc;

use duet_service::definition::{Collection, Declaration};
use serde_json::json;

use super::{Events, write};
use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    documents_of_a_collection_are_followed
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "status": {"type": "string"}, "title": {"type": "string"}}}"#;

fn id(number: u32) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

fn post(app: &App, number: u32, status: &str) {
    let body = json!({ "id": id(number), "status": status, "title": "A\nB" });
    write(app, "POST", "/ords/hr/items", &body.to_string());
}

fn documents_of_a_collection_are_followed(database: Database) {
    let collection = Arc::new(Collection::new(Declaration::new("items"), SCHEMA).unwrap());
    database.prepare_collections(vec![collection.table(None)]);
    let setup = Setup::new(&database).with(|setup| {
        setup.mount().collections = vec![collection];
        setup.roles = vec!["duet.write", "duet.read"];
    });
    let app = setup.start();
    post(&app, 1, "Open");
    let path = format!("/ords/hr/items?query={}", percent_encode("status==Open sortby title"));
    let mut events = Events::of(&app, &path);
    let mut item = Events::of(&app, &format!("/ords/hr/items/{}", id(2)));
    assert_eq!(events.state(), [id(1)]);
    assert_eq!(item.state(), [""; 0]);
    post(&app, 2, "Closed");
    assert_eq!(item.expect("entered")["document"]["title"], "A\nB");
    let body = json!({ "id": id(2), "status": "open", "title": "C" }).to_string();
    write(&app, "PUT", &format!("/ords/hr/items/{}", id(2)), &body);
    assert_eq!(item.expect("changed")["document"]["title"], "C");
    let entered = events.expect("entered");
    assert_eq!(entered["key"], id(2), "CQL compares without case: {entered}");
    let same = app.get(&format!("/ords/hr/items/{}", id(2)));
    assert_eq!(same.header("etag").unwrap().trim_matches('"'), entered["etag"]);
    assert_eq!(same.json(), entered["document"]);
    write(&app, "DELETE", &format!("/ords/hr/items/{}", id(1)), "");
    assert_eq!(events.expect("left")["key"], id(1));
    // No change had the list read again.
    assert_eq!(app.service.live_counts().rereads_total.get(), 2);
    let refused = Events::of(&app, "/ords/hr/items?query=cql.allRecords%3D1&totalRecords=exact");
    assert!(refused.refusal()["detail"].as_str().unwrap().contains("`totalRecords`"));
}
