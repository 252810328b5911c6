//! Changes that a person collects in the console and saves together, and rows that come from a file or go into one, in a
//! browser on both stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use duet_testkit::browser::Browser;
use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

impl Person<'_> {
    /// Changes a cell in place, by keyboard.
    pub(super) fn change_cell(&mut self, row: u32, column: u32, text: &str) {
        self.focus_cell(row, column);
        self.browser.press("F2");
        self.browser.wait_for("document.activeElement.matches('.editing')");
        self.browser.value("document.activeElement.select()");
        self.browser.type_in(text);
        self.browser.press("Enter");
        self.browser.wait_for("!document.querySelector('.editing')");
        self.expect_clean(text);
    }

    fn focus_cell(&mut self, row: u32, column: u32) {
        let cell = format!(
            "document.querySelector('tbody tr:nth-child({row}) td:nth-child({column})').focus()"
        );
        self.browser.value(&cell);
    }

    /// How many changes are collected, as the bar says.
    fn collected(&mut self) -> String {
        self.text("[data-collected]")
    }

    /// Adds what the form shows to the changes.
    fn collect(&mut self) {
        self.browser.value("document.querySelector('.said')?.remove(), document.querySelector('[data-collect]').click()");
        self.browser
            .wait_for("document.querySelector('.said')?.textContent === 'Added to the changes.'");
    }
}

fn driver(site: &Site<'_>, id: u32) -> Value {
    let mut row = site.api("GET", &format!("/driver/{id}"), &Value::Null).json();
    row.as_object_mut().unwrap().remove("links");
    row
}

fn people_collect_changes(browser: &mut Browser, server: &Running, store: &str) {
    let site = Site::of(server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser, url: site.url.clone() };
    person.sign_in(&site, true);
    cells_are_changed_in_place(&mut person, &site, store);
    two_have_changed_the_same(&mut person, &site, store);
    all_are_saved_or_none(&mut person, &site);
    rows_come_from_a_spreadsheet(&mut person, &site, store);
    rows_go_into_a_file(&mut person, &site);
}

fn cells_are_changed_in_place(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    person.browser.open(&site.page("/driver/"), 1280, 900);
    assert_eq!(person.collected(), "Changes");
    person.change_cell(1, 5, "31");
    person.change_cell(2, 4, "Los");
    person.focus_cell(3, 4);
    person.browser.press("F2");
    person.browser.wait_for("document.activeElement.matches('.editing')");
    person.browser.press_control("Backspace");
    person.browser.wait_for("!document.querySelector('.editing')");
    assert_eq!(person.text("td.changed span"), "31|Los|NULL");
    assert_eq!(person.collected(), "Changes (3)");
    // What is no number stays in its cell, with the reason; Escape takes it back.
    person.focus_cell(1, 1);
    assert_eq!(driver(site, 1)["points"], 30, "nothing is saved yet");
    person.picture(&format!("{store}-cells"));
    // Of a reload nothing is lost, and a form goes on from what is collected.
    person.browser.open(&site.page("/driver/"), 1280, 900);
    assert_eq!(person.text("td.changed span"), "31|Los|NULL");
    person.browser.open(&site.page("/driver/3"), 1280, 900);
    assert_eq!(
        person.browser.value("document.querySelector('[name=\"null\"][value=nick]').checked"),
        true
    );
    person.fill("[name='=name']", "Checo");
    person.collect();
    assert_eq!(person.collected(), "Changes (3)");
}

fn two_have_changed_the_same(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    let theirs = json!({"id": 1, "name": "Max V.", "nick": "NULL", "points": 99, "team_id": 1});
    assert_eq!(site.api("PUT", "/driver/1", &theirs).status, 200);
    person.click("[data-collected]");
    person.browser.wait_for("document.querySelectorAll('.change').length === 3");
    assert_eq!(person.text(".difference th[scope=row]"), "points|nick|name|nick");
    assert_eq!(person.text("del"), "30|null|\"Sergio\"|\"\"");
    assert_eq!(person.text("ins"), "31|\"Los\"|\"Checo\"|null");
    person.picture(&format!("{store}-changes"));
    person.click_text("Save all");
    assert!(
        person.text("[role=alert]").contains("Another has changed this meanwhile"),
        "{}",
        person.text("main")
    );
    assert_eq!(person.text(".theirs code"), "99");
    assert_eq!(driver(site, 2)["nick"], Value::Null, "nothing is saved where one is refused");
    person.picture(&format!("{store}-changes-behind"));
    person.click_text("Save all");
    assert_eq!(
        (person.text(".done"), person.collected()),
        ("Saved 3 changes.".into(), "Changes".into())
    );
    // What only the other has changed has stayed.
    assert_eq!(
        driver(site, 1),
        json!({"id": 1, "name": "Max V.", "nick": "NULL", "points": 31, "team_id": 1})
    );
    assert_eq!(driver(site, 2)["nick"], "Los");
    assert_eq!(
        (&driver(site, 3)["name"], &driver(site, 3)["nick"]),
        (&json!("Checo"), &Value::Null)
    );
}

