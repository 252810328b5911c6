//! What the processes that serve together ask each other about tenants: for a job that another one runs, and to
//! forget a job or what they know of a tenant.
//!
//! A question is the subject of a report: a word, the tenant, and for jobs the id.

use duet_model::tenant::TenantName;
use serde_json::Value;

use crate::processes;
use crate::worker::Shared;

/// Asks for a job.
const JOB: &str = "tenant-job";
/// Has a job forgotten.
const FORGET: &str = "tenant-job-forget";
/// Says that a tenant was made.
const MADE: &str = "tenant-made";
/// Says that a tenant was removed.
const REMOVED: &str = "tenant-removed";

/// What this process says to a question; null if it has nothing to say.
pub(crate) fn answer(shared: &Shared, question: &str) -> Value {
    let mut words = question.split(' ');
    let word = words.next().unwrap_or_default();
    let Some(Ok(tenant)) = words.next().map(str::parse::<TenantName>) else { return Value::Null };
    let mut job = || shared.tenant_jobs.find(words.next()?, &tenant);
    match word {
        JOB => job().map_or(Value::Null, |job| job.json()),
        FORGET => job().is_some_and(|job| shared.tenant_jobs.remove(&job)).into(),
        MADE => {
            let all = shared.applications.all_tenants();
            all.for_each(|(_, tenants)| tenants.forget_unknown(&tenant));
            true.into()
        }
        REMOVED => {
            let all = shared.applications.all_tenants();
            all.for_each(|(_, tenants)| tenants.mark_removed(&tenant));
            true.into()
        }
        _ => Value::Null,
    }
}

/// A job of a tenant, whichever process runs it.
pub(crate) async fn job(shared: &Shared, tenant: &TenantName, id: &str) -> Option<Value> {
    let answers = processes::answers(shared, format!("{JOB} {tenant} {id}")).await;
    answers.into_iter().find(Value::is_object)
}

/// Has the process forget a job that has it; whether one had it.
pub(crate) async fn forget(shared: &Shared, tenant: &TenantName, id: &str) -> bool {
    let answers = processes::answers(shared, format!("{FORGET} {tenant} {id}")).await;
    answers.contains(&true.into())
}

/// Tells all processes that a tenant was made.
pub(crate) async fn made(shared: &Shared, tenant: &TenantName) {
    processes::answers(shared, format!("{MADE} {tenant}")).await;
}

/// Tells all processes that a tenant was removed.
pub(crate) async fn removed(shared: &Shared, tenant: &TenantName) {
    processes::answers(shared, format!("{REMOVED} {tenant}")).await;
}
