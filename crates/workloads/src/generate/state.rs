//! Reads the state of a data set in a database: the metadata table describes it, and its last row
//! marks the load as complete.

use std::collections::BTreeMap;

use duet_client::{Connection, Failure};
use duet_model::Value;

use super::schema::Engine;
use super::{DataSet, DataSource, GENERATOR};
use crate::flag::{Flag, FlagValues};

/// The rows of the metadata, which workloads read at their start.
#[derive(Clone, Debug)]
pub struct Metadata {
    set: &'static dyn DataSource,
    rows: BTreeMap<String, String>,
}

impl Metadata {
    /// Reads the metadata of a data set; empty if the table does not exist.
    ///
    /// # Errors
    /// The database's error.
    pub async fn read(
        connection: &mut Connection,
        set: &'static dyn DataSource,
    ) -> Result<Option<Self>, Failure> {
        let store = store(connection);
        let there = relations(connection, set.name()).await?;
        if !there.iter().any(|name| name == set.metadata()) {
            return Ok(None);
        }
        let table = store.name(set.name(), set.metadata());
        let sql = format!("SELECT metadata_key, metadata_value FROM {table}");
        let found = connection.ask(&sql, &[]).await?;
        let mut rows = BTreeMap::new();
        for row in found.rows {
            if let [Value::Text(key), Value::Text(value)] = row.as_slice() {
                rows.insert(key.clone(), value.clone());
            }
        }
        let unrecorded = set.unrecorded();
        for flag in set.flags() {
            if let Some(value) = unrecorded.text(flag) {
                rows.entry(key_of(set, flag)).or_insert_with(|| value.to_owned());
            }
        }
        Ok(Some(Self { set, rows }))
    }

    /// The number in a row, such as `SOE_MAX_CUSTOMER_ID`.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.rows.get(key)?.parse().ok()
    }

    /// The scale.
    pub fn scale(&self) -> Option<f64> {
        self.own("SCALE")?.parse().ok()
    }

    /// The seed.
    pub fn seed(&self) -> Option<u64> {
        self.own("SEED")?.parse().ok()
    }

    /// Whether the load was completed.
    pub fn is_complete(&self) -> bool {
        self.own("COMPLETE").is_some_and(|value| value == "yes")
    }

    /// Whether it is of this generator, at this scale, with this seed and the choices that were asked for.
    pub fn is_of(&self, set: &DataSet) -> bool {
        let unasked: Vec<_> = set.unasked.iter().map(|name| set.metadata_key(name)).collect();
        let mut rows = start_rows(set).into_iter().filter(|(key, _)| !unasked.contains(key));
        rows.all(|(key, value)| self.rows.get(&key) == Some(&value))
    }

    /// The loaded data set, if this generator still supports its version.
    pub fn data_set(&self) -> Option<DataSet> {
        let scale = self.scale().filter(|scale| self.set.takes(*scale))?;
        let mut given = FlagValues::default();
        for flag in self.set.flags() {
            if let Some(value) = self.rows.get(&key_of(self.set, flag)) {
                given.insert(flag.name, value);
            }
        }
        let set = self.set.make(scale, self.seed()?, &given);
        self.is_of(&set).then_some(set)
    }

    fn own(&self, name: &str) -> Option<&String> {
        self.rows.get(&format!("{}_{name}", self.set.name().to_uppercase()))
    }
}

/// The key of the row that records an option.
fn key_of(set: &dyn DataSource, flag: &Flag) -> String {
    format!("{}_{}", set.name(), flag.name).to_uppercase().replace('-', "_")
}

/// The rows written before the data.
pub(super) fn start_rows(set: &DataSet) -> Vec<(String, String)> {
    let mut rows = vec![
        (set.metadata_key("SCALE"), set.scale.to_string()),
        (set.metadata_key("SEED"), set.seed.to_string()),
        (set.metadata_key("GENERATOR"), GENERATOR.to_string()),
    ];
    let choices = set.choices.iter();
    rows.extend(choices.map(|(name, value)| (set.metadata_key(name), value.clone())));
    rows
}

/// The store of a connection.
pub(super) fn store(connection: &Connection) -> Engine {
    match connection.store() {
        "postgres" => Engine::Postgres,
        _ => Engine::Sqlite,
    }
}

/// The names of all tables, views and sequences in the data set's namespace.
pub(super) async fn relations(
    connection: &mut Connection,
    set: &str,
) -> Result<Vec<String>, Failure> {
    let sql = match store(connection) {
        Engine::Postgres => format!(
            "SELECT c.relname::text FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = '{set}' AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')"
        ),
        Engine::Sqlite => {
            "SELECT lower(name) FROM sqlite_master WHERE type IN ('table', 'view')".to_owned()
        }
    };
    let found = connection.ask(&sql, &[]).await?;
    let name = |row: &Vec<Value>| match row.first() {
        Some(Value::Text(name)) => Some(name.clone()),
        _ => None,
    };
    Ok(found.rows.iter().filter_map(name).collect())
}
