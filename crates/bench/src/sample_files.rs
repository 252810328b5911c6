//! Files of samples, a line for each request as it ends, so memory does not grow with a run: the formats that other
//! load generators write, and whose reports read them.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

/// What is known of one request, or of a transaction of several.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Milliseconds since 1970 at its start.
    pub at_ms: u64,
    /// How long it took, without `idle`.
    pub elapsed: Duration,
    /// The pauses inside.
    pub idle: Duration,
    /// The part of that until a new connection was there.
    pub connect: Duration,
    /// The name of the sampler.
    pub label: String,
    /// The status, or what was instead.
    pub code: String,
    /// What failed, where something did.
    pub failure: Option<String>,
    /// The group, then the numbers of group and thread.
    pub thread: String,
    /// The name of the group.
    pub group: String,
    /// Bytes received and sent.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Threads of the group, and of all groups, that run.
    pub threads: (usize, usize),
    /// The address.
    pub url: String,
}

/// Where samples are written as they end.
pub trait Samples {
    /// A sample has ended.
    ///
    /// # Errors
    /// If it cannot be written.
    fn ended(&mut self, sample: &Sample) -> io::Result<()>;

    /// A part of the sample before has ended. Its bytes are counted there.
    ///
    /// # Errors
    /// If it cannot be written.
    fn part(&mut self, _sample: &Sample) -> io::Result<()> {
        Ok(())
    }

    /// A thread of a group has begun or ended, at a time in milliseconds since 1970.
    ///
    /// # Errors
    /// If it cannot be written.
    fn thread(&mut self, _group: &str, _begins: bool, _at_ms: u64) -> io::Result<()> {
        Ok(())
    }

    /// The last sample has ended.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// The columns of a JTL as JMeter 5.6 writes it without other settings.
pub const TEST_LOG_COLUMNS: [&str; 17] = [
    "timeStamp",
    "elapsed",
    "label",
    "responseCode",
    "responseMessage",
    "threadName",
    "dataType",
    "success",
    "failureMessage",
    "bytes",
    "sentBytes",
    "grpThreads",
    "allThreads",
    "URL",
    "Latency",
    "IdleTime",
    "Connect",
];

/// JMeter's log of a test (JTL), as CSV with the default columns.
#[derive(Debug)]
pub struct TestLog<W: Write>(W);

impl<W: Write> TestLog<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(mut out: W) -> io::Result<Self> {
        writeln!(out, "{}", TEST_LOG_COLUMNS.join(","))?;
        Ok(Self(out))
    }

    /// Continues a log that was begun.
    pub fn continued(out: W) -> Self {
        Self(out)
    }
}

impl<W: Write> Samples for TestLog<W> {
    fn ended(&mut self, sample: &Sample) -> io::Result<()> {
        let elapsed = sample.elapsed.as_millis();
        let message = if sample.failure.is_none() { "OK" } else { "" };
        writeln!(
            self.0,
            "{},{elapsed},{},{},{message},{},text,{},{},{},{},{},{},{},{elapsed},{},{}",
            sample.at_ms,
            quoted(&sample.label),
            quoted(&sample.code),
            quoted(&sample.thread),
            sample.failure.is_none(),
            quoted(sample.failure.as_deref().unwrap_or_default()),
            sample.received,
            sample.sent,
            sample.threads.0,
            sample.threads.1,
            quoted(&sample.url),
            sample.idle.as_millis(),
            sample.connect.as_millis(),
        )
    }

    fn part(&mut self, sample: &Sample) -> io::Result<()> {
        self.ended(sample)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// Gatling's `simulation.log`, in the text form of its version 3.9: fields with tabs between.
#[derive(Debug)]
pub struct SimulationLog<W: Write>(W);

impl<W: Write> SimulationLog<W> {
    /// Begins a log of a simulation of this name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(mut out: W, name: &str, at_ms: u64) -> io::Result<Self> {
        let id: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let id = if id.is_empty() { "plan".to_owned() } else { id };
        writeln!(out, "RUN\t{id}\t{}\t{at_ms}\t{}\t3.9.5", id.to_lowercase(), field(name))?;
        Ok(Self(out))
    }

    /// Continues a log that was begun.
    pub fn continued(out: W) -> Self {
        Self(out)
    }
}

impl<W: Write> Samples for SimulationLog<W> {
    fn ended(&mut self, sample: &Sample) -> io::Result<()> {
        let took = (sample.elapsed + sample.idle).as_millis();
        let end = sample.at_ms + u64::try_from(took).unwrap_or_default();
        let (word, message) = match &sample.failure {
            None => ("OK", Cow::Borrowed(" ")),
            Some(failure) => ("KO", field(failure)),
        };
        let label = field(&sample.label);
        writeln!(self.0, "REQUEST\t\t{label}\t{}\t{end}\t{word}\t{message}", sample.at_ms)
    }

    fn thread(&mut self, group: &str, begins: bool, at_ms: u64) -> io::Result<()> {
        let word = if begins { "START" } else { "END" };
        writeln!(self.0, "USER\t{}\t{word}\t{at_ms}", field(group))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A text without the characters that separate fields and records.
fn field(text: &str) -> Cow<'_, str> {
    if text.contains(['\t', '\n', '\r']) {
        Cow::Owned(text.replace(['\t', '\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(failure: Option<&str>) -> Sample {
        Sample {
            at_ms: 1_000,
            elapsed: Duration::from_millis(7),
            label: "Order, new".into(),
            code: "201".into(),
            failure: failure.map(str::to_owned),
            thread: "CRUD 1-1".into(),
            group: "CRUD".into(),
            received: 10,
            sent: 20,
            threads: (1, 2),
            url: "http://h/".into(),
            ..Sample::default()
        }
    }

    #[test]
    fn logs_have_a_line_for_each_sample() {
        let mut out = Vec::new();
        let mut log = TestLog::begin(&mut out).unwrap();
        log.ended(&sample(Some("not \"201\""))).unwrap();
        let text = String::from_utf8(out).unwrap();
        let line = "1000,7,\"Order, new\",201,,CRUD 1-1,text,false,\"not \"\"201\"\"\",10,20,1,2,http://h/,7,0,0";
        assert_eq!(text.lines().nth(1), Some(line));
        let mut out = Vec::new();
        let mut log = SimulationLog::begin(&mut out, "My plan", 5).unwrap();
        log.thread("CRUD", true, 6).unwrap();
        log.ended(&sample(None)).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines = "RUN\tMyplan\tmyplan\t5\tMy plan\t3.9.5\nUSER\tCRUD\tSTART\t6\nREQUEST\t\tOrder, new\t1000\t1007\tOK\t \n";
        assert_eq!(text, lines);
    }
}
