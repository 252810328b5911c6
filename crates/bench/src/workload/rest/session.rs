//! A user of a REST resource.

use std::io::Write as _;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::resource::Rest;
use crate::targets::http::{HttpConnection, Length, Response};
use crate::workload::{
    CheckCounts, Checker, Done, Failed, Local, Session, Success, TransactionContext,
};
use duet_verdict::outcome::Outcome;

/// Indexes in [`CHECKS`](super::resource::CHECKS).
const STATUS: usize = 0;
const JSON_TYPE: usize = 1;
const REQUESTED: usize = 2;
const WRITTEN: usize = 3;
const FIRST_TYPE: usize = 4;
const LENGTH: usize = 5;
const VALID_JSON: usize = 6;

/// How often an update is repeated after a conflict, as a client would: small resources have few items, which
/// several users change at the same time.
const RETRIES: u32 = 50;

/// The first key of created items; each user has a range of this size.
const FIRST_KEY: u64 = 1_000_000_000;
const KEYS_EACH: u64 = 1_000_000;

/// A connection and its requests.
pub(super) struct RestSession {
    items: Arc<[Item]>,
    collection: String,
    is_collection: bool,
    content_type: String,
    changeable: Option<String>,
    key: Option<String>,
    next_key: u64,
    /// Header fields of every request, with the empty line.
    fields: String,
    request: Vec<u8>,
    connection: HttpConnection,
    checks: Arc<CheckCounts>,
}

/// An item: its path, and the suffix of its own link in its content.
struct Item {
    path: String,
    needle: Vec<u8>,
}

impl RestSession {
    pub(super) fn new(rest: &Rest, connection: HttpConnection, user: u32) -> Self {
        let (facts, url) = (&rest.facts, &rest.url);
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
            checks: rest.checks.clone(),
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

    async fn exchange(&mut self, context: &mut TransactionContext) -> Result<Response<'_>, Failed> {
        self.connection.exchange(&self.request, &mut context.work).await
    }

    async fn get(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let at = context.random.usize(..self.items.len().max(1));
        let items = self.items.clone();
        let Some(item) = items.get(at) else { return Ok(Success::Empty) };
        self.compose("GET", &item.path);
        if !self.is_collection {
            return self.get_whole(context, checks).await;
        }
        let (connection, request) = (&mut self.connection, &self.request);
        let answer = connection.exchange(request, &mut context.work).await?;
        check(&answer, &self.content_type, &item.needle, checks)
    }

    /// Gets a single URL, of which only the first response is known.
    async fn get_whole(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let (connection, request) = (&mut self.connection, &self.request);
        let answer = match connection.exchange(request, &mut context.work).await {
            Ok(answer) => answer,
            Err(failed) => {
                if connection.was_cut_short() {
                    checks.note(LENGTH, false);
                }
                return Err(failed);
            }
        };
        status_is_200(&answer, checks)?;
        let content_type = answer.field("content-type").unwrap_or_default();
        checks.hold(FIRST_TYPE, content_type == self.content_type)?;
        if answer.length != Length::Undeclared {
            checks.hold(LENGTH, answer.length == Length::Matched)?;
        }
        if is_json(&content_type) && !answer.is_encoded() {
            let parsed = serde_json::from_slice::<IgnoredAny>(answer.body);
            checks.hold(VALID_JSON, parsed.is_ok())?;
        }
        Ok(Success::Ok)
    }

    async fn page(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let offset = context.random.usize(..self.items.len().max(1));
        let path = format!("{}?limit=25&offset={offset}", self.collection);
        self.compose("GET", &path);
        let answer = self.exchange(context).await?;
        check(&answer, "application/json", b"\"items\":[", checks)
    }

    /// Reads an item, changes a number in it, and writes it unless another user has changed it
    /// since; then it reads and writes again.
    async fn put(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let at = context.random.usize(..self.items.len().max(1));
        let items = self.items.clone();
        let (Some(item), Some(member)) = (items.get(at), self.changeable.clone()) else {
            return Ok(Success::Empty);
        };
        let value = context.random.u32(..1_000_000);
        for tries in 0..=RETRIES {
            match self.change(context, item, &member, value, checks).await {
                Ok(done) if tries == 0 => return Ok(done),
                Ok(_) => return Ok(Success::Retried),
                Err(failed) if failed.outcome == Outcome::Serialization && tries < RETRIES => {}
                Err(failed) => return Err(failed),
            }
        }
        Ok(Success::Empty)
    }

    /// Reads an item, and writes it with another value of a member.
    async fn change(
        &mut self,
        context: &mut TransactionContext,
        item: &Item,
        member: &str,
        value: u32,
        checks: Checker<'_>,
    ) -> Done {
        self.compose("GET", &item.path);
        let content_type = self.content_type.clone();
        let answer = self.exchange(context).await?;
        check(&answer, &content_type, &item.needle, checks)?;
        let etag =
            answer.field("etag").map(|tag| format!("If-Match: {tag}\r\n")).unwrap_or_default();
        let mut document = document(&answer)?;
        document.insert(member.to_owned(), Value::from(value));
        let content = Value::Object(document).to_string();
        context.think().await;
        self.compose_with("PUT", &item.path, &etag, content.as_bytes());
        let answer = self.exchange(context).await?;
        written(&answer, &[200], checks)
    }

