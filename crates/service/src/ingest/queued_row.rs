//! Rows of a journal: what its entries hold, and which resources have such rows.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use duet_journal::{Entry, OwnedRecord, RowGroup};
use duet_model::Value;

use crate::resources::resource::Resource;

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// Whether new documents of a resource are single rows of a table, which a journal can keep.
pub(crate) fn is_single_row(resource: &Resource) -> bool {
    let shape = &resource.shape;
    resource.takes_inserts()
        && shape.nodes.len() == 1
        && shape.root().filter.is_none()
        && !shape.has_directives()
        && shape.root().table.query.is_none()
        && resource.documents.is_empty()
        && resource.assigned.is_empty()
}

/// What rows of an entry have in common.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) resource: String,
    pub(crate) schema: String,
    pub(crate) table: String,
    pub(crate) caller: String,
    pub(crate) accepted_at: u64,
    pub(crate) columns: Vec<String>,
}

/// A row of a journal.
#[derive(Clone, Debug)]
pub(crate) struct QueuedRow {
    pub(crate) sequence: u64,
    pub(crate) origin: Arc<Origin>,
    pub(crate) values: Vec<Value>,
}

impl QueuedRow {
    /// The rows of a record; `None` where it holds none that can be read.
    pub(crate) fn all_of(record: &OwnedRecord) -> Option<Vec<Self>> {
        Self::of_payload(&record.payload, record.first, record.rows)
    }

    /// The rows of the payload of a record with this first sequence id and number of rows.
    pub(crate) fn of_payload(payload: &[u8], first: u64, rows: u32) -> Option<Vec<Self>> {
        let entry = Entry::decode(payload)?;
        (entry.rows() == u64::from(rows)).then(|| Self::of(entry, first))
    }

    /// The value of a column, where the row has one.
    pub(crate) fn column(&self, name: &str) -> Option<&Value> {
        let column = self.origin.columns.iter().position(|column| column == name)?;
        self.values.get(column)
    }

    /// The rows of an entry, the first of which has this sequence id.
    pub(crate) fn of(entry: Entry, first: u64) -> Vec<Self> {
        let Entry { resource, schema, table, caller, accepted_at, groups } = entry;
        let mut sequence = first;
        let mut rows = Vec::new();
        for RowGroup { columns, rows: values } in groups {
            let origin = Arc::new(Origin {
                resource: resource.clone(),
                schema: schema.clone(),
                table: table.clone(),
                caller: caller.clone(),
                accepted_at,
                columns,
            });
            for values in values {
                rows.push(Self { sequence, origin: Arc::clone(&origin), values });
                sequence += 1;
            }
        }
        rows
    }

    /// The row as an entry of its own.
    pub(crate) fn entry(&self) -> Entry {
        let Origin { resource, schema, table, caller, accepted_at, columns } = &*self.origin;
        Entry {
            resource: resource.clone(),
            schema: schema.clone(),
            table: table.clone(),
            caller: caller.clone(),
            accepted_at: *accepted_at,
            groups: vec![RowGroup { columns: columns.clone(), rows: vec![self.values.clone()] }],
        }
    }

    /// The row as JSON, with the names of its columns.
    pub(crate) fn content(&self) -> String {
        let members = self.origin.columns.iter().zip(&self.values);
        let members: serde_json::Map<String, serde_json::Value> =
            members.map(|(name, value)| (name.clone(), as_json(value))).collect();
        serde_json::Value::from(members).to_string()
    }
}

/// A value as JSON; bytes as lower-case hex.
fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => serde_json::Number::from_f64(*value)
            .map_or(serde_json::Value::Null, serde_json::Value::Number),
        Value::Text(value) => value.as_str().into(),
        Value::Bytes(_) | Value::RawText(_) => value.to_string().into(),
    }
}
