//! Resolves applications and their databases for `serve`, `demo` and `explain`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_service::definition::{
    self, DesignMistake, KeyLimits, LiveLimits, Mounts, Origin, ReadLimits, Reread, WebhookLimits,
    WriteLimits,
};

use super::application_data::{self, DataOptions};
use super::demo_folder::DemoFolder;
use super::webhooks;
use crate::application::{self, Application, FILE, Location, Mistakes, process_environment};
use crate::args::{ApplicationFlags, SettingFlags};
use crate::configuration_error::{self, ConfigurationError};
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, note, warn};
use crate::settings::{
    GivenSettings, INSTANCE, Settings, Sources, doubtful_variables, has_own_clients,
    of_process_in_file,
};

/// One application, with everything needed to open it.
#[derive(Debug)]
pub(in crate::commands) struct Resolved {
    /// The served resources.
    pub(in crate::commands) definition: definition::Application,
    /// The database.
    pub(in crate::commands) database: DatabaseUrl,
    /// The settings of the application.
    pub(in crate::commands) settings: Settings,
    /// Whether its file sets clients, so that they are not those of the process.
    pub(in crate::commands) own_clients: bool,
    /// The application's files, where each of its tenants has a database of its own.
    pub(in crate::commands) of_tenants: Option<Application>,
    /// How to reload the application; `None` without an application.
    pub(in crate::commands) origin: Option<Arc<dyn Origin>>,
}

/// The sources of a process.
#[derive(Debug)]
pub(in crate::commands) struct Served {
    /// The applications, at least one, in the order of the arguments.
    pub(in crate::commands) applications: Vec<Resolved>,
    /// The settings of the process; with one application, they are that one's.
    pub(in crate::commands) process: Settings,
    /// Databases created for the run; removed when this is dropped.
    pub(in crate::commands) made: Option<Made>,
    /// Into how many shares limits on all processes together are divided; 1 for a single process.
    pub(in crate::commands) shares: usize,
}

impl Served {
    /// Takes this server's part of what limits all servers together.
    pub(in crate::commands) fn take_part_of_server(&mut self) {
        let settings = self.applications.iter_mut().map(|application| &mut application.settings);
        settings.chain([&mut self.process]).for_each(Settings::take_part_of_server);
    }

    /// Serves with so many workers in each process.
    pub(in crate::commands) fn take_workers(&mut self, workers: NonZeroUsize) {
        let settings = self.applications.iter_mut().map(|application| &mut application.settings);
        settings.chain([&mut self.process]).for_each(|settings| settings.take_workers(workers));
    }

    /// Takes one of so many shares of what limits all processes together.
    pub(in crate::commands) fn share(&mut self, shares: usize) {
        self.shares = shares;
        let settings = self.applications.iter_mut().map(|application| &mut application.settings);
        settings.chain([&mut self.process]).for_each(|settings| settings.share(shares));
    }
}

/// A folder with databases created for the run.
#[derive(Debug)]
pub(in crate::commands) enum Made {
    /// Removed when this is dropped.
    Here(DemoFolder),
    /// By the supervisor, which removes it.
    Before(PathBuf),
}

impl Made {
    pub(in crate::commands) fn path(&self) -> &Path {
        match self {
            Self::Here(folder) => folder.path(),
            Self::Before(path) => path,
        }
    }
}

/// An application or a database from the arguments, before its settings are known.
#[derive(Debug)]
pub(in crate::commands) struct UnresolvedSource {
    /// The application's files; `None` for a database alone.
    location: Option<Location>,
    application: Option<Application>,
    database: DatabaseUrl,
    /// The database, if the application named it.
    named: Option<Vec<String>>,
}

/// What a command line names.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Asked<'a> {
    /// Applications and databases.
    pub(in crate::commands) sources: &'a [String],
    /// The application by a flag.
    pub(in crate::commands) named: &'a ApplicationFlags,
    /// The database of the one application, instead of its own.
    pub(in crate::commands) database: Option<&'a str>,
}

