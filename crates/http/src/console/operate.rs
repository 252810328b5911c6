//! The page that watches this server, for clients with `duet.admin`: what `/metrics` and `/admin/*` answer to them.

use duet_console::address::{Place, query};
use duet_console::operate::log::{Line, Log};
use duet_console::operate::{
    Figures, Heat, Heatmap, InstanceRow, Operate, SchemaRow, ServerState, StatePart,
};
use duet_console::page::Section;
use hyper::StatusCode;
use serde_json::Value;

use super::call::CallAnswer;
use super::form::Form;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The metric of the longest turn, which each worker has.
const TURN: &str = "duet_worker_longest_turn_seconds{";

pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    if parameters.text("as") == "state" {
        return match state(visit, parameters).await {
            Ok(state) => shown(StatusCode::OK, StatePart { state: &state }.html()),
            Err(called) => visit.refused(&called),
        };
    }
    let metrics = visit.api().get("/metrics").await;
    if !metrics.status.is_success() {
        return visit.refused(&metrics);
    }
    let text = String::from_utf8_lossy(&metrics.body);
    let figures = Figures::of(&text);
    if parameters.text("as") == "json" {
        let mut json = figures.json();
        json["turn"] = longest_turn(&text).into();
        let databases = visit.api().get("/admin/database").await.json();
        json["databases"] = databases["databases"].clone();
        return Reply::json(json.to_string().into_bytes());
    }
    let state = match state(visit, parameters).await {
        Ok(state) => state,
        Err(called) => return visit.refused(&called),
    };
    let status = visit.api().get("/admin/status").await.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let application = |it: &Value| (text(&it["name"]), text(&it["database"]), it["ready"] == true);
    let applications: Vec<_> =
        status["applications"].as_array().into_iter().flatten().map(application).collect();
    let frame = visit.frame("Operate", Section::Operate);
    let (figures, applications, state) = (&figures, &applications[..], &state);
    shown(StatusCode::OK, Operate { frame, figures, applications, state }.html())
}

/// What changes slowly.
///
/// # Errors
/// The answer, where it is no success.
async fn state(visit: &Visit<'_>, parameters: &Form) -> Result<ServerState, CallAnswer> {
    let latencies = visit.api().get("/admin/latencies").await;
    if !latencies.status.is_success() {
        return Err(latencies);
    }
    let instances = visit.api().get("/admin/instances").await.json();
    let changes = visit.api().get("/admin/schema-changes").await.json();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    Ok(ServerState {
        heatmap: Heatmap::of(&latencies.json(), Heat::of(parameters.text("heat"))),
        instances: list(&instances["instances"]).iter().map(InstanceRow::of).collect(),
        changes: list(&changes["changes"]).iter().map(SchemaRow::of).collect(),
    })
}

/// The last lines of the log, the newest first.
pub(super) async fn log(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let (level, words) = (parameters.text("level"), parameters.text("words"));
    let target = format!("/admin/log{}", query(&[("level", level), ("words", words)]));
    let called = visit.api().get(&target).await;
    if !called.status.is_success() {
        return visit.refused(&called);
    }
    let json = called.json();
    let lines = json["lines"].as_array().into_iter().flatten();
    let lines = lines.rev().map(Line::of);
    let lines: Vec<Line> = lines.map(|it| Line { explain: explained(visit, &it), ..it }).collect();
    let frame = visit.frame("Log", Section::Operate);
    shown(StatusCode::OK, Log { frame, level, words, lines: &lines }.html())
}

/// The page that explains requests of the resource that was slow.
fn explained(visit: &Visit<'_>, line: &Line) -> Option<String> {
    let (application, resource) = line.slow_resource()?;
    let services = visit.arrived.worker.shared.applications.services();
    let service = services.iter().find(|service| service.name() == application)?;
    let snapshot = service.snapshot();
    let mount = snapshot.mounts.iter().find(|mount| mount.resource(resource).is_ok())?;
    let place = Place { base: visit.base(), mount: &mount.path, resource };
    Some(place.page("explain"))
}

/// The longest turn of any worker, in seconds.
fn longest_turn(metrics: &str) -> f64 {
    let turns = metrics.lines().filter(|line| line.starts_with(TURN));
    turns.filter_map(|line| line.rsplit(' ').next()?.parse().ok()).fold(0.0, f64::max)
}
