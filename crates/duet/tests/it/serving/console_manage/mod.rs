//! A person with `duet.admin` manages in the console, by mouse and keyboard, on both stores: clients, which get no right that
//! the person lacks, and rows that the database has refused.

mod links;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::duet;
use crate::serving::console::{Person, TABLES};

/// What would run if a page made HTML of it.
const EVIL: &str = "<img src=x onerror=document.title='run'>";

/// A server, and its administrator, who may write and not execute.
struct ManagedSite {
    url: String,
    mount: String,
    secret: String,
    token: String,
}

impl ManagedSite {
    fn of(server: &Running, secret: &str) -> Self {
        let (url, ready) = (server.url(), server.ready());
        let mount = ready["mounts"].as_object().and_then(|it| it.values().next());
        let mount = mount.and_then(Value::as_str).unwrap_or_default().to_owned();
        let token = http::bearer(&url, "boss", secret);
        Self { url, mount, secret: secret.to_owned(), token }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> http::Response {
        let prefer = if body.is_array() { "respond-async" } else { "tx=commit" };
        let headers = [
            ("Authorization", &*self.token),
            ("Content-Type", "application/json"),
            ("Prefer", prefer),
        ];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        http::request(method, &format!("{}{path}", self.url), &headers, body.as_bytes())
    }

    fn get(&self, path: &str) -> http::Response {
        self.send("GET", path, &Value::Null)
    }

    fn page(&self, person: &mut Person<'_>, page: &str) {
        person.browser.open(&format!("{}/console/operate/{page}", self.url), 1280, 900);
    }

    /// Sends rows that the database will refuse, and waits until it has.
    fn make_dead_letters(&self) {
        let row = |(name, id): (&str, i32)| json!({ "id": id, "name": name, "points": 0 });
        let rows: Vec<Value> = ["Max", "Carlos", "Sergio"].into_iter().zip(11..).map(row).collect();
        let accepted = self.send("POST", &format!("{}/driver/", self.mount), &json!(rows));
        assert_eq!(accepted.status, 202, "{}", accepted.text());
        let accepted = accepted.json();
        let status = accepted["status"].as_str().unwrap_or_default().replace(&self.url, "");
        let status = self.get(&format!("{status}?wait=30"));
        assert_eq!(status.json()["status"], "rejected", "{}", status.text());
    }
}

fn letters_are_managed(person: &mut Person<'_>, site: &ManagedSite, store: &str) {
    person.click_text("Operate");
    person.click_text("Dead letters");
    assert!(person.text("#count").starts_with("3 dead letters."), "{}", person.text("main"));
    let row = person.text("#letters td:first-child");
    assert!(row.contains("\"name\":\"Max\""), "{row}");
    person.picture(&format!("{store}-dead-letters"));
    // One is dropped, after a question.
    person.click("#letters tbody tr:first-child a.danger");
    let question = person.text("form.danger p");
    assert!(question.starts_with("This drops 1 row with the sequence id"), "{question}");
    person.click("form.danger button");
    assert_eq!(person.text(".done"), "Dropped: 1 row.");
    // What was in the way of another one is gone: it is added.
    let gone = site.send("DELETE", &format!("{}/driver/2", site.mount), &Value::Null);
    assert_eq!(gone.status, 200, "{}", gone.text());
    person.click_text("Try all again …");
    let question = person.text("form.danger p");
    assert!(question.contains("adds 2 rows of all resources"), "{question}");
    person.click("form.danger button");
    assert_eq!(person.text(".done"), "Added: 1 row. Refused again: 1 row.");
    let carlos = site.get(&format!("{}/driver/12", site.mount)).json();
    assert_eq!(carlos["name"], "Carlos", "{carlos}");
}

/// Makes a client by keyboard and gives its id and secret.
fn client_is_made(person: &mut Person<'_>, store: &str) -> (String, String) {
    person.click_text("Operate");
    person.click_text("Clients");
    assert_eq!(person.text("#clients tbody th"), "boss (you)");
    assert_eq!(person.text("fieldset label"), "duet.admin|duet.write|duet.read", "no other role");
    person.fill("#name", EVIL);
    person.browser.value("document.querySelector('[value=\"duet.read\"]').focus()");
    person.browser.press(" ");
    person.click_text("Make it …");
    let question = person.text("form.danger p");
    assert_eq!(question, format!("This makes 1 client, {EVIL}, with the role duet.read."));
    assert_eq!(person.text("#clients tbody th"), "boss (you)", "nothing is done yet");
    person.click_text("Make it");
    let made = person.text(".secret code");
    person.picture(&format!("{store}-clients"));
    let (id, secret) = made.split_once('|').unwrap_or_default();
    (id.to_owned(), secret.to_owned())
}

fn clients_are_managed(person: &mut Person<'_>, site: &ManagedSite, store: &str) {
    let (id, secret) = client_is_made(person, store);
    let row = format!("{}{}/team/1", site.url, site.mount);
    let get = |token: &str| http::get(&row, &[("Authorization", token)]).status;
    let token = http::bearer(&site.url, &id, &secret);
    assert_eq!(get(&token), 200);
    site.page(person, "clients");
    assert_eq!(person.text(".secret"), "", "a page that is opened anew shows no secret");
    person.click("#clients tbody tr:last-child a[href*=rotate]");
    let question = person.text("form.danger p");
    assert!(question.starts_with("This gives 1 client"), "{question}");
    person.click("form.danger button");
    let renewed = person.text(".secret code");
    let (_, renewed) = renewed.split_once('|').unwrap_or_default();
    assert_eq!(get(&token), 401, "tokens of the secret before are over");
    let token = http::bearer(&site.url, &id, renewed);
    roles_are_changed(person, site, &id);
    site.page(person, "clients");
    person.click("#clients tbody tr:last-child a.danger");
    let question = person.text("form.danger p");
    assert!(question.starts_with("This removes 1 of 2 clients"), "{question}");
    person.click("form.danger button");
    assert_eq!((get(&token), &*person.text("#clients tbody th")), (401, "boss (you)"));
    // Each is in the log, without a secret.
    let log = site.get("/admin/log?words=client");
    for words in ["was added", "was given a new secret", "was given the roles", "was removed"] {
        assert!(log.text().contains(words), "{words}: {}", log.text());
    }
    assert!(!log.text().contains(&secret) && !log.text().contains(renewed));
}

/// Roles of a client are changed, by keyboard, after a question; its tokens have them at once.
fn roles_are_changed(person: &mut Person<'_>, site: &ManagedSite, id: &str) {
    let roles = || {
        let all = site.get("/admin/clients").json();
        let all = all["clients"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|it| it["id"] == id).map(|it| it["roles"].clone()).unwrap_or_default()
    };
    site.page(person, "clients");
    assert_eq!(person.text("#clients tr:first-child .open a"), "New secret …", "not of oneself");
    person.click("#clients tbody tr:last-child a");
    assert_eq!(
        person.text("fieldset label"),
        "duet.read|duet.admin|duet.write|duet.admin|duet.write|duet.read"
    );
    person.browser.value(
        "document.querySelector('[aria-labelledby=roles-title] [value=\"duet.write\"]').focus()",
    );
    person.browser.press(" ");
    person.click_text("Change them …");
    let question = person.text("form.danger p");
    assert!(
        question.contains("of 1 client") && question.ends_with("It gets duet.write."),
        "{question}"
    );
    assert_eq!(roles(), json!(["duet.read"]), "nothing is done yet");
    person.click_text("Change its roles");
    assert!(person.text(".done").ends_with("has other roles."), "{}", person.text("main"));
    assert_eq!(roles(), json!(["duet.read", "duet.write"]));
}

/// An administrator gives no role that it lacks, and does not lock itself out.
fn no_right_is_gained(site: &ManagedSite) {
    let change = |query: &str| site.send("POST", &format!("/admin/clients?{query}"), &Value::Null);
    let refused = change("add=helper&roles=duet.execute,race.steward");
    assert_eq!(refused.status, 403, "{}", refused.text());
    let all = "`duet.execute`, `race.steward`";
    assert!(refused.text().contains(all), "all at once: {}", refused.text());
    let stronger = change("rotate=runner");
    assert_eq!(stronger.status, 403, "a secret is a right too: {}", stronger.text());
    for wrong in ["remove=boss", "add=boss&roles=duet.read", "rotate=nobody", "add=a&rotate=b"] {
        assert_eq!(change(wrong).status, 400, "{wrong}");
    }
    // It may keep what it has, and gets no more. None changes its own.
    let refused = change("set=runner&roles=duet.execute,race.steward");
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert!(refused.text().contains("`race.steward`") && !refused.text().contains("duet.execute"));
    assert_eq!(change("set=runner&roles=duet.execute,duet.read").status, 200);
    for wrong in ["set=boss&roles=duet.read", "set=runner", "roles=duet.read"] {
        assert_eq!(change(wrong).status, 400, "{wrong}");
    }
    assert_eq!(change("remove=runner").status, 200);
    let left = site.get("/admin/clients").json();
    assert_eq!(left["clients"].as_array().map(Vec::len), Some(1), "{left}");
}

fn managed(database: &str, place: &[&str], serve: &[&str], store: &str) {
    let Some(mut browser) = browser(&format!("people_manage_on_{store}")) else { return };
    assert_eq!(duet(&["journal", "prepare", "--database", database]).0, 0);
    let made = |name: &str, roles: &[&str]| {
        let own = ["client", "add", name, "--id", name, "--json"];
        let roles = roles.iter().flat_map(|role| ["--role", role]);
        let add: Vec<&str> = own.into_iter().chain(roles).chain(place.iter().copied()).collect();
        let client: Value = serde_json::from_str(&duet(&add).1).unwrap_or_default();
        client["client_secret"].as_str().unwrap_or_default().to_owned()
    };
    let secret = made("boss", &["duet.admin", "duet.write"]);
    made("runner", &["duet.execute"]);
    let server = Running::start(&[&["serve", database], serve].concat());
    let site = ManagedSite::of(&server, &secret);
    site.make_dead_letters();
    no_right_is_gained(&site);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.fill("#id", "boss");
    person.fill("#secret", &site.secret);
    person.click(".sign-in button");
    letters_are_managed(&mut person, &site, store);
    clients_are_managed(&mut person, &site, store);
}

#[test]
fn people_manage_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &["PRAGMA journal_mode = wal", TABLES]);
    let state = folder.path().join("state").display().to_string();
    let place = ["--state", &*state];
    managed(&file.display().to_string(), &place, &place, "sqlite");
}

#[test]
fn people_manage_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("console_manage"));
    database.exec(TABLES);
    let (url, journal) = (database.url(), folder.path().join("journal").display().to_string());
    managed(&url, &["--in-database", &url], &["--journal", &journal], "postgres");
}
