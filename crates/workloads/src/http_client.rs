//! Requests below one path of a service, on a persistent connection.

use std::io::Write as _;
use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::{HttpConnection, Response, Url};
use duet_bench::workload::Failed;
use duet_verdict::outcome::Outcome;

/// A connection to a service, and the current request.
#[derive(Debug)]
pub(crate) struct HttpClient {
    connection: HttpConnection,
    /// The path that all requests are below, without a slash at its end.
    mount: String,
    /// Header fields of every request.
    fields: String,
    request: Vec<u8>,
}

impl HttpClient {
    /// Connects to a service at the URL of its mount; `more` are header fields of every request.
    ///
    /// # Errors
    /// If the URL is invalid, or nothing responds.
    pub(crate) async fn open(
        url: &str,
        authorization: Option<&str>,
        more: &str,
        timeout: Duration,
    ) -> Result<Self, Failed> {
        let url: Url =
            url.parse().map_err(|message: String| Failed::new(Outcome::Other, message))?;
        let authorization = match authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        Ok(Self {
            connection: HttpConnection::open(&url, timeout).await?,
            mount: url.path.trim_end_matches('/').to_owned(),
            fields: format!("Host: {}\r\n{authorization}{more}", url.host),
            request: Vec::new(),
        })
    }

    /// Sends a request without content to a path below the mount.
    pub(crate) async fn ask(
        &mut self,
        work: &mut TransactionCost,
        [method, path]: [&str; 2],
    ) -> Result<Response<'_>, Failed> {
        self.request.clear();
        // Writing to memory cannot fail.
        let _ =
            write!(self.request, "{method} {}/{path} HTTP/1.1\r\n{}\r\n", self.mount, self.fields);
        self.connection.exchange(&self.request, work).await
    }

    /// Sends content to a path below the mount; `more` are header fields.
    pub(crate) async fn send(
        &mut self,
        work: &mut TransactionCost,
        [method, path]: [&str; 2],
        more: &str,
        content: &serde_json::Value,
    ) -> Result<Response<'_>, Failed> {
        let content = content.to_string();
        self.request.clear();
        let _ = write!(
            self.request,
            "{method} {}/{path} HTTP/1.1\r\n{}{more}Content-Length: {}\r\n\r\n{content}",
            self.mount,
            self.fields,
            content.len()
        );
        self.connection.exchange(&self.request, work).await
    }
}

/// The failure of an unexpected status.
pub(crate) fn refused(answer: &Response<'_>, what: &str, hint: &str) -> Failed {
    let outcome = match answer.status {
        408 | 504 => Outcome::Timeout,
        409 => Outcome::Constraint,
        412 => Outcome::Serialization,
        _ => Outcome::Check,
    };
    Failed::new(outcome, format!("{what} answers {}{hint}", answer.status))
}

/// Percent-encodes the value of a query parameter (RFC 3986 §3.4).
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'~' | b':' | b',' | b'$' | b'@' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_in_addresses() {
        let encoded = percent_encoded("{\"a\":{\"$in\":[1,2]}}");
        assert_eq!(encoded, "%7B%22a%22:%7B%22$in%22:%5B1,2%5D%7D%7D");
        assert_eq!(percent_encoded("é&b@c"), "%C3%A9%26b@c");
    }
}
