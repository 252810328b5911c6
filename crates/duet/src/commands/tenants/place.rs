//! Which database a command works on: that of the tenant that `--tenant` names, or the application's own.

use duet_model::tenant::TenantName;
use duet_service::definition::{self, Mounts};
use duet_store::setup::tenants::{self, SchemaState};

use super::tenant::absent;
use crate::command_error::CommandError;
use crate::commands::sources::applications::Resolved;
use crate::commands::sources::tenants::{file_of, over, suffix_of};
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::Outcome;

/// The database of a tenant for commands that work on one, and its schema on PostgreSQL.
///
/// # Errors
/// `Setting` if the application has tenants and none is given, or the other way round, or there is no such tenant.
pub(in crate::commands) fn place_of(
    application: &definition::Application,
    database: DatabaseUrl,
    tenant: Option<&TenantName>,
) -> Outcome<(DatabaseUrl, Option<String>)> {
    let wrong = |message: String, hint: &str| Err(CommandError::refusal(message).hint(hint));
    let Some(name) = tenant else {
        if application.mounts.tenants().is_some() {
            let message = format!(
                "Each tenant of the application {:?} has a database of its own.",
                application.name
            );
            return wrong(
                message,
                "`--tenant NAME` names one where a command takes it; `duet tenant upgrade` makes what all of them lack.",
            );
        }
        let schema = match &application.mounts {
            Mounts::Declared(mount) => mount.schema.clone(),
            Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
        };
        return Ok((database, schema));
    };
    if application.mounts.tenants().is_none() {
        let message = format!("The application {:?} has no tenants.", application.name);
        return wrong(message, "Leave out `--tenant`, or set `tenants` in its app.toml.");
    }
    if let Some(folder) = database.path() {
        let file = file_of(folder, name);
        return match file.is_file() {
            true => Ok((database.beside(file), None)),
            false => Err(absent(name)),
        };
    }
    warn_of(&database)?;
    let suffix = suffix_of(application)?;
    match crate::runtime::runtime()?.block_on(database.tenant_state(name, &suffix))? {
        SchemaState::Tenant(_) => Ok((database, Some(tenants::schema_of(name, &suffix)))),
        SchemaState::Absent | SchemaState::Taken(_) | SchemaState::Other => Err(absent(name)),
    }
}

/// An application over the database of one of its tenants, or over its own where it has none.
///
/// # Errors
/// As [`place_of`].
pub(in crate::commands) fn of_tenant(
    resolved: Resolved,
    tenant: Option<&TenantName>,
) -> Outcome<Resolved> {
    let Resolved { definition, database, .. } = resolved;
    let (database, schema) = place_of(&definition, database, tenant)?;
    let definition = match tenant {
        Some(_) => over(definition, schema.as_deref()),
        None => definition,
    };
    Ok(Resolved { definition, database, of_tenants: None, ..resolved })
}
