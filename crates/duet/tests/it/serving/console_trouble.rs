//! The console where something is in the way: values of megabytes, texts from right to left, a server that begins again under an
//! open page, two tabs with one document, a session that ends while somebody types, and filters that two languages mean alike.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;

use duet_testkit::browser::Browser;
use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::duet_says;
use crate::serving::console::{Person, Site, TABLES};
use crate::serving::console_access::expect_usable;

/// Bytes of the large value.
const LARGE: usize = 20_000_000;

fn person<'b>(browser: &'b mut Browser, site: &Site<'_>) -> Person<'b> {
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser, url: site.url.clone() };
    person.sign_in(site, true);
    person
}

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Bytes of the page that a browser shows.
fn bytes(person: &mut Person<'_>) -> u64 {
    person.browser.value("document.documentElement.outerHTML.length").as_u64().unwrap()
}

fn megabytes_are_a_file(server: &Running, store: &str) {
    let Some(mut browser) = browser(&format!("megabytes are a file, {store}")) else { return };
    let site = Site::of(server);
    let mut person = person(&mut browser, &site);
    person.browser.open(&site.page("/large/"), 1280, 900);
    let cut = (LARGE - 200).to_string();
    assert!(person.text("td .cut").contains(&format!("{cut} more")), "{}", person.text("main"));
    assert!(bytes(&mut person) < 100_000, "the grid has a part of it");
    person.click_text("Open");
    let shown = person.text(".field");
    assert!(shown.contains("20 000 000 bytes, too many to be changed here"), "{shown}");
    assert!(bytes(&mut person) < 100_000, "the form has none of it");
    let file = "fetch(document.querySelector('.field a[download]').href).then(async (it) => [it.headers.get('content-disposition'), (await it.text()).length])";
    let file = person.browser.value(file);
    assert!(file[0].as_str().unwrap().starts_with("attachment"), "{file}");
    assert_eq!(file[1], LARGE);
    person.picture(&format!("{store}-large"));
    // What is beside it can be changed, and it stays.
    person.fill("[name='=name']", "changed");
    person.click_text("Save");
    assert_eq!(person.text(".done"), "Saved.", "{}", person.text("main"));
    let row = site.api("GET", "/large/1", &Value::Null).json();
    assert_eq!(
        (&row["name"], row["body"].as_str().map(str::len)),
        (&json!("changed"), Some(LARGE))
    );
    person.fill("[name='=name']", "again");
    person.click_text("Add to the changes");
    assert!(person.text("[role=alert]").contains("too large for the list of changes"));
    // Objects and arrays are trees, in which NULL, an empty text and "null" differ.
    person.browser.open(&site.page("/large/2"), 1280, 900);
    person
        .browser
        .value("document.querySelectorAll('.field details').forEach((it) => { it.open = true; })");
    assert_eq!(person.text(".tree .null span, .tree .text span"), "null|\"\"|\"null\"");
    person.browser.value("document.querySelector('.tree summary').focus()");
    person.browser.press("Enter");
    assert_eq!(
        person.browser.value("document.querySelector('.tree details').open"),
        false,
        "by keyboard"
    );
    person.browser.open("about:blank", 1280, 900);
    person.browser.open(&site.page("/large/2"), 1280, 900);
    person
        .browser
        .value("document.querySelectorAll('.field details').forEach((it) => { it.open = true; })");
    expect_usable(&mut person, "a tree");
    person
        .browser
        .value("document.querySelectorAll('.field details').forEach((it) => { it.open = true; })");
    person.picture(&format!("{store}-tree-of-json"));
}

const DATA: &str = r#"{"list": [null, "", "null", {"deep": 1}], "ok": true}"#;

