//! Names in an application that match nothing in the database.
//!
//! A name that is not found hides nothing, renames nothing and grants nothing, while everything else
//! is served. So it is a mistake, reported with its place in the file and the nearest name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use duet_auth::{ItemPattern, UnmatchedPattern};
use duet_duality::{DefinitionFile, Diagnostic, Span};
use duet_model::key::parse_key;
use duet_model::{Catalog, Code, Column, Error, ProfileRef, Relation};
use duet_sql::Dialect;
use duet_text::name;

use super::effective_keys::{self, Ineffective, Subject};
use super::kept::Entry;
use super::naming::{self, DeclaredResources};
use crate::definition::{Mount, Places, Resource, UnindexedPolicy};
use crate::resources::expandable::Expandable;
use crate::resources::resource::ResourceKind;
use crate::services::{ServiceFile, ServiceResult, unsteady_word};

/// A name that matches nothing.
#[derive(Debug)]
pub(crate) struct Mistake {
    /// The resource that must not be served without its correction.
    pub(crate) unsafe_to_serve: Option<String>,
    place: Place,
    message: String,
    hint: Option<String>,
}

/// What a mistake is about.
#[derive(Debug)]
enum Place {
    Key(Vec<String>),
    Value(Vec<String>),
}

impl Mistake {
    fn new(place: Place, message: String, nearest: Option<&str>) -> Self {
        let hint = nearest.map(|name| format!("Did you mean `{name}`?"));
        Self { unsafe_to_serve: None, place, message, hint }
    }

    /// The mistake with its place and the line, as mistakes in files of views are shown.
    pub(crate) fn render(&self, places: &Places) -> String {
        match self.diagnostic(places) {
            Some((diagnostic, source)) => duet_duality::render(&diagnostic, &source),
            None => {
                let hint = self.hint.as_ref().map_or(String::new(), |hint| format!(" {hint}"));
                format!("error[{}]: {}{hint}\n", Code::Application.as_str(), self.message)
            }
        }
    }

    /// The mistake as an error, with its place.
    pub(crate) fn to_error(&self, places: &Places) -> Error {
        match self.diagnostic(places) {
            Some((diagnostic, source)) => diagnostic.to_error(&source),
            None => Error::new(Code::Application, &*self.message).maybe_hint(self.hint.clone()),
        }
    }

    /// The mistake in the text of the file, if its place is known.
    fn diagnostic(&self, places: &Places) -> Option<(Diagnostic, DefinitionFile)> {
        let span = match &self.place {
            Place::Key(path) => places.keys.get(path),
            Place::Value(path) => places.values.get(path).or_else(|| places.keys.get(path)),
        }?;
        let diagnostic = Diagnostic {
            code: Code::Application,
            message: self.message.clone(),
            rule: None,
            hint: self.hint.clone(),
            span: Span::new(span.start, span.end),
        };
        Some((diagnostic, DefinitionFile::new(places.file.clone(), places.text.clone())))
    }
}

fn path<const N: usize>(parts: [&str; N]) -> Vec<String> {
    parts.map(str::to_owned).into()
}

/// What `[resources]` may name beside the tables and views of the database.
#[derive(Debug, Default)]
pub(crate) struct Others<'a> {
    /// The duality views that are defined.
    pub(crate) views: BTreeSet<&'a str>,
    /// The functions and procedures that are served.
    pub(crate) routines: BTreeSet<&'a str>,
    /// The services.
    pub(crate) services: BTreeMap<&'a str, &'a ServiceFile>,
    /// The most items of any page.
    pub(crate) max_page_size: u64,
}

impl<'a> Others<'a> {
    /// The service that a resource is about.
    fn service(&self, resource: &Resource) -> Option<&'a ServiceFile> {
        self.services.get(resource.name.as_str()).copied()
    }
}

/// The names of `[resources]` that match nothing.
pub(crate) fn of_resources(
    mount: &Mount,
    named: &Catalog,
    schema: &str,
    others: &Others<'_>,
) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for resource in &mount.resources {
        mistakes.extend(of_page_size(resource, others.max_page_size));
        let matching = || naming::called(named, resource);
        let own = matching().find(|relation| relation.schema == schema);
        match own.or_else(|| matching().next()) {
            Some(relation) => {
                of_columns(resource, relation, &mut mistakes);
                match resource.excluded {
                    true => mistakes.extend(without_effect(resource, Subject::Excluded)),
                    false => mistakes.extend(of_memory(resource)),
                }
            }
            None if others.views.contains(&resource.name.as_str()) => {
                mistakes.extend(without_effect(resource, Subject::Defined));
                mistakes.extend(of_memory(resource));
            }
            None if others.service(resource).is_some() => {
                let file = others.service(resource);
                mistakes.extend(file.into_iter().flat_map(|file| of_service(resource, file)));
            }
            None if others.routines.contains(&resource.name.as_str()) => {
                mistakes.extend(without_effect(resource, Subject::Routine));
            }
            None => {
                let names = named.relations.iter().map(|relation| relation.name.as_str());
                let nearest =
                    name::nearest(&resource.table, names.chain(others.views.iter().copied()));
                let place = Place::Value(path(["resources", &resource.name, "table"]));
                let place = match mount.places.values.contains_key(place.path()) {
                    true => place,
                    false => Place::Key(path(["resources", &resource.name])),
                };
                let message = format!("There is no table or view {:?}.", resource.table);
                mistakes.push(Mistake::new(place, message, nearest));
            }
        }
    }
    mistakes
}

