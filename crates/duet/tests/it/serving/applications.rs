//! Several applications in one process: each with its own database, mounts, clients and trouble.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use duet_testkit::command::{Running, Signal, clean, wait_until};
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// An application's folder with a table `item` of one row, whose note is the application's name.
fn application(folder: &Folder, name: &str, mount: &str, rest: &str) -> String {
    let path = folder.path().join(name);
    fs::create_dir_all(&path).expect("a folder");
    folder.load(
        &format!("{name}/data.db"),
        &[
            "CREATE TABLE item (id INTEGER PRIMARY KEY, note TEXT)",
            &format!("INSERT INTO item VALUES (1, '{name}')"),
        ],
    );
    write_app(&path, name, mount, rest);
    path.display().to_string()
}

fn write_app(folder: &Path, name: &str, mount: &str, rest: &str) {
    let text = format!("name = '{name}'\nmount = '{mount}'\ndatabase = 'data.db'\n{rest}");
    fs::write(folder.join("app.toml"), text).expect("a file");
}

fn serve(sources: &[&str], flags: &[&str]) -> Running {
    Running::start(&[&["serve"], sources, &["--listen", "0"], flags].concat())
}

fn get(server: &Running, path: &str, bearer: &str) -> Response {
    http::get(&format!("{}{path}", server.url()), &[("Authorization", bearer)])
}

fn note(server: &Running, path: &str, bearer: &str) -> Value {
    get(server, path, bearer).json()["note"].clone()
}

/// `Bearer …` of a client, from one of the endpoints for tokens.
fn bearer_from(server: &Running, path: &str, id: &str, secret: &str) -> Response {
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    http::request("POST", &format!("{}{path}", server.url()), &headers, form.as_bytes())
}

fn token(response: &Response) -> String {
    format!("Bearer {}", response.json()["access_token"].as_str().expect("a token"))
}

#[test]
fn three_on_sqlite_and_one_on_postgres() {
    let folder = Folder::new();
    let shop = application(&folder, "shop", "/ords/shop", "");
    let desk =
        application(&folder, "desk", "/authn", "[limits]\nmax_page_size = 7\npage_size = 7\n");
    let music = folder.load("music.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY, note TEXT)"]);
    let postgres = Server::shared().database("applications_four");
    postgres.exec(
        "CREATE TABLE item (id int PRIMARY KEY, note text); INSERT INTO item VALUES (1, 'pg')",
    );
    let desk_toml = format!("{desk}/app.toml");
    let music = music.display().to_string();
    let server = serve(&[&shop, &desk_toml, &music, &postgres.url()], &["--access-log", "json"]);
    server.wait_for_output("Duet serves 4 applications\n");
    let bearer = server.bearer();
    assert_eq!(note(&server, "/ords/shop/item/1", &bearer), "shop");
    assert_eq!(note(&server, "/authn/item/1", &bearer), "desk");
    assert_eq!(note(&server, "/api/applications_four/public/item/1", &bearer), "pg");
    assert_eq!(get(&server, "/api/music/main/item/", &bearer).json()["count"], 0);
    // Settings of an application are its own.
    assert_eq!(get(&server, "/authn/item/?limit=100", &bearer).json()["limit"], 7);
    assert_eq!(get(&server, "/ords/shop/item/?limit=100", &bearer).json()["limit"], 100);
    for path in ["/ords/shopx/item/1", "/api/main/item/", "/ords/", "/nothing"] {
        assert_eq!(get(&server, path, &bearer).status, 404, "{path}");
        assert_eq!(http::get(&format!("{}{path}", server.url()), &[]).status, 401, "{path}");
    }
    // A mount's own endpoint gives tokens too, and each mount has its own description.
    let (id, secret) = (&server.ready()["client_id"], &server.ready()["client_secret"]);
    let (id, secret) = (id.as_str().unwrap(), secret.as_str().unwrap());
    let other = token(&bearer_from(&server, "/authn/oauth/token", id, secret));
    assert_eq!(note(&server, "/ords/shop/item/1", &other), "shop");
    let document = get(&server, "/authn/open-api-catalog/", &bearer);
    assert!(document.text().contains("/authn"), "{document:?}");
    assert!(!document.text().contains("/ords/shop"), "{document:?}");

    let metrics = get(&server, "/metrics", &bearer);
    for line in [
        "duet_application_up{application=\"applications_four\"} 1",
        "duet_catalog_generation{application=\"music\"} 1",
        "duet_store_streams_total{application=\"desk\"} 0",
        "duet_resource_requests_total{application=\"desk\",resource=\"/authn/item\",status=\"2xx\"} 2",
        "duet_resource_requests_total{application=\"music\",resource=\"/api/music/main/item\",status=\"2xx\"} 1",
    ] {
        assert!(metrics.text().lines().any(|found| found == line), "{line}: {}", metrics.text());
    }
    let status = get(&server, "/admin/status", &bearer).json();
    let names: Vec<_> =
        status["applications"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["shop", "desk", "music", "applications_four"]);
    assert_eq!(server.ready()["mounts"]["music/main"], "/api/music/main");
    server.wait_for_output("\"application\":\"desk\"");
    assert!(server.stop().success());
}

