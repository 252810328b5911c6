//! `duet demo` and `duet serve`: start, what is printed, stop.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use duet_testkit::command::{Running, Signal, clean};
use duet_testkit::tls::Authority;
use duet_testkit::{http, sqlite};
use rustls::version::TLS13;

use crate::{duet, duet_says};

#[test]
fn the_printed_line_works_as_pasted() {
    let first = Running::start(&["demo", "--listen", "127.0.0.1:0"]);
    the_line_behind(&first, "A request:\n");
    let demo = Running::start(&["demo", "--listen", "127.0.0.1:0", "--verbose"]);
    the_line_behind(&demo, "A token and a request:\n");
    let output = demo.output();
    let id = demo.ready()["client_id"].as_str().unwrap();
    assert!(output.contains(id));
    assert_eq!(
        demo.ready()["mounts"],
        serde_json::json!({"car-racing": "/ords/hr", "chinook": "/ords/chinook", "orders": "/orders-storage", "transactions": ""})
    );
    let file = output.split("from SQLite ").nth(1).unwrap().lines().next().unwrap().to_owned();
    assert!(Path::new(&file).exists());
    assert!(demo.stop().success());
    assert!(!Path::new(&file).parent().unwrap().exists());
}

/// Runs the command line behind a heading.
fn the_line_behind(demo: &Running, heading: &str) {
    demo.wait_for_output("duet bench run rest");
    let output = demo.output();
    let secret = demo.ready()["client_secret"].as_str().expect("a secret");
    let line =
        output.split(heading).nth(1).and_then(|it| it.lines().next()).expect("a line").trim();
    // Standard output is no terminal: the secret is in the ready file alone.
    let line = line.replace(":SECRET ", &format!(":{secret} "));
    let answer = Command::new("sh").args(["-c", &line]).output().expect("sh runs");
    let page: serde_json::Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    assert_eq!(page["count"], 6, "{page}");
    assert!(!output.contains(secret), "{output}");
    assert!(output.contains("--ready-file FILE"), "{output}");
    assert!(!demo.errors().contains(secret));
}

/// On a terminal, which `script` makes, the secret of the run is shown.
#[test]
fn the_secret_of_the_run_is_for_terminals() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    for instances in ["", " --instances 1"] {
        let line = format!(
            "exec {} serve sqlite:{} --listen 127.0.0.1:0{instances}",
            env!("CARGO_BIN_EXE_duet"),
            folder.path().join("a.db").display()
        );
        let mut script = clean(Path::new("script"));
        let script = script.args(["-qfec", &line, "/dev/null"]);
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let secret = lines.into_iter().find_map(|line| {
            line.trim().strip_prefix("client_secret").map(|secret| secret.trim().to_owned())
        });
        // What the terminal's end sends is the end of the program.
        child.stdin.take().unwrap().write_all(b"\x03").unwrap();
        child.wait().unwrap();
        let secret = secret.expect("the client of the run");
        assert!(secret.len() > 20 && secret != "SECRET", "{secret}");
    }
}

#[test]
fn a_demo_that_is_kept_is_served_again_as_it_is() {
    let folder = sqlite::Folder::new();
    let keep = folder.path().join("deep/er").display().to_string();
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--open", "read", "--keep", &keep];
    assert!(Running::start(&arguments).stop().success());
    let file = folder.path().join("deep/er/car-racing.sqlite");
    sqlite::open(&file).execute("UPDATE team SET name = 'Mine' WHERE team_id = 2", []).unwrap();
    let again = Running::start(&arguments);
    again.wait_for_output("!! OPEN");
    let team = http::get(&format!("{}/ords/hr/team/2", again.url()), &[]).json();
    assert_eq!(team["name"], "Mine");
}

#[test]
fn ready_file_socket_and_end() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let socket = folder.path().join("d.sock");
    let ready = folder.path().join("ready");
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.arg("serve").arg(&database).args(["--listen", "127.0.0.1:0", "--listen"]);
    command.arg(format!("unix:{}", socket.display()));
    // Another one by its variable; the flag that the test adds wins.
    command.env("DUET_READY_FILE", &ready);
    let server = Running::start_command(command);
    assert!(!ready.exists());
    let urls = server.ready()["urls"].as_array().unwrap();
    assert_eq!(urls.len(), 2);
    assert_eq!(urls[1], format!("unix:{}", socket.display()));
    assert!(socket.exists());
    let bearer = server.bearer();
    let get = |path: &str| {
        http::get(&format!("{}{path}", server.url()), &[("Authorization", &bearer)]).status
    };
    assert_eq!(get("/api/main/t/"), 200);
    assert_eq!(get("/api/main/later/"), 404);
    sqlite::open(&database).execute_batch("CREATE TABLE later (id INTEGER PRIMARY KEY)").unwrap();
    server.signal(Signal::SIGHUP);
    server.wait_for_output("reloaded");
    assert_eq!(get("/api/main/later/"), 200);
    assert!(server.stop().success());
    assert!(!socket.exists());
}

