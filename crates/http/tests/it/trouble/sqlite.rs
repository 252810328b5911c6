//! SQLite files that are locked, slow, damaged, gone, or not ours to write.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use rusqlite::Connection;

use crate::support::{App, Child, Database, Load, Setup, Source, child_role, eventually};

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL);
INSERT INTO team VALUES (1, 'Red Bull'), (301, 'Ferrari');
CREATE TABLE wide (id integer NOT NULL PRIMARY KEY, filling text);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO wide SELECT i, printf('%0900d', i) FROM n;
-- Counts for ever, or as good as.
CREATE VIEW slow AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
  SELECT t.team_id AS id, (SELECT max(i) FROM n) AS n FROM team t;
-- One row cannot be read: abs() refuses the smallest number.
CREATE TABLE number (id integer NOT NULL PRIMARY KEY, value integer);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) INSERT INTO number SELECT i, -i FROM n;
UPDATE number SET value = -9223372036854775808 WHERE id = 7;
CREATE VIEW size AS SELECT id, abs(value) AS size FROM number;
";

const ITEM: &str = "/ords/hr/team/301";
const COUNTED: &str = "/ords/hr/team/?count=exact";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database).with(|setup| {
        for view in ["slow", "size"] {
            setup.mount().resources.push(Resource {
                name: view.into(),
                table: view.into(),
                key: vec!["id".into()],
                ..Resource::default()
            });
        }
    })
}

/// Asks on a thread of its own.
fn ask(app: &App, path: &str) -> thread::JoinHandle<Response> {
    let (url, bearer, path) = (app.url().to_owned(), app.bearer(), path.to_owned());
    thread::spawn(move || {
        duet_testkit::http::Client::connect(&url).get(&path, &[("Authorization", &bearer)])
    })
}

#[track_caller]
fn refused(response: &Response, status: u16, code: &str) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.json()["errors"][0]["code"], code, "{response:?}");
    let retry = response.header("retry-after").map(|seconds| seconds.parse::<u32>().unwrap());
    assert_eq!(retry.is_some(), status == 503, "{response:?}");
}

#[test]
fn a_lock_blocks_only_requests_that_need_the_file() {
    let database = Database::sqlite_rollback();
    let app = setup(&database).without_poll().start();
    assert_eq!(app.get(ITEM).status, 200);
    let writer = Connection::open(database.file()).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let paths = [ITEM, "/ords/hr/team/", "/ords/hr/team/1", "/ords/hr/slow/1"];
    // More than there are threads to wait for the lock: no request waits behind all the others.
    let waiting: Vec<_> = paths.iter().cycle().take(60).map(|path| ask(&app, path)).collect();
    let reloading = {
        let (url, bearer) = (app.url().to_owned(), app.bearer());
        thread::spawn(move || {
            let headers = [("Authorization", bearer.as_str())];
            duet_testkit::http::request("POST", &format!("{url}/admin/reload"), &headers, b"")
        })
    };
    // The worker goes on meanwhile.
    for _ in 0..5 {
        assert_eq!(app.get("/ords/hr/metadata-catalog/").status, 200);
        assert_eq!(app.connect().get(ITEM, &[]).status, 401);
        assert_eq!(app.connect().get("/health/live", &[]).status, 200);
    }
    assert!(waiting.iter().all(|asked| !asked.is_finished()), "those wait for the lock");
    for asked in waiting {
        let response = asked.join().unwrap();
        let code = response.json()["errors"][0]["code"].as_str().unwrap().to_owned();
        refused(&response, 503, &code);
        assert!(["DUET-6007", "DUET-6002"].contains(&code.as_str()), "{response:?}");
    }
    refused(&reloading.join().unwrap(), 503, "DUET-6007");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!((app.get(ITEM).status, app.get("/ords/hr/team/").status), (200, 200));
}