#[test]
fn collisions_end_the_start_and_name_both() {
    let folder = Folder::new();
    let shop = application(&folder, "shop", "/ords/shop", "");
    let same = application(&folder, "same", "/ords/shop/", "");
    let hiding = application(&folder, "hiding", "/ords/shop/item/x", "");
    let catalog = application(&folder, "catalog", "/ords/shop/metadata-catalog", "");
    let reserved = application(&folder, "reserved", "/oauth", "");
    let listening = application(&folder, "listening", "/l", "[settings]\nlisten = '8080'\n");
    let twin = application(&folder, "twin", "/twin", "");
    write_app(Path::new(&twin), "shop", "/twin", "");
    for (other, expected) in [
        (&same, "The applications \"shop\" and \"same\" have the same mount, /ords/shop."),
        (
            &hiding,
            "The mount /ords/shop/item/x of application \"hiding\" hides /ords/shop/item of application \"shop\".",
        ),
        (
            &catalog,
            "The mount /ords/shop/metadata-catalog of application \"catalog\" hides /ords/shop/metadata-catalog of application \"shop\".",
        ),
        (&reserved, "`mount` cannot begin with `/oauth`: Duet serves that path itself."),
        (&listening, "listening/app.toml:5:10: `listen` is a setting of the process"),
        (&twin, "Two applications are named \"shop\"."),
    ] {
        for sources in [[&shop, other], [other, &shop]] {
            let (code, _, errors) = duet(&["serve", sources[0], sources[1]]);
            assert_eq!(code, 1, "{errors}");
            // The first one is named first.
            let same = other == &same && sources[0] == other;
            let expected = if same {
                "The applications \"same\" and \"shop\" have the same mount, /ords/shop."
            } else {
                expected
            };
            assert!(errors.contains(expected), "{sources:?}: {errors}");
        }
    }
    // A longer mount that hides nothing is served beside the shorter one.
    let deep = application(&folder, "deep", "/ords/shop/deep", "");
    let server = serve(&[&shop, &deep, &listening], &[]);
    let bearer = server.bearer();
    assert_eq!(note(&server, "/ords/shop/deep/item/1", &bearer), "deep");
    assert_eq!(note(&server, "/ords/shop/item/1", &bearer), "shop");
    // What appears later is hidden, and a note says so.
    duet_testkit::sqlite::open(&folder.path().join("shop/data.db"))
        .execute_batch("CREATE TABLE deep (id INTEGER PRIMARY KEY)")
        .unwrap();
    server.wait_for_output(
        "The mount /ords/shop/deep of application \"deep\" hides /ords/shop/deep of application \"shop\".",
    );
    assert_eq!(note(&server, "/ords/shop/deep/item/1", &bearer), "deep");
}

