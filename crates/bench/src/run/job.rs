//! Which workload a process runs, as data: it goes to every process of the layout.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::plan::{Plan, Share};
use crate::lookup;
use crate::record::Outcome;
use crate::retail;
use crate::soe;
use crate::workload::{Failed, Workload, file, rest};

/// A workload with all that its users need to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// Reads and writes of a REST resource.
    Rest(rest::Facts),
    /// Reads by key.
    Lookup(lookup::Facts),
    /// Order entry.
    Soe(Box<soe::Facts>),
    /// Queries and sales of retail.
    Retail(retail::Facts),
    /// A user's own workload.
    File(Box<file::Facts>),
}

impl Job {
    /// Takes into account what runs before have left in the data; every run begins with it.
    ///
    /// # Errors
    /// Where the data cannot be asked.
    pub async fn renew(&mut self) -> Result<(), Failed> {
        match self {
            Self::Soe(facts) => soe::renew(facts).await,
            Self::Rest(_) | Self::Lookup(_) | Self::Retail(_) | Self::File(_) => Ok(()),
        }
    }

    /// The workload itself.
    ///
    /// # Errors
    /// Where the facts do not fit together.
    pub fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        let wrong = |said: String| Failed::new(Outcome::Other, said);
        Ok(match self {
            Self::Rest(facts) => Arc::new(rest::Rest::new(facts.clone()).map_err(wrong)?),
            Self::Lookup(facts) => Arc::new(lookup::Lookup::new(facts.clone())),
            Self::Soe(facts) => Arc::new(soe::Soe::new(facts.as_ref().clone()).map_err(wrong)?),
            Self::Retail(facts) => Arc::new(retail::Retail::new(facts.clone()).map_err(wrong)?),
            Self::File(facts) => Arc::new(file::File::new(facts.as_ref().clone())?),
        })
    }
}

/// What a process is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The run.
    pub plan: Plan,
    /// The process's part of it.
    pub share: Share,
    /// The workload.
    pub job: Job,
}
