//! The rows of a journal that are not applied yet, found by their keys.
//!
//! The index is made from the segments when it is asked, and read on from there the next time. So it costs
//! nothing while no request asks, and every process of the host has its own, whichever owns the journal.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::BuildHasher;
use std::io;
use std::path::Path;

use duet_document::typed_value;
use duet_journal::{Follower, Id, PlacedRecord, RecordPlace};
use duet_model::{Code, Error, Result, Type, Value};
use duet_text::json::{Json, JsonKind};

use super::queued_row::{QueuedRow, is_single_row};
use crate::build::mount::Mount;
use crate::build::snapshot::Snapshot;
use crate::resources::resource::Resource;

/// Keys in the index: about 40 bytes each.
const MOST: usize = 1 << 20;
/// Bytes of records that are read at once.
const BYTES: usize = 1 << 20;
/// How often the index is made again because its files have other names now.
const TRIES: usize = 3;

/// The key of the rows of a table, by which they are looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WantedKey {
    schema: String,
    table: String,
    columns: Vec<String>,
    /// In the form of [`canonical`].
    values: Vec<String>,
}

impl WantedKey {
    /// The key of an item.
    pub(crate) fn of(resource: &Resource, key: &[Value]) -> Self {
        let table = &resource.shape.root().table;
        let columns = resource.shape.key.iter().map(|&column| &table.columns[column]);
        Self {
            schema: table.schema.clone(),
            table: table.name.clone(),
            values: columns.clone().zip(key).map(|(it, value)| canonical(&it.ty, value)).collect(),
            columns: columns.map(|column| column.name.clone()).collect(),
        }
    }

    /// The key of a row; `None` where it has none yet.
    fn of_row(row: &QueuedRow, key: &[KeyColumn]) -> Option<Self> {
        let origin = &row.origin;
        let mut values = Vec::with_capacity(key.len());
        for (name, ty) in key {
            let column = origin.columns.iter().position(|column| column == name)?;
            let value = row.values.get(column).filter(|value| **value != Value::Null)?;
            values.push(canonical(ty, value));
        }
        let columns = key.iter().map(|(name, _)| name.clone()).collect();
        let (schema, table) = (origin.schema.clone(), origin.table.clone());
        Some(Self { schema, table, columns, values })
    }
}

/// One text for all values of a type that are the same to the database.
fn canonical(ty: &Type, value: &Value) -> String {
    let Value::Text(text) = value else { return value.to_string() };
    let json = Json { at: 0, kind: JsonKind::Text(text.as_str().into()) };
    typed_value(ty, &json).map_or_else(|_| text.clone(), |value| value.to_string())
}

/// The name and type of a column of a key.
type KeyColumn = (String, Type);

/// The schema and name of a table.
type TableName = (String, String);

/// The keys by which rows of a table are looked for.
pub(crate) struct TableKeys<'s> {
    /// Changes with the keys.
    generation: u64,
    of: &'s dyn Fn(&TableName) -> Vec<Vec<KeyColumn>>,
}

/// What a look for a row has found.
#[derive(Debug)]
pub(crate) enum Sought {
    /// The folder has no journal.
    NoJournal,
    /// No row with this key waits.
    Nothing,
    /// The first that will be written, and the id of its journal.
    Row(Id, QueuedRow),
}

/// The index of one journal.
#[derive(Debug, Default)]
pub(crate) struct WaitingRows {
    /// The journal, the generation of the snapshot whose keys are used, and the reader.
    of: Option<(Id, u64, Follower)>,
    hasher: RandomState,
    /// Records with rows in the index by their first sequence ids: the last one, and where they are.
    records: BTreeMap<u64, (u64, RecordPlace)>,
    /// Hashes of keys, with the sequence ids of their rows.
    keys: BTreeSet<(u64, u64)>,
    /// The same in the order of the sequence ids.
    order: VecDeque<(u64, u64)>,
    /// The keys by which rows of a table are looked for.
    key_columns: HashMap<TableName, Vec<Vec<KeyColumn>>>,
}

impl WaitingRows {
    /// Looks for a row that is not applied; everything up to `applied` is.
    ///
    /// # Errors
    /// [`Code::JournalUnavailable`] where the journal cannot be read now, or more rows wait than are indexed.
    pub(crate) fn find(
        &mut self,
        folder: &Path,
        applied: u64,
        snapshot: &Snapshot,
        wanted: &WantedKey,
    ) -> Result<Sought> {
        let of = |table: &TableName| keys_of(table, snapshot);
        let keys = TableKeys { generation: snapshot.generation, of: &of };
        self.find_by(folder, applied, &keys, wanted, MOST)
    }

