//! A caller of one tenant tries to reach the rows of another: by paths, headers, queries, joins, etags, keys,
//! batches, streams and errors. Nothing that it gets has the other's text, and none of the other's rows changes.

use duet_testkit::http::Response;

use super::{Site, bearer, duet_says, key, on_both, send};

/// What only the rows of the other tenant hold.
const SECRET: &str = "zebrafish";

/// Orders of each tenant.
const ORDERS: usize = 12;

/// Requests of a caller.
struct Caller<'a> {
    url: &'a str,
    token: String,
}

impl Caller<'_> {
    fn send(&self, more: &[(&str, &str)], request: [&str; 3]) -> Response {
        let own = [("Authorization", self.token.as_str())];
        send(self.url, &[&own, more].concat(), request)
    }

    /// Fills the tenant: each document has the word, and the same key in each tenant.
    fn fill(&self, word: &str) {
        for number in 1..=ORDERS {
            let (key, order) =
                (key(number), format!(r#""poNumber":"{word}-{number}","note":"{word} {number}""#));
            let order = format!(r#"{{"id":"{key}",{order}}}"#);
            assert_eq!(self.send(&[], ["POST", "orders", &order]).status, 201);
            let line =
                format!(r#"{{"id":"{key}","orderId":"{key}","title":"{word} line {number}"}}"#);
            assert_eq!(self.send(&[], ["POST", "lines", &line]).status, 201);
        }
    }

    /// All rows, as text.
    fn all(&self) -> String {
        let list = |path: &str| {
            let answer = self.send(&[], ["GET", path, ""]);
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer.text().to_owned()
        };
        list("orders?limit=1000&query=cql.allRecords=1+sortBy+poNumber")
            + &list("lines?limit=1000&query=cql.allRecords=1+sortBy+title")
    }
}

/// What an attack sends, and whether an answer from 500 on would be a fault of its own.
type Attack = (Vec<(String, String)>, [String; 3]);

fn attack(headers: &[(&str, &str)], [method, path, body]: [&str; 3]) -> Attack {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    (headers.collect(), [method, path, body].map(str::to_owned))
}

/// Ways to name the other tenant, its schema and its files.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for base in [
        "victim",
        "victim_orders",
        "victim.db",
        "victim_orders.purchase_order",
        "pg_catalog",
        "main",
    ] {
        for form in [
            "{}",
            "\"{}\"",
            "../{}",
            "..%2F{}",
            "{}%00",
            " {}",
            "{};",
            "attacker,{}",
            "VICTIM",
            "%22{}%22",
        ] {
            names.push(form.replace("{}", base));
        }
    }
    names
}

fn by_headers() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let place = format!("orders/{}", key(1));
    for value in [
        "victim",
        "Victim",
        "victim ",
        "attacker, victim",
        "attacker;victim",
        "victim_orders",
        "*",
        "%",
    ] {
        for name in ["X-Okapi-Tenant", "x-okapi-tenant", "X-OKAPI-TENANT"] {
            for path in
                ["orders?limit=100", "lines?limit=100", &place, "open-api-catalog/", "nothing"]
            {
                attacks.push(attack(&[(name, value)], ["GET", path, ""]));
            }
            let deletes = ["DELETE", place.as_str(), ""];
            attacks.push(attack(&[(name, value)], deletes));
            // A second header, before and behind the caller's own.
            attacks.push(attack(&[(name, "attacker"), (name, value)], deletes));
            attacks.push(attack(&[(name, value), (name, "attacker")], deletes));
        }
        for name in [
            "X-Okapi-Url",
            "X-Okapi-User-Id",
            "Tenant",
            "X-Tenant",
            "X-Forwarded-Host",
            "Accept-Profile",
            "Content-Profile",
            "Prefer",
            "Forwarded",
            "X-Original-URL",
            "X-HTTP-Method-Override",
        ] {
            attacks.push(attack(&[(name, value)], ["GET", "orders?limit=100", ""]));
        }
    }
    attacks
}