#[test]
fn values_of_megabytes_are_files_on_sqlite() {
    let folder = Folder::new();
    let schema = format!(
        "CREATE TABLE large (id INTEGER PRIMARY KEY, name TEXT, body TEXT, data JSON);
         INSERT INTO large VALUES (1, 'a', hex(zeroblob({})), NULL), (2, 'b', NULL, '{DATA}');",
        LARGE / 2
    );
    let file = folder.load("large.db", &[&schema]).display().to_string();
    megabytes_are_a_file(&Running::start(&["serve", &file]), "sqlite");
}

#[test]
fn values_of_megabytes_are_files_on_postgres() {
    let database = Server::shared().database("console_megabytes");
    database.exec(&format!(
        "CREATE TABLE large (id integer PRIMARY KEY, name text, body text, data jsonb);
         INSERT INTO large VALUES (1, 'a', repeat('0', {LARGE}), NULL), (2, 'b', NULL, '{DATA}');"
    ));
    megabytes_are_a_file(&Running::start(&["serve", &database.url()]), "postgres");
}

/// Texts from right to left stand and are typed from right to left, and leave what is beside them as it is.
#[test]
fn texts_go_from_right_to_left() {
    let Some(mut browser) = browser("texts_go_from_right_to_left") else { return };
    let folder = Folder::new();
    let rows = "INSERT INTO team VALUES (7, 'فريق السباق (2026)'), (8, 'צוות \"א\" 12');";
    let file = folder.load("racing.db", &[TABLES, rows]).display().to_string();
    let server = Running::start(&["serve", &file]);
    let site = Site::of(&server);
    let mut person = person(&mut browser, &site);
    person.browser.open(&site.page("/team/"), 1280, 900);
    assert!(
        person.text("td.text").contains("فريق السباق (2026)|צוות"),
        "{}",
        person.text("td.text")
    );
    let bidi = "[...document.querySelectorAll('td.text')].every((it) => getComputedStyle(it).unicodeBidi === 'plaintext')";
    assert_eq!(person.browser.value(bidi), true);
    person.picture("sqlite-right-to-left");
    person.browser.open(&site.page("/team/7"), 1280, 900);
    let direction = "getComputedStyle(document.querySelector(\"[name='=name']\")).direction";
    assert_eq!(person.browser.value(direction), "rtl");
    person.fill("[name='=name']", "plain");
    assert_eq!(person.browser.value(direction), "ltr");
    person.fill("[name='=name']", "שלום");
    person.click_text("Save");
    assert_eq!(site.api("GET", "/team/7", &Value::Null).json()["name"], "שלום");
    person.picture("sqlite-right-to-left-item");
}

/// What cannot be sent stays with a message, and goes on when the server is back.
#[test]
fn a_server_begins_again_under_an_open_page() {
    let Some(mut browser) = browser("a_server_begins_again_under_an_open_page") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let state = folder.path().join("state.json").display().to_string();
    let added = duet_says(&[
        "client",
        "add",
        "ann",
        "--state",
        &state,
        "--json",
        "--role",
        "duet.read",
        "--role",
        "duet.write",
        "--role",
        "duet.admin",
    ]);
    let added: Value = serde_json::from_str(&added).unwrap();
    let text = |name: &str| added[name].as_str().unwrap().to_owned();
    let (id, secret) = (text("client_id"), text("client_secret"));
    let server = Running::start(&["serve", &file, "--state", &state]);
    let (url, mount) = (server.url(), "/api/main".to_owned());
    let token = http::bearer(&url, &id, &secret);
    let site = Site { url: url.clone(), mount, id: &id, secret: &secret, token };
    let mut person = person(&mut browser, &site);
    let form = person.browser.tab();
    person.browser.open(&site.page("/team/1"), 1280, 900);
    person.fill("[name='=name']", "typed before");
    let watching = person.browser.open_tab();
    person.browser.open(&format!("{url}/console/operate/"), 1280, 900);
    person.browser.wait_for("document.querySelector('#batches tbody td')");
    let listen = url.trim_start_matches("http://").to_owned();
    drop(server);
    person.browser.wait_for("!document.getElementById('silent').hidden");
    person.browser.show(&form);
    person.browser.value("document.querySelector('form.item button.main').click()");
    person.browser.wait_for("document.querySelector('[role=alert]')");
    assert!(person.text("[role=alert]").contains("what you typed is still here"));
    let typed = "document.querySelector(\"[name='=name']\")?.value";
    assert_eq!(person.browser.value(typed), "typed before");
    let again = Running::start(&["serve", &file, "--state", &state, "--listen", &listen]);
    person.browser.go("document.querySelector('form.item button.main').click()");
    assert_eq!(person.text(".done"), "Saved.", "{}", person.text("main"));
    assert_eq!(site.api("GET", "/team/1", &Value::Null).json()["name"], "typed before");
    person.browser.show(&watching);
    person.browser.wait_for("document.getElementById('silent').hidden");
    drop(again);
}

