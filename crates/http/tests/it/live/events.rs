//! A reader of server-sent events: one at a time, as they come.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::support::{App, PATIENCE};

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) data: Value,
}

/// A subscription.
pub(super) struct Events {
    reader: BufReader<TcpStream>,
    /// What has arrived of the body.
    text: String,
    pub(super) status: u16,
    pub(super) head: String,
    /// The id of the last event that had one, as browsers keep it.
    pub(super) last: Option<String>,
    pub(super) retry: Option<u64>,
    pub(super) comments: usize,
}

impl Events {
    /// Subscribes with the token of the test's client.
    pub(super) fn of(app: &App, path: &str) -> Self {
        Self::with(app, path, &[("Authorization", &app.bearer())])
    }

    /// The same behind an event.
    pub(super) fn after(app: &App, path: &str, last: &str) -> Self {
        Self::with(app, path, &[("Authorization", &app.bearer()), ("Last-Event-ID", last)])
    }

    /// Subscribes with these headers.
    pub(super) fn with(app: &App, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = TcpStream::connect(app.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let status = head[9..12].parse().unwrap();
        let head = head.to_ascii_lowercase();
        let text = String::new();
        Self { reader, text, status, head, last: None, retry: None, comments: 0 }
    }

    /// The body of a refusal.
    pub(super) fn refusal(mut self) -> Value {
        assert!(self.status >= 400, "{}", self.head);
        let length = self.head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The next event; `None` at the end of the body.
    pub(super) fn next(&mut self) -> Option<Event> {
        if self.status != 200 {
            let mut body = vec![0; 4096];
            let read = self.reader.read(&mut body).unwrap();
            panic!("{}{}", self.head, String::from_utf8_lossy(&body[..read]));
        }
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(event) = self.event(&block) {
                    return Some(event);
                }
                continue;
            }
            let mut size = String::new();
            self.reader.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            self.reader.read_exact(&mut chunk).unwrap();
            if size == 0 {
                assert_eq!(self.text, "", "a cut event");
                return None;
            }
            self.text.push_str(std::str::from_utf8(&chunk[..size]).unwrap());
        }
    }

    fn event(&mut self, block: &str) -> Option<Event> {
        let mut event = Event { id: None, name: String::new(), data: Value::Null };
        for line in block.lines() {
            match line.split_once(": ") {
                Some(("id", id)) => {
                    event.id = Some(id.to_owned());
                    self.last = Some(id.to_owned());
                }
                Some(("event", name)) => event.name = name.to_owned(),
                Some(("data", data)) => event.data = serde_json::from_str(data).unwrap(),
                Some(("retry", millis)) => self.retry = Some(millis.parse().unwrap()),
                _ if line == "id" => self.last = None,
                _ if line.starts_with(':') => self.comments += 1,
                _ => panic!("{line:?} in {block:?}"),
            }
        }
        (!event.name.is_empty()).then_some(event)
    }

    /// The next event, which has this name: its data.
    #[track_caller]
    pub(super) fn expect(&mut self, name: &str) -> Value {
        let event = self.next().unwrap_or_else(|| panic!("the end, not {name}"));
        assert_eq!(event.name, name, "{event:?}");
        event.data
    }

    /// The state: the keys of its documents, in their order.
    #[track_caller]
    pub(super) fn state(&mut self) -> Vec<String> {
        assert_eq!(self.status, 200, "{}", self.head);
        let begin = self.expect("begin");
        assert_eq!(begin["resumed"], false, "{begin}");
        self.documents()
    }

    /// The documents of a state behind its first event.
    #[track_caller]
    pub(super) fn documents(&mut self) -> Vec<String> {
        let mut keys = Vec::new();
        loop {
            let event = self.next().unwrap();
            match event.name.as_str() {
                "document" => keys.push(event.data["key"].as_str().unwrap().to_owned()),
                "complete" => {
                    assert_eq!(event.data["count"], keys.len());
                    return keys;
                }
                other => panic!("{other}: {event:?}"),
            }
        }
    }
}
