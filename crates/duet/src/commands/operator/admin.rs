//! Requests to `/admin/*` of a running server, as its operator.

use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::workload::rest::Access;
use duet_bench::workload::{Failed, cannot};
use duet_text::printable::printable;
use serde_json::Value;

use crate::args::AdminServer;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// The timeout of the server.
pub(in crate::commands) const TIMEOUT: Duration = Duration::from_secs(30);

/// An open connection to a server, with the credentials of its operator.
pub(in crate::commands) struct Admin {
    url: Url,
    connection: HttpConnection,
    /// The line of the header, or nothing.
    authorization: String,
}

impl Admin {
    /// Connects, and gets a token where a client is given.
    ///
    /// # Errors
    /// If there is no server, or it refuses the client.
    pub(in crate::commands) async fn connect(server: &AdminServer) -> Outcome<Self> {
        let url = server.trust.of(&server.url)?;
        let mut connection = HttpConnection::open(&url, TIMEOUT)
            .await
            .map_err(|failed| unreachable(&url, &failed))?;
        let header = access(server)?.authorization(&mut connection, &url, "").await;
        let header = header.map_err(|failed| unreachable(&url, &failed))?;
        let authorization =
            header.map(|value| format!("Authorization: {value}\r\n")).unwrap_or_default();
        Ok(Self { url, connection, authorization })
    }

    /// The server's answer to a request without a body; `path` begins with `/admin/`.
    ///
    /// # Errors
    /// With what the server says, if it refuses the request.
    pub(in crate::commands) async fn ask(&mut self, method: &str, path: &str) -> Outcome<Value> {
        let Self { url, authorization, .. } = self;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{authorization}Content-Length: 0\r\n\r\n",
            url.host
        );
        let mut work = TransactionCost::default();
        let answer = self.connection.exchange(request.as_bytes(), &mut work).await;
        let answer = answer.map_err(|failed| unreachable(url, &failed))?;
        let body: Option<Value> = serde_json::from_slice(answer.body).ok();
        match (answer.status, body) {
            (200, Some(body)) => Ok(body),
            (401, _) => Err(refused(
                "The server requires a token: give --token or --client (DUET_TOKEN, DUET_CLIENT) of a client with the role duet.admin.",
            )),
            (status, body) => {
                let detail = body.as_ref().and_then(|body| body["detail"].as_str());
                Err(refused(
                    &detail.map_or_else(|| format!("The server answers {status}."), printable_text),
                ))
            }
        }
    }
}

/// The credentials of the caller.
fn access(server: &AdminServer) -> Outcome<Access> {
    let client = client_of(server.client.as_deref())?;
    Ok(Access { token: server.token.clone(), client, token_path: None })
}

/// The id and the secret of a client as given.
///
/// # Errors
/// Where they are not separated.
pub(in crate::commands) fn client_of(given: Option<&str>) -> Outcome<Option<(String, String)>> {
    let wrong = || CommandError::refusal("--client (DUET_CLIENT) must be ID:SECRET.");
    let both = given.map(|both| both.split_once(':').ok_or_else(wrong)).transpose()?;
    Ok(both.map(|(id, secret)| (id.to_owned(), secret.to_owned())))
}

pub(in crate::commands) fn unreachable(url: &Url, failed: &Failed) -> CommandError {
    cannot(&format!("The server at {} is unreachable", url.place()), failed).into()
}

fn refused(message: &str) -> CommandError {
    CommandError::server(message)
}

/// A text of the server for a terminal.
pub(in crate::commands) fn printable_text(text: &str) -> String {
    printable(text).to_string()
}
