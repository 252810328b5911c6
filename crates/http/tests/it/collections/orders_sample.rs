//! The collections of the sample `orders` by its own schemas: what they refuse, long searches, and orders of lists
//! that merge the documents of several collections.

use std::sync::Arc;

use duet_model::{ProfileRef, SearchRules};
use duet_service::definition::{Collection, Declaration, JoinedList, Reference};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    schemas_of_draft_4_are_kept
    a_thousand_conditions
    lists_are_ordered_by_their_members
}

const ORDERS: &str = include_str!("../../../../../apps/orders/collections/purchase-orders.json");
const LINES: &str = include_str!("../../../../../apps/orders/collections/po-lines.json");
const PIECES: &str = include_str!("../../../../../apps/orders/collections/pieces.json");

fn collections(profile: ProfileRef) -> Vec<Arc<Collection>> {
    let collection = |name: &str, table: &str, reference: Option<(&str, &str)>, schema: &str| {
        let declaration = Declaration {
            table: table.into(),
            references: reference.into_iter().map(|(path, to)| Reference::new(path, to)).collect(),
            search: SearchRules { profile, ..SearchRules::default() },
            ..Declaration::new(name)
        };
        Arc::new(Collection::new(declaration, schema).unwrap())
    };
    vec![
        collection("purchase-orders", "purchase_order", None, ORDERS),
        collection("po-lines", "po_line", Some(("purchaseOrderId", "purchase_order")), LINES),
        collection("pieces", "pieces", Some(("poLineId", "po_line")), PIECES),
    ]
}

fn lists() -> Vec<Arc<JoinedList>> {
    let list = |name: &str, of: &str, join: &[&str], members: &[(&str, &str)]| {
        let member = |(name, path): &(&str, &str)| ((*name).to_owned(), (*path).to_owned());
        Arc::new(JoinedList {
            mount: None,
            name: name.into(),
            of: of.into(),
            list: None,
            join: join.iter().map(|join| (*join).to_owned()).collect(),
            members: members.iter().map(member).collect(),
        })
    };
    let members = [
        ("id", "id"),
        ("caption", "caption"),
        ("title", "poLine.title"),
        ("dateOrdered", "poLine.purchaseOrder.dateOrdered"),
    ];
    vec![
        list("orders", "purchase-orders", &["poLine"], &[]),
        list("order-lines", "po-lines", &["purchaseOrder"], &[]),
        list("receiving-history", "pieces", &["poLine", "poLine.purchaseOrder"], &members),
    ]
}

fn started(database: &Database, profile: ProfileRef) -> App {
    let collections = collections(profile);
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(database).with(|setup| {
        let mount = setup.mount();
        mount.collections = collections;
        mount.lists = lists();
        mount.profile = profile;
        setup.roles = vec!["duet.write"];
    });
    setup.start()
}

fn sent(app: &App, method: &str, path: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request(
        method,
        &format!("/ords/hr/{path}"),
        &headers,
        body.to_string().as_bytes(),
    )
}

fn id(kind: u8, number: usize) -> String {
    format!("0000000{kind}-0000-4000-8000-{number:012}")
}

/// Orders 1 to 3, each with a line and a piece of the same number; titles run against the orders' numbers.
fn filled(app: &App) {
    for number in 1..=3 {
        let day = format!("2024-01-0{number}T00:00:00.000Z");
        let order =
            json!({"id": id(1, number), "poNumber": format!("1000{number}"), "dateOrdered": day});
        let title = ["", "C", "b", "A"][number];
        let line = json!({"id": id(2, number), "purchaseOrderId": id(1, number), "title": title,
            "source": "User", "orderFormat": "Physical Resource"});
        let piece = json!({"id": id(3, number), "poLineId": id(2, number), "format": "Physical",
            "caption": format!("P{number}")});
        for (path, document) in [("purchase-orders", order), ("po-lines", line), ("pieces", piece)]
        {
            let answer = sent(app, "POST", path, &document);
            assert_eq!(answer.status, 201, "{answer:?}");
        }
    }
}

/// The last digits of the documents' keys that a search of a list finds, in their order.
fn found(app: &App, list: &str, query: &str) -> String {
    let answer = app.get(&format!("/ords/hr/{list}?query={}", percent_encode(query)));
    assert_eq!(answer.status, 200, "{list} {query:.80}: {answer:?}");
    let body = answer.json();
    let documents = body.as_object().unwrap().values().find_map(Value::as_array).unwrap();
    let digit = |document: &Value| document["id"].as_str().unwrap()[35..].to_owned();
    let mut digits: Vec<String> = documents.iter().map(digit).collect();
    if !query.contains("sortBy") {
        digits.sort();
    }
    digits.concat()
}

