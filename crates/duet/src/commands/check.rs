//! `duet check`: every mistake in an application, explained.

use std::path::Path;
use std::sync::Arc;

use duet_auth::{Open, State};
use duet_model::memory::Budget;
use duet_model::promise::Promises;
use duet_model::tenant::TenantName;
use duet_model::unchecked::UncheckedRules;
use duet_model::{Catalog, Code, Error};
use duet_service::advice::distribution::{DistributedResource, Distribution};
use duet_service::definition::{self, Mounts, ViewFile};
use duet_service::tenants::TenantParts;
use duet_service::{Auth, Issuer, MissingTable, Service, Snapshot, TenantSource as _};
use tokio::task::LocalSet;

use super::serve::{options, places};
use super::sources::tenants::TenantDatabases;
use super::sources::{applications, database, table_scripts, webhooks};
use super::tenants::place::place_of;
use super::tenants::tenant::absent;
use crate::application::{Application, Location, ReadablePart, process_environment};
use crate::args;
use crate::command_error::{CommandError, ExitStatus};
use crate::configuration_error::ConfigurationError;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, counted, print, render};
use crate::runtime::now;
use crate::settings::{GivenSettings, KnownSettings, Settings, Sources};

pub(super) fn run(arguments: &args::Check) -> Outcome {
    let Configuration { application, settings, database: named } = Configuration::read(arguments)?;
    let name = &application.definition.name;
    let is_postgres = named.as_ref().is_some_and(|database| database.path().is_none());
    without_engine(arguments, is_postgres)?;
    print(&commented(arguments, skipped_statements(&application.definition)))?;
    print(&commented(arguments, places::untried(&settings)))?;
    let Some(database) = named else {
        check_syntax_of_views(&application)?;
        return print(&format!(
            "{name} has no mistake that can be seen without its database; `--database URL` checks it against one.\n"
        ));
    };
    // What `duet migrate` would refuse.
    table_scripts::additions(&application, &database)?;
    if application.definition.mounts.tenants().is_some() {
        return of_tenants(&application, database, settings, arguments);
    }
    // Refuses a tenant that is named where there are none.
    let (database, _) = place_of(&application.definition, database, arguments.tenants.first())?;
    let runtime = crate::runtime::runtime()?;
    let report = runtime.block_on(async {
        let store = database::open_with(&database, &settings, 0, &Budget::unlimited()).await?;
        let auth = auth(&settings)?;
        let service = Service::open(store, application.definition.clone(), auth).await?;
        options::check_paths(&settings, &Arc::clone(&service).into())?;
        if webhooks::has_events(&service) {
            let check = webhooks::check_database(&service);
            LocalSet::new().run_until(check).await.map(drop)?;
        }
        fits(&service, None, arguments)
    })?;
    print(&report)
}

/// An application and its settings, without mistakes that can be seen without its database.
struct Configuration {
    application: Application,
    settings: Settings,
    database: Option<DatabaseUrl>,
}

impl Configuration {
    /// Reads them.
    ///
    /// # Errors
    /// All mistakes at once. One that would depend on a value that is none is left out.
    fn read(arguments: &args::Check) -> Outcome<Self> {
        let read = Location::find(&arguments.app)?.read(&process_environment);
        let (readable, text) = match read {
            Ok(application) => {
                (ReadablePart { application, unreadable: Vec::new() }, String::new())
            }
            Err(mistakes) => {
                let text = mistakes.render();
                match mistakes.into_readable() {
                    Some(readable) => (readable, text),
                    None => return Err(CommandError::failed(text)),
                }
            }
        };
        let ReadablePart { application, unreadable } = readable;
        let sources = Sources {
            flags: &GivenSettings::new(),
            environment: &process_environment,
            file: &application.settings,
        };
        let known = Settings::known(&sources, &unreadable)?;
        let database = match &arguments.database {
            Some(text) => Some(DatabaseUrl::read(text, Path::new(""))),
            None => applications::of_application(&application),
        };
        let database = database.transpose();
        let mut wrong = seen(&application, &known);
        match database {
            Ok(database) if wrong.is_empty() && text.is_empty() => {
                return Ok(Self { application, settings: known.settings, database });
            }
            Ok(_) => {}
            Err(error) => wrong.push(error),
        }
        Err(all_mistakes(&application, text, &wrong))
    }
}

/// The mistakes of settings, and those that need them.
fn seen(application: &Application, known: &KnownSettings) -> Vec<Error> {
    let KnownSettings { settings, unknown, mistakes } = known;
    let mut wrong = mistakes.clone();
    if !unknown.iter().any(|name| webhooks::REACH.contains(name)) {
        wrong.extend(webhooks::check_declared(&application.definition, settings).err());
    }
    let mut wrong: Vec<Error> =
        wrong.into_iter().flat_map(ConfigurationError::into_errors).collect();
    wrong.extend(options::check_files(settings).err());
    wrong
}

