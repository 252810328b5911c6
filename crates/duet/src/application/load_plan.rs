//! `[load]`: how an application's tables and data are loaded into a database.

use super::folder::Folder;
use super::reader::{At, Table};

/// The plans per store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadPlan {
    /// Whether `duet demo` lists this application first.
    pub(crate) demo: bool,
    /// For SQLite.
    pub(crate) sqlite: Option<StorePlan>,
    /// For PostgreSQL.
    pub(crate) postgres: Option<StorePlan>,
}

/// The plan for one store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StorePlan {
    /// Files in order: scripts, or SQLite databases whose tables are copied.
    pub(crate) files: Vec<String>,
    /// Scripts that generate more data, run after the files if a scale is given; they contain
    /// `{scale}` as a placeholder.
    pub(crate) scale: Vec<String>,
    /// The resulting tables, in the database's spelling.
    pub(crate) tables: Vec<String>,
    /// The resulting functions; only for PostgreSQL.
    pub(crate) functions: Vec<String>,
}

/// Reads the table `[load]`.
pub(super) fn read(mut table: Table<'_>, folder: &Folder) -> LoadPlan {
    let plan = LoadPlan {
        demo: table.switch("demo").is_some_and(|switch| switch.value),
        sqlite: table.table("sqlite").map(|table| store(table, folder, false)),
        postgres: table.table("postgres").map(|table| store(table, folder, true)),
    };
    table.finish(|_| None);
    plan
}

fn store(mut table: Table<'_>, folder: &Folder, has_functions: bool) -> StorePlan {
    let names = |list: Option<At<Vec<At<String>>>>| -> Vec<At<String>> {
        list.map(|list| list.value).unwrap_or_default()
    };
    let files = names(table.texts("files"));
    let scale = names(table.texts("scale"));
    let tables = names(table.texts("tables"));
    let functions = if has_functions { names(table.texts("functions")) } else { Vec::new() };
    if files.is_empty() || tables.is_empty() {
        let message = "What is to be loaded needs `files` and the names of the `tables` they make.";
        table.wrong(table.span(), message, None);
    }
    for At { value, span } in files.iter().chain(&scale) {
        if let Err(error) = folder.read(value) {
            table.wrong(span.clone(), format!("{value:?} cannot be read: {error}."), None);
        }
    }
    table.finish(|_| None);
    let texts = |list: Vec<At<String>>| list.into_iter().map(|text| text.value).collect();
    StorePlan {
        files: texts(files),
        scale: texts(scale),
        tables: texts(tables),
        functions: texts(functions),
    }
}
