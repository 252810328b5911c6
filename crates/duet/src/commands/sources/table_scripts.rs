//! The scripts and tables that an application needs in a database, for `duet load`, `duet collection` and tenants.

use duet_model::{CollectionTable, Result};
use duet_service::definition::Mounts;
use duet_store::setup::collections;
use duet_store::setup::load::{Load, LoadSource};
use duet_store::setup::migrate::Addition;
use duet_store::setup::migrate::additions::read_additions;

use crate::application::problem::SourceText;
use crate::application::{Application, StorePlan};
use crate::configuration_error::{self, ConfigurationError};
use crate::database_url::DatabaseUrl;

/// The placeholder of the scale in scripts.
const SCALE: &str = "{scale}";

/// The tables of an application's collections.
pub(in crate::commands) fn tables(
    application: &Application,
    schema: Option<&str>,
) -> Vec<CollectionTable> {
    match &application.definition.mounts {
        Mounts::Declared(mount) => mount.collections.iter().map(|one| one.table(schema)).collect(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => Vec::new(),
    }
}

/// The scripts that make the tables of the application's collections, and their indexes.
pub(in crate::commands) fn of_collections(
    application: &Application,
    database: &DatabaseUrl,
) -> [Vec<LoadSource>; 2] {
    let tables = tables(application, None);
    if tables.is_empty() {
        return [Vec::new(), Vec::new()];
    }
    let [tables, indexes] = collections::scripts(database.dialect(), tables);
    let source = |name: &str, text| vec![LoadSource::Script { name: name.to_owned(), text }];
    [source("collections", tables), source("indexes of collections", indexes)]
}

/// The application's own scripts for its tables: those for the store, by the end of the name
/// (`NAME.sqlite.sql`), and those for any.
pub(in crate::commands) fn prepare_scripts(
    application: &Application,
    database: &DatabaseUrl,
) -> Vec<LoadSource> {
    let script =
        |one: &SourceText| LoadSource::Script { name: one.name.clone(), text: one.text.clone() };
    of_store(&application.prepare, database).into_iter().map(script).collect()
}

/// What the application's migration files for the store add.
///
/// # Errors
/// `Setting` for statements that do something else.
pub(in crate::commands) fn additions(
    application: &Application,
    database: &DatabaseUrl,
) -> Result<Vec<Addition>> {
    let files = of_store(&application.migrations, database).into_iter();
    let files = files.map(|one| (one.name.as_str(), one.text.as_str()));
    read_additions(&files.collect::<Vec<_>>())
}

/// The files for a store and those for any, by the ends of their names.
fn of_store<'f>(files: &'f [SourceText], database: &DatabaseUrl) -> Vec<&'f SourceText> {
    let others: Vec<String> =
        database.other_stores().map(|store| format!(".{store}.sql")).collect();
    let is_own = |script: &&SourceText| !others.iter().any(|end| script.name.ends_with(end));
    files.iter().filter(is_own).collect()
}

/// What makes an application's tables, with its sample data where they are wanted and there are some.
///
/// # Errors
/// If a file of the application cannot be read.
pub(in crate::commands) fn tenant(
    application: &Application,
    database: &DatabaseUrl,
    sample: bool,
) -> Result<Load> {
    collections::check_dictionaries(database.dialect(), &tables(application, None))?;
    let [tables, indexes] = of_collections(application, database);
    let data = match application.load.of(database.store()).filter(|_| sample) {
        Some(plan) => scripts_of(application, plan)?,
        None => Vec::new(),
    };
    let prepare = prepare_scripts(application, database);
    Ok(Load { sources: [tables, prepare, data, indexes].concat(), ..Load::default() })
}

/// The sample data, which are scripts: other files are databases of tables.
fn scripts_of(
    application: &Application,
    plan: &StorePlan,
) -> configuration_error::Result<Vec<LoadSource>> {
    let profile = plan.profile.as_ref().and_then(|name| plan.profiles.get(name));
    match profile {
        Some(profile) => scaled(application, &profile.files, profile.scale),
        None => {
            let scripts = plan.files.iter().filter(|name| name.ends_with(".sql"));
            scaled(application, &scripts.cloned().collect::<Vec<_>>(), 1)
        }
    }
}

/// Scripts at a scale.
pub(in crate::commands) fn scaled(
    application: &Application,
    names: &[String],
    scale: u32,
) -> configuration_error::Result<Vec<LoadSource>> {
    let source = |name: &String| {
        let text = script(application, name)?.replace(SCALE, &scale.to_string());
        Ok(LoadSource::Script { name: name.clone(), text })
    };
    names.iter().map(source).collect()
}

/// The text of a script of an application.
pub(in crate::commands) fn script(
    application: &Application,
    name: &str,
) -> configuration_error::Result<String> {
    let text = application.folder.read_text(name);
    text.map_err(|error| ConfigurationError::unreadable(name, error))
}