/// The console and agents answer at paths of their own, and hide nothing: that ends the start, and a check says it too.
#[test]
fn the_console_hides_nothing() {
    let folder = Folder::new();
    let settings = |name: &str, mount: &str, rest: &str| {
        application(&folder, name, mount, &format!("[settings]\n{rest}\n"))
    };
    for (app, expected) in [
        (
            settings("whole", "/ck", "console = '/ck'"),
            "cannot serve /ck: Duet itself answers at /ck (`console`).",
        ),
        (
            settings("above", "/ck/b", "console = '/ck'"),
            "cannot serve /ck/b: Duet itself answers at /ck (`console`).",
        ),
        (
            settings("one", "/ck", "console = '/ck/item'"),
            "cannot serve /ck/item: Duet itself answers at /ck/item (`console`).",
        ),
        (
            settings("usual", "/console", "console = 'on'"),
            "cannot serve /console: Duet itself answers at /console (`console`).",
        ),
        (
            settings("root", "/", "console = '/item'"),
            "cannot serve /item: Duet itself answers at /item (`console`).",
        ),
        (
            settings("agents", "/mcp", "mcp = 'read'"),
            "cannot serve /mcp: Duet itself answers at /mcp (`mcp`).",
        ),
        (settings("health", "/ck", "console = '/health'"), "Duet answers at `/health` already."),
    ] {
        for command in [&["serve", &app, "--listen", "0"][..], &["check", &app]] {
            let (code, _, errors) = duet(command);
            assert!(code == 1 && errors.contains(expected), "{command:?}: {errors}");
        }
    }
    let beside = settings("beside", "/ck", "console = '/ck/desk'\nopen = 'read'");
    duet_says(&["check", &beside]);
    let server = serve(&[&beside], &[]);
    let status = |path: &str| http::get(&format!("{}{path}", server.url()), &[]).status;
    assert_eq!(status("/ck/item/1"), 200);
    // What appears later is hidden, and a note says so.
    duet_testkit::sqlite::open(&folder.path().join("beside/data.db"))
        .execute_batch("CREATE TABLE desk (id INTEGER PRIMARY KEY)")
        .unwrap();
    server.wait_for_output("cannot serve /ck/desk: Duet itself answers at /ck/desk (`console`).");
    let page = http::get(&format!("{}/ck/desk", server.url()), &[]);
    assert!(page.text().starts_with("<!doctype html>"), "{page:?}");
    assert_eq!(status("/ck/item/1"), 200);
}

/// A schema that comes to lie where the console is: its pages ask the API, and never for themselves.
#[test]
fn no_page_of_the_console_asks_for_itself() {
    let database = Server::shared().database("applications_console");
    let flags = ["--open", "read", "--console", "/api/desk", "--schema-poll", "1s"];
    let server = serve(&[&database.url()], &flags);
    database.exec("CREATE SCHEMA desk; CREATE TABLE desk.item (id integer PRIMARY KEY)");
    server.wait_for_output("cannot serve /api/desk: Duet itself answers at /api/desk (`console`).");
    for _ in 0..3 {
        let page = http::get(&format!("{}/api/desk", server.url()), &[]);
        assert!(page.text().starts_with("<!doctype html>"), "{page:?}");
    }
    assert!(server.stop().success());
}

#[test]
fn a_mistake_in_one_leaves_the_others_reloaded() {
    let folder = Folder::new();
    let shop = application(&folder, "shop", "/shop", "");
    let desk = application(&folder, "desk", "/desk", "");
    let server = serve(&[&shop, &desk], &[]);
    let bearer = server.bearer();
    write_app(Path::new(&shop), "shop", "/shop", "tabels = 'all'\n");
    write_app(Path::new(&desk), "desk", "/bureau", "");
    server.signal(Signal::SIGHUP);
    server.wait_for_output("not reloaded: DUET-5001: ");
    wait_until("the other one is reloaded", || get(&server, "/desk/item/1", &bearer).status == 404);
    assert_eq!(note(&server, "/bureau/item/1", &bearer), "desk");
    assert_eq!(note(&server, "/shop/item/1", &bearer), "shop");
    // The same when asked for: the answer names the one that was not reloaded.
    write_app(Path::new(&desk), "desk", "/desk", "");
    let url = format!("{}/admin/reload", server.url());
    let reload = || http::request("POST", &url, &[("Authorization", &bearer)], b"");
    let refused = reload();
    assert_eq!(refused.status, 500, "{refused:?}");
    let message = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(message.starts_with("Not reloaded: shop. Reloaded: desk."), "{message}");
    assert_eq!(note(&server, "/desk/item/1", &bearer), "desk");
    // A mount that another one has is a mistake too.
    write_app(Path::new(&shop), "shop", "/desk", "");
    let refused = reload();
    let expected = "The applications \"desk\" and \"shop\" have the same mount, /desk.";
    assert_eq!((refused.status, &refused.json()["errors"][0]["detail"]), (500, &expected.into()));
    server.wait_for_output(expected);
    assert_eq!(note(&server, "/desk/item/1", &bearer), "desk");
    assert_eq!(note(&server, "/shop/item/1", &bearer), "shop");
    write_app(Path::new(&shop), "shop", "/store", "");
    let told = reload().json();
    let names: Vec<_> =
        told["applications"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["shop", "desk"], "{told}");
    assert_eq!(note(&server, "/store/item/1", &bearer), "shop");
}

