//! What is read of a module: its tables, each with the resource that serves it.

use std::collections::BTreeMap;

use duet_service::definition::{LineOutcome, RmbSchema, RmbTable, files_of_schema};

use super::files::{ModuleFiles, unreadable};
use super::raml::{self, Resource};
use super::report::Report;
use super::{names, schema_lines};
use crate::command_error::CommandError;
use crate::report::Outcome;

/// The end of the path of a module's declarations.
const SCHEMA: &str = "db_scripts/schema.json";

/// A table with the resource that serves it.
pub(super) struct CollectionOf {
    pub(super) table: RmbTable,
    pub(super) resource: Resource,
    /// The JSON Schema of a document.
    pub(super) schema: String,
    /// The methods that RAML declares 422 for.
    pub(super) unprocessable: Vec<String>,
    /// The member of lists with the documents.
    pub(super) list: Option<String>,
}

impl CollectionOf {
    /// The path without its last step, and that.
    pub(super) fn mount_and_name(&self) -> (&str, &str) {
        let (mount, name) =
            self.resource.path.rsplit_once('/').unwrap_or(("", &self.resource.path));
        (if mount.is_empty() { "/" } else { mount }, name)
    }
}

/// What was read of a module.
pub(super) struct Module {
    pub(super) name: String,
    /// The path of `schema.json`.
    pub(super) schema: String,
    pub(super) exact_count: Option<u64>,
    pub(super) collections: Vec<CollectionOf>,
    /// The copied files.
    pub(super) copies: Vec<String>,
}

impl Module {
    /// Reads a module; the report gets its lines.
    ///
    /// # Errors
    /// Where it has no `schema.json`, or that cannot be read.
    pub(super) fn read(
        files: &ModuleFiles,
        name: String,
        given: &[String],
        report: &mut Report,
    ) -> Outcome<Self> {
        let candidates = files.with_suffix(SCHEMA).filter(|path| !path.contains("src/test/"));
        let Some(schema) = candidates.into_iter().next() else {
            let message = format!("The folder has no {SCHEMA}.");
            return Err(CommandError::file(message)
                .hint("Name the folder of a storage module of raml-module-builder."));
        };
        let text = files.read(&schema).map_err(|why| unreadable(&schema, &why))?;
        let declared = RmbSchema::read(&text).map_err(|why| unreadable(&schema, &why))?;
        let resources = raml::resources(files);
        let tables: Vec<RmbTable> = declared.tables().collect();
        let names: Vec<String> = tables.iter().map(|table| table.name().to_owned()).collect();
        let found = names::matched(&names, &resources, &given_paths(given)?);
        let mut module = Self {
            name,
            schema: schema.clone(),
            exact_count: declared.exact_count(),
            collections: Vec::new(),
            copies: vec![schema.clone()],
        };
        let lines = schema_lines::SchemaLines::new(&schema, &text);
        lines.of_file(&declared, files, report);
        for table in tables {
            let place = lines.place(&format!("/tables/{}/tableName", table.position()));
            let what = format!("table `{}`", table.name());
            let at = found.get(table.name()).copied();
            match at.and_then(|at| resources.get(at)) {
                Some(resource) => {
                    let declared = unprocessable(&resources, resource);
                    let matched =
                        MatchedTable { table, resource, unprocessable: declared, place, what };
                    module.take(files, matched, report);
                }
                None => report.add(
                    &schema, place,
                    what,
                    LineOutcome::Refused,
                    "no resource of RAML that makes items and has paths of items has its name; `--path TABLE=/PATH` names one",
                ),
            }
        }
        resource_lines(&resources, &module, report);
        Ok(module)
    }

