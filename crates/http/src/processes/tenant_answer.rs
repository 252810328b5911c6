//! What this process says to the questions that processes which serve together ask each other about tenants.
//!
//! A question is the subject of a report: a word, the tenant, and for jobs the id.

use duet_model::tenant::TenantName;
use serde_json::Value;

use crate::worker::ServerState;

/// Asks for a job.
pub(crate) const JOB: &str = "tenant-job";

/// Has a job forgotten.
pub(crate) const FORGET: &str = "tenant-job-forget";

/// Says that a tenant was made.
pub(crate) const MADE: &str = "tenant-made";

/// Says that a tenant was removed.
pub(crate) const REMOVED: &str = "tenant-removed";

/// What this process says to a question; null if it has nothing to say.
pub(crate) fn answer(shared: &ServerState, question: &str) -> Value {
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
