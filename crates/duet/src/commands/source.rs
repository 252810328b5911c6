//! Which application over which database: what `serve`, `check` and `explain` begin with.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use duet_model::{Code, Error};
use duet_service::definition::{self, Origin, ReadLimits, Reread, WriteLimits};

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
    /// Where the application is read again; none where there is no application.
    pub(super) origin: Option<Arc<dyn Origin>>,
}

/// Finds the application and the database, and resolves the settings.
pub(super) fn resolve(source: &Source, flags: &SettingFlags) -> Outcome<Resolved> {
    let location = location(source)?;
    let application = match &location {
        Some(location) => Some(location.read(&process_environment)?),
        None => None,
    };
    let named = source.database.is_none().then(|| application.as_ref()?.database.clone()).flatten();
    let database = database(source.database.as_deref(), application.as_ref())?;
    let mut resolved = with_settings(application, database, flags)?;
    resolved.origin = location.map(|location| -> Arc<dyn Origin> {
        let (flags, settings) = (flags.given().clone(), resolved.settings.clone());
        let database = named.map(|given| given.value);
        Arc::new(Files { location, flags, settings, database })
    });
    Ok(resolved)
}

/// The files of an application that is served, and what the start took from them.
#[derive(Debug)]
struct Files {
    location: Location,
    flags: GivenSettings,
    settings: Settings,
    /// The database, where it was the application that named it.
    database: Option<Vec<String>>,
}

impl Origin for Files {
    fn read(&self) -> duet_model::Result<Reread> {
        let read = self.location.read(&process_environment);
        let application = read.map_err(|mistakes| definition::mistaken(mistakes.render()))?;
        let file = &application.settings;
        let sources = Sources { flags: &self.flags, environment: &process_environment, file };
        let settings = Settings::resolve(&sources).map_err(definition::mistaken)?;
        let changed = settings.changed_since(&self.settings);
        let mut notes: Vec<String> =
            changed.map(|(name, origin)| from_next_start(name, &origin.to_string())).collect();
        let database = application.database.as_ref();
        if let (Some(before), Some(now)) = (&self.database, database)
            && *before != now.value
        {
            notes.push(from_next_start("database", &now.origin.to_string()));
        }
        let mut application = application.definition;
        application.limits = limits(&settings);
        application.write_limits = write_limits(&settings);
        Ok(Reread { application, notes })
    }
}

fn from_next_start(name: &str, origin: &str) -> String {
    format!("`{name}` has changed ({origin}): it counts from the next start.")
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
    definition.write_limits = write_limits(&settings);
    Ok(Resolved { definition, database, settings, origin: None })
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
        expand_depth: size(settings.expand_depth.value),
        expand_relations: size(settings.expand_relations.value),
        expand_rows: size(settings.expand_rows.value),
        stream_rows: settings.stream_rows.value.map_or(u64::MAX, items),
    }
}

fn write_limits(settings: &Settings) -> WriteLimits {
    WriteLimits {
        depth: settings.body_depth.value.0,
        nodes: settings.body_nodes.value.get(),
        documents: settings.max_changed.value.get(),
        operations: settings.max_operations.value.get(),
        loads: settings.loads.value.get(),
        row_bytes: settings.load_row_bytes.value.0,
        load_memory: settings.load_memory.value.0,
    }
}

/// The application that a name or a path means.
pub(super) fn application(wanted: &str) -> Outcome<Application> {
    Ok(Location::find(wanted)?.read(&process_environment)?)
}
