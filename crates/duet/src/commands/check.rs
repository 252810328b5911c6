//! `duet check`: every mistake in an application, explained.

use std::path::Path;

use duet_auth::{Open, State};
use duet_db::Store;
use duet_model::{Catalog, Code};
use duet_service::definition::{self, Mounts, ViewFile};
use duet_service::{Auth, MissingTable, Service};

use super::{database, now, source};
use crate::application::{Application, Location, process_environment};
use crate::args;
use crate::database_url::DatabaseUrl;
use crate::report::{Failure, Outcome, print};
use crate::settings::{GivenSettings, Settings, Sources};

pub(super) fn run(arguments: &args::Check) -> Outcome {
    let application = Location::find(&arguments.app)?
        .read(&process_environment)
        .map_err(|mistakes| Failure::Message(mistakes.render()))?;
    let settings = Settings::resolve(&Sources {
        flags: &GivenSettings::new(),
        environment: &process_environment,
        file: &application.settings,
    })?;
    let named = match &arguments.database {
        Some(text) => Some(DatabaseUrl::read(text, Path::new(""))?),
        None => source::of_application(&application).transpose()?,
    };
    let name = &application.definition.name;
    let Some(database) = named else {
        syntax_of_views(&application)?;
        return print(&format!(
            "{name} has no mistake that can be seen without its database; `--database URL` checks it against one.\n"
        ));
    };
    let runtime = super::runtime()?;
    let report = runtime.block_on(against(&application, &database, &settings, arguments))?;
    print(&report)
}

/// Checks the views as far as possible without tables.
fn syntax_of_views(application: &Application) -> Outcome {
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
    if mistakes.is_empty() { Ok(()) } else { Err(Failure::Message(mistakes.join("\n"))) }
}

fn views(definition: &definition::Application) -> &[ViewFile] {
    match &definition.mounts {
        Mounts::Declared(mount) => &mount.views,
        Mounts::AdHoc | Mounts::AdHocBelow(_) => &[],
    }
}

/// Checks against the tables of a database.
async fn against(
    application: &Application,
    database: &DatabaseUrl,
    settings: &Settings,
    arguments: &args::Check,
) -> Outcome<String> {
    let store = database::open(database, settings).await?;
    let definition = &application.definition;
    let service = open(&store, definition.clone()).await?;
    let snapshot = service.snapshot();
    let count: usize = snapshot.mounts.iter().map(|mount| mount.resources().len()).sum();
    let mut text = String::new();
    for note in &snapshot.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    if !snapshot.without_table.is_empty() {
        text.push_str(&without_tables(&snapshot.without_table, &store, arguments));
        return Err(Failure::Message(text));
    }
    if arguments.strict && !snapshot.notes.is_empty() {
        let count = snapshot.notes.len();
        text.push_str(&format!("error: --strict allows no notes, and there are {count}.\n"));
        return Err(Failure::Message(text));
    }
    text.push_str(&format!("{} fits {}: {count} resources.\n", definition.name, store.describe()));
    Ok(text)
}

/// What is said of collections without tables, and which command makes those.
fn without_tables(missing: &[MissingTable], store: &Store, arguments: &args::Check) -> String {
    let lines = missing.iter().map(|one| format!("  {}: {}\n", one.collection, one.table));
    let app = match arguments.app.strip_suffix("app.toml") {
        Some("") => ".",
        Some(folder) => folder.trim_end_matches('/'),
        None => &arguments.app,
    };
    // A URL may have a password.
    let database = if arguments.database.is_some() { " --database URL" } else { "" };
    format!(
        "error: these collections cannot be served, because {} lacks their tables, or columns of them:\n{}  = hint: `duet collection prepare {app}{database}` makes them.\n",
        store.describe(),
        lines.collect::<String>()
    )
}

async fn open(
    store: &Store,
    definition: definition::Application,
) -> duet_model::Result<std::sync::Arc<Service>> {
    let auth = Auth::in_memory(&State::new(now())?, Open::No);
    Service::open(store.clone(), definition, auth).await
}
