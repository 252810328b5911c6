//! What is served, described: the metadata catalog and the OpenAPI documents.
//!
//! Pure functions from shapes to JSON text. Access is decided before: a resource
//! that the caller may not read is not given to them.
//!
//! Components are shared, so a table takes less than 4 kB, and each table has a document of its
//! own.

pub(crate) mod addresses;
pub(crate) mod catalog;
pub(crate) mod descriptions;
pub mod document;
pub mod metadata;
pub(crate) mod names;
pub mod openapi;
mod swagger;
#[cfg(test)]
mod tests;

use duet_model::catalog::{Argument, RoutineKind};
use duet_model::commit_class::{CommitClass, CommitPolicy};
use duet_model::promise::Promises;
use duet_model::unchecked::UncheckedRules;
use duet_model::{
    DocumentStyle, Member, MemberKind, Node, NodeId, Operations, ProfileRef, Shape, Type,
};
use duet_service::services::ServiceFile;
use duet_service::{ResourceKind, RoutineAnswer};
use serde_json::{Value, json};

/// Where the descriptions are served from, and what holds for all of its resources.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Scheme and authority as the client sees them, without a slash at the end:
    /// `http://127.0.0.1:8080`.
    pub base: &'a str,
    /// Path of the mount, with a slash at its beginning and none at its end: `/ords/hr`; empty
    /// for the root.
    pub mount: &'a str,
    /// Name of the application.
    pub application: &'a str,
    /// The licence of the description, where it is stated: an SPDX identifier, or a name.
    pub license: Option<&'a str>,
    /// Version of the description.
    pub version: &'a str,
    /// Path of the token endpoint, from the root: `/ords/hr/oauth/token`.
    pub token_path: &'a str,
    /// The header with API keys, if they have one.
    pub api_key_header: Option<&'a str>,
    /// Limits of a filter.
    pub limits: FilterLimits,
    /// Whether the description is that of a whole mount, whose resources can be written together.
    pub transactions: bool,
    /// Whether a setting asks for the statuses of ORDS.
    pub ords_statuses: bool,
    /// The profile by which the application answers.
    pub profile: ProfileRef,
}

/// Limits of a filter, shown to clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterLimits {
    /// Length of its text in bytes.
    pub bytes: usize,
    /// Objects and arrays inside each other.
    pub depth: usize,
    /// Conditions, logical operators and order terms together.
    pub nodes: usize,
    /// Values in one `$in` or `$nin`.
    pub list: usize,
}

/// A resource as far as its description goes.
#[derive(Clone, Copy, Debug)]
pub struct DescribedResource<'a> {
    /// The path segment it is served under.
    pub name: &'a str,
    /// What it is, in its author's words.
    pub comment: Option<&'a str>,
    /// Its documents.
    pub shape: &'a Shape,
    /// What the caller may do with it besides reading.
    pub operations: Operations,
    /// Items in a page where the request does not say.
    pub page_size: u64,
    /// Items in a page at most.
    pub max_page_size: u64,
    /// Whether items have addresses of their own.
    pub has_items: bool,
    /// What it is made of.
    pub kind: ResourceKind,
    /// Whether a token is needed.
    pub protected: bool,
    /// What `expand` may name.
    pub expand: &'a [RelatedRows<'a>],
    /// The file of the service that it is.
    pub service: Option<&'a ServiceFile>,
    /// The commit classes of its writes, where they are not the usual ones.
    pub commit: Option<&'a CommitPolicy>,
    /// Whether items may be read that are acknowledged from a journal and not in the database yet.
    pub reads_journal: bool,
    /// Whether new items may be acknowledged from a journal.
    pub acknowledges_rows: bool,
}

impl DescribedResource<'_> {
    /// Its commit classes, where they are not the usual ones: that of requests that ask for none, and those
    /// that a request may ask for.
    fn commit(&self) -> Option<Value> {
        let policy = self.commit.filter(|_| self.is_writable())?;
        let choices: Vec<&str> = policy.choices().map(CommitClass::name).collect();
        Some(json!({ "class": policy.class.name(), "choices": choices }))
    }
}

impl DescribedResource<'_> {
    /// What it promises, by name, where the engine spreads its tables over machines.
    fn promises(&self) -> Option<Value> {
        let all = Promises::of(self.shape)?.all();
        Some(all.map(|(words, is_kept)| (words.name.to_owned(), json!(is_kept))).collect())
    }
}

