//! One snapshot per document and page: while drivers move between teams, no answer may show one
//! of them in both teams or in neither, and no document may show halves of two moments.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use duet_service::definition::{Mounts, ViewFile};
use duet_testkit::http::{Client, Response};
use serde_json::Value;

use crate::application::{self, Application};
use crate::served::{Kind, Served};

/// How long is looked.
const DURATION: Duration = Duration::from_secs(10);
/// How long it waits for enough moves and reads.
const PATIENCE: Duration = Duration::from_secs(120);

/// Three levels: a driver has one result while in team 2 and two while in team 302, and a team's
/// points are the number of its drivers.
const CREW: &str = "create json duality view crew_dv as team { _id: team_id  points
    driver [ { driver_id  driver_race_map [ { driver_race_map_id } ] } ] }";

const TO_302: &str = "BEGIN;
    UPDATE driver SET team_id = 302 WHERE driver_id = 105;
    INSERT INTO driver_race_map (driver_race_map_id, race_id, driver_id) VALUES (2, 202, 105);
    UPDATE team SET points = points - 1 WHERE team_id = 2;
    UPDATE team SET points = points + 1 WHERE team_id = 302;
    COMMIT;";

const TO_2: &str = "BEGIN;
    UPDATE driver SET team_id = 2 WHERE driver_id = 105;
    DELETE FROM driver_race_map WHERE driver_race_map_id = 2;
    UPDATE team SET points = points + 1 WHERE team_id = 2;
    UPDATE team SET points = points - 1 WHERE team_id = 302;
    COMMIT;";

#[test]
fn documents_are_read_in_one_snapshot() {
    std::thread::scope(|scope| {
        scope.spawn(|| look(Kind::Postgres, "", &[200]));
        scope
            .spawn(|| look(Kind::Sqlite, &format!("{PATIENT} PRAGMA journal_mode = WAL;"), &[200]));
        // Without the log a writer that never rests may keep readers waiting too long: they are
        // told so.
        scope.spawn(|| look(Kind::Sqlite, PATIENT, &[200, 503]));
    });
}

/// The writer waits for readers, and not for the disk.
const PATIENT: &str = "PRAGMA busy_timeout = 60000; PRAGMA synchronous = OFF;";

fn season() -> Application {
    let mut season = application::named("car-racing");
    if let Mounts::Declared(mount) = &mut season.definition.mounts {
        mount.views.push(ViewFile { name: "crew_dv.graphql".into(), text: CREW.into() });
    }
    season
}

fn look(kind: Kind, prepare: &str, statuses: &[u16]) {
    let served = Served::start(kind, "snapshot", &season());
    served.data.exec(prepare);
    served.data.exec(
        "UPDATE team SET points = 2;
         INSERT INTO driver_race_map (driver_race_map_id, race_id, driver_id) VALUES (1, 201, 105);
         UPDATE team SET points = 2; UPDATE driver SET points = 0;",
    );
    let over = AtomicBool::new(false);
    let reads = AtomicU64::new(0);
    let url = served.url().to_owned();
    let mut moves = 0;
    std::thread::scope(|scope| {
        for (target, check) in READERS {
            let (over, reads, url) = (&over, &reads, url.as_str());
            scope.spawn(move || {
                let mut client = Client::connect(url);
                while !over.load(Ordering::Relaxed) {
                    let response = client.get(target, &[]);
                    assert!(statuses.contains(&response.status), "{target}: {response:?}");
                    if response.status == 200 {
                        check(&response);
                        reads.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let begun = Instant::now();
        // On a busy machine it takes longer until enough was seen.
        let is_little = |moves| moves <= 20 || reads.load(Ordering::Relaxed) <= 100;
        while begun.elapsed() < DURATION || is_little(moves) && begun.elapsed() < PATIENCE {
            served.data.exec(TO_302);
            served.data.exec(TO_2);
            moves += 2;
        }
        over.store(true, Ordering::Relaxed);
    });
    let reads = reads.load(Ordering::Relaxed);
    assert!(moves > 20 && reads > 100, "{moves} moves and {reads} reads prove nothing");
}

type Reader = (&'static str, fn(&Response));

const READERS: [Reader; 5] = [
    ("/ords/hr/crew_dv/2", |response| crew(&response.json())),
    ("/ords/hr/crew_dv/302", |response| crew(&response.json())),
    ("/ords/hr/crew_dv/", crews),
    ("/ords/hr/team_dv/?count=exact&fields=driver", teams),
    ("/ords/hr/driver_dv/105", driver),
];

/// Points are the number of drivers, and the mover has the results of the team.
fn crew(document: &Value) {
    let drivers = document["driver"].as_array().unwrap();
    assert_eq!(document["points"], drivers.len(), "{document}");
    for driver in drivers.iter().filter(|driver| driver["driver_id"] == 105) {
        let results = driver["driver_race_map"].as_array().unwrap().len();
        let expected = if document["_id"] == 2 { 1 } else { 2 };
        assert_eq!(results, expected, "{document}");
    }
}

fn crews(response: &Response) {
    let page = response.json();
    page["items"].as_array().unwrap().iter().for_each(crew);
    everybody_once(&page, "driver_id");
}

fn teams(response: &Response) {
    everybody_once(&response.json(), "driverId");
}

fn everybody_once(page: &Value, key: &str) {
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    for team in page["items"].as_array().unwrap() {
        for driver in team["driver"].as_array().unwrap() {
            *seen.entry(driver[key].as_u64().unwrap()).or_default() += 1;
        }
    }
    let once: BTreeMap<u64, u32> = (101..=106).map(|driver| (driver, 1)).collect();
    assert_eq!(seen, once, "{page}");
}

fn driver(response: &Response) {
    let document = response.json();
    let results = document["race"].as_array().unwrap().len();
    let expected = if document["teamId"] == 2 { 1 } else { 2 };
    assert_eq!(results, expected, "{document}");
}
