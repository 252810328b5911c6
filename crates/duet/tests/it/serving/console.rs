//! The console in a browser, as a person uses it, on both stores: signing in, reading, ordering, filtering, changing,
//! and two who change the same row.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::{Path, PathBuf};

use duet_testkit::browser::Browser;
use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;

/// What would run if any page made HTML of it.
const EVIL: &str = "<img src=x onerror=document.title='run'>";

pub(super) const TABLES: &str = "CREATE TABLE team (id integer PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE driver (id integer PRIMARY KEY, name varchar(80) NOT NULL UNIQUE, nick varchar(20), points integer NOT NULL,
        team_id integer REFERENCES team);
    CREATE TABLE many (id integer PRIMARY KEY, a integer REFERENCES team, b integer REFERENCES team, c integer REFERENCES team,
        d integer REFERENCES team, e integer REFERENCES team, f integer REFERENCES team, g integer REFERENCES team,
        h integer REFERENCES team, i integer REFERENCES team);
    INSERT INTO team VALUES (1, 'Red Bull'), (2, 'Ferrari');
    INSERT INTO driver VALUES (1, 'Max', 'NULL', 30, 1), (2, 'Carlos', NULL, 20, 2), (3, 'Sergio', '', 10, 1);
    INSERT INTO many (id, i) VALUES (7, 1);";

pub(super) fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("console");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A person at a browser.
pub(super) struct Person<'b> {
    pub(super) browser: &'b mut Browser,
    pub(super) url: String,
}

impl Person<'_> {
    /// Clicks on what a selector finds, and sees the next page.
    pub(super) fn click(&mut self, selector: &str) {
        self.browser.go(&format!("document.querySelector({}).click()", json!(selector)));
        self.expect_clean(selector);
    }

    /// Clicks on the link or button with this text.
    pub(super) fn click_text(&mut self, text: &str) {
        let find = format!(
            "[...document.querySelectorAll('a, button')].find((it) => it.textContent.trim() === {})",
            json!(text)
        );
        self.browser.go(&format!("{find}.click()"));
        self.expect_clean(text);
    }

    pub(super) fn fill(&mut self, selector: &str, text: &str) {
        let at = json!(selector);
        self.browser.wait_for(&format!("document.querySelector({at})"));
        self.browser.value(&format!(
            "document.querySelector({at}).focus(), document.querySelector({at}).select()"
        ));
        self.browser.type_in(text);
    }

    /// Gives the client's id, and its secret where that is the right one.
    pub(super) fn sign_in(&mut self, site: &Site<'_>, is_right: bool) {
        self.fill("#id", site.id);
        if is_right {
            self.fill("#secret", site.secret);
        }
        self.click(".sign-in button");
    }

    pub(super) fn text(&mut self, selector: &str) -> String {
        let text = format!(
            "[...document.querySelectorAll({})].map((it) => it.textContent.trim()).join('|')",
            json!(selector)
        );
        self.browser.value(&text).as_str().unwrap().to_owned()
    }

    /// No script of a value ran, nothing was refused by the policy, and no other host was asked.
    pub(super) fn expect_clean(&mut self, place: &str) {
        // Of a page that says what is wrong, the browser notes the status.
        let mut errors = self.browser.errors();
        errors.retain(|error| {
            !error.contains("Failed to load resource") || error.contains("/assets/")
        });
        assert_eq!(errors, [""; 0], "{place}");
        let foreign: Vec<_> =
            self.browser.requested().into_iter().filter(|it| !it.starts_with(&self.url)).collect();
        assert_eq!(foreign, [""; 0], "{place}");
        assert_ne!(self.browser.value("document.title"), "run", "{place}");
        // A page that is being left has none.
        let fits = "!document.documentElement || document.documentElement.scrollWidth <= document.documentElement.clientWidth";
        assert_eq!(self.browser.value(fits), true, "{place} is wider than the window");
    }

    /// Keeps a picture of the page for a desk and for a phone, light and dark.
    pub(super) fn picture(&mut self, name: &str) {
        for (width, height, size) in [(1280, 900, "wide"), (390, 844, "narrow")] {
            let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
            self.browser.send("Emulation.setDeviceMetricsOverride", &metrics);
            for scheme in ["light", "dark"] {
                self.browser.media("screen", scheme);
                self.browser.settle();
                self.expect_clean(name);
                self.browser.picture(&pictures().join(format!("{name}-{size}-{scheme}.png")));
            }
        }
        self.browser.media("screen", "light");
    }
}

/// A server, as its API is reached, and the client of its run.
pub(super) struct Site<'s> {
    pub(super) url: String,
    pub(super) mount: String,
    pub(super) id: &'s str,
    pub(super) secret: &'s str,
    pub(super) token: String,
}

