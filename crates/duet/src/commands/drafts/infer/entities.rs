//! Sub-objects that are the same in several places: equal wherever their own key is equal. They become
//! rows of one table.

use std::collections::{BTreeMap, HashMap, HashSet};

use duet_model::steps;
use serde_json::{Map, Value};

use super::super::init::names::snake_case;
use super::keys::identity;
use super::names::singular;
use super::relations::{RootCollection, RootCollections};
use super::samples::{Kind, Sample, are_maps, members};

/// A kind of shared sub-object.
#[derive(Debug)]
pub(super) struct Entity<'d> {
    /// Its name, a singular.
    pub(super) name: String,
    /// The member that identifies it.
    pub(super) key: String,
    /// One object for each key.
    pub(super) rows: Vec<&'d Map<String, Value>>,
    /// How often they occur.
    pub(super) occurrences: usize,
    /// What has them already.
    pub(super) home: Option<HomeOf>,
    /// Members whose values differ for one key, so that they belong to the place where the object is.
    pub(super) varying: HashSet<String>,
}

/// What has the rows of sub-objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HomeOf {
    /// A table that is there, by its position.
    Table(usize),
    /// The documents of a collection, by its position.
    Collection(usize),
}

/// A table that sub-objects may be rows of.
#[derive(Debug)]
pub(super) struct Home {
    /// Its position.
    pub(super) table: usize,
    /// The column of its key.
    pub(super) key: String,
}

/// Such tables by their names in the singular.
pub(super) type Homes = HashMap<String, Home>;

/// Whether a member called so identifies rows by a column called so: `customerId`, `_id` and `id` are the key
/// `customer_id` or `id` of customers.
pub(super) fn is_key_of(entity: &str, member: &str, column: &str) -> bool {
    steps::step();
    let own = |name: &str| {
        let folded = snake_case(name);
        let bare = folded.strip_prefix(entity).map(|rest| rest.trim_start_matches('_').to_owned());
        bare.filter(|bare| !bare.is_empty()).unwrap_or(folded)
    };
    own(member) == own(column)
}

/// All of them, by the places where they occur.
#[derive(Debug, Default)]
pub(super) struct Entities<'d> {
    /// The kinds.
    pub(super) all: Vec<Entity<'d>>,
    by_path: HashMap<String, usize>,
}

/// Objects at one place that may be shared.
struct Candidate<'d> {
    path: String,
    key: String,
    objects: Vec<&'d Map<String, Value>>,
    /// Whether they are in lists.
    is_list: bool,
}

