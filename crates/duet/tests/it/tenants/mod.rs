//! Tenants of one server, each with a database of its own: a file, or a schema of PostgreSQL.

mod api;
mod commands;
mod isolation;
mod journal;
mod life;
mod limits;
mod login;
mod tokens;

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use super::{duet, duet_says};

/// Orders and their lines, kept in memory once read.
const APP: &str = r#"name = "orders"
mount = "/orders-storage"
tables = "listed"
collections = ["collections/*.toml"]
services = ["*.sql"]
prepare = ["numbers.prepare"]

[resources.orders]
rowstore = "4MiB"
"#;

const ORDERS: &str = r#"table = "purchase_order"
schema = "order.json"
list = "orders"
[indexes]
unique = ["poNumber"]
trigram = ["note"]
"#;

const ORDER_SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "poNumber": {"type": "string"}, "note": {"type": "string"}}}"#;

const LINES: &str = r#"table = "po_line"
schema = "line.json"
list = "lines"
[references]
orderId = { table = "purchase_order", alias = "order", inverse = "line" }
"#;

const LINE_SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "orderId": {"type": "string", "format": "uuid"}, "title": {"type": "string"}}}"#;

const NEXT: &str = "-- description = \"The next number\"\n-- writes = true\n-- result = \"row\"\n\
    UPDATE {schema}.numbers SET last = last + 1 RETURNING last\n";

/// A server of an application with tenants, on one of the stores.
struct Site {
    folder: Folder,
    database: String,
    app: String,
}

impl Site {
    /// The application, and where its tenants are.
    fn new(database: Option<String>, top: &str) -> Self {
        let folder = Folder::new();
        let app = folder.path().join("app");
        write_app(&app, top);
        let files = || format!("sqlite:{}", folder.path().join("tenants").display());
        let database = database.unwrap_or_else(files);
        Self { database, app: app.display().to_string(), folder }
    }

    /// The same application under another name, over the same database; of SQLite in a folder of its own.
    fn beside(&self, name: &str) -> Self {
        let folder = Folder::new();
        let app = folder.path().join("app");
        write_app(&app, "tenants = 'header'");
        let file = app.join("app.toml");
        let text = fs::read_to_string(&file).expect("it was written");
        let renamed = text.replace("name = \"orders\"", &format!("name = \"{name}\""));
        fs::write(&file, renamed).expect("the folder is writable");
        let database = match self.database.starts_with("sqlite:") {
            true => format!("sqlite:{}", folder.path().join("tenants").display()),
            false => self.database.clone(),
        };
        Self { database, app: app.display().to_string(), folder }
    }

    /// Runs `duet tenant`.
    fn tenant(&self, action: &str, more: &[&str]) -> String {
        let begin = ["tenant", action, &self.app, "--database", &self.database];
        duet_says(&[&begin, more].concat())
    }

    /// Adds a client, and gives its id and secret.
    fn client(&self, name: &str, more: &[&str]) -> (String, String) {
        let state = self.state();
        let begin = ["client", "add", name, "--state", &state, "--json", "--role", "duet.write"];
        let roles = ["--role", "duet.read", "--role", "duet.execute"];
        let added = duet_says(&[&begin, &roles[..], more].concat());
        let added: Value = serde_json::from_str(&added).expect("JSON");
        let text = |name: &str| added[name].as_str().expect("a text").to_owned();
        (text("client_id"), text("client_secret"))
    }

    fn state(&self) -> String {
        self.folder.path().join("state.json").display().to_string()
    }

    fn serve(&self, more: &[&str]) -> Running {
        let file = format!("{}/app.toml", self.app);
        let begin = ["serve", &self.database, "--config", &file, "--listen", "127.0.0.1:0"];
        Running::start(&[&begin, more].concat())
    }
}