/// What is said of items in memory where none are.
fn of_memory(resource: &Resource) -> impl Iterator<Item = Mistake> {
    let given = [
        ("rowstore_populate", resource.rowstore_populate, "reads items into memory"),
        ("serve_stale", resource.serve_stale.is_some(), "is about items in memory"),
    ];
    let given = given.into_iter().filter(|(_, given, _)| *given && resource.rowstore == 0);
    given.map(|(member, _, does)| {
        let place = Place::Key(path(["resources", &resource.name, member]));
        let message = format!("`{member}` {does}, and {} keeps none.", resource.name);
        let hint = "Give it `rowstore`, such as \"16MB\", or remove this.".to_owned();
        Mistake { hint: Some(hint), ..Mistake::new(place, message, None) }
    })
}

/// Pages that would be cut to the limit of all.
fn of_page_size(resource: &Resource, most: u64) -> Option<Mistake> {
    let size = resource.page_size.filter(|size| *size > most)?;
    let place = Place::Value(path(["resources", &resource.name, "page_size"]));
    let message = format!("A page of {size} items is above max_page_size, which is {most}.");
    Some(Mistake::new(place, message, None))
}

impl Place {
    fn path(&self) -> &Vec<String> {
        match self {
            Self::Key(path) | Self::Value(path) => path,
        }
    }
}

/// The columns that a resource names and its table does not have.
fn of_columns(resource: &Resource, relation: &Relation, mistakes: &mut Vec<Mistake>) {
    let served: Vec<String> = relation.columns.iter().map(Column::served_name).collect();
    let nearest = |wanted: &str| name::nearest(wanted, served.iter().map(String::as_str));
    for (list, names) in [("hidden", &resource.hidden), ("key", &resource.key)] {
        for (index, wanted) in names.iter().enumerate() {
            if relation.column_index(wanted).is_some() {
                continue;
            }
            let place = Place::Value(path(["resources", &resource.name, list, &index.to_string()]));
            let message = format!("{} has no column {wanted:?}.", relation.name);
            let mut mistake = Mistake::new(place, message, nearest(wanted));
            mistake.unsafe_to_serve = (list == "hidden").then(|| resource.name.clone());
            mistakes.push(mistake);
        }
    }
    for (wanted, alias) in &resource.columns {
        // Another store may spell the column as it is served, so one file can describe both.
        let is_meant = |column: &Column| column.name == *wanted || column.served_name() == *alias;
        if relation.columns.iter().any(is_meant) {
            continue;
        }
        let names = relation.columns.iter().map(|column| column.name.as_str());
        let place = Place::Key(path(["resources", &resource.name, "columns", wanted]));
        let message = format!("{} has no column {wanted:?}.", relation.name);
        mistakes.push(Mistake::new(place, message, name::nearest(wanted, names)));
    }
}

/// What is said of a resource and has no effect on what it is.
fn without_effect(resource: &Resource, subject: Subject) -> impl Iterator<Item = Mistake> {
    effective_keys::of(resource, subject).map(|Ineffective { key, message, hint, hides }| {
        let place = Place::Key(path(["resources", &resource.name, key]));
        let mut mistake = Mistake::new(place, message, None);
        mistake.hint = Some(hint.to_owned());
        mistake.unsafe_to_serve = hides.then(|| resource.name.clone());
        mistake
    })
}

/// What is said of a service and has no effect there, or cannot have it.
fn of_service(resource: &Resource, file: &ServiceFile) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = without_effect(resource, Subject::Service).collect();
    let lists = file.method == "GET" && file.result == ServiceResult::Rows && !file.is_fixed();
    match lists {
        true => mistakes.extend(of_service_memory(resource, file)),
        false => mistakes.extend(of_service_rows(resource)),
    }
    mistakes
}

fn service_mistake(resource: &Resource, member: &str, why: &str, hint: &str) -> Mistake {
    let place = Place::Key(path(["resources", &resource.name, member]));
    let message = format!("{} is a service{why}", resource.name);
    Mistake { hint: Some(hint.to_owned()), ..Mistake::new(place, message, None) }
}