#[test]
fn an_application_below_several_mounts() {
    let folder = Folder::new();
    let shop = application(&folder, "shop", "/shop", "");
    duet_testkit::sqlite::open(&folder.path().join("shop/data.db"))
        .execute_batch(
            "CREATE TABLE client (id INTEGER PRIMARY KEY, note TEXT);
             INSERT INTO client VALUES (1, 'Ann')",
        )
        .unwrap();
    let write = |mounts: &str, of_client: &str| {
        let text = format!(
            "name = 'shop'\nmount = {mounts}\ndatabase = 'data.db'\n[resources.client]\nmount = '{of_client}'\n"
        );
        fs::write(Path::new(&shop).join("app.toml"), text).expect("a file");
    };
    write("['/orders-storage', '/authn']", "/authn");
    let desk = application(&folder, "desk", "/authn", "");
    let (code, _, errors) = duet(&["serve", &shop, &desk]);
    assert_eq!(code, 1, "{errors}");
    let expected = "The applications \"shop\" and \"desk\" have the same mount, /authn.";
    assert!(errors.contains(expected), "{errors}");
    write_app(Path::new(&desk), "desk", "/desk", "");
    let server = serve(&[&shop, &desk], &[]);
    let bearer = server.bearer();
    let mounts = &server.ready()["mounts"];
    let expected = json!({ "desk": "/desk", "shop": "/orders-storage", "shop/authn": "/authn" });
    assert_eq!(mounts, &expected);
    assert_eq!(note(&server, "/orders-storage/item/1", &bearer), "shop");
    assert_eq!(note(&server, "/authn/client/1", &bearer), "Ann");
    assert_eq!(note(&server, "/desk/item/1", &bearer), "desk");
    assert_eq!(get(&server, "/authn/item/1", &bearer).status, 404);
    let (id, secret) = (&server.ready()["client_id"], &server.ready()["client_secret"]);
    let (id, secret) = (id.as_str().unwrap(), secret.as_str().unwrap());
    let other = token(&bearer_from(&server, "/authn/oauth/token", id, secret));
    assert_eq!(note(&server, "/orders-storage/item/1", &other), "shop");
    // Mounts change by a reload, each of them, and collisions are checked again.
    let url = format!("{}/admin/reload", server.url());
    let reload = || http::request("POST", &url, &[("Authorization", &bearer)], b"");
    write("['/orders-storage', '/desk']", "/desk");
    assert_eq!(reload().status, 500);
    assert_eq!(note(&server, "/authn/client/1", &bearer), "Ann");
    write("['/orders-storage', '/login']", "/login");
    assert_eq!(reload().status, 200);
    assert_eq!(note(&server, "/login/client/1", &bearer), "Ann");
    assert_eq!(get(&server, "/authn/client/1", &bearer).status, 404);
}

