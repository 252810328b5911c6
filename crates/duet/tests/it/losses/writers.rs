//! Clients that write documents over several tables, rows and bulk loads until the server has gone,
//! and then hold what is stored against what they were told.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_testkit::http::{Client, Response};
use serde_json::{Value, json};

pub(crate) const SCHEMA: &str =
    "CREATE TABLE whole (id integer PRIMARY KEY, n integer NOT NULL);
    CREATE TABLE part (id integer PRIMARY KEY, whole_id integer NOT NULL REFERENCES whole (id), n integer NOT NULL);
    CREATE INDEX part_whole ON part (whole_id);
    CREATE TABLE line (id integer PRIMARY KEY, writer integer NOT NULL, n integer NOT NULL);
    CREATE INDEX line_writer ON line (writer);
    CREATE TABLE loaded (id integer PRIMARY KEY, writer integer NOT NULL, words varchar(400) NOT NULL);
    CREATE INDEX loaded_writer ON loaded (writer);";

const VIEW: &str = "view whole_dv as whole @insert @update @delete {
    _id: id  n  part @insert @update @delete [ { id n } ] }";

/// Concurrent writers, each with a document and rows of its own.
const WRITERS: u64 = 6;
const PARTS: u64 = 3;

/// Rows of a bulk load, and of each of its batches. Two of them are a transaction, or one, where the
/// rest of the body is late.
const LOAD: u64 = 30;
const BATCH: u64 = 10;

/// Every so many documents there is a load.
const LOAD_EVERY: u64 = 4;

/// The last number that was acknowledged, and the last that was sent.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    acknowledged: u64,
    sent: u64,
}

impl Known {
    /// What was sent and not acknowledged may be there or not.
    fn allows(self, stored: u64) -> bool {
        (self.acknowledged..=self.sent).contains(&stored)
    }
}

/// What one writer knows, whatever becomes of the server.
#[derive(Clone, Copy, Debug, Default)]
struct Writer {
    id: u64,
    document: Known,
    lines: Known,
    loaded: Known,
}

impl Writer {
    fn acknowledged(&self) -> [u64; 3] {
        [&self.document, &self.lines, &self.loaded].map(|known| known.acknowledged)
    }
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Writers {
    writers: Vec<Writer>,
    /// For each writer what had been acknowledged when.
    history: Vec<Vec<(u64, [u64; 3])>>,
}

/// Writes the application's files: `{folder}/app.toml` and a view. Items are answered from memory, so that
/// nothing of it may depend on how a server has ended.
pub(crate) fn application(folder: &Path, database: &str) -> String {
    let text = format!(
        "name = 'kill'\nmount = '/t'\ndatabase = '{database}'\nviews = ['*.graphql']\n\
         [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\n\
         [limits]\nloads = {WRITERS}\nrowstore_max_age = 'off'\n\
         [resources.whole_dv]\nrowstore = '1MB'\nrowstore_populate = true\n\
         [resources.line]\nrowstore = '1MB'\n"
    );
    std::fs::write(folder.join("app.toml"), text).unwrap();
    std::fs::write(folder.join("whole_dv.graphql"), VIEW).unwrap();
    folder.join("app.toml").display().to_string()
}

/// Writers that go on after each kill.
pub(crate) trait Trial {
    /// Compares what is stored with what was acknowledged, and takes it for the new state.
    fn check(&mut self, url: &str);

    /// Writes until so many writes have been acknowledged, then kills the server, whatever it is at.
    fn write_until_killed(&mut self, url: &str, enough: u64, kill: impl FnOnce() + Send);

    /// What has been acknowledged so far, in words.
    fn summary(&self) -> String;
}

impl Trial for Writers {
    fn check(&mut self, url: &str) {
        self.check(url);
    }

    fn write_until_killed(&mut self, url: &str, enough: u64, kill: impl FnOnce() + Send) {
        self.write_until_killed(url, enough, || 0, kill);
    }

