//! The page that watches this server, for clients with `duet.admin`: what `/metrics` and `/admin/status` answer to them.

use duet_console::operate::{Figures, Operate};
use duet_console::page::Section;
use hyper::StatusCode;
use serde_json::Value;

use super::form::Form;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The metric of the longest turn, which each worker has.
const TURN: &str = "duet_worker_longest_turn_seconds{";

pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let metrics = visit.api().get("/metrics").await;
    if !metrics.status.is_success() {
        return visit.refused(&metrics);
    }
    let text = String::from_utf8_lossy(&metrics.body);
    let figures = Figures::of(&text);
    if parameters.text("as") == "json" {
        let mut json = figures.json();
        json["turn"] = longest_turn(&text).into();
        return Reply::json(json.to_string().into_bytes());
    }
    let status = visit.api().get("/admin/status").await.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let application = |it: &Value| (text(&it["name"]), text(&it["database"]), it["ready"] == true);
    let applications: Vec<_> =
        status["applications"].as_array().into_iter().flatten().map(application).collect();
    let frame = visit.frame("Operate", Section::Operate);
    shown(StatusCode::OK, Operate { frame, figures: &figures, applications: &applications }.html())
}

/// The longest turn of any worker, in seconds.
fn longest_turn(metrics: &str) -> f64 {
    let turns = metrics.lines().filter(|line| line.starts_with(TURN));
    turns.filter_map(|line| line.rsplit(' ').next()?.parse().ok()).fold(0.0, f64::max)
}
