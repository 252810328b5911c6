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

#[test]
fn both_stores_answer_the_same() {
    let folder = Folder::new();
    let file = folder.path().join("o.db").display().to_string();
    let url = Server::shared().database("orders_sample").url();
    let paths = [
        "purchase-orders/00000001-0000-4000-8000-000000000007",
        "po-lines/00000002-0000-4000-8000-00000000176f",
        "pieces/00000003-0000-4000-8000-000000000001",
        "purchase-orders?limit=100&query=workflowStatus==open+sortBy+poNumber/sort.descending",
        "po-lines?limit=100&query=title==kayak*+sortBy+title+poLineNumber",
        "po-lines?query=orderFormat==%22Physical+Resource%22+and+rush==true",
        "po-lines?query=title=cafe+sortBy+metadata.createdDate",
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