#[test]
fn short_locks_are_waited_for() {
    let database = Database::sqlite_rollback();
    let app = setup(&database).start();
    let load = Load::start(&app, 4, &[ITEM, "/ords/hr/team/", "/ords/hr/team/1"], |_, response| {
        if response.status == 200 { Ok(()) } else { Err("not 200".into()) }
    });
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for id in [1000, 2000] {
            let (file, stop) = (database.file(), &stop);
            scope.spawn(move || {
                let writer = Connection::open(file).unwrap();
                writer.busy_timeout(Duration::from_secs(60)).unwrap();
                while !stop.load(Ordering::SeqCst) {
                    writer
                        .execute_batch(&format!(
                            "BEGIN EXCLUSIVE; INSERT INTO team VALUES ({id}, 'x'); COMMIT;
                             BEGIN EXCLUSIVE; DELETE FROM team WHERE team_id = {id}; COMMIT;"
                        ))
                        .unwrap();
                    // Readers need a gap between two locks.
                    thread::sleep(Duration::from_millis(2));
                }
            });
        }
        load.more(100);
        stop.store(true, Ordering::SeqCst);
    });
    load.stop();
}

#[test]
fn slow_statements_end_in_time_and_stop_nobody() {
    let database = Database::sqlite();
    let app = setup(&database)
        .with(|setup| setup.limits.statement_timeout = Duration::from_secs(2))
        .start();
    let slow: Vec<_> =
        ["/ords/hr/slow/1", "/ords/hr/slow/", "/ords/hr/slow/301", "/ords/hr/slow/1"]
            .iter()
            .map(|path| ask(&app, path))
            .collect();
    for _ in 0..20 {
        assert_eq!(app.get(ITEM).status, 200);
        assert_eq!(app.get("/ords/hr/team/").status, 200);
    }
    assert!(slow.iter().all(|asked| !asked.is_finished()), "those are still at it");
    for asked in slow {
        refused(&asked.join().unwrap(), 504, "DUET-6003");
    }
    assert_eq!(app.get(ITEM).status, 200);
}

#[test]
fn a_disconnect_stops_the_statement() {
    let database = Database::sqlite();
    let app = setup(&database)
        .with(|setup| {
            setup.limits.connections = 1;
            setup.limits.statement_timeout = Duration::from_secs(3_600);
            setup.limits.queue_timeout = Duration::from_secs(3_600);
        })
        .start();
    for path in ["/ords/hr/slow/", "/ords/hr/slow/1"] {
        let mut client = app.connect();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\n\r\n", app.bearer());
        client.send(request.as_bytes()).unwrap();
        drop(client);
        // The only thread is free again.
        assert_eq!(app.get(COUNTED).status, 200);
    }
}

#[test]
fn a_full_queue_refuses_at_once() {
    let database = Database::sqlite();
    let app = setup(&database)
        .with(|setup| {
            setup.limits.connections = 1;
            setup.limits.queue_length = 1;
            setup.limits.statement_timeout = Duration::from_secs(3_600);
            setup.limits.queue_timeout = Duration::from_secs(2);
        })
        .start();
    let mut slow = app.connect();
    let request = format!(
        "GET /ords/hr/slow/ HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\n\r\n",
        app.bearer()
    );
    slow.send(request.as_bytes()).unwrap();
    // Nothing else is asked for before: the queue has room for one.
    let line = "duet_queue_running{application=\"test\",queue=\"page\"} 1\n";
    eventually("the thread is busy", || app.get("/metrics").text().contains(line));
    // One waits until it may wait no longer, the others not at all.
    assert_eq!(app.get(COUNTED).status, 503);
    // Small pages do without those threads.
    assert_eq!(app.get("/ords/hr/team/").status, 200);
    let waiting: Vec<_> = (0..5).map(|_| ask(&app, COUNTED)).collect();
    for asked in waiting {
        refused(&asked.join().unwrap(), 503, "DUET-6002");
    }
    assert_eq!(app.get(ITEM).status, 200, "reads by key have a queue of their own");
    drop(slow);
    eventually("the thread is free", || app.get(COUNTED).status == 200);
}