    fn take(&mut self, files: &ModuleFiles, matched: MatchedTable<'_>, report: &mut Report) {
        let MatchedTable { table, resource, unprocessable, place, what } = matched;
        let Some(schema) = resource.item.clone() else { return };
        let read = |path: &str| files.read(path);
        let needed = match files_of_schema(&schema, &read) {
            Ok(needed) => needed,
            Err(mistakes) => {
                for mistake in mistakes {
                    let outcome = LineOutcome::Refused;
                    report.add(&self.schema, place, &*what, outcome, mistake.message);
                }
                return;
            }
        };
        let own = self
            .collections
            .iter()
            .find(|one| names::last(&one.resource.path) == names::last(&resource.path));
        if let Some(own) = own {
            let why = format!("its name is that of {}", own.resource.path);
            return report.add(&self.schema, place, what, LineOutcome::Refused, why);
        }
        report.add(&self.schema, place, what, LineOutcome::Taken, "");
        report.add(&schema, 1, "JSON Schema", LineOutcome::Taken, "");
        let folder = self.schema.rsplit_once('/').map_or("", |(folder, _)| folder);
        let snippet = table.snippet_path().map(|path| format!("{folder}/{path}"));
        for path in needed.into_iter().chain(snippet.filter(|path| files.has(path))) {
            if !self.copies.contains(&path) {
                self.copies.push(path);
            }
        }
        let list = resource.list.as_ref().and_then(|path| list_member(&files.read(path).ok()?));
        let resource = resource.clone();
        self.collections.push(CollectionOf { table, resource, schema, unprocessable, list });
    }
}

/// A table, and the resource that serves it.
struct MatchedTable<'r> {
    table: RmbTable,
    resource: &'r Resource,
    /// The methods that declare the status 422.
    unprocessable: Vec<String>,
    /// Where the schema has the table, and what the report calls it.
    place: usize,
    what: String,
}

/// The methods of a resource and of its items that declare the status 422.
fn unprocessable(resources: &[Resource], resource: &Resource) -> Vec<String> {
    let items = resources.iter().filter(|other| other.is_item_of(&resource.path));
    let methods = std::iter::once(resource).chain(items).flat_map(|one| &one.methods);
    let declared = methods.filter(|(_, statuses)| statuses.contains(&422));
    let mut names: Vec<String> = declared.map(|(method, _)| method.to_uppercase()).collect();
    names.retain(|method| ["POST", "PUT", "DELETE"].contains(&method.as_str()));
    names.sort_unstable();
    names.dedup();
    names
}

/// The member of a list's JSON Schema that is an array.
fn list_member(schema: &str) -> Option<String> {
    let schema: serde_json::Value = serde_json::from_str(schema).ok()?;
    let members = schema.get("properties")?.as_object()?;
    let is_array = |value: &serde_json::Value| value.get("type").is_some_and(|it| it == "array");
    members.iter().find(|(_, value)| is_array(value)).map(|(name, _)| name.clone())
}

/// `--path TABLE=/PATH`.
fn given_paths(given: &[String]) -> Outcome<BTreeMap<String, String>> {
    let one = |text: &String| {
        let found = text.split_once('=').filter(|(_, path)| path.starts_with('/'));
        let (table, path) = found.ok_or_else(|| {
            CommandError::usage(format!("`--path` cannot be {text:?}."))
                .hint("It is a table and a path: `--path holdings=/holdings-storage/holdings`.")
        })?;
        Ok((table.to_owned(), path.to_owned()))
    };
    given.iter().map(one).collect()
}

/// A line for each method of each resource.
fn resource_lines(resources: &[Resource], module: &Module, report: &mut Report) {
    for resource in resources {
        let place =
            module.collections.iter().find_map(|one| Place::of(resource, &one.resource.path));
        for method in resource.methods.keys() {
            let what = format!("{} {}", method.to_uppercase(), resource.path);
            let (outcome, why) = match (place, method.as_str()) {
                (Some(Place::List), "get" | "post")
                | (Some(Place::Item), "get" | "put" | "delete")
                | (Some(Place::Batch), "post" | "put") => (LineOutcome::Taken, ""),
                (Some(Place::Item), "patch") => {
                    (LineOutcome::Refused, "PATCH is a merge patch (RFC 7396) here")
                }
                _ => (
                    LineOutcome::Refused,
                    "it is code of the module, not a table of documents; app.toml names SQL files with `services`",
                ),
            };
            report.add(&resource.file, resource.line, what, outcome, why);
        }
    }
}

/// What a resource is of a collection.
#[derive(Clone, Copy)]
enum Place {
    List,
    Item,
    /// A list of documents to write.
    Batch,
}

impl Place {
    fn of(resource: &Resource, collection: &str) -> Option<Self> {
        match resource.path.strip_prefix(collection)? {
            "" => Some(Self::List),
            "-batch" => Some(Self::Batch),
            _ => resource.is_item_of(collection).then_some(Self::Item),
        }
    }
}
