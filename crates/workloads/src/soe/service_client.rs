//! Requests to a service that serves order entry, on a persistent connection.

use std::io::Write as _;
use std::time::Duration;

use duet_bench::targets::http::{Connection, Response, Url};
use duet_bench::workload::{Failed, Turn};
use duet_verdict::outcome::Outcome;

use super::checks::UserChecks;
use super::facts::Service;

/// A connection to a service, and the current request.
pub(super) struct ServiceClient {
    connection: Connection,
    mount: String,
    /// Header fields of every request.
    fields: String,
    request: Vec<u8>,
    pub(super) checks: UserChecks,
}

impl ServiceClient {
    pub(super) async fn open(
        service: &Service,
        timeout: Duration,
        checks: UserChecks,
    ) -> Result<Self, Failed> {
        let url: Url =
            service.url.parse().map_err(|said: String| Failed::new(Outcome::Other, said))?;
        let authorization = match &service.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        Ok(Self {
            connection: Connection::open(&url, timeout).await?,
            mount: url.path.trim_end_matches('/').to_owned(),
            fields: format!("Host: {}\r\n{authorization}", url.host),
            request: Vec::new(),
            checks,
        })
    }

    /// Requests a path below the mount.
    pub(super) async fn get(
        &mut self,
        turn: &mut Turn,
        path: &str,
    ) -> Result<Response<'_>, Failed> {
        self.request.clear();
        // Writing to memory cannot fail.
        let _ = write!(self.request, "GET {}/{path} HTTP/1.1\r\n{}\r\n", self.mount, self.fields);
        self.connection.exchange(&self.request, &mut turn.work).await
    }

    /// Sends content to a path below the mount; `more` are header fields.
    pub(super) async fn send(
        &mut self,
        turn: &mut Turn,
        line: [&str; 2],
        more: &str,
        content: &serde_json::Value,
    ) -> Result<Response<'_>, Failed> {
        let ([method, path], content) = (line, content.to_string());
        self.request.clear();
        let _ = write!(
            self.request,
            "{method} {}/{path} HTTP/1.1\r\n{}{more}Content-Length: {}\r\n\r\n{content}",
            self.mount,
            self.fields,
            content.len()
        );
        self.connection.exchange(&self.request, &mut turn.work).await
    }
}

/// The failure of an unexpected status.
pub(super) fn refused(answer: &Response<'_>, what: &str, hint: &str) -> Failed {
    let outcome = match answer.status {
        408 | 504 => Outcome::Timeout,
        409 => Outcome::Constraint,
        412 => Outcome::Serialization,
        _ => Outcome::Check,
    };
    Failed::new(outcome, format!("{what} answers {}{hint}", answer.status))
}
