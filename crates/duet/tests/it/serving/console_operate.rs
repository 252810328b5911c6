//! The console's page of the running server: each database as it says itself, with who blocks whom, as far as the server's
//! role may read it.

use duet_testkit::command::{Running, Signal, clean, wait_until};
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

/// Waits in another session, in a transaction that has written a row.
fn writer(url: &str, name: &str, sleep: &str) -> Running {
    let mut psql = clean("psql".as_ref());
    psql.env("PGAPPNAME", name);
    let script = format!("BEGIN; UPDATE driver SET points = points + 1 WHERE id = 1; {sleep}");
    psql.args(["-X", "-q", url, "-c", &script]);
    Running::start_program(psql)
}

fn open<'b>(browser: &'b mut duet_testkit::browser::Browser, site: &Site<'_>) -> Person<'b> {
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser, url: site.url.clone() };
    person.sign_in(site, true);
    person.click_text("Operate");
    person
}

fn view(site: &Site<'_>) -> Value {
    let url = format!("{}/admin/database", site.url);
    http::get(&url, &[("Authorization", &site.token)]).json()["databases"][0].clone()
}

#[test]
fn blocked_sessions_and_who_blocks_them_are_shown() {
    let Some(mut browser) = browser("blocked_sessions_and_who_blocks_them_are_shown") else {
        return;
    };
    let database = Server::shared().database("console_operate");
    database.exec(TABLES);
    let server = Running::start(&["serve", &database.url()]);
    let site = Site::of(&server);
    let mut first = writer(&database.url(), "nightly <b>job", "SELECT pg_sleep(600)");
    let count = |what: &str| {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";
        database.query(&format!("{count} AND {what}")) == "1"
    };
    wait_until("the first has written", || count("wait_event = 'PgSleep'"));
    let mut second = writer(&database.url(), "report", "COMMIT");
    wait_until("the second waits", || count("wait_event_type = 'Lock'"));
    let seen = view(&site);
    assert_eq!(seen["kind"], "postgres", "{seen}");
    let sessions = seen["sessions"].as_array().unwrap();
    let of = |name: &str| sessions.iter().find(|it| it["program"] == name).unwrap().clone();
    let (holds, waits) = (of("nightly <b>job"), of("report"));
    assert_eq!(waits["blockedBy"], Value::from(vec![holds["process"].clone()]));
    assert_eq!((&waits["verb"], &holds["blockedBy"]), (&"BEGIN".into(), &Value::Array(Vec::new())));
    assert!(seen["counters"]["commits"].as_f64().unwrap() > 0.0, "{seen}");
    assert_eq!(seen["unread"], Value::Array(Vec::new()), "the role may read all: {seen}");
    let mut person = open(&mut browser, &site);
    person.browser.wait_for("document.querySelector('tr.blocked')?.textContent.includes('report')");
    let blocked = person.text("tr.blocked td:last-child");
    assert!(blocked.contains("nightly <b>job"), "{blocked}");
    assert!(person.text(".states .blocked").contains("1 blocked"));
    person
        .browser
        .wait_for("document.getElementById('databases').textContent.includes('Commits a second')");
    person.browser.value("document.getElementById('pause').click()");
    person.picture("postgres-operate");
    for writer in [&mut first, &mut second] {
        writer.signal(Signal::SIGKILL);
        writer.wait();
    }
    database.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name IN ('report', 'nightly <b>job')");
}

