//! `duet client link`, in a file and in a database, and servers that take the links.

use duet_testkit::command::{Running, wait_until};
use duet_testkit::postgres::Server;
use duet_testkit::{http, sqlite};
use serde_json::{Value, json};

use super::api_key::{Place, text};
use crate::duet;

const SCHEMA: &str = "CREATE TABLE t (id integer PRIMARY KEY, up integer REFERENCES t, name text);
    INSERT INTO t SELECT 1, NULL, 'a' UNION ALL SELECT 2, 1, 'b' UNION ALL SELECT 3, 1, 'c';
    CREATE TABLE other (id integer PRIMARY KEY, t integer REFERENCES t)";

/// Adds a link, and returns its address.
fn link(place: &Place<'_>, arguments: &[&str]) -> String {
    let days = ["--for", "owner", "--expires", "7d"];
    let added = place.client(&[&["link"], arguments, &days].concat());
    text(&added, "address").to_owned()
}

/// The token of an address.
fn token(address: &str) -> &str {
    address.split('/').nth(3).expect("an address of a link")
}

/// The status of a request without anything that names its caller.
fn status(server: &Running, method: &str, path: &str, body: &Value) -> u16 {
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let json = [("Content-Type", "application/json")];
    http::request(method, &format!("{}{path}", server.url()), &json, body.as_bytes()).status
}

/// A link to a table: its page, whose links can be followed, and what is below it, by the operations that it allows.
fn leads_to_its_resource_alone(place: &Place<'_>, address: &str, servers: &[Running]) {
    let server = &servers[0];
    let get = |path: &str| status(server, "GET", path, &Value::Null);
    let token = token(address);
    let to = |rest: &str| format!("/_/link/{token}{rest}");
    let page = http::get(&format!("{}{address}?limit=1", server.url()), &[]);
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(page.header("cache-control"), Some("private, no-store"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let page = page.json();
    let next = page["links"].as_array().and_then(|all| all.iter().find(|it| it["rel"] == "next"));
    let next = http::get(text(next.expect("a next page"), "href"), &[]);
    assert_eq!((next.status, &next.json()["items"][0]["id"]), (200, &json!(2)));
    assert_eq!(get(&format!("{address}3")), 200);
    let other = place.table.replace("/t/", "/other/");
    let mount = place.table.replace("/t/", "/");
    for (path, expected) in [
        (to(&other), 403),
        (to(&mount), 403),
        (to(&format!("{mount}metadata-catalog/t/")), 403),
        (to(&format!("{mount}oauth/token")), 403),
        (to("/metrics"), 403),
        (to("/admin/clients"), 403),
        (to(""), 403),
        (address.replace(token, "dul_"), 401),
        (address.replacen("dul_", "duk_", 1), 401),
        (place.table.to_owned(), 401),
    ] {
        assert_eq!(get(&path), expected, "{path}");
    }
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let path = if method == "POST" { address.to_owned() } else { format!("{address}3") };
        assert_eq!(
            status(server, method, &path, &json!({ "id": 9, "name": "x" })),
            403,
            "{method}"
        );
    }
    let credential = [("Authorization", "Bearer x")];
    assert_eq!(http::get(&format!("{}{address}", server.url()), &credential).status, 400);
    place.client(&["remove", "page"]);
    wait_until("the link has ended everywhere", || {
        servers.iter().all(|server| status(server, "GET", address, &Value::Null) == 401)
    });
    for server in servers {
        let logged = format!("{}{}", server.output(), server.errors());
        assert!(!logged.contains(token), "a link is logged: {logged}");
        assert!(logged.contains("\"page\""), "its name is: {logged}");
    }
}

/// A link to an item, which it may change and read, and to nothing else.
fn leads_to_its_item_alone(address: &str, server: &Running) {
    let change = json!({ "name": "changed" });
    assert_eq!(status(server, "PATCH", address, &change), 200);
    let item = http::get(&format!("{}{address}", server.url()), &[]).json();
    assert_eq!((&item["id"], &item["name"]), (&json!(2), &json!("changed")));
    let sibling = format!("{}3", address.trim_end_matches('2'));
    for (method, path) in [
        ("PATCH", &sibling),
        ("GET", &sibling),
        ("DELETE", &address.to_owned()),
        ("GET", &address.trim_end_matches('2').to_owned()),
        ("GET", &format!("{address}0")),
        ("GET", &format!("{address}?expand=t")),
    ] {
        assert_eq!(status(server, method, path, &change), 403, "{method} {path}");
    }
}

/// A link for some requests is good for as many, whichever of the servers they meet.
fn is_used_up(place: &Place<'_>, address: &str, servers: &[Running]) {
    let get = |server| status(server, "GET", address, &Value::Null);
    let mut good = 0;
    std::thread::scope(|scope| {
        let of = |server| scope.spawn(move || (0..6).filter(|_| get(server) == 200).count());
        let all: Vec<_> = servers.iter().map(of).collect();
        good += all.into_iter().map(|one| one.join().expect("a client")).sum::<usize>();
    });
    assert_eq!(good, 3);
    let listed = place.client(&["list"]);
    let few = listed.as_array().and_then(|all| all.iter().find(|it| it["name"] == "few"));
    let link = &few.expect("the link")["link"];
    assert_eq!((&link["used"], &link["for"]), (&json!(3), &json!("owner")));
}

fn links_lead_to_one_place(place: &Place<'_>) {
    place.client(&["add", "owner", "--role", "duet.write", "--role", "duet.admin"]);
    let (code, _, errors) = duet(
        &[
            &["client", "link", "x", "/a b", "--for", "owner", "--expires", "1d"],
            &place.arguments[..],
        ]
        .concat(),
    );
    assert!(code != 0 && errors.contains("is not the path of a resource"), "{errors}");
    let page = link(place, &["page", place.table]);
    let path = format!("{}2", place.table);
    let item = link(place, &["item", &path, "--allow", "update", "--allow", "read"]);
    let few = link(place, &["few", place.table, "--uses", "3"]);
    let last = link(place, &["last", place.table]);
    let servers = [place.start(), place.start()];
    leads_to_its_resource_alone(place, &page, &servers);
    leads_to_its_item_alone(&item, &servers[0]);
    is_used_up(place, &few, &servers);
    let get = || status(&servers[0], "GET", &last, &Value::Null);
    assert_eq!(get(), 200);
    place.client(&["remove", "owner"]);
    wait_until("the link has ended with its client", || get() == 401);
}

#[test]
fn links_in_a_file_for_sqlite() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &[SCHEMA]).display().to_string();
    let file = folder.path().join("state.json").display().to_string();
    links_lead_to_one_place(&Place {
        arguments: ["--state", &file],
        serve: vec![&database, "--state", &file],
        table: "/api/main/t/",
    });
}