fn write_app(app: &Path, top: &str) {
    fs::create_dir_all(app.join("collections")).expect("the folder is writable");
    let write = |name: &str, text: &str| fs::write(app.join(name), text).expect("as before");
    write("app.toml", &format!("{top}\n{APP}"));
    write("collections/orders.toml", ORDERS);
    write("order.json", ORDER_SCHEMA);
    write("collections/lines.toml", LINES);
    write("line.json", LINE_SCHEMA);
    write("next-number.sql", NEXT);
    let numbers = "CREATE TABLE IF NOT EXISTS numbers (last bigint NOT NULL);\n\
        INSERT INTO numbers SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM numbers);\n";
    write("numbers.prepare", numbers);
}

/// A token of a client.
fn bearer(url: &str, (id, secret): &(String, String)) -> String {
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = http::request("POST", &format!("{url}/oauth/token"), &headers, form.as_bytes());
    let token = answer.json()["access_token"].as_str().expect("a token").to_owned();
    format!("Bearer {token}")
}

/// Sends a request below the mount.
fn send(url: &str, headers: &[(&str, &str)], [method, path, body]: [&str; 3]) -> Response {
    let json = [("Content-Type", "application/json")];
    let headers = [&json, headers].concat();
    http::request(method, &format!("{url}/orders-storage/{path}"), &headers, body.as_bytes())
}

/// The key of an order or line: the same for each tenant.
fn key(number: usize) -> String {
    format!("0000000a-0000-4000-8000-{number:012}")
}

/// Runs a test on both stores.
fn on_both(name: &str, top: &str, test: impl Fn(&Site)) {
    test(&Site::new(None, top));
    test(&Site::new(Some(Server::shared().database(name).url()), top));
}

