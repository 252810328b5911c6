//! Load tests in the console, as a person starts, follows, stops, annotates and compares them, on both stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::json;

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

/// The text of the report inside the page.
const REPORT: &str = "document.querySelector('iframe.report')?.contentDocument?.body?.innerText";

impl Person<'_> {
    /// Fills the form of a resource's page, and sends it.
    fn start_run(&mut self, site: &Site<'_>, (name, seconds, thresholds): (&str, &str, &str)) {
        self.browser.open(&site.page("/driver/"), 1280, 900);
        self.click_text("Load test");
        assert_eq!(self.text("h1"), "Load test of driver");
        for (field, text) in
            [("#users", "2"), ("#seconds", seconds), ("#thresholds", thresholds), ("#name", name)]
        {
            self.fill(field, text);
        }
    }

    /// Waits until the run has ended, and says how.
    fn ended(&mut self) -> String {
        self.browser.wait_for(
            "document.querySelector('h1 small') && !['begins', 'runs'].includes(document.querySelector('h1 small').textContent)",
        );
        self.text("h1 small")
    }

    fn wait_for_report(&mut self, text: &str) {
        self.browser.wait_for(&format!("{REPORT}?.includes({})", json!(text)));
    }
}

fn people_measure(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    let name = "first <img src=x onerror=document.title='run'>";
    person.start_run(site, (name, "3", "errors<1%\ntps>=1\np50<10s"));
    person.picture(&format!("{store}-measure"));
    // By keyboard: Enter in the name starts it.
    person.browser.value("document.getElementById('name').focus()");
    person.browser.press("Enter");
    person.browser.wait_for("document.querySelector('[data-begins], iframe[data-live]')");
    person.wait_for_report("this page follows it");
    person.wait_for_report("errors<1%");
    assert_eq!(person.ended(), "held", "{}", person.text("main"));
    person.wait_for_report("The run held");
    person.wait_for_report("Throughput");
    // The database's own figures stand below, in charts that share the cursor.
    let chart = if store == "sqlite" { "Database: files" } else { "Database: transactions" };
    person.browser.wait_for(&format!("document.querySelector('iframe.report').contentDocument.body.textContent.includes('{chart}')"));
    let cursor = "(() => {
        const report = document.querySelector('iframe.report').contentDocument;
        report.querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
        const own = [...report.querySelectorAll('figure, section, article, div')].filter((it) => it.querySelectorAll('.cross').length === 1 && it.textContent.includes('Database:'));
        return [own.length > 0, own.every((it) => it.querySelector('.cross line'))];
    })()";
    assert_eq!(person.browser.value(cursor), json!([true, true]), "one cursor for all charts");
    let errors = person.browser.errors();
    assert!(errors.iter().all(|error| !error.contains("Content Security")), "{errors:?}");
    let fits = "document.querySelector('iframe').clientHeight >= document.querySelector('iframe').contentDocument.body.scrollHeight";
    person.browser.wait_for(fits);
    person.picture(&format!("{store}-run"));
    // The report is one file.
    let saved = person.browser.value(
        "fetch(document.querySelector('a[download]').href).then(async (it) => [it.status, it.headers.get('content-disposition'), (await it.text()).length])",
    );
    assert_eq!(saved[0], 200);
    assert!(saved[1].as_str().unwrap().starts_with("attachment"), "{saved}");
}

fn a_run_is_annotated_and_stopped(person: &mut Person<'_>, site: &Site<'_>) {
    person.start_run(site, ("second", "60", "p50<1us"));
    person.click_text("Start");
    person.wait_for_report("this page follows it");
    // Another one would measure the same machine.
    let again = "fetch(document.referrer || location.href).then(() => 1)";
    person.browser.value(again);
    person.fill("#note", "an index was made");
    person.click_text("Add");
    person.wait_for_report("an index was made");
    person.wait_for_report("p50<1us");
    person.click_text("Stop the run");
    assert_eq!(person.ended(), "stopped early");
    person.wait_for_report("The run was interrupted");
    person.wait_for_report("an index was made");
}

fn runs_are_compared(person: &mut Person<'_>, store: &str) {
    let choose = "[...document.getElementById('against').options].find((it) => it.text.startsWith('first')).selected = true";
    person.browser.value(choose);
    person.click_text("Compare");
    person.wait_for_report("second against first");
    person.wait_for_report("95 % interval");
    person.picture(&format!("{store}-compare"));
    person.click("nav[aria-label=Console] a[href$='/runs/']");
    assert_eq!(person.text("#runs tbody tr td:last-child"), "stopped early|held");
    person.picture(&format!("{store}-runs"));
}

fn what_is_asked_for_is_limited(person: &mut Person<'_>, site: &Site<'_>) {
    person.start_run(site, ("", "3", "p99 is good"));
    person.click_text("Start");
    assert!(person.text("[role=alert]").contains("p99 is good"), "{}", person.text("main"));
    person.browser.value("document.querySelector('form.measure').noValidate = true");
    person.fill("#users", "500");
    person.click_text("Start");
    assert!(person.text("[role=alert]").contains("from 1 to 64"), "{}", person.text("main"));
    person.fill("#users", "1");
    person.fill("#thresholds", "");
    let other = "document.querySelector('#target option').value = 'http://10.0.0.1'";
    person.browser.value(other);
    person.click_text("Start");
    assert!(person.text("[role=alert]").contains("none that may be loaded"));
    assert_eq!(person.browser.value("document.getElementById('users').value"), "1");
}

fn measured(database: &str, store: &str, folder: &Folder, name: &str) {
    let Some(mut browser) = browser(name) else { return };
    let runs = folder.path().join("runs").display().to_string();
    let server = Running::start(&["serve", database, "--load-tests", &runs]);
    let site = Site::of(&server);
    let strange = http::get(&format!("{}/console/runs/", site.url), &[]);
    assert_eq!(strange.status, 303, "a stranger is led to the sign-in");
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    person.click("nav[aria-label=Console] a[href$='/runs/']");
    assert!(person.text("main").contains("There are no runs yet"));
    people_measure(&mut person, &site, store);
    a_run_is_annotated_and_stopped(&mut person, &site);
    runs_are_compared(&mut person, store);
    what_is_asked_for_is_limited(&mut person, &site);
}

#[test]
fn people_measure_in_the_console_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    measured(&file, "sqlite", &folder, "people_measure_in_the_console_on_sqlite");
}

#[test]
fn people_measure_in_the_console_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("console_measure"));
    database.exec(TABLES);
    measured(&database.url(), "postgres", &folder, "people_measure_in_the_console_on_postgres");
}
