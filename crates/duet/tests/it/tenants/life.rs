//! How tenants begin and end: with sample data, and for a server that has them open.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use duet_testkit::command::wait_until;

use super::{Site, bearer, duet_says, key, on_both, send};

const SAMPLE: &str = "INSERT INTO purchase_order (id, jsonb) VALUES\n";

/// Gives the application sample data: two orders, made when a new tenant asks for them.
fn with_sample(site: &Site) {
    let app = Path::new(&site.app);
    fs::create_dir_all(app.join("data")).expect("the folder is writable");
    let orders: Vec<String> = (1..=2)
        .map(|number| {
            let key = key(number);
            format!("('{key}', '{{\"id\":\"{key}\",\"poNumber\":\"S{number}\"}}')")
        })
        .collect();
    fs::write(app.join("data/sample.sql"), format!("{SAMPLE}{};\n", orders.join(",\n")))
        .expect("the folder is writable");
    let mut top = fs::read_to_string(app.join("app.toml")).expect("it was written");
    for store in ["sqlite", "postgres"] {
        top.push_str(&format!(
            "\n[load.{store}]\nfiles = ['data/sample.sql']\ntables = ['purchase_order']\n"
        ));
    }
    fs::write(app.join("app.toml"), top).expect("as before");
}

/// `--sample` gives a new tenant the application's data, and no other tenant.
#[test]
fn a_tenant_begins_with_sample_data_where_that_is_said() {
    on_both("tenants_sample", "tenants = 'header'\ncompat = 'rmb'", |site| {
        with_sample(site);
        site.tenant("create", &["full", "--sample"]);
        site.tenant("create", &["empty"]);
        // An upgrade adds none.
        site.tenant("upgrade", &[]);
        let server = site.serve(&["--open", "all"]);
        for (tenant, rows) in [("full", 2), ("empty", 0)] {
            let headers = [("X-Okapi-Tenant", tenant)];
            let answer = send(&server.url(), &headers, ["GET", "orders", ""]);
            assert_eq!(answer.json()["totalRecords"], rows, "{tenant}: {}", answer.text());
        }
        // The rows are ordinary ones.
        let headers = [("X-Okapi-Tenant", "full")];
        let place = format!("orders/{}", key(2));
        let read = send(&server.url(), &headers, ["GET", &place, ""]);
        assert_eq!(read.json()["poNumber"], "S2", "{}", read.text());
        let taken = format!(r#"{{"id":"{}","poNumber":"S1"}}"#, key(3));
        assert_eq!(send(&server.url(), &headers, ["POST", "orders", &taken]).status, 400);
    });
}

/// A sample that fails leaves no tenant behind.
#[test]
fn a_tenant_is_made_whole_or_not_at_all() {
    on_both("tenants_sample_fails", "tenants = 'header'", |site| {
        with_sample(site);
        fs::write(
            Path::new(&site.app).join("data/sample.sql"),
            "INSERT INTO nothing VALUES (1);\n",
        )
        .expect("the folder is writable");
        let begin = ["tenant", "create", &site.app, "--database", &site.database];
        let (code, _, errors) = super::duet(&[&begin[..], &["full", "--sample"]].concat());
        assert!(code == 1 && errors.contains("sample.sql"), "{errors}");
        assert_eq!(site.tenant("list", &[]), "There are no tenants.\n");
        site.tenant("create", &["full"]);
        assert_eq!(site.tenant("list", &[]), "full\n");
    });
}

/// A schema that is another application's tenant's is not taken from it, and nothing says how that would be done.
#[test]
fn the_schema_of_another_tenant_is_named_as_its_own() {
    on_both("tenants_taken", "tenants = 'header'", |site| {
        site.tenant("create", &["acme"]);
        if site.database.starts_with("sqlite:") {
            return;
        }
        let app = Path::new(&site.app).join("app.toml");
        let top = fs::read_to_string(&app).expect("it was written");
        // `acme_x` of `orders` would have the schema that `acme` of `x_orders` has.
        fs::write(&app, format!("schema = 'x_orders'\n{top}")).expect("the folder is writable");
        site.tenant("create", &["acme"]);
        fs::write(&app, top).expect("as before");
        let create = ["tenant", "create", &site.app, "--database", &site.database, "acme_x"];
        let (code, _, errors) = super::duet(&create);
        let whose = "The schema \"acme_x_orders\" is that of the tenant acme of x_orders.";
        assert!(code == 1 && errors.contains(whose), "{errors}");
        assert!(!errors.contains("COMMENT ON"), "{errors}");
        assert_eq!(site.tenant("list", &[]), "acme\n");
    });
}

/// A server that has a tenant open when others remove it answers as if it had never been, and no request fails.
#[test]
fn requests_for_a_removed_tenant_are_404() {
    on_both("tenants_removed", "tenants = 'header'", |site| {
        for tenant in ["leaves", "stays"] {
            site.tenant("create", &[tenant]);
        }
        let clients = site.client("a caller", &[]);
        let state = site.state();
        // Only requests notice that the tenant is gone.
        let server = site.serve(&["--state", &state, "--schema-poll", "1h"]);
        let url = server.url();
        let token = bearer(&url, &clients);
        let ask = |tenant: &str, request: [&str; 3]| {
            let headers = [("Authorization", token.as_str()), ("X-Okapi-Tenant", tenant)];
            let answer = send(&url, &headers, request);
            let kind = answer.json()["type"].as_str().map(str::to_owned);
            (answer.status, kind.is_some_and(|kind| kind.ends_with("DUET-4022")))
        };
        let order = |number: usize| format!(r#"{{"id":"{}","poNumber":"{number}"}}"#, key(number));
        for tenant in ["leaves", "stays"] {
            assert_eq!(ask(tenant, ["POST", "orders", &order(1)]).0, 201);
            assert_eq!(ask(tenant, ["GET", "lines", ""]).0, 200);
        }
        site.tenant("delete", &["leaves", "--purge"]);
        assert_eq!(ask("leaves", ["POST", "orders", &order(2)]), (404, true));
        for request in [["GET", "lines", ""], ["GET", "nothing", ""], ["POST", "orders", "{}"]] {
            assert_eq!(ask("leaves", request), (404, true), "{request:?}");
        }
        // Strangers do not learn that it existed.
        let stranger = send(&url, &[("X-Okapi-Tenant", "leaves")], ["GET", "lines", ""]);
        assert_eq!(stranger.status, 401);
        assert_eq!(ask("stays", ["POST", "orders", &order(2)]).0, 201);
        // One that is made anew under the name has none of the old rows.
        site.tenant("create", &["leaves"]);
        wait_until("the new tenant is known", || ask("leaves", ["GET", "orders", ""]).0 == 200);
        assert_eq!(ask("leaves", ["GET", &format!("orders/{}", key(1)), ""]), (404, false));
        assert_eq!(ask("leaves", ["POST", "orders", &order(1)]).0, 201);
    });
}

/// Those who follow a tenant learn that it is gone, and nothing of what is made under its name.
#[test]
fn subscriptions_end_with_their_tenant() {
    on_both("tenants_followed", "tenants = 'header'", |site| {
        for tenant in ["leaves", "stays"] {
            site.tenant("create", &[tenant]);
        }
        let server = site.serve(&["--open", "all", "--schema-poll", "50ms"]);
        let url = server.url();
        let order = |number: usize| format!(r#"{{"id":"{}","poNumber":"{number}"}}"#, key(number));
        let post = |tenant: &str, number: usize| {
            send(&url, &[("X-Okapi-Tenant", tenant)], ["POST", "orders", &order(number)]).status
        };
        assert_eq!((post("leaves", 1), post("stays", 1)), (201, 201));
        let [mut leaves, mut stays] = ["leaves", "stays"].map(|tenant| follow(&url, tenant));
        for events in [&mut leaves, &mut stays] {
            assert!(until(events, "complete").contains("\"count\":1"));
        }
        site.tenant("delete", &["leaves", "--purge"]);
        let end = until(&mut leaves, "end");
        // The tenant, or its tables, whatever was looked at first.
        assert!(end.contains("DUET-4022") || end.contains("DUET-1001"), "{end}");
        assert!(!end.contains("retry"), "it is in vain to come again: {end}");
        site.tenant("create", &["leaves"]);
        wait_until("the new tenant is known", || post("leaves", 2) == 201);
        let mut rest = String::new();
        leaves.read_to_string(&mut rest).expect("the stream ends");
        assert!(!rest.contains("event:"), "{rest}");
        // No other tenant is concerned.
        assert_eq!(post("stays", 2), 201);
        assert!(until(&mut stays, "entered").contains("\"poNumber\":\"2\""));
    });
}

/// A tenant is closed for another one: those who follow it learn that they may come again at once. Where another tenant can be
/// closed that nobody follows, it is.
#[test]
fn subscriptions_end_where_others_need_the_place_of_their_tenant() {
    on_both("tenants_closed", "tenants = 'header'", |site| {
        for tenant in ["followed", "second", "third"] {
            site.tenant("create", &[tenant]);
        }
        let ask = |url: &str, tenant: &str, request: [&str; 3]| {
            send(url, &[("X-Okapi-Tenant", tenant)], request).status
        };
        let order = |number: usize| format!(r#"{{"id":"{}","poNumber":"{number}"}}"#, key(number));
        let server = site.serve(&["--open", "all", "--open-tenants", "2"]);
        let mut events = follow(&server.url(), "followed");
        assert!(until(&mut events, "complete").contains("\"count\":0"));
        for tenant in ["second", "third", "second"] {
            assert_eq!(ask(&server.url(), tenant, ["GET", "orders", ""]), 200);
        }
        assert_eq!(ask(&server.url(), "followed", ["POST", "orders", &order(1)]), 201);
        assert!(until(&mut events, "entered").contains("\"poNumber\":\"1\""));
        drop((events, server));
        let server = site.serve(&["--open", "all", "--open-tenants", "1"]);
        for _ in 0..2 {
            let mut events = follow(&server.url(), "followed");
            assert!(until(&mut events, "complete").contains("\"count\":1"));
            assert_eq!(ask(&server.url(), "second", ["GET", "orders", ""]), 200);
            let end = until(&mut events, "end");
            assert!(end.contains("\"reason\":\"closed\"") && end.contains("\"retry\":"), "{end}");
            assert!(end.contains("--open-tenants"), "{end}");
            let mut rest = String::new();
            events.read_to_string(&mut rest).expect("the stream ends");
            assert!(!rest.contains("event:"), "{rest}");
        }
    });
}

/// Follows the orders of a tenant.
fn follow(url: &str, tenant: &str) -> BufReader<TcpStream> {
    let host = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    let head = format!(
        "GET /orders-storage/orders HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\nX-Okapi-Tenant: {tenant}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    BufReader::new(stream)
}

/// The data of the next event of a kind.
fn until(events: &mut impl BufRead, name: &str) -> String {
    let mut lines = events.lines().map(|line| line.expect("the server goes on"));
    let found = lines.find(|line| *line == format!("event: {name}"));
    assert!(found.is_some(), "no {name}");
    lines.next().expect("an event has data")
}

/// A tenant that was removed and made again while it was open is served from its new database.
#[test]
fn a_tenant_made_again_is_the_new_one() {
    on_both("tenants_again", "tenants = 'header'", |site| {
        site.tenant("create", &["acme"]);
        let server = site.serve(&["--open", "all", "--schema-poll", "50ms"]);
        let url = server.url();
        let ask = |request: [&str; 3]| send(&url, &[("X-Okapi-Tenant", "acme")], request);
        let order = format!(r#"{{"id":"{}","poNumber":"1"}}"#, key(1));
        let place = format!("orders/{}", key(1));
        assert_eq!(ask(["POST", "orders", &order]).status, 201);
        for word in ["miss", "hit"] {
            assert_eq!(ask(["GET", &place, ""]).header("x-cache"), Some(word));
        }
        site.tenant("delete", &["acme", "--purge"]);
        site.tenant("create", &["acme"]);
        wait_until("the old order is gone", || ask(["GET", &place, ""]).status == 404);
        assert_eq!(ask(["POST", "orders", &order]).status, 201);
        assert_eq!(ask(["GET", &place, ""]).status, 200);
    });
}

/// Two applications over one database, each with a tenant of the same name: removing one leaves the keys of the
/// other's requests, so that a repeated request is still answered by the first one's answer.
#[test]
fn removing_a_tenant_leaves_keys_of_other_applications() {
    on_both("tenants_keys", "tenants = 'header'", |site| {
        let other = site.beside("stock");
        if !site.database.starts_with("sqlite:") {
            duet_says(&["service", "prepare", "--database", &site.database]);
        }
        let both = [site, &other];
        both.iter().for_each(|one| drop(one.tenant("create", &["acme"])));
        let once = [("X-Okapi-Tenant", "acme"), ("Idempotency-Key", "\"the-same\"")];
        let order = format!(r#"{{"id":"{}","poNumber":"1"}}"#, key(1));
        let post = |one: &Site| {
            let server = one.serve(&["--open", "all"]);
            let answer = send(&server.url(), &once, ["POST", "orders", &order]);
            assert_eq!(answer.status, 201, "{}", answer.text());
            answer.header("idempotent-replayed").map(str::to_owned)
        };
        assert_eq!(both.map(post), [None, None]);
        assert_eq!(both.map(post), [Some("true".to_owned()), Some("true".to_owned())]);
        site.tenant("delete", &["acme", "--purge"]);
        site.tenant("create", &["acme"]);
        assert_eq!(both.map(post), [None, Some("true".to_owned())]);
    });
}