/// Finds applications and databases, and resolves the settings.
///
/// `made` is where databases for the run are already.
pub(in crate::commands) fn resolve(
    asked: &Asked<'_>,
    flags: &SettingFlags,
    made: Option<Made>,
) -> Outcome<Served> {
    let Asked { sources, named, database } = *asked;
    let mut made = made;
    let parts = match sources {
        [] => vec![single(database, named)?],
        [one] if named.is_given() && database.is_none() => vec![single(Some(one), named)?],
        _ if named.is_given() => {
            let message = "With --config or --app, give at most one database.";
            let hint = "Name applications as arguments: `duet serve shop/ music.sqlite`.";
            return Err(ConfigurationError::source(message).hint(hint).into());
        }
        [one] => vec![match of_source(one, database, &mut made)? {
            Some(part) => part.over(database.or(variable(DATABASE).as_deref()))?,
            None if database.is_some() => return Err(no_application(one).into()),
            None => single(Some(one), named)?,
        }],
        [one, ..] if database.is_some() => return Err(no_application(one).into()),
        several => several.iter().map(|source| part(source, &mut made)).collect::<Outcome<_>>()?,
    };
    served(parts, flags, made)
}

/// `--database` beside anything but one application.
fn no_application(source: &str) -> ConfigurationError {
    let message = "--database is for one application, whose database it takes the place of.";
    let hint = format!("Leave --database out, or {source:?} and all behind it.");
    ConfigurationError::source(message).hint(hint)
}

/// The variable of the database.
const DATABASE: &str = "DUET_DATABASE";

/// A variable that is not empty.
fn variable(name: &str) -> Option<String> {
    process_environment(name).filter(|text| !text.is_empty())
}

/// One application, or one database, by the flags, the environment or the current folder.
fn single(database: Option<&str>, named: &ApplicationFlags) -> Outcome<UnresolvedSource> {
    let from_environment = variable(DATABASE);
    let database = database.or(from_environment.as_deref());
    let location = location(database, named)?;
    let application = match &location {
        Some(location) => Some(location.read(&process_environment)?),
        None => None,
    };
    let found = self::database(database, application.as_ref())?;
    let named = match database {
        None => application.as_ref().and_then(|application| application.database.clone()),
        Some(_) => None,
    };
    Ok(UnresolvedSource {
        location,
        application,
        database: found,
        named: named.map(|given| given.value),
    })
}

/// One of several: an application, or a database.
fn part(source: &str, made: &mut Option<Made>) -> Outcome<UnresolvedSource> {
    if let Some(part) = of_source(source, None, made)? {
        return Ok(part);
    }
    let database = DatabaseUrl::read(source, Path::new(""))?;
    Ok(UnresolvedSource { location: None, application: None, database, named: None })
}

/// The application of an argument, if it is one: a folder, an `app.toml`, or the name of a built-in
/// application, which gets a database for the run. `given` is the database of an application that names none.
fn of_source(
    source: &str,
    given: Option<&str>,
    made: &mut Option<Made>,
) -> Outcome<Option<UnresolvedSource>> {
    let path = Path::new(source);
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let on_disk = path.is_dir() || (is_toml && !source.contains("://"));
    let location = match Location::built_in(source) {
        _ if on_disk => Location::on_disk(path),
        Ok(location) if !path.exists() => location,
        _ => return Ok(None),
    };
    let application = location.read(&process_environment)?;
    let (database, named) = match of_application(&application) {
        Some(database) => {
            (database?, application.database.as_ref().map(|given| given.value.clone()))
        }
        None if on_disk => match given.map(str::to_owned).or_else(|| variable(DATABASE)) {
            Some(database) => (DatabaseUrl::read(&database, Path::new(""))?, None),
            None => return Err(which_database(Some(&application)).into()),
        },
        None => (sample(&application, made)?, None),
    };
    Ok(Some(UnresolvedSource {
        location: Some(location),
        application: Some(application),
        database,
        named,
    }))
}

/// A database for the run with the tables and data of a built-in application.
fn sample(application: &Application, made: &mut Option<Made>) -> Outcome<DatabaseUrl> {
    let folder = match made {
        Some(folder) => folder,
        None => made.insert(Made::Here(DemoFolder::make()?)),
    };
    loaded_in(folder.path(), application)
}

/// The SQLite file of an application in a folder; loaded if it does not exist.
pub(in crate::commands) fn loaded_in(
    folder: &Path,
    application: &Application,
) -> Outcome<DatabaseUrl> {
    let path = folder.join(format!("{}.sqlite", application.definition.name));
    let (is_new, database) = (!path.exists(), DatabaseUrl::file(path)?);
    if is_new {
        application_data::into(application, &database, &DataOptions::default())?;
    }
    Ok(database)
}

