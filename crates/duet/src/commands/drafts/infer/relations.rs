//! Collections whose documents contain each other: which sub-objects are documents of which collection, and which two
//! members say the same from both sides.

use std::collections::{HashMap, HashSet};

use duet_model::steps;
use serde_json::{Map, Value};

use super::design::Member;
use super::keys::{self, Reach};
use super::names::singular;
use super::samples::{Kind, Sample, members};
use crate::commands::drafts::init::names::snake_case;

/// A collection whose documents have a key.
#[derive(Debug)]
pub(super) struct RootCollection<'d> {
    /// Its position.
    pub(super) collection: usize,
    /// The member that is the key.
    pub(super) key: &'d str,
    /// The documents by the text of their key.
    pub(super) documents: HashMap<String, &'d Map<String, Value>>,
    /// The members that they have, and whether each is a scalar of one type.
    pub(super) members: HashMap<&'d str, bool>,
}

/// Such collections by their names in the singular.
pub(super) type RootCollections<'d> = HashMap<String, RootCollection<'d>>;

/// The collections whose documents have a key.
pub(super) fn root_collections<'d>(
    collections: &[(&'d str, Vec<Sample<'d>>)],
) -> RootCollections<'d> {
    let mut found = RootCollections::new();
    for (collection, (name, documents)) in collections.iter().enumerate() {
        steps::step();
        let key = keys::find(documents, name, false).filter(|(_, reach)| *reach == Reach::All);
        let Some((key, _)) = key else { continue };
        let of_key = |(at, value): (usize, &Value)| (value.to_string(), documents[at].members);
        let members = members(documents).into_iter();
        let root = RootCollection {
            collection,
            key: key.name,
            documents: key.given().map(of_key).collect(),
            members: members
                .map(|member| {
                    (member.name, matches!(member.kind(), Kind::Scalar(_) | Kind::Nothing))
                })
                .collect(),
        };
        found.entry(singular(&snake_case(name))).or_insert(root);
    }
    found
}

/// A member of a collection's documents whose objects are documents of another collection.
#[derive(Debug)]
pub(super) struct Relation {
    /// The collection of the member.
    pub(super) from: usize,
    /// The collection of the objects.
    pub(super) to: usize,
    /// The name of the collection and the member.
    pub(super) path: String,
    /// Whether it is a list.
    pub(super) is_list: bool,
    /// Whether the lists are in the order of the objects' keys.
    pub(super) in_order: bool,
    /// Whether objects of one key differ, so that members of theirs belong to the relation.
    pub(super) has_members: bool,
    /// The keys of document and object.
    pub(super) pairs: HashSet<KeyPair>,
}

/// The keys of a document and of an object in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeyPair {
    pub(super) document: String,
    pub(super) object: String,
}

/// All relations, by their paths.
#[derive(Debug, Default)]
pub(super) struct Relations {
    all: Vec<Relation>,
    by_path: HashMap<String, usize>,
    /// Those between two collections, in one direction.
    between: HashMap<(usize, usize), Vec<usize>>,
    /// The keys of each collection's documents.
    keys: HashMap<usize, HashSet<String>>,
}

impl Relations {
    /// Takes the keys of the documents that there are.
    pub(super) fn of(roots: &RootCollections<'_>) -> Self {
        let keys = |root: &RootCollection<'_>| root.documents.keys().cloned().collect();
        let keys = roots.values().map(|root| (root.collection, keys(root))).collect();
        Self { keys, ..Self::default() }
    }

    /// Adds one.
    pub(super) fn add(&mut self, relation: Relation) {
        let at = self.all.len();
        self.by_path.insert(relation.path.clone(), at);
        self.between.entry((relation.from, relation.to)).or_default().push(at);
        self.all.push(relation);
    }

    /// The relation of a member.
    pub(super) fn at(&self, path: &str) -> Option<&Relation> {
        self.by_path.get(path).map(|at| &self.all[*at])
    }

    /// The member of the other collection that says the same as a list: the one object that each of its elements
    /// belongs to, or the list that each of them is in.
    pub(super) fn inverse(&self, path: &str) -> Option<&Relation> {
        let own = self.at(path).filter(|own| own.is_list && own.in_order && own.from != own.to)?;
        let others = self.between.get(&(own.to, own.from))?.iter().map(|at| &self.all[*at]);
        let mut possible = others.filter(|other| {
            steps::step();
            match other.is_list {
                true => other.in_order && self.agree(own, other),
                false => !own.has_members && is_function(own) && self.agree(own, other),
            }
        });
        possible.next()
    }

    /// Whether two relations have the same pairs, of documents that there are on both sides.
    fn agree(&self, own: &Relation, other: &Relation) -> bool {
        let (documents, objects) = (self.keys.get(&own.from), self.keys.get(&own.to));
        let (Some(documents), Some(objects)) = (documents, objects) else { return false };
        let of_own = own.pairs.iter().filter(|pair| objects.contains(&pair.object));
        let turned = other.pairs.iter().filter(|pair| documents.contains(&pair.object));
        let turned: HashSet<KeyPair> = turned
            .map(|pair| KeyPair { document: pair.object.clone(), object: pair.document.clone() })
            .collect();
        let mut count = 0;
        let all = of_own.inspect(|_| count += 1).all(|pair| turned.contains(pair));
        all && count == turned.len()
    }
}

/// Whether no object is in the lists of two documents.
fn is_function(relation: &Relation) -> bool {
    let objects: HashSet<&str> = relation.pairs.iter().map(|pair| pair.object.as_str()).collect();
    objects.len() == relation.pairs.len()
}

/// A collection whose documents are sub-objects of others too.
#[derive(Debug)]
pub(super) struct ContainedCollection {
    /// Its name.
    pub(super) name: String,
    /// Its table.
    pub(super) table: usize,
    /// The key as a member.
    pub(super) key: Member,
    /// The columns of members that sub-objects have.
    pub(super) columns: HashMap<String, String>,
}

/// What keeps relations, by their paths.
#[derive(Debug, Default)]
pub(super) struct KeptRelations {
    /// The columns of single objects.
    pub(super) columns: HashMap<String, String>,
    /// The mapping tables of lists.
    pub(super) tables: HashMap<String, MappingTable>,
}

/// A table with a row for each element of lists.
#[derive(Clone, Debug)]
pub(super) struct MappingTable {
    /// Its position.
    pub(super) table: usize,
    /// The column that refers to the documents that have the lists; empty if their key has several.
    pub(super) document: String,
    /// The columns of members that belong to the relation.
    pub(super) members: HashMap<String, String>,
}