/// The mistakes in an application's own texts, and all others behind them.
fn all_mistakes(application: &Application, mut text: String, wrong: &[Error]) -> CommandError {
    let views = syntax_of_views(application);
    // One may be several.
    let wrong = wrong.iter().flat_map(Error::mistakes).cloned().collect();
    match Error::all_of(wrong) {
        Some(error) if text.is_empty() && views.is_empty() => return error.into(),
        Some(error) => {
            let separator = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{separator}{}", render(&error)));
        }
        None => {}
    }
    if !views.is_empty() {
        text.push_str(&format!("\n{}", views.join("\n")));
    }
    CommandError::failed(text)
}

/// Checks against the databases of tenants: those that are named, or all.
fn of_tenants(
    application: &Application,
    database: DatabaseUrl,
    settings: Settings,
    arguments: &args::Check,
) -> Outcome {
    let (definition, runtime) = (application.definition.clone(), crate::runtime::runtime()?);
    let auth = Arc::new(auth(&settings)?);
    // Each tenant has a file of its own, or all share the database.
    let shared = match database.path() {
        Some(_) => None,
        None => Some(runtime.block_on(database::open(&database, &settings))?),
    };
    let databases = TenantDatabases::new(application.clone(), definition, database, settings)?;
    let databases = match &shared {
        Some(store) => databases.served(store, &Budget::unlimited(), None),
        None => databases,
    };
    let known = databases.list()?;
    let names = match &arguments.tenants[..] {
        [] => known.keys().cloned().collect(),
        given => given.to_vec(),
    };
    if names.is_empty() {
        check_syntax_of_views(application)?;
        let name = &application.definition.name;
        return print(&format!(
            "{name} has no mistake that can be seen without a tenant; `duet tenant create` makes one.\n"
        ));
    }
    let (mut text, mut failed) = (String::new(), Vec::new());
    for (number, name) in names.iter().enumerate() {
        let checked = match known.contains_key(name) {
            true => {
                let opened = tenant(&databases, name, number, &auth);
                let opened = runtime.block_on(opened).map_err(CommandError::from);
                opened.and_then(|service| fits(&service, Some(name), arguments))
            }
            false => Err(absent(name)),
        };
        match checked {
            Ok(report) => text.push_str(&report),
            Err(CommandError::Ended(ExitStatus::Failed, mistakes)) => failed.push((name, mistakes)),
            Err(other) => failed.push((name, render(&other.coded()?))),
        }
    }
    print(&text)?;
    match failed.is_empty() {
        true => Ok(()),
        false => Err(CommandError::failed(misfits(&failed, names.len()))),
    }
}

/// What is served of a tenant.
async fn tenant(
    databases: &TenantDatabases,
    name: &TenantName,
    number: usize,
    auth: &Arc<Auth>,
) -> duet_model::Result<Arc<Service>> {
    let TenantParts { store, application, .. } = databases.open(name)?;
    Service::open_tenant(store, application, None, Arc::clone(auth), number + 1).await
}

/// The mistakes of each tenant that has some, and how many have.
fn misfits(failed: &[(&TenantName, String)], count: usize) -> String {
    let mut text = String::new();
    for (name, mistakes) in failed {
        text.push_str(&format!("Tenant {name}:\n{}\n", mistakes.trim_end()));
    }
    let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
    let tenants = if count == 1 { "tenant" } else { "tenants" };
    text.push_str(&format!(
        "error: {} of {count} {tenants} cannot be served as declared: {}.\n",
        failed.len(),
        names.join(", ")
    ));
    text
}

/// Checks the views as far as possible without tables.
fn check_syntax_of_views(application: &Application) -> Outcome {
    let mistakes = syntax_of_views(application);
    if mistakes.is_empty() { Ok(()) } else { Err(CommandError::failed(mistakes.join("\n"))) }
}

/// The mistakes of views that can be seen without tables.
fn syntax_of_views(application: &Application) -> Vec<String> {
    let mut mistakes = Vec::new();
    for file in views(&application.definition) {
        let source = duet_duality::DefinitionFile::new(file.name.clone(), file.text.clone());
        let found = duet_duality::compile(&source, &Catalog::default(), &Default::default());
        let syntax = found
            .err()
            .unwrap_or_default()
            .into_iter()
            .filter(|diagnostic| matches!(diagnostic.code, Code::ViewSyntax | Code::ViewLimit));
        mistakes.extend(syntax.map(|diagnostic| duet_duality::render(&diagnostic, &source)));
    }
    mistakes
}

/// What the files of views have beside views, a line each.
fn skipped_statements(definition: &definition::Application) -> String {
    let mut text = String::new();
    for file in views(definition) {
        let source = duet_duality::DefinitionFile::new(file.name.clone(), file.text.clone());
        for one in duet_duality::skipped(&source) {
            let line = |offset| source.position(offset).0;
            let (first, last) = (line(one.span.start), line(one.span.end));
            let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
            text.push_str(&format!("skipped: {}:{lines}: {}\n", source.name, one.kind));
        }
    }
    text
}

fn views(definition: &definition::Application) -> &[ViewFile] {
    match &definition.mounts {
        Mounts::Declared(mount) => &mount.views,
        Mounts::AdHoc | Mounts::AdHocBelow(_) => &[],
    }
}

