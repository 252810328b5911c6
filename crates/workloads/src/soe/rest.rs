//! Order entry through a REST service on the same database: each transaction is one request that
//! runs a function, `POST {mount}/{name}` with its arguments by name. Compared with `soe-server`,
//! it shows the service's cost.

use std::sync::Arc;

use duet_bench::targets::http::Response;
use duet_bench::workload::{Done, Failed, Local, Session, TransactionContext};
use duet_model::Value;
use serde_json::Map;

use super::checks::{Check, UserChecks};
use super::facts::{Facts, RestService};
use super::server::{CALLS, arguments, count};
use super::service_client::ServiceClient;
use crate::http_client::refused;

const JSON: &str = "Content-Type: application/json\r\n";

/// One user.
pub(super) struct RestSession {
    facts: Arc<Facts>,
    asking: ServiceClient,
}

impl RestSession {
    pub(super) async fn open(
        facts: &Arc<Facts>,
        service: &RestService,
        checks: UserChecks,
    ) -> Result<Self, Failed> {
        let asking = ServiceClient::open(service, facts.timeout, checks).await?;
        Ok(Self { facts: facts.clone(), asking })
    }
}

/// The content of a call: its arguments by name.
fn content(parameters: &[&str], values: Vec<Value>) -> serde_json::Value {
    let json = |value: Value| match value {
        Value::Int(number) => serde_json::Value::from(number),
        other => serde_json::Value::from(other.to_string()),
    };
    let named = parameters.iter().map(|name| (*name).to_owned());
    serde_json::Value::Object(named.zip(values.into_iter().map(json)).collect::<Map<_, _>>())
}

impl Session for RestSession {
    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let values = arguments(&self.facts, kind, context);
            let (name, parameters) = CALLS[kind];
            let content = content(parameters, values);
            self.asking.checks.enter(kind);
            let checks = self.asking.checks.clone();
            let answer = self.asking.send(context, ["POST", name], JSON, &content).await?;
            checks.note(Check::Status, answer.status == 200);
            let counts = read(&answer, &checks)?;
            count(kind, &counts, context)
        })
    }
}

/// The numbers that the function returned.
fn read(answer: &Response<'_>, checks: &UserChecks) -> Result<Vec<u64>, Failed> {
    if answer.status != 200 {
        let hint = match answer.status {
            401 | 403 => "; the client needs the role duet.execute",
            404 => "; the service must read the database's catalog after the functions were made",
            _ => "",
        };
        return Err(refused(answer, "a function", hint));
    }
    let content: serde_json::Value = serde_json::from_slice(answer.body).unwrap_or_default();
    let numbers = content["~ret"].as_array().map(Vec::as_slice).unwrap_or_default();
    let counts: Option<Vec<u64>> = numbers.iter().map(serde_json::Value::as_u64).collect();
    checks.hold(Check::FunctionCounts, counts.is_some(), || {
        "a function did not return its counts".to_owned()
    })?;
    Ok(counts.unwrap_or_default())
}
