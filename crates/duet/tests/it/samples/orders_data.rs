//! The usual data of the sample `orders`: their numbers, values and links, the same on both stores.

use std::collections::{BTreeMap, HashMap, HashSet};

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::duet_says;

/// Queries with their exact totals.
const TOTALS: &[(&str, &str, u64)] = &[
    ("purchase-orders", "cql.allRecords=1", 5_000),
    ("purchase-orders", "workflowStatus==Open", 2_500),
    ("purchase-orders", "workflowStatus==Pending", 1_000),
    ("purchase-orders", "workflowStatus==Closed", 1_500),
    ("purchase-orders", "vendor==0000000b-0000-4000-8000-000000000001", 5_000),
    ("purchase-orders", "orderType==One-Time", 5_000),
    ("purchase-orders", "approved==true", 4_000),
    ("purchase-orders", "approved==false and workflowStatus==Pending", 1_000),
    ("purchase-orders", "poNumber==12345", 1),
    ("purchase-orders", "closeReason.reason==Complete", 1_050),
    ("purchase-orders", "closeReason.reason==Cancelled", 225),
    ("purchase-orders", "closeReason.reason==\"Shipping delay\"", 150),
    ("purchase-orders", "closeReason.reason==Duplicate", 75),
    ("purchase-orders", "closeReason.reason=Complete and workflowStatus<>Closed", 0),
    ("po-lines", "orderFormat==Physical Resource", 2_500),
    ("po-lines", "orderFormat=Electronic", 1_000),
    ("po-lines", "orderFormat==\"P/E Mix\"", 1_500),
    ("po-lines", "poLineNumber==12345-1", 1),
    ("po-lines", "title==\"Kayak fishing in the north\" and source==User", 5_000),
    ("po-lines", "acquisitionMethod==Purchase and cost.currency==USD", 5_000),
    ("po-lines", "cost.listUnitPrice==10 and cost.quantityPhysical==1", 4_000),
    ("po-lines", "cost.listUnitPriceElectronic==10 and cost.quantityElectronic==1", 2_500),
    ("po-lines", "receiptStatus==\"Awaiting Receipt\"", 1_750),
    ("po-lines", "receiptStatus==\"Partially Received\"", 375),
    ("po-lines", "receiptStatus==\"Fully Received\"", 1_450),
    ("po-lines", "receiptStatus==\"Receipt Not Required\"", 245),
    ("po-lines", "receiptStatus==Cancelled and paymentStatus==Cancelled", 180),
    ("po-lines", "receiptStatus==Pending and paymentStatus==Pending", 1_000),
    ("po-lines", "paymentStatus==\"Awaiting Payment\"", 1_875),
    ("po-lines", "paymentStatus==\"Partially Paid\"", 375),
    ("po-lines", "paymentStatus==\"Fully Paid\"", 1_325),
    ("po-lines", "paymentStatus==\"Payment Not Required\"", 245),
    ("orders", "poNumber==14999", 1),
    ("orders", "workflowStatus==Open AND orderFormat==Physical Resource", 1_250),
    ("orders", "workflowStatus==Open AND orderFormat=Electronic", 500),
    ("orders", "workflowStatus==Open AND orderFormat==\"P/E Mix\"", 750),
    ("order-lines", "workflowStatus==Open AND orderFormat==Physical Resource", 1_250),
    ("order-lines", "workflowStatus==Pending AND orderFormat==Physical Resource", 500),
    ("order-lines", "workflowStatus==Pending AND orderFormat=Electronic", 200),
    ("order-lines", "workflowStatus==Pending AND orderFormat==\"P/E Mix\"", 300),
    ("order-lines", "workflowStatus==Closed AND orderFormat==Physical Resource", 750),
    ("order-lines", "workflowStatus==Closed AND orderFormat=Electronic", 300),
    ("order-lines", "workflowStatus==Closed AND orderFormat==\"P/E Mix\"", 450),
    ("order-lines", "workflowStatus==Open AND receiptStatus==\"Fully Received\"", 250),
    ("order-lines", "workflowStatus==Closed AND receiptStatus==\"Fully Received\"", 1_200),
    ("order-lines", "workflowStatus==Closed AND paymentStatus==\"Fully Paid\"", 1_200),
    ("pieces", "cql.allRecords=1", 4_881),
    ("pieces", "poLine.purchaseOrder.workflowStatus==Pending", 0),
    ("pieces", "poLine.receiptStatus==\"Receipt Not Required\"", 0),
    ("receiving-history", "receivingStatus==Received", 2_136),
];

/// The whole data of a store by collection, and the totals of the queries.
struct Data {
    orders: Vec<Value>,
    lines: Vec<Value>,
    pieces: Vec<Value>,
}

