//! The insert of one row, on its own.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::RowSet;
use duet_model::Result;

use crate::write::call::Call;
use crate::write::write_times::WriteTimes;
use crate::write::{Ending, Session, Write};

/// The insert of one row, on its own.
pub struct InsertOne {
    /// The statement.
    pub call: Call,
    /// Where the moments of the write are noted.
    pub times: Option<Arc<WriteTimes>>,
}

#[async_trait(?Send)]
impl Write for InsertOne {
    /// None where something of the database has kept it out without an error.
    type Output = Option<RowSet>;

    fn times(&self) -> Option<&WriteTimes> {
        self.times.as_deref()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>> {
        let done = session.run(std::slice::from_ref(&self.call)).await?;
        Ok(Ending::Commit(done.into_iter().next().map(|done| done.rows)))
    }
}