    /// Creates a copy of an item with its own key, and removes it.
    async fn cycle(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let at = context.random.usize(..self.items.len().max(1));
        let items = self.items.clone();
        let (Some(item), Some(key)) = (items.get(at), self.key.clone()) else {
            return Ok(Success::Empty);
        };
        self.compose("GET", &item.path);
        let content_type = self.content_type.clone();
        let answer = self.exchange(context).await?;
        check(&answer, &content_type, &item.needle, checks)?;
        let mut document = document(&answer)?;
        document.retain(|_, value| !value.is_array() && !value.is_object());
        self.next_key += 1;
        // Unique constraints on texts are common.
        for value in document.values_mut().filter(|value| value.is_string()) {
            *value = Value::from(format!("bench {}", self.next_key));
        }
        document.insert(key, Value::from(self.next_key));
        let content = Value::Object(document).to_string();
        let collection = self.collection.clone();
        self.compose_with("POST", &collection, "", content.as_bytes());
        let answer = self.exchange(context).await?;
        written(&answer, &[200, 201], checks)?;
        let path = format!("{collection}{}", self.next_key);
        context.think().await;
        self.compose("DELETE", &path);
        let answer = self.exchange(context).await?;
        written(&answer, &[200, 204], checks)
    }
}

impl Session for RestSession {
    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let counts = self.checks.clone();
            let checks = counts.of(kind);
            match kind {
                0 => self.get(context, checks).await,
                1 => self.page(context, checks).await,
                2 => self.put(context, checks).await,
                _ => self.cycle(context, checks).await,
            }
        })
    }
}

/// Whether content of this type is JSON (RFC 8259, RFC 6839 §3.1).
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}

/// The item of a response, without the members that the server adds.
fn document(answer: &Response<'_>) -> Result<Map<String, Value>, Failed> {
    let parsed = serde_json::from_slice(answer.body);
    let mut document: Map<String, Value> =
        parsed.map_err(|_| Failed::check("the content of an item is no object"))?;
    document.retain(|name, _| name != "links" && name != "_metadata");
    Ok(document)
}

fn status_is_200(answer: &Response<'_>, checks: Checker<'_>) -> Result<(), Failed> {
    match checks.note(STATUS, answer.status == 200) {
        true => Ok(()),
        false => Err(refused(answer, checks.name(STATUS))),
    }
}

fn check(answer: &Response<'_>, content_type: &str, needle: &[u8], checks: Checker<'_>) -> Done {
    status_is_200(answer, checks)?;
    let found = answer.field("content-type").unwrap_or_default();
    checks.hold(JSON_TYPE, found == content_type)?;
    checks.hold(REQUESTED, answer.contains(needle))?;
    Ok(Success::Ok)
}

fn written(answer: &Response<'_>, statuses: &[u16], checks: Checker<'_>) -> Done {
    if answer.status == 412 {
        // The request's precondition was applied: the response is correct.
        return Err(Failed::new(Outcome::Serialization, "412: another client changed it first"));
    }
    match checks.note(WRITTEN, statuses.contains(&answer.status)) {
        true => Ok(Success::Ok),
        false => Err(refused(answer, checks.name(WRITTEN))),
    }
}

