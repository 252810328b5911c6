//! The operator's log: events go to standard error, one line each, with control characters escaped.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};

use duet_http::RecentLog;
use duet_text::printable::printable;
use tracing::field::Field;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::fmt::{MakeWriter, SubscriberBuilder};

/// Sends the server's events to standard error, and to the lines that are kept.
pub(crate) fn to_standard_error(kept: RecentLog) {
    let ansi = io::stderr().is_terminal();
    let writer = move || Kept { out: Lossy(io::stderr()), log: kept.clone() };
    // There is no other subscriber in this process.
    let _ = tracing::subscriber::set_global_default(subscriber(writer, ansi));
}

/// A writer that keeps each line too; the subscriber writes a line at once.
#[derive(Debug)]
struct Kept<W> {
    out: W,
    log: RecentLog,
}

impl<W: Write> Write for Kept<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        String::from_utf8_lossy(bytes).lines().for_each(|line| self.log.add(line));
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A writer that loses what cannot be written, because its reader is gone or its disk is full. The
/// subscriber would report such a failure to standard error, which panics where that is what failed; and
/// no request may end because the log does.
#[derive(Debug)]
struct Lossy<W>(W);

impl<W: Write> Write for Lossy<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

fn subscriber<W>(writer: W, ansi: bool) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    SubscriberBuilder::default()
        .fmt_fields(debug_fn(write_field).delimited(" "))
        .with_writer(writer)
        .with_ansi(ansi)
        .with_target(false)
        .with_max_level(tracing::Level::INFO)
        .log_internal_errors(false)
        .finish()
}

/// Writes a field of an event: the message bare, others as `name=value`.
fn write_field(out: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    let text = format!("{value:?}");
    if field.name() != "message" {
        write!(out, "{}=", field.name())?;
    }
    out.write_str(&printable(&text))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use duet_text::printable::is_unprintable;
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(event: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        tracing::subscriber::with_default(subscriber(move || writer.clone(), false), event);
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn an_event() {
        let line = logged(|| tracing::warn!(request = %"7-1", cause = "a\nb", "it {}", "failed"));
        assert!(line.ends_with("  WARN it failed request=7-1 cause=\"a\\nb\"\n"), "{line}");
    }

    /// What a log of a broken pipe does.
    #[derive(Debug)]
    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_log_that_cannot_be_written_fails_nothing() {
        let mut lossy = Lossy(Broken);
        assert_eq!(lossy.write(b"lost").unwrap(), 4);
        lossy.flush().unwrap();
        tracing::subscriber::with_default(subscriber(|| Lossy(Broken), false), || {
            tracing::warn!("lost");
        });
    }

    proptest! {
        #[test]
        fn every_event_is_one_printable_line(
            text in "([\\x00-\\x9f\u{202a}-\u{202e}\u{2066}-\u{2069}\u{2028}é]|[ -~]){0,30}",
        ) {
            let line = logged(|| tracing::warn!(shown = %text, debug = ?text, text, "m {text}"));
            let line = line.strip_suffix('\n').unwrap();
            prop_assert!(!line.contains(is_unprintable), "{line:?}");
        }
    }
}