fn schemas_of_draft_4_are_kept(database: Database) {
    let app = started(&database, ProfileRef::default());
    let refused = |path: &str, body: Value| -> String {
        let answer = sent(&app, "POST", path, &body);
        assert_eq!(answer.status, 422, "{body}: {answer:?}");
        let error = &answer.json()["errors"][0];
        assert_eq!(error["code"], "DUET-7030", "{error}");
        error["pointer"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused("purchase-orders", json!({"assignedTo": "nouuid"})), "/assignedTo");
    let renewal = json!({"renewal": {"interval": 1.5}});
    assert_eq!(refused("purchase-orders", renewal), "/renewal/interval");
    let line = json!({"source": "User", "purchaseOrderId": id(1, 1), "instanceId": "7",
        "orderFormat": "Physical Resource"});
    assert_eq!(refused("po-lines", line), "/instanceId");
    let ordered = json!({"dateOrdered": "2024-01-01T00:00:00.000+0000"});
    assert_eq!(refused("purchase-orders", ordered), "/dateOrdered");
    let order = json!({"id": id(1, 1), "assignedTo": id(9, 1), "renewal": {"interval": 1.0}});
    assert_eq!(sent(&app, "POST", "purchase-orders", &order).status, 201);
    let stored = app.get(&format!("/ords/hr/purchase-orders/{}", id(1, 1)));
    assert!(stored.text().contains(r#""interval":1.0"#), "{stored:?}");
    let patch = json!({"assignedTo": "nouuid"});
    let answer = sent(&app, "PATCH", &format!("purchase-orders/{}", id(1, 1)), &patch);
    assert_eq!(
        (answer.status, &answer.json()["errors"][0]["pointer"]),
        (422, &json!("/assignedTo"))
    );
}

fn a_thousand_conditions(database: Database) {
    let app = started(&database, ProfileRef::default());
    filled(&app);
    let chain = |operator: &str, one: &dyn Fn(usize) -> String| {
        let conditions: Vec<String> = (0..1_000).map(one).collect();
        conditions.join(operator)
    };
    let numbers = |at: usize| format!("poNumber=={}", at + 10_002);
    let days = |at: usize| format!("dateOrdered<2024-02-01T00:00:00.{at:03}Z");
    let titles = |at: usize| format!("title=={}", ["a", "c", "x"][at % 3]);
    let lines = |at: usize| format!("title<>x{at}");
    for list in ["purchase-orders", "orders"] {
        assert_eq!(found(&app, list, &chain(" or ", &numbers)), "23", "{list}");
        assert_eq!(found(&app, list, &chain(" and ", &days)), "123", "{list}");
    }
    assert_eq!(found(&app, "orders", &chain(" or ", &titles)), "13");
    assert_eq!(found(&app, "orders", &chain(" and ", &lines)), "123");
    let too_many = format!("{} or poNumber==1", chain(" or ", &numbers));
    let answer = app.get(&format!("/ords/hr/orders?query={}", percent_encode(&too_many)));
    assert_eq!((answer.status, &answer.json()["errors"][0]["code"]), (400, &json!("DUET-2007")));
}

fn lists_are_ordered_by_their_members(database: Database) {
    let app = started(&database, ProfileRef::named("rmb").unwrap());
    filled(&app);
    for (list, order, expected) in [
        ("order-lines", "poNumber", "123"),
        ("order-lines", "poNumber/sort.descending", "321"),
        ("order-lines", "dateOrdered/sort.descending", "321"),
        ("order-lines", "title", "321"),
        ("receiving-history", "title", "321"),
        ("receiving-history", "title/sort.descending", "123"),
        ("receiving-history", "dateOrdered/sort.descending", "321"),
        ("receiving-history", "caption", "123"),
        ("orders", "poNumber/sort.descending", "321"),
    ] {
        let query = format!("cql.allRecords=1 sortBy {order}");
        assert_eq!(found(&app, list, &query), expected, "{list} {order}");
    }
    for (list, order, why) in [
        ("po-lines", "purchaseOrder.poNumber", "Only fields of the collection itself"),
        ("order-lines", "purchaseOrder.poNumber", "Only fields of the collection itself"),
        ("orders", "title", "several of these values"),
    ] {
        let query = percent_encode(&format!("cql.allRecords=1 sortBy {order}"));
        let answer = app.get(&format!("/ords/hr/{list}?query={query}"));
        assert_eq!(answer.status, 400, "{list} {order}: {answer:?}");
        assert!(answer.text().contains(why), "{list} {order}: {answer:?}");
    }
}
