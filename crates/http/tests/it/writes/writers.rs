//! Many concurrent writers: no change is lost, no document is half written, only the database's
//! rules refuses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use duet_auth::Open;
use duet_testkit::http::{Client, Response};
use serde_json::{Value, json};

use crate::support::{App, Database, PATIENCE, Setup, on_both_stores};

on_both_stores! {
    counters_lose_no_increment
    drivers_are_in_one_team_at_every_moment
    upserts_of_one_key_make_one_row
}

const WRITERS: usize = 64;

fn app(database: &Database, views: &[(&str, &str)]) -> App {
    let setup = Setup::new(database).with(|setup| {
        setup.open = Open::All;
        // On a busy machine the last of a crowd may wait long.
        setup.limits.queue_timeout = Duration::from_secs(600);
    });
    views.iter().fold(setup, |setup, (name, text)| setup.view(name, text)).start()
}

/// Runs this many threads to their end, each with a connection of its own.
fn crowd(app: &App, count: usize, work: impl Fn(usize, &mut Client) + Sync) {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                let work = &work;
                scope.spawn(move || work(number, &mut app.connect()))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

fn send(client: &mut Client, method: &str, path: &str, etag: &str, body: &Value) -> Response {
    let media = match method {
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    };
    let mut headers = vec![("Content-Type", media)];
    if !etag.is_empty() {
        headers.push(("If-Match", etag));
    }
    client.request(method, path, &headers, body.to_string().as_bytes())
}

/// Every increment that was acknowledged is there, whether the etag stood in the header or the body.
fn counters_lose_no_increment(database: Database) {
    const TOTAL: u64 = 100;
    database.exec(
        "CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL);
         CREATE TABLE mark (id integer PRIMARY KEY, counter_id integer REFERENCES counter (id), n integer);
         INSERT INTO counter VALUES (1, 0); INSERT INTO mark VALUES (1, 1, 0), (2, 1, 0);",
    );
    let view = "view counter_dv as counter @update { _id: id  n  mark @update [ { id n } ] }";
    let app = app(&database, &[("counter_dv", view)]);
    let done = AtomicU64::new(0);
    crowd(&app, WRITERS, |number, client| {
        while done.load(Ordering::SeqCst) < TOTAL {
            let read = client.get("/ords/hr/counter_dv/1", &[]);
            let mut document = read.json();
            document["n"] = json!(document["n"].as_u64().unwrap() + 1);
            document["mark"][number % 2]["n"] = document["n"].clone();
            let mut etag = "";
            if number % 3 == 0 {
                document.as_object_mut().unwrap().remove("_metadata");
                etag = read.header("etag").unwrap();
            }
            let written = send(client, "PUT", "/ords/hr/counter_dv/1", etag, &document);
            match written.status {
                200 => done.fetch_add(1, Ordering::SeqCst),
                412 => 0,
                _ => panic!("{written:?}"),
            };
        }
    });
    let document = app.get("/ords/hr/counter_dv/1").json();
    assert_eq!(document["n"].as_u64().unwrap(), done.load(Ordering::SeqCst));
    let marks = [&document["mark"][0]["n"], &document["mark"][1]["n"]];
    assert!(marks.contains(&&document["n"]), "the last one has marked it: {document}");
}

const TEAM: &str = "view team_dv as team @insert @update { _id: id  name  driver @insert @update [ { id name } ] }";
const DRIVER: &str = "view driver_dv as driver @insert @update { _id: id  name  team { id name } }";

/// Drivers are moved through their team, through another team's document, and two at a time, while
/// others read: at every read each of them is in exactly one team.
fn drivers_are_in_one_team_at_every_moment(database: Database) {
    const TEAMS: u64 = 4;
    const DRIVERS: u64 = 12;
    const MOVES: u64 = 100;
    database.exec(
        "CREATE TABLE team (id integer PRIMARY KEY, name text);
         CREATE TABLE driver (id integer PRIMARY KEY, name text, team_id integer REFERENCES team (id));",
    );
    for team in 0..TEAMS {
        database.exec(&format!("INSERT INTO team VALUES ({team}, 'team {team}')"));
    }
    for driver in 0..DRIVERS {
        let team = driver % TEAMS;
        database.exec(&format!("INSERT INTO driver VALUES ({driver}, 'driver {driver}', {team})"));
    }
    let app = app(&database, &[("team_dv", TEAM), ("driver_dv", DRIVER)]);
    let moves = AtomicU64::new(0);
    crowd(&app, 16, |number, client| {
        let mut round = number as u64;
        while moves.load(Ordering::SeqCst) < MOVES {
            round = round
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (driver, team) = ((round >> 33) % DRIVERS, (round >> 45) % TEAMS);
            let written = match number % 4 {
                0 => {
                    check_page(&client.get("/ords/hr/team_dv/", &[]), DRIVERS);
                    continue;
                }
                1 => {
                    let body = json!({"team": {"id": team}});
                    send(client, "PATCH", &format!("/ords/hr/driver_dv/{driver}"), "", &body)
                }
                2 => take_over(client, team, driver),
                _ => exchange(client, team, (team + 1) % TEAMS),
            };
            match written.status {
                200 => moves.fetch_add(1, Ordering::SeqCst),
                412 => 0,
                _ => panic!("{written:?}"),
            };
        }
    });
    check_page(&app.get("/ords/hr/team_dv/"), DRIVERS);
}

/// Every driver stands once on the page.
fn check_page(page: &Response, drivers: u64) {
    let mut places: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let page = page.json();
    for team in page["items"].as_array().unwrap() {
        for driver in team["driver"].as_array().unwrap() {
            let place = places.entry(driver["id"].as_u64().unwrap()).or_default();
            place.push(team["_id"].as_u64().unwrap());
        }
    }
    let once = places.values().all(|teams| teams.len() == 1);
    assert!(once && places.len() as u64 == drivers, "{places:?}");
}

/// A team's document with a driver of whatever team.
fn take_over(client: &mut Client, team: u64, driver: u64) -> Response {
    let path = format!("/ords/hr/team_dv/{team}");
    let mut document = client.get(&path, &[]).json();
    let drivers = document["driver"].as_array_mut().unwrap();
    if drivers.iter().all(|there| there["id"] != driver) {
        drivers.insert(0, json!({"id": driver, "name": format!("driver {driver}")}));
    }
    send(client, "PUT", &path, "", &document)
}

/// The drivers of two teams change places, in one transaction.
fn exchange(client: &mut Client, a: u64, b: u64) -> Response {
    let path = |team: u64| format!("/ords/hr/team_dv/{team}");
    let (first, second) = (client.get(&path(a), &[]).json(), client.get(&path(b), &[]).json());
    let operation = |of: &Value, other: &Value| {
        json!({
            "method": "PUT",
            "path": path(of["_id"].as_u64().unwrap()),
            "ifMatch": of["_metadata"]["etag"],
            "body": {"name": of["name"], "driver": other["driver"]},
        })
    };
    let both = json!([operation(&first, &second), operation(&second, &first)]);
    send(client, "POST", "/ords/hr/_/transaction", "", &both)
}

/// Many who put the same new document: one of them makes it, the others change it.
fn upserts_of_one_key_make_one_row(database: Database) {
    database.exec("CREATE TABLE item (id integer PRIMARY KEY, name text UNIQUE, n integer)");
    let app = app(&database, &[]);
    let made = AtomicU64::new(0);
    crowd(&app, 16, |number, client| {
        for key in 0..20 {
            let body = json!({"name": format!("item {key}"), "n": number});
            let written = send(client, "PUT", &format!("/ords/hr/item/{key}"), "", &body);
            match written.status {
                201 => made.fetch_add(1, Ordering::SeqCst),
                200 => 0,
                _ => panic!("{written:?}"),
            };
        }
    });
    assert_eq!(made.load(Ordering::SeqCst), 20);
    assert_eq!(app.get("/ords/hr/item/").json()["count"], 20);
}

/// Another program that holds the file makes writers wait, and then say when to come again. Readers
/// go on, and so do writers once the lock is gone.
#[test]
fn a_file_that_another_program_writes_to() {
    let database = Database::sqlite();
    database.exec(
        "CREATE TABLE item (id integer PRIMARY KEY, n integer); INSERT INTO item VALUES (1, 1)",
    );
    let app = Setup::new(&database)
        .with(|setup| {
            setup.open = Open::All;
            setup.limits.lock_timeout = Duration::from_millis(200);
        })
        .start();
    let other = duet_testkit::sqlite::open(&database.file());
    other.execute_batch("BEGIN IMMEDIATE; UPDATE item SET n = 2").unwrap();
    let begun = Instant::now();
    let refused: Vec<_> = {
        let app = &app;
        std::thread::scope(|scope| {
            let ask = || {
                let body = json!({"n": 9});
                send(&mut app.connect(), "PATCH", "/ords/hr/item/1", "", &body)
            };
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        })
    };
    for refused in &refused {
        assert_eq!(refused.status, 503, "{refused:?}");
        assert_eq!(refused.json()["errors"][0]["code"], "DUET-6007");
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
    }
    assert!(begun.elapsed() >= Duration::from_millis(200) && begun.elapsed() < PATIENCE);
    assert_eq!(app.get("/ords/hr/item/1").json()["n"], 1);
    other.execute_batch("COMMIT").unwrap();
    let written = send(&mut app.connect(), "PATCH", "/ords/hr/item/1", "", &json!({"n": 9}));
    assert_eq!((written.status, &written.json()["n"]), (200, &json!(9)));
}
