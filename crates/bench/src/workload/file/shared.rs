//! What all users of a process share: values, counts, texts of files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use duet_client::confinement;

use super::formats::csv::fields;

/// What all users of a process share.
#[derive(Debug, Default)]
pub(super) struct SharedValues {
    values: Mutex<BTreeMap<String, String>>,
    /// The counts of calls and limits, by their numbers.
    counts: Mutex<BTreeMap<usize, [u64; 2]>>,
    /// The first rows of files.
    rows: Mutex<BTreeMap<String, Vec<String>>>,
}

impl SharedValues {
    /// With these values at the beginning.
    pub(super) fn new(values: BTreeMap<String, String>) -> Self {
        Self { values: Mutex::new(values), ..Self::default() }
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        locked(&self.values).get(name).cloned()
    }

    pub(super) fn set(&self, name: &str, value: String) {
        locked(&self.values).insert(name.to_owned(), value);
    }

    /// Changes the counts of a call or a limit.
    pub(super) fn count<R>(&self, number: usize, change: impl FnOnce(&mut [u64; 2]) -> R) -> R {
        change(locked(&self.counts).entry(number).or_default())
    }

    /// A field of the first row of a file, which is read once; `None` where there is none.
    pub(super) fn cell(&self, folder: &Path, name: &str, column: usize) -> Option<String> {
        let mut rows = locked(&self.rows);
        let row = rows.entry(name.to_owned()).or_insert_with(|| {
            let text = confinement::read_text(&folder.join(name)).unwrap_or_default();
            text.lines().next().map(|line| fields(line, ",", true)).unwrap_or_default()
        });
        row.get(column).cloned()
    }
}

fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
