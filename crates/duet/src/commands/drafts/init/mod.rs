//! `duet init`: writes an application for a database: its `app.toml`, and drafts of duality views.

mod config;
pub(in crate::commands) mod names;
mod views;

use std::path::{Path, PathBuf};

use duet_model::{Catalog, Relation, RelationKind, Result};

use super::new_file;
use crate::application::process_environment;
use crate::args::Init;
use crate::command_error::CommandError;
use crate::commands::sources::database;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, counted, print};
use crate::settings::{GivenSettings, Settings, Sources};
use config::Config;
use names::snake_case;
use views::Draft;

/// The folder of the drafts, below that of the application.
const VIEWS: &str = "views";
/// What helps where the folder has such files.
const OTHER_FOLDER: &str = "Name another folder: `duet init DATABASE FOLDER`.";

pub(in crate::commands) fn run(arguments: &Init) -> Outcome {
    let url = DatabaseUrl::read(&arguments.database, Path::new(""))?;
    let name = application_name(&url)?;
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from(&name));
    // Before the database is asked: the answer would be in vain.
    let file = folder.join(crate::application::FILE);
    if file.exists() {
        return Err(new_file::exists(&file, OTHER_FOLDER));
    }
    let settings = Settings::resolve(&Sources {
        flags: &GivenSettings::new(),
        environment: &process_environment,
        file: &GivenSettings::new(),
    })?;
    let catalog = crate::runtime::runtime()?
        .block_on(async { database::open(&url, &settings).await?.introspect().await })?;
    let schema = match (url.default_schema(), &arguments.schema) {
        (None, None) => "main",
        (None, Some(_)) => {
            let message = format!("{} has no schemas: omit --schema.", url.title());
            return Err(CommandError::refusal(message));
        }
        (Some(default), schema) => schema.as_deref().unwrap_or(default),
    };
    let relations = of_schema(&catalog, schema)?;
    let drafts = views::drafts(&relations);
    let database = config::database(&arguments.database, &url, &folder);
    let schema = (schema != "main").then_some(schema);
    let config = Config { name: &name, database: &database, schema, relations: &relations };
    new_file::write(&file, &config.text(!drafts.is_empty()), OTHER_FOLDER)?;
    for draft in &drafts {
        new_file::write(&folder.join(VIEWS).join(draft.file()), &draft.text, OTHER_FOLDER)?;
    }
    print(&said(&folder, &relations, &drafts, database.is_secret))
}

/// The name of the database, as a part of a path.
fn application_name(url: &DatabaseUrl) -> Result<String> {
    let name = snake_case(&url.name()?);
    Ok(if name.is_empty() { "application".to_owned() } else { name })
}

/// The tables and views of a schema, as if it were the only one.
fn of_schema(catalog: &Catalog, schema: &str) -> Outcome<Vec<Relation>> {
    let own = catalog.relations.iter().filter(|relation| relation.schema == schema);
    let relations: Vec<Relation> = own.map(|relation| without_schema(relation, schema)).collect();
    if !relations.is_empty() {
        return Ok(relations);
    }
    let mut others: Vec<&str> = catalog.relations.iter().map(|one| one.schema.as_str()).collect();
    others.sort_unstable();
    others.dedup();
    let error = CommandError::refusal(format!("The schema {schema:?} has no table or view."));
    Err(match others.as_slice() {
        [] => error.hint("Make the tables first; `duet load` can do that too."),
        others => error.hint(format!("--schema names another one: {}.", others.join(", "))),
    })
}

/// A relation as if its schema were the only one.
pub(in crate::commands::drafts) fn without_schema(relation: &Relation, schema: &str) -> Relation {
    let mut relation = relation.clone();
    relation.schema.clear();
    relation.foreign_keys.retain(|key| key.references_schema == schema);
    relation.foreign_keys.iter_mut().for_each(|key| key.references_schema.clear());
    relation
}

/// What was written, and what to do next.
fn said(folder: &Path, relations: &[Relation], drafts: &[Draft], is_secret: bool) -> String {
    let tables = relations.iter().filter(|one| one.kind == RelationKind::Table).count();
    let keyless = relations.iter().filter(|one| one.identity().is_empty()).count();
    let folder = folder.display();
    let kinds = [(tables, "table"), (relations.len() - tables, "view")];
    let kinds = kinds.into_iter().filter(|(number, _)| *number > 0);
    let served: Vec<String> = kinds.map(|(number, kind)| counted(number, kind)).collect();
    let mut text = format!("{folder}/app.toml serves {}.\n", served.join(" and "));
    if keyless > 0 {
        text.push_str(&format!("Without a key: {keyless}; their rows have no addresses.\n"));
    }
    if !drafts.is_empty() {
        let drafted = counted(drafts.len(), "draft");
        text.push_str(&format!("{folder}/{VIEWS}/ has {drafted} of duality views.\n"));
    }
    if is_secret {
        text.push_str(
            "The database's URL has a password, so it was not written: set DATABASE_URL to it.\n",
        );
    }
    text.push_str(&format!("Next:\n  duet check {folder}\n  duet serve {folder}\n"));
    text
}
