//! The console's page of a resource's API in a browser: operations are sent with the rights of the session, and the same
//! request runs as code.

use std::process::Command;

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

/// Runs the code of a shell with a token, and gives what it prints.
fn shell(code: &str, token: &str) -> String {
    let token = token.trim_start_matches("Bearer ");
    let run = Command::new("sh").args(["-c", code]).env("TOKEN", token).output();
    String::from_utf8(run.expect("sh runs").stdout).expect("UTF-8")
}

fn operations_are_sent(person: &mut Person<'_>, site: &Site<'_>) {
    person.browser.open(&site.page("/driver/"), 1280, 900);
    person.click_text("API");
    assert!(person.text(".operations").contains("A page of driver"), "{}", person.text("main"));
    person.click("a[href$='?op=getDriver']");
    person.fill("[name='path.id']", "2");
    person.fill("[name='query.fields']", "name,points");
    person.click_text("Send");
    assert_eq!(person.text("[aria-label=Answer] h2"), "200 OK");
    let answer: Value = serde_json::from_str(&person.text(".answer")).expect("JSON");
    assert_eq!((&answer["name"], &answer["points"]), (&json!("Carlos"), &json!(20)));
    person.picture("sqlite-api");
    // All of it is in the address, and the code does the same.
    let here = person.browser.value("location.href");
    let here = here.as_str().expect("an address").to_owned();
    assert!(here.contains("path.id=2"), "{here}");
    let code = person.text("pre[data-copy]").split('|').next().unwrap_or_default().to_owned();
    let printed: Value = serde_json::from_str(&shell(&code, &site.token)).expect("JSON");
    assert_eq!(printed["name"], "Carlos");
    // What changes data is never in an address.
    person.click("a[href$='?op=patchDriver']");
    person.fill("[name='path.id']", "2");
    person.fill("[name=body]", "{\"nick\": \"it's\"}");
    person.click_text("Send");
    assert_eq!(person.text("[aria-label=Answer] h2"), "200 OK");
    assert_eq!(site.api("GET", "/driver/2", &Value::Null).json()["nick"], "it's");
    let code = person.text("pre[data-copy]").split("|const").next().unwrap_or_default().to_owned();
    assert!(shell(&code, &site.token).contains("it's"), "{code}");
    person.fill("[name=body]", "{\"points\": \"<img src=x>\"}");
    person.click_text("Send");
    assert_eq!(person.text("[aria-label=Answer] h2"), "400 Bad Request");
}

fn rows_are_explained(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    person.browser.open(
        &format!("{}?q=%7B%22points%22%3A%7B%22%24gt%22%3A3%7D%7D", site.page("/driver/")),
        1280,
        900,
    );
    person.click_text("Explain");
    assert!(
        person.text("[role=status]").contains("1 of 1 conditions and orders have no index"),
        "{}",
        person.text("main")
    );
    assert!(person.text("td pre").starts_with("CREATE INDEX"));
    assert!(person.text("main").contains("where t0.points > 3"));
    person.picture(&format!("{store}-explain"));
    // By keyboard: what the database says, and what it measures.
    person.browser.value("document.querySelector('[name=database]').value = 'analyze', document.querySelector('form.item button').focus()");
    person.browser.go("document.querySelector('form.item button').click()");
    assert!(
        person.text(".database td:first-child").to_lowercase().contains("scan"),
        "{}",
        person.text("main")
    );
    if store == "postgres" {
        assert!(
            person.text(".measured").starts_with("3 rows read, 3 returned: 1 for each."),
            "{}",
            person.text(".measured")
        );
        assert_eq!(person.text(".slowest strong"), "slowest");
    }
    // Two requests beside each other.
    person.click_text("Compare with another");
    person.fill("#with", "{\"id\": 1}");
    person.click("form.item button");
    assert_eq!(
        person.text("section h2").matches("The database's plan").count(),
        2,
        "{}",
        person.text("main")
    );
    assert!(
        person.text("section:nth-child(2) [role=status]").contains("An index serves"),
        "{}",
        person.text("main")
    );
    person.picture(&format!("{store}-explain-two"));
    person.browser.open(&site.page("/driver/").replace("/data", "/explain"), 1280, 900);
    person.fill("#q", "{\"id\": 1}");
    person.click("form.item button");
    assert_eq!(person.text("[role=status]"), "An index serves each of them.");
    person.fill("#q", "{\"nme\": 1}");
    person.click("form.item button");
    assert!(person.text("[role=alert]").contains("nme"), "{}", person.text("main"));
}

fn the_server_is_watched(person: &mut Person<'_>, site: &Site<'_>) {
    person.click_text("Operate");
    assert!(person.text("main").contains("racing"), "{}", person.text("main"));
    let row = "[...document.querySelectorAll('#resources tr')].find((it) => it.textContent.includes('/driver'))";
    // Requests in each second that is looked at.
    person
        .browser
        .wait_for("document.getElementById('since').textContent.startsWith('In the last')");
    site.api("GET", "/driver/1", &Value::Null);
    person
        .browser
        .wait_for(&format!("{row}?.cells.length === 6 && {row}.cells[5].textContent !== '–'"));
    person.browser.wait_for(
        "document.querySelector('#latency polyline.p99')?.getAttribute('points').length > 0",
    );
    assert_ne!(person.text("[data-figure=turn]"), "–");
    person.click_pause();
    person.picture("sqlite-operate");
}

impl Person<'_> {
    fn click_pause(&mut self) {
        self.browser.value("document.getElementById('pause').click()");
        assert_eq!(self.text("#pause"), "Go on");
    }
}

#[test]
fn operations_are_sent_and_shown_as_code() {
    let Some(mut browser) = browser("operations_are_sent_and_shown_as_code") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    let site = Site::of(&server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    operations_are_sent(&mut person, &site);
    rows_are_explained(&mut person, &site, "sqlite");
    the_server_is_watched(&mut person, &site);
    let api = format!("{}/console/api{}/driver/", site.url, site.mount);
    let changing = format!("{api}?op=deleteDriver&path.id=3&send=1");
    person.browser.open(&changing, 1280, 900);
    assert_eq!(
        site.api("GET", "/driver/3", &Value::Null).status,
        200,
        "an address changes nothing"
    );
}

#[test]
fn requests_are_explained_on_postgres() {
    let Some(mut browser) = browser("requests_are_explained_on_postgres") else { return };
    let database = Server::shared().database("console_explain");
    database.exec(TABLES);
    let server = Running::start(&["serve", &database.url()]);
    let site = Site::of(&server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    rows_are_explained(&mut person, &site, "postgres");
}
