//! Order entry as data: everything that its users need.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::{CheckCounts, TransactionType, Preset};
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::checks;
use super::people::People;

/// Names and short names of the types.
pub const KINDS: [(&str, &str); 9] = [
    ("Customer Registration", "NCR"),
    ("Update Customer Details", "UCD"),
    ("Browse Products", "BP"),
    ("Order Products", "OP"),
    ("Process Orders", "PO"),
    ("Browse Orders", "BO"),
    ("Sales Rep Query", "SQ"),
    ("Warehouse Query", "WQ"),
    ("Warehouse Activity Query", "WA"),
];

/// Weights of published configurations and figures; the second is a fit to one published run.
pub const PRESETS: [Preset; 3] = [
    Preset {
        name: "v25-client",
        weights: &[
            ("NCR", 20.0),
            ("UCD", 10.0),
            ("BP", 60.0),
            ("OP", 50.0),
            ("PO", 5.0),
            ("BO", 15.0),
            ("SQ", 40.0),
            ("WQ", 20.0),
            ("WA", 30.0),
        ],
        disabled: &[],
        limits: &[],
    },
    Preset {
        name: "v26-client-est",
        weights: &[
            ("NCR", 15.0),
            ("UCD", 5.0),
            ("BP", 50.0),
            ("OP", 25.0),
            ("PO", 2.0),
            ("BO", 10.0),
            ("SQ", 1.0),
            ("WQ", 1.0),
            ("WA", 1.0),
        ],
        disabled: &[],
        limits: &[],
    },
    Preset {
        name: "server-v2",
        weights: &[
            ("NCR", 15.0),
            ("UCD", 10.0),
            ("BP", 50.0),
            ("OP", 40.0),
            ("PO", 5.0),
            ("BO", 5.0),
            ("SQ", 2.0),
            ("WQ", 2.0),
            ("WA", 2.0),
        ],
        disabled: &["SQ", "WQ", "WA"],
        limits: &[],
    },
];

/// Where the logic of transactions runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// In the client: statement by statement.
    Client,
    /// In the database: one function call each. SQLite has no functions; there it is one
    /// transaction within the client's process, which results call `embedded`.
    Server,
    /// As [`Side::Server`], with the functions called through a REST service: one request each.
    Rest,
    /// In a client of a REST service: several requests for tables' rows each.
    RestClient,
}

impl Side {
    /// The name of its runs.
    pub const fn run_name(self) -> &'static str {
        match self {
            Self::Client => "soe-client",
            Self::Server => "soe-server",
            Self::Rest => "soe-rest",
            Self::RestClient => "soe-rest-client",
        }
    }

    /// The side of the runs with a name.
    pub(super) fn of(run: &str) -> Self {
        let others = [Self::Server, Self::Rest, Self::RestClient];
        others.into_iter().find(|side| side.run_name() == run).unwrap_or(Self::Client)
    }

    /// Whether requests go to a service.
    pub fn has_service(self) -> bool {
        matches!(self, Self::Rest | Self::RestClient)
    }

    /// Whether functions of PostgreSQL do the work.
    pub fn has_functions(self) -> bool {
        matches!(self, Self::Server | Self::Rest)
    }

    /// The default preset.
    pub fn preset(self) -> &'static str {
        match self {
            Self::Client | Self::RestClient => "v26-client-est",
            Self::Server | Self::Rest => "server-v2",
        }
    }
}

/// A REST service that serves the database's functions or tables.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestService {
    /// Their base URL.
    pub url: String,
    /// The value of `Authorization`, if there is one. It is a secret.
    pub authorization: Option<String>,
}