/// An application over a database, for a command that serves nothing.
///
/// # Errors
/// If a setting in its file is wrong.
pub(in crate::commands) fn alone(
    application: Application,
    database: DatabaseUrl,
) -> Outcome<Resolved> {
    UnresolvedSource::of(application, database).resolve(&GivenSettings::new(), false)
}

impl UnresolvedSource {
    /// A built-in application over a database.
    pub(in crate::commands) fn of(application: Application, database: DatabaseUrl) -> Self {
        Self { location: None, application: Some(application), database, named: None }
    }

    /// The same over another database, if one is given.
    fn over(self, database: Option<&str>) -> Outcome<Self> {
        match database {
            None => Ok(self),
            Some(text) => {
                let database = DatabaseUrl::read(text, Path::new(""))?;
                Ok(Self { database, named: None, ..self })
            }
        }
    }

    /// Says that the clients of the process are not those of one of several applications, which has a file of its own.
    fn tell_own_state(&self, flags: &GivenSettings) {
        let is_given = flags.contains_key("state") || variable("DUET_STATE").is_some();
        if let Some(application) = self.application.as_ref().filter(|_| is_given)
            && application.settings.contains_key("state")
        {
            let name = &application.definition.name;
            note(&format!("--state (DUET_STATE) is not for {name}: its app.toml has `state`."));
        }
    }

    /// Its settings and resources. One of `several` applications may not set those of the process
    /// in its file.
    fn resolve(self, flags: &GivenSettings, several: bool) -> Outcome<Resolved> {
        let Self { location, application, database, named } = self;
        let none = GivenSettings::new();
        let file = application.as_ref().map_or(&none, |application| &application.settings);
        if several {
            check_file(file, flags)?;
        }
        // The clients in a file are the application's own; those of the process are for the
        // applications without any.
        let own_state = several && file.contains_key("state");
        let own_clients = has_own_clients(file);
        let flags: GivenSettings =
            flags.clone().into_iter().filter(|(name, _)| !own_state || *name != "state").collect();
        let view = View { flags, own_state };
        let settings = view.settings(file)?;
        let of_tenants = application
            .as_ref()
            .filter(|application| application.definition.mounts.tenants().is_some())
            .cloned();
        let definition = match application {
            Some(application) => application.definition,
            None => ad_hoc(&database, several)?,
        };
        let definition = with_limits(definition, &settings);
        webhooks::check_declared(&definition, &settings)?;
        let has_events = webhooks::declares_events(&definition);
        let origin = location.map(|location| -> Arc<dyn Origin> {
            Arc::new(Files {
                location,
                view,
                settings: settings.clone(),
                database: named,
                has_events,
            })
        });
        Ok(Resolved { definition, database, settings, own_clients, of_tenants, origin })
    }
}

/// The sources of a process, from their parts.
pub(in crate::commands) fn served(
    parts: Vec<UnresolvedSource>,
    flags: &SettingFlags,
    made: Option<Made>,
) -> Outcome<Served> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    // Instances leave that to their supervisor.
    let doubtful = match variable(INSTANCE) {
        Some(_) => Vec::new(),
        None => doubtful_variables(names),
    };
    for (name, near) in doubtful {
        warn(&format!("the environment variable {name} is no setting; did you mean {near}?"));
    }
    let several = parts.len() > 1;
    if several && variable(INSTANCE).is_none() {
        parts.iter().for_each(|part| part.tell_own_state(flags.given()));
    }
    let applications: Vec<Resolved> = parts
        .into_iter()
        .map(|part| part.resolve(flags.given(), several))
        .collect::<Outcome<_>>()?;
    let process = match &applications[..] {
        [only] => only.settings.clone(),
        _ => {
            let view = View { flags: flags.given().clone(), own_state: false };
            view.settings(&GivenSettings::new())?
        }
    };
    Ok(Served { applications, process, made, shares: 1 })
}

/// Rejects settings of the process in the file of one of several applications.
fn check_file(file: &GivenSettings, flags: &GivenSettings) -> configuration_error::Result<()> {
    let found = of_process_in_file(file, flags, &process_environment).into_iter();
    ConfigurationError::all_of(found.map(|(setting, origin)| {
        let (name, flag) = (setting.name, setting.flag());
        let message = format!(
            "{origin}: `{name}` is a setting of the process, and this process has several applications."
        );
        let hint = format!("Give it as --{flag} or {}, which counts for all.", setting.variable());
        ConfigurationError::setting(message).hint(hint)
    }))
}