/// A role without the right sees that there is more, and what to grant.
#[test]
fn what_the_role_may_not_read_is_said() {
    let server = Server::shared();
    let database = server.database("console_operate_role");
    database.exec(TABLES);
    database.exec(
        "DROP ROLE IF EXISTS console_plain; CREATE ROLE console_plain LOGIN;
         GRANT USAGE ON SCHEMA public TO console_plain; GRANT SELECT ON ALL TABLES IN SCHEMA public TO console_plain;",
    );
    let mut other = writer(&database.url(), "secret", "SELECT pg_sleep(600)");
    let sleeps = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    wait_until("the other has written", || database.query(sleeps) == "1");
    let plain = database.url().replace("user=postgres", "user=console_plain");
    let served = Running::start(&["serve", &plain]);
    let seen = view(&Site::of(&served));
    let unread = seen["unread"][0].as_str().unwrap();
    assert!(unread.contains("GRANT pg_read_all_stats"), "{seen}");
    let hidden = seen["sessions"].as_array().unwrap().iter().find(|it| it["state"].is_null());
    assert!(hidden.is_some_and(|it| it["verb"].is_null()), "{seen}");
    drop(served);
    other.signal(Signal::SIGKILL);
    other.wait();
    database.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
    database.exec("DROP OWNED BY console_plain; DROP ROLE console_plain;");
}

#[test]
fn a_sqlite_file_is_shown() {
    let Some(mut browser) = browser("a_sqlite_file_is_shown") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let server = Running::start(&["serve", &file, "--wal"]);
    let site = Site::of(&server);
    let before = view(&site);
    assert_eq!(
        (&before["kind"], &before["sessions"]),
        (&"sqlite".into(), &Value::Array(Vec::new()))
    );
    let body = serde_json::json!({"id": 9, "name": "Haas"});
    site.api("PUT", "/team/9", &body);
    let commits = |view: &Value| view["counters"]["commits"].as_f64().unwrap();
    let after = view(&site);
    assert_eq!(commits(&after), commits(&before) + 1.0, "{after}");
    assert!(after["gauges"]["file_bytes"].as_f64().unwrap() > 4096.0, "{after}");
    assert!(after["gauges"]["wal_bytes"].as_f64().unwrap() > 0.0, "{after}");
    let strange = http::get(&format!("{}/admin/database", site.url), &[]);
    assert_eq!(strange.status, 401);
    let mut person = open(&mut browser, &site);
    person
        .browser
        .wait_for("document.getElementById('databases').textContent.includes('Commits a second')");
    assert!(person.text("#databases").contains("SQLite keeps no sessions"));
    person.browser.value("document.getElementById('pause').click()");
    person.picture("sqlite-instance");
}

/// The log's last lines, by level and words; what is older makes room, and strangers see none.
#[test]
fn the_log_is_filtered() {
    let Some(mut browser) = browser("the_log_is_filtered") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let server = Running::start(&["serve", &file, "--slow-log", "0ms", "--log-lines", "40"]);
    let site = Site::of(&server);
    for _ in 0..50 {
        site.api("GET", "/driver/2", &Value::Null);
    }
    let lines = |query: &str| {
        let url = format!("{}/admin/log{query}", site.url);
        http::get(&url, &[("Authorization", &site.token)]).json()["lines"].clone()
    };
    let all = lines("");
    assert_eq!(all.as_array().unwrap().len(), 40, "{all}");
    assert!(all[0]["text"].as_str().unwrap().contains("resource=\"driver\""), "{all}");
    assert!(!all.to_string().contains(site.token.trim_start_matches("Bearer ")), "no secrets");
    assert_eq!(lines("?words=zzqx"), Value::Array(Vec::new()));
    assert_eq!(lines("?level=error"), Value::Array(Vec::new()));
    let url = format!("{}/admin/log", site.url);
    assert_eq!(http::get(&url, &[]).status, 401);
    let bearer = [("Authorization", &*site.token)];
    assert_eq!(http::get(&format!("{url}?level=loud"), &bearer).status, 400);
    let mut person = open(&mut browser, &site);
    person.click_text("Log");
    assert!(person.text("#log tbody tr:first-child").contains("WARN"), "{}", person.text("main"));
    person.fill("[name=words]", "<img src=x onerror=document.title='run'>");
    person.click_text("Show");
    assert!(person.text("main").contains("No line that is kept has this"));
    person.fill("[name=words]", "DRIVER slow");
    person.click_text("Show");
    assert!(person.text("#log .line").contains("driver"));
    person.picture("sqlite-log");
    // A slow request leads to what it costs.
    person.click_text("Explain");
    assert!(person.text("h1").starts_with("What a page of"), "{}", person.text("h1"));
}