/// The failure of an unexpected status.
fn refused(answer: &Response<'_>, check: &str) -> Failed {
    let outcome = match answer.status {
        408 | 504 => Outcome::Timeout,
        409 => Outcome::Constraint,
        _ => Outcome::Check,
    };
    Failed::new(outcome, format!("{check}: it is {}", answer.status))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{BufRead, BufReader, Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};
    use std::time::Duration;

    use super::super::resource::{CHECKS, Rest, RestFacts};
    use super::*;
    use crate::workload::Workload as _;

    /// A server that answers each request with a function; it closes the connection if the function
    /// returns `None`.
    fn serve(answer: fn(&str) -> String) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                while let Some(head) = head_of(&mut stream) {
                    stream.get_mut().write_all(answer(&head).as_bytes()).unwrap();
                    if head.contains("/cut ") {
                        break;
                    }
                }
            }
        });
        address
    }

    /// Reads a request; returns its head.
    fn head_of(stream: &mut impl BufRead) -> Option<String> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let length = length.and_then(|text| text.parse().ok()).unwrap_or(0);
        stream.take(length).read_to_end(&mut Vec::new()).ok()?;
        Some(head)
    }

    /// An item, and a page without items.
    const ITEM: &str = r#"{"id":7,"size":1,"href":"/items/7","items":[]}"#;

    fn message(status: u16, content_type: &str, length: usize, content: &str) -> String {
        format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{content}"
        )
    }

    fn rest(address: SocketAddr, items: &[&str], is_collection: bool) -> Rest {
        let rest = Rest::new(RestFacts {
            url: format!("http://{address}/items"),
            authorization: None,
            items: items.iter().map(|item| (*item).to_owned()).collect(),
            is_collection,
            is_duet: false,
            content_type: "application/json".into(),
            changeable: Some("size".into()),
            key: Some("id".into()),
            weights: [1.0; 4],
            timeout: Duration::from_secs(60),
        });
        rest.unwrap()
    }

    /// Runs these types against a server; returns how often each check passed and failed. No run has a window here.
    async fn counted(
        address: SocketAddr,
        items: &[&str],
        is_collection: bool,
        kinds: &[usize],
    ) -> BTreeMap<String, (u64, u64)> {
        let rest = rest(address, items, is_collection);
        let mut session = rest.open(0).await.unwrap();
        for kind in kinds {
            let _ = session.run(*kind, &mut TransactionContext::new(1)).await;
        }
        let row = |row: duet_verdict::result::CheckRow| {
            (row.name, (row.passed_outside, row.failed_outside))
        };
        rest.checks().into_iter().map(row).collect()
    }

    fn expected(rows: &[(&str, (u64, u64))]) -> BTreeMap<String, (u64, u64)> {
        rows.iter().map(|(name, counts)| ((*name).to_owned(), *counts)).collect()
    }

    #[tokio::test]
    async fn checks_are_listed_under_the_types_that_make_them() {
        let address = serve(|head| match head.split(' ').next() {
            Some("GET") => message(200, "application/json", ITEM.len(), ITEM),
            Some("PUT") => message(412, "application/json", 2, "{}"),
            Some("POST") => message(201, "application/json", 2, "{}"),
            _ => message(500, "application/json", 2, "{}"),
        });
        let found = counted(address, &["/items/7"], true, &[0, 0, 1, 2, 3]).await;
        let mut rows = Vec::new();
        let names: Vec<String> = ["GET", "PAGE", "PUT", "CYCLE"]
            .iter()
            .flat_map(|kind| CHECKS[..3].iter().map(move |it| format!("{kind}: {it}")))
            .collect();
        for name in &names {
            // The PUT is repeated, and reads anew each time.
            let count = match name.split(':').next() {
                Some("GET") => 2,
                Some("PUT") => 1 + u64::from(RETRIES),
                _ => 1,
            };
            rows.push((name.as_str(), (count, 0)));
        }
        // The POST was written, the DELETE was not; a conflict of the PUT counts as neither.
        rows.push(("CYCLE: is written", (1, 1)));
        assert_eq!(found, expected(&rows));
    }

    /// The first PUT finds that another user was faster; the second one has the new version.
    #[tokio::test]
    async fn a_conflict_is_read_and_written_again() {
        static PUTS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let address = serve(|head| match head.split(' ').next() {
            Some("GET") => message(200, "application/json", ITEM.len(), ITEM),
            _ => match PUTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => message(412, "application/json", 2, "{}"),
                _ => message(200, "application/json", 2, "{}"),
            },
        });
        let rest = rest(address, &["/items/7"], true);
        let mut session = rest.open(0).await.unwrap();
        let mut context = TransactionContext::new(1);
        assert!(matches!(session.run(2, &mut context).await, Ok(Success::Retried)));
        assert_eq!(context.work.statuses, [0, 0, 3, 0, 1, 0]);
        assert!(matches!(session.run(2, &mut context).await, Ok(Success::Ok)));
    }

    #[tokio::test]
    async fn a_single_url_is_checked_by_declared_type_and_length() {
        let address = serve(|head| match head.split(' ').nth(1) {
            Some("/good") => message(200, "application/json", 8, "{\"a\": 1}"),
            Some("/broken") => message(200, "application/json", 8, "{\"a\": 1;"),
            Some("/cut") => message(200, "application/json", 9, "{\"a\": 1}"),
            Some("/long") => message(200, "application/json", 8, "{\"a\": 1}{}"),
            Some("/text") => message(200, "text/plain", 2, "ok"),
            _ => message(404, "application/json", 2, "{}"),
        });
        let [status, first, length, json] =
            [STATUS, FIRST_TYPE, LENGTH, VALID_JSON].map(|it| format!("GET: {}", CHECKS[it]));
        for (path, counts) in [
            (
                "/good",
                vec![(&status, (1, 0)), (&first, (1, 0)), (&length, (1, 0)), (&json, (1, 0))],
            ),
            (
                "/broken",
                vec![(&status, (1, 0)), (&first, (1, 0)), (&length, (1, 0)), (&json, (0, 1))],
            ),
            ("/cut", vec![(&length, (0, 1))]),
            ("/long", vec![(&status, (1, 0)), (&first, (1, 0)), (&length, (0, 1))]),
            ("/text", vec![(&status, (1, 0)), (&first, (0, 1))]),
            ("/absent", vec![(&status, (0, 1))]),
        ] {
            let found = counted(address, &[path], false, &[0]).await;
            let counts: Vec<_> = counts.iter().map(|(name, it)| (name.as_str(), *it)).collect();
            assert_eq!(found, expected(&counts), "{path}");
        }
    }

    #[test]
    fn types_that_are_json() {
        for (text, is) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/problem+json", true),
            ("text/html", false),
            ("application/json-seq", false),
            ("", false),
        ] {
            assert_eq!(is_json(text), is, "{text}");
        }
    }
}
