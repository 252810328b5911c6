//! `duet infer --against`: what an application needs for new documents. Tables and columns are added by a migration,
//! views are written beside those that are there, and nothing is dropped or narrowed: documents and rows that are
//! stored read as before.

mod contradictions;
mod evolve;
mod known;
mod scratch;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use duet_duality::{DefinitionFile, Options, View};
use duet_model::{Catalog, Shape};
use duet_service::definition::{Mounts, ViewFile};

use super::check::{self, CheckedView};
use super::design::View as NewView;
use super::designer::{Designer, samples};
use super::entities::{Entities, is_key_of};
use super::input::{self, Collection};
use super::keys;
use super::names::singular;
use super::relations::RootCollections;
use super::{schema, view};
use crate::application::{Application, FILE, Location, process_environment};
use crate::args::{Infer, InferStore};
use crate::command_error::CommandError;
use crate::commands::drafts::init::names::{snake_case, toml_text};
use crate::commands::drafts::new_file;
use crate::commands::sources::{applications, database};
use crate::configuration_error;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, counted, print};
use crate::settings::{GivenSettings, Settings, Sources};
use contradictions::Contradictions;
use evolve::{EvolvedView, evolve};
use known::Known;

/// The folder of migrations, below that of the application.
const MIGRATIONS: &str = "migrations";
/// What helps where a file of this name is there.
const TAKEN: &str = "Move it away, or rename the file of documents.";

pub(super) fn run(arguments: &Infer, app: &Path, collections: &[Collection]) -> Outcome {
    let old = input::read(&arguments.old)?;
    let location = Location::on_disk(app);
    let application = location.read(&process_environment)?;
    let variable = process_environment("DUET_DATABASE").filter(|text| !text.is_empty());
    let url = match arguments.database.as_ref().or(variable.as_ref()) {
        Some(text) => DatabaseUrl::read(text, Path::new(""))?,
        None => applications::of_application(&application).ok_or_else(which_database)??,
    };
    let store = store_of(&url);
    let schema = schema_of(&application, &url);
    let catalog = crate::runtime::runtime()?.block_on(async {
        let settings = settings(&application)?;
        database::open(&url, &settings).await?.introspect().await
    })?;
    refuse_several_schemas(view_files(&application), &catalog, &schema)?;
    let known = Known::of(&catalog, &schema);
    let draft = Draft::of(known, view_files(&application), collections)?;
    let folder = application.folder.base().to_owned();
    let files = draft.files(&folder, view_files(&application), store);
    for (path, text) in &files {
        new_file::write(path, text, TAKEN)?;
    }
    print(&draft.summary(&files, &location, collections)?)?;
    match arguments.no_check {
        true => Ok(()),
        false => draft.check(collections, &old),
    }
}

