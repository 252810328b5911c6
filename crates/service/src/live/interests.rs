//! Which queries a changed document may concern, without asking each of them.
//!
//! A query is found by the key of its only document, by the value that it wants in one column of the root, or not at
//! all: then every change of its resource is compared with it. A document also concerns the queries that selected it.

use std::collections::{BTreeMap, HashMap};

use duet_document::{Codec, write_string};
use duet_model::{Compare, Expr, Relation, Type, Value};
use duet_rowstore::KeyBytes;

/// A query of a topic.
pub(crate) type GroupId = u32;

/// How a query is found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Interest {
    /// By the key of its document.
    Key(KeyBytes),
    /// By a value of the root.
    Value(ColumnValue),
    /// Every document may concern it.
    Every,
}

/// A value of a column of the root, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnValue {
    pub(crate) column: usize,
    pub(crate) json: Box<[u8]>,
}

impl Interest {
    /// How the query with a filter on documents of a table is found, and whether the filter has to be asked whether it
    /// selects a document that is found by it.
    pub(crate) fn of_filter(filter: &Expr, table: &Relation) -> (Self, bool) {
        let parts: Vec<&Expr> = match filter {
            Expr::And(parts) => parts.iter().collect(),
            other => vec![other],
        };
        let value = parts.iter().find_map(|part| wanted_value(part, table));
        match value {
            Some(value) => (Self::Value(value), parts.len() > 1),
            None => (Self::Every, !filter.is_all()),
        }
    }
}

/// The value that a condition wants in a column whose equal values have one form.
fn wanted_value(condition: &Expr, table: &Relation) -> Option<ColumnValue> {
    let Expr::Compare(Compare::Eq, left, right) = condition else { return None };
    let (Expr::Field(field), Expr::Operand(value, _)) = (&**left, &**right) else { return None };
    let column = field.whole_column().filter(|column| column.node == 0)?.column;
    let described = table.columns.get(column).filter(|column| !column.loose_equality)?;
    let mut json = Vec::new();
    match (&described.ty, value) {
        (Type::Integer { .. }, Value::Int(value)) => {
            json.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes());
        }
        (Type::Text | Type::Enum(_), Value::Text(text)) => write_string(text.as_bytes(), &mut json),
        _ => return None,
    }
    Some(ColumnValue { column, json: json.into_boxed_slice() })
}

/// The JSON text of a cell, as interests have it.
pub(crate) fn json_of(codec: &Codec, cell: duet_document::Datum<'_>) -> Box<[u8]> {
    let mut json = Vec::new();
    codec.write(cell, &mut json);
    json.into_boxed_slice()
}

/// The queries of a topic by what finds them.
#[derive(Debug, Default)]
pub(crate) struct Interests {
    by_key: HashMap<KeyBytes, Vec<GroupId>>,
    by_value: BTreeMap<usize, HashMap<Box<[u8]>, Vec<GroupId>>>,
    every: Vec<GroupId>,
    /// The queries that select a document.
    members: HashMap<KeyBytes, Vec<GroupId>>,
}

fn take_out<K: Eq + std::hash::Hash>(map: &mut HashMap<K, Vec<GroupId>>, key: &K, id: GroupId) {
    if let Some(ids) = map.get_mut(key) {
        ids.retain(|known| *known != id);
        if ids.is_empty() {
            map.remove(key);
        }
    }
}

impl Interests {
    /// Adds a query.
    pub(crate) fn add(&mut self, id: GroupId, interest: &Interest) {
        match interest {
            Interest::Key(key) => self.by_key.entry(key.clone()).or_default().push(id),
            Interest::Value(ColumnValue { column, json }) => {
                let values = self.by_value.entry(*column).or_default();
                values.entry(json.clone()).or_default().push(id);
            }
            Interest::Every => self.every.push(id),
        }
    }

    /// Removes it; its documents have left it.
    pub(crate) fn remove(&mut self, id: GroupId, interest: &Interest) {
        match interest {
            Interest::Key(key) => take_out(&mut self.by_key, key, id),
            Interest::Value(ColumnValue { column, json }) => {
                if let Some(values) = self.by_value.get_mut(column) {
                    take_out(values, json, id);
                    if values.is_empty() {
                        self.by_value.remove(column);
                    }
                }
            }
            Interest::Every => self.every.retain(|known| *known != id),
        }
    }