fn get(url: &str, path: &str, parameters: &[(&str, &str)]) -> Value {
    let pairs = parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
    let path = format!("{url}/orders-storage/{path}?{}", pairs.collect::<Vec<_>>().join("&"));
    let answer = http::get(&path, &[]);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    serde_json::from_str(answer.text()).expect("a list is JSON")
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// The documents of a collection in an order that is total, read page by page.
fn all(url: &str, path: &str, list: &str, order: &str) -> Vec<Value> {
    let query = format!("cql.allRecords=1 sortBy {order}");
    let mut documents = Vec::new();
    loop {
        let offset = documents.len().to_string();
        let parameters =
            [("query", &*query), ("limit", "1000"), ("offset", &offset), ("totalRecords", "none")];
        let mut page = get(url, path, &parameters);
        let Value::Array(page) = page[list].take() else { panic!("{path} has no {list}") };
        if page.is_empty() {
            return documents;
        }
        documents.extend(page);
    }
}

/// Loads a database, checks its totals, and that documents can be put as they are; returns its data.
fn loaded(database: &str) -> Data {
    duet_says(&["load", "orders", "--database", database]);
    let serve = ["serve", database, "--app", "orders", "--open", "all", "--listen", "127.0.0.1:0"];
    let server = Running::start(&serve);
    let url = server.url();
    for (path, query, total) in TOTALS {
        let parameters = [("query", *query), ("totalRecords", "exact"), ("limit", "1")];
        let found = &get(&url, path, &parameters)["totalRecords"];
        assert_eq!(found, &json!(total), "{path}: {query}");
    }
    let data = Data {
        orders: all(&url, "purchase-orders", "purchaseOrders", "metadata.createdDate"),
        lines: all(&url, "po-lines", "poLines", "metadata.createdDate"),
        pieces: all(&url, "pieces", "pieces", "id"),
    };
    let put = |path: &str, documents: &[Value]| {
        for document in documents.iter().take(100) {
            let path = format!("{url}/orders-storage/{path}/{}", text(document, "id"));
            let headers = [("Content-Type", "application/json")];
            let answer = http::request("PUT", &path, &headers, document.to_string().as_bytes());
            assert_eq!(answer.status, 204, "{document}: {}", answer.text());
        }
    };
    put("purchase-orders", &data.orders);
    put("po-lines", &data.lines);
    put("pieces", &data.pieces);
    data
}

fn text<'a>(document: &'a Value, member: &str) -> &'a str {
    document[member].as_str().unwrap_or_else(|| panic!("{member} of {document}"))
}

/// Milliseconds between the moment of a document's creation and midnight of the first day; all are on days of one month.
fn created(document: &Value) -> i64 {
    let moment = text(&document["metadata"], "createdDate");
    let part = |at: usize, length: usize| -> i64 {
        moment[at..at + length].parse().unwrap_or_else(|_| panic!("{moment}"))
    };
    assert!(moment.starts_with("2019-06-") && moment.ends_with('Z') && moment.len() == 24);
    (((part(8, 2) - 1) * 24 + part(11, 2)) * 60 + part(14, 2)) * 60_000
        + part(17, 2) * 1_000
        + part(20, 3)
}

fn check_orders(orders: &[Value]) {
    let ids: HashSet<&str> = orders.iter().map(|order| text(order, "id")).collect();
    assert_eq!(ids.len(), 5_000);
    assert!(ids.iter().all(|id| &id[14..15] == "4" && "89ab".contains(&id[19..20])));
    for (number, order) in (10_000..).zip(orders) {
        assert_eq!(text(order, "poNumber"), number.to_string());
        let status = text(order, "workflowStatus");
        assert_eq!(order["dateOrdered"].is_string(), status != "Pending", "{order}");
        assert_eq!(order["closeReason"].is_object(), status == "Closed", "{order}");
        let metadata = &order["metadata"];
        assert!(text(metadata, "updatedDate") >= text(metadata, "createdDate"), "{order}");
        assert!(order["renewal"].is_null() && order["reEncumber"] == false, "{order}");
    }
    for pair in orders.windows(2) {
        let gap = created(&pair[1]) - created(&pair[0]);
        assert!((100..=900).contains(&gap), "{gap} ms before {}", pair[1]);
    }
    let share = |has: &dyn Fn(&Value) -> bool| orders.iter().filter(|order| has(order)).count();
    let distinct = |member: &str| {
        orders.iter().filter_map(|order| order[member].as_str()).collect::<HashSet<_>>().len()
    };
    assert!((2_900..=3_100).contains(&share(&|order| order["assignedTo"].is_string())));
    assert!((420..=580).contains(&share(&|order| order["manualPo"] == true)));
    assert_eq!([distinct("assignedTo"), distinct("billTo"), distinct("shipTo")], [25, 5, 5]);
}

