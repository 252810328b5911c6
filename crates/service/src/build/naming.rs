//! Names as served: aliases of the application, lower case otherwise, and what to do where two
//! names clash.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::iter::Peekable;
use std::slice;
use std::sync::Arc;

use duet_model::shape::SERVER_MEMBERS;
use duet_model::{Catalog, ProfileRef, Relation, TableRef, steps};
use duet_text::name;

use crate::definition::{Mount, Resource};

/// Names that mean something of their own below a mount.
pub(crate) const RESERVED: [&str; 6] =
    ["_", "oauth", "metadata-catalog", "open-api-catalog", "batchload", "search"];

/// A relation with the names that it and its columns are served under.
#[derive(Debug)]
pub(crate) struct NamedRelation {
    /// As the database has it.
    table: TableRef,
    /// With its names. Most are served as they are called: these are held once.
    named: TableRef,
    /// The resource of the application that it has them from.
    declared: Option<String>,
    /// What there is to say of the names of its columns.
    notes: Vec<String>,
}

/// Relations with their names, for the next snapshot, each with whether nothing of it is other than before.
pub(crate) type NamedRelations = Vec<(Arc<NamedRelation>, bool)>;

/// The relations of a mount's schema with the names that they and their columns are served under. `before` are those of a
/// snapshot of the same application: the columns of relations that are the same as then, and that the same resource is
/// about, have the same names.
pub(crate) fn name_relations(
    catalog: &Catalog,
    schema: &str,
    resources: &DeclaredResources<'_>,
    before: &[Arc<NamedRelation>],
    notes: &mut Vec<String>,
) -> (Catalog, NamedRelations) {
    let declared = |relation: &Relation| resources.about(relation);
    // Relations of other schemas are for views; only this schema's take names.
    let takes_name =
        |relation: &Relation| relation.schema == schema || declared(relation).is_some();
    let wanted = catalog.relations.iter().map(|relation| NameRequest {
        exact: &relation.name,
        alias: declared(relation).map(|resource| resource.name.as_str()),
        counts: takes_name(relation),
        is_kept: resources.keeps_names,
    });
    let (aliases, clashes) = give_names(&wanted.collect::<Vec<_>>(), &[]);
    for Clash { loser, alias, winner } in clashes {
        let loser = &catalog.relations[loser];
        let Some(winner) = winner.map(|winner| &catalog.relations[winner]) else { continue };
        notes.push(format!(
            "{}.{} keeps its own spelling: {} is served as {alias:?}, which is the name of both in lower case. Give one of them a name in app.toml.",
            loser.schema, loser.name, winner.name
        ));
    }
    let mut before = before.iter().peekable();
    let relations = catalog.relations.iter().zip(aliases).map(|(relation, alias)| {
        let (alias, declared) = (unlike(&relation.name, alias), declared(relation));
        let same = |known: &&Arc<NamedRelation>| {
            known.named.alias == alias
                && known.declared.as_ref() == declared.map(|resource| &resource.name)
        };
        let known = known_of(&mut before, relation).filter(same).cloned();
        let is_known = known.is_some();
        let named = known.unwrap_or_else(|| {
            Arc::new(NamedRelation::of(relation, alias, resources.keeps_names, declared))
        });
        notes.extend_from_slice(&named.notes);
        (named, is_known)
    });
    let relations: NamedRelations = relations.collect();
    let named = Catalog {
        relations: relations.iter().map(|(one, _)| Arc::clone(&one.named)).collect(),
        routines: catalog.routines.clone(),
        media_aggregates: catalog.media_aggregates.clone(),
        partition_keys: catalog.partition_keys.clone(),
        view_keys: catalog.view_keys.clone(),
        notes: catalog.notes.clone(),
        ..Catalog::default()
    };
    (named, relations)
}

/// The relation among those before, which are in the same order, if it is just the same.
fn known_of<'b>(
    before: &mut Peekable<slice::Iter<'b, Arc<NamedRelation>>>,
    relation: &TableRef,
) -> Option<&'b Arc<NamedRelation>> {
    while let Some(known) = before.peek() {
        let (own, other) = (&known.table, relation);
        match (&own.schema, &own.name).cmp(&(&other.schema, &other.name)) {
            Ordering::Less => drop(before.next()),
            Ordering::Equal => return Some(*known).filter(|_| Arc::ptr_eq(own, other)),
            Ordering::Greater => return None,
        }
    }
    None
}

impl NamedRelation {
    fn of(
        relation: &TableRef,
        alias: Option<String>,
        keeps_names: bool,
        declared: Option<&Resource>,
    ) -> Self {
        steps::step();
        let mut notes = Vec::new();
        let columns = column_aliases(relation, declared, keeps_names, &mut notes);
        let is_plain = relation.alias == alias && columns.iter().all(Option::is_none);
        let named = if is_plain {
            Arc::clone(relation)
        } else {
            let mut named = Relation { alias, ..Relation::clone(relation) };
            named.columns.iter_mut().zip(columns).for_each(|(column, alias)| column.alias = alias);
            Arc::new(named)
        };
        let declared = declared.map(|resource| resource.name.clone());
        Self { table: Arc::clone(relation), named, declared, notes }
    }
}