#[test]
fn a_lost_database_fails_its_own_requests_alone() {
    let folder = Folder::new();
    let shop = application(&folder, "shop", "/shop", "");
    // A server of its own, which can be stopped.
    let own = Server::start();
    let postgres = own.database("applications_lost");
    postgres.exec(
        "CREATE TABLE item (id int PRIMARY KEY, note text); INSERT INTO item VALUES (1, 'pg')",
    );
    let server =
        serve(&[&shop, &postgres.url()], &["--schema-poll", "50ms", "--queue-timeout", "1s"]);
    let bearer = server.bearer();
    let item = "/api/applications_lost/public/item/1";
    assert_eq!(note(&server, item, &bearer), "pg");
    own.stop();
    wait_until("the loss is noticed", || get(&server, item, &bearer).status == 503);
    let check = |path: &str| {
        let found = http::get(&format!("{}{path}", server.url()), &[]);
        (found.status, found.json())
    };
    wait_until("readiness names it", || {
        check("/health/ready").1["applications"]["applications_lost"] == "down"
    });
    let expected = json!({
        "status": "degraded",
        "database": "down",
        "applications": { "shop": "up", "applications_lost": "down" },
    });
    assert_eq!(check("/health/ready"), (200, expected));
    assert_eq!(check("/health/ready/applications_lost").0, 503);
    assert_eq!(check("/health/ready/shop").0, 200);
    assert_eq!(check("/health/ready/nobody").0, 404);
    for _ in 0..20 {
        assert_eq!(note(&server, "/shop/item/1", &bearer), "shop");
    }
    let metrics = get(&server, "/metrics", &bearer);
    let line = "\nduet_application_up{application=\"applications_lost\"} 0\n";
    assert!(metrics.text().contains(line), "{}", metrics.text());
    own.restart();
    wait_until("it is back", || get(&server, item, &bearer).status == 200);
    wait_until("and ready", || check("/health/ready/applications_lost").0 == 200);
    assert!(server.stop().success());
}

#[test]
fn clients_of_its_own() {
    let folder = Folder::new();
    let secrets = |name: &str| folder.path().join(name).display().to_string();
    let client = |file: &str| -> (String, String) {
        let told =
            duet_says(&["client", "add", "a", "--role", "duet.read", "--state", file, "--json"]);
        let told: Value = serde_json::from_str(&told).unwrap();
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        (text("client_id"), text("client_secret"))
    };
    let shop = application(&folder, "shop", "/shop", "");
    let desk = application(&folder, "desk", "/desk", "[settings]\nstate = 'state.json'\n");
    let open = application(&folder, "open", "/open", "[settings]\nopen = 'read'\n");
    let (process, own) = (secrets("process.json"), secrets("desk/state.json"));
    let (of_process, of_desk) = (client(&process), client(&own));
    let server = serve(&[&shop, &desk, &open], &["--state", &process]);
    let told = "--state (DUET_STATE) is not for desk: its app.toml has `state`.\n";
    assert_eq!(server.errors().matches("--state (DUET_STATE)").count(), 1, "{}", server.errors());
    assert!(server.errors().contains(told), "{}", server.errors());
    let bearer = token(&bearer_from(&server, "/oauth/token", &of_process.0, &of_process.1));
    let desk = token(&bearer_from(&server, "/desk/oauth/token", &of_desk.0, &of_desk.1));
    let status = |path: &str, bearer: &str| get(&server, path, bearer).status;
    assert_eq!((status("/shop/item/1", &bearer), status("/open/item/1", &bearer)), (200, 200));
    assert_eq!((status("/desk/item/1", &bearer), status("/shop/item/1", &desk)), (401, 401));
    assert_eq!(status("/desk/item/1", &desk), 200);
    for (path, client) in [("/oauth/token", &of_desk), ("/desk/oauth/token", &of_process)] {
        assert_eq!(bearer_from(&server, path, &client.0, &client.1).status, 401, "{path}");
    }
    // What one application opens is closed in the others.
    let anonymous = |path: &str| http::get(&format!("{}{path}", server.url()), &[]).status;
    assert_eq!((anonymous("/open/item/1"), anonymous("/shop/item/1")), (200, 401));
    // Strangers see what is open; a client sees the applications that know its token.
    let index = |headers: &[(&str, &str)]| http::get(&format!("{}/", server.url()), headers).json();
    let names = |index: &Value| -> Vec<String> {
        let all = index["applications"].as_array().unwrap().iter();
        all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let stranger = index(&[]);
    assert_eq!((names(&stranger), stranger.get("version")), (vec!["open".to_owned()], None));
    let mut known = names(&index(&[("Authorization", &bearer)]));
    known.sort_unstable();
    assert_eq!(known, ["open", "shop"]);
    known = names(&index(&[("Authorization", &desk)]));
    known.sort_unstable();
    assert_eq!(known, ["desk", "open"]);
    assert_eq!(status("/", "Bearer nonsense"), 401);
}

#[test]
fn indexes_show_what_the_caller_may_use() {
    let server = Running::start(&["demo", "--listen", "0", "--console", "off"]);
    let bearer = server.bearer();
    assert!(server.url().starts_with("http://127.0.0.1:"), "{}", server.url());
    let headers = [("Authorization", bearer.as_str()), ("Accept", "application/json")];
    let index = http::get(&format!("{}/", server.url()), &headers);
    assert_eq!(index.header("content-type"), Some("application/json"));
    let paths: Vec<_> = index.json()["applications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["mounts"][0]["path"].clone())
        .collect();
    assert_eq!(paths, ["/ords/hr", "/ords/chinook", "/orders-storage", "/"]);
    for link in index.json()["applications"][0]["mounts"][0]["links"].as_array().unwrap() {
        let href = link["href"].as_str().unwrap();
        assert_eq!(http::get(href, &[("Authorization", &bearer)]).status, 200, "{href}");
    }
    let accept = |path: &str, accept: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Accept", accept)];
        http::get(&format!("{}{path}", server.url()), &headers)
    };
    let page = accept("/", "text/html,application/xhtml+xml,*/*;q=0.8");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.text().contains("/ords/hr/metadata-catalog/\">"), "{}", page.text());
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    assert_eq!(accept("/", "text/csv").status, 406);
    let mount = get(&server, "/ords/hr/", &bearer).json();
    assert_eq!(mount["name"], "car-racing");
    let team = mount["resources"].as_array().unwrap().iter().find(|one| one["name"] == "team");
    let team = team.unwrap();
    assert_eq!(team["kind"], "table");
    assert_eq!(team["operations"], json!(["read", "insert", "update", "delete"]));
    for link in team["links"].as_array().unwrap() {
        let href = link["href"].as_str().unwrap();
        assert_eq!(http::get(href, &[("Authorization", &bearer)]).status, 200, "{href}");
    }
    // The same without the slash; nothing for strangers.
    assert_eq!(get(&server, "/ords/hr", &bearer).json(), mount);
    let stranger = http::get(&format!("{}/ords/hr/", server.url()), &[]);
    assert_eq!(stranger.status, 401);
    let stranger = http::get(&format!("{}/", server.url()), &[]).json();
    assert_eq!(stranger["applications"], json!([]));
    let posted = http::request("POST", &format!("{}/", server.url()), &[], b"");
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
}