/// What is said of the rows of a service that reads none, or not as pages.
fn of_service_rows(resource: &Resource) -> impl Iterator<Item = Mistake> {
    let of_rows = [
        ("page_size", resource.page_size.is_some()),
        ("unindexed", resource.unindexed != UnindexedPolicy::Allow),
        ("rowstore", resource.rowstore > 0),
        ("rowstore_populate", resource.rowstore_populate),
        ("serve_stale", resource.serve_stale.is_some()),
    ];
    of_rows.into_iter().filter(|(_, given)| *given).map(|(member, _)| {
        let why = format!(" without pages: `{member}` is for those that read rows.");
        service_mistake(resource, member, &why, "Remove it.")
    })
}

/// What is said of items of a service in memory, where it has none or they cannot be kept.
fn of_service_memory(resource: &Resource, file: &ServiceFile) -> Vec<Mistake> {
    if resource.rowstore == 0 && !resource.rowstore_populate {
        return of_memory(resource).collect();
    }
    let keeps = if resource.rowstore > 0 { "rowstore" } else { "rowstore_populate" };
    let mut mistakes = Vec::new();
    if file.key.is_empty() || !file.is_served_by_name() {
        let why = format!(" without items, which `{keeps}` is for.");
        let hint = "Give `key` and a `path` of one part in the header of its file, or remove this.";
        mistakes.push(service_mistake(resource, keeps, &why, hint));
    }
    if let Some(word) = file.statements.iter().find_map(unsteady_word) {
        let why = format!(
            " whose result changes without a commit, by {word:?}: its items cannot be kept in memory."
        );
        let hint = "Remove this, or the word from its statement.";
        mistakes.push(service_mistake(resource, keeps, &why, hint));
    }
    if mistakes.is_empty() {
        mistakes.extend(of_memory(resource));
    }
    mistakes
}

/// What a mount has beside its resources that does nothing.
pub(crate) fn of_mount(
    mount: &Mount,
    catalog: &Catalog,
    schema: &str,
    profile: ProfileRef,
    dialect: &dyn Dialect,
) -> Vec<Mistake> {
    let mut mistakes = of_routines(mount, catalog, schema, dialect);
    mistakes.extend(of_request_settings(mount, profile, dialect));
    mistakes.extend(of_aggregates(mount, profile));
    mistakes
}

/// `request_settings` where no function of a database reads them, or no client expects what it sets.
fn of_request_settings(
    mount: &Mount,
    profile: ProfileRef,
    dialect: &dyn Dialect,
) -> Option<Mistake> {
    let why = match (profile.takes_request_settings(), dialect.has_routines()) {
        (true, true) => return None,
        (true, false) => "the functions that read them are those of PostgreSQL",
        (false, _) => "it is for `compat = \"postgrest\"`",
    };
    let message = format!("`request_settings` cannot be `true`: {why}.");
    let place = Place::Key(path(["request_settings"]));
    mount.request_settings.then(|| Mistake::new(place, message, None))
}

/// The names of `routines` that the schema of the mount has nothing for; a store without routines has none of them.
fn of_routines(
    mount: &Mount,
    catalog: &Catalog,
    schema: &str,
    dialect: &dyn Dialect,
) -> Vec<Mistake> {
    if !dialect.has_routines() || mount.routines.is_empty() {
        return Vec::new();
    }
    let routines = catalog.routines_of(schema).iter().map(|routine| name::served(&routine.name));
    let own = catalog.media_aggregates.iter().filter(|own| own.schema == schema);
    let known: BTreeSet<String> = routines.chain(own.map(|own| own.name.clone())).collect();
    let unknown = mount.routines.iter().filter(|name| !known.contains(*name));
    let mistake = |name: &String| {
        let nearest = name::nearest(name, known.iter().map(String::as_str));
        let message =
            format!("The schema {schema} has no function or procedure {name:?} that may be run.");
        Mistake::new(Place::Key(path(["routines"])), message, nearest)
    };
    unknown.map(mistake).collect()
}

/// `aggregates` where no request can name them by it.
fn of_aggregates(mount: &Mount, profile: ProfileRef) -> Option<Mistake> {
    let message = "`aggregates` cannot be `true`: it is for `compat = \"postgrest\"`.";
    let place = Place::Key(path(["aggregates"]));
    let is_wrong = mount.aggregates && !profile.takes_request_settings();
    is_wrong.then(|| Mistake::new(place, message.to_owned(), None))
}

