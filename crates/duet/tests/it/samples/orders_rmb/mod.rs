//! The sample `orders` in the profile of RMB, and its collections declared by a whole `schema.json` of RMB: the same on
//! both stores.

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::golden::workspace;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::duet_says;

const SCHEMA: &str = include_str!("schema.json");
const PROFILE: &str = "compat = \"rmb\"\ntenant = \"diku\"\n";
const ORDER: &str = "20a7a5fc-4d64-40f7-8a7e-831e01f28f18";
const LINE: &str = "b23bc3ba-8e1b-4de2-a3ba-2b8b3ae1d9c7";

/// The files of the sample in a folder of their own; its `app.toml` says that it is in the profile.
fn sample(folder: &Path) -> String {
    let apps = workspace().join("apps/orders");
    for part in ["", "collections", "services"] {
        fs::create_dir_all(folder.join(part)).expect("the folder is writable");
        for entry in fs::read_dir(apps.join(part)).expect("the sample is there") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let name = path.file_name().expect("a file has a name");
                fs::copy(&path, folder.join(part).join(name)).expect("as before");
            }
        }
    }
    let file = folder.join("app.toml");
    let text = fs::read_to_string(&file).expect("an app.toml");
    fs::write(&file, format!("{PROFILE}{text}")).expect("as before");
    folder.display().to_string()
}

/// Collections over the sample's JSON Schemas, declared by the file of RMB alone.
fn declared(folder: &Path) -> String {
    let schemas = workspace().join("apps/orders/collections");
    let write = |name: &str, text: String| {
        fs::write(folder.join(name), text).expect("the folder is writable");
    };
    write("schema.json", SCHEMA.to_owned());
    for (name, table) in
        [("purchase-orders", "purchase_order"), ("po-lines", "po_line"), ("pieces", "pieces")]
    {
        let file = format!("{name}.json");
        fs::copy(schemas.join(&file), folder.join(&file)).expect("the sample has its schema");
        let text = format!("rmb = \"schema.json\"\ntable = \"{table}\"\nschema = \"{file}\"\n");
        write(&format!("{name}.toml"), text);
    }
    let files = "'purchase-orders.toml', 'po-lines.toml', 'pieces.toml'";
    write(
        "app.toml",
        format!(
            "{PROFILE}name = 'storage'\nmount = '/orders-storage'\ntables = 'listed'\n\
             schema = 'diku_mod_orders_storage'\ncollections = [{files}]\n"
        ),
    );
    folder.display().to_string()
}

fn serve(app: &str, database: &str) -> Running {
    let file = format!("{app}/app.toml");
    let open = ["--open", "all", "--listen", "127.0.0.1:0"];
    Running::start(&[&["serve", database, "--config", &file], &open[..]].concat())
}

/// The status, media type and body of an answer.
fn sent(url: &str, tenant: Option<&str>, [method, path, body]: [&str; 3]) -> String {
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(tenant.map(|tenant| ("X-Okapi-Tenant", tenant)));
    let answer =
        http::request(method, &format!("{url}/orders-storage/{path}"), &headers, body.as_bytes());
    let media = answer.header("content-type").unwrap_or("-").to_owned();
    format!("{} {media} {}", answer.status, answer.text())
}

