//! What a row is called while a write is planned: its table and the values of one of its keys, as bytes to
//! look it up by. Two rows of a document that have the same name are the same row.

use std::collections::{HashMap, HashSet};

use duet_model::catalog::Relation;
use duet_model::{NodeId, Value};
use foldhash::quality::RandomState;

/// Something about each of several rows. The bytes are of clients, so the hash has a seed of its own.
pub(super) type RowMap<T> = HashMap<RowName, T, RandomState>;

/// Several rows.
pub(super) type RowSet = HashSet<RowName, RandomState>;

/// The name of a row. Compared and hashed only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RowName(Vec<u8>);

impl RowName {
    /// The name of the row of a table with these values of a key's columns.
    pub(super) fn new(table: &Relation, columns: &[usize], key: &[Value]) -> Self {
        Self::in_table(&table.schema, &table.name, columns, key)
    }

    fn in_table(schema: &str, table: &str, columns: &[usize], key: &[Value]) -> Self {
        let mut name = Self(Vec::with_capacity(64));
        name.bytes(schema.as_bytes());
        name.bytes(table.as_bytes());
        name.columns(columns);
        key.iter().for_each(|value| name.value(value));
        name
    }

    /// The name of the row of a node with these values of a key's columns: another node of the same table
    /// has other names.
    pub(super) fn of_node(node: NodeId, columns: &[usize], key: &[Value]) -> Self {
        let mut name = Self(Vec::with_capacity(64));
        name.number(node);
        name.columns(columns);
        key.iter().for_each(|value| name.value(value));
        name
    }

    /// The same row as one that belongs to its parent by these columns.
    pub(super) fn belonging_by(mut self, columns: &[usize]) -> Self {
        self.columns(columns);
        self
    }

    fn number(&mut self, number: usize) {
        self.0.extend_from_slice(&(number as u64).to_le_bytes());
    }

    /// With the length first, so that no two lists of bytes can look like another two.
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn columns(&mut self, columns: &[usize]) {
        self.number(columns.len());
        columns.iter().for_each(|&column| self.number(column));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.0.push(0),
            Value::Bool(value) => self.0.extend([1, u8::from(*value)]),
            Value::Int(value) => {
                self.0.push(2);
                self.0.extend_from_slice(&value.to_le_bytes());
            }
            Value::Float(value) => {
                self.0.push(3);
                self.0.extend_from_slice(&value.to_bits().to_le_bytes());
            }
            Value::Text(text) => {
                self.0.push(4);
                self.bytes(text.as_bytes());
            }
            Value::Bytes(bytes) => {
                self.0.push(5);
                self.bytes(bytes);
            }
            Value::RawText(text) => {
                self.0.push(4);
                self.bytes(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(table: &str, columns: &[usize], key: &[Value]) -> RowName {
        RowName::in_table("s", table, columns, key)
    }

    #[test]
    fn different_rows_have_different_names() {
        let text = |text: &str| Value::Text(text.into());
        let names = [
            name("a", &[0], &[Value::Int(1)]),
            name("b", &[0], &[Value::Int(1)]),
            name("a", &[1], &[Value::Int(1)]),
            name("a", &[0], &[Value::Int(1)]).belonging_by(&[1]),
            name("a", &[0], &[text("1")]),
            name("a", &[0, 1], &[text("a"), text("bc")]),
            name("a", &[0, 1], &[text("ab"), text("c")]),
            name("a", &[0], &[Value::Bytes(b"1".to_vec())]),
            name("a", &[0], &[Value::Float(1.0)]),
            name("a", &[0], &[Value::Bool(true)]),
            name("a", &[0], &[Value::Null]),
        ];
        for (at, one) in names.iter().enumerate() {
            assert!(names[at + 1..].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(names[0], name("a", &[0], &[Value::Int(1)]));
    }
}
