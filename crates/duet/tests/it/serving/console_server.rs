//! The console's page of the running server: latencies by route, batches, items in memory, processes, and changes of what is
//! served, on both stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::{self, Folder};
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

fn admin(site: &Site<'_>, method: &str, path: &str) -> Value {
    let url = format!("{}/admin/{path}", site.url);
    let answer = http::request(method, &url, &[("Authorization", &site.token)], b"");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Requests of several routes, some of them answered from memory.
fn call(site: &Site<'_>) {
    let resource = format!("{}/driver", site.mount).replace('/', "%2F");
    admin(site, "POST", &format!("rowstore?resource={resource}&bytes=1000000"));
    for _ in 0..5 {
        site.api("GET", "/driver/1", &Value::Null);
    }
    for id in ["2", "3", "999"] {
        site.api("GET", &format!("/driver/{id}"), &Value::Null);
    }
    site.api("GET", "/driver/?limit=1", &Value::Null);
    site.api("PUT", "/team/2", &json!({"id": 2, "name": "Ferrari"}));
}

fn latencies_have_templates(site: &Site<'_>) {
    let all = admin(site, "GET", "latencies");
    let routes = all["routes"].as_array().unwrap();
    let of = |route: &str| {
        let route = route.replacen(" /", &format!(" {}/", site.mount), 1);
        routes.iter().find(|it| it["route"] == *route).map(|it| it["requests"].clone())
    };
    for (route, expected) in [
        ("GET /driver/{key}", Some(json!(8))),
        ("GET /driver/", Some(json!(1))),
        ("PUT /team/{key}", Some(json!(1))),
        ("GET /driver/1", None),
    ] {
        assert_eq!(of(route), expected, "{route}: {all}");
    }
    assert!(routes.iter().all(|it| it["p99Millis"].as_f64() > Some(0.0)), "{all}");
}

fn the_server_is_shown(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    call(site);
    latencies_have_templates(site);
    person.click_text("Operate");
    let item = format!("GET {}/driver/{{key}}", site.mount);
    assert!(person.text("#routes tbody th").contains(&item), "{}", person.text("#routes"));
    let strip = "document.querySelector('#routes svg[role=img]').getAttribute('aria-label')";
    let said = person.browser.value(strip).as_str().unwrap().to_owned();
    assert!(said.starts_with("p99, ms: from "), "{said}");
    person.browser.value("document.querySelector('#routes-table').open = true");
    assert!(person.text("#routes-table tbody").contains(&item));
    person.browser.wait_for("document.querySelector('#items table tbody td')");
    let items = "[...document.querySelectorAll('#items tbody td')].map((it) => it.textContent)";
    let items = person.browser.value(items);
    assert_eq!(items[0], format!("{}/driver", site.mount), "{items}");
    assert_ne!(items[1], "0", "{items}");
    person.browser.wait_for("document.querySelectorAll('#batches tbody tr').length === 1");
    assert!(person.text("#instances tbody td:nth-child(2)").starts_with("ready"));
    assert!(person.text("#state").contains("None since the start."), "{store}");
    person.click_text("Requests");
    assert!(person.text("#routes thead").contains("Requests, by minute until now"));
    let height = "document.querySelector('#routes rect').getBoundingClientRect().height";
    assert!(person.browser.value(height).as_f64() > Some(0.0), "a bar is seen");
}

/// A table is added, another changed, a third removed: the page says so.
fn changes_are_listed(
    person: &mut Person<'_>,
    site: &Site<'_>,
    (store, run): (&str, &dyn Fn(&str)),
) {
    run(
        "BEGIN; CREATE TABLE circuit (id integer PRIMARY KEY); ALTER TABLE team ADD COLUMN city varchar(40); DROP TABLE many; COMMIT;",
    );
    admin(site, "POST", "reload");
    let changes = admin(site, "GET", "schema-changes");
    let first = &changes["changes"][0];
    let names = |what: &str| first[what]["names"].clone();
    let path = |name: &str| format!("{}/{name}", site.mount);
    assert_eq!(names("added"), json!([path("circuit")]), "{changes}");
    assert_eq!(names("removed"), json!([path("many")]), "{changes}");
    assert!(names("changed").as_array().unwrap().contains(&json!(path("team"))), "{changes}");
    admin(site, "POST", "reload");
    assert_eq!(admin(site, "GET", "schema-changes"), changes, "nothing has changed since");
    person.browser.open(&format!("{}/console/operate/?heat=p50", site.url), 1280, 900);
    let shown = person.text("#schema tbody tr:first-child");
    assert!(shown.contains(&format!("added: {}", path("circuit"))), "{shown}");
    // What changes slowly is read again while the page is open.
    person.browser.value("document.querySelector('#schema').remove()");
    person.browser.wait_for("document.querySelector('#schema')");
    person.browser.wait_for("document.querySelector('#items table tbody td')");
    person.browser.value("document.getElementById('pause').click()");
    person.picture(&format!("{store}-server"));
}

fn shown(server: &Running, store: &str, run: &dyn Fn(&str)) {
    let Some(mut browser) = browser(&format!("the server is shown, {store}")) else { return };
    let site = Site::of(server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    the_server_is_shown(&mut person, &site, store);
    changes_are_listed(&mut person, &site, (store, run));
}

#[test]
fn routes_items_and_changes_are_shown_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    shown(&server, "sqlite", &|sql| sqlite::open(&file).execute_batch(sql).unwrap());
}

#[test]
fn routes_items_and_changes_are_shown_on_postgres() {
    let database = Server::shared().database("console_server");
    database.exec(TABLES);
    let server = Running::start(&["serve", &database.url()]);
    shown(&server, "postgres", &|sql| database.exec(sql));
}

/// What several processes have counted is one figure, and each of them is listed.
#[test]
fn several_processes_are_one_server() {
    let database = Server::shared().database("console_processes");
    database.exec(TABLES);
    let server = Running::start(&["serve", &database.url(), "--instances", "2"]);
    let site = Site::of(&server);
    for _ in 0..20 {
        site.api("GET", "/driver/1", &Value::Null);
    }
    let all = admin(&site, "GET", "latencies");
    let item = format!("GET {}/driver/{{key}}", site.mount);
    let row = all["routes"].as_array().unwrap().iter().find(|it| it["route"] == *item).unwrap();
    assert_eq!(row["requests"], 20, "{all}");
    database.exec("CREATE TABLE circuit (id integer PRIMARY KEY)");
    admin(&site, "POST", "reload");
    let changes = admin(&site, "GET", "schema-changes");
    let mut seen: Vec<u64> = changes["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["instance"].as_u64().unwrap())
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2], "{changes}");
    let cookie = crate::serving::console::cookie(&site.url, site.id, site.secret);
    let page = http::get(&format!("{}/console/operate/", site.url), &[("Cookie", &cookie)]);
    let rows =
        page.text().split("id=\"instances\"").nth(1).unwrap().split("</table>").next().unwrap();
    assert_eq!(rows.matches("<tr><th scope=\"row\">").count(), 2, "{rows}");
}