#[test]
fn the_sample_answers_as_rmb() {
    let order = format!(r#"{{"id":"{ORDER}","poNumber":"10000"}}"#);
    let closed = "purchase-orders?limit=0&query=workflowStatus==Closed";
    let wrong = r#"{"id":"b23bc3ba-8e1b-4de2-a3ba-2b8b3ae1d9c7","orderFormat":"Paper","source":"User","cost":{"currency":"USD","listUnitPrice":"x"},"colour":"red"}"#;
    // Of each request its tenant, itself, and how the answer begins.
    let requests: [(Option<&str>, [&str; 3], &str); 12] = [
        (None, ["GET", closed, ""], "400 text/plain Tenant must be set"),
        (Some("other"), ["GET", closed, ""], "400 text/plain The tenant in X-Okapi-Tenant is not"),
        (Some(""), ["POST", "pieces", "{}"], "400 text/plain "),
        (
            Some("diku"),
            ["GET", closed, ""],
            "200 application/json {\"purchaseOrders\":[],\"totalRecords\":1500}",
        ),
        (
            Some("diku"),
            ["GET", "po-number", ""],
            "200 application/json {\"sequenceNumber\":\"15000\"}",
        ),
        (Some("diku"), ["GET", "orders?query=invalid-query", ""], "400 text/plain "),
        (Some("diku"), ["GET", "purchase-orders/7", ""], "404 text/plain "),
        (
            Some("diku"),
            ["POST", "purchase-orders", &order],
            "400 text/plain duplicate key value violates unique constraint",
        ),
        (Some("diku"), ["POST", "purchase-orders", "{"], "400 text/plain "),
        (Some("diku"), ["POST", "po-lines", wrong], "422 application/json {"),
        (
            Some("diku"),
            ["GET", "receiving-history?limit=0&query=receivingStatus==Received", ""],
            "200 ",
        ),
        (
            Some("diku"),
            [
                "GET",
                "orders?limit=2&query=workflowStatus==Open+and+orderFormat==Physical+Resource+sortBy+metadata.createdDate",
                "",
            ],
            "200 ",
        ),
    ];
    let folder = Folder::new();
    let app = sample(&folder.path().join("app"));
    let file = folder.path().join("o.db").display().to_string();
    let postgres = Server::shared().database("orders_as_rmb").url();
    let [sqlite, postgres] = [file, postgres].map(|database| {
        duet_says(&["load", &app, "--database", &database]);
        let server = serve(&app, &database);
        requests.map(|(tenant, request, _)| sent(&server.url(), tenant, request))
    });
    for ((_, request, expected), (one, other)) in requests.iter().zip(sqlite.iter().zip(&postgres))
    {
        assert!(one.starts_with(expected), "{request:?}: {one}");
        assert_eq!(one, other, "{request:?}");
    }
    // The whole list of what a schema refuses.
    let refused = "422 application/json ".to_owned() + include_str!("refused.json").trim_end();
    assert_eq!(sqlite[9], refused);
}

/// The indexes that a command says it has made.
fn indexes(said: &str) -> Vec<String> {
    let lines = said.lines().filter_map(|line| line.strip_prefix("  index   "));
    let mut names: Vec<String> = lines.map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn a_whole_schema_json_declares_collections() {
    let folder = Folder::new();
    let app = folder.path().join("app");
    fs::create_dir(&app).expect("the folder is writable");
    let app = declared(&app);
    let file = folder.path().join("s.db").display().to_string();
    duet_testkit::sqlite::open(&folder.path().join("s.db"))
        .execute_batch("VACUUM")
        .expect("a file");
    let postgres = Server::shared().database("orders_schema_json").url();
    let order = format!(
        r#"{{"id":"{ORDER}","poNumber":"A1000","workflowStatus":"Open","closeReason":{{"reason":"No longer needed"}}}}"#
    );
    let line = format!(
        r#"{{"id":"{LINE}","purchaseOrderId":"{ORDER}","orderFormat":"Other","source":"User","title":"Kayak fishing","edition":"Second","publisher":"The Sea Press"}}"#
    );
    let piece = format!(
        r#"{{"poLineId":"{LINE}","format":"Other","caption":"Volume 1","receivingStatus":"Expected"}}"#
    );
    let made = [("purchase-orders", &order), ("po-lines", &line), ("pieces", &piece)];
    let found = [
        "purchase-orders?query=poNumber==A1000",
        "purchase-orders?query=closeReason.reason=longer",
        "purchase-orders?query=poLine.pieces.caption==Volume*",
        "po-lines?query=edition==sec*",
        "po-lines?query=title==*fish*",
        "po-lines?query=publisher=sea",
        "po-lines?query=purchaseOrder.workflowStatus==open+sortBy+poLineNumber",
        "pieces?query=poLine.purchaseOrder.poNumber==A1000+and+receivingStatus==Expected",
    ];
    let names = [file, postgres].map(|database| {
        let names = indexes(&duet_says(&["collection", "prepare", &app, "--database", &database]));
        let (code, said, errors) = crate::duet(&["check", &app, "--database", &database]);
        assert_eq!(code, 0, "{said}{errors}");
        for note in ["location.locationId", "claim.grace", "vendor.refNumber", "customSnippetPath"]
        {
            assert!(format!("{said}{errors}").contains(note), "{note}: {said}{errors}");
        }
        let server = serve(&app, &database);
        let send = |request| sent(&server.url(), Some("diku"), request);
        for (path, document) in made {
            let answer = send(["POST", path, document]);
            assert!(answer.starts_with("201 "), "{answer}");
        }
        for path in found {
            let answer = send(["GET", path, ""]);
            assert!(answer.contains("\"totalRecords\":1}"), "{path}: {answer}");
        }
        let again = send(["POST", "purchase-orders", r#"{"poNumber":"A1000"}"#]);
        assert!(again.starts_with("400 text/plain duplicate key"), "{again}");
        names
    });
    assert_eq!(names[0], names[1]);
    for (kind, name) in [
        ("index", "purchase_order_workflowstatus_idx"),
        ("index of an object's member", "po_line_eresource_activated_idx"),
        ("uniqueIndex", "purchase_order_ponumber_idx_unique"),
        ("likeIndex", "po_line_edition_idx_like"),
        ("ginIndex", "po_line_title_idx_gin"),
        ("fullTextIndex", "po_line_publisher_idx_ft"),
    ] {
        assert!(names[0].iter().any(|one| one == name), "{kind}: {name} is not in {:?}", names[0]);
    }
}
