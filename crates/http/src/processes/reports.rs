//! The processes that serve together, as their operator sees them: what each of them reports, for
//! `/metrics`, `/admin/instances`, `/admin/services` and `/admin/queues`.
//!
//! A request is answered by one process, which asks the others through the supervisor. Without a
//! supervisor there is one process, and the answers have the same form.

use duet_auth::SessionId;
use serde_json::{Value, json};

use super::merged_metrics::merged;
use super::own_report::{
    JOURNALS, LATENCIES, LOG, METRICS, QUEUES, ROWSTORES, SCHEMA_CHANGES, SERVICES, SUMMARY,
    metrics_text, report,
};
use crate::answer::reply::Reply;
use crate::observe::latencies;
use crate::observe::service_times::{ServiceTimes, total_of_each};
use crate::worker::ServerState;

/// What each process reports of a subject whose name is made for the question, without the facts about it.
pub(crate) async fn answers(shared: &ServerState, subject: String) -> Vec<Value> {
    let Some(instances) = &shared.options.instances else { return vec![report(shared, &subject)] };
    let Some(Value::Array(mut all)) = instances.reports(subject).await else { return Vec::new() };
    all.iter_mut().map(|process| process["report"].take()).collect()
}

/// The metrics of all processes, added up.
pub(crate) async fn metrics(shared: &ServerState) -> String {
    let texts = reports(shared, METRICS).await;
    let texts: Vec<(u64, &str)> = texts
        .iter()
        .filter_map(|process| Some((process["instance"].as_u64()?, process["report"].as_str()?)))
        .collect();
    match texts.as_slice() {
        // Labels by process are of use where there are several.
        [] | [_] => metrics_text(shared),
        several => merged(several),
    }
}

/// `GET /admin/instances`: each process, with the sum of its requests.
pub(crate) async fn instances(shared: &ServerState) -> Reply {
    let mut processes = reports(shared, SUMMARY).await;
    for process in &mut processes {
        let Some(process) = process.as_object_mut() else { continue };
        let report = process.remove("report");
        // One that starts or hangs reports nothing.
        if let Some(Value::Object(report)) = report {
            process.extend(report);
        }
    }
    Reply::json(json!({ "instances": processes }).to_string().into_bytes())
}

/// `GET /admin/services`: the requests of each resource, in all processes and in each.
pub(crate) async fn services(shared: &ServerState) -> Reply {
    let processes = reports(shared, SERVICES).await;
    let of_each = processes.iter().filter_map(|process| {
        let times = ServiceTimes::read_all(&process["report"])?;
        Some((process["instance"].as_u64()?, times))
    });
    let services = total_of_each(&of_each.collect::<Vec<_>>());
    Reply::json(json!({ "services": services }).to_string().into_bytes())
}

/// `GET /admin/queues`: the queues in front of the databases, in each process.
pub(crate) async fn queue_list(shared: &ServerState) -> Reply {
    let mut all = Vec::new();
    for process in reports(shared, QUEUES).await {
        let queues = process["report"].as_array().into_iter().flatten();
        all.extend(queues.filter_map(|queue| {
            let mut queue = queue.as_object()?.clone();
            queue.insert("instance".to_owned(), process["instance"].clone());
            Some(queue)
        }));
    }
    Reply::json(json!({ "queues": all }).to_string().into_bytes())
}

/// `GET /admin/latencies`: how long the requests of each route took in each of the last minutes, in all processes.
pub(crate) async fn latencies(shared: &ServerState) -> Reply {
    let processes = reports(shared, LATENCIES).await;
    let reports: Vec<Value> = processes.into_iter().map(|mut it| it["report"].take()).collect();
    let all = latencies::of_all(&reports, latencies::this_minute());
    Reply::json(all.to_string().into_bytes())
}

