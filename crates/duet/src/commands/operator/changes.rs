//! `duet changes`: follows a resource of a running server, over lost connections.

use std::io::{self, Write as _};
use std::time::Duration;

use duet_bench::targets::http::{BodyStream, HttpConnection, Url};
use duet_bench::workload::Failed;
use duet_bench::workload::rest::Access;
use duet_model::Code;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::admin::{TIMEOUT, client_of, printable_text, unreachable};
use super::changes_view::{EventParser, ReaderView, ServerEvent};
use crate::args::Changes;
use crate::command_error::CommandError;
use crate::report::{Outcome, warn};

/// Nothing has come for so long: the connection is lost, as the server sends something more often.
const SILENCE: Duration = Duration::from_secs(60);
/// Pauses before a lost connection is opened again.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(15)];

pub(in crate::commands) fn run(arguments: &Changes) -> Outcome {
    let url = arguments.caller.trust.of(&arguments.url)?;
    if url.route.http2.is_some() {
        let message = "`duet changes` speaks HTTP/1.1: leave `#http2` out of the address.";
        return Err(CommandError::usage(message));
    }
    let client = client_of(arguments.caller.client.as_deref())?;
    let access = Access { token: arguments.caller.token.clone(), client, token_path: None };
    let path = path(arguments)?;
    let follower =
        Follower { url, access, path, view: ReaderView::behind(arguments.after.clone()) };
    crate::runtime::runtime()?.block_on(follower.run())
}

/// The path and query to follow.
fn path(arguments: &Changes) -> Outcome<String> {
    let resource = &arguments.resource;
    let is_path = resource.starts_with('/') && resource.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_path || resource.contains('?') {
        let message =
            "RESOURCE is a path such as /ords/hr/team/; filters are given with --q or --query.";
        return Err(CommandError::usage(message));
    }
    let given = [("q", &arguments.q), ("query", &arguments.query), ("fields", &arguments.fields)];
    let given = given.iter().filter_map(|(name, value)| {
        let value = utf8_percent_encode(value.as_deref()?, NON_ALPHANUMERIC);
        Some(format!("{name}={value}"))
    });
    let given: Vec<String> = given.collect();
    Ok(if given.is_empty() { resource.clone() } else { format!("{resource}?{}", given.join("&")) })
}

/// A resource that is followed.
struct Follower {
    url: Url,
    access: Access,
    path: String,
    view: ReaderView,
}

/// Why a connection has ended.
enum Ended {
    /// It was lost, or never there.
    Lost(CommandError),
    /// The server has said that it ends, and when to come again.
    Politely(Option<Duration>, String),
    /// The server refuses.
    Refused(CommandError),
    /// The lines cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Follower {
    async fn run(mut self) -> Outcome {
        let [first, longest] = PAUSES;
        let (mut pause, mut has_connected) = (first, false);
        loop {
            let mut got_events = false;
            let ended = match self.follow(&mut got_events).await {
                Ok(()) => {
                    Ended::Politely(Some(first), "The server has closed the connection.".into())
                }
                Err(ended) => ended,
            };
            if got_events {
                (pause, has_connected) = (first, true);
            }
            let wait = match ended {
                Ended::Refused(error) => return Err(error),
                Ended::Output(error) => return Err(error.into()),
                Ended::Politely(None, message) => {
                    return Err(CommandError::server(message));
                }
                Ended::Politely(Some(wait), message) => {
                    warn(&message);
                    wait
                }
                // A wrong address is told at once.
                Ended::Lost(error) if !has_connected => return Err(error),
                Ended::Lost(error) => {
                    warn(&format!("{} It is tried again.", error.message()));
                    let wait = pause;
                    pause = longest.min(pause * 2);
                    wait
                }
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Follows until the connection ends.
    async fn follow(&mut self, got_events: &mut bool) -> Result<(), Ended> {
        let lost = |failed: &Failed, url: &Url| Ended::Lost(unreachable(url, failed));
        let mut stream = self.connect().await?;
        if stream.status != 200 {
            return Err(refusal(&mut stream).await);
        }
        let (mut parser, mut out) = (EventParser::default(), io::stdout());
        while let Some(bytes) = stream.next().await.map_err(|failed| lost(&failed, &self.url))? {
            *got_events = true;
            parser.take(&bytes);
            while let Some(event) = parser.next() {
                if event.name == "end" {
                    out.flush()?;
                    return Err(self.end(&event));
                }
                for line in self.view.lines(&event) {
                    writeln!(out, "{line}")?;
                }
            }
            out.flush()?;
        }
        Ok(())
    }

    async fn connect(&self) -> Result<BodyStream, Ended> {
        let lost = |failed: Failed| Ended::Lost(unreachable(&self.url, &failed));
        let mut connection = HttpConnection::open(&self.url, TIMEOUT).await.map_err(lost)?;
        let header =
            self.access.authorization(&mut connection, &self.url, "").await.map_err(lost)?;
        let mut headers =
            header.map(|value| format!("Authorization: {value}\r\n")).unwrap_or_default();
        if let Some(last) = &self.view.last {
            if !last.bytes().all(|byte| byte.is_ascii_graphic()) {
                let message = "--after takes the `id` of a line.";
                return Err(Ended::Refused(CommandError::usage(message)));
            }
            headers.push_str(&format!("Last-Event-ID: {last}\r\n"));
        }
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{headers}\r\n",
            self.path, self.url.host
        );
        connection.set_timeout(SILENCE);
        BodyStream::begin(connection, request.as_bytes()).await.map_err(lost)
    }

    /// What the last event of a subscription means.
    fn end(&self, event: &ServerEvent) -> Ended {
        let message =
            printable_text(event.data["message"].as_str().unwrap_or("The server has ended it."));
        let retry = event.data["retry"].as_u64().map(Duration::from_millis);
        // A client gets itself another token.
        let is_expired = event.data["code"] == Code::Unauthorized.as_str();
        let renews = is_expired && self.access.token.is_none() && self.access.client.is_some();
        Ended::Politely(retry.or(renews.then(|| PAUSES[0])), message)
    }
}

/// The refusal of a request: one that passes is tried again.
async fn refusal(stream: &mut BodyStream) -> Ended {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = stream.next().await {
        body.extend_from_slice(&bytes);
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let detail = body["detail"].as_str().map(printable_text);
    let message = detail.unwrap_or_else(|| format!("The server answers {}.", stream.status));
    let error = CommandError::server(message);
    match stream.status {
        429 | 502..=504 => Ended::Lost(error),
        401 => Ended::Refused(error.hint(
            "Give --token or --client (DUET_TOKEN, DUET_CLIENT) of a client that may read it.",
        )),
        _ => Ended::Refused(error),
    }
}
