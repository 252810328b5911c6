//! What the samples have at one place of a document: the values of each member of some objects.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::values::ColumnType;

/// An object, and which of the objects around it has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'d> {
    /// Its members.
    pub(super) members: &'d Map<String, Value>,
    /// The position of its parent among the parents.
    pub(super) parent: usize,
}

/// A member of some objects.
#[derive(Debug)]
pub(super) struct MemberSamples<'d> {
    /// Its name.
    pub(super) name: &'d str,
    /// Its values, each with the position of its object; `null` is one.
    pub(super) values: Vec<(usize, &'d Value)>,
    /// How many objects there are.
    pub(super) objects: usize,
}

/// What the values of a member are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `null` alone.
    Nothing,
    /// Scalars of one type.
    Scalar(ColumnType),
    /// Objects.
    Object,
    /// Arrays whose elements are objects; at least one is not empty.
    Objects,
    /// Other arrays.
    Array,
    /// Several of these.
    Mixed,
}

/// The members of objects, in the order of their first appearance.
pub(super) fn members<'d>(objects: &[Sample<'d>]) -> Vec<MemberSamples<'d>> {
    let mut found: Vec<MemberSamples<'d>> = Vec::new();
    let mut by_name: HashMap<&'d str, usize> = HashMap::new();
    for (position, object) in objects.iter().enumerate() {
        for (name, value) in object.members {
            let at = *by_name.entry(name).or_insert_with(|| {
                found.push(MemberSamples { name, values: Vec::new(), objects: objects.len() });
                found.len() - 1
            });
            found[at].values.push((position, value));
        }
    }
    found
}

impl<'d> MemberSamples<'d> {
    /// How many objects have it with a value.
    pub(super) fn present(&self) -> usize {
        self.values.iter().filter(|(_, value)| !value.is_null()).count()
    }

    /// Whether every object has a value.
    pub(super) fn is_required(&self) -> bool {
        self.present() == self.objects
    }

    /// Whether it is `null` somewhere.
    pub(super) fn has_null(&self) -> bool {
        self.values.iter().any(|(_, value)| value.is_null())
    }

    /// Whether it is in so few objects that a column would nearly always be NULL: below 5 % of at least
    /// 20.
    pub(super) fn is_rare(&self) -> bool {
        self.objects >= 20 && self.values.len() * 20 < self.objects
    }

    /// The values that are not `null`.
    pub(super) fn given(&self) -> impl Iterator<Item = (usize, &'d Value)> + '_ {
        self.values.iter().copied().filter(|(_, value)| !value.is_null())
    }

    /// What the values are.
    pub(super) fn kind(&self) -> Kind {
        let given: Vec<&Value> = self.given().map(|(_, value)| value).collect();
        if given.is_empty() {
            return Kind::Nothing;
        }
        if given.iter().all(|value| value.is_object()) {
            return Kind::Object;
        }
        if given.iter().all(|value| value.is_array()) {
            let mut elements = given.iter().filter_map(|value| value.as_array()).flatten();
            let has_some =
                given.iter().any(|value| value.as_array().is_some_and(|all| !all.is_empty()));
            return if has_some && elements.all(Value::is_object) {
                Kind::Objects
            } else {
                Kind::Array
            };
        }
        if given.iter().any(|value| value.is_object() || value.is_array()) {
            return Kind::Mixed;
        }
        ColumnType::of(&given).map_or(Kind::Mixed, Kind::Scalar)
    }

    /// Its objects, or the elements of its arrays.
    pub(super) fn objects(&self) -> Vec<Sample<'d>> {
        let mut found = Vec::new();
        for (parent, value) in self.given() {
            match value {
                Value::Object(members) => found.push(Sample { members, parent }),
                Value::Array(elements) => found.extend(
                    elements
                        .iter()
                        .filter_map(Value::as_object)
                        .map(|members| Sample { members, parent }),
                ),
                _ => {}
            }
        }
        found
    }

    /// How often there is what, for comments: `text 3, integer 1`.
    pub(super) fn counts(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, value) in &self.values {
            let name = match value {
                Value::Null => "null",
                Value::Bool(_) => "boolean",
                Value::Number(_) => "number",
                Value::String(_) => "text",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            };
            *counts.entry(name).or_default() += 1;
        }
        let counts: Vec<String> =
            counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        counts.join(", ")
    }
}

/// Whether objects are maps: many names, each in few of them, as keys of data have.
pub(super) fn are_maps(objects: &[Sample<'_>]) -> bool {
    let members = members(objects);
    let values: usize = members.iter().map(|member| member.values.len()).sum();
    members.len() > 20 && values * 4 < members.len() * objects.len()
}

/// The value of a key, as text that both stores order alike: numbers by their value.
pub(super) fn key_order(value: &Value) -> (i64, &str) {
    (value.as_i64().unwrap_or_default(), value.as_str().unwrap_or_default())
}