impl<'s> Site<'s> {
    pub(super) fn of(server: &'s Running) -> Self {
        let (url, ready) = (server.url(), server.ready());
        let text = |name: &str| ready[name].as_str().unwrap();
        let mount = ready["mounts"].as_object().unwrap().values().next().unwrap();
        let (id, secret) = (text("client_id"), text("client_secret"));
        let token = http::bearer(&url, id, secret);
        Self { mount: mount.as_str().unwrap().to_owned(), id, secret, token, url }
    }

    pub(super) fn api(&self, method: &str, path: &str, body: &Value) -> http::Response {
        let headers = [("Authorization", &*self.token), ("Content-Type", "application/json")];
        let url = format!("{}{}{path}", self.url, self.mount);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        http::request(method, &url, &headers, body.as_bytes())
    }

    pub(super) fn page(&self, path: &str) -> String {
        format!("{}/console/data{}{path}", self.url, self.mount)
    }
}

/// Signs in without a browser, and gives the cookie of the session.
pub(super) fn cookie(url: &str, id: &str, secret: &str) -> String {
    let headers =
        [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")];
    let form = format!("id={id}&secret={secret}");
    let page = format!("{url}/console/sign-in");
    let signed_in = http::request("POST", &page, &headers, form.as_bytes());
    let cookie = signed_in.header("set-cookie").unwrap_or_default();
    cookie.split(';').next().unwrap_or_default().to_owned()
}

fn people_work_with_data(browser: &mut Browser, server: &Running, store: &str) {
    let site = Site::of(server);
    browser.open(&site.url, 1280, 900);
    let mut person = Person { browser, url: site.url.clone() };
    assert_eq!(person.text("h1"), "Sign in", "a stranger learns how to sign in, and no more");
    person.picture(&format!("{store}-sign-in"));
    person.fill("#secret", "wrong wrong wrong wrong");
    person.sign_in(&site, false);
    assert!(person.text("[role=alert]").contains("no client with this id and secret"));
    person.sign_in(&site, true);
    assert_eq!(person.text("tbody th"), "driver|many|team", "{store}");
    person.picture(&format!("{store}-tree"));
    rows_are_read(&mut person, store);
    a_row_is_changed(&mut person, &site, store);
    two_change_the_same(&mut person, &site, store);
    what_is_wrong_stands_at_its_member(&mut person);
    a_row_is_made_and_deleted(&mut person, &site);
    a_session_ends(&mut person, &site);
    person.click_text("Manual");
    person.fill("#words", "idempotency");
    person.click(".manual form button");
    assert!(person.text(".found").contains("safe to repeat"));
    person.click(".found a");
    person.picture(&format!("{store}-manual"));
}

fn rows_are_read(person: &mut Person<'_>, store: &str) {
    person.click_text("driver");
    assert_eq!(person.text("thead th a:not(.hide)"), "id|name|nick|points|team_id");
    assert_eq!(person.text("tbody td:nth-child(4) span"), "NULL|NULL|empty");
    let kinds =
        "[...document.querySelectorAll('tbody td:nth-child(4)')].map((it) => it.className).join()";
    assert_eq!(
        person.browser.value(kinds),
        "text,null,empty",
        "NULL, an empty text and \"NULL\" differ"
    );
    assert_eq!(
        person.text("tbody td:nth-child(7)"),
        "Red Bull|Ferrari|Red Bull",
        "rows are named that are referred to"
    );
    person.click_text("points");
    person.click_text("points");
    assert_eq!(person.text("tbody td:nth-child(3)"), "Max|Carlos|Sergio");
    assert_eq!(
        person.browser.value(
            "document.querySelector('[aria-sort=descending]').textContent.includes('points')"
        ),
        true
    );
    person.browser.value("document.querySelector('[name=column]').value = 'points', document.querySelector('[name=operator]').value = '$gte'");
    person.fill(".filter [name=value]", "20");
    person.click_text("Add");
    assert_eq!(person.text("tbody td:nth-child(3)"), "Max|Carlos");
    assert!(person.text(".terms").contains("points is at least 20"));
    person.picture(&format!("{store}-grid"));
    let here = person.browser.value("location.href").as_str().unwrap().to_owned();
    person.browser.open(&here, 1280, 900);
    assert_eq!(
        person.text("tbody td:nth-child(3)"),
        "Max|Carlos",
        "all of the page is in its address"
    );
    person.click_text("Count the rows");
    assert!(person.text(".pages").contains("2 rows"));
}

fn a_row_is_changed(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    // By keyboard: to the first cell, down, and its row opens.
    person.browser.value("document.querySelector('td[tabindex=\"0\"]').focus()");
    person.browser.press("ArrowDown");
    assert_eq!(person.browser.value("document.activeElement.closest('tr').rowIndex"), 2);
    person.click("tbody tr:nth-child(1) .open a");
    assert_eq!(person.text("h1"), "driver 1");
    person.fill("[name='=name']", EVIL);
    assert_eq!(person.text("[data-changes]"), "Changed: name");
    person.click_text("Save");
    assert_eq!(person.text(".done"), "Saved.");
    assert_eq!(site.api("GET", "/driver/1", &Value::Null).json()["name"], EVIL);
    person.picture(&format!("{store}-item"));
}

fn two_change_the_same(person: &mut Person<'_>, site: &Site<'_>, store: &str) {
    // Another changes the row meanwhile: what collides is shown, what does not is put together.
    let theirs = json!({"id": 1, "name": "Maximilian", "nick": null, "points": 31, "team_id": 1});
    site.api("PUT", "/driver/1", &theirs);
    person.fill("[name='=name']", "Max V.");
    person.click_text("Save");
    assert!(person.text("[role=alert]").contains("Another has changed this meanwhile"));
    assert_eq!(person.text(".theirs code"), "\"Maximilian\"");
    assert_eq!(person.browser.value("document.querySelector(\"[name='=points']\").value"), "31");
    person.picture(&format!("{store}-merge"));
    person.click_text("Save");
    let row = site.api("GET", "/driver/1", &Value::Null).json();
    assert_eq!(
        (&row["name"], &row["points"], &row["nick"]),
        (&json!("Max V."), &json!(31), &json!(null))
    );
}

fn what_is_wrong_stands_at_its_member(person: &mut Person<'_>) {
    // What is wrong stands at its member, and what was typed is kept.
    person.fill("[name='=points']", "many");
    person.click_text("Save");
    assert!(person.text(".wrong .problem").contains("points"), "{}", person.text("main"));
    assert_eq!(person.browser.value("document.querySelector(\"[name='=points']\").value"), "many");
    person.fill("[name='=points']", "32");
    person.fill("[name='=name']", "Carlos");
    person.click_text("Save");
    assert!(person.text(".wrong .problem").contains("unique"), "{}", person.text("main"));
}

fn a_row_is_made_and_deleted(person: &mut Person<'_>, site: &Site<'_>) {
    person.browser.open(&site.page("/many/"), 1280, 900);
    assert_eq!(person.text("tbody td.number"), "7|1", "more references than the API expands");
    person.browser.open(&site.page("/team/"), 1280, 900);
    person.click_text("New");
    person.fill("[name='=id']", "3");
    person.fill("[name='=name']", "Haas");
    person.click_text("Save");
    assert_eq!((person.text(".done"), person.text("h1")), ("Saved.".into(), "team 3".into()));
    person.click_text("Delete …");
    person.click_text("Delete it");
    assert_eq!(site.api("GET", "/team/3", &Value::Null).status, 404);
}

fn a_session_ends(person: &mut Person<'_>, site: &Site<'_>) {
    // A session that has ended leads back to where it was.
    person.browser.send("Network.clearBrowserCookies", &json!({}));
    person.browser.open(&site.page("/team/1"), 1280, 900);
    assert_eq!(person.text("h1"), "Sign in");
    person.sign_in(site, true);
    assert_eq!(person.text("h1"), "team 1");
    person.click_text("Sign out");
    assert_eq!(person.text("h1"), "Sign in");
}

#[test]
fn people_sign_in_and_change_data_on_sqlite() {
    let Some(mut browser) = browser("people_sign_in_and_change_data_on_sqlite") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    people_work_with_data(&mut browser, &server, "sqlite");
}

#[test]
fn people_sign_in_and_change_data_on_postgres() {
    let Some(mut browser) = browser("people_sign_in_and_change_data_on_postgres") else { return };
    let database = Server::shared().database("console");
    database.exec(TABLES);
    let server = Running::start(&["serve", &database.url()]);
    people_work_with_data(&mut browser, &server, "postgres");
}

/// What a form shows and is not changed is saved as it was: a flag that is NULL, line ends of every kind.
fn members_left_alone_stay(browser: &mut Browser, server: &Running) {
    let site = Site::of(server);
    browser.open(&site.page("/note/1"), 1280, 900);
    let mut person = Person { browser, url: site.url.clone() };
    person.sign_in(&site, true);
    let (body, one_line) = ("a\r\nb\rc\n", "x\ry");
    let row = |s: &str, flag: Value| json!({"id": 1, "s": s, "flag": flag, "body": body, "line": one_line});
    site.api("PUT", "/note/1", &row("x", Value::Null));
    person.browser.open(&site.page("/note/1"), 1280, 900);
    let stored = || {
        let mut row = site.api("GET", "/note/1", &Value::Null).json();
        row.as_object_mut().unwrap().remove("links");
        row
    };
    person.fill("[name='=s']", "y");
    person.click_text("Save");
    assert_eq!(stored(), row("y", Value::Null));
    for (choice, flag) in [("true", json!(true)), ("false", json!(false))] {
        person.browser.value(&format!(
            "(() => {{ const flag = document.querySelector(\"[name='=flag']\"); flag.value = '{choice}'; flag.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
        ));
        person.click_text("Save");
        assert_eq!(stored(), row("y", flag));
    }
    person.browser.value("document.querySelector('[name=null][value=flag]').checked = true");
    person.click_text("Save");
    assert_eq!(stored(), row("y", Value::Null));
    person.browser.open(&site.page("/note/"), 1280, 900);
    person.click_text("New");
    person.fill("[name='=id']", "2");
    person.click_text("Save");
    let made = site.api("GET", "/note/2", &Value::Null).json();
    assert_eq!((&made["flag"], &made["s"]), (&Value::Null, &Value::Null));
}

const NOTES: &str = "CREATE TABLE note (id integer PRIMARY KEY, s varchar(20), flag boolean, body varchar(200), line varchar(20));
    INSERT INTO note (id) VALUES (1);";

#[test]
fn members_that_are_left_alone_stay_on_sqlite() {
    let Some(mut browser) = browser("members_that_are_left_alone_stay_on_sqlite") else { return };
    let folder = Folder::new();
    let file = folder.load("notes.db", &[NOTES]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    members_left_alone_stay(&mut browser, &server);
}

#[test]
fn members_that_are_left_alone_stay_on_postgres() {
    let Some(mut browser) = browser("members_that_are_left_alone_stay_on_postgres") else { return };
    let database = Server::shared().database("notes");
    database.exec(NOTES);
    let server = Running::start(&["serve", &database.url()]);
    members_left_alone_stay(&mut browser, &server);
}

/// The link of a start signs in once; where others can connect, there is no console unless it is asked for.
#[test]
fn a_link_signs_in_once_and_strangers_find_no_console() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let server = Running::start(&["serve", &file]);
    let link = server.ready()["console"].as_str().unwrap().to_owned();
    let (address, code) = link.split_once('#').unwrap();
    let form = |code: &str, more: &[(&str, &str)]| {
        let headers = [&[("Content-Type", "application/x-www-form-urlencoded")], more].concat();
        http::request("POST", address, &headers, format!("code={code}").as_bytes())
    };
    let own = [("Sec-Fetch-Site", "same-origin")];
    assert_eq!(form(code, &[]).status, 403, "a form of no page");
    assert_eq!(form(code, &[("Sec-Fetch-Site", "cross-site")]).status, 403);
    assert_eq!(form(code, &[("Origin", "http://evil.example")]).status, 403);
    assert_eq!(form("wrong", &own).status, 403);
    let signed_in = form(code, &own);
    assert_eq!(signed_in.status, 303, "{}", signed_in.text());
    assert_eq!(form(code, &own).status, 403, "once");
    let cookie = signed_in.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let url = server.url();
    let with = |path: &str| http::get(&format!("{url}{path}"), &[("Cookie", cookie)]);
    assert!(with("/console/").text().contains("/console/data/api/main/driver/"));
    assert_eq!(with("/api/main/driver/1").status, 401, "the API takes no cookie");
    let other =
        http::get(&format!("{url}/console/"), &[("Cookie", cookie), ("Host", "evil.example")]);
    assert_eq!(other.status, 403, "a name that leads here");
    let headers = [
        ("Cookie", cookie),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Sec-Fetch-Site", "same-origin"),
    ];
    let forged = http::request(
        "POST",
        &format!("{url}/console/data/api/main/driver/1"),
        &headers,
        b"action=delete&csrf=0",
    );
    assert_eq!(forged.status, 403, "a form of another session");
    for arguments in [&["--console", "off"][..], &["--listen", "0.0.0.0:0"]] {
        let server = Running::start(&[&["serve", &file], arguments].concat());
        let url = server.url().replace("0.0.0.0", "127.0.0.1");
        assert_eq!(http::get(&format!("{url}/console/"), &[]).status, 401);
        assert!(server.ready().get("console").is_none());
    }
    let server = Running::start(&["serve", &file, "--console", "/people", "--listen", "0.0.0.0:0"]);
    let url = server.url().replace("0.0.0.0", "127.0.0.1");
    assert_eq!(http::get(&format!("{url}/people/sign-in"), &[("Host", "db.example")]).status, 200);
}
