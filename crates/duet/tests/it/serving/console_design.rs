//! The design of a duality view in the console, as a person types it: mistakes at their place, the tree with its switches,
//! the SQL of each level, documents as they are now, writes that are undone, and the file.

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::duet_says;
use crate::serving::console::{Person, Site, TABLES, cookie};

const VIEW: &str = "CREATE JSON DUALITY VIEW team_dv AS team @update { _id: id, name, drivers: driver @update [ { id, name } ] }";

fn people_design(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    person.click_text("Design a duality view");
    assert_eq!(person.text("h1"), "Design a duality view");
    person.fill("#text", &VIEW.replace("name, drivers", "nme, drivers"));
    person.browser.wait_for("document.querySelector('.mistake')");
    let mistake = person.text(".mistake");
    assert!(mistake.contains("nme") && mistake.contains("^^^"), "{mistake}");
    person.browser.value("document.querySelector('.mistake button').click()");
    let chosen = person.browser.value("document.getElementById('text').value.slice(document.getElementById('text').selectionStart, document.getElementById('text').selectionEnd)");
    assert_eq!(chosen, "nme", "the mistake leads to its place");
    person.picture(&format!("{store}-design-mistake"));
    person.fill("#text", VIEW);
    person.browser.wait_for("document.querySelector('.nodes')");
    assert_eq!(person.text(".nodes strong"), "team_dv|drivers");
    assert!(person.text(".nodes").contains("many, team.id = driver.team_id"));
    let rights = person.text(".nodes [aria-checked=true]");
    assert_eq!(rights, "update|update");
    assert_eq!(person.text("summary").matches("SQL: ").count(), 2, "{}", person.text("summary"));
    // By keyboard: the switch keeps the focus, and the text follows the tree.
    person.browser.value("document.querySelector('.nodes li:nth-child(2) [role=switch]').focus()");
    person.browser.press("Enter");
    person
        .browser
        .wait_for("document.getElementById('text').value.includes('driver @insert @update')");
    assert_eq!(person.text(".nodes [aria-checked=true]"), "update|insert|update");
    let focused = person.browser.value("document.activeElement.value");
    assert_eq!(focused, "team_dv 1 insert");
    person.picture(&format!("{store}-design"));
    // What was typed survives a reload.
    let here = person.browser.value("location.href");
    person.browser.open(here.as_str().unwrap_or_default(), 1280, 900);
    person.browser.wait_for("document.querySelectorAll('.nodes [aria-checked=true]').length === 3");
    let saved = person.browser.value("(async () => { const form = new FormData(document.getElementById('design')); form.set('action', 'download'); const it = await fetch(document.getElementById('design').getAttribute('action'), { method: 'POST', body: new URLSearchParams(form) }); return [it.headers.get('content-disposition'), await it.text()]; })()");
    assert_eq!(saved[0], "attachment; filename=\"team_dv.sql\"");
    assert!(saved[1].as_str().is_some_and(|text| text.contains("@insert")), "{saved}");
    assert_eq!(site.api("GET", "/team_dv/", &json!(null)).status, 404, "nothing is served by it");
    writes_are_tried(person, site, store);
    person.fill("#text", "CREATE JSON DUALITY VIEW \"<img src=x>\" AS \"<b>\" { a }");
    person.browser.wait_for("document.querySelector('.mistake')?.textContent.includes('<b>')");
    person.expect_clean("a text of markup");
}

/// Waits for what a write that is tried would have done.
fn tried(person: &mut Person<'_>, key: &str) -> String {
    person.browser.value("document.getElementById('trial').replaceChildren()");
    let button = "document.querySelector('[name=action][value=try]')";
    if key.is_empty() {
        person.browser.value(&format!("{button}.click()"));
    } else {
        person.browser.value(&format!("{button}.focus()"));
        person.browser.press(key);
    }
    person.browser.wait_for("document.getElementById('trial').textContent.trim()");
    person.text("#trial")
}

fn method(person: &mut Person<'_>, name: &str) {
    person.browser.value(&format!("document.querySelector('[name=method]').value = '{name}'"));
}