/// What follows from the format: prices, quantities, places, and the parts of a line.
fn check_line(line: &Value) {
    let format = text(line, "orderFormat");
    let [physical, electronic] = [format != "Electronic Resource", format != "Physical Resource"];
    let (cost, place) = (&line["cost"], &line["locations"][0]);
    for (has, part, quantity, price) in [
        (physical, "physical", "quantityPhysical", "listUnitPrice"),
        (electronic, "eresource", "quantityElectronic", "listUnitPriceElectronic"),
    ] {
        assert_eq!(line[part].is_object(), has, "{line}");
        let expected = if has { json!(1) } else { Value::Null };
        assert!(cost[quantity] == expected && place[quantity] == expected, "{line}");
        assert_eq!(cost[price], if has { json!(10.0) } else { Value::Null }, "{line}");
    }
    let units = i64::from(physical) + i64::from(electronic);
    assert_eq!(
        (&place["quantity"], line["locations"].as_array().map(Vec::len)),
        (&json!(units), Some(1))
    );
    let discount = cost["discount"].as_i64().expect("a discount");
    assert!(discount == 0 || (5..=25).contains(&discount), "{line}");
    let cents = |value: &Value| (value.as_f64().expect("a price") * 100.0).round() as i64;
    let expected = units * 10 * (100 - discount) + cents(&cost["additionalCost"]);
    assert_eq!(cents(&cost["poLineEstimatedPrice"]), expected, "{line}");
    let is_received = text(line, "receiptStatus") == "Fully Received";
    assert_eq!(line["receiptDate"].is_string(), is_received, "{line}");
    assert_eq!(line["details"]["productIds"].as_array().map(Vec::len), Some(5));
    let is_empty = |member: &str| line[member] == json!([]);
    assert!(is_empty("contributors") && is_empty("fundDistribution") && is_empty("alerts"));
    assert_eq!(line["vendorDetail"]["vendorAccount"], "1234");
}

/// The pieces of each line: one for each unit, none where nothing is received.
fn check_pieces(data: &Data) {
    let mut of_line: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for piece in &data.pieces {
        of_line.entry(text(piece, "poLineId")).or_default().push(piece);
        let is_received = text(piece, "receivingStatus") == "Received";
        assert_eq!(piece["receivedDate"].is_string(), is_received, "{piece}");
    }
    let mut halves = [0_u32; 2];
    for line in &data.lines {
        let pieces = of_line.remove(text(line, "id")).unwrap_or_default();
        let mut formats: Vec<&str> = pieces.iter().map(|piece| text(piece, "format")).collect();
        formats.sort_unstable();
        let status = text(line, "receiptStatus");
        let expected: &[&str] = match (status, text(line, "orderFormat")) {
            ("Pending" | "Receipt Not Required", _) => &[],
            (_, "P/E Mix") => &["Electronic", "Physical"],
            (_, "Physical Resource") => &["Physical"],
            _ => &["Electronic"],
        };
        assert_eq!(formats, expected, "{line}");
        for piece in &pieces {
            let has_item = text(piece, "format") == "Physical" && status != "Cancelled";
            assert_eq!(piece["itemId"].is_string(), has_item, "{piece}");
            assert_eq!(piece["locationId"], line["locations"][0]["locationId"], "{piece}");
            let is_received = text(piece, "receivingStatus") == "Received";
            match status {
                "Fully Received" => assert!(is_received, "{piece}"),
                "Partially Received" => halves[usize::from(is_received)] += 1,
                _ => assert!(!is_received, "{piece}"),
            }
        }
    }
    assert!(of_line.is_empty(), "pieces of no line: {of_line:?}");
    assert!(halves[0].abs_diff(halves[1]) < 30, "{halves:?}");
}

#[test]
fn usual_data_follow_the_rules_on_both_stores() {
    let folder = Folder::new();
    let sqlite = loaded(&folder.path().join("o.db").display().to_string());
    let postgres = loaded(&Server::shared().database("orders_data").url());
    check_orders(&sqlite.orders);
    let numbers: HashMap<&str, &str> =
        sqlite.orders.iter().map(|order| (text(order, "id"), text(order, "poNumber"))).collect();
    assert_eq!(sqlite.lines.len(), 5_000);
    for line in &sqlite.lines {
        let number = numbers[text(line, "purchaseOrderId")];
        assert_eq!(text(line, "poLineNumber"), format!("{number}-1"));
        check_line(line);
    }
    check_pieces(&sqlite);
    for (one, other) in [
        (&sqlite.orders, &postgres.orders),
        (&sqlite.lines, &postgres.lines),
        (&sqlite.pieces, &postgres.pieces),
    ] {
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(other) {
            // As texts: also the order of members and the zeros of numbers.
            assert_eq!(one.to_string(), other.to_string());
        }
    }
}
