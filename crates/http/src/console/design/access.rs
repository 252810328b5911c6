//! Who designs what: administrators, the applications of mounts.

use std::sync::Arc;

use duet_service::Service;

use crate::answer::reply::Reply;
use crate::console::visit::Visit;

/// What a caller without the right sees.
pub(super) async fn refused(visit: &Visit<'_>) -> Option<Reply> {
    let called = visit.api().get("/admin/status").await;
    (!called.status.is_success()).then(|| visit.refused(&called))
}

/// Whether files are stored.
pub(super) fn may_store(visit: &Visit<'_>) -> bool {
    visit.options.files && !visit.options.read_only
}

/// The application of a mount.
pub(super) fn service_of<'v>(visit: &'v Visit<'_>, path: &str) -> Option<&'v Arc<Service>> {
    let applications = &visit.arrived.worker.shared.applications;
    applications.find(path).map(|number| &applications.services()[number])
}
