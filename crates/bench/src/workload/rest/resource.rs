//! The resource that is measured: the data that its users need, its kinds of requests, and the checks of responses.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::{CheckCounts, TransactionType};
use crate::targets::http::Url;

/// The checks of responses, by their names in results; the first three are those of the published
/// test.
pub(super) const CHECKS: [&str; 7] = [
    "is status 200",
    "is application/json",
    "is requested resource",
    "is written",
    "is of the first response's type",
    "is as long as its Content-Length",
    "is valid JSON",
];

/// The data that users need, for every process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestFacts {
    /// The resource's URL.
    pub url: String,
    /// The value of `Authorization`, if there is one. It is never written to a result.
    pub authorization: Option<String>,
    /// The paths of the items; the URL's own path if it is not a collection.
    pub items: Vec<String>,
    /// Whether [`RestFacts::url`] is a collection of items.
    pub is_collection: bool,
    /// Whether its description is Duet's.
    #[serde(default)]
    pub is_duet: bool,
    /// The content type of the first answer.
    pub content_type: String,
    /// A member that updates change: a number outside of the key.
    pub changeable: Option<String>,
    /// The key member, if it is a number and items may be created and removed.
    pub key: Option<String>,
    /// Weights of GET, PAGE, PUT, CYCLE.
    pub weights: [f64; 4],
    /// The timeout of responses, which fail after it.
    pub timeout: Duration,
}

/// The workload.
#[derive(Debug)]
pub struct Rest {
    pub(super) facts: RestFacts,
    pub(super) url: Url,
    pub(super) kinds: Vec<TransactionType>,
    pub(super) checks: Arc<CheckCounts>,
}

impl Rest {
    /// Of these facts.
    ///
    /// # Errors
    /// If the URL is invalid.
    pub fn new(facts: RestFacts) -> Result<Self, String> {
        let [get, page, put, cycle] = facts.weights;
        let kinds = vec![
            TransactionType::new("Get item", "GET", get),
            TransactionType::new("Get page", "PAGE", page),
            TransactionType::new("Update item", "PUT", put),
            TransactionType::new("Create and delete item", "CYCLE", cycle),
        ];
        let checks = Arc::new(CheckCounts::new(&CHECKS, kinds.len()));
        Ok(Self { url: facts.url.parse()?, kinds, checks, facts })
    }
}
