//! `duet journal status` and `accept-loss`, and starts of a server whose journal is not what it was.

use std::path::{Path, PathBuf};

use duet_testkit::command::{Running, wait_until};
use duet_testkit::http;
use duet_testkit::sqlite;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// A database whose journal has three rows that are acknowledged and not applied.
struct Season {
    folder: sqlite::Folder,
}

impl Season {
    fn new() -> Self {
        let season = Self { folder: sqlite::Folder::new() };
        duet_says(&["load", "car-racing", "--database", &season.database()]);
        duet_says(&["journal", "prepare", "--database", &season.database()]);
        let server = season.serve();
        let url = format!("{}/api/main/driver/", server.url());
        let add = |first: u64| {
            let row = |id: u64| json!({ "driver_id": id, "name": format!("Driver {id}"), "points": 0, "team_id": 2 });
            let rows: Vec<Value> = (first..first + 3).map(row).collect();
            let headers = [("Content-Type", "application/json"), ("Prefer", "respond-async")];
            let added = http::request("POST", &url, &headers, json!(rows).to_string().as_bytes());
            assert_eq!(added.status, 202, "{added:?}");
        };
        add(1_000);
        wait_until("they are applied", || season.drivers() == 3);
        season.applies(false);
        add(2_000);
        assert!(server.stop().success());
        season.applies(true);
        season
    }

    fn database(&self) -> String {
        self.folder.path().join("a.sqlite").display().to_string()
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("a.sqlite.ingest")
    }

    fn segment(&self) -> PathBuf {
        let files = std::fs::read_dir(self.journal()).expect("a folder");
        let mut files = files.map(|entry| entry.expect("a file").path());
        files.find(|path| path.extension().is_some_and(|it| it == "segment")).expect("a segment")
    }

    fn serve(&self) -> Running {
        Running::start(&["serve", &self.database(), "--open", "all", "--listen", "127.0.0.1:0"])
    }

    fn drivers(&self) -> i64 {
        let connection = sqlite::open(Path::new(&self.database()));
        let count = "SELECT count(*) FROM driver WHERE driver_id >= 1000";
        connection.query_row(count, [], |row| row.get(0)).expect("a count")
    }

    /// Whether rows get into the database: only with the table of heads.
    fn applies(&self, applies: bool) {
        let names = ["duet_journal_heads", "aside"];
        let [from, to] = if applies { [names[1], names[0]] } else { names };
        let connection = sqlite::open(Path::new(&self.database()));
        connection.busy_timeout(std::time::Duration::from_secs(20)).expect("a timeout");
        connection.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}")).expect("a rename");
    }

    /// What `status` says as text and as JSON, and its exit code.
    fn status(&self) -> (i32, String, Value) {
        let (code, text, errors) = duet(&["journal", "status", &self.database()]);
        assert_eq!(errors, "");
        let (same, json, _) = duet(&["journal", "status", &self.database(), "--json"]);
        assert_eq!(code, same);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        (code, text, json["journals"][0].clone())
    }

    fn refuses(&self, further: &[&str]) -> String {
        let database = self.database();
        let arguments = ["serve", &database, "--open", "all", "--listen", "127.0.0.1:0"];
        let (code, _, errors) = duet(&[&arguments[..], further].concat());
        assert_eq!(code, 1, "{errors}");
        errors
    }
}

