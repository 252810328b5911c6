//! The journal on a disk that becomes full, also in the middle of a write and at a sync: requests get 503, nothing
//! that was acknowledged is lost, nothing that was refused is kept, and all goes on when there is room.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use duet_journal::{Disk, DurableMark, RealDisk};
use duet_service::journal::JournalDisk;
use serde_json::{Value, json};

use super::rows::{code, post, setup, status};
use crate::support::{App, Database, eventually, on_both_stores};

on_both_stores! {
    a_full_disk_refuses_rows_and_loses_none
    a_damaged_journal_accepts_nothing_and_is_not_ready
    a_full_disk_has_room_again_when_its_rows_are_applied
    a_start_on_a_full_disk_keeps_what_was_acknowledged
}

/// How much room a disk has.
#[derive(Clone, Default)]
struct Room {
    /// Bytes that all segments may have.
    bytes: Arc<AtomicU64>,
    /// Whether the system notices only at a sync that there is none.
    late: Arc<AtomicBool>,
}

/// A folder with little room.
struct SmallDisk(RealDisk, Room);

fn full() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}

impl SmallDisk {
    fn used(&self) -> io::Result<u64> {
        let names = self.0.names()?;
        let segments = names.iter().filter(|name| name.ends_with(".segment"));
        segments.map(|name| self.0.length(name)).sum()
    }
}

impl Disk for SmallDisk {
    fn names(&self) -> io::Result<Vec<String>> {
        self.0.names()
    }

    fn read(&self, name: &str, at: u64, bytes: usize) -> io::Result<Vec<u8>> {
        self.0.read(name, at, bytes)
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        self.0.length(name)
    }

    fn create(&self, name: &str) -> io::Result<()> {
        self.0.create(name)
    }

    fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        let room = self.1.bytes.load(Ordering::SeqCst);
        let new = (at + bytes.len() as u64).saturating_sub(self.0.length(name)?);
        let left = room.saturating_sub(self.used()?);
        if new > left && !self.1.late.load(Ordering::SeqCst) {
            // What fits is written.
            let fits = usize::try_from(left).unwrap().min(bytes.len());
            self.0.write(name, at, &bytes[..fits])?;
            return Err(full());
        }
        self.0.write(name, at, bytes)
    }

    fn cut(&self, name: &str, length: u64) -> io::Result<()> {
        self.0.cut(name, length)
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        match self.used()? > self.1.bytes.load(Ordering::SeqCst) {
            true => Err(full()),
            false => self.0.sync(name),
        }
    }

    fn sync_names(&self) -> io::Result<()> {
        self.0.sync_names()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn is_ours(&self) -> bool {
        self.0.is_ours()
    }

    fn publish(&self, published: DurableMark) {
        self.0.publish(published);
    }

    fn withdraw(&self) {
        self.0.withdraw();
    }

    fn left(&self) -> Option<DurableMark> {
        self.0.left()
    }
}

/// Without a key, a row that is applied twice is there twice.
const TABLE: &str = "CREATE TABLE reading (said varchar(20) NOT NULL)";

fn start(database: &Database, folder: &std::path::Path, room: &Room) -> App {
    database.prepare_journal();
    let room = room.clone();
    let disk = move |disk| Box::new(SmallDisk(disk, room.clone())) as Box<dyn Disk>;
    let setup = setup(database, folder);
    setup.with(|setup| setup.journal.as_mut().unwrap().disk = JournalDisk::with(disk)).start()
}

/// Ten readings that no other request has.
fn readings(number: u64) -> Value {
    (0..10).map(|at| json!({ "said": format!("{number}.{at}") })).collect()
}

/// Sends readings until the disk is full; the accepted answers, and the number of the one that was refused.
fn fill(app: &App, first: u64) -> (Vec<duet_testkit::http::Response>, u64) {
    let mut accepted = Vec::new();
    for number in first..first + 1_000 {
        let answer = post(app, "reading/", "respond-async", &readings(number));
        if answer.status == 202 {
            accepted.push(answer);
            continue;
        }
        assert_eq!((answer.status, code(&answer).as_str()), (503, "DUET-7041"), "{answer:?}");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert!(answer.text().contains("disk"), "{}", answer.text());
        return (accepted, number);
    }
    panic!("the disk was never full");
}