    fn summary(&self) -> String {
        format!("{}, none lost, none half", self.summary())
    }
}

/// Runs each writer on a connection of its own until it fails. When all together have counted so many
/// acknowledgements, the server is killed.
pub(crate) fn until_killed<W: Send>(
    url: &str,
    writers: impl Iterator<Item = W>,
    enough: u64,
    write: impl Fn(&mut W, &mut Client, &dyn Fn()) -> std::io::Result<()> + Sync,
    kill: impl FnOnce() + Send,
) {
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = writers
            .map(|mut writer| {
                let (acknowledged, write) = (&acknowledged, &write);
                scope.spawn(move || {
                    let Ok(mut client) = Client::try_connect(url) else { return };
                    let count = || {
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                    };
                    while write(&mut writer, &mut client, &count).is_ok() {}
                })
            })
            .collect();
        while acknowledged.load(Ordering::SeqCst) < enough {
            assert!(
                !threads.iter().all(std::thread::ScopedJoinHandle::is_finished),
                "no program writes any more"
            );
            std::thread::yield_now();
        }
        kill();
    });
}

/// The number in an environment variable.
pub(crate) fn how_often(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|number| number.parse().ok())
}

impl Writers {
    pub(crate) fn new() -> Self {
        let new = |id| Writer { id, ..Writer::default() };
        Self { writers: (0..WRITERS).map(new).collect(), history: Vec::new() }
    }

    /// What has been acknowledged so far, in words.
    pub(crate) fn summary(&self) -> String {
        let sum = |which: usize| self.writers.iter().map(|w| w.acknowledged()[which]).sum::<u64>();
        format!("{} documents, {} rows and {} loaded rows acknowledged", sum(0), sum(1), sum(2))
    }

    /// Writes until so many writes have been acknowledged, then kills the server, whatever it is at.
    /// `now` is asked after each acknowledgement.
    pub(crate) fn write_until_killed(
        &mut self,
        url: &str,
        enough: u64,
        now: impl Fn() -> u64 + Sync,
        kill: impl FnOnce() + Send,
    ) {
        self.history = self.writers.iter().map(|w| vec![(0, w.acknowledged())]).collect();
        let all = self.writers.iter_mut().zip(&mut self.history);
        let write = |(writer, history): &mut (&mut Writer, &mut Vec<_>),
                     client: &mut Client,
                     count: &dyn Fn()| {
            writer.write(client, |so_far| {
                history.push((now(), so_far));
                count();
            })
        };
        until_killed(url, all, enough, write, kill);
    }

    /// Forgets the acknowledgements that came after a moment.
    pub(crate) fn go_back_to(&mut self, moment: u64) {
        for (writer, history) in self.writers.iter_mut().zip(&self.history) {
            let before = history.iter().rfind(|(at, _)| *at <= moment).unwrap().1;
            let all = [&mut writer.document, &mut writer.lines, &mut writer.loaded];
            for (known, acknowledged) in all.into_iter().zip(before) {
                known.acknowledged = acknowledged;
            }
        }
    }

    /// Holds what is stored against what is known, and takes it for the new state.
    pub(crate) fn check(&mut self, url: &str) {
        let mut client = Client::connect(url);
        for writer in &mut self.writers {
            writer.check(&mut client);
        }
    }
}

impl Writer {
    /// A document, a row and sometimes a load; an error where the server has gone.
    fn write(
        &mut self,
        client: &mut Client,
        mut acknowledged: impl FnMut([u64; 3]),
    ) -> std::io::Result<()> {
        self.document.sent += 1;
        let n = self.document.sent;
        // The parts take turns, so that rows are inserted, changed and deleted.
        let part = |place: u64| json!({"id": self.id * 1_000 + (n + place) % (PARTS + 2), "n": n});
        let parts: Vec<Value> = (0..PARTS).map(part).collect();
        let path = format!("/t/whole_dv/{}", self.id);
        let written = send(client, "PUT", &path, &json!({"n": n, "part": parts}))?;
        assert!(matches!(written.status, 200 | 201), "{written:?}");
        self.document.acknowledged = n;
        // Once from wherever it is, once from memory mostly.
        for _ in 0..2 {
            let read = send(client, "GET", &path, &Value::Null)?;
            assert_eq!(read.json()["n"].as_u64(), Some(n), "{read:?}");
        }
        acknowledged(self.acknowledged());
        self.lines.sent += 1;
        let line = json!({"id": self.row(self.lines.sent), "writer": self.id, "n": n});
        let written = send(client, "POST", "/t/line/", &line)?;
        assert_eq!(written.status, 201, "{written:?}");
        self.lines.acknowledged = self.lines.sent;
        acknowledged(self.acknowledged());
        if (n + self.id).is_multiple_of(LOAD_EVERY) {
            self.load(client)?;
            acknowledged(self.acknowledged());
        }
        Ok(())
    }

