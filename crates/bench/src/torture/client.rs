//! One user's connection, which blocks its thread.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Runtime;

use crate::record::TransactionCost;
use crate::targets::http::{HttpConnection, Url};
use crate::workload::Failed;
use duet_verdict::outcome::Outcome;

/// A connection with the headers of each request.
pub(super) struct Client {
    runtime: Runtime,
    connection: HttpConnection,
    url: Url,
    headers: String,
    /// Whether the service has closed the connection since it was opened.
    has_reconnected: bool,
}

/// A response.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) etag: Option<String>,
    pub(super) location: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Whether the request succeeded.
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The content as JSON.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Its status and the beginning of its content, for messages.
    pub(super) fn shown(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let short: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match short.chars().take(160).collect::<String>() {
            text if text.is_empty() => self.status.to_string(),
            text => format!("{}: {text}", self.status),
        }
    }
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// If nothing listens.
    pub(super) fn open(url: &Url, headers: &str, timeout: Duration) -> Result<Self, Failed> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failed::new(Outcome::Other, error.to_string()))?;
        let connection = runtime.block_on(HttpConnection::open(url, timeout))?;
        let headers = headers.to_owned();
        Ok(Self { runtime, connection, url: url.clone(), headers, has_reconnected: false })
    }

    /// Whether the service has closed the connection meanwhile, which a request then opened again.
    pub(super) fn has_reconnected(&self) -> bool {
        self.has_reconnected
    }

    /// Sends a request below the base URL and reads its response.
    ///
    /// # Errors
    /// If the connection breaks or no response comes in time.
    pub(super) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<Answer, Failed> {
        let base = self.url.path.trim_end_matches('/');
        let content = match body.is_empty() {
            true => String::new(),
            false => {
                format!("Content-Type: {}\r\nContent-Length: {}\r\n", media(method), body.len())
            }
        };
        let request = format!(
            "{method} {base}{path} HTTP/1.1\r\nHost: {}\r\n{}{headers}{content}\r\n{body}",
            self.url.host, self.headers
        );
        let mut work = TransactionCost::default();
        let sent = self.connection.exchange(request.as_bytes(), &mut work);
        let response = self.runtime.block_on(sent);
        self.has_reconnected |= work.connects > 0;
        let response = response?;
        let field = |name: &str| response.field(name).map(Cow::into_owned);
        Ok(Answer {
            status: response.status,
            etag: field("etag"),
            location: field("location"),
            body: response.body.to_vec(),
        })
    }
}

/// The media type of a body.
fn media(method: &str) -> &'static str {
    match method {
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    }
}