/// `GET /admin/schema-changes`: when what is served was replaced, in each process, the newest first.
pub(crate) async fn schema_changes(shared: &ServerState) -> Reply {
    let mut all = Vec::new();
    for mut process in reports(shared, SCHEMA_CHANGES).await {
        let instance = process["instance"].take();
        let Value::Array(own) = process["report"].take() else { continue };
        all.extend(own.into_iter().map(|mut change| {
            change["instance"] = instance.clone();
            change
        }));
    }
    // Times are of one form, so texts are ordered as they are.
    all.sort_by(|a, b| b["at"].as_str().cmp(&a["at"].as_str()));
    Reply::json(json!({ "changes": all }).to_string().into_bytes())
}

/// The journal of each application, with the process that owns it; that of any process where none does.
pub(crate) async fn journals(shared: &ServerState) -> Vec<Value> {
    let mut journals: Vec<Value> = Vec::new();
    for process in reports(shared, JOURNALS).await {
        let own = process["report"].as_array().into_iter().flatten().filter(|it| it.is_object());
        for journal in own {
            let mut journal = journal.clone();
            journal["instance"] = process["instance"].clone();
            let application = &journal["application"];
            match journals.iter_mut().find(|known| known["application"] == *application) {
                None => journals.push(journal),
                Some(known) if known["journal"].is_null() => *known = journal,
                Some(_) => {}
            }
        }
    }
    journals
}

/// The last lines of each process's log, the oldest first.
pub(crate) async fn log(shared: &ServerState) -> Vec<Value> {
    let mut lines = Vec::new();
    for process in reports(shared, LOG).await {
        let own = process["report"].as_array().into_iter().flatten();
        lines.extend(own.map(|line| {
            let mut line = line.clone();
            line["instance"] = process["instance"].clone();
            line
        }));
    }
    // Times are of one form, so texts are ordered as they are.
    lines.sort_by(|a, b| a["time"].as_str().cmp(&b["time"].as_str()));
    lines
}

/// What each process keeps in memory.
pub(crate) async fn rowstores(shared: &ServerState) -> Vec<Value> {
    reports(shared, ROWSTORES).await
}

/// Has the other processes reload too: an object for each, with its `error` or null there.
pub(crate) async fn reload_others(shared: &ServerState) -> Option<Vec<Value>> {
    errors(&shared.options.instances.as_ref()?.reload_others().await?)
}

/// Has the other processes change what they keep in memory too, in the same form.
pub(crate) async fn change_rowstores(shared: &ServerState, query: &str) -> Option<Vec<Value>> {
    errors(&shared.options.instances.as_ref()?.change_rowstores(query.to_owned()).await?)
}

/// Lets the other processes know that a session of the console has ended. They do when it returns.
pub(crate) async fn end_session(shared: &ServerState, id: SessionId) {
    if let Some(instances) = &shared.options.instances {
        // One that does not answer is ending.
        let _ = instances.end_session(id.to_string()).await;
    }
}

/// What has kept each process from doing what it was asked.
fn errors(answers: &Value) -> Option<Vec<Value>> {
    let answers = answers.as_array()?.iter().map(|other| {
        let error = match &other["answer"] {
            Value::Object(answer) => answer.get("error").cloned().unwrap_or_default(),
            _ => "The instance has not answered.".into(),
        };
        let mut said = json!({ "instance": other["instance"], "error": error });
        if let Some(notes) = other["answer"].get("notes") {
            said["notes"] = notes.clone();
        }
        said
    });
    Some(answers.collect())
}

/// What each process reports, with the facts about it.
async fn reports(shared: &ServerState, subject: &'static str) -> Vec<Value> {
    if let Some(instances) = &shared.options.instances
        && let Some(Value::Array(all)) = instances.reports(subject.to_owned()).await
    {
        return all;
    }
    vec![json!({
        "instance": 1,
        "pid": std::process::id(),
        "state": if shared.closes_connections() { "draining" } else { "ready" },
        "uptimeSeconds": shared.started.elapsed().as_secs(),
        "restarts": 0,
        "memoryBytes": resident_bytes(),
        "connections": shared.open_connections(),
        "report": report(shared, subject),
    })]
}

/// The memory that this process has in use, where the system tells.
fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
