//! `rest`: reads and writes of one resource of a REST service, like the published k6 test of ORDS.
//!
//! Discovery comes first: the items' addresses from the collection's pages, writable members from
//! its description. A URL that is not a collection is requested as it is.

mod discover;
mod resource;
mod session;

use std::sync::Arc;

use duet_verdict::outcome::Outcome;
use duet_verdict::result::CheckRow;

use super::{Failed, Local, Session, TransactionType, Workload, WorkloadFacts};
use crate::targets::http::HttpConnection;
pub use discover::{Access, DiscoverOptions, authorize, discover};
pub use resource::{Rest, RestFacts};
use session::RestSession;

impl WorkloadFacts for RestFacts {
    const NAME: &'static str = "rest";

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let workload = Rest::new(self.clone());
        Ok(Arc::new(workload.map_err(|message| Failed::new(Outcome::Other, message))?))
    }
}

impl Workload for Rest {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let connection = HttpConnection::open(&self.url, self.facts.timeout).await?;
            let session = RestSession::new(self, connection, user);
            Ok(Box::new(session) as Box<dyn Session>)
        })
    }
}