/// The sources of an application's settings, besides its file.
#[derive(Debug)]
struct View {
    flags: GivenSettings,
    /// Whether the file alone sets the location of clients.
    own_state: bool,
}

impl View {
    fn settings(&self, file: &GivenSettings) -> configuration_error::Result<Settings> {
        let environment = |name: &str| match name {
            "DUET_STATE" if self.own_state => None,
            _ => process_environment(name),
        };
        Settings::resolve(&Sources { flags: &self.flags, environment: &environment, file })
    }
}

/// The files of a served application, and the values that the start took from them.
#[derive(Debug)]
struct Files {
    location: Location,
    view: View,
    settings: Settings,
    /// The database, if the application named it.
    database: Option<Vec<String>>,
    /// Whether it had webhooks or views with NOTIFY: only then does the process send and remove events.
    has_events: bool,
}

impl Origin for Files {
    fn read(&self) -> duet_model::Result<Reread> {
        let read = self.location.read(&process_environment);
        let application = read.map_err(mistaken)?;
        let settings = self.view.settings(&application.settings).map_err(mistaken)?;
        let changed = settings.changed_since(&self.settings);
        let mut notes: Vec<String> =
            changed.map(|(name, origin)| from_next_start(name, &origin.to_string())).collect();
        let database = application.database.as_ref();
        if let (Some(before), Some(now)) = (&self.database, database)
            && *before != now.value
        {
            notes.push(from_next_start("database", &now.origin.to_string()));
        }
        let application = with_limits(application.definition, &settings);
        webhooks::check_declared(&application, &settings).map_err(mistaken)?;
        if !self.has_events && webhooks::declares_events(&application) {
            let note =
                "The first `[[webhook]]` and the first NOTIFY take effect at the next start.";
            notes.push(note.to_owned());
        }
        Ok(Reread { application, notes })
    }

    fn draft(&self, file: &str, text: &str) -> Result<definition::Application, Vec<DesignMistake>> {
        let read = self.location.read_with(file, text, &process_environment);
        let application = read.map_err(Mistakes::into_design)?;
        let settings = self.view.settings(&application.settings);
        let settings = settings.map_err(|error| Mistakes::Unreadable(error).into_design())?;
        Ok(with_limits(application.definition, &settings))
    }

    fn stored(&self, file: &str) -> duet_model::Result<Option<String>> {
        Ok(self.location.stored(file)?)
    }

    fn store(&self, file: &str, text: &str) -> duet_model::Result<()> {
        Ok(self.location.store(file, text)?)
    }
}

/// The error of a reload that found mistakes.
fn mistaken(found: impl Into<ConfigurationError>) -> duet_model::Error {
    definition::mistaken(found.into().into_errors())
}

/// An application with the limits that settings give.
fn with_limits(
    application: definition::Application,
    settings: &Settings,
) -> definition::Application {
    definition::Application {
        limits: limits(settings),
        write_limits: write_limits(settings),
        webhook_limits: webhook_limits(settings),
        answers_as: settings.compat.value,
        ..application
    }
}

fn from_next_start(name: &str, origin: &str) -> String {
    format!("`{name}` has changed ({origin}): it takes effect at the next start.")
}

/// Arguments take precedence over the environment; without either, `app.toml` in the current folder
/// is used if no database is given.
fn location(database: Option<&str>, named: &ApplicationFlags) -> Outcome<Option<Location>> {
    if let Some(path) = &named.config {
        return Ok(Some(Location::on_disk(path)));
    }
    if let Some(name) = &named.app {
        return Ok(Some(built_in(name, "--config")?));
    }
    if let Some(path) = variable("DUET_CONFIG") {
        return Ok(Some(Location::on_disk(Path::new(&path))));
    }
    if let Some(name) = variable("DUET_APP") {
        return Ok(Some(built_in(&name, "DUET_CONFIG")?));
    }
    let here = database.is_none() && application::is_here(Path::new(""));
    Ok(here.then(|| Location::on_disk(Path::new(FILE))))
}

/// The built-in application of this name; `config` is how a file is named.
fn built_in(name: &str, config: &str) -> configuration_error::Result<Location> {
    let path = Path::new(name);
    let is_path = path.exists() || name.contains('/') || name.ends_with(".toml");
    Location::built_in(name).map_err(|error| match is_path {
        true => {
            let message = format!("{name:?} is a path, and no name of a built-in application.");
            let equals = if config.starts_with('-') { " " } else { "=" };
            ConfigurationError::source(message)
                .hint(format!("Name an application on disk by `{config}{equals}{name}`."))
        }
        false => error,
    })
}

