//! The design of services and collections in the console, as a person does it, on both stores: mistakes at their place, one
//! model behind form and text, what the database makes of it, tries that are undone, and files that are stored and served; and
//! the diagram of the tables that they use.

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::duet_says;
use crate::serving::console::{Person, Site, TABLES, cookie};
use crate::serving::console_access::expect_usable;

const LARGE: &str = "-- # Drivers by points.
-- description = \"The best drivers\"
-- [parameters]
-- least = { type = \"integer\", default = 0 }
SELECT id, name, points FROM driver WHERE points >= :least ORDER BY points DESC
";
const NOTES: &str =
    "schema = \"note.json\"\n\n[indexes]\n# Looked for by clients.\nindex = [\"title\"]\n";
const NOTE: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
    "title": {"type": "string"}, "body": {"type": "string"}, "pages": {"type": "integer"}}}"#;

/// An application with a service and a collection, over this database.
fn application(folder: &Path, database: &str) -> String {
    for name in ["services", "collections"] {
        drop(fs::create_dir_all(folder.join(name)));
    }
    let application = format!(
        "name = 'racing'\nmount = '/racing'\ndatabase = '{database}'\nservices = ['services/*.sql']\n\
         collections = ['collections/*.toml']\n"
    );
    for (name, text) in [
        ("app.toml", &*application),
        ("services/large.sql", LARGE),
        ("collections/notes.toml", NOTES),
        ("note.json", NOTE),
    ] {
        let written = fs::write(folder.join(name), text);
        assert!(written.is_ok(), "{name}: {written:?}");
    }
    let file = folder.join("app.toml").display().to_string();
    duet_says(&["collection", "prepare", &file, "--database", database]);
    file
}