/// What each resource promises whose tables the engine spreads over machines, a line each.
fn promises(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    for resource in snapshot.resources() {
        let Some(promises) = Promises::of(&resource.shape) else { continue };
        let kept: Vec<&str> =
            (promises.all()).filter_map(|(words, is_kept)| is_kept.then_some(words.name)).collect();
        let line =
            format!("promise: {}: {}. {}", resource.name, kept.join(", "), promises.broken());
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// What the database does not check of each resource, a line each.
fn unchecked(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    for resource in snapshot.resources().filter(|one| one.service.is_none()) {
        if let Some(unchecked) = UncheckedRules::of(&resource.shape) {
            text.push_str(&format!("unchecked: {}: {}\n", resource.name, unchecked.sentences()));
        }
    }
    text
}

/// Whether what is declared fits the tables of a database, or of a tenant's.
fn fits(
    service: &Service,
    tenant: Option<&TenantName>,
    arguments: &args::Check,
) -> Outcome<String> {
    let (snapshot, store) = (service.snapshot(), service.store());
    let count: usize = snapshot.mounts.iter().map(|mount| mount.resources().len()).sum();
    let served = counted(count, "resource");
    let mut text = String::new();
    for note in &snapshot.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    if !snapshot.without_table.is_empty() {
        let place = tenant.map_or_else(|| store.describe(), |name| format!("the tenant {name}"));
        let command = tenant.map_or("collection prepare", |_| "tenant upgrade");
        let missing = &snapshot.without_table;
        text.push_str(&without_tables(missing, &place, command, arguments));
        return Err(CommandError::failed(text));
    }
    for remark in &snapshot.remarks {
        text.push_str(&format!("remark: {}\n", remark.text.replace('\n', "\n  ")));
    }
    text.push_str(&promises(&snapshot));
    text.push_str(&unchecked(&snapshot));
    if arguments.strict && !snapshot.notes.is_empty() {
        let count = snapshot.notes.len();
        text.push_str(&format!("error: --strict allows no notes, and there are {count}.\n"));
        return Err(CommandError::failed(text));
    }
    let place = match tenant {
        Some(name) => format!("tenant {name}"),
        None => store.describe(),
    };
    text.push_str(&format!("{} fits {place}: {served}.\n", service.name()));
    let mut text = commented(arguments, text);
    if let Some(args::DistributingEngine::Citus) = arguments.engine {
        text.push_str(&distribution(service, &snapshot));
    }
    Ok(text)
}

/// A report as it is, or as comments of a script.
fn commented(arguments: &args::Check, report: String) -> String {
    match arguments.engine {
        Some(_) => report.lines().map(|line| format!("-- {line}\n")).collect(),
        None => report,
    }
}

/// How Citus may distribute the tables, as a script.
fn distribution(service: &Service, snapshot: &Snapshot) -> String {
    let application = service.application();
    let declares_key = |name: &str| match &application.mounts {
        Mounts::Declared(mount) => {
            mount.resources.iter().any(|one| one.name == name && !one.key.is_empty())
        }
        Mounts::AdHoc | Mounts::AdHocBelow(_) => false,
    };
    let resources = snapshot.resources().map(|resource| DistributedResource {
        name: &resource.name,
        shape: &resource.shape,
        keeps_key: declares_key(&resource.name),
    });
    let resources: Vec<_> = resources.collect();
    let shapes: Vec<_> = resources.iter().map(|resource| resource.shape).collect();
    Distribution::propose(&shapes).script(service.name(), &resources)
}

/// What has no tables of PostgreSQL has none that Citus could distribute.
fn without_engine(arguments: &args::Check, is_postgres: bool) -> Outcome<()> {
    match arguments.engine {
        Some(_) if !is_postgres => {
            let text = "`--engine citus` proposes how tables of PostgreSQL are distributed.";
            let hint = "Name a PostgreSQL database by `--database`.";
            Err(CommandError::usage(text).hint(hint))
        }
        _ => Ok(()),
    }
}

/// What is said of collections without tables, and which command makes those.
fn without_tables(
    missing: &[MissingTable],
    place: &str,
    command: &str,
    arguments: &args::Check,
) -> String {
    let lines = missing.iter().map(|one| format!("  {}: {}\n", one.collection, one.table));
    let app = match arguments.app.strip_suffix("app.toml") {
        Some("") => ".",
        Some(folder) => folder.trim_end_matches('/'),
        None => &arguments.app,
    };
    // A URL may have a password.
    let database = if arguments.database.is_some() { " --database URL" } else { "" };
    format!(
        "error: these collections cannot be served, because {place} lacks their tables, or columns of them:\n{}  = hint: `duet {command} {app}{database}` makes them.\n",
        lines.collect::<String>()
    )
}

/// No clients, and the tokens and database roles that the settings name.
fn auth(settings: &Settings) -> duet_model::Result<Auth> {
    let issuer = settings.issuer().map(|(issuer, places)| Issuer::new(issuer, places, Open::No));
    let auth = Auth::in_memory(&State::new(now())?, Open::No)
        .with_anonymous_role(settings.anonymous_db_role.value.clone());
    Ok(auth.with_issuer(issuer.transpose()?.map(Arc::new)))
}
