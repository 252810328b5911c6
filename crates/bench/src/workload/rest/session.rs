//! A user of a REST resource.

use std::io::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CHECKS, Facts};
use crate::record::Outcome;
use crate::targets::http::{Connection, Response, Url};
use crate::workload::{Done, Failed, Local, Session, Success, Turn};

/// Created items have keys from here on, so many for each user.
const FIRST_KEY: u64 = 1_000_000_000;
const KEYS_EACH: u64 = 1_000_000;

/// A connection, and the requests it makes.
pub(super) struct RestSession {
    items: Arc<[Item]>,
    collection: String,
    is_collection: bool,
    content_type: String,
    changeable: Option<String>,
    key: Option<String>,
    next_key: u64,
    /// Header fields that every request has, with the empty line.
    fields: String,
    request: Vec<u8>,
    connection: Connection,
}

/// An item: its path, and the end of its own link in its content.
struct Item {
    path: String,
    needle: Vec<u8>,
}

impl RestSession {
    pub(super) fn new(facts: &Facts, url: &Url, connection: Connection, user: u32) -> Self {
        let authorization = match &facts.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let item =
            |path: &String| Item { path: path.clone(), needle: format!("{path}\"").into_bytes() };
        Self {
            items: facts.items.iter().map(item).collect(),
            collection: format!("{}/", url.path.trim_end_matches('/')),
            is_collection: facts.is_collection,
            content_type: facts.content_type.clone(),
            changeable: facts.changeable.clone(),
            key: facts.key.clone(),
            next_key: FIRST_KEY + u64::from(user) * KEYS_EACH,
            fields: format!("Host: {}\r\n{authorization}", url.host),
            request: Vec::new(),
            connection,
        }
    }

    /// Writes a request without content.
    fn compose(&mut self, method: &str, path: &str) {
        self.request.clear();
        for part in [method, " ", path, " HTTP/1.1\r\n", &self.fields, "\r\n"] {
            self.request.extend_from_slice(part.as_bytes());
        }
    }

    /// Writes a request with content.
    fn compose_with(&mut self, method: &str, path: &str, more: &str, content: &[u8]) {
        self.request.clear();
        for part in [method, " ", path, " HTTP/1.1\r\n", &self.fields, more] {
            self.request.extend_from_slice(part.as_bytes());
        }
        let length = content.len();
        // Writing to memory cannot fail.
        let _ = write!(
            self.request,
            "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        self.request.extend_from_slice(content);
    }

    async fn exchange(&mut self, turn: &mut Turn) -> Result<Response<'_>, Failed> {
        self.connection.exchange(&self.request, &mut turn.work).await
    }

    async fn get(&mut self, turn: &mut Turn) -> Done {
        let at = turn.random.usize(..self.items.len().max(1));
        let items = self.items.clone();
        let Some(item) = items.get(at) else { return Ok(Success::Empty) };
        self.compose("GET", &item.path);
        let needle = if self.is_collection { &item.needle[..] } else { &[] };
        let (connection, request) = (&mut self.connection, &self.request);
        let answer = connection.exchange(request, &mut turn.work).await?;
        check(&answer, &self.content_type, needle)
    }

    async fn page(&mut self, turn: &mut Turn) -> Done {
        let offset = turn.random.usize(..self.items.len().max(1));
        let path = format!("{}?limit=25&offset={offset}", self.collection);
        self.compose("GET", &path);
        let answer = self.exchange(turn).await?;
        check(&answer, "application/json", b"\"items\":[")
    }

    /// Reads an item, changes a number in it, and puts it back if nobody else has changed it since.
    async fn put(&mut self, turn: &mut Turn) -> Done {
        let at = turn.random.usize(..self.items.len().max(1));
        let items = self.items.clone();
        let (Some(item), Some(member)) = (items.get(at), self.changeable.clone()) else {
            return Ok(Success::Empty);
        };
        self.compose("GET", &item.path);
        let content_type = self.content_type.clone();
        let answer = self.exchange(turn).await?;
        check(&answer, &content_type, &item.needle)?;
        let etag =
            answer.field("etag").map(|tag| format!("If-Match: {tag}\r\n")).unwrap_or_default();
        let mut document = document(&answer)?;
        document.insert(member, Value::from(turn.random.u32(..1_000_000)));
        let content = Value::Object(document).to_string();
        turn.think().await;
        self.compose_with("PUT", &item.path, &etag, content.as_bytes());
        let answer = self.exchange(turn).await?;
        written(&answer, &[200])
    }

    /// Creates an item like another one, with a key of its own, and removes it.
    async fn cycle(&mut self, turn: &mut Turn) -> Done {
        let at = turn.random.usize(..self.items.len().max(1));
        let items = self.items.clone();
        let (Some(item), Some(key)) = (items.get(at), self.key.clone()) else {
            return Ok(Success::Empty);
        };
        self.compose("GET", &item.path);
        let answer = self.exchange(turn).await?;
        let mut document = document(&answer)?;
        document.retain(|_, value| !value.is_array() && !value.is_object());
        self.next_key += 1;
        // Texts are often unique.
        for value in document.values_mut().filter(|value| value.is_string()) {
            *value = Value::from(format!("bench {}", self.next_key));
        }
        document.insert(key, Value::from(self.next_key));
        let content = Value::Object(document).to_string();
        let collection = self.collection.clone();
        self.compose_with("POST", &collection, "", content.as_bytes());
        let answer = self.exchange(turn).await?;
        written(&answer, &[200, 201])?;
        let path = format!("{collection}{}", self.next_key);
        turn.think().await;
        self.compose("DELETE", &path);
        let answer = self.exchange(turn).await?;
        written(&answer, &[200, 204])
    }
}

impl Session for RestSession {
    fn run<'a>(&'a mut self, kind: usize, turn: &'a mut Turn) -> Local<'a, Done> {
        Box::pin(async move {
            match kind {
                0 => self.get(turn).await,
                1 => self.page(turn).await,
                2 => self.put(turn).await,
                _ => self.cycle(turn).await,
            }
        })
    }
}

/// The item of an answer, without what the server adds.
fn document(answer: &Response<'_>) -> Result<Map<String, Value>, Failed> {
    let parsed = serde_json::from_slice(answer.body);
    let mut document: Map<String, Value> =
        parsed.map_err(|_| Failed::check(format!("{}: its content is no object", CHECKS[1])))?;
    document.retain(|name, _| name != "links" && name != "_metadata");
    Ok(document)
}

fn check(answer: &Response<'_>, content_type: &str, needle: &[u8]) -> Done {
    if answer.status != 200 {
        return Err(refused(answer, CHECKS[0]));
    }
    if answer.field("content-type").unwrap_or_default() != content_type {
        return Err(Failed::check(CHECKS[1]));
    }
    if !needle.is_empty() && !answer.contains(needle) {
        return Err(Failed::check(CHECKS[2]));
    }
    Ok(Success::Ok)
}

fn written(answer: &Response<'_>, statuses: &[u16]) -> Done {
    match answer.status {
        status if statuses.contains(&status) => Ok(Success::Ok),
        412 => Err(Failed::new(Outcome::Serialization, "412: somebody else changed it first")),
        _ => Err(refused(answer, CHECKS[3])),
    }
}

/// What a status that is not the right one means.
fn refused(answer: &Response<'_>, check: &str) -> Failed {
    let outcome = match answer.status {
        408 | 504 => Outcome::Timeout,
        409 => Outcome::Constraint,
        _ => Outcome::Check,
    };
    Failed::new(outcome, format!("{check}: it is {}", answer.status))
}