/// The text of the page, as it is now.
fn text(person: &mut Person<'_>) -> String {
    person
        .browser
        .value("document.getElementById('text').value")
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Waits until the part beside the text has these words.
fn shows(person: &mut Person<'_>, words: &str) {
    let words = json!(words);
    person
        .browser
        .wait_for(&format!("document.getElementById('designed').textContent.includes({words})"));
}

fn press(person: &mut Person<'_>, selector: &str) {
    person.browser.value(&format!("document.querySelector({}).click()", json!(selector)));
}

fn a_service_is_designed(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    person.click_text("Services and collections");
    assert_eq!(
        person.text("#files tbody th"),
        "services/large.sql|collections/notes.toml|note.json"
    );
    person.picture(&format!("{store}-files"));
    person.click_text("services/large.sql");
    assert_eq!(person.text("#members tbody th"), "id|name|points");
    assert_eq!(person.text("#parameters tbody td:nth-child(2)"), "integer");
    // What only the database knows stands at its place too.
    person.fill("#text", &LARGE.replace("FROM driver", "FROM drivr"));
    person.browser.wait_for("document.querySelector('.mistake pre')");
    let mistake = person.text(".mistake");
    assert!(
        mistake.contains("Line 5") && mistake.contains("drivr") && mistake.contains('^'),
        "{mistake}"
    );
    person.picture(&format!("{store}-service-mistake"));
    person.fill("#text", &LARGE.replace("\"integer\"", "\"integr\""));
    person.browser.wait_for("document.querySelector('.mistake')?.textContent.includes('integr')");
    press(person, ".mistake button");
    let chosen = person.browser.value("document.getElementById('text').value.slice(document.getElementById('text').selectionStart, document.getElementById('text').selectionEnd)");
    assert_eq!(chosen, "\"integr\"", "the mistake leads to its place");
    person.fill("#text", LARGE);
    person.browser.wait_for("document.querySelector('#members')");
    // The form changes the text, by keyboard, and keeps its comments.
    person.fill("[name=f-description]", "Drivers with points");
    person.browser.press("Tab");
    person
        .browser
        .wait_for("document.getElementById('text').value.includes('Drivers with points')");
    assert_eq!(text(person), LARGE.replace("The best drivers", "Drivers with points"));
    person.fill("[name=p-least]", "15");
    press(person, "[name=action][value=try]");
    shows(person, "GET /racing/large?least=15");
    let answer = person.text("#trial");
    assert!(
        answer.contains("200 OK") && answer.contains("Max") && !answer.contains("Sergio"),
        "{answer}"
    );
    person.browser.value("document.getElementById('trial').scrollIntoView()");
    person.picture(&format!("{store}-service"));
    // Nothing is served of it until it is stored.
    let api = site.api("GET", "/large?least=15", &Value::Null);
    assert_eq!(api.json()["count"], 2, "{}", api.text());
}

/// A new service that writes: its form makes the header, a try is undone, and a save serves it.
fn a_new_service_is_stored(person: &mut Person<'_>, site: &Site<'_>, folder: &Path) {
    person.click_text("files");
    person.fill("#file", "services/raise.sql");
    person.click_text("Begin");
    person.fill("#text", "SELECT id, points FROM driver WHERE id = 1\n");
    shows(person, "It reads.");
    for (control, value) in [("f-method", "POST"), ("f-result", "row")] {
        person.browser.value(&format!(
            "(() => {{ const it = document.querySelector('[name={control}]'); it.value = '{value}'; it.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        ));
        person
            .browser
            .wait_for(&format!("document.getElementById('text').value.includes('\"{value}\"')"));
    }
    shows(person, "It writes, in one transaction.");
    let header = "-- method = \"POST\"\n-- result = \"row\"\n";
    assert!(text(person).starts_with(&format!("{header}SELECT")), "{}", text(person));
    let statement = "UPDATE driver SET points = points + 1 WHERE id = 1 RETURNING id, points\n";
    person.fill("#text", &format!("{header}{statement}"));
    person.browser.wait_for(
        "document.querySelector('#designed details pre')?.textContent.includes('UPDATE')",
    );
    press(person, "[name=action][value=try]");
    person.browser.wait_for("document.querySelector('#trial p')");
    assert!(person.text("#trial").contains("200 OK, rolled back"), "{}", person.text("#trial"));
    assert!(person.text("#trial").contains("\"points\": 31"), "{}", person.text("#trial"));
    let points = || site.api("GET", "/driver/1", &Value::Null).json()["points"].clone();
    assert_eq!(points(), 30, "nothing stays");
    person.click_text("Save and serve");
    assert_eq!(person.text(".done"), "services/raise.sql is stored, and served.");
    let raised = site.api("POST", "/raise", &Value::Null);
    assert_eq!(
        (raised.status, raised.json()["points"].as_i64()),
        (200, Some(31)),
        "{}",
        raised.text()
    );
    // What another has stored meanwhile is not lost.
    let file = folder.join("services/raise.sql");
    let before = fs::read_to_string(&file).unwrap_or_default();
    drop(fs::write(&file, before.replace("+ 1", "+ 2")));
    person.fill("#text", &before.replace("+ 1", "+ 3"));
    shows(person, "It writes");
    person.click_text("Save and serve");
    assert!(person.text("[role=alert]").contains("has changed since"), "{}", person.text("main"));
    assert!(text(person).contains("+ 3"), "what was typed stays");
    assert!(fs::read_to_string(&file).unwrap_or_default().contains("+ 2"));
}

fn a_collection_is_designed(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    let page = format!("{}/console/files/racing/?file=collections%2Fnotes.toml", site.url);
    person.browser.open(&page, 1280, 900);
    assert_eq!(person.text("#fields tbody th"), "id|title|body|pages");
    assert_eq!(person.text("#indexes tbody th"), "index");
    assert!(person.text("#designed").contains("CREATE TABLE"), "{}", person.text("#designed"));
    person.fill("#text", &NOTES.replace("\"title\"", "\"titel\""));
    person.browser.wait_for("document.querySelector('.mistake')?.textContent.includes('titel')");
    assert!(
        person.text(".mistake").contains("Did you mean `title`?"),
        "{}",
        person.text(".mistake")
    );
    person.fill("#text", NOTES);
    person.browser.wait_for("document.querySelector('#indexes')");
    person.browser.value("document.querySelector('[name=f-kind]').value = 'like', document.querySelector('[name=f-path]').value = 'body'");
    press(person, "[name=action][value=add]");
    person.browser.wait_for("document.getElementById('text').value.includes('like')");
    assert_eq!(text(person), format!("{NOTES}like = [\"body\"]\n"));
    press(person, "[name=drop][value='like body']");
    person.browser.wait_for("!document.getElementById('text').value.includes('like')");
    assert_eq!(text(person), NOTES, "the comment is where it was");
    // Requests of a log lack an index, which one click declares.
    let line =
        r#"{"method":"GET","target":"/racing/notes/?query=pages==3","status":200,"micros":90000}"#;
    person.fill("#log", &format!("{line}\n{line}\nno request\n"));
    press(person, "[name=action][value=advise]");
    shows(
        person,
        "2 requests of notes, 0 others, 1 lines that are no requests. They lack an index.",
    );
    assert_eq!(person.text("#advice td:nth-child(2)"), "2");
    person.picture(&format!("{store}-collection"));
    press(person, "[name=declare]");
    shows(person, "They lack no index.");
    assert!(text(person).contains("\"pages\""), "{}", text(person));
}

/// A diagram of tables, by keyboard, with a table that says the same.
fn tables_are_drawn(person: &mut Person<'_>, store: &str) {
    person.browser.open(&format!("{}/console/", person.url.clone()), 1280, 900);
    person.click_text("Diagram of tables");
    assert!(person.text(".diagram .title").contains("driver"), "{}", person.text("main"));
    assert!(person.text(".diagram path title").contains("driver.team_id = team.id"));
    person.picture(&format!("{store}-diagram"));
    person.browser.value("document.querySelector('.diagram a[href$=\"table=driver\"]').focus()");
    person.browser.press("Enter");
    person.browser.wait_for("document.querySelector('h1')?.textContent.startsWith('driver')");
    assert_eq!(person.text(".diagram .title"), "driver|team", "itself and what it refers to");
    press(person, "summary");
    let row = person.text("main tbody tr:first-child td");
    assert_eq!(row, "id|driver.team_id = team.id|");
    person.fill("#words", "EA");
    person.click_text("Show");
    assert_eq!(person.text("main li a"), "team");
}

/// Without the operator's word nothing is stored, and no SQL runs that is not served; the text can be kept all the same.
fn the_operator_decides(file: &str) {
    let server = Running::start(&["serve", "--config", file]);
    let site = Site::of(&server);
    let cookie = cookie(&site.url, site.id, site.secret);
    let page = format!("{}/console/files/racing/?file=services%2Flarge.sql", site.url);
    let html = http::get(&page, &[("Cookie", &cookie)]);
    let html = html.text();
    assert!(!html.contains("value=\"store\"") && !html.contains("value=\"try\""), "{html}");
    let csrf = html.split("name=\"csrf\" value=\"").nth(1).and_then(|it| it.split('"').next());
    let send = |action: &str| {
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Sec-Fetch-Site", "same-origin"),
            ("Cookie", &*cookie),
        ];
        let text = "SELECT+1+AS+secret";
        let body = format!("csrf={}&action={action}&text={text}", csrf.unwrap_or_default());
        http::request("POST", &page, &headers, body.as_bytes()).text().to_owned()
    };
    assert!(send("store").contains("start it with `--console-files`"));
    assert!(!send("try").contains("200 OK"));
    assert_eq!(send("download"), "SELECT 1 AS secret");
}

/// Files that the application does not name are neither read nor drafted, wherever they are.
fn other_files_are_not_read(folder: &Path, file: &str) {
    let own = format!("outside-{}.sql", std::process::id());
    let outside = folder.parent().map(|above| above.join(&own)).unwrap_or_default();
    let (above, around) = (format!("../{own}"), format!("services/../../{own}"));
    for path in [&*outside, &folder.join("services/.secret"), &folder.join("state.json")] {
        drop(fs::write(path, "SELECT 'a secret of the operator'"));
    }
    let server = Running::start(&["serve", "--config", file, "--console-files"]);
    let site = Site::of(&server);
    let cookie = cookie(&site.url, site.id, site.secret);
    let absolute = outside.display().to_string();
    let names = ["state.json", "services/.secret", "app.toml", &*above, &*around, &*absolute];
    for name in names {
        let page = format!("{}/console/files/racing/?file={}", site.url, name.replace('/', "%2F"));
        let shown = http::get(&page, &[("Cookie", &cookie)]);
        let text = shown.text();
        assert!(!text.contains("a secret") && !text.contains("database ="), "{name}: {text}");
        let csrf = text.split("name=\"csrf\" value=\"").nth(1).and_then(|it| it.split('"').next());
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Sec-Fetch-Site", "same-origin"),
            ("Cookie", &*cookie),
        ];
        let body = format!("csrf={}&action=store&before=&text=SELECT+1", csrf.unwrap_or_default());
        let stored = http::request("POST", &page, &headers, body.as_bytes());
        assert_ne!(stored.status, 303, "{name}: {stored:?}");
    }
    assert!(fs::read_to_string(&outside).is_ok_and(|text| text.contains("a secret")));
    drop(fs::remove_file(&outside));
}

/// A draft that settings of its application contradict is refused with all of them, each at its place.
#[test]
fn a_draft_says_all_that_contradicts_it() {
    let folder = Folder::new();
    let database = folder.load("racing.db", &[TABLES]).display().to_string();
    let file = application(folder.path(), &database);
    let settings = "[resources.large]\npage_size = 3\nunindexed = 'warn'\nrowstore = '1MB'\n";
    let declared = fs::read_to_string(&file).unwrap_or_default() + settings;
    drop(fs::write(&file, declared));
    let service = "-- key = [\"id\"]\nSELECT id, name, points FROM driver\n";
    drop(fs::write(folder.path().join("services/large.sql"), service));
    let server = Running::start(&["serve", "--config", &file, "--console-files"]);
    let site = Site::of(&server);
    let cookie = cookie(&site.url, site.id, site.secret);
    let page = format!("{}/console/files/racing/?file=services%2Flarge.sql", site.url);
    let shown = http::get(&page, &[("Cookie", &cookie)]);
    let shown = shown.text();
    assert!(!shown.contains("class=\"mistake"), "{shown}");
    let csrf = shown.split("name=\"csrf\" value=\"").nth(1).and_then(|it| it.split('"').next());
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Cookie", &*cookie),
    ];
    let text = "--+method+=+%22POST%22%0A--+result+=+%22count%22%0ADELETE+FROM+driver";
    let body = format!("csrf={}&action=&text={text}", csrf.unwrap_or_default());
    let refused = http::request("POST", &page, &headers, body.as_bytes());
    let refused = refused.text().replace("&#96;", "`");
    for setting in ["page_size", "unindexed", "rowstore"] {
        let why =
            format!("large is a service without pages: `{setting}` is for those that read rows.");
        assert!(refused.contains(&why), "{setting}: {refused}");
    }
}

