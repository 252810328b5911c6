//! What happens in a server, as events, times and numbers.

pub(crate) mod capture;
pub(crate) mod commit_metrics;
mod counters;
pub(crate) mod event;
pub(crate) mod latencies;
pub(crate) mod metrics;
mod queue_metrics;
pub(crate) mod reloads;
pub(crate) mod routes;
mod rowstore_metrics;
pub(crate) mod service_times;
pub(crate) mod stage;
pub(crate) mod standby_metrics;
pub(crate) mod tenant_metrics;
pub(crate) mod trace;
pub(crate) mod turns;
pub(crate) mod webhook_metrics;
