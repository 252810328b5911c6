//! Order entry through a REST service on the same database: each transaction is one request that runs a
//! function, `POST {mount}/{name}` with its arguments by name. Held against `soe-server`, it shows what
//! the service costs.

use std::io::Write as _;
use std::sync::Arc;

use duet_model::Value;
use serde_json::Map;

use super::facts::{Facts, Service};
use super::server::{CALLS, arguments, count};
use crate::record::Outcome;
use crate::targets::http::{Connection, Response, Url};
use crate::workload::{Done, Failed, Local, Session, Turn};

/// One user.
pub(super) struct RestSession {
    facts: Arc<Facts>,
    connection: Connection,
    mount: String,
    /// Header fields that every request has.
    fields: String,
    request: Vec<u8>,
}

impl RestSession {
    pub(super) async fn open(facts: &Arc<Facts>, service: &Service) -> Result<Self, Failed> {
        let url: Url =
            service.url.parse().map_err(|said: String| Failed::new(Outcome::Other, said))?;
        let authorization = match &service.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        Ok(Self {
            facts: facts.clone(),
            connection: Connection::open(&url, facts.timeout).await?,
            mount: url.path.trim_end_matches('/').to_owned(),
            fields: format!("Host: {}\r\n{authorization}", url.host),
            request: Vec::new(),
        })
    }

    /// Writes the request of a call.
    fn compose(&mut self, kind: usize, values: Vec<Value>) {
        let (name, parameters) = CALLS[kind];
        let json = |value: Value| match value {
            Value::Int(number) => serde_json::Value::from(number),
            other => serde_json::Value::from(other.to_string()),
        };
        let named = parameters.iter().map(|name| (*name).to_owned());
        let content: Map<_, _> = named.zip(values.into_iter().map(json)).collect();
        let content = serde_json::Value::Object(content).to_string();
        self.request.clear();
        // Writing to memory cannot fail.
        let _ = write!(
            self.request,
            "POST {}/{name} HTTP/1.1\r\n{}Content-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{content}",
            self.mount,
            self.fields,
            content.len()
        );
    }
}

impl Session for RestSession {
    fn run<'a>(&'a mut self, kind: usize, turn: &'a mut Turn) -> Local<'a, Done> {
        Box::pin(async move {
            let values = arguments(&self.facts, kind, turn);
            self.compose(kind, values);
            let answer = self.connection.exchange(&self.request, &mut turn.work).await?;
            let counts = read(&answer)?;
            count(kind, &counts, turn)
        })
    }
}

/// The numbers that the function returned.
fn read(answer: &Response<'_>) -> Result<Vec<u64>, Failed> {
    if answer.status != 200 {
        let outcome = match answer.status {
            408 | 504 => Outcome::Timeout,
            409 => Outcome::Constraint,
            _ => Outcome::Check,
        };
        let hint = match answer.status {
            401 | 403 => "; the client needs the role duet.execute",
            404 => "; the service must read the database's catalog after the functions were made",
            _ => "",
        };
        return Err(Failed::new(outcome, format!("a function answers {}{hint}", answer.status)));
    }
    let content: serde_json::Value = serde_json::from_slice(answer.body).unwrap_or_default();
    let numbers = content["~ret"].as_array().map(Vec::as_slice).unwrap_or_default();
    numbers
        .iter()
        .map(serde_json::Value::as_u64)
        .collect::<Option<_>>()
        .ok_or_else(|| Failed::check("a function answers with something else than its counts"))
}