/// The names that schemas have in paths, as those of relations.
pub(crate) fn name_schemas(schemas: &[&str], notes: &mut Vec<String>) -> Vec<String> {
    let wanted = schemas.iter().map(|schema| NameRequest {
        exact: schema,
        alias: None,
        counts: true,
        is_kept: false,
    });
    let (names, clashes) = give_names(&wanted.collect::<Vec<_>>(), &[]);
    for Clash { loser, alias, winner } in clashes {
        let Some(winner) = winner else { continue };
        notes.push(format!(
            "The schema {} is served below {:?}: the schema {} is served below {alias:?}, which is the name of both in lower case.",
            schemas[loser], names[loser], schemas[winner]
        ));
    }
    names
}

/// Something that is to have a name among others.
struct NameRequest<'a> {
    /// The database's spelling.
    exact: &'a str,
    /// The name that the application gives.
    alias: Option<&'a str>,
    /// Whether it takes its name from others.
    counts: bool,
    /// Whether it is served as the database spells it.
    is_kept: bool,
}

impl NameRequest<'_> {
    /// The name where no other one has it.
    fn wanted(&self) -> String {
        match self.alias {
            Some(alias) => alias.to_owned(),
            None if self.is_kept => self.exact.to_owned(),
            None => name::served(self.exact),
        }
    }
}

/// Two that would have the same name; positions among the requested names. Without a winner, the name is the server's.
struct Clash {
    loser: usize,
    alias: String,
    winner: Option<usize>,
}

/// Gives each the name the application says, else its own in lower case. Where two would have the
/// same, the relation that the application names so has it, then the one called exactly so, then the
/// first; the others keep their own spelling, with `_` behind it if that is taken too. Instead of one of the `reserved`,
/// it is that name with `_` behind it.
fn give_names(wanted: &[NameRequest<'_>], reserved: &[&str]) -> (Vec<String>, Vec<Clash>) {
    let claim = |one: &NameRequest<'_>| match one.alias {
        _ if reserved.contains(&&*one.wanted()) => 3,
        Some(_) => 0,
        None if one.wanted() == one.exact => 1,
        None => 2,
    };
    let mut names: Vec<String> = wanted.iter().map(NameRequest::wanted).collect();
    let mut order: Vec<usize> = (0..wanted.len()).filter(|&index| wanted[index].counts).collect();
    order.sort_by_cached_key(|&index| claim(&wanted[index]));
    let mut taken: BTreeMap<String, Option<usize>> =
        reserved.iter().map(|name| ((*name).to_owned(), None)).collect();
    let mut clashes = Vec::new();
    for index in order {
        let alias = names[index].clone();
        if let Some(&winner) = taken.get(&alias) {
            // The server's own names have no second spelling: some clients read names without case.
            if winner.is_some() {
                names[index] = wanted[index].exact.to_owned();
            }
            while taken.contains_key(&names[index]) {
                names[index].push('_');
            }
            clashes.push(Clash { loser: index, alias, winner });
        }
        taken.insert(names[index].clone(), Some(index));
    }
    (names, clashes)
}

/// The mount as it is meant for this database: where no relation has the name that a resource gives
/// as its `table`, the resource is about the relation that is called as the resource itself.
///
/// So one file can describe a database whose two stores spell names differently, and what it hides
/// is hidden on both.
pub(crate) fn settled(mount: &Mount, catalog: &Catalog) -> Mount {
    let mut settled = mount.clone();
    for resource in &mut settled.resources {
        let is_there = |resource: &Resource| called(catalog, resource).next().is_some();
        let by_name = Resource { table: resource.name.clone(), ..resource.clone() };
        if !is_there(resource) && is_there(&by_name) {
            *resource = by_name;
        }
    }
    settled
}

/// The resources of an application's mount, by what they are about and by their names.
#[derive(Debug)]
pub(crate) struct DeclaredResources<'m> {
    /// By the lower-case name of their table.
    by_table: HashMap<String, Vec<&'m Resource>>,
    by_name: HashMap<&'m str, &'m Resource>,
    /// Whether relations and columns that the application does not name are served as the database spells them.
    keeps_names: bool,
}

impl<'m> DeclaredResources<'m> {
    pub(crate) fn of(mount: &'m Mount, profile: ProfileRef) -> Self {
        let (by_table, by_name) = (HashMap::new(), HashMap::new());
        let mut declared = Self { by_table, by_name, keeps_names: profile.keeps_names() };
        for resource in &mount.resources {
            let (_, table) = qualified(resource);
            declared.by_table.entry(table.to_lowercase()).or_default().push(resource);
            declared.by_name.entry(&resource.name).or_insert(resource);
        }
        declared
    }

