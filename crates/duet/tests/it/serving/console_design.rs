//! The design of a duality view in the console, as a person types it: mistakes at their place, the tree with its switches,
//! the SQL of each level, and the file.

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::json;

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

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
    person.fill("#text", "CREATE JSON DUALITY VIEW \"<img src=x>\" AS \"<b>\" { a }");
    person.browser.wait_for("document.querySelector('.mistake')?.textContent.includes('<b>')");
    person.expect_clean("a text of markup");
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