fn by_paths_and_queries() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for name in names() {
        let encoded = name.replace(' ', "%20").replace('"', "%22").replace(';', "%3B");
        for path in [
            encoded.clone(),
            format!("{encoded}/orders"),
            format!("orders/{encoded}"),
            format!("../{encoded}/orders"),
            format!("orders/..%2f{encoded}"),
            format!("metadata-catalog/{encoded}/"),
            format!("open-api-catalog/{encoded}/"),
            format!("orders?tenant={encoded}"),
            format!("orders?schema={encoded}"),
            format!("orders?limit=100&fields={encoded}"),
            format!("orders?expand={encoded}"),
            format!("orders?query={encoded}.note=z*"),
            format!("orders?query=id=={encoded}"),
            format!("orders?query=cql.allRecords=1+sortBy+{encoded}"),
            format!("lines?query={encoded}.order.note={SECRET}"),
        ] {
            attacks.push(attack(&[], ["GET", &path, ""]));
        }
    }
    for query in [
        format!("note={SECRET}*"),
        format!("note==*{SECRET}*"),
        "cql.allRecords=1".to_owned(),
        "poNumber=z*".to_owned(),
        format!("line.title={SECRET}"),
        format!("line.title==*{SECRET}*+or+poNumber=z*"),
        "id==*".to_owned(),
        format!("note=x+or+note={SECRET}"),
        format!("cql.allRecords=1+not+note={SECRET}"),
    ] {
        for path in ["orders", "lines"] {
            for more in
                ["", "&limit=1000", "&offset=6", "&totalRecords=exact", "&totalRecords=estimated"]
            {
                attacks.push(attack(&[], ["GET", &format!("{path}?query={query}{more}"), ""]));
            }
            for accept in ["application/x-ndjson", "text/csv", "application/json"] {
                attacks.push(attack(
                    &[("Accept", accept)],
                    ["GET", &format!("{path}?query={query}&limit=1000"), ""],
                ));
            }
        }
        let join = query
            .replace("line.", "order.line.")
            .replace("note", "order.note")
            .replace("poNumber", "order.poNumber");
        attacks.push(attack(&[], ["GET", &format!("lines?query={join}&limit=1000"), ""]));
    }
    attacks
}