    /// A document has entered a query.
    pub(crate) fn enter(&mut self, key: &KeyBytes, id: GroupId) {
        self.members.entry(key.clone()).or_default().push(id);
    }

    /// It has left it.
    pub(crate) fn leave(&mut self, key: &KeyBytes, id: GroupId) {
        take_out(&mut self.members, key, id);
    }

    /// Whether the document of a key may concern a query, whatever it holds.
    pub(crate) fn may_concern(&self, key: &KeyBytes) -> bool {
        !self.every.is_empty()
            || !self.by_value.is_empty()
            || self.by_key.contains_key(key)
            || self.members.contains_key(key)
    }

    /// The columns by whose values queries are found.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_value.keys().copied()
    }

    /// How many queries every change of the resource is compared with.
    pub(crate) fn everywhere(&self) -> usize {
        self.every.len()
    }

    /// The queries that a document concerns which has these values now, in ascending order.
    pub(crate) fn concerned(&self, key: &KeyBytes, values: &[ColumnValue]) -> Vec<GroupId> {
        let by_value = |value: &ColumnValue| self.by_value.get(&value.column)?.get(&value.json);
        let found = [self.by_key.get(key), self.members.get(key), Some(&self.every)];
        let found = found.into_iter().chain(values.iter().map(by_value)).flatten();
        let mut ids: Vec<GroupId> = found.flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

#[cfg(test)]
mod tests {
    use duet_model::{Column, ColumnRef};

    use super::*;

    fn table() -> Relation {
        let integer = Type::Integer { bits: 64 };
        let loose = Column { loose_equality: true, ..Column::new("loose", Type::Text) };
        let columns = [("id", integer.clone()), ("team", integer), ("name", Type::Text)];
        let columns = columns.map(|(name, ty)| Column::new(name, ty)).into_iter();
        Relation::table("s", "t", columns.chain([loose]).collect())
    }

    fn equal(column: usize, value: Value) -> Expr {
        let ty = table().columns[column].ty.clone();
        Expr::compare(Compare::Eq, ColumnRef { node: 0, column }, Expr::operand(value, &ty))
    }

    #[test]
    fn filters_are_found_by_a_value() {
        let of = |filter: &Expr| Interest::of_filter(filter, &table());
        let value = |column, json: &str| {
            Interest::Value(ColumnValue { column, json: json.as_bytes().into() })
        };
        let team = equal(1, Value::Int(7));
        assert_eq!(of(&team), (value(1, "7"), false));
        let name = equal(2, Value::Text("a\"b".into()));
        assert_eq!(of(&name), (value(2, r#""a\"b""#), false));
        assert_eq!(of(&team.clone().and(name.clone())), (value(1, "7"), true));
        assert_eq!(of(&Expr::all()), (Interest::Every, false));
        assert_eq!(of(&team.clone().or(name)), (Interest::Every, true));
        assert_eq!(of(&team.negated()), (Interest::Every, true));
        let loose = equal(3, Value::Text("a".into()));
        assert_eq!(of(&loose), (Interest::Every, true), "several texts may be equal");
    }

    #[test]
    fn only_the_queries_that_a_document_may_concern_are_found() {
        let value = |column, json: &str| ColumnValue { column, json: json.as_bytes().into() };
        let key = |number: i64| KeyBytes::of(&[Value::Int(number)]);
        for number in [1_000_u32, 2_000] {
            let mut interests = Interests::default();
            for id in 0..number {
                interests.add(id, &Interest::Value(value(1, &id.to_string())));
            }
            interests.add(number, &Interest::Key(key(5)));
            assert_eq!(interests.concerned(&key(9), &[value(1, "7")]), [7]);
            assert_eq!(interests.concerned(&key(5), &[value(1, "7")]), [7, number]);
            interests.enter(&key(9), 3);
            assert_eq!(interests.concerned(&key(9), &[value(1, "7")]), [3, 7]);
            interests.leave(&key(9), 3);
            interests.remove(7, &Interest::Value(value(1, "7")));
            assert_eq!(interests.concerned(&key(9), &[value(1, "7")]), [0; 0]);
        }
        let mut interests = Interests::default();
        interests.add(1, &Interest::Key(key(5)));
        assert!(interests.may_concern(&key(5)) && !interests.may_concern(&key(6)));
        interests.add(2, &Interest::Every);
        assert!(interests.may_concern(&key(6)));
        assert_eq!(interests.concerned(&key(6), &[]), [2]);
    }
}