#[test]
fn a_sample_by_its_name_gets_a_database_for_the_run() {
    let server = serve(&["chinook", "car-racing"], &[]);
    let bearer = server.bearer();
    assert_eq!(get(&server, "/ords/chinook/album/1", &bearer).status, 200);
    assert_eq!(get(&server, "/ords/hr/team/301", &bearer).status, 200);
    let output = server.output();
    let file = output.split("chinook     from SQLite ").nth(1).unwrap().lines().next().unwrap();
    let file = PathBuf::from(file);
    assert!(file.exists());
    assert!(server.stop().success());
    assert!(!file.parent().unwrap().exists());
}

#[test]
fn connections_are_added_up_for_each_server() {
    let names = ["applications_sum_a", "applications_sum_b"];
    let databases = names.map(|name| Server::shared().database(name));
    databases[0].exec("CREATE ROLE applications_sum LOGIN SUPERUSER CONNECTION LIMIT 33");
    let urls = databases.map(|one| one.url().replace("user=postgres", "user=applications_sum"));
    let flags = ["--db-connections", "14", "--streams", "1", "--loads", "3"];
    let alone = Running::start(&[&["serve", &urls[0], "--listen", "0"], &flags[..]].concat());
    assert!(alone.stop().success());
    let (code, _, errors) = duet(&[&["serve", &urls[0], &urls[1]], &flags[..]].concat());
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains(", 20 of other applications and processes on the same server and 2"),
        "{errors}"
    );
    assert!(errors.contains("open 40 connections"), "{errors}");
}