/// The given database, or else the application's.
fn database(named: Option<&str>, application: Option<&Application>) -> Outcome<DatabaseUrl> {
    if let Some(named) = named {
        return Ok(DatabaseUrl::read(named, Path::new(""))?);
    }
    match (application.and_then(of_application), application) {
        (Some(database), _) => Ok(database?),
        (None, Some(_)) => Err(which_database(application).into()),
        (None, None) => Ok(the_only_one(Path::new("."))?),
    }
}

/// Names of databases that an error lists.
const LISTED: usize = 10;

/// The one SQLite file of a folder.
///
/// # Errors
/// Where there is none, or several: which ones.
fn the_only_one(folder: &Path) -> duet_model::Result<DatabaseUrl> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<String> = entries
        .filter(|entry| is_sqlite(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    files.sort();
    match &files[..] {
        [] => Err(which_database(None).into()),
        [one] => DatabaseUrl::read(&format!("sqlite:{one}"), Path::new("")),
        several => {
            let (first, more) = several.split_at(several.len().min(LISTED));
            let more =
                if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            let message =
                format!("Which database is to be served? Here are {}{more}.", first.join(", "));
            let hint = format!("Name it, as in `duet serve {}`.", first[0]);
            Err(ConfigurationError::source(message).hint(hint).into())
        }
    }
}

/// Whether a file begins as SQLite's do (its file format, §1.3).
fn is_sqlite(path: &Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; 16];
    // To open a pipe waits for its other end.
    if !path.metadata().is_ok_and(|it| it.is_file()) {
        return false;
    }
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"SQLite format 3\0"
}

/// The error if an application has no database, or nothing is given at all.
fn which_database(application: Option<&Application>) -> ConfigurationError {
    let message = match application {
        Some(application) => {
            format!("Which database is {:?} to be served from?", application.definition.name)
        }
        None => "Which database is to be served?".to_owned(),
    };
    let hint = "Name it, as in `duet serve music.sqlite`, or as `database` in app.toml; `duet demo` needs none.";
    ConfigurationError::source(message).hint(hint)
}

/// The database that an application names, its path relative to the application's folder.
pub(in crate::commands) fn of_application(
    application: &Application,
) -> Option<duet_model::Result<DatabaseUrl>> {
    let given = application.database.as_ref()?;
    let text = given.value.first()?;
    Some(DatabaseUrl::read(text, application.folder.base()).map_err(|mut error| {
        error.message = format!("{}: {}", given.origin, error.message);
        error
    }))
}

/// The resources of a database without an application.
fn ad_hoc(database: &DatabaseUrl, several: bool) -> duet_model::Result<definition::Application> {
    let name = match several || database.path().is_some() {
        true => database.name()?,
        false => String::new(),
    };
    let name = if name.is_empty() { database.store().to_owned() } else { name };
    let mounts = if several { Mounts::AdHocBelow(name.clone()) } else { Mounts::AdHoc };
    Ok(definition::Application { name, mounts, ..Default::default() })
}

fn limits(settings: &Settings) -> ReadLimits {
    let size = |number: NonZeroUsize| number.get();
    let items = |number: NonZeroUsize| number.get() as u64;
    ReadLimits {
        page_size: items(settings.page_size.value),
        exact_total: items(settings.exact_total.value),
        max_page_size: items(settings.max_page_size.value),
        filter: settings.filter_limits(),
        projections: size(settings.projections.value),
        expand_depth: size(settings.expand_depth.value),
        expand_relations: size(settings.expand_relations.value),
        expand_rows: size(settings.expand_rows.value),
        stream_rows: settings.stream_rows.value.map_or(u64::MAX, items),
        rowstore_max_age: settings.rowstore_max_age.value,
        rowstore_max_lag: settings.rowstore_max_lag.value,
        serve_stale: settings.serve_stale.value,
        live: LiveLimits {
            documents: items(settings.live_documents.value),
            unindexed: size(settings.live_unindexed.value),
            log_bytes: settings.live_log_bytes.value.0,
            memory: settings.live_memory.value.0 as u64,
            retention: settings.live_retention.value,
        },
    }
}

