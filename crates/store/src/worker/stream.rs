//! Streams: all documents of a read in one snapshot, in chunks, as they arrive from the database
//! and no faster than they are taken.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use duet_admission::Permit;
use duet_document::FetchedRows;
use duet_model::{Code, Error, ReadPlan, Result};
use tokio::time::Instant;

use crate::refusal::denied_to;
use crate::worker::computation::blamed;
use crate::worker::limited;

/// The rows of a stream, as a store gives them. Dropping it stops the database.
#[async_trait(?Send)]
pub trait Chunks: Debug {
    /// The next documents, at least one; `None` at the end. After an error there is nothing more.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn next(&mut self) -> Result<Option<FetchedRows>>;
}

/// The rest of a stream. Dropping it stops the database.
#[derive(Debug)]
pub struct Stream {
    rows: Box<dyn Chunks>,
    plan: ReadPlan,
    deadline: Instant,
    /// What the deadline was made of, for the message.
    timeout: Duration,
    /// Whether it runs under a role of its client.
    has_role: bool,
    /// Whether the deadline is the caller's.
    is_limited: bool,
    /// Its place among the requests of its class.
    _admitted: Permit,
}

impl Stream {
    /// The rows of a store, for so long.
    pub fn new(
        rows: Box<dyn Chunks>,
        plan: ReadPlan,
        timeout: Duration,
        has_role: bool,
        admitted: Permit,
    ) -> Self {
        let deadline = Instant::now() + timeout;
        Self { rows, plan, deadline, timeout, has_role, is_limited: false, _admitted: admitted }
    }

    /// The same for a caller that has set an end for the whole request.
    #[must_use]
    pub fn limited(mut self, last: Option<std::time::Instant>) -> Self {
        if let Some(last) = last.map(Instant::from).filter(|last| *last < self.deadline) {
            (self.deadline, self.is_limited) = (last, true);
        }
        self
    }

    /// The next documents, at least one; `None` at the end. After an error there is nothing more.
    ///
    /// # Errors
    /// [`Code::Timeout`] where the whole stream takes longer than it may, and whatever the
    /// database says.
    pub async fn next(&mut self) -> Result<Option<FetchedRows>> {
        let next = tokio::time::timeout_at(self.deadline, self.rows.next()).await.unwrap_or_else(|_| {
            if self.is_limited {
                return Err(limited::passed());
            }
            let seconds = self.timeout.as_secs();
            Err(Error::new(
                Code::Timeout,
                format!(
                    "The stream took longer than {seconds} seconds and was stopped. Ask for less at once, or take it faster."
                ),
            ))
        });
        next.map_err(|error| denied_to(self.has_role, blamed(error, &self.plan)))
    }
}
