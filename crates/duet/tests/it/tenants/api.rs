//! The tenant API.

use duet_testkit::http::{self, Response};

use super::{bearer, key, on_both, send};

/// Sends a request to the tenant API.
fn ask(url: &str, headers: &[(&str, &str)], [method, rest, body]: [&str; 3]) -> Response {
    let headers = [&[("Content-Type", "application/json")], headers].concat();
    http::request(method, &format!("{url}/_/tenant{rest}"), &headers, body.as_bytes())
}

/// The headers of a caller who names a tenant.
fn named(token: &str) -> [(&str, &str); 2] {
    [("Authorization", token), ("X-Okapi-Tenant", "diku")]
}

#[test]
fn the_tenant_api_makes_and_removes_tenants() {
    on_both("tenants_api", "tenants = 'header'\ncompat = 'rmb'", |site| {
        site.tenant("create", &["other"]);
        let [admin, writer] = [("admin", "duet.admin"), ("writer", "duet.write")]
            .map(|(name, role)| site.client(name, &["--role", role]));
        let other = site.client("admin of another", &["--role", "duet.admin", "--tenant", "other"]);
        let state = site.state();
        let server = site.serve(&["--state", &state]);
        let url = server.url();
        let [admin, writer, other] = [admin, writer, other].map(|client| bearer(&url, &client));
        let make = r#"{"module_to":"orders-1.0.0"}"#;
        let post = |token: &str| ask(&url, &named(token), ["POST", "", make]).status;
        assert_eq!((post(&writer), post(&other)), (403, 403));
        // Nor does it learn anything of the whole server.
        for path in ["/metrics", "/admin/status", "/admin/services"] {
            let get = |token: &str| {
                http::get(&format!("{url}{path}"), &[("Authorization", token)]).status
            };
            assert_eq!((get(&admin), get(&other)), (200, 403), "{path}");
        }
        assert_eq!(ask(&url, &[("X-Okapi-Tenant", "diku")], ["POST", "", make]).status, 401);
        let admin = admin.as_str();
        let unnamed = ask(&url, &[("Authorization", admin)], ["POST", "", make]);
        assert!(unnamed.status == 400 && unnamed.text().starts_with("Tenant must be set"));
        for name in ["../diku", "Diku", "duet\"", ""] {
            let headers = [("Authorization", admin), ("X-Okapi-Tenant", name)];
            assert_eq!(ask(&url, &headers, ["POST", "", make]).status, 400, "{name}");
        }
        // Before it is made, and known to be absent for a moment.
        let get = |path: &str| send(&url, &named(admin), ["GET", path, ""]);
        assert_eq!(get("orders").status, 404);
        let job = ask(&url, &named(admin), ["POST", "", make]);
        assert_eq!(job.status, 201, "{}", job.text());
        let place = job.header("location").unwrap().strip_prefix("/_/tenant").unwrap().to_owned();
        assert_eq!(job.json()["tenant"], "diku");
        let ended = ask(&url, &named(admin), ["GET", &format!("{place}?wait=60000"), ""]);
        let ended = ended.json();
        assert_eq!((&ended["complete"], ended.get("error")), (&true.into(), None), "{ended}");
        assert_eq!(ended["tenantAttributes"]["module_to"], "orders-1.0.0");
        assert!(ended["messages"][0].as_str().unwrap().contains("diku"), "{ended}");
        // The job is one of this tenant.
        let foreign = [("Authorization", admin), ("X-Okapi-Tenant", "other")];
        assert_eq!(ask(&url, &foreign, ["GET", &place, ""]).status, 404);
        assert_eq!(ask(&url, &named(admin), ["DELETE", &place, ""]).status, 204);
        assert_eq!(ask(&url, &named(admin), ["GET", &place, ""]).status, 404);
        let order = format!(r#"{{"id":"{}","poNumber":"1"}}"#, key(1));
        assert_eq!(send(&url, &named(admin), ["POST", "orders", &order]).status, 201);
        // Made again, it keeps its rows; disabled too.
        let again = ask(&url, &named(admin), ["POST", "", make]);
        let place = again.header("location").unwrap().strip_prefix("/_/tenant").unwrap().to_owned();
        let ended = ask(&url, &named(admin), ["GET", &format!("{place}?wait=60000"), ""]).json();
        assert_eq!(ended["messages"], serde_json::json!([]));
        let disable = r#"{"module_from":"orders-1.0.0"}"#;
        assert_eq!(ask(&url, &named(admin), ["POST", "", disable]).status, 204);
        assert_eq!(get("orders").json()["totalRecords"], 1);
        let purge = r#"{"module_from":"orders-1.0.0","purge":true}"#;
        assert_eq!(ask(&url, &named(admin), ["POST", "", purge]).status, 204);
        assert_eq!(get("orders").status, 404);
        assert_eq!(site.tenant("list", &[]), "other\n");
        for wrong in ["{", "[]", "{}", r#"{"module_to":1}"#] {
            assert_eq!(ask(&url, &named(admin), ["POST", "", wrong]).status, 400, "{wrong}");
        }
    });
}

/// A server in several processes: whichever answers knows the job, serves the tenant once the job is complete,
/// and serves it no more once it is removed.
#[test]
fn every_instance_answers_for_the_tenant_api() {
    on_both("tenants_instances", "tenants = 'header'", |site| {
        site.tenant("create", &["other"]);
        let admin = site.client("admin", &["--role", "duet.admin"]);
        let state = site.state();
        let server = site.serve(&["--state", &state, "--instances", "2", "--workers", "1"]);
        let url = server.url();
        let admin = bearer(&url, &admin);
        let named = named(&admin);
        // A connection for each request, more than instances: each of them answers some.
        let statuses = |get: &dyn Fn() -> Response| -> std::collections::BTreeSet<u16> {
            (0..30).map(|_| get().status).collect()
        };
        let orders = || send(&url, &named, ["GET", "orders", ""]);
        assert_eq!(statuses(&orders), [404].into());
        let make = r#"{"module_to":"orders-1.0.0"}"#;
        let job = ask(&url, &named, ["POST", "", make]);
        assert_eq!(job.status, 201, "{}", job.text());
        let place = job.header("location").unwrap().strip_prefix("/_/tenant").unwrap().to_owned();
        for _ in 0..30 {
            let ended = ask(&url, &named, ["GET", &format!("{place}?wait=60000"), ""]);
            assert_eq!(ended.json()["complete"], true, "{}", ended.text());
        }
        assert_eq!(statuses(&orders), [200].into());
        assert_eq!(ask(&url, &named, ["DELETE", &place, ""]).status, 204);
        assert_eq!(statuses(&|| ask(&url, &named, ["GET", &place, ""])), [404].into());
        let purge = r#"{"module_from":"orders-1.0.0","purge":true}"#;
        assert_eq!(ask(&url, &named, ["POST", "", purge]).status, 204);
        assert_eq!(statuses(&orders), [404].into());
    });
}

/// A restart forgets jobs, and says what to do.
#[test]
fn a_job_of_before_a_restart_is_unknown() {
    on_both("tenants_restart", "tenants = 'header'", |site| {
        site.tenant("create", &["other"]);
        let admin = site.client("admin", &["--role", "duet.admin"]);
        let state = site.state();
        let make = r#"{"module_to":"orders-1.0.0"}"#;
        let complete = |url: &str, admin: &str| {
            let job = ask(url, &named(admin), ["POST", "", make]);
            let place = job.header("location").unwrap().strip_prefix("/_/tenant").unwrap();
            let ended = ask(url, &named(admin), ["GET", &format!("{place}?wait=60000"), ""]);
            assert_eq!(ended.json()["complete"], true, "{}", ended.text());
            (place.to_owned(), ended.json()["messages"].as_array().unwrap().len())
        };
        let server = site.serve(&["--state", &state]);
        let (place, made) = complete(&server.url(), &bearer(&server.url(), &admin));
        assert_eq!(made, 1);
        assert!(server.stop().success());
        let server = site.serve(&["--state", &state]);
        let token = bearer(&server.url(), &admin);
        let unknown = ask(&server.url(), &named(&token), ["GET", &place, ""]);
        assert_eq!(unknown.status, 404);
        assert!(unknown.text().contains("a restart forgets them"), "{}", unknown.text());
        // What it says to do does no harm where nothing is missing.
        assert_eq!(complete(&server.url(), &token).1, 0);
    });
}