fn write_limits(settings: &Settings) -> WriteLimits {
    WriteLimits {
        depth: settings.body_depth.value.0,
        nodes: settings.body_nodes.value.get(),
        documents: settings.max_changed.value.get(),
        operations: settings.max_operations.value.get(),
        row_bytes: settings.load_row_bytes.value.0,
        load_memory: settings.load_memory.value.0,
        require_etag: settings.require_etag.value,
        ords_statuses: settings.ords_statuses.value,
        keys: KeyLimits {
            ttl: settings.idempotency_ttl.value,
            key_bytes: settings.idempotency_key_bytes.value.get(),
            answer_bytes: settings.idempotency_answer_bytes.value.0,
        },
    }
}

fn webhook_limits(settings: &Settings) -> WebhookLimits {
    WebhookLimits {
        events: settings.webhook_events.value.get(),
        deliveries: settings.webhook_deliveries.value.get(),
        body: settings.webhook_body_bytes.value.0,
        timeout: settings.webhook_timeout.value,
        retention: settings.webhook_retention.value,
        view_events: settings.view_event_retention.value,
        poll: settings.webhook_poll.value,
    }
}

/// The application that a name or a path means.
pub(in crate::commands) fn application(wanted: &str) -> Outcome<Application> {
    Ok(Location::find(wanted)?.read(&process_environment)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::settings::{GivenTexts, Origin, TABLE};

    fn with(name: &'static str, text: &str) -> Option<Settings> {
        let given = GivenTexts { value: vec![text.to_owned()], origin: Origin::Flag(name.into()) };
        let (flags, file) = (BTreeMap::from([(name, given)]), GivenSettings::new());
        Settings::resolve(&Sources { flags: &flags, environment: &|_| None, file: &file }).ok()
    }

    #[test]
    fn each_setting_of_the_process_is_refused_in_a_file() {
        let given = || GivenTexts { value: vec!["1".to_owned()], origin: Origin::Default };
        let file = ["workers", "page_size", "max_connections"].map(|name| (name, given()));
        let flags = GivenSettings::new();
        let refused = check_file(&BTreeMap::from(file), &flags).unwrap_err().into_errors();
        let hints: Vec<_> = refused.into_iter().filter_map(|error| error.hint).collect();
        let named = |hint: &String, flag: &str| hint.starts_with(&format!("Give it as --{flag} "));
        assert!(named(&hints[0], "workers") && named(&hints[1], "max-connections"), "{hints:?}");
        assert_eq!(hints.len(), 2);
    }

    #[test]
    fn the_only_file_of_a_folder_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let found = || the_only_one(folder.path());
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("notes.db", "no database");
        std::fs::create_dir(folder.path().join("old.db")).unwrap();
        assert!(found().unwrap_err().message.ends_with("to be served?"));
        write("b.data", "SQLite format 3\0 and more");
        assert!(found().is_ok_and(|database| database.path().is_some()));
        write("a.db", "SQLite format 3\0");
        assert!(found().unwrap_err().message.ends_with("Here are a.db, b.data."));
    }

    /// A reload applies exactly the settings that it does not report as needing a restart.
    #[test]
    fn a_reload_names_exactly_the_settings_that_it_cannot_change() {
        let nothing = GivenSettings::new();
        let sources = Sources { flags: &nothing, environment: &|_| None, file: &nothing };
        let start = Settings::resolve(&sources).unwrap();
        let mut reloaded = 0;
        for setting in TABLE {
            let switched = if setting.default == "true" { "false" } else { "true" };
            let values = ["7", switched, "7s", "100"].into_iter();
            let Some(changed) = values.filter_map(|text| with(setting.name, text)).next() else {
                continue;
            };
            let in_force = limits(&changed) != limits(&start)
                || write_limits(&changed) != write_limits(&start);
            if changed != start {
                let needs_restart = changed.changed_since(&start).next().is_some();
                assert_eq!(in_force, !needs_restart, "{}", setting.name);
                reloaded += usize::from(in_force);
            }
        }
        assert_eq!(reloaded, 35, "all of them were tried");
    }

    /// The table of the limits of filters has the defaults of the settings.
    #[test]
    fn limits_of_filters_are_settings() {
        let nothing = GivenSettings::new();
        let sources = Sources { flags: &nothing, environment: &|_| None, file: &nothing };
        let start = Settings::resolve(&sources).unwrap();
        assert_eq!(limits(&start).filter, duet_filter::Limits::default());
        for row in duet_filter::LIMITS {
            let changed = with(row.setting, "77").unwrap();
            assert_eq!(row.of(&limits(&changed).filter), 77, "{}", row.setting);
        }
    }
}
