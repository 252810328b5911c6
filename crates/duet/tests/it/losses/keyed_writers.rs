//! Clients that create rows and batches with idempotency keys until the server has gone, repeat what was not
//! answered, and compare what is stored with what they were told: each key has exactly one effect.
//!
//! The rows have no key of their own, so whatever takes effect twice is stored twice.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::path::Path;

use duet_testkit::http::{Client, Response};
use serde_json::{Value, json};

use super::writers::{Trial, until_killed};

/// The table for SQLite; PostgreSQL calls a generated key otherwise.
pub(crate) const SQLITE: &str =
    "CREATE TABLE entry (id integer PRIMARY KEY, writer integer NOT NULL, n integer NOT NULL, part integer NOT NULL);
    CREATE INDEX entry_writer ON entry (writer, n);";
pub(crate) const POSTGRES: &str =
    "CREATE TABLE entry (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, writer integer NOT NULL, n integer NOT NULL, part integer NOT NULL);
    CREATE INDEX entry_writer ON entry (writer, n);";

/// A service that writes two rows.
const SERVICE: &str = "-- method = \"POST\"\n-- result = \"nothing\"\n-- [parameters]\n\
    -- writer = { type = \"integer\" }\n-- n = { type = \"integer\" }\n\
    INSERT INTO entry (writer, n, part) VALUES (:writer, :n, 0);\n\
    INSERT INTO entry (writer, n, part) VALUES (:writer, :n, 1)\n";

const WRITERS: u64 = 6;
/// Rows of a batch.
const BATCH: u64 = 5;

/// Writes the application's files: `{folder}/app.toml` and a service.
pub(crate) fn application(folder: &Path, database: &str) -> String {
    let text = format!(
        "name = 'keys'\nmount = '/t'\ndatabase = '{database}'\nservices = ['*.sql']\n\
         [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\n[resources.entry]\n"
    );
    std::fs::write(folder.join("app.toml"), text).unwrap();
    std::fs::write(folder.join("twice.sql"), SERVICE).unwrap();
    folder.join("app.toml").display().to_string()
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A row, with a key.
    Row,
    /// A batch, with a key.
    Batch,
    /// A service, with a key.
    Service,
    /// A batch without a key: it is never repeated, and is stored whole or not at all.
    Plain,
}

impl Kind {
    fn rows(self) -> u64 {
        match self {
            Self::Row => 1,
            Self::Service => 2,
            Self::Batch | Self::Plain => BATCH,
        }
    }
}

/// What one writer knows, whatever becomes of the server.
#[derive(Clone, Debug)]
struct Writer {
    id: u64,
    n: u64,
    draws: u64,
    /// What was sent and not answered.
    pending: Option<(Kind, u64)>,
    /// Rows that are stored for certain.
    rows: u64,
    acknowledged: u64,
    replayed: u64,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct KeyedWriters(Vec<Writer>);

impl KeyedWriters {
    pub(crate) fn new(seed: u64) -> Self {
        let new = |id| Writer {
            id,
            n: 0,
            draws: seed.wrapping_mul(31).wrapping_add(id) | 1,
            pending: None,
            rows: 0,
            acknowledged: 0,
            replayed: 0,
        };
        Self((1..=WRITERS).map(new).collect())
    }
}

impl Trial for KeyedWriters {
    fn check(&mut self, url: &str) {
        let mut client = Client::connect(url);
        for writer in &mut self.0 {
            writer.check(&mut client);
        }
    }

    fn write_until_killed(&mut self, url: &str, enough: u64, kill: impl FnOnce() + Send) {
        let write = |writer: &mut &mut Writer, client: &mut Client, count: &dyn Fn()| {
            writer.write(client)?;
            count();
            Ok(())
        };
        until_killed(url, self.0.iter_mut(), enough, write, kill);
    }