impl fmt::Debug for RestService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// The data that users need, for every process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The database. It may hold a password: see [`DatabaseAddress`].
    pub database: DatabaseAddress,
    /// Where the logic runs.
    pub side: Side,
    /// The service, if requests go to one.
    pub service: Option<RestService>,
    /// The first key of rows that users of [`Side::RestClient`] add, above all existing ones; each
    /// run has its own: see [`renew`](super::renew).
    pub first_key: i64,
    /// The first and the last customer number at the time of the load.
    pub customers: [i64; 2],
    /// The last product's number.
    pub products: i64,
    /// The last warehouse's number.
    pub warehouses: i64,
    /// The last category's number.
    pub categories: i64,
    /// Names and places for new customers.
    pub people: People,
    /// The types' weights, in the order of [`KINDS`].
    pub weights: Vec<f64>,
    /// Whether to keep quirks of the original (`--compat swingbench`).
    pub compat: bool,
    /// The number of retries after a deadlock or a conflict.
    pub retries: u32,
    /// The timeout of statements, which fail after it; it also limits waits for SQLite's file.
    pub timeout: Duration,
}

impl Facts {
    /// The name of the side: `client`, `server`, `embedded`, `rest` or `rest-client`.
    pub fn side_name(&self) -> &'static str {
        match (self.side, self.database.is_blocking()) {
            (Side::Client, _) => "client",
            (Side::Rest, _) => "rest",
            (Side::RestClient, _) => "rest-client",
            (Side::Server, false) => "server",
            (Side::Server, true) => "embedded",
        }
    }

    /// A random customer number.
    pub(super) fn someone(&self, random: &mut Rng) -> i64 {
        let [first, last] = self.customers;
        random.i64(first..last.max(first + 1))
    }

    /// A random warehouse number.
    pub(super) fn anywhere(&self, random: &mut Rng) -> i64 {
        random.i64(1..self.warehouses.max(2))
    }

    /// The description of the options in results. It holds no secret.
    pub fn options(&self) -> BTreeMap<String, String> {
        let [first, last] = self.customers;
        let known = [
            ("side", self.side_name().to_owned()),
            ("compat", if self.compat { "swingbench" } else { "none" }.to_owned()),
            ("retries", self.retries.to_string()),
            ("customers", format!("{first} to {last}")),
            ("products", self.products.to_string()),
            ("warehouses", self.warehouses.to_string()),
        ];
        known.map(|(name, value)| (name.to_owned(), value)).into()
    }
}

/// The workload.
#[derive(Debug)]
pub struct Soe {
    pub(super) facts: Arc<Facts>,
    pub(super) kinds: Vec<TransactionType>,
    pub(super) keys: Keys,
    pub(super) checks: Arc<CheckCounts>,
}

impl Soe {
    /// Of these facts.
    ///
    /// # Errors
    /// If they do not have a weight for each type.
    pub fn new(facts: Facts) -> Result<Self, String> {
        if facts.weights.len() != KINDS.len() {
            return Err(format!("order entry has {} types", KINDS.len()));
        }
        let mut kinds = kinds();
        kinds.iter_mut().zip(&facts.weights).for_each(|(kind, weight)| kind.weight = *weight);
        let checks = Arc::new(CheckCounts::new(&checks::NAMES, kinds.len()));
        Ok(Self { facts: Arc::new(facts), kinds, keys: Keys::default(), checks })
    }
}

/// Keys of rows that one user adds.
const KEYS_EACH: i64 = 10_000_000;

/// The keys that users choose themselves. They outlive sessions: a user continues after a
/// reconnect.
#[derive(Debug, Default)]
pub(super) struct Keys(Mutex<BTreeMap<u32, Arc<AtomicI64>>>);

impl Keys {
    /// The keys of a user, in a range that no other user has.
    pub(super) fn of(&self, facts: &Facts, user: u32) -> UserKeys {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = facts.first_key.saturating_add(i64::from(user) * KEYS_EACH);
        UserKeys(users.entry(user).or_insert_with(|| Arc::new(AtomicI64::new(first))).clone())
    }
}

/// The keys that one user chooses; tables share the count.
#[derive(Debug)]
pub(super) struct UserKeys(Arc<AtomicI64>);

impl UserKeys {
    /// A new key, unique across users.
    pub(super) fn next(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }
}

/// The types, without weights.
pub(super) fn kinds() -> Vec<TransactionType> {
    KINDS.iter().map(|(name, short)| TransactionType::new(name, short, 0.0)).collect()
}
