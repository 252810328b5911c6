//! What users need to know, the types of transactions and the sets of weights.

use std::fmt;
use std::time::{Duration, SystemTime};

use duet_bench::workload::{TransactionType, Preset};
use serde::{Deserialize, Serialize};

use super::queries::{QUERIES, Query};

/// The types behind the lists: name, short name.
const WRITING: [(&str, &str); 4] = [
    ("cycle of an order", "CYCLE-PO"),
    ("cycle of a line", "CYCLE-PL"),
    ("create an order", "CREATE-PO"),
    ("create a line", "CREATE-PL"),
];
/// The number of types.
pub(super) const KINDS: usize = QUERIES.len() + WRITING.len();
/// The types that write, by their numbers.
pub(super) const CYCLE_ORDER: usize = QUERIES.len();
pub(super) const CYCLE_LINE: usize = CYCLE_ORDER + 1;
pub(super) const CREATE_ORDER: usize = CYCLE_ORDER + 2;

/// The sets of weights.
pub const PRESETS: [Preset; 5] = [
    Preset { name: "published", weights: &of_published(), disabled: &[], limits: &[] },
    Preset { name: "fields", weights: &of_fields(), disabled: &[], limits: &[] },
    Preset {
        name: "cycles",
        weights: &[("CYCLE-PO", 1.0), ("CYCLE-PL", 1.0)],
        disabled: &[],
        limits: &[],
    },
    Preset { name: "mixed", weights: &of_mixed(), disabled: &[], limits: &[] },
    Preset { name: "create", weights: &[("CREATE-PO", 1.0)], disabled: &[], limits: &[] },
];

type Weights<const N: usize> = [(&'static str, f64); N];

/// Lists from one on, with the same weight.
const fn alike<const N: usize>(from: usize) -> Weights<N> {
    let mut weights = [("", 1.0); N];
    let mut at = 0;
    while at < N {
        weights[at].0 = QUERIES[from + at].short;
        at += 1;
    }
    weights
}

const fn of_published() -> Weights<10> {
    alike(0)
}

const fn of_fields() -> Weights<12> {
    alike(10)
}

/// Half of them the published lists, half cycles, as two groups of users of the same size.
const fn of_mixed() -> Weights<12> {
    let mut weights = alike(0);
    weights[10] = ("CYCLE-PO", 5.0);
    weights[11] = ("CYCLE-PL", 5.0);
    weights
}

/// An order that is searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub(super) id: String,
    pub(super) number: String,
    pub(super) order_type: String,
    pub(super) status: String,
}

/// A line that is searched, with the number of its order and a word of its title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderLine {
    pub(super) number: String,
    pub(super) order: String,
    pub(super) format: String,
    pub(super) payment: String,
    pub(super) word: String,
}

/// Everything that users need to know; it goes to every process.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The URL that the collections are below.
    pub url: String,
    /// The value of `Authorization`, if there is one. It is a secret.
    pub authorization: Option<String>,
    /// The tenant that requests name.
    pub tenant: String,
    /// The value of `totalRecords` in requests; empty for none.
    pub total_records: String,
    /// Orders and lines that are searched.
    pub orders: Vec<Order>,
    /// The same of lines.
    pub lines: Vec<OrderLine>,
    /// How many documents each list of fixed values finds, where that is known and cannot change in a run.
    pub totals: Vec<Option<u64>>,
    /// Weights of the types.
    pub weights: Vec<f64>,
    /// Whether users run the types one after the other instead of at random.
    pub in_order: bool,
    /// The beginning of the numbers of the orders that this run creates.
    pub run: String,
    /// An answer that takes longer is a failure.
    pub timeout: Duration,
}

impl Facts {
    /// The beginning of new numbers, different for each run: 8 of the 16 characters that a number may have.
    pub(super) fn new_run() -> String {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let tick = since.as_millis() as u64 ^ u64::from(std::process::id()) << 24;
        format!("Z{}", base_36(tick, 7))
    }

    /// The types without a weight.
    pub(super) fn plain_kinds() -> Vec<TransactionType> {
        let lists = QUERIES.iter().map(|Query { name, short, .. }| TransactionType::new(name, short, 0.0));
        lists.chain(WRITING.iter().map(|(name, short)| TransactionType::new(name, short, 0.0))).collect()
    }

    /// Whether a type that writes has a weight.
    pub(super) fn writes(weights: &[f64]) -> bool {
        weights.iter().skip(CYCLE_ORDER).any(|weight| *weight > 0.0)
    }
}

/// The last digits of a number to the base 36.
pub(super) fn base_36(mut number: u64, digits: usize) -> String {
    let mut text = vec![b'0'; digits];
    for place in text.iter_mut().rev() {
        *place = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(number % 36) as usize];
        number /= 36;
    }
    text.into_iter().map(char::from).collect()
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} orders, {} lines", self.url, self.orders.len(), self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::queries::{Holds, PUBLISHED, Seek};
    use super::*;

    #[test]
    fn presets_name_types() {
        let kinds = Facts::plain_kinds();
        assert_eq!(kinds.len(), KINDS);
        for preset in PRESETS {
            for (short, _) in preset.weights {
                assert!(kinds.iter().any(|kind| kind.short == *short), "{short}");
            }
        }
        assert_eq!(PRESETS[0].weights.len(), PUBLISHED);
        assert_eq!(PRESETS[1].weights.len(), QUERIES.len() - PUBLISHED);
    }

    #[test]
    fn every_list_is_checked_and_fills_its_placeholders() {
        for query in QUERIES {
            assert!(!query.holds.is_empty(), "{}", query.name);
            let texts = query.holds.iter().map(|holds: &Holds| holds.parts().1);
            let braces = texts.chain([query.cql]).any(|text| text.contains('{'));
            assert_eq!(braces, query.seek != Seek::Values, "{}", query.name);
            assert_eq!(query.cql.contains("sortBy"), !query.order.is_empty(), "{}", query.name);
        }
    }

    #[test]
    fn numbers_of_orders() {
        assert_eq!((base_36(35, 2), base_36(36 * 36 + 1, 2)), ("0Z".into(), "01".into()));
        assert_eq!(Facts::new_run().len(), 8);
    }
}