    fn summary(&self) -> String {
        let sum = |of: fn(&Writer) -> u64| self.0.iter().map(of).sum::<u64>();
        format!(
            "{} requests acknowledged with {} rows, {} of them after a retry, none lost, none twice",
            sum(|writer| writer.acknowledged),
            sum(|writer| writer.rows),
            sum(|writer| writer.replayed)
        )
    }
}

impl Writer {
    /// Xorshift: the same seed sends the same requests.
    fn draw(&mut self, below: u64) -> u64 {
        self.draws ^= self.draws << 13;
        self.draws ^= self.draws >> 7;
        self.draws ^= self.draws << 17;
        self.draws % below
    }

    /// Sends what is pending again, or something new; an error where the server has gone.
    fn write(&mut self, client: &mut Client) -> std::io::Result<()> {
        let (kind, n) = match self.pending {
            Some(pending) => pending,
            None => {
                self.n += 1;
                let kinds = [Kind::Row, Kind::Batch, Kind::Service, Kind::Plain];
                (kinds[usize::try_from(self.draw(4)).unwrap()], self.n)
            }
        };
        self.pending = Some((kind, n));
        let answer = self.send(client, kind, n)?;
        if answer.status == 409 {
            // The transaction of the killed server is still being undone.
            assert!(answer.text().contains("DUET-7022"), "{answer:?}");
            return Ok(());
        }
        self.is_acknowledged(kind, &answer);
        if kind != Kind::Plain && self.draw(3) == 0 {
            let again = self.send(client, kind, n)?;
            assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again:?}");
            assert_eq!((again.status, again.text()), (answer.status, answer.text()));
        }
        Ok(())
    }

    fn is_acknowledged(&mut self, kind: Kind, answer: &Response) {
        let status = match kind {
            Kind::Row => 201,
            Kind::Service => 204,
            Kind::Batch | Kind::Plain => 200,
        };
        assert_eq!(answer.status, status, "{answer:?}");
        self.pending = None;
        self.rows += kind.rows();
        self.acknowledged += 1;
        self.replayed += u64::from(answer.header("idempotent-replayed").is_some());
    }

    fn send(&self, client: &mut Client, kind: Kind, n: u64) -> std::io::Result<Response> {
        let row = |part: u64| json!({ "writer": self.id, "n": n, "part": part });
        let (path, body) = match kind {
            Kind::Row => ("/t/entry/", row(0)),
            Kind::Service => ("/t/twice", json!({ "writer": self.id, "n": n })),
            Kind::Batch | Kind::Plain => {
                ("/t/entry/_/batch", Value::Array((0..BATCH).map(row).collect()))
            }
        };
        let key = format!("\"{}-{n}\"", self.id);
        let mut headers = vec![("Content-Type", "application/json")];
        if kind != Kind::Plain {
            headers.push(("Idempotency-Key", &key));
        }
        client.try_request("POST", path, &headers, body.to_string().as_bytes())
    }

    /// Repeats what was not answered, and counts what is stored.
    fn check(&mut self, client: &mut Client) {
        while let Some((kind, n)) = self.pending {
            if kind == Kind::Plain {
                let stored = self.count(client, &format!(",\"n\":{n}"));
                assert!([0, BATCH].contains(&stored), "half a batch is stored: {self:?}");
                self.rows += stored;
                self.pending = None;
            } else {
                self.write(client).unwrap();
            }
        }
        let stored = self.count(client, "");
        assert_eq!(stored, self.rows, "rows are lost, or stored twice: {self:?}");
    }

    /// How many rows of this writer are stored.
    fn count(&self, client: &mut Client, and: &str) -> u64 {
        let q = format!("{{\"writer\":{}{and}}}", self.id);
        let q = q.replace('{', "%7B").replace('}', "%7D").replace('"', "%22");
        let page = client.get(&format!("/t/entry/?limit=1&count=exact&q={q}"), &[]).json();
        page["total"].as_u64().unwrap_or_else(|| panic!("{page}"))
    }
}
