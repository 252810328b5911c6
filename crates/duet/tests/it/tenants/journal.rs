//! Tenants have no journal: rows are written at once, and no id of rows is known.

use super::{key, on_both, send};

#[test]
fn tenants_have_no_journal() {
    on_both("tenants_journal", "tenants = 'header'", |site| {
        site.tenant("create", &["diku"]);
        let server = site.serve(&["--open", "all"]);
        let url = server.url();
        let headers = [("X-Okapi-Tenant", "diku"), ("Prefer", "respond-async")];
        let order = format!(r#"{{"id":"{}","poNumber":"1"}}"#, key(1));
        let added = send(&url, &headers, ["POST", "orders", &order]);
        assert_eq!(added.status, 201, "{}", added.text());
        let id = format!("{}-1.{}", "0".repeat(32), "0".repeat(32));
        let asked = send(&url, &headers, ["GET", &format!("orders/_/journal/{id}"), ""]);
        assert_eq!(asked.status, 404, "{}", asked.text());
    });
}