#[test]
fn the_ready_file_is_for_its_owner() {
    let folder = sqlite::Folder::new();
    let ready = folder.path().join("own");
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["demo", "--listen", "127.0.0.1:0", "--ready-file"]).arg(&ready);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !ready.exists() {
        assert!(std::time::Instant::now() < deadline, "it does not serve");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mode = ready.metadata().unwrap().permissions().mode();
    // Whole as soon as it is there.
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(&ready).unwrap()).unwrap();
    // In an orderly way, so that the demo's folder goes too.
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    child.wait().unwrap();
    assert!(!ready.exists());
    assert_eq!(mode & 0o777, 0o600);
    assert!(told["client_secret"].is_string());
}

#[test]
fn an_application_on_the_disk() {
    let folder = sqlite::Folder::new();
    folder.load("shop.db", &["CREATE TABLE Item (ItemId INTEGER PRIMARY KEY, Note)"]);
    let text = "name = 'shop'\nmount = '/shop'\ndatabase = 'shop.db'\n\
        [resources.item]\ncolumns = { ItemId = 'item_id' }\nhidden = ['note']\n\
        [settings]\nlisten = '127.0.0.1:0'\nopen = 'read'\n";
    let file = folder.path().join("app.toml");
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    sqlite::open(&folder.path().join("shop.db"))
        .execute_batch("INSERT INTO Item VALUES (7, 'x')")
        .unwrap();
    let checked = duet_says(&["check", &file]);
    assert!(checked.lines().any(|line| line.starts_with("shop fits SQLite ")), "{checked}");
    let server = Running::start(&["serve", "--config", &file]);
    let item = http::get(&format!("{}/shop/item/7", server.url()), &[]).json();
    assert_eq!(item["item_id"], 7);
    assert_eq!(item.get("note"), None);
}

/// `--database` takes the place of the database that an application names; it is for one application.
#[test]
fn an_application_over_another_database() {
    let folder = sqlite::Folder::new();
    let other = folder.load("other.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    let text = "name = 'shop'\nmount = '/shop'\ndatabase = 'absent.db'\n\
        [settings]\nlisten = '127.0.0.1:0'\nopen = 'read'\n";
    std::fs::write(folder.path().join("app.toml"), text).unwrap();
    let (shop, other) = (folder.path().display().to_string(), other.display().to_string());
    let (shop, other) = (shop.as_str(), other.as_str());
    let server = Running::start(&["serve", shop, "--database", other]);
    assert_eq!(http::get(&format!("{}/shop/item/", server.url()), &[]).status, 200);
    for sources in [&[other][..], &[shop, other]] {
        let (code, _, errors) = duet(&[&["serve"], sources, &["--database", other]].concat());
        assert_eq!(code, 1, "{sources:?}");
        assert!(errors.contains("--database is for one application"), "{errors}");
    }
}

#[test]
fn check_shows_views_that_do_not_fit() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)"]);
    let file = folder.path().join("app.toml");
    std::fs::write(&file, "name = 'a'\nmount = '/a'\nviews = ['*.sql']\n").unwrap();
    for (name, column) in [("a.sql", "nmae"), ("b.sql", "x")] {
        let text =
            format!("CREATE JSON DUALITY VIEW {}v AS t {{ _id: id, n: {column} }}", &name[..1]);
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let (file, database) = (file.display().to_string(), database.display().to_string());
    let (code, _, errors) = duet(&["check", &file, "--database", &database]);
    assert_eq!(code, 1);
    assert!(errors.contains("--> a.sql:1:") && errors.contains("--> b.sql:1:"), "{errors}");
    assert!(errors.contains("Did you mean `name`?"), "{errors}");
    std::fs::write(folder.path().join("b.sql"), "CREATE JSON").unwrap();
    let (code, _, errors) = duet(&["check", &file]);
    assert_eq!(code, 1);
    assert!(errors.contains("--> b.sql:1:") && !errors.contains("a.sql"), "{errors}");
    let (code, _, errors) = duet(&["check", &database]);
    assert_eq!(code, 1);
    assert!(errors.contains("it is a SQLite database, not an application"), "{errors}");
}

#[test]
fn all_printed_urls_use_https() {
    let (folder, authority) = (sqlite::Folder::new(), Authority::new());
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let files = ["server.crt", "server.key"].map(|name| folder.path().join(name));
    let write = |pair: (String, String)| {
        std::fs::write(&files[0], pair.0).unwrap();
        std::fs::write(&files[1], pair.1).unwrap();
    };
    write(authority.server());
    let [certificate, key] = files.each_ref().map(|file| file.display().to_string());
    let database = database.display().to_string();
    let server = Running::start(&[
        "serve",
        &database,
        "--listen",
        "127.0.0.1:0",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
        "--open",
        "read",
    ]);
    let url = server.url();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    server.wait_for_output(&format!("curl -s '{url}/api/main/t/'"));
    let connect = || authority.connect(&url, &[&TLS13], &["http/1.1"]).unwrap();
    let shown = || connect().conn.peer_certificates().unwrap()[0].to_vec();
    let mut client = http::Client::over_tls(connect(), "localhost");
    assert_eq!(client.get("/api/main/t/", &[]).status, 200);
    let old = shown();
    write(authority.server());
    server.signal(Signal::SIGHUP);
    server.wait_for_output("reloaded");
    assert_ne!(shown(), old);
    assert_eq!(client.get("/api/main/t/", &[]).status, 200);
    assert!(server.stop().success());
}
