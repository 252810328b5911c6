//! OpenAPI 2 as PostgREST has it, at the mount of profiles whose paths name tables and functions: what generators of
//! its clients read.
//!
//! Names of parts (`rowFilter.table.column`, `body.table`) and the marks in descriptions of columns (`<pk/>`, `<fk/>`)
//! are PostgREST's, since its clients look for them.

mod definition;
mod operation;
mod parameter;

use duet_model::catalog::Routine;
use duet_model::{Column, Member, MemberKind, Operations};
use duet_service::{Resource, RoutineResource};
use serde_json::{Map, Value, json};

/// A table or view that the caller may read.
pub(super) struct DescribedTable<'a> {
    pub(super) resource: &'a Resource,
    /// What the caller may do with it besides reading.
    pub(super) operations: Operations,
    /// Its foreign keys of one column, to tables that the caller may read.
    pub(super) references: Vec<Reference<'a>>,
}

/// A foreign key of one column.
pub(super) struct Reference<'a> {
    /// The column that has it.
    pub(super) column: usize,
    /// The name of the other table.
    pub(super) table: &'a str,
    /// The name of its column.
    pub(super) target: String,
}

/// A function that the caller may run.
pub(super) struct DescribedFunction<'a> {
    pub(super) name: &'a str,
    pub(super) routine: &'a Routine,
    /// Whether it only reads, so that `GET` runs it.
    pub(super) reads: bool,
}

impl<'a> DescribedFunction<'a> {
    /// That of a function of a mount.
    pub(super) fn of(own: &'a RoutineResource) -> Self {
        let reads = duet_service::postgrest::reads(own);
        Self { name: &own.name, routine: &own.routine, reads }
    }
}

impl DescribedTable<'_> {
    /// The columns that documents show, with their positions in the table.
    fn columns(&self) -> impl Iterator<Item = (usize, &Column)> {
        let root = self.resource.shape.root();
        let shown = |member: &Member| match &member.kind {
            MemberKind::Column(column) if !column.hidden => Some(column.column),
            _ => None,
        };
        let columns = &root.table.columns;
        root.members.iter().filter_map(shown).map(|at| (at, &columns[at]))
    }
}

/// Media types that tables are read and written in.
const MEDIA: [&str; 4] = [
    "application/json",
    "application/vnd.pgrst.object+json;nulls=stripped",
    "application/vnd.pgrst.object+json",
    "text/csv",
];

/// The document: of a mount at this path, for an application of this name.
pub(super) fn document(
    mount: &str,
    application: &str,
    tables: &[DescribedTable<'_>],
    functions: &[DescribedFunction<'_>],
) -> String {
    let mut paths = Map::new();
    paths.insert("/".to_owned(), operation::of_root());
    paths.extend(tables.iter().map(operation::of_table));
    paths.extend(functions.iter().map(operation::of_function));
    let definitions: Map<String, Value> = tables.iter().map(definition::of_table).collect();
    json!({
        "swagger": "2.0",
        "info": {
            "title": application,
            "description": "Tables, views and functions in PostgREST's grammar",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "basePath": if mount.is_empty() { "/" } else { mount },
        "consumes": MEDIA,
        "produces": MEDIA,
        "paths": paths,
        "definitions": definitions,
        "parameters": parameter::all(tables),
    })
    .to_string()
}
