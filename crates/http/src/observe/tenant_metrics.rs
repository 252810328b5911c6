//! The metrics of tenants: of those that are open, of which there are no more than `open_tenants`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_service::tenants::TenantCounters;
use duet_service::{Applications, Tenant};

/// A counter: its name, its help, and where its value is.
type Counter = (&'static str, &'static str, fn(&TenantCounters) -> &AtomicU64);

const COUNTERS: [Counter; 4] = [
    ("duet_tenant_requests_total", "Answered requests of a tenant since it was opened.", |of| {
        &of.requests
    }),
    ("duet_tenant_failures_total", "Those of them with a status from 500 on.", |of| &of.failures),
    (
        "duet_tenant_refused_total",
        "Requests refused because the tenant had as many as it may have.",
        |of| &of.refused,
    ),
    ("duet_tenant_bytes_total", "Bytes of the bodies of a tenant's responses.", |of| &of.bytes),
];

/// Writes the metrics of all open tenants; `escaped` is how the value of a label is written.
pub(crate) fn render(
    applications: &Applications,
    escaped: impl Fn(&str) -> String,
    out: &mut String,
) {
    let mut lines: Vec<(String, Arc<Tenant>)> = Vec::new();
    for (number, tenants) in applications.all_tenants() {
        let application = escaped(applications.services()[number].name());
        for tenant in tenants.open_ones() {
            let name = tenant.name();
            lines.push((format!("application=\"{application}\",tenant=\"{name}\""), tenant));
        }
    }
    if lines.is_empty() {
        return;
    }
    let mut metric = |(name, kind, help): (&str, &str, &str), value: &dyn Fn(&Tenant) -> String| {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, tenant) in &lines {
            let _ = writeln!(out, "{name}{{{labels}}} {}", value(tenant));
        }
    };
    for (name, help, counter) in COUNTERS {
        metric((name, "counter", help), &|tenant| {
            counter(&tenant.counters).load(Ordering::Relaxed).to_string()
        });
    }
    let seconds = ("duet_tenant_seconds_total", "counter", "How long a tenant's requests took.");
    metric(seconds, &|tenant| {
        let micros = tenant.counters.micros.load(Ordering::Relaxed);
        format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    });
    let active = ("duet_tenant_active_requests", "gauge", "Requests of a tenant under way.");
    metric(active, &|tenant| tenant.active().to_string());
}
