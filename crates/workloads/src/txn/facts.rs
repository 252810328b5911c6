//! What users need to know, the types of transactions and the sets of weights.

use std::fmt;
use std::time::{Duration, SystemTime};

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::{TransactionType, Preset};
use serde::{Deserialize, Serialize};

/// The types: name, short name.
pub const KINDS: [(&str, &str); 6] = [
    ("Get transaction", "GET"),
    ("List 100 transactions", "LIST"),
    ("Create transaction", "CREATE"),
    ("Create a batch", "BATCH"),
    ("INSERT by SQL", "SQL"),
    ("BEGIN, INSERT, COMMIT by SQL", "SQLTX"),
];

pub(super) const GET: usize = 0;
pub(super) const LIST: usize = 1;
pub(super) const CREATE: usize = 2;
pub(super) const BATCH: usize = 3;
pub(super) const SQL: usize = 4;

/// The commit classes that are acknowledged from the journal.
pub(super) const JOURNALED: [&str; 2] = ["ingest", "memory"];

/// Rows of a list.
pub(super) const LISTED: usize = 100;

/// The sets of weights. Limits are those that the published report sets for the use.
pub const PRESETS: [Preset; 6] = [
    Preset {
        name: "transactions",
        weights: &[("GET", 50.0), ("LIST", 10.0), ("CREATE", 40.0)],
        disabled: &[],
        limits: &[],
    },
    Preset {
        name: "dashboard",
        weights: &[("LIST", 1.0), ("GET", 4.0)],
        disabled: &[],
        limits: &["tps>=1500", "errors<=0%"],
    },
    Preset {
        name: "payments",
        weights: &[("CREATE", 1.0)],
        disabled: &[],
        limits: &["tps>=100", "errors<=0%"],
    },
    Preset {
        name: "monitoring",
        weights: &[("GET", 1.0)],
        disabled: &[],
        limits: &["tps>=1000", "errors<=0%"],
    },
    Preset {
        name: "layers",
        weights: &[("CREATE", 1.0), ("SQL", 1.0)],
        disabled: &[],
        limits: &[],
    },
    Preset { name: "batch", weights: &[("BATCH", 1.0)], disabled: &[], limits: &[] },
];

/// Everything that users need to know; it goes to every process.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The resource's URL.
    pub url: String,
    /// The value of `Authorization`, if there is one. It is a secret.
    pub authorization: Option<String>,
    /// The database below the service, where it is known: SQL needs it.
    pub database: Option<DatabaseAddress>,
    /// The paths of the transactions that are read.
    pub items: Vec<String>,
    /// Weights of [`KINDS`].
    pub weights: [f64; KINDS.len()],
    /// Rows of a batch.
    pub batch_rows: usize,
    /// The commit class that writes ask for; empty for that of the resource.
    pub commit: String,
    /// The beginning of the ids that this run creates.
    pub run: String,
    /// An answer that takes longer is a failure.
    pub timeout: Duration,
}

impl Facts {
    /// The beginning of new ids, different for each run.
    pub(super) fn new_run() -> String {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("RUN-{:x}-{:x}", since.as_micros(), std::process::id())
    }

    /// The types without a weight.
    pub(super) fn plain_kinds() -> Vec<TransactionType> {
        KINDS.iter().map(|(name, short)| TransactionType::new(name, short, 0.0)).collect()
    }

    /// Whether writes ask to be acknowledged from the journal.
    pub(super) fn is_journaled(&self) -> bool {
        JOURNALED.contains(&self.commit.as_str())
    }

    /// Whether a type needs the database itself.
    pub(super) fn needs_database(&self) -> bool {
        self.weights[SQL..].iter().any(|weight| *weight > 0.0)
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} items", self.url, self.items.len())
    }
}

#[cfg(test)]
mod tests {
    use duet_verdict::threshold::Rule;

    use super::*;

    #[test]
    fn presets_name_types_and_limits_that_exist() {
        for preset in PRESETS {
            for (short, _) in preset.weights {
                assert!(KINDS.iter().any(|(_, known)| known == short), "{short}");
            }
            for limit in preset.limits {
                assert!(limit.parse::<Rule>().is_ok(), "{limit}");
            }
        }
    }
}