#[test]
fn a_whole_journal_has_nothing_to_accept() {
    let season = Season::new();
    let (code, text, json) = season.status();
    assert_eq!(code, 0, "{text}");
    assert_eq!((&json["state"], &json["waiting"]), (&json!("closed"), &json!(3)), "{json}");
    assert_eq!((&json["applyHwm"], &json["writeHwm"]), (&json!(3), &json!(6)), "{json}");
    assert_eq!((&json["deadLetters"], &json["losses"]), (&json!(0), &json!([])), "{json}");
    assert!(text.contains("waiting       3 rows\n"), "{text}");
    assert!(text.contains("next          Start the server"), "{text}");
    let folder = season.journal().display().to_string();
    let (code, of_folder, _) = duet(&["journal", "status", &folder]);
    assert_eq!(code, 0);
    assert!(of_folder.contains("applied       unknown\n"), "{of_folder}");
    let said = duet_says(&["journal", "accept-loss", &season.database()]);
    assert_eq!(said, "Nothing of the journal is missing or damaged.\n");
    let server = season.serve();
    wait_until("all is applied", || season.drivers() == 6);
    let (code, text, json) = season.status();
    assert_eq!((code, &json["state"], &json["waiting"]), (0, &json!("open"), &json!(0)), "{text}");
    let (code, _, errors) = duet(&["journal", "accept-loss", &season.database(), "--yes"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(server.stop().success());
}

#[test]
fn a_server_without_its_segments_starts_when_the_loss_is_accepted() {
    let season = Season::new();
    let segment = season.segment();
    let name = segment.file_name().expect("a name").to_string_lossy().into_owned();
    std::fs::remove_file(&segment).expect("removed");
    for further in [&[][..], &["--instances", "2"]] {
        let errors = season.refuses(further);
        for part in ["DUET-7046", "a.sqlite.ingest", &name, "3 rows are lost", "accept-loss"] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
    let (code, text, json) = season.status();
    assert_eq!(code, 1, "{text}");
    assert_eq!((&json["state"], &json["losses"][0]["rows"]), (&json!("missing"), &json!(3)));
    assert!(text.contains(&format!("missing       {name} is missing; 3 rows are lost")), "{text}");
    let (code, listed, errors) = duet(&["journal", "accept-loss", &season.database()]);
    assert_eq!(code, 1);
    assert!(listed.contains(&name) && errors.contains("--yes"), "{listed} {errors}");
    season.refuses(&[]);
    let (code, said, log) = duet(&["journal", "accept-loss", &season.database(), "--yes"]);
    assert_eq!(code, 0, "{log}");
    assert!(said.contains(&name) && said.contains("The loss is accepted"), "{said}");
    assert!(log.contains("is accepted") && log.contains(&name), "{log}");
    assert_eq!(season.status().0, 0);
    let server = season.serve();
    wait_until("it is ready", || {
        http::get(&format!("{}/health/ready", server.url()), &[]).status == 200
    });
    wait_until("the log names the loss", || server.errors().contains("accepted a loss"));
    assert!(server.stop().success());
    assert_eq!(season.drivers(), 3);
}

#[test]
fn a_damaged_journal_goes_on_beside_a_server_that_runs() {
    let season = Season::new();
    let segment = season.segment();
    let sound = std::fs::read(&segment).expect("a segment");
    let mut wrong = sound.clone();
    let middle = wrong.len() - 60;
    wrong[middle] ^= 1;
    std::fs::write(&segment, &wrong).expect("written");
    let server = season.serve();
    let ready = || http::get(&format!("{}/health/ready", server.url()), &[]);
    wait_until("it is not ready", || ready().status == 503);
    wait_until("it says why", || ready().json()["journalReason"].is_string());
    let reason = ready().json()["journalReason"].as_str().unwrap_or_default().to_owned();
    let (code, text, json) = season.status();
    assert_eq!((code, &json["state"]), (1, &json!("damaged")), "{text}");
    assert_eq!(json["losses"][0]["reason"], reason.as_str(), "the same words");
    assert!(text.contains(&reason), "{text}");
    let (code, said, log) = duet(&["journal", "accept-loss", &season.database(), "--yes"]);
    assert_eq!(code, 0, "{log}");
    assert!(said.contains(".segment.damaged"), "{said}");
    wait_until("it is ready", || ready().status == 200);
    assert!(server.stop().success());
    let mut kept = segment.into_os_string();
    kept.push(".damaged");
    assert_eq!(std::fs::read(kept).expect("kept"), wrong);
    assert_eq!(season.drivers(), 3);
}
