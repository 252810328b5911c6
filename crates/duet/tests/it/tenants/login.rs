//! The login that an application declares: it is for the tenant of the request, as every request with its token.

use std::fs;
use std::path::Path;

use duet_testkit::http::{self, Response};
use serde_json::json;

use super::{Site, on_both, send};

fn with_login(site: &Site) {
    let file = Path::new(&site.app).join("app.toml");
    let text = fs::read_to_string(&file).expect("it was written");
    let login =
        "\n[login]\npath = '/orders-storage/login'\nheader = 'X-Okapi-Token'\nstatus = 201\n";
    fs::write(&file, text + login).expect("the folder is writable");
}

/// A login with the tenant in a header, or without.
fn login(url: &str, (id, secret): (&str, &str), tenant: Option<&str>) -> Response {
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(tenant.map(|tenant| ("X-Okapi-Tenant", tenant)));
    let body = json!({ "username": id, "password": secret }).to_string();
    http::request("POST", &format!("{url}/orders-storage/login"), &headers, body.as_bytes())
}

#[test]
fn a_login_is_for_the_tenant_of_the_client() {
    on_both("tenants_login", "tenants = 'token'", |site| {
        with_login(site);
        for tenant in ["acme", "globex"] {
            site.tenant("create", &[tenant]);
        }
        let own = site.client("of acme", &["--tenant", "acme"]);
        let without = site.client("of none", &[]);
        let gone = site.client("of one that is not there", &["--tenant", "gone"]);
        let state = site.state();
        let server = site.serve(&["--state", &state]);
        let url = server.url();
        let status =
            |(id, secret): &(String, String), tenant| login(&url, (id, secret), tenant).status;
        for tenant in [None, Some("acme")] {
            let answer = login(&url, (&own.0, &own.1), tenant);
            assert_eq!(answer.status, 201, "{}", answer.text());
            let token = answer.header("x-okapi-token").expect("a token").to_owned();
            // The token is good in the header that the login names.
            let read = send(&url, &[("X-Okapi-Token", &token)], ["GET", "orders", ""]);
            assert_eq!(read.status, 200, "{}", read.text());
        }
        let denied = login(&url, (&own.0, &own.1), Some("globex"));
        assert!(denied.status == 403 && denied.text().contains("DUET-4021"), "{}", denied.text());
        assert_eq!(denied.header("x-okapi-token"), None);
        assert_eq!(status(&own, Some("../acme")), 403);
        assert_eq!((status(&without, Some("acme")), status(&without, None)), (403, 400));
        assert_eq!(status(&gone, None), 404);
        // A header or a member that is there twice: programs before this one may have read the other.
        let token = login(&url, (&own.0, &own.1), None)
            .header("x-okapi-token")
            .expect("a token")
            .to_owned();
        let twice = [("X-Okapi-Token", token.as_str()), ("X-Okapi-Token", "other")];
        assert_eq!(send(&url, &twice, ["GET", "orders", ""]).status, 400);
        let place = format!("{url}/orders-storage/login");
        let post = |headers: &[(&str, &str)], body: &str| {
            let headers = [&[("Content-Type", "application/json")], headers].concat();
            http::request("POST", &place, &headers, body.as_bytes()).status
        };
        let (id, secret) = &own;
        let body = format!(r#"{{"username":"{id}","password":"{secret}"}}"#);
        assert_eq!((post(&[], &body), post(&twice, &body)), (201, 400));
        let basic = [("Authorization", "Basic eDp5"), ("Authorization", "Basic eDp5")];
        assert_eq!(post(&basic, &body), 400);
        for members in [
            format!(r#"{{"username":"{id}","username":"{id}","password":"{secret}"}}"#),
            format!(r#"{{"username":"{id}","password":"x","password":"{secret}"}}"#),
            format!(r#"{{"username":"{id}","password":"{secret}"}}{{}}"#),
        ] {
            assert_eq!(post(&[], &members), 400, "{members}");
        }
        // Where tokens alone name tenants, who has none is asked for one.
        for headers in [&[][..], &[("X-Okapi-Tenant", "acme")], &[("X-Okapi-Tenant", "../acme")]] {
            let refused = send(&url, headers, ["GET", "orders", ""]);
            assert_eq!(refused.status, 401, "{}", refused.text());
            assert!(refused.header("www-authenticate").is_some());
        }
        // Who does not know the secret learns nothing of tenants.
        for tenant in [None, Some("acme"), Some("globex"), Some("nothing")] {
            assert_eq!(login(&url, (&own.0, "wrong"), tenant).status, 401);
        }
    });
}

#[test]
fn a_login_of_a_client_without_a_tenant_is_for_that_of_the_header() {
    on_both("tenants_login_header", "tenants = 'header'", |site| {
        with_login(site);
        site.tenant("create", &["acme"]);
        let (id, secret) = site.client("of none", &[]);
        let state = site.state();
        let server = site.serve(&["--state", &state]);
        let statuses = [Some("acme"), Some("nothing"), Some("No name"), None]
            .map(|tenant| login(&server.url(), (&id, &secret), tenant).status);
        assert_eq!(statuses, [201, 404, 400, 400]);
    });
}
