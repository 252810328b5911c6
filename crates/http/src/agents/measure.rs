//! `measure`: a short load test of this server, for those who administrate it.

use std::sync::Arc;
use std::time::Duration;

use duet_auth::bearer;
use duet_mcp::{Load, ToolAnswer};
use hyper::header::{AUTHORIZATION, HeaderValue};
use serde_json::json;

use super::resource::find;
use super::visit::{AgentVisit, ApiRequest};
use crate::console::measure::{beside, loopback};
use crate::load_tests::{LoadTests, Mix, Order, Problem, Run};

/// How often a run that goes on is looked at.
const GLANCE: Duration = Duration::from_millis(500);

/// What a run may take beside its measured time: its start, its warm-up and its end.
const AROUND: Duration = Duration::from_secs(60);

/// Runs a load test to its end.
pub(super) async fn measure(visit: &AgentVisit<'_>, load: &Load) -> ToolAnswer {
    match run(visit, load).await {
        Ok(run) => {
            let [throughput, time, failures] = run.figures;
            ToolAnswer::Facts(json!({
                "run": run.id, "target": run.target, "load": run.load, "state": run.state.words(),
                "throughput": throughput, "time": time, "failures": failures, "message": run.message,
            }))
        }
        Err(failure) => failure,
    }
}

async fn run(visit: &AgentVisit<'_>, load: &Load) -> Result<Run, ToolAnswer> {
    let resource = find(visit, &load.resource)?;
    // Who may not administrate the server may not load it either.
    visit.ask(ApiRequest::get("/admin/status")).await?;
    let none = || ToolAnswer::failure("Load tests are switched off.");
    let tests = visit.options.load_tests.clone().ok_or_else(none)?;
    let remote = &visit.arrived.remote;
    let address = loopback(&remote.local).ok_or_else(|| {
        ToolAnswer::failure("Only a server at an address of the loopback interface is loaded.")
    })?;
    let scheme = if remote.secure { "https" } else { "http" };
    let limits = tests.limits();
    let asked = [
        ("users", u64::from(load.users), u64::from(limits.users)),
        ("seconds", load.seconds, limits.seconds),
    ];
    for (what, wanted, most) in asked {
        if wanted > most {
            let message = format!("A load test has at most {most} {what} here.");
            return Err(ToolAnswer::failure(message));
        }
    }
    let order = Order {
        name: format!("agent {}", resource.segment),
        url: format!("{scheme}://{address}{}/", resource.path),
        users: load.users,
        seconds: load.seconds,
        rate: None,
        mix: if load.mix == "pages" { Mix::Pages } else { Mix::Items },
        thresholds: Vec::new(),
        token: credential(visit),
    };
    let failed =
        |problem: Problem| ToolAnswer::failure(format!("{}: {}", problem.title, problem.detail));
    let seconds = order.seconds;
    let id = beside(&tests, move |tests| tests.start(&order)).await.map_err(failed)?;
    ended(&tests, &id, Duration::from_secs(seconds) + AROUND).await.map_err(failed)
}

/// The run after its end, or stopped after so long.
async fn ended(tests: &Arc<dyn LoadTests>, id: &str, patience: Duration) -> Result<Run, Problem> {
    let looks = patience.as_millis() / GLANCE.as_millis();
    for _ in 0..looks {
        let wanted = id.to_owned();
        let run = beside(tests, move |tests| tests.run(&wanted)).await?;
        if !run.state.goes_on() {
            return Ok(run);
        }
        tokio::time::sleep(GLANCE).await;
    }
    let wanted = id.to_owned();
    beside(tests, move |tests| {
        tests.stop(&wanted)?;
        tests.run(&wanted)
    })
    .await
}

/// What the users of the test send: the agent's own token or key.
fn credential(visit: &AgentVisit<'_>) -> String {
    let headers = visit.arrived.request.headers();
    let values = headers.get_all(AUTHORIZATION).iter().map(HeaderValue::as_bytes);
    let token = bearer::token(values).ok().flatten().map(str::to_owned);
    let keys = visit.arrived.worker.shared.options.api_key_header.as_ref();
    let key = keys.and_then(|name| headers.get(name)?.to_str().ok()).map(str::to_owned);
    token.or(key).unwrap_or_default()
}