#[test]
fn one_failing_key_fails_alone() {
    let database = Database::sqlite();
    let app = setup(&database).start();
    let paths: Vec<String> = (1..=20).map(|id| format!("/ords/hr/size/{id}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let load = Load::start(&app, 8, &paths, |path, response| {
        let id: i64 = path.rsplit('/').next().unwrap().parse().unwrap();
        match (id, response.status) {
            // As PostgreSQL's answer to a computed number that is out of range.
            (7, 500) => Ok(()),
            (7, _) | (_, 400..) => Err("the wrong one failed".into()),
            _ if response.json()["size"] == id => Ok(()),
            _ => Err("another row".into()),
        }
    });
    load.more(1_000);
    load.stop();
    refused(&app.get("/ords/hr/size/"), 500, "DUET-6018");
    assert_eq!(app.get("/ords/hr/number/7").json()["value"], i64::MIN);
}

#[test]
fn a_deleted_file_is_gone_until_there_is_one_again() {
    let database = Database::sqlite();
    let app = setup(&database).start();
    let file = database.file();
    assert_eq!((app.get(ITEM).status, app.get("/ords/hr/team/").status), (200, 200));
    for suffix in ["", "-wal", "-shm"] {
        let mut name = file.clone().into_os_string();
        name.push(suffix);
        drop(std::fs::remove_file(name));
    }
    for path in [ITEM, "/ords/hr/team/"] {
        eventually("the file is missed", || app.get(path).status == 503);
        refused(&app.get(path), 503, "DUET-6001");
    }
    let health = app.connect().get("/health/ready", &[]);
    assert_eq!((health.status, &health.json()["database"]), (503, &"down".into()));
    assert_eq!(app.connect().get("/health/live", &[]).status, 200);
    assert_eq!(app.connect().get(ITEM, &[]).status, 401);
    // Another file takes its place, with other tables.
    database.exec("CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, motto text); INSERT INTO team VALUES (301, 'Forza');");
    eventually("the new file is served", || {
        let response = app.get(ITEM);
        response.status == 200 && response.json()["motto"] == "Forza"
    });
    eventually("health", || app.connect().get("/health/ready", &[]).status == 200);
}

#[test]
fn a_replaced_file_is_noticed() {
    let database = Database::sqlite();
    let app = setup(&database).start();
    assert_eq!(app.get(ITEM).json()["name"], "Ferrari");
    // As deployments do it: a new file beside the old one, then renamed over it.
    let beside = database.file().with_extension("new");
    let new = Connection::open(&beside).unwrap();
    new.execute_batch(&TABLES.replace("Ferrari", "Scuderia")).unwrap();
    drop(new);
    std::fs::rename(&beside, database.file()).unwrap();
    eventually("the new file is served", || app.get(ITEM).json()["name"] == "Scuderia");
    let page = app.get("/ords/hr/team/").json();
    assert_eq!(page["items"][1]["name"], "Scuderia");
}

#[test]
fn a_damaged_file_is_no_wrong_answer() {
    let database = Database::sqlite_rollback();
    let app = setup(&database).without_poll().start();
    let good = app.get("/ords/hr/wide/?limit=2000");
    assert_eq!(good.status, 200);
    let file = database.file();
    let whole = std::fs::read(&file).unwrap();
    // Everything behind the schema and the first table.
    let mut damaged = whole.clone();
    damaged[40 * 4096..].fill(0xA5);
    std::fs::write(&file, &damaged).unwrap();
    for path in ["/ords/hr/wide/?limit=2000", "/ords/hr/wide/1999"] {
        let response = app.get(path);
        // What is in memory still may still be right.
        if response.status != 200 {
            refused(&response, 500, "DUET-9001");
            assert!(response.text().contains("damaged"), "{response:?}");
        }
    }
    assert_eq!(app.get(ITEM).status, 200, "what is whole is served");
    std::fs::write(&file, &whole).unwrap();
    drop(Connection::open(&file).unwrap().execute_batch("UPDATE team SET name = name"));
    eventually("all is served again", || app.get("/ords/hr/wide/?limit=2000").body == good.body);
}