/// A console that only looks sends no GET of a service that writes by it.
fn services_that_write_by_get_change_nothing(folder: &Path, file: &str) {
    let service = "-- writes = true\n-- result = \"row\"\nUPDATE driver SET points = 99 WHERE id = 2 RETURNING id\n";
    drop(fs::write(folder.join("services/touch.sql"), service));
    let server =
        Running::start(&["serve", "--config", file, "--console-files", "--console-read-only"]);
    let site = Site::of(&server);
    let cookie = cookie(&site.url, site.id, site.secret);
    let get = |path: &str| {
        let page = http::get(&format!("{}/console/{path}", site.url), &[("Cookie", &cookie)]);
        page.text().to_owned()
    };
    let api = get("api/racing/touch/");
    let names = api.split("op=").skip(1).filter_map(|it| it.split(['"', '&']).next());
    let answers: Vec<String> =
        names.map(|name| get(&format!("api/racing/touch/?op={name}&send=1"))).collect();
    let points = site.api("GET", "/driver/2", &Value::Null).json()["points"].clone();
    assert_eq!(points, 20, "{answers:?}");
    assert!(answers.iter().any(|it| it.contains("The console is read-only")), "{api} {answers:?}");
    assert!(get("files/racing/?file=services%2Ftouch.sql").contains("tries no write"));
}