    /// The same with these keys, of which it indexes about so many rows.
    fn find_by(
        &mut self,
        folder: &Path,
        applied: u64,
        keys: &TableKeys<'_>,
        wanted: &WantedKey,
        most: usize,
    ) -> Result<Sought> {
        for _ in 0..TRIES {
            let published = match Follower::published(folder) {
                Ok(published) => published,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Sought::NoJournal);
                }
                Err(error) => return Err(unreadable(error)),
            };
            let published = published.ok_or_else(|| {
                Error::new(Code::JournalUnavailable, "The journal is being opened.").retry_after(1)
            })?;
            let complete =
                self.read_on(folder, published.id, published.durable, applied, keys, most)?;
            match self.look(folder, published.id, wanted)? {
                Some(Some(row)) => return Ok(Sought::Row(published.id, row)),
                Some(None) if complete => return Ok(Sought::Nothing),
                Some(None) => return Err(too_many()),
                // A new owner has copied the segment, or it was removed because its rows are applied.
                None => self.of = None,
            }
        }
        Err(unreadable("its files change"))
    }

    /// Indexes what is durable by now; whether it is all.
    fn read_on(
        &mut self,
        folder: &Path,
        id: Id,
        durable: u64,
        applied: u64,
        keys: &TableKeys<'_>,
        most: usize,
    ) -> Result<bool> {
        let known = self.of.take().filter(|(known, generation, follower)| {
            (*known, *generation) == (id, keys.generation) && follower.after() >= applied
        });
        let mut follower = match known {
            Some((.., follower)) => follower,
            None => {
                *self = Self::default();
                Follower::new(folder, applied)
            }
        };
        self.forget(applied);
        while self.order.len() < most {
            let records = follower
                .read(id, durable, BYTES.min(most.saturating_mul(8)))
                .map_err(unreadable)?;
            if records.is_empty() {
                break;
            }
            records.into_iter().try_for_each(|record| self.add(record, keys))?;
        }
        let complete = follower.after() >= durable;
        self.of = Some((id, keys.generation, follower));
        Ok(complete)
    }

    fn add(&mut self, record: PlacedRecord, tables: &TableKeys<'_>) -> Result<()> {
        let rows = rows_of(&record)?;
        let mut has_keys = false;
        for row in &rows {
            let table = (row.origin.schema.clone(), row.origin.table.clone());
            let keys = self.key_columns.entry(table);
            let keys = keys.or_insert_with_key(|table| (tables.of)(table));
            for key in keys.iter().filter_map(|key| WantedKey::of_row(row, key)) {
                let hash = self.hasher.hash_one(&key);
                if self.keys.insert((hash, row.sequence)) {
                    self.order.push_back((row.sequence, hash));
                }
                has_keys = true;
            }
        }
        if has_keys {
            self.records.insert(record.first, (record.last(), record.place));
        }
        Ok(())
    }

    fn forget(&mut self, applied: u64) {
        while let Some((sequence, hash)) = self.order.front().copied()
            && sequence <= applied
        {
            self.order.pop_front();
            self.keys.remove(&(hash, sequence));
        }
        while self.records.first_key_value().is_some_and(|(_, (last, _))| *last <= applied) {
            self.records.pop_first();
        }
    }

    /// The first row with a key, if there is one; `None` where a record is not where it was.
    fn look(&self, folder: &Path, id: Id, wanted: &WantedKey) -> Result<Option<Option<QueuedRow>>> {
        let hash = self.hasher.hash_one(wanted);
        for (_, sequence) in self.keys.range((hash, 0)..=(hash, u64::MAX)) {
            let Some((_, (_, place))) = self.records.range(..=sequence).next_back() else {
                continue;
            };
            let record = Follower::record(folder, id, place).map_err(unreadable)?;
            let Some(record) = record else { return Ok(None) };
            let row = rows_of(&record)?.into_iter().find(|row| row.sequence == *sequence);
            let is_wanted = |row: &QueuedRow| {
                let table = (wanted.schema.clone(), wanted.table.clone());
                let keys = self.key_columns.get(&table).into_iter().flatten();
                keys.filter_map(|key| WantedKey::of_row(row, key)).any(|key| key == *wanted)
            };
            if let Some(row) = row.filter(is_wanted) {
                return Ok(Some(Some(row)));
            }
        }
        Ok(Some(None))
    }
}

fn rows_of(record: &PlacedRecord) -> Result<Vec<QueuedRow>> {
    let cause = || format!("the record {} holds no rows of this version", record.first);
    QueuedRow::of_payload(&record.payload, record.first, record.rows)
        .ok_or_else(|| unreadable(cause()))
}

