//! The messages between a run and an agent: lines of JSON within TLS.
//!
//! The run says hello and begins a worker; from then on lines of the worker go both ways, unread. Clocks are asked for
//! before and after. Each side sends [`ToAgent::Alive`] or [`FromAgent::Alive`] every second, so that the other notices
//! a machine that is gone.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_verdict::result::HostFacts;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The protocol within TLS (RFC 7301).
pub(super) const ALPN: &[u8] = b"duet-agent/1";
/// How often each side says that it is there.
pub(super) const BEAT: Duration = Duration::from_secs(1);
/// So long without a word, the other side is gone.
pub(super) const SILENCE: Duration = Duration::from_secs(10);
/// The longest line: an order with its files, or a second of many types.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;

/// A message to an agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ToAgent {
    Hello(Hello),
    /// Asks for the clocks.
    Clock,
    /// Begins a worker.
    Begin {
        /// The variables of its environment.
        environment: BTreeMap<String, String>,
    },
    /// A line for the worker.
    Worker(Box<RawValue>),
    Alive,
}

/// Who comes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The version of the program: both sides must have the same one.
    pub(super) version: String,
    /// What it was built of, and how; empty in earlier builds.
    #[serde(default)]
    pub(super) build: String,
    /// The run, which may come with several connections.
    pub(super) run: String,
    /// The host that conducts it.
    pub(super) host: String,
}

/// A message of an agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FromAgent {
    Welcome(Box<Greeting>),
    Refused(String),
    Clock(Clocks),
    /// A line of the worker.
    Worker(Box<RawValue>),
    /// The worker has ended.
    Exited(String),
    Alive,
}

/// Whom the run has come to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Greeting {
    /// Its machine.
    pub(super) host: HostFacts,
    /// What its program was built of, and how; empty in earlier builds.
    pub(super) build: String,
    /// The agent, which may have several addresses.
    pub(super) agent: String,
}

/// Why two builds of one version do not work together; `None` where they are one.
pub(super) fn other_build(agent: &str, run: &str) -> Option<String> {
    let shown =
        |build: &str| if build.is_empty() { "an earlier one".to_owned() } else { build.to_owned() };
    (agent != run).then(|| {
        format!(
            "it is another build of the same version ({}) than the run ({}): copy one program to all machines",
            shown(agent),
            shown(run)
        )
    })
}

/// The clocks of a machine at one moment, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Clocks {
    /// The monotonic clock.
    pub(super) monotonic_ns: u64,
    /// The time since 1970.
    pub(super) unix_ns: u64,
}

/// Reads a line into `line`, without its break; false at the end.
///
/// # Errors
/// If the line is longer than `most`, or the other side is gone.
pub(super) async fn read_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    most: u64,
) -> std::io::Result<bool> {
    line.clear();
    let read = reader.take(most).read_until(b'\n', line).await?;
    match (read, line.pop()) {
        (0, _) => Ok(false),
        (_, Some(b'\n')) => Ok(true),
        _ if read as u64 >= most => {
            let message = format!("a line is longer than {most} bytes");
            Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message))
        }
        _ => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}

/// A message as a line.
pub(super) fn line_of(message: &impl Serialize) -> Vec<u8> {
    // Messages have text keys alone, which JSON can express.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_bounded() {
        let mut line = Vec::new();
        let mut text: &[u8] = b"one\ntwo-is-long\n";
        assert!(read_line(&mut text, &mut line, 8).await.unwrap());
        assert_eq!(line, b"one");
        let error = read_line(&mut text, &mut line, 8).await.unwrap_err();
        assert!(error.to_string().contains("longer than 8 bytes"), "{error}");
        let mut cut: &[u8] = b"cut";
        let error = read_line(&mut cut, &mut line, 8).await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
        let mut empty: &[u8] = b"";
        assert!(!read_line(&mut empty, &mut line, 8).await.unwrap());
    }

    #[test]
    fn builds_are_compared() {
        assert_eq!(other_build("1f, dist", "1f, dist"), None);
        let why = other_build("1f, dev", "1f, dist").unwrap();
        assert!(why.contains("(1f, dev) than the run (1f, dist)"), "{why}");
        assert!(other_build("", "1f").unwrap().contains("(an earlier one) than the run (1f)"));
        // What an earlier build says is read, so that it can be refused with words.
        let hello = r#"{"hello":{"version":"1","run":"r","host":"h"}}"#;
        let ToAgent::Hello(hello) = serde_json::from_str(hello).unwrap() else { panic!() };
        assert_eq!(hello.build, "");
        let earlier = line_of(&HostFacts::default());
        let welcome = format!("{{\"welcome\":{}}}", String::from_utf8(earlier).unwrap());
        let FromAgent::Welcome(greeting) = serde_json::from_str(&welcome).unwrap() else {
            panic!()
        };
        assert_eq!(greeting.build, "");
    }

    #[test]
    fn a_workers_line_is_passed_unread() {
        let raw = RawValue::from_string(r#"{"second":{"n":1}}"#.to_owned()).unwrap();
        let line = line_of(&FromAgent::Worker(raw));
        assert_eq!(line, b"{\"worker\":{\"second\":{\"n\":1}}}\n");
        let read: FromAgent = serde_json::from_slice(&line).unwrap();
        assert!(matches!(read, FromAgent::Worker(raw) if raw.get() == r#"{"second":{"n":1}}"#));
    }
}
