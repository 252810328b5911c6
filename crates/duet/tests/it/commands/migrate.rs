//! `duet migrate` from outside: plans and exit codes on both stores, and a build that is killed.

use std::fs;

use duet_testkit::command::{Running, Signal, clean, duet as program, wait_until};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::{duet, duet_says, told};

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string"},
    "title": {"type": "string"}, "author": {"type": "string"}, "open": {"type": "boolean"}}}"#;

/// Writes an application whose collection `notes` has these indexes, and gives its folder.
fn application(folder: &Folder, indexes: &str) -> String {
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the folder is writable");
    };
    write("app.toml", "name = 'notes'\nmount = '/notes'\ncollections = ['notes.toml']\n");
    write("notes.json", SCHEMA);
    write("notes.toml", &format!("schema = 'notes.json'\n[indexes]\n{indexes}"));
    folder.path().display().to_string()
}

#[test]
fn a_dry_run_says_what_is_pending() {
    let folder = Folder::new();
    let file = folder.path().join("n.db").display().to_string();
    let postgres = Server::shared().database("migrate_dry_run").url();
    for database in [file, postgres] {
        let app = application(&folder, "index = ['title']");
        let dry_run = || {
            let (code, out, errors) =
                duet(&["migrate", &app, "--database", &database, "--dry-run", "--json"]);
            assert_eq!(errors, "");
            (code, serde_json::from_str::<Value>(&out).expect("JSON"))
        };
        let (code, plan) = dry_run();
        assert_eq!((code, &plan["steps"][0]["action"]), (3, &"create".into()), "{plan:#}");
        // Nothing was made.
        assert_eq!(dry_run(), (code, plan));
        let said = duet_says(&["migrate", &app, "--database", &database]);
        assert!(said.starts_with("1/3 create table notes\n"), "{said}");
        assert_eq!(dry_run().0, 0);
        application(&folder, "trigram = ['title']\nindex = ['open']");
        let (code, plan) = dry_run();
        assert_eq!(code, 3);
        let steps = plan["steps"].as_array().expect("a list");
        let named = |name: &str, action: &str| {
            steps.iter().any(|step| step["name"] == name && step["action"] == action)
        };
        assert!(named("notes_title_idx_gin", "create"), "{plan:#}");
        assert!(named("notes_title_idx", "drop"), "{plan:#}");
        assert!(steps.iter().all(|step| step["sql"][0].is_string()), "{plan:#}");
        let kept = duet_says(&["migrate", &app, "--database", &database, "--no-drop"]);
        assert!(!kept.contains("drop"), "{kept}");
        assert_eq!(dry_run().0, 3);
        duet_says(&["migrate", &app, "--database", &database]);
        assert_eq!(dry_run().0, 0);
        let explained = duet_says(&[
            "explain",
            "--config",
            &app,
            "GET",
            "/notes/notes?query=title==*kayak*",
            &database,
        ]);
        assert!(explained.contains("index notes_title_idx_gin"), "{explained}");
    }
}

/// A path of `--database` is one of the current folder, that of `database` in app.toml one of its folder.
#[test]
fn paths_of_databases_have_their_folders() {
    let folder = Folder::new();
    application(&folder, "index = ['title']");
    let outside = Folder::new();
    let app = folder.path().display().to_string();
    let run = |words: &[&str]| {
        let mut command = clean(&program());
        told(&command.args(words).current_dir(outside.path()).output().expect("it runs"))
    };
    for command in [&["migrate"][..], &["collection", "prepare"]] {
        let (code, _, errors) = run(&[command, &[app.as_str(), "--database", "n.db"]].concat());
        assert_eq!((code, errors.as_str()), (0, ""), "{command:?}");
        assert!(outside.path().join("n.db").exists() && !folder.path().join("n.db").exists());
    }
    let file = folder.path().join("app.toml");
    let text = fs::read_to_string(&file).expect("it is there");
    fs::write(&file, text + "database = 'n.db'\n").expect("the folder is writable");
    let (code, _, errors) = run(&["migrate", &app]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(folder.path().join("n.db").exists());
}

/// Killed in the middle of a build, a migration is continued by the next one.
#[test]
fn a_killed_build_is_made_again() {
    let database = Server::shared().database("migrate_kill");
    let folder = Folder::new();
    let app = application(&folder, "");
    duet_says(&["collection", "prepare", &app, "--database", &database.url()]);
    application(&folder, "index = ['title']");
    // A transaction that has written the table holds up the build of an index, and no other write.
    let mut psql = clean("psql".as_ref());
    psql.args([
        "-X",
        "-q",
        &database.url(),
        "-c",
        "BEGIN; INSERT INTO notes (id, jsonb) VALUES ('00000000-0000-4000-8000-000000000001', '{}'); \
         SELECT pg_sleep(600)",
    ]);
    let mut writer = Running::start_program(psql);
    let sleeps = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' \
        AND datname = current_database() AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'";
    wait_until("the writer has begun", || database.query(sleeps) == "1");
    let mut command = clean(&program());
    command.args(["migrate", &app, "--database", &database.url()]);
    let mut migration = Running::start_program(command);
    let builds =
        "SELECT count(*) FROM pg_stat_progress_create_index WHERE datname = current_database()";
    wait_until("the build has begun", || database.query(builds) == "1");
    database.exec(
        "INSERT INTO notes (id, jsonb) VALUES ('00000000-0000-4000-8000-000000000002', '{}')",
    );
    let second = duet(&["migrate", &app, "--database", &database.url()]);
    assert!(second.0 == 1 && second.2.contains("Another migration"), "{second:?}");
    migration.signal(Signal::SIGKILL);
    migration.wait();
    // The server notices, and leaves an index that is not valid.
    wait_until("the build has ended", || database.query(builds) == "0");
    let valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_title_idx'::regclass";
    assert_eq!(database.query(valid), "f");
    let (code, out, _) = duet(&["migrate", &app, "--database", &database.url(), "--dry-run"]);
    assert!(code == 3 && out.contains("its build was interrupted"), "{out}");
    writer.signal(Signal::SIGKILL);
    writer.wait();
    database.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()");
    let done = duet_says(&["migrate", &app, "--database", &database.url()]);
    assert!(done.starts_with("1/2 finish index notes_title_idx"), "{done}");
    assert_eq!(database.query(valid), "t");
    assert_eq!(duet(&["migrate", &app, "--database", &database.url(), "--dry-run"]).0, 0);
}