/// Refuses views that show tables of another schema than the application's, all in one message.
fn refuse_several_schemas(files: &[ViewFile], catalog: &Catalog, schema: &str) -> Outcome {
    let options = Options { default_schema: Some(schema.to_owned()), ..Options::default() };
    let mut found = Vec::new();
    for file in files {
        let source = DefinitionFile::new(file.name.clone(), file.text.clone());
        // What does not compile is refused later, with its mistakes.
        for View { name, shape, .. } in
            duet_duality::compile(&source, catalog, &options).unwrap_or_default()
        {
            let tables = shape.nodes.iter().map(|node| &node.table);
            let others = tables.filter(|table| table.schema != schema);
            let others: BTreeSet<String> =
                others.map(|table| format!("{}.{}", table.schema, table.name)).collect();
            if !others.is_empty() {
                let others = others.into_iter().collect::<Vec<_>>().join(", ");
                found.push(format!("{}: {name} shows {others}", file.name));
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Views show tables of other schemas than {schema:?}, whose documents are not drafted:\n{}",
        found.join("\n")
    );
    let hint = "Leave these files out of `views` of app.toml for the draft.";
    Err(CommandError::refusal(message).hint(hint))
}

/// The store that files are written for.
fn store_of(database: &DatabaseUrl) -> InferStore {
    match database.path() {
        Some(_) => InferStore::Sqlite,
        None => InferStore::Postgres,
    }
}

fn which_database() -> CommandError {
    CommandError::refusal("No database is named.").hint("Give it by `--database URL`.")
}

fn settings(application: &Application) -> configuration_error::Result<Settings> {
    Settings::resolve(&Sources {
        flags: &GivenSettings::new(),
        environment: &process_environment,
        file: &application.settings,
    })
}

/// The schema of the application's tables.
fn schema_of(application: &Application, url: &DatabaseUrl) -> String {
    let declared = match &application.definition.mounts {
        Mounts::Declared(mount) => mount.schema.clone(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    };
    match url.default_schema() {
        None => "main".to_owned(),
        Some(default) => declared.unwrap_or_else(|| default.to_owned()),
    }
}

/// The files of views of an application.
fn view_files(application: &Application) -> &[ViewFile] {
    match &application.definition.mounts {
        Mounts::Declared(mount) => &mount.views,
        Mounts::AdHoc | Mounts::AdHocBelow(_) => &[],
    }
}

/// What becomes of a collection.
enum Drafted {
    /// A view that is there, with what it lacks, and the name of the view that has both.
    Evolved(Box<EvolvedView>, String),
    /// A view that holds the documents as it is.
    Same(Box<EvolvedView>),
    /// A new view: its position in the design.
    New(usize),
}

/// What is drafted for all collections.
struct Draft<'d> {
    known: Catalog,
    designer: Designer<'d>,
    drafted: Vec<Drafted>,
}

/// The views that are there, by name, and why files could not be read.
struct StoredViews {
    shapes: HashMap<String, Shape>,
    mistakes: Vec<String>,
}

impl StoredViews {
    fn read(files: &[ViewFile], known: &Known) -> Self {
        let (mut shapes, mut mistakes) = (HashMap::new(), Vec::new());
        for file in files {
            let source = DefinitionFile::new(file.name.clone(), file.text.clone());
            match duet_duality::compile(&source, &known.catalog, &Options::default()) {
                Ok(views) => {
                    shapes.extend(views.into_iter().map(|View { name, shape, .. }| (name, shape)));
                }
                Err(found) => mistakes
                    .extend(found.iter().map(|mistake| duet_duality::render(mistake, &source))),
            }
        }
        Self { shapes, mistakes }
    }
}

impl<'d> Draft<'d> {
    fn of(known: Known, files: &[ViewFile], collections: &'d [Collection]) -> Outcome<Self> {
        let views = StoredViews::read(files, &known);
        if let Some(mistake) = views.mistakes.first() {
            let message = format!("A view does not fit the database:\n{mistake}");
            let hint = "`duet check` lists all mistakes; `duet migrate` may have to run first.";
            return Err(CommandError::refusal(message).hint(hint));
        }
        let all = samples(collections);
        let entities = Entities::find(&all, &known.homes, &RootCollections::new());
        let Known { catalog, design, mut names, homes, tables } = known;
        let mut taken: HashSet<String> = views.shapes.keys().cloned().collect();
        taken.extend(catalog.relations.iter().map(|one| one.served_name()));
        // A view of the name of a collection is that collection, so that no table gets its name.
        views.shapes.keys().for_each(|name| names.take(name));
        let mut designer = Designer::new(design, names, entities);
        let mut drafted = Vec::new();
        for (name, documents) in &all {
            if let Some(shape) = views.shapes.get(*name) {
                let found = evolve(&mut designer, shape, &tables, documents);
                drafted.push(evolved(found, name, &mut taken)?);
                continue;
            }
            let home = homes.get(&singular(name)).and_then(|home| {
                let (key, _) = keys::find(documents, name, false)?;
                let is_key = is_key_of(&singular(name), key.name, &home.key);
                is_key.then_some((home.table, home.key.as_str()))
            });
            designer.collection(name, documents, home);
            let at = designer.design.views.len() - 1;
            designer.design.views[at].name = free_name(name, &mut taken);
            drafted.push(Drafted::New(at));
        }
        let draft = Self { known: catalog, designer, drafted };
        draft.refuse_doubled()?;
        draft.refuse_contradictions(collections)?;
        Ok(draft)
    }

    /// The rows of a table that is there would not be in the lists of a new one.
    fn refuse_doubled(&self) -> Outcome {
        let doubled = &self.designer.doubled;
        if doubled.is_empty() {
            return Ok(());
        }
        let message = format!(
            "Lists of the documents have tables that no view shows:\n{}",
            doubled.join("\n")
        );
        let hint =
            "Write a view of the collection's name over these tables, or rename the members.";
        Err(CommandError::refusal(message).hint(hint))
    }

    fn refuse_contradictions(&self, collections: &[Collection]) -> Outcome {
        let mut contradictions = Contradictions::over(&self.designer.design);
        for (drafted, collection) in self.drafted.iter().zip(collections) {
            match drafted {
                Drafted::Evolved(view, _) | Drafted::Same(view) => {
                    contradictions.of_view(view, collection);
                }
                Drafted::New(at) => {
                    let root = &self.designer.design.views[*at].root;
                    contradictions.of_new_view(root, collection);
                }
            }
        }
        if contradictions.found.is_empty() {
            return Ok(());
        }
        let message = format!(
            "What is there has other types than {} of the documents:\n{}",
            counted(contradictions.found.len(), "value"),
            contradictions.found.join("\n")
        );
        let hint = "Columns are not changed: correct the documents, or rename their members.";
        Err(CommandError::refusal(message).hint(hint))
    }

    /// The text of a view, if it is new, with its name.
    fn view(&self, drafted: &Drafted) -> Option<(String, String)> {
        match drafted {
            Drafted::Evolved(view, name) => Some((name.clone(), view.text(name, &self.designer))),
            Drafted::Same(_) => None,
            Drafted::New(at) => {
                let design = &self.designer.design;
                let view: &NewView = &design.views[*at];
                Some((view.name.clone(), view::text(design, view)))
            }
        }
    }

    /// The files to write, with their texts.
    fn files(
        &self,
        folder: &Path,
        known: &[ViewFile],
        store: InferStore,
    ) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let views = self.drafted.iter().filter_map(|drafted| self.view(drafted));
        let views: Vec<(String, String)> = views.collect();
        if let Some(text) = schema::migration(&self.designer.design, store) {
            let first = views.first().map_or("documents", |(name, _)| name.as_str());
            let number = next_number(&folder.join(MIGRATIONS));
            let name = format!("{number:04}-{first}.{}.sql", store.name());
            files.push((folder.join(MIGRATIONS).join(name), text));
        }
        // Beside the views that are there, and called as they are.
        let like = known.first().map(|file| PathBuf::from(&file.name));
        let like = like.unwrap_or_else(|| PathBuf::from("views/a.graphql"));
        let ending = like.extension().map_or("graphql".into(), |it| it.to_string_lossy());
        for (name, text) in views {
            let file = like.with_file_name(format!("{name}.{ending}"));
            files.push((folder.join(file), text));
        }
        files
    }

    /// What was written, and what to do with it.
    fn summary(
        &self,
        files: &[(PathBuf, String)],
        location: &Location,
        collections: &[Collection],
    ) -> Outcome<String> {
        let mut text = String::new();
        for (drafted, collection) in self.drafted.iter().zip(collections) {
            let documents = counted(collection.documents.len(), "document");
            let what = match drafted {
                Drafted::Evolved(_, name) => {
                    format!("the view {name}, beside the one that is there")
                }
                Drafted::Same(_) => "the view holds them as it is".to_owned(),
                Drafted::New(at) => {
                    let view = &self.designer.design.views[*at];
                    let tables = self.designer.design.tables_of(&view.root);
                    format!("the view {} over {}", view.name, tables.join(", "))
                }
            };
            text.push_str(&format!("{}: {documents}; {what}\n", collection.name));
        }
        for (path, _) in files {
            text.push_str(&format!("Written: {}\n", path.display()));
        }
        if files.is_empty() {
            return Ok(text);
        }
        // Patterns of app.toml may name them already.
        let again = location.read(&process_environment)?;
        let base = again.folder.base();
        let known: Vec<&str> = view_files(&again)
            .iter()
            .map(|file| file.name.as_str())
            .chain(again.migrations.iter().map(|file| file.name.as_str()))
            .collect();
        for (path, _) in files {
            let own = path.strip_prefix(base).unwrap_or(path).display().to_string();
            if known.contains(&own.as_str()) {
                continue;
            }
            let key = if own.starts_with(MIGRATIONS) { "migrations" } else { "views" };
            text.push_str(&format!("Add {} to `{key}` of {FILE}.\n", toml_text(&own)));
        }
        text.push_str("Next: `duet migrate` makes what the database lacks; then reload or start the server.\n");
        Ok(text)
    }

    /// Writes old and new documents through the views into a scratch database.
    fn check(&self, collections: &[Collection], old: &[Collection]) -> Outcome {
        let scratch = tempfile::tempdir().map_err(|error| check::scratch(&error))?;
        let folder = scratch.path().join("scratch");
        let mut script = scratch::tables(&self.known);
        let migration = schema::migration(&self.designer.design, InferStore::Sqlite);
        script.push_str(&migration.unwrap_or_default());
        new_file::write(&folder.join("schema.sql"), &script, TAKEN)?;
        let tables = self.designer.design.tables.iter().map(|table| toml_text(&table.name));
        let tables = tables.collect::<Vec<_>>().join(", ");
        let app = format!(
            "name = \"scratch\"\nmount = \"/scratch\"\nviews = [\"views/*.graphql\"]\ntables = \"listed\"\n\
             [load.sqlite]\nfiles = [\"schema.sql\"]\ntables = [{tables}]\n"
        );
        new_file::write(&folder.join(FILE), &app, TAKEN)?;
        let mut views = Vec::new();
        for (drafted, collection) in self.drafted.iter().zip(collections) {
            let (name, text, invented) = match drafted {
                Drafted::Same(view) => {
                    let name = &view.shape.name;
                    (name, view.text(name, &self.designer), &view.invented)
                }
                Drafted::Evolved(view, name) => {
                    (name, view.text(name, &self.designer), &view.invented)
                }
                Drafted::New(at) => {
                    let view = &self.designer.design.views[*at];
                    (&view.name, view::text(&self.designer.design, view), &view.invented)
                }
            };
            let file = folder.join("views").join(format!("{name}.graphql"));
            new_file::write(&file, &text, TAKEN)?;
            let of_old = old.iter().filter(|one| one.name == collection.name);
            let documents = of_old.flat_map(|one| &one.documents).chain(&collection.documents);
            views.push(CheckedView { name, invented, documents: documents.collect() });
        }
        if let Some(other) =
            old.iter().find(|old| collections.iter().all(|one| one.name != old.name))
        {
            let message =
                format!("--old has {:?}, of which there are no new documents.", other.name);
            let hint = "Its file has the name of a collection of new documents, in another folder.";
            return Err(CommandError::refusal(message).hint(hint));
        }
        check::report_check(&folder, &views)
    }
}

/// What becomes of a collection whose view is there.
fn evolved(
    found: Option<EvolvedView>,
    name: &str,
    taken: &mut HashSet<String>,
) -> Outcome<Drafted> {
    let Some(view) = found else {
        let message = format!("The view {name} is over tables of several schemas.");
        return Err(CommandError::refusal(message));
    };
    Ok(match view.added.is_empty() {
        true => Drafted::Same(Box::new(view)),
        false => Drafted::Evolved(Box::new(view), free_version(name, taken)),
    })
}

/// A name that no view and no table has, taken from now on.
fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    match taken.insert(name.to_owned()) {
        true => name.to_owned(),
        false => free_version(name, taken),
    }
}

/// `orders_v2`, or the next one that is free.
fn free_version(name: &str, taken: &mut HashSet<String>) -> String {
    let versions = (2_u64..).map(|number| format!("{name}_v{number}"));
    let free = versions.into_iter().find(|version| taken.insert(version.clone()));
    free.unwrap_or_else(|| snake_case(name))
}

/// The number behind that of the last file of a folder.
fn next_number(folder: &Path) -> u32 {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let numbers = entries.filter_map(|entry| {
        let name = entry.ok()?.file_name().to_string_lossy().into_owned();
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    numbers.max().unwrap_or(0).saturating_add(1)
}
