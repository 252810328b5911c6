//! What a tenant may take of the server: requests under way, requests per second, and places among open tenants.

use duet_testkit::command::wait_until;
use duet_testkit::http::{self, Client};

use super::{Site, bearer, key, on_both, send};
use crate::bench::pages::browser;

/// A tenant with as many requests under way as it may have is refused more, and no other is.
#[test]
fn a_tenant_has_no_more_requests_under_way_than_it_may() {
    on_both("tenants_requests", "tenants = 'header'", |site| {
        for tenant in ["greedy", "modest"] {
            site.tenant("create", &[tenant]);
        }
        let admin = site.client("admin", &["--role", "duet.admin"]);
        let state = site.state();
        let server = site.serve(&["--state", &state, "--tenant-requests", "2"]);
        let url = server.url();
        let admin = bearer(&url, &admin);
        let order = |number: usize| format!(r#"{{"id":"{}","poNumber":"{number}"}}"#, key(number));
        let get = |tenant: &str| {
            let headers = [("Authorization", admin.as_str()), ("X-Okapi-Tenant", tenant)];
            send(&url, &headers, ["GET", "orders?limit=0", ""])
        };
        // A request whose body has not arrived is under way.
        let begun = |number: usize| {
            let (body, mut client) = (order(number), Client::connect(&url));
            let head = format!(
                "POST /orders-storage/orders HTTP/1.1\r\nHost: localhost\r\nX-Okapi-Tenant: greedy\r\n\
                 Authorization: {admin}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            client.send(head.as_bytes()).expect("the server takes the head");
            (client, body)
        };
        let metric = |name: &str, tenant: &str| {
            let line = format!("{name}{{application=\"orders\",tenant=\"{tenant}\"}} ");
            let text = http::get(&format!("{url}/metrics"), &[("Authorization", &admin)])
                .text()
                .to_owned();
            let value = text.lines().find_map(|one| one.strip_prefix(&line)?.parse::<u64>().ok());
            value.unwrap_or_default()
        };
        let waiting = [begun(1), begun(2)];
        wait_until("both are under way", || metric("duet_tenant_active_requests", "greedy") == 2);
        let refused = get("greedy");
        assert_eq!(refused.status, 429, "{}", refused.text());
        assert!(refused.text().contains("--tenant-requests"), "{}", refused.text());
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
        assert!(refused.json()["type"].as_str().is_some_and(|of| of.ends_with("DUET-4023")));
        // What was refused holds no place.
        assert_eq!(metric("duet_tenant_active_requests", "greedy"), 2);
        assert_eq!(metric("duet_tenant_refused_total", "greedy"), 1);
        for _ in 0..5 {
            assert_eq!(get("modest").status, 200);
        }
        for (mut client, body) in waiting {
            client.send(body.as_bytes()).expect("the server takes the body");
            let answer = client.read_response(false).expect("an answer");
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        wait_until("none is under way", || metric("duet_tenant_active_requests", "greedy") == 0);
        assert_eq!(get("greedy").status, 200);
        // A caller who goes away gives its place back.
        drop([begun(3), begun(4)]);
        wait_until("their places are free", || get("greedy").status == 200);
    });
}

#[test]
fn a_tenant_takes_no_more_than_its_rate() {
    on_both("tenants_rate", "tenants = 'header'", |site| {
        site.tenant("create", &["greedy"]);
        site.tenant("create", &["modest"]);
        let admin = site.client("admin", &["--role", "duet.admin"]);
        let state = site.state();
        let more = ["--state", &state, "--tenant-rate", "20", "--open-tenants", "2"];
        let server = site.serve(&more);
        let url = server.url();
        let admin = bearer(&url, &admin);
        let get = |tenant: &str| {
            let headers = [("Authorization", admin.as_str()), ("X-Okapi-Tenant", tenant)];
            send(&url, &headers, ["GET", "orders?limit=0", ""])
        };
        let mut refused = None;
        for _ in 0..10_000 {
            let answer = get("greedy");
            if answer.status == 429 {
                refused = Some(answer);
                break;
            }
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        let refused = refused.expect("as many as it may have were sent");
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
        assert_eq!(get("modest").status, 200, "the other has a share of its own");
        let metrics = || {
            let headers = [("Authorization", admin.as_str())];
            http::get(&format!("{url}/metrics"), &headers).text().to_owned()
        };
        let labels = "{application=\"orders\",tenant=\"modest\"}";
        let text = metrics();
        assert!(text.contains(&format!("duet_tenant_requests_total{labels} 1\n")), "{text}");
        assert!(
            text.contains(
                "duet_tenant_refused_total{application=\"orders\",tenant=\"greedy\"} 1\n"
            )
        );
        // Two may be open: a third takes the place of one.
        site.tenant("create", &["third"]);
        wait_until("the new tenant is known", || get("third").status == 200);
        let open = metrics().matches("duet_tenant_active_requests{").count();
        assert_eq!(open, 2);
        assert!(metrics().contains("tenant=\"third\""));
    });
}

/// The console lists the open tenants with what they do.
#[test]
fn the_console_shows_tenants() {
    let Some(mut browser) = browser("the_console_shows_tenants") else { return };
    let site = Site::new(None, "tenants = 'header'");
    for tenant in ["north", "south"] {
        site.tenant("create", &[tenant]);
    }
    let (id, secret) = site.client("admin", &["--role", "duet.admin"]);
    let state = site.state();
    let server = site.serve(&["--state", &state]);
    let url = server.url();
    let token = bearer(&url, &(id.clone(), secret.clone()));
    for tenant in ["north", "north", "south"] {
        let headers = [("Authorization", token.as_str()), ("X-Okapi-Tenant", tenant)];
        assert_eq!(send(&url, &headers, ["GET", "orders?limit=0", ""]).status, 200);
    }
    browser.open(&format!("{url}/console/sign-in?next=/console/operate/"), 1280, 900);
    for (field, value) in [("id", &id), ("secret", &secret)] {
        browser.value(&format!("document.getElementById('{field}').focus()"));
        browser.type_in(value);
    }
    browser.go("document.querySelector('.sign-in button').click()");
    browser.wait_for("document.querySelectorAll('#tenants tbody tr').length === 2");
    let names = "[...document.querySelectorAll('#tenants tbody td:nth-child(2)')].map((it) => it.textContent).join()";
    assert_eq!(browser.value(names), "north,south");
}
