//! The sample `orders`: its documents and searches, the same on both stores.

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::json;

use super::duet_says;

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
    let open = format!(r#"{{"id":"{order}","poNumber":"15001","workflowStatus":"Open"}}"#);
    assert_eq!(send("PUT", &format!("purchase-orders/{order}"), &open).0, 204);
    let (status, why) = send("GET", &line_number, "");
    assert!(status == 400 && why.contains("no pending purchase order"), "{status} {why}");
    // Pieces go with their line, a line keeps its order.
    let first = |path: &str, list: &str| -> serde_json::Value {
        let (status, body) = send("GET", path, "");
        assert_eq!(status, 200, "{body}");
        let body: serde_json::Value = serde_json::from_str(&body).expect("a list is JSON");
        body[list][0].clone()
    };
    let text = |document: &serde_json::Value, member: &str| {
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
    let list: serde_json::Value = serde_json::from_str(list).unwrap();
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
    let (code, _, errors) =
        super::duet(&["load", "orders", "--profile", "x", "--database", "x.db"]);
    assert!(
        code == 1 && errors.contains("Profiles: realistic, seed; without one, seed."),
        "{errors}"
    );
    let (code, _, errors) = super::duet(&["load", "txn", "--profile", "x", "--database", "x.db"]);
    assert!(code == 1 && errors.contains("`--profile` is for applications"), "{errors}");
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
        let check = || super::duet(&["check", &app, "--database", database]);
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
            code == 0 && out.contains("notes fits") && out.contains(": 1 resources"),
            "{out}{errors}"
        );
    }
}