/// The keys of all resources that show single rows of a table.
fn keys_of((schema, table): &TableName, snapshot: &Snapshot) -> Vec<Vec<KeyColumn>> {
    let mut keys: Vec<Vec<KeyColumn>> = Vec::new();
    let resources = snapshot.mounts.iter().flat_map(Mount::resources);
    for resource in resources.filter(|resource| has_waiting_items(resource)) {
        let root = &resource.shape.root().table;
        if (&root.schema, &root.name) != (schema, table) {
            continue;
        }
        let columns = resource.shape.key.iter().map(|&column| &root.columns[column]);
        let key: Vec<KeyColumn> = columns.map(|it| (it.name.clone(), it.ty.clone())).collect();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Whether items of a resource may be rows that wait.
pub(crate) fn has_waiting_items(resource: &Resource) -> bool {
    resource.has_items() && is_single_row(resource)
}

fn unreadable(cause: impl std::fmt::Display) -> Error {
    Error::new(Code::JournalUnavailable, "The journal cannot be read.").retry_after(1).cause(cause)
}

fn too_many() -> Error {
    let message = "More rows wait in the journal than can be searched, and the database does not have this one. Try again when some are applied.";
    Error::new(Code::JournalUnavailable, message).retry_after(1)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use duet_journal::{Entry, Journal, Options, RealDisk, RowGroup};

    use super::*;

    fn entry(ids: std::ops::Range<i64>) -> Entry {
        let rows = ids.map(|id| vec![Value::Int(id), Value::Text(format!("row {id}"))]).collect();
        let columns = vec!["id".to_owned(), "name".to_owned()];
        Entry {
            resource: "/ords/hr/team".to_owned(),
            schema: "main".to_owned(),
            table: "team".to_owned(),
            groups: vec![RowGroup { columns, rows }],
            ..Entry::default()
        }
    }

    fn append(journal: &Journal, entry: &Entry) {
        let (sender, receiver) = channel();
        let rows = u32::try_from(entry.rows()).unwrap();
        journal.append(entry.encode(), rows, move |ended| drop(sender.send(ended))).unwrap();
        receiver.recv().unwrap().unwrap();
    }

    fn wanted(id: i64) -> WantedKey {
        WantedKey {
            schema: "main".to_owned(),
            table: "team".to_owned(),
            columns: vec!["id".to_owned()],
            values: vec![id.to_string()],
        }
    }

    /// The sequence id of the row of a key; 0 without one.
    fn find(index: &mut WaitingRows, folder: &Path, applied: u64, id: i64) -> Result<u64> {
        let of = |_: &TableName| vec![vec![("id".to_owned(), Type::Integer { bits: 64 })]];
        let keys = TableKeys { generation: 1, of: &of };
        match index.find_by(folder, applied, &keys, &wanted(id), 100)? {
            Sought::Row(_, row) => Ok(row.sequence),
            Sought::Nothing | Sought::NoJournal => Ok(0),
        }
    }

    #[test]
    fn the_index_is_bounded_and_follows_what_is_applied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut index = WaitingRows::default();
        assert_eq!(find(&mut index, path, 0, 1).unwrap(), 0, "no journal");
        let disk = RealDisk::lock(path).unwrap();
        let unknown = find(&mut index, path, 0, 1).unwrap_err();
        assert_eq!(unknown.code, Code::JournalUnavailable, "an owner has just come");
        let journal = Journal::open(disk, Options::default()).unwrap();
        for first in (0..300).step_by(10) {
            append(&journal, &entry(first..first + 10));
        }
        assert_eq!(find(&mut index, path, 0, 7).unwrap(), 8);
        let beyond = find(&mut index, path, 0, 299).unwrap_err();
        assert_eq!(beyond.code, Code::JournalUnavailable, "nobody knows");
        let bound = |index: &WaitingRows| index.order.len().max(index.keys.len());
        assert!(bound(&index) < 200, "{}", bound(&index));
        // Rows that are applied make room for others.
        assert_eq!(find(&mut index, path, 95, 7).map_err(|it| it.code), Err(beyond.code));
        assert_eq!(find(&mut index, path, 95, 95).unwrap(), 96);
        assert_eq!(find(&mut index, path, 250, 299).unwrap(), 300);
        assert_eq!(find(&mut index, path, 250, 7).unwrap(), 0, "all that waits is indexed");
        assert!(bound(&index) < 200 && index.records.len() < 20);
        // Of two rows with a key, the first that waits.
        append(&journal, &entry(299..300));
        assert_eq!(find(&mut index, path, 299, 299).unwrap(), 300);
        assert_eq!(find(&mut index, path, 300, 299).unwrap(), 301);
        assert_eq!(find(&mut index, path, 301, 299).unwrap(), 0);
        assert_eq!((bound(&index), index.records.len()), (0, 0));
    }

    #[test]
    fn a_new_owner_of_the_journal_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let open = || Journal::open(RealDisk::lock(path).unwrap(), Options::default()).unwrap();
        let journal = open();
        append(&journal, &entry(1..4));
        let mut index = WaitingRows::default();
        assert_eq!(find(&mut index, path, 0, 3).unwrap(), 3);
        // As a process that was paused: the next owner copies its segment.
        std::fs::remove_file(path.join("lock")).unwrap();
        let next = open();
        append(&next, &entry(4..6));
        assert_eq!(find(&mut index, path, 0, 3).unwrap(), 3);
        assert_eq!(find(&mut index, path, 0, 5).unwrap(), 5);
        drop(journal);
    }
}
