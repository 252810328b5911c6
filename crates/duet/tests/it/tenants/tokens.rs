//! Tokens of another issuer: a claim names the tenant.

use std::fs;
use std::time::SystemTime;

use duet_testkit::http::Response;
use duet_testkit::jwt::Issuer;
use serde_json::{Value, json};

use super::{Site, key, on_both, send};

/// What a request of a token gets, with the header of a tenant or without.
struct Caller<'a> {
    issuer: &'a Issuer,
    url: &'a str,
}

impl Caller<'_> {
    fn get(&self, claim: Option<Value>, header: Option<&str>, path: &str) -> Response {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.expect("a time since 1970").as_secs();
        let mut claims = json!({
            "iss": "https://id.example", "aud": "orders", "sub": "ann", "exp": now + 600,
            "roles": ["duet.read"],
        });
        if let Some(claim) = claim {
            claims["org"] = json!({ "tenant": claim });
        }
        let token = format!("Bearer {}", self.issuer.token(&claims));
        let mut headers = vec![("Authorization", token.as_str())];
        headers.extend(header.map(|tenant| ("X-Okapi-Tenant", tenant)));
        send(self.url, &headers, ["GET", path, ""])
    }

    /// The status and the code of a refusal.
    fn refused(&self, claim: Option<Value>, header: Option<&str>, path: &str) -> (u16, String) {
        let answer = self.get(claim, header, path);
        let kind = answer.json()["type"].as_str().unwrap_or_default().to_owned();
        (answer.status, kind.rsplit('/').next().unwrap_or_default().to_owned())
    }
}

/// Serves two tenants with an order each, whose note is the tenant's name.
fn claims(site: &Site, header_alone: bool) {
    let issuer = Issuer::new("1");
    let keys = site.folder.path().join("keys.json");
    fs::write(&keys, issuer.jwks().to_string()).expect("the folder is writable");
    let writers = ["acme", "globex"].map(|tenant| {
        site.tenant("create", &[tenant]);
        (tenant, site.client(tenant, &["--tenant", tenant]))
    });
    let (state, keys) = (site.state(), keys.display().to_string());
    let server = site.serve(&[
        "--state",
        &state,
        "--jwt-issuer",
        "https://id.example",
        "--jwt-audience",
        "orders",
        "--jwt-keys-file",
        &keys,
        "--jwt-roles",
        "/roles",
        "--jwt-tenant",
        "/org/tenant",
    ]);
    let url = server.url();
    for (tenant, client) in &writers {
        let token = super::bearer(&url, client);
        let order = format!(r#"{{"id":"{}","poNumber":"1","note":"{tenant}"}}"#, key(1));
        let answer = send(&url, &[("Authorization", &token)], ["POST", "orders", &order]);
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    let caller = Caller { issuer: &issuer, url: &url };
    let place = format!("orders/{}", key(1));
    for tenant in ["acme", "globex"] {
        for header in [None, Some(tenant)] {
            let answer = caller.get(Some(json!(tenant)), header, &place);
            assert_eq!((answer.status, answer.json()["note"].as_str()), (200, Some(tenant)));
        }
    }
    let denied = (403, "DUET-4021".to_owned());
    // Before routing: what is served, what is not, and what the caller may not do are refused alike.
    for path in [place.as_str(), "orders", "nothing", "open-api-catalog/", "_/transaction"] {
        for other in ["globex", "nobody", "Acme", "acme,globex"] {
            assert_eq!(caller.refused(Some(json!("acme")), Some(other), path), denied, "{other}");
        }
        // A claim that is not the name of a tenant reaches none, whatever the header says.
        for wrong in [json!("../acme"), json!("ACME"), json!(7), json!(["acme"]), Value::Null] {
            for header in [None, Some("acme")] {
                assert_eq!(caller.refused(Some(wrong.clone()), header, path), denied, "{wrong}");
            }
        }
    }
    let unknown = (404, "DUET-4022".to_owned());
    assert_eq!(caller.refused(Some(json!("nobody")), None, "orders"), unknown);
    // Without a claim, the header counts as far as the application lets it.
    assert_eq!(caller.refused(None, None, &place).0, 400);
    let by_header = caller.refused(None, Some("acme"), &place);
    assert_eq!(by_header, if header_alone { (200, String::new()) } else { denied });
}

#[test]
fn a_claim_names_the_tenant() {
    on_both("tenants_claim", "tenants = 'token'", |site| claims(site, false));
}

#[test]
fn a_claim_precedes_the_header() {
    on_both("tenants_claim_header", "tenants = 'header'", |site| claims(site, true));
}