    fn load(&mut self, client: &mut Client) -> std::io::Result<()> {
        let first = self.loaded.sent + 1;
        self.loaded.sent += LOAD;
        let row = |place: u64| {
            let words = "many words ".repeat(30);
            json!({"id": self.row(place), "writer": self.id, "words": words}).to_string() + "\n"
        };
        let body: String = (first..=self.loaded.sent).map(row).collect();
        let path = format!("/t/loaded/batchload?batchRows={}&batchesPerCommit=2", BATCH);
        let headers = [("Content-Type", "application/x-ndjson"), ("Accept", "application/json")];
        let told = client.try_request("POST", &path, &headers, body.as_bytes())?;
        assert_eq!(
            (told.status, &told.json()["lastCommittedRow"]),
            (200, &json!(LOAD)),
            "{told:?}"
        );
        self.loaded.acknowledged = self.loaded.sent;
        Ok(())
    }

    /// The key of one of its rows.
    fn row(&self, place: u64) -> u64 {
        place * WRITERS + self.id
    }

    fn check(&mut self, client: &mut Client) {
        let n = self.check_document(client);
        let lines = self.count(client, "line");
        assert!(self.lines.allows(lines), "{lines} rows are stored: {self:?}");
        if lines > 0 {
            let last = client.get(&format!("/t/line/{}", self.row(lines)), &[]);
            assert_eq!(last.status, 200, "a row between others is lost: {self:?}");
            // A row is written after its document.
            assert!(last.json()["n"].as_u64().unwrap() <= n, "{n} is stored: {last:?}");
        }
        let loaded = self.count(client, "loaded");
        assert!(self.loaded.allows(loaded), "{loaded} loaded rows are stored: {self:?}");
        assert_eq!(loaded % BATCH, 0, "half a batch of a load: {self:?}");
        if loaded > 0 {
            let last = client.get(&format!("/t/loaded/{}", self.row(loaded)), &[]);
            assert_eq!(last.status, 200, "a loaded row between others is lost: {self:?}");
        }
        let known = |stored| Known { acknowledged: stored, sent: stored };
        (self.document, self.lines, self.loaded) = (known(n), known(lines), known(loaded));
    }

    fn check_document(&self, client: &mut Client) -> u64 {
        let read = client.get(&format!("/t/whole_dv/{}", self.id), &[]);
        let n = match read.status {
            404 => 0,
            _ => read.json()["n"].as_u64().unwrap(),
        };
        assert!(self.document.allows(n), "{n} is stored: {self:?}");
        if n > 0 {
            let document = read.json();
            let parts = document["part"].as_array().unwrap();
            let whole = parts.len() as u64 == PARTS && parts.iter().all(|part| part["n"] == n);
            assert!(whole, "half a document: {document}");
        }
        n
    }

    /// How many rows of this writer a table has.
    fn count(&self, client: &mut Client, table: &str) -> u64 {
        let q = format!("%7B%22writer%22:{}%7D", self.id);
        let page = client.get(&format!("/t/{table}/?limit=1&count=exact&q={q}"), &[]).json();
        page["total"].as_u64().unwrap_or_else(|| panic!("{page}"))
    }
}

fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> std::io::Result<Response> {
    let headers = [("Content-Type", "application/json")];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    client.try_request(method, path, &headers, body.as_bytes())
}
