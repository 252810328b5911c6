//! Items from memory on SQLite, where others write to the file too.

use std::io::BufRead;

use duet_service::definition::Resource;
use serde_json::Value;

use crate::support::{App, Child, Database, Setup, child_role, eventually};

const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text NOT NULL);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
";

/// Items are of use until they change: nothing but what is noticed drops them.
fn setup(database: &Database) -> Setup {
    Setup::new(database).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
        setup.read_limits.rowstore_max_age = None;
        let resource = Resource {
            name: "team".into(),
            table: "team".into(),
            rowstore: 1 << 20,
            ..Resource::default()
        };
        setup.mount().resources.push(resource);
    })
}

/// A team's name and where it came from.
fn read(app: &App, id: i64) -> (String, String) {
    let response = app.get(&format!("/ords/hr/team/{id}"));
    let name = response.json()["name"].as_str().unwrap().to_owned();
    (name, response.header("x-cache").unwrap().to_owned())
}

fn patch(app: &App, id: i64, name: &str) {
    let (bearer, path) = (app.bearer(), format!("/ords/hr/team/{id}"));
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    let body = format!("{{\"name\":{}}}", Value::from(name));
    assert_eq!(app.connect().request("PATCH", &path, &headers, body.as_bytes()).status, 200);
}

#[test]
fn writes_of_other_processes_are_seen() {
    for database in [Database::sqlite(), Database::sqlite_rollback()] {
        database.exec(TABLES);
        let app = setup(&database).start();
        let file = database.file();
        let mut child = Child::start("rowstore::foreign::child", file.to_str().unwrap(), |_| ());
        for round in 0..5 {
            let (mine, theirs) = (format!("mine {round}"), format!("theirs {round}"));
            patch(&app, 2, &mine);
            assert_eq!([read(&app, 2).0, read(&app, 2).0], [mine.clone(), mine]);
            eventually("it is kept", || read(&app, 1).1 == "hit");
            child.say(&format!("UPDATE team SET name = '{theirs}' WHERE id = 1"));
            child.wait_for("committed");
            eventually("the other process's write is seen", || read(&app, 1).0 == theirs);
        }
        child.finish();
    }
}

/// Runs statements from its input on the file that its role names.
#[test]
#[ignore = "runs as a child of another test"]
fn child() {
    let Some(file) = child_role() else { return };
    let connection = duet_testkit::sqlite::open(std::path::Path::new(&file));
    connection.busy_timeout(crate::support::PATIENCE).unwrap();
    for line in std::io::stdin().lock().lines() {
        connection.execute_batch(&line.unwrap()).unwrap();
        println!("\ncommitted");
    }
}

/// Each is to the other what another program is.
#[test]
fn writes_of_other_applications_are_seen() {
    let database = Database::sqlite();
    database.exec(TABLES);
    let (one, other) = (setup(&database).start(), setup(&database).start());
    for round in 0..5 {
        let name = format!("round {round}");
        eventually("it is kept", || read(&other, 1).1 == "hit");
        patch(&one, 1, &name);
        assert_eq!(read(&one, 1).0, name, "its own write");
        eventually("the write of the other is seen", || read(&other, 1).0 == name);
    }
}

/// Where it is switched on while it serves, what was committed since is seen too.
#[test]
fn others_are_watched_as_long_as_items_are_kept() {
    let database = Database::sqlite();
    database.exec(TABLES);
    let setup = setup(&database).with(|setup| setup.mount().resources.clear());
    let app = setup.start();
    let resize = |bytes: u64| {
        let path = format!("/admin/rowstore?resource=/ords/hr/team&bytes={bytes}");
        let headers = [("Authorization", &*app.bearer())];
        assert_eq!(app.connect().request("POST", &path, &headers, b"").status, 200);
    };
    for round in 0..3 {
        resize(1 << 20);
        assert_eq!([read(&app, 1).1, read(&app, 1).1], ["miss", "hit"], "round {round}");
        database.exec(&format!("UPDATE team SET name = 'round {round}' WHERE id = 1"));
        eventually("it is seen", || read(&app, 1).0 == format!("round {round}"));
        resize(0);
        database.exec("UPDATE team SET name = 'not kept' WHERE id = 1");
    }
}
