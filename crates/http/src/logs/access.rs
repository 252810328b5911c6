//! The access log: a line per request, gathered in memory and written in pieces.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::time::SystemTime;

use duet_text::printable::printable_word;

use crate::observe::event::{Event, Exchange};
use crate::options::AccessLog as LogFormat;

/// The buffer is written when it reaches this size.
const PIECE: usize = 16 << 10;

/// One worker's part of the log.
#[derive(Debug)]
pub(crate) struct AccessLog {
    form: LogFormat,
    pending: RefCell<Vec<u8>>,
    /// Whether the last lines could not be written.
    is_failing: Cell<bool>,
}

/// Lines that could not be written: the disk or the pipe is full, or its reader is gone.
#[derive(Debug)]
pub(crate) struct LostLines {
    pub(crate) lines: u64,
    pub(crate) cause: io::Error,
    /// Whether those before were written.
    pub(crate) is_first: bool,
}

impl AccessLog {
    pub(crate) fn new(form: LogFormat) -> Self {
        Self { form, pending: RefCell::default(), is_failing: Cell::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.form != LogFormat::Off
    }

    /// Writes a line for each request; for that of a stream when it has ended. The lines that were lost by that.
    pub(crate) fn observe(&self, event: &Event<'_>) -> Option<LostLines> {
        let exchange = match event {
            Event::Answered(exchange) if !exchange.is_stream => exchange,
            Event::StreamEnded(exchange) => exchange,
            _ => return None,
        };
        let mut pending = self.pending.borrow_mut();
        match self.form {
            LogFormat::Off => return None,
            LogFormat::Text => text(exchange, &mut pending),
            LogFormat::Json => json(exchange, &mut pending),
        }
        if pending.len() < PIECE {
            return None;
        }
        self.write_out(&mut pending, &mut io::stdout().lock())
    }

    /// Writes pending lines; called regularly, and at the end. The lines that were lost by that.
    pub(crate) fn flush(&self) -> Option<LostLines> {
        let mut pending = self.pending.borrow_mut();
        if pending.is_empty() {
            return None;
        }
        self.write_out(&mut pending, &mut io::stdout().lock())
    }

    /// A log that cannot be written must not stop the service.
    fn write_out(&self, pending: &mut Vec<u8>, out: &mut impl Write) -> Option<LostLines> {
        let (written, ended) = write_part(pending, out);
        let is_end = |byte: &&u8| **byte == b'\n';
        let lines = pending[written..].iter().filter(is_end).count() as u64;
        pending.clear();
        let is_first = !self.is_failing.replace(ended.is_err());
        ended.err().map(|cause| LostLines { lines, cause, is_first })
    }
}

/// Writes as much as is taken: how many bytes that was, and why it was not more.
fn write_part(bytes: &[u8], out: &mut impl Write) -> (usize, io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match out.write(&bytes[written..]) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, out.flush())
}

/// Now, as ISO 8601 in UTC: `2026-11-22T10:15:59.123Z`.
fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

fn number(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// `2026-11-22T10:15:59.123Z id peer application client name "GET /path" 200 512 153us`; the application of a
/// tenant is `application/tenant`
fn text(entry: &Exchange<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(now().as_bytes());
    let id = entry.id.to_string();
    let application = match entry.tenant {
        Some(tenant) => Cow::Owned(format!("{}/{}", entry.application, tenant.name())),
        None => Cow::Borrowed(entry.application),
    };
    for word in [&id, entry.peer, &application, entry.client, entry.client_name] {
        out.push(b' ');
        plain(if word.is_empty() { "-" } else { word }, out);
    }
    out.extend_from_slice(b" \"");
    out.extend_from_slice(entry.method.as_bytes());
    out.push(b' ');
    plain(&entry.target.shown(), out);
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

fn json(entry: &Exchange<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"time\":\"");
    out.extend_from_slice(now().as_bytes());
    out.push(b'"');
    let tenant = entry.tenant.map(|tenant| ("tenant", tenant.name().as_str()));
    for (name, value) in [
        ("id", &*entry.id.to_string()),
        ("peer", entry.peer),
        ("application", entry.application),
        ("client", entry.client),
        ("name", entry.client_name),
        ("method", entry.method),
        ("target", &*entry.target.shown()),
    ]
    .into_iter()
    .chain(tenant)
    {
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
    use duet_text::printable::is_unprintable;
    use proptest::prelude::*;

    use std::time::Duration;

    use super::*;
    use crate::observe::event::{RequestId, RequestTarget};
    use crate::observe::stage::Stages;

    #[test]
    fn a_line_for_each_request_and_one_at_the_end_of_a_stream() {
        let log = AccessLog::new(LogFormat::Text);
        let entry = exchange("a", "", "/b");
        let stream = Exchange { is_stream: true, ..entry };
        let lines = || log.pending.borrow().iter().filter(|byte| **byte == b'\n').count();
        for (event, expected) in [
            (Event::TokenIssued, 0),
            (Event::Answered(entry), 1),
            (Event::Answered(stream), 1),
            (Event::StreamSent(5), 1),
            (Event::StreamEnded(stream), 2),
        ] {
            assert!(log.observe(&event).is_none());
            assert_eq!(lines(), expected, "{event:?}");
        }
    }

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0).min(5);
            self.0 -= taken;
            if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lost_lines_are_counted_and_told_of_once() {
        let log = AccessLog::new(LogFormat::Text);
        let mut disk = Disk(12);
        let write = |disk: &mut Disk| {
            let lost = log.write_out(&mut b"line 1\nline 2\nline 3\n".to_vec(), disk)?;
            assert_eq!(lost.cause.kind(), io::ErrorKind::StorageFull);
            Some((lost.lines, lost.is_first))
        };
        assert_eq!(write(&mut disk), Some((2, true)), "a line that is cut off is lost");
        assert_eq!(write(&mut disk), Some((3, false)));
        assert_eq!(write(&mut Disk(100)), None);
        assert_eq!(write(&mut disk), Some((3, true)), "there was room meanwhile");
    }

    fn exchange<'a>(application: &'a str, client: &'a str, target: &'a str) -> Exchange<'a> {
        Exchange {
            id: RequestId { run: 7, worker: 0, number: 1 },
            peer: "127.0.0.1",
            method: "GET",
            target: RequestTarget::text(target),
            application,
            tenant: None,
            resource: None,
            client,
            client_name: client,
            status: 200,
            error: None,
            bytes: 12,
            duration: Duration::from_micros(153),
            stages: Stages::default(),
            slowest: None,
            write: None,
            feature: "",
            is_load: false,
            is_stream: false,
        }
    }

    #[test]
    fn lines() {
        let entry = exchange("my shop", "", "/a\n\"b");
        let mut out = Vec::new();
        text(&entry, &mut out);
        let line = String::from_utf8(out).unwrap();
        assert!(
            line.ends_with(
                " 00000007-0-1 127.0.0.1 my\\u{20}shop - - \"GET /a\\n\\\"b\" 200 12 153us\n"
            ),
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
            let (client, target) = (format!("c{client}"), format!("/{target}"));
            let (client, target) = (client.as_str(), target.as_str());
            let entry = exchange(client, client, target);
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
