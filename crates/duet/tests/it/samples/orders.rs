//! The sample `orders`: its documents and searches, the same on both stores.

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::duet_says;

/// The answers of a server of the sample to these requests, without its address.
fn answers(database: &str, paths: &[&str]) -> Vec<String> {
    let said = duet_says(&["load", "orders", "--database", database, "--scale", "6"]);
    assert!(said.contains("purchase_order") && said.contains("6,000"), "{said}");
    let again = duet_says(&["collection", "prepare", "orders", "--database", database]);
    assert!(again.contains("already"), "{again}");
    let server = Running::start(&[
        "serve",
        database,
        "--app",
        "orders",
        "--open",
        "all",
        "--listen",
        "127.0.0.1:0",
    ]);
    let text = |path: &&str| {
        let answer = http::get(&format!("{}/orders-storage/{path}", server.url()), &[]);
        format!("{} {:?} {}", answer.status, answer.header("etag"), answer.text())
    };
    paths.iter().map(text).collect()
}

/// What is sent, and the status and body of the answer.
fn sent(url: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let headers = [("Content-Type", "application/json")];
    let url = format!("{url}/orders-storage/{path}");
    let answer = http::request(method, &url, &headers, body.as_bytes());
    (answer.status, answer.text().to_owned())
}

/// Numbers of orders and lines, and what is deleted with a line.
fn numbers_and_side_effects(database: &str) {
    duet_says(&["load", "orders", "--database", database]);
    let arguments =
        ["serve", database, "--app", "orders", "--open", "all", "--listen", "127.0.0.1:0"];
    let server = Running::start(&arguments);
    let url = server.url();
    let send = |method: &str, path: &str, body: &str| sent(&url, method, path, body);
    let number = |path: &str| {
        let (status, body) = send("GET", path, "");
        assert_eq!(status, 200, "{body}");
        let number =
            body.strip_prefix(r#"{"sequenceNumber":""#).and_then(|it| it.strip_suffix("\"}"));
        number.unwrap_or_else(|| panic!("{body}")).to_owned()
    };
    assert_eq!((number("po-number"), number("po-number")), ("15000".into(), "15001".into()));
    assert_eq!(send("HEAD", "po-number", "").0, 405);
    let order = "20a7a5fc-4d64-40f7-8a7e-831e01f28f18";
    let body = format!(r#"{{"id":"{order}","poNumber":"15001"}}"#);
    assert_eq!(send("POST", "purchase-orders", &body).0, 201);
    let line_number = format!("po-line-number?purchaseOrderId={order}");
    assert_eq!((number(&line_number), number(&line_number)), ("1".into(), "2".into()));
    let several = send("GET", &format!("{line_number}&poLineNumbers=3"), "");
    assert_eq!(several, (200, r#"{"sequenceNumbers":["3","4","5"]}"#.to_owned()));
    assert_eq!(send("GET", &format!("{line_number}&poLineNumbers=995"), "").0, 400);
    let open = format!(r#"{{"id":"{order}","poNumber":"15001","workflowStatus":"Open"}}"#);
    assert_eq!(send("PUT", &format!("purchase-orders/{order}"), &open).0, 204);
    let (status, why) = send("GET", &line_number, "");
    assert!(status == 400 && why.contains("no pending purchase order"), "{status} {why}");
    numbers_of_titles(&send);
    // Pieces go with their line, a line keeps its order.
    let first = |path: &str, list: &str| -> Value {
        let (status, body) = send("GET", path, "");
        assert_eq!(status, 200, "{body}");
        let body: Value = serde_json::from_str(&body).expect("a list is JSON");
        body[list][0].clone()
    };
    let text = |document: &Value, member: &str| {
        document[member].as_str().unwrap_or_else(|| panic!("{member}: {document}")).to_owned()
    };
    let piece = first("pieces?limit=1", "pieces");
    let [line, piece] = [text(&piece, "poLineId"), text(&piece, "id")];
    let order = first(&format!("po-lines?query=id=={line}"), "poLines");
    let order = text(&order, "purchaseOrderId");
    assert_eq!(send("DELETE", &format!("purchase-orders/{order}"), "").0, 409);
    assert_eq!(send("GET", &format!("pieces/{piece}"), "").0, 200);
    assert_eq!(send("DELETE", &format!("po-lines/{line}"), "").0, 204);
    assert_eq!(send("GET", &format!("pieces/{piece}"), "").0, 404);
    assert_eq!(send("DELETE", &format!("purchase-orders/{order}"), "").0, 204);
}

/// Numbers of a title's pieces, which its document counts.
fn numbers_of_titles(send: &dyn Fn(&str, &str, &str) -> (u16, String)) {
    let (_, lines) = send("GET", "po-lines?limit=1", "");
    let lines: Value = serde_json::from_str(&lines).expect("a list is JSON");
    let title = "3f0a1f9b-4a8f-4b44-8d5e-6ad3b0b9f4f6";
    let body = json!({ "id": title, "title": "Kayaks", "poLineId": lines["poLines"][0]["id"] });
    let (status, made) = send("POST", "titles", &body.to_string());
    assert_eq!(status, 201, "{made}");
    let path = format!("titles/{title}/sequence-numbers");
    let numbered = |query: &str, numbers: &str| {
        let answer = send("GET", &format!("{path}{query}"), "");
        assert_eq!(answer, (200, format!("{{\"sequenceNumbers\":[{numbers}]}}")), "{query}");
    };
    numbered("", r#""1""#);
    numbered("?sequenceNumbers=3", r#""2","3","4""#);
    numbered("?sequenceNumbers=0", "");
    let (_, kept) = send("GET", &format!("titles/{title}"), "");
    let kept: Value = serde_json::from_str(&kept).expect("a document is JSON");
    assert_eq!(kept["nextSequenceNumber"], 5, "{kept}");
    let count =
        json!({ "nextSequenceNumber": 12, "title": "Kayaks", "poLineId": kept["poLineId"] });
    assert_eq!(send("PUT", &format!("titles/{title}"), &count.to_string()).0, 204);
    numbered("?sequenceNumbers=2", r#""12","13""#);
    assert_eq!(send("GET", "titles?limit=0&query=title=kayaks", "").0, 200);
    assert_eq!(send("GET", &format!("{path}?sequenceNumbers=x"), "").0, 400);
    let missing = send("GET", &format!("titles/{}/sequence-numbers", title.replace('3', "4")), "");
    assert_eq!(missing.0, 404, "{}", missing.1);
    assert_eq!(send("DELETE", &format!("titles/{title}"), "").0, 204);
}

#[test]
fn numbers_and_side_effects_on_sqlite() {
    let folder = Folder::new();
    numbers_and_side_effects(&folder.path().join("o.db").display().to_string());
}

#[test]
fn numbers_and_side_effects_on_postgres() {
    numbers_and_side_effects(&Server::shared().database("orders_numbers").url());
}

#[test]
fn both_stores_answer_the_same() {
    let folder = Folder::new();
    let file = folder.path().join("o.db").display().to_string();
    let url = Server::shared().database("orders_sample").url();
    let paths = [
        "purchase-orders?query=poNumber==10006",
        "po-lines?query=poLineNumber==15989-1",
        "pieces?limit=1&query=cql.allRecords=1+sortBy+id",
        "purchase-orders?limit=100&query=workflowStatus==open+sortBy+poNumber/sort.descending",
        "po-lines?limit=100&query=title==kayak*+sortBy+title+poLineNumber",
        "po-lines?query=orderFormat==%22Physical+Resource%22+and+rush==true",
        "po-lines?query=title=Fishing+sortBy+metadata.createdDate",
        "pieces?limit=0",
        "orders?query=workflowStatus==Open+AND+orderFormat=Physical+sortBy+metadata.createdDate",
        "orders?query=poLineNumber==10005-1",
        "order-lines?query=workflowStatus==Open+AND+orderFormat=Physical+sortBy+metadata.createdDate",
        "order-lines?query=cql.allRecords=1+sortBy+poNumber/sort.descending",
        "purchase-orders?query=poLine.pieces.receivingStatus==Received+sortBy+poNumber",
        "receiving-history?limit=50&query=receivingStatus==Received+sortBy+dateOrdered+id",
    ];
    let [sqlite, postgres] = [file, url].map(|database| answers(&database, &paths));
    for ((path, on_sqlite), on_postgres) in paths.iter().zip(&sqlite).zip(&postgres) {
        assert!(on_sqlite.starts_with("200 "), "{path}: {on_sqlite}");
        assert!(on_sqlite == on_postgres, "{path}:\n{on_sqlite:.600}\n{on_postgres:.600}");
    }
    let (_, list) = sqlite[3].split_once(") ").unwrap();
    let list: Value = serde_json::from_str(list).unwrap();
    assert_eq!(list["totalRecords"], json!(3_000));
}

/// Declared indexes are dropped on request and made again; without them, searches read all rows.
#[test]
fn indexes_are_dropped_and_made() {
    let folder = Folder::new();
    let file = format!("sqlite:{}", folder.path().join("o.db").display());
    let postgres = Server::shared().database("sample_orders_indexes");
    for database in [file, postgres.url()] {
        duet_says(&["load", "orders", "--database", &database]);
        let prepare = |more: &[&str]| {
            duet_says(
                &[&["collection", "prepare", "orders", "--database", &database], more].concat(),
            )
        };
        let names = |said: &str| -> Vec<String> {
            let lines = said.lines().filter_map(|line| line.strip_prefix("  index   "));
            let mut names: Vec<String> = lines.map(str::to_owned).collect();
            names.sort();
            names
        };
        let explained = || {
            let path = "/orders-storage/purchase-orders?query=workflowStatus==open";
            duet_says(&["explain", "--app", "orders", "GET", path, &database])
        };
        let missing = "purchase_order_workflowstatus_idx is declared and does not exist";
        assert!(!explained().contains(missing), "{}", explained());
        let dropped = prepare(&["--no-indexes"]);
        assert!(dropped.starts_with("Dropped in ") && names(&dropped).len() > 30, "{dropped}");
        assert!(!dropped.contains("purchaseorderid"), "{dropped}");
        assert!(explained().contains(missing), "{}", explained());
        assert!(prepare(&["--no-indexes"]).contains("already"));
        let made = prepare(&[]);
        assert!(made.starts_with("Made in "), "{made}");
        assert_eq!(names(&made), names(&dropped));
    }
}

/// Data of varied values are the same on both stores, in the shares of states that they must have.
#[test]
fn realistic_data_are_the_same_on_both_stores() {
    let folder = Folder::new();
    let file = format!("sqlite:{}", folder.path().join("o.db").display());
    let postgres = Server::shared().database("sample_orders_realistic");
    let lists = [
        "purchase-orders?limit=200&query=orderType==Ongoing+sortBy+poNumber",
        "po-lines?limit=200&query=cql.allRecords=1+sortBy+poLineNumber/sort.descending",
        "pieces?limit=200&query=receivingStatus==Received+sortBy+id",
        "purchase-orders?limit=0&query=workflowStatus==Open",
        "purchase-orders?limit=0&query=workflowStatus==Closed",
        "po-lines?limit=0&query=orderFormat==Other+or+acquisitionMethod==Technical",
        "po-lines?limit=10000",
        "pieces?limit=20000",
    ];
    let [sqlite, postgres] = [file, postgres.url()].map(|database| {
        let load = ["load", "orders", "--profile", "realistic", "--scale", "1"];
        let said = duet_says(&[&load[..], &["--database", &database]].concat());
        assert!(said.contains("1,000\n"), "{said}");
        let server = Running::start(&[
            "serve",
            &database,
            "--app",
            "orders",
            "--open",
            "all",
            "--listen",
            "127.0.0.1:0",
        ]);
        lists.map(|path| sent(&server.url(), "GET", path, ""))
    });
    for (path, (one, other)) in lists.iter().zip(sqlite.iter().zip(&postgres)) {
        assert!(one.0 == 200 && one == other, "{path}:\n{one:.600?}\n{other:.600?}");
    }
    assert!(sqlite[3].1.contains("\"totalRecords\":500"), "{}", sqlite[3].1);
    assert!(sqlite[4].1.contains("\"totalRecords\":300"), "{}", sqlite[4].1);
    assert!(!sqlite[5].1.contains("\"totalRecords\":0"), "{}", sqlite[5].1);
    let list = |at: usize, name: &str| -> Vec<Value> {
        let list: Value = serde_json::from_str(&sqlite[at].1).expect("a list");
        list[name].as_array().expect("documents").clone()
    };
    let (lines, pieces) = (list(6, "poLines"), list(7, "pieces"));
    lines.iter().for_each(line_adds_up);
    every_value_occurs(&lines);
    pieces_are_where_their_lines_are(&lines, &pieces);
    let (code, _, errors) =
        crate::duet(&["load", "orders", "--profile", "x", "--database", "x.db"]);
    assert!(
        code == 1 && errors.contains("Profiles: realistic, seed; without one, seed."),
        "{errors}"
    );
    let (code, _, errors) =
        crate::duet(&["bench", "load", "txn", "--profile", "x", "--database", "x.db"]);
    assert!(code == 1 && errors.contains("`--profile` is for applications"), "{errors}");
}

/// A number of a document in hundredths; 0 where it is missing.
fn cents(value: &Value) -> i64 {
    format!("{:.0}", value.as_f64().unwrap_or_default() * 100.0).parse().expect("a number")
}

/// Prices, quantities of locations and check digits of a line.
fn line_adds_up(line: &Value) {
    let (cost, details) = (&line["cost"], &line["details"]);
    let units = |name: &str| cost[name].as_i64().unwrap_or(0);
    let of =
        [("quantityPhysical", "listUnitPrice"), ("quantityElectronic", "listUnitPriceElectronic")];
    let product: i64 =
        of.iter().map(|(units_of, price)| units(units_of) * cents(&cost[price])).sum();
    let discount = match cost["discountType"].as_str() {
        Some("amount") => cents(&cost["discount"]),
        _ => (product * cents(&cost["discount"]) / 100 + 50) / 100,
    };
    let expected = product - discount + cents(&cost["additionalCost"]);
    assert_eq!(cents(&cost["poLineEstimatedPrice"]), expected, "{line}");
    assert!(expected > 0, "{line}");
    let locations = line["locations"].as_array().expect("locations");
    let sum = |name: &str| -> i64 {
        locations.iter().map(|location| location[name].as_i64().unwrap_or(0)).sum()
    };
    for name in ["quantityPhysical", "quantityElectronic"] {
        assert_eq!(sum(name), units(name), "{line}");
    }
    assert_eq!(sum("quantity"), units("quantityPhysical") + units("quantityElectronic"), "{line}");
    assert!(locations.iter().all(|location| location["quantity"].as_i64() > Some(0)), "{line}");
    for product in details["productIds"].as_array().expect("identifiers") {
        let id = product["productId"].as_str().expect("a text");
        let digits = id.bytes().filter(|byte| *byte != b'-').map(|byte| match byte {
            b'X' => 10,
            digit => i64::from(digit - b'0'),
        });
        let digits: Vec<i64> = digits.collect();
        let rest = match digits.len() {
            13 => (0..).zip(&digits).map(|(at, digit)| (1 + at % 2 * 2) * digit).sum::<i64>() % 10,
            8 => (0..).zip(&digits).map(|(at, digit)| (8 - at) * digit).sum::<i64>() % 11,
            _ => panic!("{id} is neither an ISBN nor an ISSN"),
        };
        assert_eq!(rest, 0, "{id}");
    }
}

/// Each value of the lists in the schema occurs, and each length of an array.
fn every_value_occurs(lines: &[Value]) {
    let schema = include_str!("../../../../../apps/orders/collections/po-lines.json");
    let schema: Value = serde_json::from_str(schema).expect("a schema");
    for path in [
        "acquisitionMethod",
        "orderFormat",
        "source",
        "paymentStatus",
        "receiptStatus",
        "cost/discountType",
        "physical/createInventory",
        "eresource/createInventory",
        "vendorDetail/refNumberType",
    ] {
        let declared = format!("/properties/{}/enum", path.replace('/', "/properties/"));
        let declared = schema.pointer(&declared).and_then(Value::as_array).expect(path);
        for value in declared {
            let has = |line: &Value| line.pointer(&format!("/{path}")) == Some(value);
            assert!(lines.iter().any(has), "{path}: {value}");
        }
    }
    for (path, lengths) in
        [("/contributors", 0..=3), ("/locations", 1..=3), ("/details/productIds", 1..=3)]
    {
        for length in lengths {
            let has = |line: &Value| {
                line.pointer(path).and_then(Value::as_array).map(Vec::len) == Some(length)
            };
            assert!(lines.iter().any(has), "{path}: {length}");
        }
    }
}

/// Where an inventory has no holdings, its pieces have no location; where it has no items, no item. All others are at
/// a location of their line, as many as it has units there.
fn pieces_are_where_their_lines_are(lines: &[Value], pieces: &[Value]) {
    for line in lines {
        let own: Vec<&Value> = pieces.iter().filter(|one| one["poLineId"] == line["id"]).collect();
        for (kind, part, quantity) in [
            ("Electronic", &line["eresource"], "quantityElectronic"),
            ("Physical", &line["physical"], "quantityPhysical"),
        ] {
            let inventory = part["createInventory"].as_str().unwrap_or_default();
            let own: Vec<_> = own.iter().filter(|piece| piece["format"] == kind).collect();
            let cancelled = line["receiptStatus"] == "Cancelled";
            let has_item = inventory.contains("Item") && !cancelled;
            assert!(own.iter().all(|piece| piece["itemId"].is_string() == has_item), "{line}");
            let is_at = |piece: &Value, place: &Value| piece["locationId"] == place["locationId"];
            for place in line["locations"].as_array().expect("locations") {
                let here = own.iter().filter(|piece| is_at(piece, place)).count();
                let units = place[quantity].as_u64().unwrap_or(0);
                let expected = if inventory.contains("Holding") { units } else { 0 };
                assert!(own.is_empty() || here as u64 == expected, "{line}: {own:?}");
            }
        }
    }
}

#[test]
fn check_names_the_tables_that_collections_lack() {
    let folder = Folder::new();
    let app = "name = 'notes'\nmount = '/notes'\ncollections = ['note.toml']\ntables = 'listed'\n";
    std::fs::write(folder.path().join("app.toml"), app).expect("the folder is writable");
    std::fs::write(folder.path().join("note.toml"), "name = \"notes\"\nschema = \"note.json\"\n")
        .expect("as before");
    let schema = r#"{"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}"#;
    std::fs::write(folder.path().join("note.json"), schema).expect("as before");
    let app = folder.path().display().to_string();
    let file = folder.path().join("notes.db").display().to_string();
    duet_testkit::sqlite::open(&folder.path().join("notes.db"))
        .execute_batch("VACUUM")
        .expect("a file");
    let postgres = Server::shared().database("orders_check").url();
    for (database, table) in [(&file, "main.notes"), (&postgres, "public.notes")] {
        let check = || crate::duet(&["check", &app, "--database", database]);
        let (code, out, errors) = check();
        let said = format!("{out}{errors}");
        assert_eq!(code, 1, "{said}");
        for part in [
            "error: these collections cannot be served",
            &format!("  notes: {table}\n"),
            &format!("`duet collection prepare {app} --database URL`"),
        ] {
            assert!(said.contains(part), "{said}");
        }
        duet_says(&["collection", "prepare", &app, "--database", database]);
        let (code, out, errors) = check();
        assert!(
            code == 0 && out.contains("notes fits") && out.contains(": 1 resource.\n"),
            "{out}{errors}"
        );
    }
}