/// Two tabs have one document open: the second to save sees both, loses nothing, and saves when it has put both together.
fn two_tabs_edit_one(database: &str, folder: &Folder, store: &str) {
    let Some(mut browser) = browser(&format!("two tabs edit one document, {store}")) else {
        return;
    };
    let application = format!(
        "name = 'racing'\nmount = '/racing'\ndatabase = '{database}'\nviews = ['views/*.sql']\n"
    );
    fs::create_dir_all(folder.path().join("views")).unwrap();
    fs::write(folder.path().join("app.toml"), application).unwrap();
    fs::write(folder.path().join("views/team_dv.sql"), VIEW).unwrap();
    let config = folder.path().join("app.toml").display().to_string();
    let server = Running::start(&["serve", "--config", &config, "--console-files"]);
    let site = Site::of(&server);
    let mut person = person(&mut browser, &site);
    let first = person.browser.tab();
    let page = site.page("/team_dv/1");
    person.browser.open(&page, 1280, 900);
    let name = |person: &mut Person<'_>, name: &str| {
        person.browser.value(&format!(
            "(() => {{ const area = document.getElementById('json'); const item = JSON.parse(area.value); item.name = {}; area.value = JSON.stringify(item); area.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
            json!(name)
        ));
    };
    name(&mut person, "of the first tab");
    person.browser.open_tab();
    person.browser.open(&page, 1280, 900);
    name(&mut person, "of the second tab");
    person.click_text("Save as JSON");
    assert_eq!(person.text(".done"), "Saved.", "{}", person.text("main"));
    person.browser.show(&first);
    person.click_text("Save as JSON");
    let alert = person.text("[role=alert]");
    assert!(alert.contains("Another has changed this meanwhile"), "{alert}");
    assert!(alert.contains("of the second tab"), "{alert}");
    let kept = person.browser.value("JSON.parse(document.getElementById('json').value).name");
    assert_eq!(kept, "of the first tab");
    person.picture(&format!("{store}-two-tabs"));
    name(&mut person, "of both tabs");
    person.click_text("Save as JSON");
    assert_eq!(person.text(".done"), "Saved.", "{}", person.text("main"));
    assert_eq!(site.api("GET", "/team_dv/1", &Value::Null).json()["name"], "of both tabs");
    a_view_is_stored_and_served(&mut person, &site, folder);
}

const VIEW: &str = "CREATE JSON DUALITY VIEW team_dv AS team @update { _id: id, name, drivers: driver [ { id, name } ] }";

