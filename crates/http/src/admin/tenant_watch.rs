//! Looks after open tenants: notices changed schemas, and tenants that were removed by others.

use std::time::Duration;

use duet_service::{Service, Tenants};
use futures_util::future::join_all;

use crate::observe::event::Event;
use crate::worker::ServerState;

/// Shortest time between two looks, however many announcements arrive.
const LEAST: Duration = Duration::from_millis(200);

/// Looks as often as at the schemas of applications, until the server stops.
pub(crate) async fn watch(shared: &ServerState) {
    let each = shared.applications.all_tenants();
    join_all(each.map(|(number, tenants)| of_application(shared, number, tenants))).await;
    // No application has tenants: this must not end the watching.
    std::future::pending::<()>().await;
}

async fn of_application(shared: &ServerState, number: usize, tenants: &Tenants) {
    let service = &shared.applications.services()[number];
    let (poll, mut news) = (shared.options.schema_poll, service.news());
    let mut seen = None;
    loop {
        let pause = poll.pause(news.is_listening());
        news.wait(LEAST.min(poll.polled), pause).await;
        let version = service.store().glance_at_schema().await.ok();
        let open = tenants.open_ones();
        // Tenants of one database are looked at together: nothing has changed where its version has not.
        let is_shared = open.iter().any(|one| one.service().store().is_same(service.store()));
        if open.is_empty() || is_shared && version.is_some() && version == seen {
            continue;
        }
        seen = version;
        if let Err(error) = tenants.close_removed().await {
            shared.events.emit(&Event::SchemaUnreadable(service.name(), &error));
            continue;
        }
        for tenant in tenants.open_ones() {
            reload(shared, tenant.service()).await;
        }
    }
}

async fn reload(shared: &ServerState, service: &Service) {
    match service.reload_if_changed().await {
        Ok(Some(reloaded)) => {
            shared.events.emit(&Event::SchemaChanged(service.name(), &reloaded));
        }
        Ok(None) => {}
        Err(error) => shared.events.emit(&Event::SchemaUnreadable(service.name(), &error)),
    }
}
