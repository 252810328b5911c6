//! `[load]`: how an application's tables and data are loaded into a database.

use std::collections::BTreeMap;

use super::folder::Folder;
use super::reader::{At, Table};

/// The plans per store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadPlan {
    /// Whether `duet demo` lists this application first, or leaves it out.
    pub(crate) demo: Option<bool>,
    /// By the name of the store.
    stores: BTreeMap<&'static str, StorePlan>,
}

impl LoadPlan {
    /// The plan for the store of this name, if there is one.
    pub(crate) fn of(&self, store: &str) -> Option<&StorePlan> {
        self.stores.get(store)
    }
}

/// The plan for one store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StorePlan {
    /// Files in order: scripts, or SQLite databases whose tables are copied.
    pub(crate) files: Vec<String>,
    /// Scripts that generate more data, run after the files if a scale is given; they contain
    /// `{scale}` as a placeholder.
    pub(crate) scale: Vec<String>,
    /// Other data in place of these, by the name of their profile.
    pub(crate) profiles: BTreeMap<String, Profile>,
    /// The profile whose data are loaded where none is given, in place of files and scale.
    pub(crate) profile: Option<String>,
    /// The resulting tables, in the database's spelling.
    pub(crate) tables: Vec<String>,
    /// The resulting functions; only for stores that have such.
    pub(crate) functions: Vec<String>,
}

/// Data of another kind for the same tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// Scripts in order; they contain `{scale}` as a placeholder.
    pub(crate) files: Vec<String>,
    /// The scale where none is given.
    pub(crate) scale: u32,
}

/// Reads the table `[load]`.
pub(super) fn read(mut table: Table<'_>, folder: &Folder) -> LoadPlan {
    let demo = table.switch("demo").map(|switch| switch.value);
    let mut stores = BTreeMap::new();
    for (name, dialect) in duet_registry::stores() {
        if let Some(table) = table.table(name) {
            stores.insert(name, store(table, folder, dialect.has_routines()));
        }
    }
    let plan = LoadPlan { demo, stores };
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
    let profiles = table.table("profiles").map(Table::named_tables).unwrap_or_default();
    let profiles = profiles.into_iter().map(|(name, table)| (name.value, profile(table, folder)));
    let profiles: BTreeMap<String, Profile> = profiles.collect();
    let default = default_profile(&mut table, &profiles, !files.is_empty() || !scale.is_empty());
    if files.is_empty() && default.is_none() || tables.is_empty() {
        let message = "What is to be loaded needs `files` or a `profile`, and the names of the `tables` they make.";
        table.wrong(table.span(), message, None);
    }
    must_be_readable(&table, files.iter().chain(&scale), folder);
    table.finish(|_| None);
    StorePlan {
        files: texts(files),
        scale: texts(scale),
        profiles,
        profile: default,
        tables: texts(tables),
        functions: texts(functions),
    }
}

/// The profile that is loaded where none is given.
fn default_profile(
    table: &mut Table<'_>,
    profiles: &BTreeMap<String, Profile>,
    has_files: bool,
) -> Option<String> {
    let At { value, span } = table.text("profile")?;
    if has_files {
        let message = "`profile` names data in place of `files` and `scale`: leave these out.";
        table.wrong(span, message, None);
    } else if !profiles.contains_key(&value) {
        let known: Vec<&str> = profiles.keys().map(String::as_str).collect();
        let message = format!("There is no profile {value:?}; declared are: {}.", known.join(", "));
        table.wrong(span, message, None);
    }
    Some(value)
}

fn profile(mut table: Table<'_>, folder: &Folder) -> Profile {
    let files = table.required_texts("files").map(|list| list.value).unwrap_or_default();
    let scale = table.number("scale").map_or(1, |scale| scale.value);
    must_be_readable(&table, files.iter(), folder);
    table.finish(|_| None);
    Profile { files: texts(files), scale: u32::try_from(scale).unwrap_or(u32::MAX) }
}

fn must_be_readable<'f>(
    table: &Table<'_>,
    files: impl Iterator<Item = &'f At<String>>,
    folder: &Folder,
) {
    for At { value, span } in files {
        if let Err(error) = folder.read(value) {
            table.wrong(span.clone(), format!("{value:?} cannot be read: {error}."), None);
        }
    }
}

fn texts(list: Vec<At<String>>) -> Vec<String> {
    list.into_iter().map(|text| text.value).collect()
}
