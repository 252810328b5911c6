//! What the processes that serve together ask each other about tenants: for a job that another one runs, and to
//! forget a job or what they know of a tenant. Each answers by `tenant_answer.rs`.

use duet_model::tenant::TenantName;
use serde_json::Value;

use super::reports;
use super::tenant_answer::{FORGET, JOB, MADE, REMOVED};
use crate::worker::ServerState;

/// A job of a tenant, whichever process runs it.
pub(crate) async fn job(shared: &ServerState, tenant: &TenantName, id: &str) -> Option<Value> {
    let answers = reports::answers(shared, format!("{JOB} {tenant} {id}")).await;
    answers.into_iter().find(Value::is_object)
}

/// Has the process forget a job that has it; whether one had it.
pub(crate) async fn forget(shared: &ServerState, tenant: &TenantName, id: &str) -> bool {
    let answers = reports::answers(shared, format!("{FORGET} {tenant} {id}")).await;
    answers.contains(&true.into())
}

/// Tells all processes that a tenant was made.
pub(crate) async fn made(shared: &ServerState, tenant: &TenantName) {
    reports::answers(shared, format!("{MADE} {tenant}")).await;
}

/// Tells all processes that a tenant was removed.
pub(crate) async fn removed(shared: &ServerState, tenant: &TenantName) {
    reports::answers(shared, format!("{REMOVED} {tenant}")).await;
}