/// Documents are shown as they are now, and a write of one lists its row operations, or what is wrong, and leaves nothing.
fn writes_are_tried(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    assert_eq!(person.text(".sample summary"), "team_dv 1|team_dv 2");
    assert!(person.text(".sample pre").contains("\"name\": \"Sergio\""), "{}", person.text("main"));
    let prefilled = "document.getElementById('document').value";
    let document = person.browser.value(prefilled);
    let mut document: Value =
        serde_json::from_str(document.as_str().unwrap_or_default()).unwrap_or_default();
    assert_eq!(
        (&document["name"], &document["drivers"][1]["name"]),
        (&json!("Red Bull"), &json!("Sergio"))
    );
    // By mouse: one column of each table.
    document["name"] = "Reds".into();
    document["drivers"][1]["name"] = "Checo".into();
    person.fill("#document", &document.to_string());
    assert!(
        tried(person, "").contains("2 row operations, rolled back"),
        "{}",
        person.text("#trial")
    );
    assert_eq!(person.text("#trial tbody th"), "update|update");
    assert_eq!(person.text("#trial tbody td:nth-child(2)"), "team|driver");
    assert_eq!(person.text("#trial tbody td:nth-child(4)"), "name = \"Reds\"|name = \"Checo\"");
    assert!(
        person.text("#trial tbody td:nth-child(5)").contains("/drivers"),
        "{}",
        person.text("#trial")
    );
    person.browser.value("document.getElementById('trial').scrollIntoView()");
    person.picture(&format!("{store}-design-try"));
    // What the view forbids, and what only the database knows.
    document["drivers"] = json!([{ "id": 1, "name": "Carlos" }, { "id": 3, "name": "Sergio" }]);
    person.fill("#document", &document.to_string());
    let refused = tried(person, "Enter");
    assert!(refused.contains("unique") || refused.contains("Carlos"), "{refused}");
    assert!(refused.contains("/drivers/0"), "the error stands at its pointer: {refused}");
    assert_eq!(person.browser.value("document.activeElement.value"), "try", "the focus stays");
    document["wheels"] = 4.into();
    person.fill("#document", &document.to_string());
    assert!(tried(person, "").contains("wheels"), "{}", person.text("#trial"));
    method(person, "DELETE");
    assert!(
        tried(person, "").contains("no DELETE") || person.text("#trial").contains("takes"),
        "{}",
        person.text("#trial")
    );
    method(person, "PUT");
    for (row, name) in [("/team/1", "Red Bull"), ("/driver/3", "Sergio")] {
        assert_eq!(site.api("GET", row, &json!(null)).json()["name"], name, "nothing stays");
    }
}

/// A definition gives no right: what its designer may not read by any resource is not shown, and writes need the rights to
/// their tables.
#[test]
fn a_definition_gives_no_right() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let state = folder.path().join("state").display().to_string();
    let made = |name: &str, roles: &[&str]| {
        let mut add = vec!["client", "add", name, "--id", name, "--state", &state, "--json"];
        roles.iter().for_each(|role| add.extend(["--role", role]));
        let client: Value = serde_json::from_str(&duet_says(&add)).unwrap_or_default();
        client["client_secret"].as_str().unwrap_or_default().to_owned()
    };
    let blind = made("blind", &["duet.admin"]);
    let reader = made("reader", &["duet.admin", "duet.read"]);
    let server = Running::start(&["serve", &file, "--state", &state]);
    let tried = |id: &str, secret: &str| {
        let own = ("Sec-Fetch-Site", "same-origin");
        let form = ("Content-Type", "application/x-www-form-urlencoded");
        let url = server.url();
        let cookie = &*cookie(&url, id, secret);
        let page = format!("{url}/console/design/api/main/");
        let html = http::get(&page, &[("Cookie", cookie)]);
        let html = html.text();
        let csrf = html.split("name=\"csrf\" value=\"").nth(1).and_then(|it| it.split('"').next());
        let body = format!(
            "csrf={}&action=try&method=DELETE&key=1&text=CREATE+JSON+DUALITY+VIEW+v+AS+team+@delete+%7Bid,name,drivers:driver%7Bid,points%7D%7D",
            csrf.unwrap_or_default()
        );
        let headers = [form, own, ("Cookie", cookie), ("Accept", "text/fragment")];
        http::request("POST", &page, &headers, body.as_bytes()).text().to_owned()
    };
    let seen = tried("blind", &blind);
    let reads = "lets the client read `id`, `points`, `team_id` of `driver`, or read `id`, `name` of `team`";
    assert!(seen.contains(reads) && !seen.contains("Red Bull"), "{seen}");
    assert!(seen.contains("or delete rows of `team`"), "all of it is named: {seen}");
    let seen = tried("reader", &reader);
    assert!(seen.contains("Red Bull"), "{seen}");
    assert!(seen.contains("lets the client delete rows of `team`."), "{seen}");
}

fn designed(database: &str, store: &str, name: &str) {
    let Some(mut browser) = browser(name) else { return };
    let server = Running::start(&["serve", database]);
    let site = Site::of(&server);
    let page = format!("{}/console/design{}/", site.url, site.mount);
    assert_eq!(http::get(&page, &[]).status, 303, "a stranger is led to the sign-in");
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    people_design(&mut person, &site, store);
}

#[test]
fn people_design_views_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    designed(&file, "sqlite", "people_design_views_on_sqlite");
}

#[test]
fn people_design_views_on_postgres() {
    let database = Server::shared().database("console_design");
    database.exec(TABLES);
    designed(&database.url(), "postgres", "people_design_views_on_postgres");
}
