//! Sends each second of a run to a receiver, while the run goes on: OTLP over HTTP, as a collector,
//! Prometheus and most hosted services take it, or Prometheus' remote write.
//!
//! A thread of its own sends, so that a slow receiver delays nothing that is measured. Counts and
//! histograms are sums since the run's beginning: a second that is not delivered leaves a gap, and no
//! later one is wrong.

mod message;
mod remote_write;

use std::sync::mpsc::{Receiver as Messages, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message as _;

use duet_verdict::outcome::Outcome;
use duet_verdict::result::{RunResult, Second};

use crate::record::TransactionCost;
use crate::run::Merged;
use crate::targets::http::{HttpConnection, Url};
use crate::workload::{Failed, TransactionType};
use message::Message;
pub use remote_write::{Label, Sample, TimeSeries, WriteRequest};

/// How long the receiver may take for a second, and the end of the run for the last ones.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most seconds that wait for a slow receiver; later ones are not sent.
const WAITING: usize = 60;

/// A form in which seconds are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// OTLP.
    Otlp,
    /// Prometheus' remote write 1.0.
    RemoteWrite,
}

impl Form {
    /// The path of receivers, where the URL has none.
    fn path(self) -> &'static str {
        match self {
            Self::Otlp => "/v1/metrics",
            Self::RemoteWrite => "/api/v1/write",
        }
    }

    /// The variable with further header fields, which may be secrets.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Otlp => "OTEL_EXPORTER_OTLP_HEADERS",
            Self::RemoteWrite => "DUET_REMOTE_WRITE_HEADERS",
        }
    }

    /// The header fields of its messages.
    fn fields(self) -> &'static str {
        match self {
            Self::Otlp => "Content-Type: application/x-protobuf\r\n",
            Self::RemoteWrite => {
                "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n\
                 X-Prometheus-Remote-Write-Version: 0.1.0\r\n"
            }
        }
    }

    fn encode(self, message: &ExportMetricsServiceRequest) -> Result<Vec<u8>, String> {
        match self {
            Self::Otlp => Ok(message.encode_to_vec()),
            Self::RemoteWrite => {
                let plain = remote_write::series(message).encode_to_vec();
                let packed = snap::raw::Encoder::new().compress_vec(&plain);
                packed.map_err(|error| error.to_string())
            }
        }
    }
}

/// A receiver of seconds.
#[derive(Clone)]
pub struct Receiver {
    /// How it takes them.
    pub form: Form,
    /// Where it is.
    pub url: Url,
    /// Names and values of further header fields, such as those of its [variable](Form::variable).
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for Receiver {
    /// Without header fields, which may be secrets.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:?} at {}", self.form, self.url.place())
    }
}

/// Where a run's seconds are sent.
#[derive(Debug)]
pub struct Telemetry {
    message: Message,
    form: Form,
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
    /// Begins; nothing is sent yet. `agents` are the addresses of the agents that run the processes, in
    /// the order of their numbers; none where this machine runs them.
    ///
    /// # Errors
    /// If a header field has a line break, or there is no thread.
    pub fn start(
        receiver: &Receiver,
        begun: &RunResult,
        kinds: &[TransactionType],
        agents: &[String],
    ) -> Result<Self, Failed> {
        Self::start_with(receiver, Message::new(begun, kinds, agents), PATIENCE)
    }

    fn start_with(
        receiver: &Receiver,
        message: Message,
        patience: Duration,
    ) -> Result<Self, Failed> {
        let Receiver { form, url, headers } = receiver;
        let url = match url.path.as_str() {
            "/" => url.at(form.path()),
            _ => url.clone(),
        };
        let mut fields = form.fields().to_owned();
        for (name, value) in headers {
            if [name, value].iter().any(|text| text.contains(['\r', '\n'])) || name.is_empty() {
                return Err(Failed::check("a header field of the receiver is not valid"));
            }
            fields += &format!("{name}: {value}\r\n");
        }
        let place = url.place();
        let (sender, messages) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("telemetry".into());
        let ended = Arc::<OnceLock<Instant>>::default();
        let is_over = {
            let ended = Arc::clone(&ended);
            move || ended.get().is_some_and(|ended| ended.elapsed() > patience)
        };
        let link = Link { url, fields, patience, connection: None };
        let thread = thread.spawn(move || send_all(link, &messages, is_over));
        let thread = thread.map_err(|error| Failed::new(Outcome::Other, error.to_string()))?;
        Ok(Self { message, form: *form, sender, thread, ended, dropped: 0, place })
    }

