//! `duet tenant`: makes, lists, upgrades and deletes the tenants of an application.

use std::path::Path;

use duet_model::tenant::TenantName;
use duet_service::TenantSource as _;
use duet_service::tenants::TenantData;
use serde_json::json;

use crate::application::process_environment;
use crate::args::{TenantAction, TenantPlace};
use crate::command_error::CommandError;
use crate::commands::sources::applications;
use crate::commands::sources::tenants::TenantDatabases;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print};
use crate::settings::{GivenSettings, Settings, Sources};

pub(in crate::commands) fn run(action: &TenantAction) -> Outcome {
    match action {
        TenantAction::Create { of, name, sample } => {
            let databases = databases(of)?;
            let (name, app) = (checked_absent(&databases, name)?, &of.app);
            let made = databases.prepare(name, TenantData { sample: *sample })?;
            print(&format!("Made tenant {name} of {app}: {}.\n", made.join(", ")))
        }
        TenantAction::List { of, json } => list(of, *json),
        TenantAction::Upgrade { of, names } => upgrade(of, names),
        TenantAction::Delete { of, name, purge } => delete(of, name, *purge),
    }
}

/// The databases of an application's tenants.
fn databases(of: &TenantPlace) -> Outcome<TenantDatabases> {
    let application = applications::application(&of.app)?;
    if application.definition.mounts.tenants().is_none() {
        let message = format!("The application {:?} has no tenants.", application.definition.name);
        let hint = "Set `tenants = \"token\"` or `tenants = \"header\"` in its app.toml.";
        return Err(CommandError::refusal(message).hint(hint));
    }
    let database = match &of.database {
        Some(text) => DatabaseUrl::read(text, Path::new(""))?,
        None => applications::of_application(&application).ok_or_else(|| {
            CommandError::refusal("No database is named.")
                .hint("Give it by `--database URL`: for SQLite a folder, `sqlite:FOLDER`.")
        })??,
    };
    let settings = Settings::resolve(&Sources {
        flags: &GivenSettings::new(),
        environment: &process_environment,
        file: &application.settings,
    })?;
    let definition = application.definition.clone();
    Ok(TenantDatabases::new(application, definition, database, settings)?)
}

fn checked_absent<'n>(
    databases: &TenantDatabases,
    name: &'n TenantName,
) -> Outcome<&'n TenantName> {
    if databases.find(name)?.is_some() {
        let message = format!("The tenant {name} exists already. Nothing was made.");
        return Err(CommandError::refusal(message).hint(
            "`duet tenant upgrade` makes what it lacks of the declared tables and indexes.",
        ));
    }
    Ok(name)
}

fn list(of: &TenantPlace, as_json: bool) -> Outcome {
    let names = databases(of)?.list()?;
    if as_json {
        let names: Vec<&str> = names.keys().map(TenantName::as_str).collect();
        return print(&format!("{:#}\n", json!(names)));
    }
    match names.is_empty() {
        true => print("There are no tenants.\n"),
        false => print(&names.keys().map(|name| format!("{name}\n")).collect::<String>()),
    }
}

fn upgrade(of: &TenantPlace, names: &[TenantName]) -> Outcome {
    let databases = databases(of)?;
    let names = match names {
        [] => databases.list()?.into_keys().collect(),
        names => names.to_vec(),
    };
    for name in &names {
        if databases.find(name)?.is_none() {
            return Err(absent(name));
        }
        let made = databases.prepare(name, TenantData::default())?;
        match made.is_empty() {
            true => print(&format!("The tenant {name} has everything already.\n"))?,
            false => print(&format!("Made in tenant {name}: {}.\n", made.join(", ")))?,
        }
    }
    Ok(())
}

fn delete(of: &TenantPlace, name: &TenantName, purge: bool) -> Outcome {
    let databases = databases(of)?;
    if databases.find(name)?.is_none() {
        return Err(absent(name));
    }
    if !purge {
        let message = "Nothing was removed: a deleted tenant has no rows.";
        let hint = "Say `--purge` to drop its file or schema with all its rows.";
        return Err(CommandError::refusal(message).hint(hint));
    }
    databases.remove(name)?;
    print(&format!("Removed tenant {name} with all its rows.\n"))
}

/// The error of a name that is no tenant's.
pub(in crate::commands) fn absent(name: &TenantName) -> CommandError {
    CommandError::refusal(format!("There is no tenant {name}."))
        .hint("`duet tenant list` lists them.")
}