/// A duality view that is designed becomes a file of the application, which is served.
fn a_view_is_stored_and_served(person: &mut Person<'_>, site: &Site<'_>, folder: &Folder) {
    person.browser.open(&format!("{}/console/design{}/", site.url, site.mount), 1280, 900);
    person.fill("#text", &VIEW.replace("team_dv", "crew_dv"));
    person.browser.wait_for("document.querySelector('.nodes')");
    person.fill("[name=file]", "views/crew_dv.sql");
    person.click_text("Save and serve");
    assert_eq!(
        person.text(".done"),
        "views/crew_dv.sql is stored, and served.",
        "{}",
        person.text("main")
    );
    let stored = fs::read_to_string(folder.path().join("views/crew_dv.sql")).unwrap();
    assert!(stored.contains("crew_dv"), "{stored}");
    assert_eq!(site.api("GET", "/crew_dv/1", &Value::Null).status, 200);
    // A text with a mistake, and a path outside of the application, are not stored.
    person.fill("#text", "CREATE JSON DUALITY VIEW x AS nothing { a }");
    person.browser.wait_for("document.querySelector('.mistake')");
    person.click_text("Save and serve");
    assert!(person.text("[role=alert]").contains("Not stored"), "{}", person.text("main"));
    person.fill("#text", &VIEW.replace("team_dv", "out_dv"));
    person.fill("[name=file]", "../out.sql");
    person.click_text("Save and serve");
    assert!(!person.text("[role=alert]").is_empty(), "{}", person.text("main"));
    assert!(!folder.path().join("../out.sql").exists());
}

#[test]
fn two_tabs_edit_one_document_on_sqlite() {
    let folder = Folder::new();
    let database = format!("sqlite:{}", folder.load("racing.db", &[TABLES]).display());
    two_tabs_edit_one(&database, &folder, "sqlite");
}

#[test]
fn two_tabs_edit_one_document_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("console_tabs"));
    database.exec(TABLES);
    two_tabs_edit_one(&database.url(), &folder, "postgres");
}

/// Without an application a view is designed and kept as a file, and the page says what would store and serve it.
#[test]
fn a_view_is_designed_without_an_application() {
    let Some(mut browser) = browser("a_view_is_designed_without_an_application") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let server = Running::start(&["serve", &file, "--console-files"]);
    let site = Site::of(&server);
    let mut person = person(&mut browser, &site);
    person.browser.open(&format!("{}/console/design{}/", site.url, site.mount), 1280, 900);
    let buttons = person.text("#design > div:not(#designed) button");
    assert_eq!(buttons, "Check|Save as a file");
    let advice = person.text("#design > div:not(#designed) .about");
    assert!(
        advice.contains("served without an application") && advice.contains("duet init"),
        "{advice}"
    );
    person.picture("sqlite-design-without-application");
}

/// A session ends while somebody types: after the sign-in the page is there again, with the text.
#[test]
fn a_session_ends_while_somebody_types() {
    let Some(mut browser) = browser("a_session_ends_while_somebody_types") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let server = Running::start(&["serve", &file]);
    let site = Site::of(&server);
    let mut person = person(&mut browser, &site);
    person.browser.open(&site.page("/team/1"), 1280, 900);
    person.fill("[name='=name']", "typed before the end");
    person.browser.send("Network.clearBrowserCookies", &json!({}));
    person.click_text("Save");
    assert_eq!(person.text("h1"), "Sign in");
    person.sign_in(&site, true);
    assert_eq!(person.text("h1"), "team 1");
    let typed = person.browser.value("document.querySelector(\"[name='=name']\").value");
    assert_eq!(typed, "typed before the end");
    person.click_text("Save");
    assert_eq!(person.text(".done"), "Saved.");
    assert_eq!(site.api("GET", "/team/1", &Value::Null).json()["name"], "typed before the end");
    // A page that asks by itself leads to the sign-in too.
    person.click_text("Operate");
    person.browser.wait_for("document.querySelector('#batches tbody td')");
    person.browser.send("Network.clearBrowserCookies", &json!({}));
    person.browser.wait_for("document.querySelector('h1')?.textContent === 'Sign in'");
}

