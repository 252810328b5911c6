//! What users need to know, the types and the sets of weights.

use std::fmt;
use std::time::{Duration, SystemTime};

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::{TransactionType, Preset};
use serde::{Deserialize, Serialize};

/// The types: name, short name.
pub const KINDS: [(&str, &str); 3] = [
    ("Ingest a batch", "INGEST"),
    ("Ingest one row", "ROW"),
    ("A batch straight into the database", "COPY"),
];

pub(super) const INGEST: usize = 0;
pub(super) const ROW: usize = 1;
pub(super) const COPY: usize = 2;

/// The sets of weights.
pub const PRESETS: [Preset; 4] = [
    Preset { name: "ingest", weights: &[("INGEST", 1.0)], disabled: &[], limits: &[] },
    Preset { name: "rows", weights: &[("ROW", 1.0)], disabled: &[], limits: &[] },
    Preset { name: "copy", weights: &[("COPY", 1.0)], disabled: &[], limits: &[] },
    Preset {
        name: "beside-copy",
        weights: &[("INGEST", 1.0), ("COPY", 1.0)],
        disabled: &[],
        limits: &[],
    },
];

/// Everything that users need to know; it goes to every process.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The resource's URL; empty if only the database is written.
    pub url: String,
    /// The value of `Authorization`, if there is one. It is a secret.
    pub authorization: Option<String>,
    /// The database below the service, where it is known: COPY needs it.
    pub database: Option<DatabaseAddress>,
    /// Weights of [`KINDS`].
    pub weights: [f64; KINDS.len()],
    /// Rows of a batch.
    pub rows: usize,
    /// The beginning of the ids that this run creates.
    pub run: String,
    /// A response that takes longer is a failure.
    pub timeout: Duration,
}

impl Facts {
    /// The beginning of new ids, different for each run.
    pub(super) fn new_run() -> String {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("ING-{:x}-{:x}", since.as_micros(), std::process::id())
    }

    /// The types without a weight.
    pub(super) fn plain_kinds() -> Vec<TransactionType> {
        KINDS.iter().map(|(name, short)| TransactionType::new(name, short, 0.0)).collect()
    }

    /// Whether a type needs the database itself.
    pub(super) fn needs_database(&self) -> bool {
        self.weights[COPY] > 0.0
    }

    /// The rows of one transaction of a type.
    pub(super) fn rows_of(&self, kind: usize) -> u64 {
        if kind == ROW { 1 } else { self.rows as u64 }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, batches of {}", self.url, self.rows)
    }
}
