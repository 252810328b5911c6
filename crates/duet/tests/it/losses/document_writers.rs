//! Clients that create and replace documents of a collection until the server has gone, and then compare what is stored
//! with what they were told.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::path::Path;

use duet_testkit::http::{Client, Response};
use serde_json::{Value, json};

use super::writers::{Trial, until_killed};

/// Concurrent writers, each with a document that it replaces and others that it adds.
const WRITERS: u64 = 6;

const DECLARATION: &str = "schema = 'notes.json'\nmetadata = true\n\
    [indexes]\nindex = ['writer']\nunique = ['code']\ntrigram = ['words']\nfull-text = ['words']\n";

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["writer", "n", "code"],
  "properties": {"id": {"type": "string", "format": "uuid"}, "writer": {"type": "integer"}, "n": {"type": "integer"},
    "code": {"type": "string"}, "words": {"type": "string"}, "parts": {"type": "array", "items": {"type": "integer"}},
    "metadata": {"type": "object"}}}"#;

/// Writes the files of the application.
pub(crate) fn application(folder: &Path, database: &str) -> String {
    let text = format!(
        "name = 'kill'\nmount = '/t'\ndatabase = '{database}'\ntables = 'listed'\n\
         collections = ['notes.toml']\n[settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\n"
    );
    for (name, text) in [("app.toml", &*text), ("notes.toml", DECLARATION), ("notes.json", SCHEMA)]
    {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder.join("app.toml").display().to_string()
}

/// What one writer was told, and what it has sent last.
#[derive(Clone, Copy, Debug, Default)]
struct Writer {
    id: u64,
    /// The number in its replaced document; 0 without one.
    replaced: [u64; 2],
    /// How many documents it has added.
    added: [u64; 2],
}

/// All of them.
#[derive(Debug)]
pub(crate) struct DocumentWriters(Vec<Writer>);

impl DocumentWriters {
    pub(crate) fn new() -> Self {
        Self((0..WRITERS).map(|id| Writer { id, ..Writer::default() }).collect())
    }
}

impl Trial for DocumentWriters {
    fn check(&mut self, url: &str) {
        let mut client = Client::connect(url);
        self.0.iter_mut().for_each(|writer| writer.check(&mut client));
    }

    fn write_until_killed(&mut self, url: &str, enough: u64, kill: impl FnOnce() + Send) {
        let write = |writer: &mut &mut Writer, client: &mut Client, count: &dyn Fn()| {
            writer.write(client, count)
        };
        until_killed(url, self.0.iter_mut(), enough, write, kill);
    }

    fn summary(&self) -> String {
        let sum = |of: fn(&Writer) -> u64| self.0.iter().map(of).sum::<u64>();
        let (replaced, added) = (sum(|one| one.replaced[0]), sum(|one| one.added[0]));
        format!("{replaced} documents put and {added} posted, none lost, none half")
    }
}

impl Writer {
    /// The key of its document of this place; that of 0 is replaced.
    fn key(&self, place: u64) -> String {
        format!("{:08x}-0000-4000-8000-{place:012x}", self.id)
    }

    fn document(&self, place: u64, n: u64) -> Value {
        json!({
            "id": self.key(place), "writer": self.id, "n": n, "code": format!("{}-{place}", self.id),
            "words": format!("written as w{n}x"), "parts": vec![n; 50],
        })
    }

    /// Replaces the one document and adds another; an error where the server has gone.
    fn write(&mut self, client: &mut Client, acknowledged: &dyn Fn()) -> std::io::Result<()> {
        self.replaced[1] += 1;
        let [before, n] = self.replaced;
        let document = self.document(0, n);
        let written = match before {
            0 => send(client, "POST", "/t/notes", &document)?,
            _ => send(client, "PUT", &format!("/t/notes/{}", self.key(0)), &document)?,
        };
        assert_eq!(written.status, if before == 0 { 201 } else { 204 }, "{written:?}");
        self.replaced[0] = n;
        acknowledged();
        self.added[1] += 1;
        let document = self.document(self.added[1], n);
        let written = send(client, "POST", "/t/notes", &document)?;
        assert_eq!(written.status, 201, "{written:?}");
        self.added[0] = self.added[1];
        acknowledged();
        Ok(())
    }

    /// Compares what is stored with what was acknowledged, and takes it for the new state.
    fn check(&mut self, client: &mut Client) {
        let n = self.number(client, 0).unwrap_or(0);
        let [acknowledged, sent] = self.replaced;
        assert!((acknowledged..=sent).contains(&n), "{n} is stored: {self:?}");
        let mut added = self.added[0];
        for place in 1..=added {
            assert!(self.number(client, place).is_some(), "document {place} is lost: {self:?}");
        }
        added += u64::from(self.added[1] > added && self.number(client, added + 1).is_some());
        let documents = added + u64::from(n > 0);
        // By each kind of index, and by the words of the replaced document as it is now.
        for (query, expected) in [
            (format!("writer=={}", self.id), documents),
            (format!("words=written and writer=={}", self.id), documents),
            (format!("words==*ritten* and writer=={}", self.id), documents),
            (format!("words=w{n}x and code=={}-0", self.id), u64::from(n > 0)),
        ] {
            let query = query.replace(' ', "+");
            let list =
                client.get(&format!("/t/notes?limit=1&totalRecords=exact&query={query}"), &[]);
            assert_eq!(list.json()["totalRecords"], json!(expected), "{query}: {self:?}");
        }
        (self.replaced, self.added) = ([n; 2], [added; 2]);
    }

    /// The number in a document, which is whole; `None` without such a document.
    fn number(&self, client: &mut Client, place: u64) -> Option<u64> {
        let read = client.get(&format!("/t/notes/{}", self.key(place)), &[]);
        if read.status == 404 {
            return None;
        }
        let stored = read.json();
        let n = stored["n"].as_u64().unwrap();
        let expected = self.document(place, n);
        for member in ["id", "writer", "code", "words", "parts"] {
            assert_eq!(stored[member], expected[member], "half a document: {self:?}");
        }
        Some(n)
    }
}

fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> std::io::Result<Response> {
    let headers = [("Content-Type", "application/json")];
    client.try_request(method, path, &headers, body.to_string().as_bytes())
}