/// Each comparison of the form finds the same rows by `q` and by the CQL that the page shows beside it.
fn both_languages_find_the_same(server: &Running, store: &str) {
    let Some(mut browser) = browser(&format!("both languages, {store}")) else { return };
    let site = Site::of(server);
    let mut person = person(&mut browser, &site);
    let keys = |parameter: &str, text: &str| -> Vec<Value> {
        let text = encoded(text);
        let found = site.api("GET", &format!("/word/?limit=100&{parameter}={text}"), &Value::Null);
        assert_eq!(found.status, 200, "{store} {parameter} {text}: {}", found.text());
        found.json()["items"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
    };
    let values = ["a", "A", "a*b", "a?b", "a^b", "a\\b", "a\"b", "é", "", "zz"];
    let mut filters = Vec::new();
    for operator in ["$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$instr", "$startsWith"] {
        for value in values.iter().filter(|it| !it.is_empty() || matches!(operator, "$eq" | "$ne"))
        {
            filters.push(json!({ "text": { operator: value } }));
        }
    }
    for operator in ["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"] {
        filters.push(json!({ "number": { operator: 3 } }));
    }
    for column in ["text", "number"] {
        filters.push(json!({ column: { "$null": null } }));
        filters.push(json!({ column: { "$notnull": null } }));
        filters.push(json!({ column: [{ "$null": null }], "id": { "$gt": 2 } }));
    }
    filters.push(json!({ "$orderby": { "number": "DESC" } }));
    filters.push(json!({ "text": { "$ne": "a" }, "$orderby": { "text": "ASC", "id": -1 } }));
    let base = site.page("/word/");
    for filter in filters {
        let q = filter.to_string();
        let page = format!("{base}?q={}", encoded(&q));
        let script = format!(
            "fetch({}).then((it) => it.text()).then((it) => new DOMParser().parseFromString(it, 'text/html').querySelector('pre#cql')?.textContent)",
            json!(page)
        );
        let cql = person.browser.value(&script);
        let cql = cql.as_str().unwrap_or_else(|| panic!("{store} {q}: no CQL"));
        assert_eq!(keys("query", cql), keys("q", &q), "{store} {q} {cql}");
    }
    person.browser.open(
        &format!("{base}?q=%7B%22text%22%3A%7B%22%24startsWith%22%3A%22a%22%7D%7D"),
        1280,
        900,
    );
    person.browser.value("document.querySelector('details.request').open = true");
    assert!(person.text("#cql").starts_with("text ==/respectCase"), "{}", person.text("#cql"));
    assert!(person.text("pre[aria-label='with CQL']").contains("--data-urlencode 'query=text =="));
    person.picture(&format!("{store}-filter-cql"));
    person.click_text("Count the rows");
    person.click_text("Explain");
    assert!(
        person.text("summary").contains("total"),
        "the count has a statement: {}",
        person.text("summary")
    );
    person.browser.value("document.querySelector('[name=database]').value = 'plan'");
    person.browser.go("document.querySelector('form.item button').click()");
    assert!(person.text("h2").contains("The database's plan of total"), "{}", person.text("h2"));
    person.picture(&format!("{store}-explain-count"));
}

const WORDS: &str = "INSERT INTO word VALUES (1, 'a', 1), (2, 'A', 2), (3, 'a*b', 3), (4, 'a?b', 4), (5, 'a^b', NULL), (6, 'a\\b', 3),
    (7, 'a\"b', 7), (8, 'é', 8), (9, '', 9), (10, NULL, 10), (11, 'axb', 11), (12, 'e', 12), (13, 'NULL', NULL);";

#[test]
fn both_languages_find_the_same_on_sqlite() {
    let folder = Folder::new();
    let table = "CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT, number INTEGER);";
    let file = folder.load("words.db", &[table, WORDS]).display().to_string();
    both_languages_find_the_same(&Running::start(&["serve", &file]), "sqlite");
}

#[test]
fn both_languages_find_the_same_on_postgres() {
    let database = Server::shared().database("console_words");
    database.exec("CREATE TABLE word (id integer PRIMARY KEY, text text, number integer)");
    database.exec(WORDS);
    both_languages_find_the_same(&Running::start(&["serve", &database.url()]), "postgres");
}