impl DescribedResource<'_> {
    /// What the database does not check of it, where it has rows of a database.
    fn unchecked(&self) -> Option<UncheckedRules> {
        let of_tables = matches!(
            self.kind,
            ResourceKind::Table | ResourceKind::View | ResourceKind::DualityView
        );
        of_tables.then(|| UncheckedRules::of(self.shape)).flatten()
    }
}

/// A service that is not a collection: it writes, or reads something else than rows.
#[derive(Clone, Copy, Debug)]
pub struct DescribedService<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its file.
    pub file: &'a ServiceFile,
    /// The columns of its result.
    pub members: &'a [(String, Type)],
    /// Whether a token is needed.
    pub protected: bool,
}

/// A function or procedure as far as its description goes.
#[derive(Clone, Copy, Debug)]
pub struct DescribedRoutine<'a> {
    /// The path segment it is run under.
    pub name: &'a str,
    /// What it is, in its author's words.
    pub comment: Option<&'a str>,
    /// What it is made of.
    pub kind: RoutineKind,
    /// The arguments that a caller gives, by their names.
    pub arguments: &'a [(String, &'a Argument)],
    /// What a run answers with.
    pub answer: &'a RoutineAnswer,
    /// The form of its values.
    pub style: DocumentStyle,
    /// Whether a token is needed.
    pub protected: bool,
}

/// Related rows that `expand` brings, as far as the caller may read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelatedRows<'a> {
    /// The member's name.
    pub name: &'a str,
    /// Whether it is an array.
    pub many: bool,
    /// The resource that they are of.
    pub resource: &'a str,
}

impl Site<'_> {
    /// The address of a path below the mount; `path` begins with a slash.
    fn url(&self, path: &str) -> String {
        format!("{}{}{path}", self.base, self.mount.trim_end_matches('/'))
    }
}

impl DescribedResource<'_> {
    /// Whether the caller may write anything.
    fn is_writable(&self) -> bool {
        self.operations.any()
    }

    /// The collection's path below the mount: `/team/`.
    fn path(&self) -> String {
        match self.service.filter(|_| self.is_templated()) {
            Some(file) => names::template(file),
            None => format!("/{}/", names::segment(self.name)),
        }
    }

    /// Whether its path has more than a name: then nothing is served below it.
    fn is_templated(&self) -> bool {
        self.service.is_some_and(|file| file.path.only().is_none())
    }

    /// The key's parts in the order of the path.
    fn key_parts(&self) -> Vec<KeyPart> {
        let fields = self.shape.fields();
        let key = self.shape.key.iter();
        key.map(|&column| {
            let column_of_root = duet_model::ColumnRef { node: 0, column };
            let own = |field: &&duet_model::shape::Field| field.column() == Some(column_of_root);
            let path = fields.iter().find(own).map(|field| field.path.clone());
            let path =
                path.unwrap_or_else(|| self.shape.root().table.columns[column].served_name());
            KeyPart { column, path }
        })
        .collect()
    }
}

impl DescribedRoutine<'_> {
    /// Its path below the mount: `/best`.
    fn path(&self) -> String {
        format!("/{}", names::segment(self.name))
    }

    fn is_function(&self) -> bool {
        self.kind == RoutineKind::Function
    }
}

/// One value of a key.
struct KeyPart {
    /// The column of the root's table.
    column: usize,
    /// The member that shows it, or the column's name where none does.
    path: String,
}

/// Whether every row of a to-one node's parent has a row here: the linking columns are a declared
/// foreign key, none of them can be NULL, and no filter excludes the row.
fn always_present(shape: &Shape, node: &Node) -> bool {
    let Some(link) = &node.link else { return true };
    let parent = &shape.nodes[link.parent].table;
    let columns = &link.parent_columns;
    let declared = parent.foreign_keys.iter().any(|key| {
        key.references_table == node.table.name
            && key.columns.len() == columns.len()
            && key.columns.iter().all(|column| columns.contains(column))
    });
    let filled = columns.iter().all(|&column| parent.columns[column].not_null);
    declared && filled && node.filter.is_none()
}

/// The column that an array of scalars shows.
fn scalar_column(shape: &Shape, node: NodeId) -> Option<usize> {
    shape.nodes[node].members.iter().find_map(|member: &Member| match &member.kind {
        MemberKind::Column(column) if !column.hidden => Some(column.column),
        _ => None,
    })
}