    /// The first resource that is about a relation.
    pub(crate) fn about(&self, relation: &Relation) -> Option<&'m Resource> {
        let mut found = self.by_table.get(&relation.name.to_lowercase()).into_iter().flatten();
        found.find(|resource| names(resource, relation)).copied()
    }

    /// The resource of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&'m Resource> {
        self.by_name.get(name).copied()
    }
}

/// The relations that a resource of the application is about.
pub(crate) fn called<'c>(
    catalog: &'c Catalog,
    resource: &Resource,
) -> impl Iterator<Item = &'c TableRef> {
    let (_, table) = qualified(resource);
    catalog.called(table).filter(move |relation| names(resource, relation))
}

/// The schema, if it is given, and the name of the table that a resource is about.
fn qualified(resource: &Resource) -> (Option<&str>, &str) {
    match resource.table.split_once('.') {
        Some((schema, table)) => (Some(schema), table),
        None => (None, resource.table.as_str()),
    }
}

/// Whether a resource of the application is about this relation.
fn names(resource: &Resource, relation: &Relation) -> bool {
    steps::step();
    let (schema, table) = qualified(resource);
    let same = |a: &str, b: &str| a == b || a.to_lowercase() == b.to_lowercase();
    schema.is_none_or(|schema| same(schema, &relation.schema)) && same(table, &relation.name)
}

/// A served name, where it differs from what the database and the rule of lower case give.
fn unlike(exact: &str, served: String) -> Option<String> {
    (served != exact || name::served(exact) != exact).then_some(served)
}

/// The served names of a relation's columns, where they need to be said.
fn column_aliases(
    relation: &Relation,
    declared: Option<&Resource>,
    keeps_names: bool,
    notes: &mut Vec<String>,
) -> Vec<Option<String>> {
    let wanted = relation.columns.iter().map(|column| NameRequest {
        exact: &column.name,
        alias: declared.and_then(|d| d.columns.get(&column.name).map(String::as_str)),
        counts: true,
        is_kept: keeps_names,
    });
    let (names, clashes) = give_names(&wanted.collect::<Vec<_>>(), &SERVER_MEMBERS);
    for Clash { loser, alias, winner } in clashes {
        let Relation { schema, name: table, .. } = relation;
        let (column, served) = (&relation.columns[loser].name, &names[loser]);
        notes.push(match winner {
            Some(_) => format!(
                "Two columns of {schema}.{table} would be served as {alias:?}: {column:?} is served as {served:?}. Give it a name in app.toml."
            ),
            None => format!(
                "The column {column:?} of {schema}.{table} is served as {served:?}, because {alias:?} is the server's own member of an item. Give it another name in app.toml."
            ),
        });
    }
    let columns = relation.columns.iter().zip(names);
    columns.map(|(column, name)| unlike(&column.name, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_have_distinct_paths() {
        let mut notes = Vec::new();
        assert_eq!(name_schemas(&["API", "api", "public"], &mut notes), ["API", "api", "public"]);
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with("The schema API is served below \"API\": "), "{notes:?}");
        notes.clear();
        assert_eq!(name_schemas(&["Sales", "public"], &mut notes), ["sales", "public"]);
        assert!(notes.is_empty());
    }

    #[test]
    fn names_are_kept_where_the_profile_says_so() {
        let kept = |exact| NameRequest { exact, alias: None, counts: true, is_kept: true };
        let (names, clashes) = give_names(&[kept("Item"), kept("item"), kept("links")], &["links"]);
        assert_eq!(
            (names, clashes.len()),
            (vec!["Item".into(), "item".into(), "links_".into()], 1)
        );
    }

    #[test]
    fn clashes_keep_their_spelling() {
        let named = |wanted: &[(&str, Option<&str>)]| {
            let wanted: Vec<_> = wanted
                .iter()
                .map(|&(exact, alias)| NameRequest { exact, alias, counts: true, is_kept: false })
                .collect();
            let (names, clashes) = give_names(&wanted, &["links"]);
            (names, clashes.len())
        };
        let (names, clashes) = named(&[("Item", None), ("item", None), ("ITEM", None)]);
        assert_eq!((names, clashes), (vec!["Item".into(), "item".into(), "ITEM".into()], 2));
        let (names, clashes) = named(&[("NAME", None), ("Name", None), ("Other", Some("o"))]);
        assert_eq!((names, clashes), (vec!["name".into(), "Name".into(), "o".into()], 1));
        let (names, clashes) = named(&[("a", None), ("b", Some("a")), ("a_", None)]);
        assert_eq!((names, clashes), (vec!["a_".into(), "a".into(), "a__".into()], 2));
        let (names, clashes) = named(&[("links", None), ("LINKS", None), ("links_", None)]);
        assert_eq!(
            (names, clashes),
            (vec!["links__".into(), "links___".into(), "links_".into()], 2)
        );
        let (names, clashes) = named(&[("a", Some("links")), ("b", None)]);
        assert_eq!((names, clashes), (vec!["links_".into(), "b".into()], 1));
    }
}
