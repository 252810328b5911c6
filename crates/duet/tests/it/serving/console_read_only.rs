//! A console that only looks: no form and no operation of it changes data, whatever rights its client has, on both stores.

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

fn nothing_is_changed(database: &str, folder: &Folder, name: &str) {
    let Some(mut browser) = browser(name) else { return };
    let runs = folder.path().join("runs").display().to_string();
    let arguments = ["serve", database, "--console-read-only", "--load-tests", &runs];
    let server = Running::start(&arguments);
    let site = Site::of(&server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    person.browser.open(&site.page("/team/"), 1280, 900);
    assert_eq!(person.text("tbody td:nth-child(3)"), "Red Bull|Ferrari", "it reads");
    assert!(!person.text(".head").contains("New"), "{}", person.text(".head"));
    person.browser.open(&site.page("/team/1"), 1280, 900);
    assert_eq!(person.text("main button.main"), "", "nothing to save with");
    // What a form sends all the same is refused, before the database is asked.
    let sent = format!(
        "(async () => {{ const form = new URLSearchParams({{ csrf: document.querySelector('[name=csrf]').value, action: 'delete', etag: '*' }}); const it = await fetch({}, {{ method: 'POST', body: form }}); return [it.status, await it.text()]; }})()",
        json!(format!("{}?delete=1", site.page("/team/1")))
    );
    let sent = person.browser.value(&sent);
    assert!(sent[0] == 403 && sent[1].to_string().contains("read-only"), "{sent}");
    let api = format!("{}/console/api{}/team/?op=deleteTeam", site.url, site.mount);
    person.browser.open(&api, 1280, 900);
    person.fill("[name='path.id']", "2");
    person.click_text("Send");
    assert_eq!(person.text("[aria-label=Answer] h2"), "403 Forbidden");
    // A design is read, and no write of it is tried.
    let design = format!("{}/console/design{}/", site.url, site.mount);
    person.browser.open(&design, 1280, 900);
    person.fill("#text", "CREATE JSON DUALITY VIEW team_dv AS team @delete { _id: id, name }");
    person.browser.wait_for("document.querySelector('.sample')");
    assert!(person.text(".attempt").contains("--console-read-only"), "{}", person.text(".attempt"));
    assert_eq!(person.text(".attempt button"), "");
    let tried = person.browser.value("(async () => { const form = new FormData(document.getElementById('design')); form.set('action', 'try'); form.set('method', 'DELETE'); form.set('key', '1'); const it = await fetch(document.getElementById('design').getAttribute('action'), { method: 'POST', body: new URLSearchParams(form) }); return await it.text(); })()");
    assert!(tried.to_string().contains("The console is read-only"), "{tried}");
    person.browser.open(&site.page("/driver/"), 1280, 900);
    person.click_text("Load test");
    person.browser.value("document.getElementById('mix').value = 'changes'");
    person.click_text("Start");
    assert!(person.text("[role=alert]").contains("only reads"), "{}", person.text("main"));
    for row in ["/team/1", "/team/2"] {
        assert_eq!(site.api("GET", row, &Value::Null).status, 200);
    }
    let haas = json!({"id": 9, "name": "Haas"});
    assert_eq!(site.api("PUT", "/team/9", &haas).status, 201, "the API is as before");
}

#[test]
fn a_console_that_only_looks_changes_nothing_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    nothing_is_changed(&file, &folder, "a_console_that_only_looks_changes_nothing_on_sqlite");
}

#[test]
fn a_console_that_only_looks_changes_nothing_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("console_read_only"));
    database.exec(TABLES);
    let name = "a_console_that_only_looks_changes_nothing_on_postgres";
    nothing_is_changed(&database.url(), &folder, name);
}