fn all_are_saved_or_none(person: &mut Person<'_>, site: &Site<'_>) {
    person.browser.open(&format!("{}/console/new{}/team/", site.url, site.mount), 1280, 900);
    person.fill("[name='=id']", "3");
    person.fill("[name='=name']", "Haas");
    person.collect();
    person.browser.open(&site.page("/driver/"), 1280, 900);
    person.change_cell(2, 3, "Checo");
    person.browser.press_control("s");
    person.browser.wait_for("document.querySelectorAll('.change').length === 2");
    person.click_text("Save all");
    assert!(person.text(".difference .problem").contains("unique"), "{}", person.text("main"));
    assert_eq!(site.api("GET", "/team/3", &Value::Null).status, 404);
    person.click("[name=undo][value='1']");
    assert_eq!(
        (person.text(".difference th[scope=row]"), person.collected()),
        ("id|name".into(), "Changes (1)".into())
    );
    person.click_text("Save all");
    assert_eq!(person.text(".done"), "Saved 1 change.");
    person.browser.open(&format!("{}?delete=1", site.page("/team/3")), 1280, 900);
    person.collect();
    person.click("[data-collected]");
    person
        .browser
        .wait_for("document.querySelector('.change h2')?.textContent === 'Deleted: team 3'");
    person.click_text("Save all");
    assert_eq!(site.api("GET", "/team/3", &Value::Null).status, 404);
}

fn rows_come_from_a_spreadsheet(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    person.browser.open(&site.page("/team/"), 1280, 900);
    person.click_text("Import");
    let rows = "ID\tTeam\tNote\n4\tMercedes\tx\n1\tRed\ty\n5\t\tz\n";
    person.browser.value(&format!("document.getElementById('text').value = {}", json!(rows)));
    let step = |person: &mut Person<'_>, text: &str, until: &str| {
        let find = format!(
            "[...document.querySelectorAll('button')].find((it) => it.textContent.startsWith({}))",
            json!(text)
        );
        person.browser.value(&format!(
            "document.querySelector('#found').replaceChildren.call, {find}.click()"
        ));
        person.browser.wait_for(&format!(
            "document.querySelector('#found').textContent.includes({})",
            json!(until)
        ));
        person.expect_clean(text);
    };
    step(person, "Look", "3 rows of text with tabs");
    assert_eq!(
        person.browser.value(
            "[...document.querySelectorAll('#columns select')].map((it) => it.value).join()"
        ),
        "id,,"
    );
    person.browser.value("document.querySelectorAll('#columns select')[1].value = 'name'");
    step(person, "Try it", "Of 3 rows 1 can be imported, 2 are refused.");
    assert_eq!(person.text("#found [role=status] ~ .scroll td:first-child"), "line 3|line 4");
    person.picture(&format!("{store}-import"));
    assert_eq!(site.api("GET", "/team/4", &Value::Null).status, 404);
    step(person, "Import 3", "0 of 3 rows were imported");
    assert_eq!(site.api("GET", "/team/4", &Value::Null).status, 404, "all or none");
    person.browser.value("document.querySelector('[name=some]').checked = true");
    step(person, "Import 3", "1 of 3 rows were imported, 2 were refused.");
    assert_eq!(site.api("GET", "/team/4", &Value::Null).json()["name"], "Mercedes");
}

fn rows_go_into_a_file(person: &mut Person<'_>, site: &Site<'_>) {
    person.browser.open(&format!("{}?q=%7B%22id%22%3A2%7D", site.page("/driver/")), 1280, 900);
    let file = |person: &mut Person<'_>, name: &str| {
        let find = format!(
            "[...document.querySelectorAll('a[download]')].find((it) => it.textContent === {})",
            json!(name)
        );
        let fetch = format!(
            "fetch({find}.href).then(async (it) => [it.headers.get('content-disposition'), await it.text()])"
        );
        person.browser.value(&fetch)
    };
    assert_eq!(
        file(person, "CSV"),
        json!([
            "attachment; filename=\"driver.csv\"",
            "id,name,nick,points,team_id\r\n2,Carlos,Los,20,2\r\n"
        ])
    );
    let lines = file(person, "NDJSON");
    assert_eq!(lines[0], "attachment; filename=\"driver.ndjson\"");
    let row: Value = serde_json::from_str(lines[1].as_str().unwrap().trim()).unwrap();
    assert_eq!(row["nick"], "Los");
}

#[test]
fn people_collect_changes_on_sqlite() {
    let Some(mut browser) = browser("people_collect_changes_on_sqlite") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    people_collect_changes(&mut browser, &server, "sqlite");
}

#[test]
fn people_collect_changes_on_postgres() {
    let Some(mut browser) = browser("people_collect_changes_on_postgres") else { return };
    let database = Server::shared().database("console_changes");
    database.exec(TABLES);
    let server = Running::start(&["serve", &database.url()]);
    people_collect_changes(&mut browser, &server, "postgres");
}
