//! `rest`: reads and writes of one resource of a REST service, like the published k6 test of ORDS.
//!
//! Discovery comes first: the items' addresses from the collection's pages, writable members from
//! its description. A URL that is not a collection is requested as it is.

mod discover;
mod session;

use std::sync::Arc;
use std::time::Duration;

use duet_verdict::outcome::Outcome;
use duet_verdict::result::CheckRow;
use serde::{Deserialize, Serialize};

use super::{self as workload, CheckCounts, Failed, Kind, Local, Session, Workload};
use crate::targets::http::{Connection, Url};
pub use discover::{Access, DiscoverOptions, authorize, discover};
use session::RestSession;

/// The checks of responses, by their names in results; the first three are those of the published
/// test.
const CHECKS: [&str; 7] = [
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
pub struct Facts {
    /// The resource's URL.
    pub url: String,
    /// The value of `Authorization`, if there is one. It is never written to a result.
    pub authorization: Option<String>,
    /// The paths of the items; the URL's own path if it is not a collection.
    pub items: Vec<String>,
    /// Whether [`Facts::url`] is a collection of items.
    pub is_collection: bool,
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

impl workload::Facts for Facts {
    const NAME: &'static str = "rest";

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Rest::new(self.clone());
        Ok(Arc::new(workload.map_err(|message| Failed::new(Outcome::Other, message))?))
    }
}

/// The workload.
#[derive(Debug)]
pub struct Rest {
    facts: Facts,
    url: Url,
    kinds: Vec<Kind>,
    checks: Arc<CheckCounts>,
}

impl Rest {
    /// Of these facts.
    ///
    /// # Errors
    /// If the URL is invalid.
    pub fn new(facts: Facts) -> Result<Self, String> {
        let [get, page, put, cycle] = facts.weights;
        let kinds = vec![
            Kind::new("Get item", "GET", get),
            Kind::new("Get page", "PAGE", page),
            Kind::new("Update item", "PUT", put),
            Kind::new("Create and delete item", "CYCLE", cycle),
        ];
        let checks = Arc::new(CheckCounts::new(&CHECKS, kinds.len()));
        Ok(Self { url: facts.url.parse()?, kinds, checks, facts })
    }
}

impl Workload for Rest {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let connection = Connection::open(&self.url, self.facts.timeout).await?;
            let session = RestSession::new(self, connection, user);
            Ok(Box::new(session) as Box<dyn Session>)
        })
    }
}
