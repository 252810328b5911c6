//! Sub-objects that are the same in several places: equal wherever their own key is equal. They become
//! rows of one table.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::super::init::names::snake_case;
use super::keys::identity;
use super::names::singular;
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
}

impl<'d> Entities<'d> {
    /// Finds them in the documents of all collections.
    pub(super) fn find(collections: &[(&str, Vec<Sample<'d>>)]) -> Self {
        let mut groups: BTreeMap<(String, String), Vec<Candidate<'d>>> = BTreeMap::new();
        for (name, documents) in collections {
            walk(documents, name, &mut groups);
        }
        let mut found = Self::default();
        for ((name, _), candidates) in groups {
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

    fn add(&mut self, name: &str, candidates: &[&Candidate<'d>]) -> bool {
        let Some(rows) = rows(candidates) else { return false };
        let occurrences = candidates.iter().map(|candidate| candidate.objects.len()).sum();
        if rows.len() == occurrences {
            return false;
        }
        for candidate in candidates {
            self.by_path.insert(candidate.path.clone(), self.all.len());
        }
        let (name, key) = (name.to_owned(), candidates[0].key.clone());
        self.all.push(Entity { name, key, rows, occurrences });
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

fn walk<'d>(
    objects: &[Sample<'d>],
    path: &str,
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
            let name = singular(&snake_case(member.name));
            let key = key.name.to_owned();
            let objects = inner.iter().map(|sample| sample.members).collect();
            let group = groups.entry((name, key.clone())).or_default();
            group.push(Candidate { path: path.clone(), key, objects });
        }
        walk(&inner, &path, groups);
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
        let found = Entities::find(&[("orders", samples)]);
        let names: Vec<&str> = found.all.iter().map(|entity| entity.name.as_str()).collect();
        assert_eq!(names, ["customer"], "the other differs, or occurs once");
        assert_eq!((found.all[0].rows.len(), found.all[0].occurrences), (2, 3));
        assert_eq!(found.at("orders/customer"), Some(0));
        assert_eq!(found.at("orders/ship"), None);
    }
}