    /// Sends a second of the run, without waiting.
    pub fn second(&mut self, merged: &Merged, row: &Second) {
        let message = self.message.second(merged, row);
        let encoded = self.form.encode(&message).ok();
        let sent = encoded.map(|message| self.sender.try_send(message));
        if let None | Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) = sent {
            self.dropped += 1;
        }
    }

    /// The run has ended: from now on the receiver has little time.
    pub fn end(&self) {
        let _ = self.ended.set(Instant::now());
    }

    /// Waits until the last second is sent; returns what was not delivered, as a sentence.
    pub fn finish(self) -> Option<String> {
        self.end();
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

/// The way to a receiver.
struct Link {
    url: Url,
    /// Header fields of each request.
    fields: String,
    patience: Duration,
    connection: Option<HttpConnection>,
}

/// Sends what comes until the run ends, and what then still waits until the receiver's time is over.
fn send_all(mut link: Link, messages: &Messages<Vec<u8>>, is_over: impl Fn() -> bool) -> Sent {
    let mut sent = Sent::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else {
        return Sent { failed: messages.iter().count() as u64, ..sent };
    };
    for message in messages {
        if is_over() {
            sent.failed += 1;
            continue;
        }
        match runtime.block_on(link.send(&message)) {
            Ok(()) => sent.delivered += 1,
            Err(failed) => {
                sent.failed += 1;
                sent.error = Some(failed.message);
                link.connection = None;
            }
        }
    }
    sent
}

impl Link {
    async fn send(&mut self, message: &[u8]) -> Result<(), Failed> {
        let Self { url, fields, .. } = self;
        let open = match &mut self.connection {
            Some(open) => open,
            none => none.insert(HttpConnection::open(url, self.patience).await?),
        };
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\n{fields}Content-Length: {}\r\n\r\n",
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
}

/// The header fields in the value of a form's [variable](Form::variable): `name=value,name=value`,
/// percent-encoded.
///
/// # Errors
/// If it is not such a list.
pub fn headers_of(form: Form, list: &str) -> Result<Vec<(String, String)>, Failed> {
    let wrong = || Failed::check(format!("{} is a list of name=value", form.variable()));
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
    let pairs = list.split(',').filter(|pair| !pair.trim().is_empty());
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
    use crate::record::Tally;

    fn at(url: &str) -> Receiver {
        Receiver { form: Form::Otlp, url: url.parse().unwrap(), headers: Vec::new() }
    }

    #[test]
    fn headers_of_the_environment() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let found = headers_of(Form::Otlp, "api-key=a%20b=c, x=1,").unwrap();
        assert_eq!(found, [pair("api-key", "a b=c"), pair("x", "1")]);
        assert_eq!(headers_of(Form::Otlp, ""), Ok(Vec::new()));
        assert!(headers_of(Form::Otlp, "x").is_err() && headers_of(Form::Otlp, "x=%z").is_err());
        let secret = headers_of(Form::RemoteWrite, "secret").unwrap_err().message;
        assert_eq!(secret, "DUET_REMOTE_WRITE_HEADERS is a list of name=value");
    }

    #[test]
    fn what_is_not_delivered_is_said() {
        // Nothing listens on the port of a listener that is gone.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let receiver = at(&url);
        let telemetry = Telemetry::start(&receiver, &RunResult::default(), &[], &[]).unwrap();
        telemetry.sender.send(Vec::new()).unwrap();
        let said = telemetry.finish().unwrap();
        assert!(
            said.starts_with("1 of 1 seconds were not delivered to http://127.0.0.1:"),
            "{said}"
        );
        assert!(said.contains("/v1/metrics: "), "{said}");
        let headers = vec![("a".to_owned(), "b\r\nc".to_owned())];
        let wrong = Receiver { headers, ..receiver };
        assert!(Telemetry::start(&wrong, &RunResult::default(), &[], &[]).is_err());
    }

    /// A receiver that takes everything and answers nothing keeps neither the run nor its end.
    #[test]
    fn a_receiver_that_hangs_delays_nothing() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let receiver = at(&format!("http://{}", listener.local_addr().unwrap()));
        let message = Message::new(&RunResult::default(), &[], &[]);
        let patience = Duration::from_millis(20);
        let mut telemetry = Telemetry::start_with(&receiver, message, patience).unwrap();
        let seconds = WAITING as u64 * 3;
        let all = Tally::default();
        let (cpu, parts) = (Duration::ZERO, std::collections::BTreeMap::new());
        let kinds = std::collections::BTreeMap::new();
        let merged = Merged { second: 0, users: 0, types: 0, kinds, all, cpu, parts };
        for at_s in 0..seconds {
            telemetry.second(&merged, &Second { at_s, ..Second::default() });
        }
        let said = telemetry.finish().unwrap();
        assert!(said.starts_with(&format!("{seconds} of {seconds} seconds were not")), "{said}");
    }
}
