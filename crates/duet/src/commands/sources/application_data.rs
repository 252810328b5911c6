//! The data of an application: its tables and rows, into a database.

use duet_model::Error;
use duet_service::definition::Mounts;
use duet_store::setup::collections;
use duet_store::setup::load::{Load, LoadSource, LoadedRows};
use tempfile::TempDir;

use super::table_scripts::{of_collections, prepare_scripts, scaled, script, tables};
use crate::application::{Application, StorePlan};
use crate::command_error::CommandError;
use crate::configuration_error::ConfigurationError;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::Outcome;

/// Which data of an application are loaded, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct DataOptions<'a> {
    /// The scale, if it was given.
    pub(in crate::commands) scale: Option<u32>,
    /// The profile of the data, if it was given.
    pub(in crate::commands) profile: Option<&'a str>,
    /// Whether tables of the same names are dropped first.
    pub(in crate::commands) replace: bool,
}

/// Loads an application into a database.
///
/// # Errors
/// If the application has nothing for the store, a table is in the way, or a script fails.
pub(in crate::commands) fn into(
    application: &Application,
    database: &DatabaseUrl,
    wanted: &DataOptions<'_>,
) -> Outcome<LoadedRows> {
    let plan = plan(application, database)?;
    let tables = tables(application, None);
    collections::check_dictionaries(database.dialect(), &tables)?;
    // Built-in database files must be on disk to be copied from.
    let folder = tempfile::tempdir().map_err(Error::internal)?;
    let [tables, indexes] = of_collections(application, database);
    let load = Load {
        sources: [
            tables,
            prepare_scripts(application, database),
            sources(application, plan, wanted, &folder)?,
            indexes,
        ]
        .concat(),
        tables: plan.tables.clone(),
        functions: plan.functions.clone(),
        schema: schema(application),
        replace: wanted.replace,
    };
    warn_of(database)?;
    Ok(crate::runtime::runtime()?.block_on(database.load(&load))?)
}

fn plan<'a>(application: &'a Application, database: &DatabaseUrl) -> Outcome<&'a StorePlan> {
    application.load.of(database.store()).ok_or_else(|| {
        let (name, store) = (&application.definition.name, database.store());
        let message = format!("The application {name:?} has nothing to load into {store}.");
        CommandError::refusal(message).hint(format!("Its app.toml would say so in [load.{store}]."))
    })
}

fn schema(application: &Application) -> Option<String> {
    match &application.definition.mounts {
        Mounts::Declared(mount) => mount.schema.clone(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    }
}

fn sources(
    application: &Application,
    plan: &StorePlan,
    wanted: &DataOptions<'_>,
    folder: &TempDir,
) -> Outcome<Vec<LoadSource>> {
    if let Some(name) = wanted.profile.or(plan.profile.as_deref()) {
        let Some(profile) = plan.profiles.get(name) else {
            return Err(no_profile(application, plan, name));
        };
        let scale = wanted.scale.unwrap_or(profile.scale);
        return Ok(scaled(application, &profile.files, scale)?);
    }
    let mut sources = Vec::new();
    for name in &plan.files {
        sources.push(file(application, name, folder)?);
    }
    let Some(scale) = wanted.scale else { return Ok(sources) };
    if plan.scale.is_empty() {
        let message =
            format!("The application {:?} does not support a scale.", application.definition.name);
        return Err(CommandError::refusal(message).hint("Leave out `--scale`."));
    }
    sources.extend(scaled(application, &plan.scale, scale)?);
    Ok(sources)
}

fn no_profile(application: &Application, plan: &StorePlan, name: &str) -> CommandError {
    let message =
        format!("The application {:?} has no profile {name:?}.", application.definition.name);
    let known: Vec<&str> = plan.profiles.keys().map(String::as_str).collect();
    let without = plan.profile.as_deref().unwrap_or("its usual data");
    CommandError::refusal(message).hint(match known.is_empty() {
        true => "Leave out `--profile`.".to_owned(),
        false => format!("Profiles: {}; without one, {without}.", known.join(", ")),
    })
}

fn file(application: &Application, name: &str, folder: &TempDir) -> Outcome<LoadSource> {
    if name.ends_with(".sql") {
        let text = script(application, name)?;
        return Ok(LoadSource::Script { name: name.to_owned(), text });
    }
    let bytes = application.folder.read(name);
    let bytes = bytes.map_err(|error| ConfigurationError::unreadable(name, error))?;
    let path = folder.path().join(name.replace('/', "-"));
    std::fs::write(&path, bytes).map_err(Error::internal)?;
    Ok(LoadSource::Database(path))
}