/// The names of `expand` that are names of no foreign key of their tables.
pub(crate) fn of_expand<'e>(
    declared: &DeclaredResources<'_>,
    tables: impl Iterator<Item = &'e Entry>,
) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for table in tables {
        let Some(resource) = declared.about(&table.shape.root().table) else { continue };
        for (name, spelling) in &resource.expand {
            let ways = || table.expandables.iter().filter(|way| way.is_spelled(spelling));
            if ways().any(|way| way.name == *name) {
                continue;
            }
            let (message, nearest) = match ways().next() {
                Some(_) => {
                    let message = format!(
                        "{name:?} cannot be the name of the foreign key {spelling:?}: {} has a member of this name, or the key has another one.",
                        table.name
                    );
                    (message, None)
                }
                None => {
                    let message = format!(
                        "{} has no foreign key {spelling:?} to or from a table that is served: name its columns, or `table.columns` of one that leads here.",
                        table.name
                    );
                    let spellings = table.expandables.iter().map(Expandable::spelling);
                    (message, name::nearest(spelling, spellings))
                }
            };
            let place = Place::Key(path(["resources", &resource.name, "expand", name]));
            mistakes.push(Mistake::new(place, message, nearest));
        }
    }
    mistakes
}

/// The patterns of privileges below tables whose first part is the key of no row, and no path that tables have.
pub(crate) fn of_items<'p>(
    mount: &Mount,
    below: &str,
    patterns: impl Iterator<Item = ItemPattern<'p>>,
    resources: &[Entry],
) -> Vec<Mistake> {
    let mut patterns = patterns.peekable();
    if patterns.peek().is_none() {
        return Vec::new();
    }
    let by_name: HashMap<&str, &Entry> =
        resources.iter().map(|resource| (resource.name.as_str(), resource)).collect();
    let mut mistakes = Vec::new();
    for ItemPattern { privilege, pattern, resource, item } in patterns {
        let Some(table) = by_name.get(resource) else { continue };
        let is_table = matches!(table.kind, ResourceKind::Table | ResourceKind::DualityView);
        if !is_table || !table.has_items() || BELOW_TABLES.contains(&item) {
            continue;
        }
        // A comma is a part of the only text, or stands between the parts of a key.
        let escaped = item.replace('%', "%25");
        let is_key = |text: &str| parse_key(&table.shape, text).is_ok();
        if is_key(&escaped) || is_key(&escaped.replace(',', "%2C")) {
            continue;
        }
        let message = format!(
            "The pattern {pattern:?} of privilege {privilege:?} matches nothing: {item:?} cannot be a key of {resource}."
        );
        mistakes.push(Mistake::new(of_grant(mount, below, privilege, pattern), message, None));
    }
    mistakes
}

/// What stands below a table and is no item.
const BELOW_TABLES: [&str; 3] = ["_", "search", "batchload"];

/// The place of a pattern in the file.
fn of_grant(mount: &Mount, below: &str, privilege: &str, pattern: &str) -> Place {
    let at = mount.grants().filter(|(path, ..)| *path == below).find_map(|(_, number, known)| {
        let index = known.patterns.iter().position(|known| known == pattern)?;
        (known.name == privilege).then(|| (number.to_string(), index.to_string()))
    });
    let (number, index) = at.unwrap_or_default();
    Place::Value(path(["privileges", &number, "patterns", &index]))
}

/// A pattern of a privilege that matches nothing that is served below this path. `elsewhere` is the
/// mount that serves the named resource.
pub(crate) fn of_pattern(
    mount: &Mount,
    below: &str,
    unmatched: &UnmatchedPattern,
    elsewhere: Option<&str>,
) -> Mistake {
    let UnmatchedPattern { privilege, pattern, nearest } = unmatched;
    let place = of_grant(mount, below, privilege, pattern);
    let at = if mount.further.is_empty() { String::new() } else { format!(" below {below}") };
    let message = format!(
        "The pattern {pattern:?} of privilege {privilege:?} matches nothing that is served{at}."
    );
    let nearest = nearest.as_ref().map(|name| format!("/{name}/*"));
    let mut mistake = Mistake::new(place, message, nearest.as_deref());
    if let Some(elsewhere) = elsewhere {
        mistake.hint = Some(format!(
            "It is served below {elsewhere}: give the privilege that as its `mount`."
        ));
    }
    mistake
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn items_in_memory_need_memory() {
        let populated = Resource { rowstore_populate: true, ..Resource::default() };
        let stale = Resource { serve_stale: Some(Duration::from_secs(9)), ..Resource::default() };
        for (resource, member) in [(populated, "rowstore_populate"), (stale, "serve_stale")] {
            let found = of_memory(&resource).next().unwrap();
            assert!(found.message.contains(member), "{}", found.message);
            assert_eq!(of_memory(&Resource { rowstore: 1, ..resource }).count(), 0);
        }
        assert_eq!(of_memory(&Resource::default()).count(), 0);
        let serve_stale = Some(Duration::ZERO);
        let both = Resource { rowstore_populate: true, serve_stale, ..Resource::default() };
        assert_eq!(of_memory(&both).count(), 2);
    }
}