fn by_writes() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let doc = |number: usize, text: &str| {
        format!(r#"{{"id":"{}","poNumber":"n{number}","note":"{text}"}}"#, key(number))
    };
    for tenant in ["victim", "victim_orders"] {
        let header = [("X-Okapi-Tenant", tenant)];
        for number in [1, ORDERS, 99] {
            let place = format!("orders/{}", key(number));
            for (method, path, body) in [
                ("PUT", place.as_str(), doc(number, "overwritten")),
                ("PATCH", &place, r#"{"note":"overwritten"}"#.to_owned()),
                ("DELETE", &place, String::new()),
                ("POST", "orders", doc(number + 100, "added")),
                ("POST", "orders/_/batch", format!("[{}]", doc(number + 200, "added"))),
                ("POST", "orders/batchload", doc(number + 300, "added")),
                ("GET", "next-number", String::new()),
                ("POST", "_/transaction", format!(r#"[{{"method":"DELETE","path":"{place}"}}]"#)),
            ] {
                attacks.push(attack(&header, [method, path, &body]));
            }
        }
    }
    // Absolute and foreign paths inside of a transaction.
    for path in
        ["/victim/orders", "../victim/orders", "orders?tenant=victim", "/orders-storage/orders"]
    {
        let body = format!(r#"[{{"method":"POST","path":"{path}","body":{}}}]"#, doc(400, "added"));
        attacks.push(attack(&[], ["POST", "_/transaction", &body]));
    }
    attacks
}

#[test]
fn no_request_reaches_rows_of_another_tenant() {
    on_both("tenants_isolation", "tenants = 'token'", reaches_nothing);
}

fn reaches_nothing(site: &Site) {
    for tenant in ["attacker", "victim"] {
        site.tenant("create", &[tenant]);
    }
    if site.database.contains("postgres") || site.database.contains("host=") {
        duet_says(&["service", "prepare", "--database", &site.database]);
    }
    let clients = ["attacker", "victim"].map(|name| site.client(name, &["--tenant", name]));
    let state = site.state();
    let server = site.serve(&["--state", &state]);
    let url = server.url();
    let [attacker, victim] =
        clients.map(|client| Caller { url: &url, token: bearer(&url, &client) });
    attacker.fill("plain");
    victim.fill(SECRET);
    let before = victim.all();
    assert!(before.contains(SECRET) && !attacker.all().contains(SECRET));
    let mut statuses = std::collections::BTreeMap::new();
    for (headers, request) in [by_headers(), by_paths_and_queries(), by_writes()].concat() {
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = attacker.send(&headers, request.each_ref().map(String::as_str));
        let all = format!("{answer:?} {}", answer.text());
        // An error may repeat what was sent.
        let sent = request.concat().contains(SECRET) && answer.status >= 400;
        assert!(sent || !all.contains(SECRET), "{headers:?} {request:?}: {all}");
        assert!(answer.status < 500, "{headers:?} {request:?}: {all}");
        *statuses.entry(answer.status).or_insert(0) += 1;
    }
    // The attacks got far enough to mean something.
    assert!(statuses[&200] > 50 && statuses[&403] > 50 && statuses[&404] > 20, "{statuses:?}");
    etags_and_keys(&attacker, &victim);
    assert_eq!(victim.all(), before, "the other tenant's rows are as they were");
}

/// Etags and idempotency keys of one tenant mean nothing in another.
fn etags_and_keys(attacker: &Caller<'_>, victim: &Caller<'_>) {
    let place = format!("orders/{}", key(2));
    let foreign = victim.send(&[], ["GET", &place, ""]);
    let (etag, own) =
        (foreign.header("etag").expect("an etag"), attacker.send(&[], ["GET", &place, ""]));
    assert_ne!(Some(etag), own.header("etag"));
    assert_eq!(attacker.send(&[("If-None-Match", etag)], ["GET", &place, ""]).status, 200);
    let body = format!(r#"{{"id":"{}","poNumber":"plain-2","note":"mine"}}"#, key(2));
    for method in ["PUT", "DELETE"] {
        assert_eq!(attacker.send(&[("If-Match", etag)], [method, &place, &body]).status, 412);
    }
    let own = own.header("etag").expect("an etag");
    assert_eq!(victim.send(&[("If-Match", own)], ["DELETE", &place, ""]).status, 412);
    // The number of another tenant's order is free here, and its own is taken.
    let order =
        |number: usize, po: &str| format!(r#"{{"id":"{}","poNumber":"{po}"}}"#, key(number));
    assert_eq!(
        attacker.send(&[], ["POST", "orders", &order(501, &format!("{SECRET}-1"))]).status,
        201
    );
    assert_eq!(attacker.send(&[], ["POST", "orders", &order(502, "plain-1")]).status, 409);
    // The same key in both tenants is two keys.
    let once = [("Idempotency-Key", "\"the-same\"")];
    let mine = attacker.send(&once, ["POST", "orders", &order(503, "once")]);
    assert_eq!((mine.status, mine.header("idempotent-replayed")), (201, None), "{}", mine.text());
    let theirs = victim.send(&once, ["POST", "orders", &order(503, "once")]);
    assert_eq!((theirs.status, theirs.header("idempotent-replayed")), (201, None));
    let again = attacker.send(&once, ["POST", "orders", &order(503, "once")]);
    assert_eq!((again.status, again.header("idempotent-replayed")), (201, Some("true")));
    let removed = victim.send(&[], ["DELETE", &format!("orders/{}", key(503)), ""]);
    assert_eq!(removed.status, 204);
    assert_eq!(attacker.send(&[], ["GET", &format!("orders/{}", key(503)), ""]).status, 200);
}
