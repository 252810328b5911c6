//! Sessions of the console: their cookies are no tokens, and end on every process and server when their person signs out.

use duet_testkit::command::{Running, wait_until};
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet;

const TABLE: &str = "CREATE TABLE team (id integer PRIMARY KEY, name varchar(80) NOT NULL);
    INSERT INTO team VALUES (1, 'Red Bull');";

fn post(url: &str, path: &str, (cookie, form): (&str, &str)) -> Response {
    let own = ("Sec-Fetch-Site", "same-origin");
    let media = ("Content-Type", "application/x-www-form-urlencoded");
    let url = format!("{url}/console{path}");
    http::request("POST", &url, &[own, media, ("Cookie", cookie)], form.as_bytes())
}

/// The cookie of the session that an answer begins or goes on with.
fn cookie_of(answer: &Response) -> String {
    let set = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let mut pairs = set.filter_map(|(_, value)| value.split(';').next());
    pairs.find(|it| it.starts_with("duet-console=")).unwrap_or_default().to_owned()
}

fn signed_in(url: &str, client: &Value) -> String {
    let text = |name: &str| client[name].as_str().unwrap_or_default().to_owned();
    let form = format!("id={}&secret={}", text("client_id"), text("client_secret"));
    let answer = post(url, "/sign-in", ("", &form));
    assert_eq!(answer.status, 303, "{}", answer.text());
    cookie_of(&answer)
}

/// A page that only who has signed in sees.
fn page(server: &Running, cookie: &str) -> Response {
    let mounts = server.ready()["mounts"].as_object();
    let mount = mounts.and_then(|all| all.values().next()?.as_str()).unwrap_or_default();
    let url = format!("{}/console/data{mount}/team/1", server.url());
    http::get(&url, &[("Cookie", cookie)])
}

fn sign_out(server: &Running, cookie: &str) {
    let shown = page(server, cookie);
    let text = shown.text();
    let csrf = text.split("name=\"csrf\" value=\"").nth(1).and_then(|it| it.split('"').next());
    let answer =
        post(&server.url(), "/sign-out", (cookie, &format!("csrf={}", csrf.unwrap_or_default())));
    assert_eq!((answer.status, &*cookie_of(&answer)), (303, "duet-console="), "{}", answer.text());
}

/// The cookie is no bearer token, and none of its parts is.
fn is_no_token(url: &str, cookie: &str) {
    let value = cookie.trim_start_matches("duet-console=");
    assert!(value.len() > 40, "{cookie}");
    let bearer = format!("Bearer {value}");
    for header in [("Authorization", &*bearer), ("X-API-Key", value), ("Cookie", cookie)] {
        let answer = http::get(&format!("{url}/api/main/team/1"), &[header]);
        assert_eq!(answer.status, 401, "{}", answer.text());
    }
}

/// Clients of the run: all processes end the session, though nothing is stored.
#[test]
fn signing_out_ends_a_session_in_every_process() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &["PRAGMA journal_mode = wal", TABLE]);
    let server = Running::start(&["serve", &file.display().to_string(), "--instances", "3"]);
    let url = server.url();
    let cookie = signed_in(&url, server.ready());
    let other = signed_in(&url, server.ready());
    is_no_token(&url, &cookie);
    // A connection each, so that every process answers some.
    let statuses = |cookie: &str| [(); 24].map(|()| page(&server, cookie).status);
    assert_eq!(statuses(&cookie), [200; 24]);
    let later = cookie_of(&page(&server, &cookie));
    assert_ne!(later, cookie, "each page gives the cookie again");
    sign_out(&server, &cookie);
    assert_eq!((statuses(&cookie), statuses(&later)), ([303; 24], [303; 24]));
    assert_eq!(statuses(&other), [200; 24], "another session of the client goes on");
}

/// Two servers that share their clients share the ends of sessions, and a later process knows them too.
fn ends_at_every_server(database: &str, place: &[&str], serve: &[&str]) {
    let add = ["client", "add", "ann", "--role", "duet.read", "--json"];
    let (_, client, errors) = duet(&[&add[..], place].concat());
    let client: Value = serde_json::from_str(&client).unwrap_or_else(|_| panic!("{errors}"));
    let start = || Running::start(&[&["serve", database][..], serve].concat());
    let [one, other] = [start(), start()];
    let cookie = signed_in(&one.url(), &client);
    is_no_token(&one.url(), &cookie);
    assert_eq!(page(&other, &cookie).status, 200);
    sign_out(&one, &cookie);
    assert_eq!(page(&one, &cookie).status, 303);
    wait_until("the other server knows", || page(&other, &cookie).status == 303);
    assert_eq!(page(&start(), &cookie).status, 303);
}

#[test]
fn signing_out_ends_a_session_at_servers_with_a_state_file() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &["PRAGMA journal_mode = wal", TABLE]);
    let state = folder.path().join("state").display().to_string();
    let place = ["--state", &*state];
    ends_at_every_server(&file.display().to_string(), &place, &place);
}

#[test]
fn signing_out_ends_a_session_at_servers_with_clients_in_the_database() {
    let database = Server::shared().database("console_sessions");
    database.exec(TABLE);
    let url = database.url();
    ends_at_every_server(&url, &["--in-database", &url], &[]);
}

/// Keys do not sign in, so that none is in a browser.
#[test]
fn an_api_key_begins_no_session() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLE]).display().to_string();
    let state = folder.path().join("state").display().to_string();
    let add = ["client", "add", "etl", "--key", "--role", "duet.read", "--json", "--state", &state];
    let (_, client, _) = duet(&add);
    let client: Value = serde_json::from_str(&client).unwrap_or_default();
    let key = client["api_key"].as_str().unwrap_or_default();
    let server = Running::start(&["serve", &file, "--state", &state]);
    let read = http::get(&format!("{}/api/main/team/1", server.url()), &[("X-API-Key", key)]);
    assert_eq!(read.status, 200, "{}", read.text());
    let answer = post(&server.url(), "/sign-in/token", ("", &format!("token={key}")));
    assert_eq!((answer.status, &*cookie_of(&answer)), (401, ""), "{}", answer.text());
}
