//! Which application over which database: what `serve`, `check` and `explain` begin with.

use std::num::NonZeroUsize;
use std::path::Path;

use duet_model::{Code, Error};
use duet_service::definition::{self, ReadLimits};

use crate::application::{self, Application, FILE, Location, process_environment};
use crate::args::{SettingFlags, Source};
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, warn};
use crate::settings::{GivenSettings, Settings, Sources, doubtful_variables};

/// Everything that is needed to serve.
#[derive(Debug)]
pub(super) struct Resolved {
    /// What is to be served.
    pub(super) definition: definition::Application,
    /// The database.
    pub(super) database: DatabaseUrl,
    /// The settings in force.
    pub(super) settings: Settings,
}

/// Finds the application and the database, and resolves the settings.
pub(super) fn resolve(source: &Source, flags: &SettingFlags) -> Outcome<Resolved> {
    let application = match location(source)? {
        Some(location) => Some(location.read(&process_environment)?),
        None => None,
    };
    let database = database(source.database.as_deref(), application.as_ref())?;
    with_settings(application, database, flags)
}

/// The same where application and database are known.
pub(super) fn with_settings(
    application: Option<Application>,
    database: DatabaseUrl,
    flags: &SettingFlags,
) -> Outcome<Resolved> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, near) in doubtful_variables(names) {
        warn(&format!("the environment variable {name} is no setting; did you mean {near}?"));
    }
    let none = GivenSettings::new();
    let file = application.as_ref().map_or(&none, |application| &application.settings);
    let sources = Sources { flags: flags.given(), environment: &process_environment, file };
    let settings = Settings::resolve(&sources)?;
    let mut definition = match application {
        Some(application) => application.definition,
        None => definition::Application { name: ad_hoc_name(&database), ..Default::default() },
    };
    definition.limits = limits(&settings);
    Ok(Resolved { definition, database, settings })
}

/// What was typed wins over the environment; without either, `app.toml` in the current folder
/// counts where no database was named.
fn location(source: &Source) -> Outcome<Option<Location>> {
    if let Some(path) = &source.config {
        return Ok(Some(Location::on_disk(path)));
    }
    if let Some(name) = &source.app {
        return Ok(Some(Location::built_in(name)?));
    }
    if let Some(path) = std::env::var_os("DUET_CONFIG").filter(|path| !path.is_empty()) {
        return Ok(Some(Location::on_disk(Path::new(&path))));
    }
    if let Some(name) = std::env::var("DUET_APP").ok().filter(|name| !name.is_empty()) {
        return Ok(Some(Location::built_in(&name)?));
    }
    let here = source.database.is_none() && application::is_here(Path::new(""));
    Ok(here.then(|| Location::on_disk(Path::new(FILE))))
}

/// The database that was named, or else the application's.
fn database(named: Option<&str>, application: Option<&Application>) -> Outcome<DatabaseUrl> {
    if let Some(named) = named {
        return Ok(DatabaseUrl::read(named, Path::new(""))?);
    }
    match application.and_then(of_application) {
        Some(database) => Ok(database?),
        None => {
            let message = "Which database is to be served?";
            let hint = "Name it, as in `duet serve music.sqlite`, or as `database` in app.toml; `duet demo` needs none.";
            Err(Error::new(Code::Setting, message).hint(hint).into())
        }
    }
}

/// The database that an application names, its path relative to the application's folder.
pub(super) fn of_application(application: &Application) -> Option<duet_model::Result<DatabaseUrl>> {
    let given = application.database.as_ref()?;
    let text = given.value.first()?;
    Some(DatabaseUrl::read(text, application.folder.base()).map_err(|mut error| {
        error.message = format!("{}: {}", given.origin, error.message);
        error
    }))
}

fn ad_hoc_name(database: &DatabaseUrl) -> String {
    match database {
        DatabaseUrl::Sqlite(path) => {
            path.file_stem().map_or("sqlite".into(), |stem| stem.to_string_lossy().into_owned())
        }
        DatabaseUrl::Postgres(_) => "postgres".into(),
    }
}

fn limits(settings: &Settings) -> ReadLimits {
    let size = |number: NonZeroUsize| number.get();
    let items = |number: NonZeroUsize| number.get() as u64;
    ReadLimits {
        page_size: items(settings.page_size.value),
        max_page_size: items(settings.max_page_size.value),
        filter: duet_filter::Limits {
            bytes: settings.filter_bytes.value.0,
            depth: size(settings.filter_depth.value),
            nodes: size(settings.filter_nodes.value),
            list: size(settings.filter_list.value),
        },
        projections: size(settings.projections.value),
    }
}

/// The application that a name or a path means.
pub(super) fn application(wanted: &str) -> Outcome<Application> {
    Ok(Location::find(wanted)?.read(&process_environment)?)
}
