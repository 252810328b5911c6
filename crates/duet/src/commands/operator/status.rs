//! `duet status`: what the processes of a running server do, and how its services answer.

use serde_json::{Value, json};

use super::admin::{Admin, printable_text};
use crate::args::Status;
use crate::columns::columns;
use crate::command_error::CommandError;
use crate::report::{Outcome, print};
use crate::runtime::runtime;

/// Asks the server, and prints its instances, services and queues.
pub(crate) fn run(arguments: &Status) -> Outcome {
    let answer = runtime()?.block_on(async {
        let mut admin = Admin::connect(&arguments.server).await?;
        let instances = admin.ask("GET", "/admin/instances").await?;
        let services = admin.ask("GET", "/admin/services").await?;
        let queues = admin.ask("GET", "/admin/queues").await?;
        let (instances, services) = (&instances["instances"], &services["services"]);
        Ok::<_, CommandError>(
            json!({ "instances": instances, "services": services, "queues": queues["queues"] }),
        )
    })?;
    match arguments.server.json {
        true => print(&format!("{answer:#}\n")),
        false => print(&text(&answer, arguments.by_instance)),
    }
}

/// The tables for people.
fn text(answer: &Value, by_instance: bool) -> String {
    let tables = [instances(answer), services(answer, by_instance), queues(answer)];
    tables.join("\n")
}

fn instances(answer: &Value) -> String {
    let heading = [
        "instance",
        "state",
        "pid",
        "uptime",
        "restarts",
        "memory",
        "connections",
        "waiting",
        "running",
        "succeeded",
        "refused",
        "failed",
    ];
    let rows = list(&answer["instances"]).map(|it| {
        let uptime = it["uptimeSeconds"].as_u64().map(std::time::Duration::from_secs);
        let uptime = uptime.map_or_else(nothing, |it| humantime::format_duration(it).to_string());
        let memory = it["memoryBytes"].as_u64();
        let memory = memory.map_or_else(nothing, |bytes| format!("{} MB", bytes.div_ceil(1 << 20)));
        vec![
            cell(&it["instance"]),
            cell(&it["state"]),
            cell(&it["pid"]),
            uptime,
            cell(&it["restarts"]),
            memory,
            cell(&it["connections"]),
            cell(&it["waiting"]),
            cell(&it["running"]),
            cell(&it["succeeded"]),
            cell(&it["refused"]),
            cell(&it["failed"]),
        ]
    });
    columns(&heading, &[0, 1], rows)
}

fn services(answer: &Value, by_instance: bool) -> String {
    if list(&answer["services"]).next().is_none() {
        return "No service has been called yet.\n".to_owned();
    }
    let heading = [
        "service",
        "instance",
        "succeeded",
        "refused",
        "failed",
        "last ms",
        "max ms",
        "p50 ms",
        "p99 ms",
    ];
    let row = |service: &str, instance: String, it: &Value| {
        let mut row = vec![service.to_owned(), instance];
        let names =
            ["succeeded", "refused", "failed", "lastMillis", "maxMillis", "p50Millis", "p99Millis"];
        row.extend(names.map(|name| cell(&it[name])));
        row
    };
    let rows = list(&answer["services"]).flat_map(|it| {
        let name = cell(&it["resource"]);
        let each = list(&it["instances"]).filter(|_| by_instance);
        let each = each.map(|one| row(&name, cell(&one["instance"]), one));
        std::iter::once(row(&name, "all".to_owned(), it)).chain(each).collect::<Vec<_>>()
    });
    columns(&heading, &[0, 1], rows)
}

/// The queues that have been used.
fn queues(answer: &Value) -> String {
    let names = ["waiting", "running", "admitted", "full", "expired", "cancelled"];
    let mut heading = vec!["queue", "application", "instance"];
    heading.extend(names);
    let is_used = |it: &&Value| names.iter().any(|name| it[name].as_u64() != Some(0));
    let rows = list(&answer["queues"]).filter(is_used).map(|it| {
        let mut row = vec![cell(&it["queue"]), cell(&it["application"]), cell(&it["instance"])];
        row.extend(names.map(|name| cell(&it[name])));
        row
    });
    columns(&heading, &[0, 1], rows)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn nothing() -> String {
    "-".to_owned()
}

/// A member for people.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => nothing(),
        Value::String(text) => printable_text(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_tables() {
        let figures = json!({ "succeeded": 7, "refused": 1, "failed": 0, "lastMillis": 0.2, "maxMillis": 3.25,
            "p50Millis": 0.2, "p99Millis": null, "instance": 2 });
        let mut service = figures.clone();
        service["resource"] = "/hr/team".into();
        service["instances"] = json!([figures]);
        let answer = json!({
            "instances": [{ "instance": 1, "state": "ready", "pid": 77, "uptimeSeconds": 61, "restarts": 0,
                "memoryBytes": 3_000_000, "connections": 2, "waiting": 0, "running": 1, "succeeded": 7, "refused": 1, "failed": 0 },
                { "instance": 2, "state": "hung", "pid": 78 }],
            "services": [service],
            "queues": [{ "queue": "read", "application": "hr", "instance": 1, "waiting": 0, "running": 1, "admitted": 8,
                "full": 0, "expired": 0, "cancelled": 0 },
                { "queue": "write", "application": "hr", "instance": 1, "waiting": 0, "running": 0, "admitted": 0,
                "full": 0, "expired": 0, "cancelled": 0 }],
        });
        assert_eq!(
            text(&answer, true),
            "instance  state  pid  uptime  restarts  memory  connections  waiting  running  succeeded  refused  failed
1         ready   77   1m 1s         0    3 MB            2        0        1          7        1       0
2         hung    78       -         -       -            -        -        -          -        -       -

service   instance  succeeded  refused  failed  last ms  max ms  p50 ms  p99 ms
/hr/team  all               7        1       0      0.2    3.25     0.2       -
/hr/team  2                 7        1       0      0.2    3.25     0.2       -

queue  application  instance  waiting  running  admitted  full  expired  cancelled
read   hr                  1        0        1         8     0        0          0
"
        );
        assert!(text(&json!({}), false).contains("No service has been called yet."));
    }
}
