//! Sends each second of a run to a receiver of OpenTelemetry, while the run goes on: OTLP over HTTP, as
//! a collector, Prometheus and most hosted services take it.
//!
//! A thread of its own sends, so that a slow receiver delays nothing that is measured. Counts and
//! histograms are sums since the run's beginning: a second that is not delivered leaves a gap, and no
//! later one is wrong.

mod message;

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use duet_verdict::outcome::Outcome;
use duet_verdict::result::{RunResult, Second};

use crate::record::TransactionCost;
use crate::run::Merged;
use crate::targets::http::{Connection, Url};
use crate::workload::{Failed, Kind};
use message::Message;

/// The path of receivers, where the URL has none.
const PATH: &str = "/v1/metrics";
/// How long the receiver may take for a second, and the end of the run for the last ones.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most seconds that wait for a slow receiver; later ones are not sent.
const WAITING: usize = 60;

/// Where a run's seconds are sent.
#[derive(Debug)]
pub struct Telemetry {
    message: Message,
    sender: SyncSender<Vec<u8>>,
    thread: JoinHandle<Sent>,
    /// When the run ended.
    ended: Arc<OnceLock<Instant>>,
    /// Seconds that found no room.
    dropped: u64,
    place: String,
}

/// What the thread has done.
#[derive(Debug, Default)]
struct Sent {
    delivered: u64,
    failed: u64,
    error: Option<String>,
}

impl Telemetry {
    /// Begins; nothing is sent yet. `headers` are the names and values of more header fields, such as
    /// those of `OTEL_EXPORTER_OTLP_HEADERS`.
    ///
    /// # Errors
    /// If a header field has a line break, or there is no thread.
    pub fn start(
        url: &Url,
        headers: &[(String, String)],
        begun: &RunResult,
        kinds: &[Kind],
    ) -> Result<Self, Failed> {
        let url = match url.path.as_str() {
            "/" => url.at(PATH),
            _ => url.clone(),
        };
        let mut fields = String::new();
        for (name, value) in headers {
            if [name, value].iter().any(|text| text.contains(['\r', '\n'])) || name.is_empty() {
                return Err(Failed::check("a header field of the receiver is not valid"));
            }
            fields += &format!("{name}: {value}\r\n");
        }
        let place = url.place();
        let (sender, receiver) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("otlp".into());
        let ended = Arc::<OnceLock<Instant>>::default();
        let is_over = {
            let ended = Arc::clone(&ended);
            move || ended.get().is_some_and(|ended| ended.elapsed() > PATIENCE)
        };
        let thread = thread.spawn(move || send_all(&url, &fields, &receiver, is_over));
        let thread = thread.map_err(|error| Failed::new(Outcome::Other, error.to_string()))?;
        let message = Message::new(begun, kinds);
        Ok(Self { message, sender, thread, ended, dropped: 0, place })
    }

    /// Sends a second of the run, without waiting.
    pub fn second(&mut self, merged: &Merged, row: &Second) {
        let message = self.message.second(merged, row);
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.sender.try_send(message)
        {
            self.dropped += 1;
        }
    }

    /// Waits until the last second is sent; returns what was not delivered, as a sentence.
    pub fn finish(self) -> Option<String> {
        let _ = self.ended.set(Instant::now());
        drop(self.sender);
        let sent = self.thread.join().unwrap_or_default();
        let lost = sent.failed + self.dropped;
        let all = sent.delivered + lost;
        (lost > 0).then(|| {
            let why = sent.error.map(|error| format!(": {error}")).unwrap_or_default();
            format!("{lost} of {all} seconds were not delivered to {}{why}.", self.place)
        })
    }
}

/// Sends what comes until the run ends, and what then still waits until the receiver's time is over.
fn send_all(
    url: &Url,
    fields: &str,
    messages: &Receiver<Vec<u8>>,
    is_over: impl Fn() -> bool,
) -> Sent {
    let mut sent = Sent::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else {
        return Sent { failed: messages.iter().count() as u64, ..sent };
    };
    let mut connection = None;
    for message in messages {
        if is_over() {
            sent.failed += 1;
            continue;
        }
        match runtime.block_on(send(&mut connection, url, fields, &message)) {
            Ok(()) => sent.delivered += 1,
            Err(failed) => {
                sent.failed += 1;
                sent.error = Some(failed.message);
                connection = None;
            }
        }
    }
    sent
}

async fn send(
    connection: &mut Option<Connection>,
    url: &Url,
    fields: &str,
    message: &[u8],
) -> Result<(), Failed> {
    if connection.is_none() {
        *connection = Some(Connection::open(url, PATIENCE).await?);
    }
    let Some(open) = connection else { return Ok(()) };
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\n{fields}Content-Type: application/x-protobuf\r\nContent-Length: {}\r\n\r\n",
        url.path,
        url.host,
        message.len()
    );
    let request = [head.as_bytes(), message].concat();
    let response = open.exchange(&request, &mut TransactionCost::default()).await?;
    match response.status {
        200..300 => Ok(()),
        status => Err(Failed::check(format!("it answered {status}"))),
    }
}

/// The header fields in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`, percent-encoded.
///
/// # Errors
/// If it is not such a list.
pub fn headers_of(variable: &str) -> Result<Vec<(String, String)>, Failed> {
    let wrong = || Failed::check("OTEL_EXPORTER_OTLP_HEADERS is a list of name=value");
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.trim().bytes();
        while let Some(byte) = rest.next() {
            if byte != b'%' {
                bytes.push(byte);
                continue;
            }
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        }
        String::from_utf8(bytes).ok()
    };
    let pairs = variable.split(',').filter(|pair| !pair.trim().is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
            Ok((name.trim().to_owned(), decoded(value).ok_or_else(wrong)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_environment() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let found = headers_of("api-key=a%20b=c, x=1,").unwrap();
        assert_eq!(found, [pair("api-key", "a b=c"), pair("x", "1")]);
        assert_eq!(headers_of(""), Ok(Vec::new()));
        assert!(headers_of("x").is_err() && headers_of("x=%z").is_err());
    }

    #[test]
    fn what_is_not_delivered_is_said() {
        // Nothing listens on the port of a listener that is gone.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let url: Url = url.parse().unwrap();
        let telemetry = Telemetry::start(&url, &[], &RunResult::default(), &[]).unwrap();
        telemetry.sender.send(Vec::new()).unwrap();
        let said = telemetry.finish().unwrap();
        assert!(
            said.starts_with("1 of 1 seconds were not delivered to http://127.0.0.1:"),
            "{said}"
        );
        assert!(said.contains("/v1/metrics: "), "{said}");
        let wrong = [("a".to_owned(), "b\r\nc".to_owned())];
        assert!(Telemetry::start(&url, &wrong, &RunResult::default(), &[]).is_err());
    }
}