/// The file is damaged, then locked: `/health/ready` is 503 as long as it lasts, and the log says so
/// why.
#[test]
fn readiness_and_its_reason() {
    let database = Database::sqlite_rollback();
    let app = setup(&database).start();
    let ready = || app.connect().get("/health/ready", &[]).status;
    let reason = || {
        app.get("/admin/status").json()["applications"][0]["databaseDown"]
            .as_str()
            .map(str::to_owned)
    };
    eventually("ready", || ready() == 200 && reason().is_none());
    let file = database.file();
    let whole = std::fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[4096..].fill(0xA5);
    std::fs::write(&file, &damaged).unwrap();
    // A check while the file is being written, or was cut and not yet filled, has another reason.
    let is_down = |why: &str| ready() == 503 && reason().is_some_and(|told| told.contains(why));
    eventually("damage is noticed", || is_down("damaged"));
    std::fs::write(&file, &whole).unwrap();
    eventually("ready", || ready() == 200);
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    eventually("the lock is noticed", || is_down("Another program"));
    other.execute_batch("ROLLBACK").unwrap();
    eventually("ready", || ready() == 200);
    assert_eq!(reason(), None);
}

/// How long a lock was waited for says nothing of how often the file should be looked at.
#[test]
fn the_end_of_a_lock_is_noticed_soon() {
    let database = Database::sqlite_rollback();
    let app = setup(&database).start();
    let ready = || app.connect().get("/health/ready", &[]).status;
    eventually("it is ready", || ready() == 200);
    let writer = Connection::open(database.file()).unwrap();
    writer.busy_timeout(Duration::from_secs(60)).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    eventually("the lock is noticed", || ready() == 503);
    writer.execute_batch("ROLLBACK").unwrap();
    let ended = Instant::now();
    eventually("its end is noticed", || ready() == 200);
    // A pause of four times the wait for the lock would be 20 seconds.
    assert!(ended.elapsed() < Duration::from_secs(8), "{:?}", ended.elapsed());
}

/// Whatever the thread that writes is at: before its first connection, in a transaction that cannot begin.
#[test]
fn a_blocked_write_always_says_that_it_is_blocked() {
    for is_first in [true, false] {
        let database = Database::sqlite_rollback();
        let app = setup(&database)
            .without_poll()
            .with(|setup| {
                setup.roles = vec!["duet.write"];
                setup.limits.lock_timeout = Duration::from_millis(100);
                setup.limits.queue_timeout = Duration::from_millis(100);
            })
            .start();
        let bearer = app.bearer();
        let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
        let write = |name: &str| {
            let body = format!("{{\"name\":\"{name}\"}}");
            app.connect().request("PATCH", "/ords/hr/team/1", &headers, body.as_bytes())
        };
        if !is_first {
            assert_eq!(write("before").status, 200);
        }
        let writer = Connection::open(database.file()).unwrap();
        writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
        for number in 0..10 {
            refused(&write(&number.to_string()), 503, "DUET-6007");
        }
        writer.execute_batch("ROLLBACK").unwrap();
        assert_eq!(write("after").status, 200);
    }
}

#[test]
fn other_files_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in
        [("text", &b"This is not a database, however long it may be."[..]), ("zeros", &[0; 8192])]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, content.repeat(100)).unwrap();
        let opened = Setup::of(Source::File(path)).try_start();
        let error = opened.err().unwrap();
        assert!(error.message.contains("not a SQLite database"), "{error}");
    }
    let missing = Setup::of(Source::File(folder.path().join("missing"))).try_start();
    assert!(missing.err().unwrap().message.contains("There is no SQLite file"));
    assert!(!folder.path().join("missing").exists(), "nothing is made");
}

