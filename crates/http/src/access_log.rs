//! The access log: a line per request, gathered in memory and written in pieces.

use std::cell::RefCell;
use std::io::Write;
use std::time::{Duration, SystemTime};

use duet_model::key::percent_decode;
use duet_model::printable::printable_word;
use hyper::Uri;

use crate::options::AccessLog as Form;

/// So many bytes are written at once at the latest.
const PIECE: usize = 16 << 10;

/// Parameters whose values must not be kept, though they have no business in a query string.
const SECRETS: [&str; 5] = ["access_token", "client_secret", "token", "password", "authorization"];

/// A request's target for the log, without user names and secrets that a client has put into it.
pub(crate) fn target(uri: &Uri) -> String {
    let Some(query) = uri.query() else { return uri.path().to_owned() };
    let mut target = format!("{}?", uri.path());
    for (index, pair) in query.split('&').enumerate() {
        if index > 0 {
            target.push('&');
        }
        let name = pair.split('=').next().unwrap_or("");
        let decoded = percent_decode(name).unwrap_or_default();
        match SECRETS.iter().any(|secret| decoded.eq_ignore_ascii_case(secret)) {
            true => target.extend([name, "=…"]),
            false => target.push_str(pair),
        }
    }
    target
}

/// What a line says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) id: &'a str,
    pub(crate) peer: &'a str,
    /// The application's name; empty where the request belongs to none.
    pub(crate) application: &'a str,
    pub(crate) client: &'a str,
    /// The client's name; empty for a request without a token.
    pub(crate) name: &'a str,
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) status: u16,
    pub(crate) bytes: usize,
    pub(crate) duration: Duration,
}

/// One worker's part of the log.
#[derive(Debug)]
pub(crate) struct AccessLog {
    form: Form,
    pending: RefCell<Vec<u8>>,
}

impl AccessLog {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, pending: RefCell::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.form != Form::Off
    }

    pub(crate) fn record(&self, entry: &Entry<'_>) {
        let mut pending = self.pending.borrow_mut();
        match self.form {
            Form::Off => return,
            Form::Text => text(entry, &mut pending),
            Form::Json => json(entry, &mut pending),
        }
        if pending.len() >= PIECE {
            write_out(&mut pending);
        }
    }

    /// Writes what is pending; called every now and then, and at the end.
    pub(crate) fn flush(&self) {
        let mut pending = self.pending.borrow_mut();
        if !pending.is_empty() {
            write_out(&mut pending);
        }
    }
}

fn write_out(pending: &mut Vec<u8>) {
    // A log that nobody reads any more must not stop the service.
    drop(std::io::stdout().lock().write_all(pending));
    pending.clear();
}

/// Now, as ISO 8601 in UTC: `2026-11-22T10:15:59.123Z`.
fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

fn number(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// `2026-11-22T10:15:59.123Z id peer application client name "GET /path" 200 512 153us`
fn text(entry: &Entry<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(now().as_bytes());
    for word in [entry.id, entry.peer, entry.application, entry.client, entry.name] {
        out.push(b' ');
        plain(if word.is_empty() { "-" } else { word }, out);
    }
    out.extend_from_slice(b" \"");
    out.extend_from_slice(entry.method.as_bytes());
    out.push(b' ');
    plain(entry.target, out);
    out.extend_from_slice(b"\" ");
    number(entry.status, out);
    out.push(b' ');
    number(entry.bytes, out);
    out.push(b' ');
    number(entry.duration.as_micros(), out);
    out.extend_from_slice(b"us\n");
}

/// Text that cannot begin a new line, end a quoted part or look like two words.
fn plain(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(printable_word(text).as_bytes());
}

fn json(entry: &Entry<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"time\":\"");
    out.extend_from_slice(now().as_bytes());
    out.push(b'"');
    for (name, value) in [
        ("id", entry.id),
        ("peer", entry.peer),
        ("application", entry.application),
        ("client", entry.client),
        ("name", entry.name),
        ("method", entry.method),
        ("target", entry.target),
    ] {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        duet_document::write_string(value.as_bytes(), out);
    }
    out.extend_from_slice(b",\"status\":");
    number(entry.status, out);
    out.extend_from_slice(b",\"bytes\":");
    number(entry.bytes, out);
    out.extend_from_slice(b",\"micros\":");
    number(entry.duration.as_micros(), out);
    out.extend_from_slice(b"}\n");
}

#[cfg(test)]
mod tests {
    use duet_model::printable::is_unprintable;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let of = |uri: &str| target(&uri.parse().unwrap());
        assert_eq!(of("/a/1?q=x&limit=5"), "/a/1?q=x&limit=5");
        assert_eq!(of("http://me:pw@h/a"), "/a");
        assert_eq!(
            of("/a?access_token=s1&%63lient_secret=s2&x=1&TOKEN=s3"),
            "/a?access_token=…&%63lient_secret=…&x=1&TOKEN=…"
        );
    }

    #[test]
    fn lines() {
        let entry = Entry {
            id: "7-1",
            peer: "127.0.0.1",
            application: "my shop",
            client: "",
            name: "",
            method: "GET",
            target: "/a\n\"b",
            status: 200,
            bytes: 12,
            duration: Duration::from_micros(153),
        };
        let mut out = Vec::new();
        text(&entry, &mut out);
        let line = String::from_utf8(out).unwrap();
        assert!(
            line.ends_with(" 7-1 127.0.0.1 my\\u{20}shop - - \"GET /a\\n\\\"b\" 200 12 153us\n"),
            "{line}"
        );
        let mut out = Vec::new();
        json(&entry, &mut out);
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(value["target"], "/a\n\"b");
        assert_eq!(value["application"], "my shop");
        assert_eq!(value["micros"], 153);
        for time in [line.split(' ').next().unwrap(), value["time"].as_str().unwrap()] {
            assert_eq!((time.len(), &time[10..11], &time[23..]), (24, "T", "Z"), "{time}");
        }
    }

    proptest! {
        /// Whatever a client sends, an entry is one line of nine words, and one JSON object.
        #[test]
        fn an_entry_is_one_line(
            client in "([\\x00-\\x9f\u{202a}-\u{202e}\u{2066}-\u{2069}é]|[ -~]){0,20}",
            target in "([\\x00-\\x9f\u{2028}\u{200f}\u{61c}]|[ -~]){0,20}",
        ) {
            let (duration, method) = (Duration::from_micros(1), "GET");
            let (client, target) = (format!("c{client}"), format!("/{target}"));
            let (client, target) = (client.as_str(), target.as_str());
            let (id, peer, application) = ("7-1", "::1", client);
            let entry =
                Entry { id, peer, application, client, name: client, method, target, status: 200, bytes: 1, duration };
            let mut out = Vec::new();
            text(&entry, &mut out);
            let line = String::from_utf8(out).unwrap();
            let line = line.strip_suffix('\n').unwrap();
            prop_assert!(!line.contains(is_unprintable), "{line:?}");
            prop_assert_eq!(line.split(' ').count(), 11, "{}", line);
            let mut out = Vec::new();
            json(&entry, &mut out);
            let line = std::str::from_utf8(&out).unwrap().strip_suffix('\n').unwrap();
            prop_assert!(!line.contains('\n'));
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!(value["client"].as_str(), Some(client));
            prop_assert_eq!(value["target"].as_str(), Some(target));
        }
    }
}