impl<'d> Entities<'d> {
    /// Finds them in the documents of all collections.
    pub(super) fn find(
        collections: &[(&str, Vec<Sample<'d>>)],
        homes: &Homes,
        roots: &RootCollections<'d>,
    ) -> Self {
        let mut groups: BTreeMap<(String, String), Vec<Candidate<'d>>> = BTreeMap::new();
        for (name, documents) in collections {
            let is_known = |name: &str| homes.contains_key(name) || roots.contains_key(name);
            walk(documents, name, &is_known, &mut groups);
        }
        let mut found = Self::default();
        for ((name, key), mut candidates) in groups {
            let home = homes.get(&name).filter(|home| is_key_of(&name, &key, &home.key));
            let root = roots.get(&name).filter(|root| {
                is_key_of(&name, &key, root.key)
                    || candidates.iter().any(|one| one.has_key_of(root))
            });
            let home = match (home, root) {
                (Some(home), _) => Some((HomeOf::Table(home.table), None)),
                (None, Some(root)) => Some((HomeOf::Collection(root.collection), Some(root))),
                (None, None) => None,
            };
            if let Some((home, root)) = home {
                let mut values = HashMap::new();
                candidates
                    .retain(|candidate| !found.unite(&name, home, root, candidate, &mut values));
            }
            // Equal names in several collections may mean different things.
            if !found.add(&name, &candidates.iter().collect::<Vec<_>>()) {
                for candidate in &candidates {
                    found.add(&name, &[candidate]);
                }
            }
        }
        found
    }

    /// The kind at a place.
    pub(super) fn at(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Unites objects with the rows of a table or of a collection. `values` are those of earlier ones, by key and
    /// member.
    fn unite(
        &mut self,
        name: &str,
        home: HomeOf,
        root: Option<&RootCollection<'d>>,
        candidate: &Candidate<'d>,
        values: &mut HashMap<(String, &'d str), &'d Value>,
    ) -> bool {
        let mut varying: HashSet<&str> = HashSet::new();
        let mut own: HashMap<(String, &'d str), &'d Value> = HashMap::new();
        for object in &candidate.objects {
            let Some(key) = object.get(&candidate.key).map(ToString::to_string) else {
                return false;
            };
            let document = root.and_then(|root| root.documents.get(&key));
            for (member, value) in *object {
                steps::step();
                let is_scalar =
                    root.is_none_or(|root| root.members.get(member.as_str()) != Some(&false));
                let is_nested = value.is_array() || value.is_object();
                if root.is_some() && is_nested || !is_scalar {
                    return false;
                }
                if *member == candidate.key {
                    continue;
                }
                let place = (key.clone(), member.as_str());
                // The documents of the collection say what a member is, if any of them has it.
                let is_shown = root.is_some_and(|root| root.members.contains_key(member.as_str()));
                let stored = document
                    .filter(|_| is_shown)
                    .map(|document| document.get(member).unwrap_or(&Value::Null));
                let known = stored.or_else(|| values.get(&place).copied());
                // What elements of lists have and documents do not belongs to the list.
                let is_of_list = root.is_some() && !is_shown && candidate.is_list;
                let known = known.or(own.get(&place).copied());
                if is_of_list || known.is_some_and(|known| known != value) {
                    varying.insert(member);
                }
                own.insert(place, value);
            }
        }
        if !varying.is_empty() && !candidate.is_list {
            return false;
        }
        let varying: HashSet<String> = varying.into_iter().map(str::to_owned).collect();
        values.extend(own.into_iter().filter(|((_, member), _)| !varying.contains(*member)));
        self.by_path.insert(candidate.path.clone(), self.all.len());
        self.all.push(Entity {
            name: name.to_owned(),
            key: candidate.key.clone(),
            rows: candidate.objects.clone(),
            occurrences: candidate.objects.len(),
            home: Some(home),
            varying,
        });
        true
    }

    fn add(&mut self, name: &str, candidates: &[&Candidate<'d>]) -> bool {
        if candidates.is_empty() {
            return true;
        }
        let Some(rows) = rows(candidates) else { return false };
        let occurrences = candidates.iter().map(|candidate| candidate.objects.len()).sum();
        if rows.len() == occurrences {
            return false;
        }
        for candidate in candidates {
            self.by_path.insert(candidate.path.clone(), self.all.len());
        }
        let (name, key) = (name.to_owned(), candidates[0].key.clone());
        let (home, varying) = (None, HashSet::new());
        self.all.push(Entity { name, key, rows, occurrences, home, varying });
        true
    }
}

/// One object for each key; `None` where two of the same key differ.
fn rows<'d>(candidates: &[&Candidate<'d>]) -> Option<Vec<&'d Map<String, Value>>> {
    let mut known: HashMap<String, &'d Map<String, Value>> = HashMap::new();
    let mut rows = Vec::new();
    for candidate in candidates {
        for object in &candidate.objects {
            let key = object.get(&candidate.key)?.to_string();
            match known.get(&key) {
                Some(other) if other != object => return None,
                Some(_) => {}
                None => {
                    known.insert(key, object);
                    rows.push(*object);
                }
            }
        }
    }
    Some(rows)
}

impl Candidate<'_> {
    /// Whether one of the objects has the key of a document.
    fn has_key_of(&self, root: &RootCollection<'_>) -> bool {
        let keys = self.objects.iter().filter_map(|object| object.get(&self.key));
        keys.into_iter().any(|key| root.documents.contains_key(&key.to_string()))
    }
}

/// What objects are called: by the member, or else by their key, as `teacherId` of `advisor`, if there is something of
/// that name.
fn entity_name(member: &str, key: &str, is_known: &dyn Fn(&str) -> bool) -> String {
    let own = singular(&snake_case(member));
    let key = snake_case(key);
    let of_key = key.rsplit_once('_').map(|(name, _)| name).filter(|name| is_known(name));
    match of_key.filter(|_| !is_known(&own)) {
        Some(name) => name.to_owned(),
        None => own,
    }
}

fn walk<'d>(
    objects: &[Sample<'d>],
    path: &str,
    is_known: &dyn Fn(&str) -> bool,
    groups: &mut BTreeMap<(String, String), Vec<Candidate<'d>>>,
) {
    for member in members(objects) {
        if !matches!(member.kind(), Kind::Object | Kind::Objects) {
            continue;
        }
        let (path, inner) = (format!("{path}/{}", member.name), member.objects());
        if are_maps(&inner) {
            continue;
        }
        if let Some(key) = identity(&inner, member.name) {
            let name = entity_name(member.name, key.name, is_known);
            let key = key.name.to_owned();
            let objects = inner.iter().map(|sample| sample.members).collect();
            let group = groups.entry((name, key.clone())).or_default();
            let is_list = member.kind() == Kind::Objects;
            group.push(Candidate { path: path.clone(), key, objects, is_list });
        }
        walk(&inner, &path, is_known, groups);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_objects_are_shared() {
        let documents = [
            json!({"customer": {"id": 1, "name": "A"}, "ship": {"id": 1, "x": 1}}),
            json!({"customer": {"id": 1, "name": "A"}, "ship": {"id": 1, "x": 2}}),
            json!({"customer": {"id": 2, "name": "B"}, "ship": {"id": 2, "x": 1}, "lines": [{"id": 1}]}),
        ];
        let samples: Vec<Sample<'_>> = documents
            .iter()
            .filter_map(Value::as_object)
            .map(|members| Sample { members, parent: 0 })
            .collect();
        let found = Entities::find(&[("orders", samples)], &Homes::new(), &RootCollections::new());
        let names: Vec<&str> = found.all.iter().map(|entity| entity.name.as_str()).collect();
        assert_eq!(names, ["customer"], "the other differs, or occurs once");
        assert_eq!((found.all[0].rows.len(), found.all[0].occurrences), (2, 3));
        assert_eq!(found.at("orders/customer"), Some(0));
        assert_eq!(found.at("orders/ship"), None);
    }
}