/// The page, opened anew: the focus begins at its top.
fn is_usable(person: &mut Person<'_>, place: &str) {
    let here = person.browser.value("location.href").as_str().unwrap_or_default().to_owned();
    person.browser.open("about:blank", 1280, 900);
    person.browser.open(&here, 1280, 900);
    expect_usable(person, place);
}

fn designed(folder: &Folder, database: &str, store: &str) {
    let Some(mut browser) = browser(&format!("people_design_files_on_{store}")) else { return };
    let file = application(folder.path(), database);
    let server = Running::start(&["serve", "--config", &file, "--console-files"]);
    let site = Site::of(&server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    a_service_is_designed(&mut person, &site, store);
    if store == "sqlite" {
        is_usable(&mut person, "the page of a service");
    }
    a_new_service_is_stored(&mut person, &site, folder.path());
    a_collection_is_designed(&mut person, &site, store);
    if store == "sqlite" {
        is_usable(&mut person, "the page of a collection");
    }
    tables_are_drawn(&mut person, store);
    assert!(
        server.errors().contains("the file services/raise.sql was stored"),
        "{}",
        server.errors()
    );
    drop(server);
    if store == "sqlite" {
        the_operator_decides(&file);
        other_files_are_not_read(folder.path(), &file);
        services_that_write_by_get_change_nothing(folder.path(), &file);
    }
}

#[test]
fn people_design_files_on_sqlite() {
    let folder = Folder::new();
    let database = format!("sqlite:{}", folder.load("racing.db", &[TABLES]).display());
    designed(&folder, &database, "sqlite");
}

#[test]
fn people_design_files_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("console_files"));
    database.exec(TABLES);
    designed(&folder, &database.url(), "postgres");
}
