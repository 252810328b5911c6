//! `duet infer`: tables and duality views for sample documents, and a check that they hold the samples.

mod against;
mod app_file;
mod check;
mod compare;
mod contained;
mod design;
mod designer;
mod entities;
mod input;
mod keys;
mod names;
mod relations;
mod samples;
mod schema;
mod unique_names;
mod values;
mod view;

use std::path::{Path, PathBuf};

use super::init::names::snake_case;
use super::new_file;
use crate::args::{Infer, InferStore};
use crate::report::{Outcome, counted, print};
use check::CheckedView;
use design::{Design, View};
use input::Collection;

/// The folder of the views, below that of the application.
const VIEWS: &str = "views";
/// What helps where the folder has such files.
const OTHER_FOLDER: &str = "Name another folder with --into.";

pub(in crate::commands) fn run(arguments: &Infer) -> Outcome {
    let collections = input::read(&arguments.documents)?;
    if let Some(application) = &arguments.against {
        return against::run(arguments, application, &collections);
    }
    let folder = match &arguments.into {
        Some(folder) => folder.clone(),
        None => PathBuf::from(&collections[0].name),
    };
    let name = folder.file_name().map(|name| snake_case(&name.to_string_lossy()));
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "documents".to_owned());
    let design = designer::design(&collections);
    let file = folder.join(crate::application::FILE);
    if file.exists() {
        return Err(new_file::exists(&file, OTHER_FOLDER));
    }
    write_application(&folder, &name, &design, arguments.store)?;
    print(&summary(&folder, &design, &collections))?;
    if arguments.no_check {
        return Ok(());
    }
    let scratch = tempfile::tempdir().map_err(|error| check::scratch(&error))?;
    let scratch = scratch.path().join(&name);
    write_application(&scratch, &name, &design, InferStore::Sqlite)?;
    let views: Vec<CheckedView<'_>> =
        design.views.iter().zip(&collections).map(|(view, one)| checked(view, one)).collect();
    check::report_check(&scratch, &views)
}

fn checked<'c>(view: &'c View, collection: &'c Collection) -> CheckedView<'c> {
    let documents = collection.documents.iter().collect();
    CheckedView { name: &view.name, invented: &view.invented, documents }
}

fn write_application(folder: &Path, name: &str, design: &Design, store: InferStore) -> Outcome {
    new_file::write(
        &folder.join(crate::application::FILE),
        &app_file::text(name, design, store),
        OTHER_FOLDER,
    )?;
    new_file::write(&folder.join("schema.sql"), &schema::text(design, store), OTHER_FOLDER)?;
    for view in &design.views {
        let file = folder.join(VIEWS).join(format!("{}.graphql", view.name));
        new_file::write(&file, &view::text(design, view), OTHER_FOLDER)?;
    }
    Ok(())
}

/// What was written: the tables of each collection, and the files.
fn summary(folder: &Path, design: &Design, collections: &[Collection]) -> String {
    let mut text = String::new();
    for (view, collection) in design.views.iter().zip(collections) {
        let tables = design.tables_of(&view.root);
        text.push_str(&format!(
            "{}: {} in {}: {}\n",
            view.name,
            counted(collection.documents.len(), "document"),
            counted(tables.len(), "table"),
            tables.join(", ")
        ));
    }
    let folder = folder.display();
    // A row that another document has made is replaced by the document.
    let is_contained = design.views.iter().any(|view| view.is_contained);
    let method = if is_contained { "PUT" } else { "POST" };
    text.push_str(&format!(
        "Written: {folder}/app.toml, schema.sql and {VIEWS}/\n\
         Next: `duet load {folder} --database URL` makes the tables, which are empty: send the \
         documents to the views then, by {method}.\n"
    ));
    text
}