#[test]
fn fixed_credentials_work_unchanged() {
    let folder = Folder::new();
    let (state, secret) = (folder.path().join("s"), folder.path().join("secret"));
    let (state, secret) = (state.display().to_string(), secret.display().to_string());
    let add = |name: &str, id: &str, text: &str| {
        fs::write(&secret, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(&secret, mode).unwrap();
        let place = ["--id", id, "--secret-file", &secret, "--state", &state];
        duet(&[&["client", "add", name, "--role", "duet.read"], &place[..]].concat())
    };
    let (code, told, errors) = add("load test", "ords.client", "x9Yf8-vJ0kq3b7Lm2p..\n");
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(told.contains("client_id      ords.client\n") && !told.contains("vJ0kq3b7"), "{told}");
    let kept = fs::read_to_string(&state).unwrap();
    assert!(kept.contains("ords.client") && !kept.contains("vJ0kq3b7"), "{kept}");
    for (id, text, expected) in [
        ("ords.client", "another-secret-1234", "The id \"ords.client\" is another client's."),
        ("b", "short", "The secret is too short."),
        ("b", "aaaaaaaaaaaaaaaaaaaaaa", "The secret is too simple"),
        ("b", "with space inside it 12", "The secret has characters"),
        ("-b", "another-secret-1234", "\"-b\" cannot be a client's id."),
        ("a:b", "another-secret-1234", "\"a:b\" cannot be a client's id."),
    ] {
        let (code, _, errors) = add("b", id, text);
        assert!(code != 0 && errors.contains(expected) || id == "-b", "{id} {text}: {errors}");
    }
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let server = serve(&[&database.display().to_string()], &["--state", &state]);
    let got = bearer_from(&server, "/oauth/token", "ords.client", "x9Yf8-vJ0kq3b7Lm2p..");
    assert_eq!(get(&server, "/api/main/t/", &token(&got)).status, 200);
    // From standard input; an id is free again once its client was removed.
    duet_says(&["client", "remove", "ords.client", "--state", &state]);
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["client", "add", "c", "--id", "ords.client", "--secret-file", "-", "--state"]);
    let mut child = command
        .arg(&state)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"x9Yf8-vJ0kq3b7Lm2p..").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn mounts_collide_only_where_a_service_has_a_path() {
    let folder = Folder::new();
    let gateway = application(&folder, "gateway", "/", "services = ['*.sql']\n");
    let sql = "-- path = \"/api/sale/{id}\"\n-- result = \"row\"\n-- [parameters]\n\
               -- id = { type = \"integer\" }\nSELECT note FROM item WHERE id = :id";
    fs::write(folder.path().join("gateway/sale.sql"), sql).expect("a file");
    let other = application(&folder, "other", "/other", "");
    for mount in ["/api", "/api/sale", "/api/sale/7", "/api/sale/7/_"] {
        write_app(Path::new(&other), "other", mount, "");
        for sources in [[&gateway, &other], [&other, &gateway]] {
            let (code, _, errors) = duet(&["serve", sources[0], sources[1]]);
            let expected =
                format!("The mount {mount} of application \"other\" hides /api of application");
            assert!(code == 1 && errors.contains(&expected), "{errors}");
        }
    }
    for mount in ["/api/main", "/api/sale/7/items", "/sale"] {
        write_app(Path::new(&other), "other", mount, "");
        let server = serve(&[&gateway, &other], &[]);
        let bearer = server.bearer();
        assert_eq!(note(&server, "/api/sale/1", &bearer), "gateway");
        assert_eq!(note(&server, &format!("{mount}/item/1"), &bearer), "other");
        assert_eq!(get(&server, "/sale/1", &bearer).status, 404);
    }
}

#[test]
fn a_demo_removes_the_folders_of_killed_ones() {
    let folder = Folder::new();
    let demo = || {
        let mut command = clean(&duet_testkit::command::duet());
        command.args(["demo", "--listen", "0"]).env("TMPDIR", folder.path());
        Running::start_command(command)
    };
    let folders = || -> Vec<PathBuf> {
        let entries = fs::read_dir(folder.path()).expect("it is there").flatten();
        let is_demo = |path: &PathBuf| path.to_string_lossy().contains("duet-demo-");
        entries.map(|entry| entry.path()).filter(is_demo).collect()
    };
    let first = demo();
    let second = demo();
    assert_eq!(folders().len(), 2);
    first.signal(Signal::SIGKILL);
    drop(first);
    let third = demo();
    assert_eq!(folders().len(), 2, "{:?}", folders());
    for server in [&second, &third] {
        let headers = [("Authorization", server.bearer())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let page = http::get(&format!("{}/ords/hr/team/", server.url()), &headers);
        assert_eq!(page.status, 200);
    }
}