#[test]
fn links_in_postgresql() {
    let database = Server::shared().database("links");
    database.exec(SCHEMA);
    let url = database.url();
    links_lead_to_one_place(&Place {
        arguments: ["--in-database", &url],
        serve: vec![&url],
        table: "/api/public/t/",
    });
}

/// An administrator makes links over HTTP, for clients that may do no more than it.
#[test]
fn administrators_make_links() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &[SCHEMA]).display().to_string();
    let file = folder.path().join("state.json").display().to_string();
    let place = Place {
        arguments: ["--state", &file],
        serve: vec![&database, "--state", &file],
        table: "/api/main/t/",
    };
    let admin = ["--key", "--role", "duet.admin", "--role", "duet.read"];
    let key = place.client(&[&["add", "admin"], &admin[..]].concat());
    place.client(&["add", "reader", "--role", "duet.read"]);
    place.client(&["add", "writer", "--role", "duet.write"]);
    let server = place.start();
    let post = |query: &str| {
        let key = [("X-API-Key", text(&key, "api_key"))];
        http::request("POST", &format!("{}/admin/clients?{query}", server.url()), &key, b"")
    };
    let made = post("link=share&of=reader&path=/api/main/t/&operations=read&seconds=60&uses=1");
    assert_eq!(made.status, 200, "{made:?}");
    let made = made.json();
    assert_eq!(made["client"]["link"]["uses"], 1);
    let get = || status(&server, "GET", text(&made, "address"), &Value::Null);
    assert_eq!((get(), get()), (200, 401));
    for (query, expected) in [
        ("link=a&of=writer&path=/api/main/t/&operations=read&seconds=60", 403),
        ("link=a&of=share&path=/api/main/t/&operations=read&seconds=60", 400),
        ("link=a&of=reader&path=/other/&operations=read&seconds=60", 400),
        ("link=a&of=reader&path=/api/main/t/&operations=look&seconds=60", 400),
        ("link=a&of=reader&path=/api/main/t/&operations=read&seconds=0", 400),
        ("link=a&of=reader&path=/api/main/t/&operations=read", 400),
        ("link=a&roles=x&of=reader&path=/api/main/t/&operations=read&seconds=9", 400),
    ] {
        let refused = post(query);
        assert_eq!(refused.status, expected, "{query}: {}", refused.text());
    }
}

/// Row security of the client that a link acts for holds for the link.
#[test]
fn a_link_has_the_role_of_the_database() {
    let server = Server::shared();
    let database = server.database("links_role");
    database.exec(SCHEMA);
    database.exec(
        "CREATE ROLE links_reader; GRANT USAGE ON SCHEMA public TO links_reader; GRANT SELECT ON t TO links_reader;
         ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t TO links_reader USING (id > 1)",
    );
    let url = database.url();
    let place =
        Place { arguments: ["--in-database", &url], serve: vec![&url], table: "/api/public/t/" };
    place.client(&["add", "owner", "--role", "duet.read", "--db-role", "links_reader"]);
    let address = link(&place, &["share", place.table]);
    let server = place.start();
    let page = http::get(&format!("{}{address}", server.url()), &[]).json();
    assert_eq!(page["items"].as_array().map(Vec::len), Some(2), "{page}");
}
