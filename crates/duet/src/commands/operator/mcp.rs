//! `duet mcp`: passes messages of an agent, a line each, on to a server, and its answers back.
//!
//! Standard output has answers alone, as the protocol demands; whatever else is to be said goes to standard error.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::workload::rest::Access;
use serde_json::{Value, json};

use super::admin::unreachable;
use super::found_server::FoundServer;
use crate::args::Mcp;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// The longest wait for an answer: a load test takes its time.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Where the server takes messages.
const PATH: &str = "/mcp";

pub(in crate::commands) fn run(arguments: &Mcp) -> Outcome {
    let rights = if arguments.write { "write" } else { "read" };
    let server = FoundServer::of(&arguments.server, &["--mcp", rights])?;
    let runtime = crate::runtime::runtime()?;
    let mut bridge = runtime.block_on(Bridge::connect(&server))?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = String::new();
    let lost =
        |error: std::io::Error| CommandError::machine(format!("The agent is gone: {error}."));
    while {
        line.clear();
        input.read_line(&mut line).map_err(lost)?
    } > 0
    {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(answer) = runtime.block_on(bridge.answer(line.trim())) {
            writeln!(output, "{answer}").and_then(|()| output.flush()).map_err(lost)?;
        }
    }
    Ok(())
}

/// The way to a server.
struct Bridge {
    url: Url,
    access: Access,
    connection: HttpConnection,
    authorization: Option<String>,
}

impl Bridge {
    async fn connect(server: &FoundServer) -> Outcome<Self> {
        let (url, access) = (server.url.clone(), server.access.clone());
        let failed = |failed| unreachable(&url, &failed);
        let mut connection = HttpConnection::open(&url, TIMEOUT).await.map_err(failed)?;
        let authorization =
            access.authorization(&mut connection, &url, "").await.map_err(failed)?;
        Ok(Self { access, connection, authorization, url })
    }

    /// The answer to a message; `None` to one that wants none.
    async fn answer(&mut self, message: &str) -> Option<String> {
        let parsed: Value = serde_json::from_str(message).unwrap_or_default();
        let mut sent = self.send(message, &parsed).await;
        if matches!(&sent, Ok((401, _))) && self.renew().await {
            sent = self.send(message, &parsed).await;
        }
        match sent {
            Ok((202, _)) => None,
            Ok((_, body)) if body.get("jsonrpc").is_some() => Some(body.to_string()),
            Ok((status, body)) => {
                let detail = body["detail"].as_str().map(str::to_owned);
                let text = detail.unwrap_or_else(|| match status {
                    404 => "The server serves no agents: start it with `--mcp read`.".to_owned(),
                    _ => format!("The server answers {status}."),
                });
                failure(&parsed, &text)
            }
            Err(error) => failure(&parsed, error.message()),
        }
    }

    /// Asks for another token, as the one before may have expired.
    async fn renew(&mut self) -> bool {
        if self.access.token.is_some() {
            return false;
        }
        let asked = self.access.authorization(&mut self.connection, &self.url, "").await;
        asked.is_ok_and(|token| {
            self.authorization = token;
            self.authorization.is_some()
        })
    }

    async fn send(&mut self, message: &str, parsed: &Value) -> Outcome<(u16, Value)> {
        let mut request = format!(
            "POST {PATH} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
            self.url.host
        );
        for (name, value) in repeated(parsed) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(authorization) = &self.authorization {
            request.push_str(&format!("Authorization: {authorization}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{message}", message.len()));
        let mut work = TransactionCost::default();
        let answer = self.connection.exchange(request.as_bytes(), &mut work).await;
        let answer = answer.map_err(|failed| unreachable(&self.url, &failed))?;
        Ok((answer.status, serde_json::from_slice(answer.body).unwrap_or_default()))
    }
}

/// The headers that repeat what a message says, since version 2026-07-28. What is no header stays in the message alone, which
/// the server then refuses.
fn repeated(message: &Value) -> Vec<(&'static str, &str)> {
    let params = &message["params"];
    let version = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    let Some(version) = version else { return Vec::new() };
    let name = params["name"].as_str().filter(|_| message["method"] == "tools/call");
    let all = [
        ("MCP-Protocol-Version", Some(version)),
        ("Mcp-Method", message["method"].as_str()),
        ("Mcp-Name", name),
    ];
    let is_value =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    all.into_iter().filter_map(|(header, value)| Some((header, value.filter(is_value)?))).collect()
}

/// The answer to a request that reached no server; none to other messages.
fn failure(message: &Value, text: &str) -> Option<String> {
    let id = message.get("id")?;
    let error = json!({ "code": -32603, "message": text });
    Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_repeat_the_message_and_nothing_else() {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
        let call = |name: &str| json!({ "method": "tools/call", "params": { "name": name, "_meta": meta } });
        assert_eq!(
            repeated(&call("list")),
            [
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "list")
            ]
        );
        assert_eq!(repeated(&call("a\r\nX: y")).len(), 2, "a line break is no header");
        assert_eq!(repeated(&json!({ "method": "ping" })), []);
        assert_eq!(failure(&json!({ "method": "x" }), "no"), None);
    }
}