/// What a user who may only read can serve; root may do everything, so a child process runs as another user.
#[test]
fn files_that_may_only_be_read() {
    for journal in ["delete", "wal"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let writer = Connection::open(&file).unwrap();
        writer.execute_batch(&format!("PRAGMA journal_mode = {journal}; {TABLES}")).unwrap();
        drop(writer);
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        mode(&file, 0o444);
        mode(folder.path(), 0o555);
        let root = rustix::process::geteuid().is_root();
        let binary = readable_copy();
        let mut child = Child::start_binary(
            if root { &binary } else { Path::new("/proc/self/exe") },
            "trouble::sqlite::child",
            &file.display().to_string(),
            |command| {
                if root {
                    use std::os::unix::process::CommandExt as _;
                    command.uid(65_534).gid(65_534);
                }
            },
        );
        let [url, bearer] = ["URL", "BEARER"].map(|word| child.wait_for(word));
        let get = |path: &str| {
            duet_testkit::http::get(&format!("{url}{path}"), &[("Authorization", &bearer)])
        };
        assert_eq!(get(ITEM).json()["name"], "Ferrari", "{journal}");
        eventually("it is kept", || get(ITEM).header("x-cache") == Some("hit"));
        assert_eq!(get("/ords/hr/team/").json()["count"], 2, "{journal}");
        // Nothing that writes is offered, and a write says why.
        let send = |method: &str, path: &str| {
            let own = [("Authorization", &*bearer), ("Content-Type", "application/json")];
            duet_testkit::http::request(method, &format!("{url}{path}"), &own, b"{}")
        };
        for path in [ITEM, "/ords/hr/team/"] {
            let allowed = send("OPTIONS", path);
            let allowed = allowed.header("allow").unwrap_or_default().to_owned();
            let writes = ["POST", "PUT", "PATCH", "DELETE"];
            assert!(!writes.iter().any(|write| allowed.contains(write)), "{path}: {allowed}");
        }
        let links = get(ITEM).json()["links"].to_string();
        assert!(!links.contains("\"edit\""), "{links}");
        let catalog = get("/ords/hr/metadata-catalog/team/").json();
        assert_eq!(catalog["operations"], serde_json::json!([]), "{catalog}");
        refused(&send("POST", "/ords/hr/team/"), 403, "DUET-7107");
        refused(&send("DELETE", ITEM), 403, "DUET-7107");
        // Another user's write is noticed.
        mode(folder.path(), 0o755);
        mode(&file, 0o644);
        let writer = Connection::open(&file).unwrap();
        writer.execute_batch("UPDATE team SET name = 'Scuderia' WHERE team_id = 301").unwrap();
        eventually("the change is seen", || {
            let (item, page) = (get(ITEM), get("/ords/hr/team/"));
            item.status == 200
                && item.json()["name"] == "Scuderia"
                && page.status == 200
                && page.json()["items"][1]["name"] == "Scuderia"
        });
        drop(writer);
        assert_eq!(get(ITEM).json()["name"], "Scuderia", "{journal}");
        child.finish();
    }
}

/// This program where every user may run it.
fn readable_copy() -> tempfile::TempPath {
    let copy = tempfile::Builder::new().prefix("duet-http-test-").tempfile().unwrap();
    let copy = copy.into_temp_path();
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o755)).unwrap();
    copy
}

/// A server of a file, until its input ends.
#[test]
#[ignore = "runs as a child of another test"]
fn child() {
    let Some(file) = child_role() else { return };
    let setup = Setup::of(Source::File(file.into())).with(|setup| {
        // Items from memory must see the change without a limit of time.
        setup.read_limits.rowstore_max_age = None;
        let (name, table) = ("team".into(), "team".into());
        setup.mount().resources.push(Resource {
            name,
            table,
            rowstore: 1 << 20,
            ..Resource::default()
        });
    });
    let app = setup.start();
    println!("\nURL {}\nBEARER {}", app.url(), app.bearer());
    std::io::stdin().read_line(&mut String::new()).unwrap();
    app.stop();
}
