//! The files of an application that is served are read again: SIGHUP and `POST /admin/reload`.

use std::fs;
use std::path::Path;

use duet_testkit::command::{Running, Signal};
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite;

const VIEW: &str = "CREATE JSON DUALITY VIEW item_dv AS item { _id: item_id, note }";

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

fn app(folder: &Path, mount: &str, rest: &str) {
    let head = "name = 'shop'\ndatabase = 'shop.db'\nviews = ['*.sql']\n";
    write(folder, "app.toml", &format!("{head}mount = '{mount}'\n{rest}"));
}

fn shop(folder: &sqlite::Folder) -> Running {
    folder.load(
        "shop.db",
        &[
            "CREATE TABLE item (item_id INTEGER PRIMARY KEY, note TEXT)",
            "INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        ],
    );
    app(folder.path(), "/shop", "");
    write(folder.path(), "first.sql", &VIEW.replace("item_dv", "first_dv"));
    let file = folder.path().join("app.toml").display().to_string();
    Running::start(&["serve", "--config", &file, "--listen", "127.0.0.1:0"])
}

fn get(server: &Running, path: &str, bearer: &str) -> Response {
    http::get(&format!("{}{path}", server.url()), &[("Authorization", bearer)])
}

fn reload(server: &Running, bearer: &str) -> Response {
    let url = format!("{}/admin/reload", server.url());
    http::request("POST", &url, &[("Authorization", bearer)], b"")
}

const CHANGED: &str = "[resources.item]\npage_size = 2\n[settings]\nworkers = 2\n[limits]\nmax_page_size = 40\n\
    page_size = 1\n[[privileges]]\nname = 'all'\nroles = ['duet.anyone']\npatterns = ['/item_dv/*']\n\
    operations = ['read']\n";

#[test]
fn served_resources_change_without_a_restart() {
    let folder = sqlite::Folder::new();
    let server = shop(&folder);
    let bearer = server.bearer();
    assert_eq!(get(&server, "/shop/item/1", &bearer).status, 200);
    write(folder.path(), "item.sql", VIEW);
    app(folder.path(), "/store", CHANGED);
    server.signal(Signal::SIGHUP);
    server.wait_for_output("reloaded");
    assert_eq!(get(&server, "/shop/item/1", &bearer).status, 404);
    let count = |path: &str| get(&server, path, &bearer).json()["count"].clone();
    assert_eq!((count("/store/item/"), count("/store/item_dv/")), (2.into(), 1.into()));
    // The privilege opens the view to everybody, and nothing else.
    let status = |path: &str| http::get(&format!("{}{path}", server.url()), &[]).status;
    assert_eq!((status("/store/item_dv/1"), status("/store/item/1")), (200, 401));
    let errors = server.errors();
    assert!(errors.contains("`workers` has changed ("), "{errors}");
    assert!(errors.contains("app.toml:8:11): it takes effect at the next start."), "{errors}");
    assert!(!errors.contains("`page_size` has changed"), "{errors}");
    // What is written back as it was is served as it was.
    app(folder.path(), "/shop", "");
    let told = reload(&server, &bearer).json();
    assert_eq!(told["notes"], serde_json::json!([]), "{told}");
    assert_eq!(get(&server, "/shop/item_dv/1", &bearer).status, 200);
}

#[test]
fn a_broken_file_changes_nothing_and_every_mistake_is_logged() {
    let folder = sqlite::Folder::new();
    let server = shop(&folder);
    let bearer = server.bearer();
    write(folder.path(), "item.sql", VIEW);
    assert_eq!(reload(&server, &bearer).status, 200);
    let served = || get(&server, "/shop/item_dv/1", &bearer).status;
    assert_eq!(served(), 200);
    app(folder.path(), "/store", "tabels = 'all'\n[settings]\nworkers = 0\n");
    server.signal(Signal::SIGHUP);
    let one_line = |place: &str| {
        let errors = server.errors();
        let line = errors.lines().find(|line| line.contains(place)).unwrap_or_default();
        assert!(line.contains("not reloaded: DUET-"), "{place}: {errors}");
        assert!(!line.contains("\\n"), "{place}: {errors}");
    };
    server.wait_for_output("app.toml:7:11");
    one_line("app.toml:5:1");
    one_line("app.toml:7:11");
    assert_eq!(served(), 200);
    // The database named by the file, and views: one that was good and one that is new.
    app(folder.path(), "/shop", "");
    write(folder.path(), "item.sql", &VIEW.replace("note", "nute"));
    write(folder.path(), "new.sql", "CREATE JSON");
    // The table has changed too: the old application is served over it.
    sqlite::open(&folder.path().join("shop.db"))
        .execute_batch("CREATE TABLE later (id INTEGER PRIMARY KEY)")
        .unwrap();
    let refused = reload(&server, &bearer);
    assert_eq!(refused.status, 500, "{refused:?}");
    let told = refused.json();
    assert_eq!(told["type"], "/problems/DUET-5011", "{refused:?}");
    let mut files: Vec<_> = told["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mistake| {
            let file = mistake["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (file, mistake["line"].clone(), mistake["code"].clone(), mistake["detail"].to_string())
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        (files[0].0.as_str(), &files[0].1, &files[0].2),
        ("item.sql", &1.into(), &"DUET-3003".into())
    );
    assert!(files[0].3.contains("nute"), "{refused:?}");
    assert_eq!((files[1].0.as_str(), &files[1].2), ("new.sql", &"DUET-3001".into()));
    server.wait_for_output("new.sql:1:");
    one_line("item.sql:1:");
    one_line("new.sql:1:");
    assert_eq!(served(), 200);
    assert_eq!(get(&server, "/shop/later/", &bearer).status, 200);
    fs::remove_file(folder.path().join("new.sql")).unwrap();
    write(folder.path(), "item.sql", &VIEW.replace("note", "_no: note"));
    let told = reload(&server, &bearer);
    assert_eq!(told.status, 200, "{told:?}");
    let item = get(&server, "/shop/item_dv/1", &bearer).json();
    assert_eq!(item["_no"], "a", "{item}");
    // Settings that contradict others, all of them.
    app(
        folder.path(),
        "/shop",
        "[limits]\npage_size = 50\nmax_page_size = 40\nfilter_depth = 200\n",
    );
    let told = reload(&server, &bearer).json();
    let details = told["errors"].as_array().unwrap().iter().map(|it| it["detail"].to_string());
    let details: Vec<String> = details.collect();
    assert!(details.len() == 2 && details[0].contains("`page_size` cannot be 50"), "{told}");
    assert!(details[1].contains("`filter_depth` cannot be 200"), "{told}");
    // A file that is not there at all.
    fs::remove_file(folder.path().join("app.toml")).unwrap();
    assert_eq!(reload(&server, &bearer).status, 500);
    assert_eq!(served(), 200);
}

/// A name that matches nothing keeps the application before it in force.
#[test]
fn a_typo_in_a_name_is_refused() {
    let folder = sqlite::Folder::new();
    let server = shop(&folder);
    let bearer = server.bearer();
    app(folder.path(), "/shop", "[resources.item]\nhidden = ['nute']\n");
    let refused = reload(&server, &bearer);
    let told = refused.json();
    let mistake = &told["errors"][0];
    assert_eq!((refused.status, &mistake["code"]), (500, &"DUET-5011".into()));
    assert_eq!((&mistake["line"], &mistake["column"]), (&6.into(), &11.into()), "{told}");
    assert_eq!(
        (&mistake["detail"], &mistake["hint"]),
        (&"item has no column \"nute\".".into(), &"Did you mean `note`?".into()),
        "{told}"
    );
    server.wait_for_output("app.toml:6:11: item has no column");
    assert_eq!(get(&server, "/shop/item/1", &bearer).json()["note"], "a");
    app(folder.path(), "/shop", "[resources.item]\nhidden = ['note']\n");
    assert_eq!(reload(&server, &bearer).status, 200);
    assert!(get(&server, "/shop/item/1", &bearer).json().get("note").is_none());
}

#[test]
fn another_database_counts_from_the_next_start() {
    let folder = sqlite::Folder::new();
    let server = shop(&folder);
    let text = fs::read_to_string(folder.path().join("app.toml")).unwrap();
    write(folder.path(), "app.toml", &text.replace("shop.db", "other.db"));
    let told = reload(&server, &server.bearer()).json();
    let note = told["notes"][0].as_str().unwrap();
    assert!(note.starts_with("`database` has changed ("), "{told}");
}

/// Nothing of Duet's is in the database: looking for clients and for changes leaves no line in
/// either log, and both ways of reloading work.
#[test]
fn first_use_on_postgres_is_quiet_and_reloads() {
    let database = Server::start();
    let hr = database.database("hr");
    hr.exec("CREATE TABLE item (id integer PRIMARY KEY); INSERT INTO item VALUES (1);");
    let folder = sqlite::Folder::new();
    let config =
        format!("name = 'shop'\nmount = '/shop'\ntables = 'all'\ndatabase = '{}'\n", hr.url());
    write(folder.path(), "app.toml", &config);
    let file = folder.path().join("app.toml").display().to_string();
    let before = database.log();
    let arguments =
        ["serve", "--config", &file, "--listen", "127.0.0.1:0", "--schema-poll", "50ms"];
    let server = Running::start(&arguments);
    let bearer = server.bearer();
    let looks = || {
        let response = get(&server, "/metrics", &bearer);
        let metrics = response.text();
        let name = "duet_store_schema_looks_total{application=\"shop\"} ";
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|count| count.parse::<u64>().ok()).unwrap()
    };
    let until = |count: u64| {
        let begun = looks();
        while looks() < begun + count {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    until(12);
    let status = |path: &str| get(&server, path, &bearer).status;
    write(folder.path(), "app.toml", &config.replace("/shop", "/store"));
    server.signal(Signal::SIGHUP);
    server.wait_for_output("reloaded");
    assert_eq!((status("/shop/item/1"), status("/store/item/1")), (404, 200));
    write(folder.path(), "app.toml", &config);
    let told = reload(&server, &bearer);
    assert_eq!((told.status, &told.json()["notes"]), (200, &serde_json::json!([])), "{told:?}");
    assert_eq!(status("/shop/item/1"), 200);
    until(12);
    let errors = server.errors();
    assert!(!errors.contains("WARN") && !errors.contains("ERROR"), "{errors}");
    let log = database.log();
    assert!(!log[before.len()..].contains("ERROR"), "{log}");
}

/// Clients that cannot be read do not keep the application from reloading.
#[test]
fn clients_that_cannot_be_read_stop_no_reload() {
    let folder = sqlite::Folder::new();
    folder.load("shop.db", &["CREATE TABLE item (item_id INTEGER PRIMARY KEY, note TEXT)"]);
    write(folder.path(), "item.sql", VIEW);
    app(folder.path(), "/shop", "");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, state) = (path("app.toml"), path("state.json"));
    let arguments = ["serve", "--config", &file, "--listen", "127.0.0.1:0", "--state", &state];
    let server = Running::start(&arguments);
    let bearer = server.bearer();
    fs::write(&state, "{").unwrap();
    app(folder.path(), "/store", "");
    let told = reload(&server, &bearer);
    assert_eq!(told.status, 200, "{told:?}");
    let note = told.json()["notes"][0].as_str().unwrap_or_default().to_owned();
    assert!(note.contains("clients before stay in force"), "{told:?}");
    assert_eq!(get(&server, "/store/item/", &bearer).status, 200);
}
