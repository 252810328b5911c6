//! What an application's webhooks and its views with NOTIFY need before it is served.

use std::sync::Arc;

use duet_duality::DefinitionFile;
use duet_http::{WebhookReach, check_webhook_url};
use duet_service::definition::{self, Mounts, ViewFile, Webhook};
use duet_service::{Service, WorkerHandle};

use crate::configuration_error::{ConfigurationError, Result};
use crate::settings::Settings;

/// The webhooks that an application declares.
pub(in crate::commands) fn declared(definition: &definition::Application) -> &[Webhook] {
    match &definition.mounts {
        Mounts::Declared(mount) => &mount.webhooks,
        Mounts::AdHoc | Mounts::AdHocBelow(_) => &[],
    }
}

/// The views of an application with NOTIFY.
pub(in crate::commands) fn notified(definition: &definition::Application) -> Vec<String> {
    let views = match &definition.mounts {
        Mounts::Declared(mount) => &mount.views[..],
        Mounts::AdHoc | Mounts::AdHocBelow(_) => &[],
    };
    let names = |file: &ViewFile| {
        duet_duality::notified(&DefinitionFile::new(file.name.clone(), file.text.clone()))
    };
    views.iter().flat_map(names).collect()
}

/// Whether an application declares something that is recorded in the outbox.
pub(in crate::commands) fn declares_events(definition: &definition::Application) -> bool {
    !declared(definition).is_empty() || !notified(definition).is_empty()
}

/// Whether something of an application is recorded in the outbox.
pub(in crate::commands) fn has_events(service: &Service) -> bool {
    let snapshot = service.snapshot();
    // A standby records nothing.
    !snapshot.webhooks().is_empty() || snapshot.records_views() && !snapshot.standby
}

/// The settings that say where webhooks may be sent.
pub(in crate::commands) const REACH: [&str; 2] = ["webhook_networks", "webhook_http"];

/// Where webhooks may be sent, by the settings in [`REACH`].
pub(in crate::commands) fn reach(settings: &Settings) -> WebhookReach {
    let networks = settings.webhook_networks.value.clone();
    WebhookReach { networks, plain_http: settings.webhook_http.value }
}

/// Checks what can be checked without the database: addresses, and that there are no tenants.
///
/// # Errors
/// `Setting` with every address that is refused.
pub(in crate::commands) fn check_declared(
    definition: &definition::Application,
    settings: &Settings,
) -> Result<()> {
    let webhooks = declared(definition);
    if !webhooks.is_empty() && definition.mounts.tenants().is_some() {
        let message = "An application with `tenants` has no webhooks: each tenant's changes are in a database of its own.";
        return Err(ConfigurationError::setting(message).hint("Leave out `[[webhook]]`."));
    }
    let views =
        if definition.mounts.tenants().is_some() { notified(definition) } else { Vec::new() };
    if !views.is_empty() {
        let message = format!(
            "An application with `tenants` has no views with NOTIFY, which {} has: each tenant's changes are in a database of its own.",
            views.join(", ")
        );
        return Err(ConfigurationError::setting(message).hint("Leave out NOTIFY."));
    }
    let reach = reach(settings);
    ConfigurationError::all_of(webhooks.iter().filter_map(|webhook| {
        let why = check_webhook_url(&webhook.url, &reach).err()?;
        let message = format!("The webhook {:?} cannot be sent to its `url`: {why}.", webhook.name);
        Some(ConfigurationError::setting(message))
    }))
}

/// Checks that the database records changes for every webhook.
///
/// # Errors
/// `Setting` with all that it lacks.
pub(in crate::commands) async fn check_database(
    service: &Arc<Service>,
) -> duet_model::Result<WorkerHandle> {
    let handle = service.attach()?;
    let state = handle.acting(None).webhook_state().await?;
    if !state.lacking.is_empty() {
        let place = service.store().describe();
        let lacking = state.lacking.join("; ");
        let message = format!(
            "{place} does not record changes for the webhooks and views of {}. It lacks {lacking}.",
            service.name()
        );
        let hint = "`duet webhook prepare` makes what they need; `--server-role` grants it.";
        return Err(ConfigurationError::source(message).hint(hint).into());
    }
    for trigger in &state.outdated {
        tracing::warn!(
            trigger,
            "a trigger belongs to a webhook that is not declared any more: `duet webhook prepare` removes it"
        );
    }
    Ok(handle)
}