fn a_full_disk_refuses_rows_and_loses_none(database: Database) {
    database.exec(TABLE);
    let folder = tempfile::tempdir().unwrap();
    let room = Room::default();
    room.bytes.store(10_000, Ordering::SeqCst);
    let app = start(&database, folder.path(), &room);
    // The first request opens the journal.
    let opening = post(&app, "reading/", "respond-async", &readings(0));
    let (mut accepted, mut next) = (vec![opening], 1);
    for (late, more) in [(false, 5_000), (true, 7_000), (false, 100_000)] {
        room.late.store(late, Ordering::SeqCst);
        // Rows that are applied make room for others: none is.
        applies(&database, false);
        let (some, refused) = fill(&app, next);
        assert!(some.len() > 5, "{}", some.len());
        // While it is full: smaller requests, the usual path and reads.
        let again = post(&app, "reading/", "respond-async", &readings(refused));
        assert_eq!(again.status, 503, "{again:?}");
        let usual = post(&app, "reading/", "return=minimal", &json!({ "said": "usual" }));
        assert_eq!(usual.status, 201, "{usual:?}");
        assert_eq!(app.get("/ords/hr/reading/?limit=1").status, 200);
        accepted.extend(some);
        next = refused + 1;
        applies(&database, true);
        room.bytes.fetch_add(more, Ordering::SeqCst);
    }
    room.late.store(false, Ordering::SeqCst);
    accepted.push(post(&app, "reading/", "respond-async", &readings(next)));
    for one in &accepted {
        assert_eq!(status(&app, one)["status"], "applied");
    }
    let count = |of: &str| {
        database.count(&format!("SELECT count({of}) FROM reading WHERE said <> 'usual'"))
    };
    assert_eq!(
        count("*"),
        10 * i64::try_from(accepted.len()).unwrap(),
        "refused rows are not kept"
    );
    assert_eq!(count("DISTINCT said"), count("*"), "none is there twice");
    let failures = app.get("/admin/journal").json()["journals"][0]["failures"].as_u64().unwrap();
    assert!(failures >= 6, "{failures}");
}

/// Whether rows of the journal get into the database: only with its table of marks.
fn applies(database: &Database, applies: bool) {
    let (from, to) = match (database.is_sqlite(), applies) {
        (true, false) => ("duet_journal_marks", "aside"),
        (true, true) => ("aside", "duet_journal_marks"),
        (false, false) => ("duet.journal_marks", "aside"),
        (false, true) => ("duet.aside", "journal_marks"),
    };
    database.exec(&format!("ALTER TABLE {from} RENAME TO {to}"));
}

/// A byte in the middle of acknowledged rows is not what it was: every request is refused, not some of them, and the
/// server is not ready, until the file is repaired.
fn a_damaged_journal_accepts_nothing_and_is_not_ready(database: Database) {
    database.exec(TABLE);
    let folder = tempfile::tempdir().unwrap();
    let room = Room::default();
    room.bytes.store(1 << 20, Ordering::SeqCst);
    let app = start(&database, folder.path(), &room);
    let opening = post(&app, "reading/", "respond-async", &readings(0));
    assert_eq!(status(&app, &opening)["status"], "applied");
    applies(&database, false);
    for number in 1..=5 {
        assert_eq!(post(&app, "reading/", "respond-async", &readings(number)).status, 202);
    }
    app.stop();
    applies(&database, true);
    let files = std::fs::read_dir(folder.path().join("journal"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let segments = files.filter(|path| path.extension().is_some_and(|it| it == "segment"));
    let segment = segments.max().unwrap();
    let sound = std::fs::read(&segment).unwrap();
    let mut wrong = sound.clone();
    let middle = wrong.len() / 2;
    wrong[middle] ^= 1;
    std::fs::write(&segment, &wrong).unwrap();
    let app = start(&database, folder.path(), &room);
    let ready = || app.get("/health/ready").status;
    eventually("it is not ready", || ready() == 503);
    for _ in 0..30 {
        let answer = post(&app, "reading/", "respond-async", &readings(9));
        assert_eq!((answer.status, code(&answer).as_str()), (503, "DUET-7042"), "{answer:?}");
        assert_eq!(ready(), 503);
    }
    std::fs::write(&segment, &sound).unwrap();
    eventually("it is ready", || ready() == 200);
    let count = || database.count("SELECT count(*) FROM reading");
    eventually("all that was acknowledged is applied", || count() == 60);
}

/// The disk has room for a few requests: it becomes full, and has room again once these are applied.
fn a_full_disk_has_room_again_when_its_rows_are_applied(database: Database) {
    database.exec(TABLE);
    let folder = tempfile::tempdir().unwrap();
    let room = Room::default();
    room.bytes.store(10_000, Ordering::SeqCst);
    let app = start(&database, folder.path(), &room);
    let mut next = 0;
    for _ in 0..3 {
        let answer = post(&app, "reading/", "respond-async", &readings(next));
        assert_eq!(answer.status, 202, "{answer:?}");
        assert_eq!(status(&app, &answer)["status"], "applied");
        applies(&database, false);
        let (_, refused) = fill(&app, next + 1);
        applies(&database, true);
        next = refused + 1;
        eventually("all is applied", || {
            app.get("/admin/journal").json()["journals"][0]["waiting"] == 0
        });
    }
}

fn a_start_on_a_full_disk_keeps_what_was_acknowledged(database: Database) {
    database.exec(TABLE);
    let folder = tempfile::tempdir().unwrap();
    let room = Room::default();
    let mut expected = 0;
    for run in 0..3 {
        room.bytes.fetch_add(6_000, Ordering::SeqCst);
        let app = start(&database, folder.path(), &room);
        let opening = post(&app, "reading/", "respond-async", &readings(10_000 * run));
        assert_eq!(opening.status, 202, "{opening:?}");
        expected += 10;
        applies(&database, false);
        let (accepted, _) = fill(&app, 10_000 * run + 1);
        applies(&database, true);
        expected += 10 * i64::try_from(accepted.len()).unwrap();
        // Stopped at once, and started again without room.
        app.stop();
        let app = start(&database, folder.path(), &room);
        let count = || database.count("SELECT count(*) FROM reading");
        eventually("all that was acknowledged is applied", || count() == expected);
        app.stop();
    }
}
