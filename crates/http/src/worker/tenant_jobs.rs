//! What is done for tenants in the background, and what came of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use duet_model::tenant::TenantName;
use duet_model::{Code, Error};
use serde_json::{Value, json};
use tokio::sync::watch;

/// How many jobs are remembered; the oldest are forgotten first.
const JOBS: usize = 1_000;

/// The jobs of the process.
#[derive(Debug, Default)]
pub(crate) struct TenantJobs(Mutex<VecDeque<Arc<Job>>>);

/// What is done for a tenant.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) tenant: TenantName,
    pub(crate) attributes: Value,
    /// What came of it, once it has ended: messages, or an error.
    pub(crate) outcome: watch::Sender<Option<Result<Vec<String>, String>>>,
}

impl Job {
    /// The job as clients see it.
    pub(crate) fn json(&self) -> Value {
        let outcome = self.outcome.borrow();
        let mut job = json!({
            "id": self.id,
            "tenant": self.tenant.as_str(),
            "tenantAttributes": self.attributes,
            "complete": outcome.is_some(),
            "messages": [],
        });
        match &*outcome {
            Some(Ok(messages)) => job["messages"] = json!(messages),
            Some(Err(error)) => job["error"] = json!(error),
            None => {}
        }
        job
    }
}

impl TenantJobs {
    /// The job with this id, of this tenant, if this process has it.
    pub(crate) fn find(&self, id: &str, tenant: &TenantName) -> Option<Arc<Job>> {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().find(|job| job.id == id && job.tenant == *tenant).cloned()
    }

    /// Remembers a job.
    pub(crate) fn add(&self, job: &Arc<Job>) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() >= JOBS {
            jobs.pop_front();
        }
        jobs.push_back(Arc::clone(job));
    }

    /// Forgets a job; whether it was known.
    pub(crate) fn remove(&self, job: &Arc<Job>) -> bool {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = jobs.len();
        jobs.retain(|other| !Arc::ptr_eq(other, job));
        jobs.len() < before
    }
}

/// The error of a job that no process has: it was never there, it was forgotten, or its process has ended.
pub(crate) fn no_such_job() -> Error {
    let message = "There is no such job of this tenant.";
    Error::new(Code::NotServed, message).hint(
        "Jobs are in memory, so a restart forgets them. `POST /_/tenant` again makes what is missing, and its job says what that was.",
    )
}