/// The header alone selects the tenant where everybody may do everything.
#[test]
fn a_header_selects_the_tenant() {
    on_both("tenants_header", "tenants = 'header'\ncompat = 'rmb'", |site| {
        assert!(site.tenant("create", &["diku"]).starts_with("Made tenant diku of "));
        site.tenant("create", &["fs_01"]);
        assert_eq!(site.tenant("list", &[]), "diku\nfs_01\n");
        assert_eq!(site.tenant("upgrade", &["diku"]), "The tenant diku has everything already.\n");
        let server = site.serve(&["--open", "all", "--access-log", "json"]);
        let url = server.url();
        let order = |text: &str| format!(r#"{{"id":"{}","poNumber":"1","note":"{text}"}}"#, key(1));
        let place = format!("orders/{}", key(1));
        for tenant in ["diku", "fs_01"] {
            let headers = [("X-Okapi-Tenant", tenant)];
            assert_eq!(send(&url, &headers, ["POST", "orders", &order(tenant)]).status, 201);
            for word in ["miss", "hit"] {
                let answer = send(&url, &headers, ["GET", &place, ""]);
                assert_eq!(answer.json()["note"], *tenant);
                assert_eq!(answer.header("x-cache"), Some(word), "{tenant}");
            }
            let number = send(&url, &headers, ["GET", "next-number", ""]);
            assert_eq!(number.json()["last"], 1, "{}", number.text());
        }
        // A change of one is none of the other.
        let changed = send(&url, &[("X-Okapi-Tenant", "diku")], ["PUT", &place, &order("changed")]);
        assert_eq!(changed.status, 204, "{}", changed.text());
        for (tenant, note) in [("diku", "changed"), ("fs_01", "fs_01")] {
            let answer = send(&url, &[("X-Okapi-Tenant", tenant)], ["GET", &place, ""]);
            assert_eq!(answer.json()["note"], *note);
        }
        let missing = send(&url, &[], ["GET", &place, ""]);
        assert!(missing.status == 400 && missing.text().starts_with("Tenant must be set"));
        for (tenant, status) in [("other", 404), ("../diku", 400), ("", 400), ("Diku", 400)] {
            let answer = send(&url, &[("X-Okapi-Tenant", tenant)], ["GET", &place, ""]);
            assert_eq!(answer.status, status, "{tenant}: {}", answer.text());
        }
        let (code, _, errors) =
            duet(&["tenant", "delete", &site.app, "diku", "--database", &site.database]);
        assert!(code == 1 && errors.contains("--purge"), "{errors}");
        site.tenant("delete", &["diku", "--purge"]);
        assert_eq!(site.tenant("list", &[]), "fs_01\n");
        // The server notices.
        duet_testkit::command::wait_until("the removed tenant is gone", || {
            send(&url, &[("X-Okapi-Tenant", "diku")], ["GET", &place, ""]).status == 404
        });
        let answer = send(&url, &[("X-Okapi-Tenant", "fs_01")], ["GET", &place, ""]);
        assert_eq!(answer.status, 200);
        server.wait_for_output("\"tenant\":\"fs_01\"");
    });
}

/// Each token has its tenant, and no header names another.
#[test]
fn a_token_has_its_tenant() {
    on_both("tenants_token", "tenants = 'token'", |site| {
        site.tenant("create", &["diku"]);
        site.tenant("create", &["other"]);
        let diku = site.client("of diku", &["--tenant", "diku"]);
        let without = site.client("of none", &[]);
        let gone = site.client("of a tenant that is not there", &["--tenant", "gone"]);
        let state = site.state();
        let server = site.serve(&["--state", &state]);
        let url = server.url();
        let [diku, without, gone] = [diku, without, gone].map(|client| bearer(&url, &client));
        let get = |token: Option<&str>, tenant: Option<&str>, path: &str| {
            let mut headers: Vec<(&str, &str)> = Vec::new();
            headers.extend(token.map(|token| ("Authorization", token)));
            headers.extend(tenant.map(|tenant| ("X-Okapi-Tenant", tenant)));
            let answer = send(&url, &headers, ["GET", path, ""]);
            let code = answer.json()["type"]
                .as_str()
                .map(|of| of.rsplit('/').next().unwrap_or(of).to_owned());
            (answer.status, code.unwrap_or_default())
        };
        let (denied, none) = ((403, "DUET-4021".to_owned()), (200, String::new()));
        assert_eq!(get(Some(&diku), None, "orders"), none);
        assert_eq!(get(Some(&diku), Some("diku"), "orders"), none);
        // Before the path is looked at, so what there is does not show.
        for path in ["orders", "nothing", "open-api-catalog/", "_/transaction"] {
            assert_eq!(get(Some(&diku), Some("other"), path), denied, "{path}");
            assert_eq!(get(Some(&diku), Some("nothing"), path), denied, "{path}");
            assert_eq!(get(Some(&without), Some("diku"), path), denied, "{path}");
        }
        assert_eq!(get(Some(&without), None, "orders").0, 400);
        assert_eq!(get(Some(&gone), None, "orders"), (404, "DUET-4022".into()));
        // Who has no token is asked for one.
        assert_eq!(get(None, Some("diku"), "orders").0, 401);
        // What a problem's type leads to is of no tenant.
        assert_eq!(http::get(&format!("{url}/problems/DUET-4021"), &[]).status, 200);
        assert_eq!(get(None, None, "orders").0, 401);
    });
}

/// A migration changes the database of the tenant that it names, and needs the name of one.
#[test]
fn a_migration_is_of_one_tenant() {
    on_both("tenants_migrate", "tenants = 'header'", |site| {
        for tenant in ["acme", "globex"] {
            site.tenant("create", &[tenant]);
        }
        let declared = Path::new(&site.app).join("collections/lines.toml");
        fs::write(&declared, format!("{LINES}[indexes]\nindex = ['title']\n")).expect("writable");
        let migrate = |more: &[&str]| {
            duet(&[&["migrate", &site.app, "--database", &site.database], more].concat())
        };
        for command in ["migrate", "advise", "collection"] {
            let words: &[&str] = match command {
                "collection" => &["collection", "prepare"],
                "advise" => &["advise", "--log", "none"],
                other => &[other],
            };
            let (code, _, errors) =
                duet(&[words, &[&site.app, "--database", &site.database]].concat());
            assert!(code == 1 && errors.contains("Each tenant of"), "{command}: {errors}");
        }
        let (code, out, errors) = migrate(&["--tenant", "acme"]);
        assert!(code == 0 && out.contains("create index po_line_title_idx"), "{out} {errors}");
        let pending = ["acme", "globex"].map(|name| migrate(&["--tenant", name, "--dry-run"]).0);
        assert_eq!(pending, [0, 3]);
    });
}
