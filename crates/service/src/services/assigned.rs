//! Members of new documents that a service assigns, such as numbers from a counter.

use std::sync::Arc;

use duet_model::{Error, Result};
use duet_sql::Dialect;
use duet_store::Session;

use super::file::ServiceFile;
use super::write_run::{WriteRun, codecs, text_of};

/// A member that a new document gets from a service, where the request leaves it out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assigned {
    /// The member of the document.
    pub(crate) member: String,
    /// The service whose statements give the value.
    pub(crate) file: Arc<ServiceFile>,
    /// How it is run.
    pub(crate) run: WriteRun,
}

impl Assigned {
    /// Runs the statements of the service in the transaction of the document: the value in the first column of the
    /// first row, as text.
    ///
    /// # Errors
    /// What the database says, and where there is no row.
    pub(crate) async fn draw(
        &self,
        session: &mut dyn Session,
        dialect: &dyn Dialect,
    ) -> Result<String> {
        let Self { file, run, member } = self;
        let done = session.run(&run.calls(dialect, file, &Arc::from([]))).await?;
        let rows = done.last().map(|done| &done.rows).filter(|rows| !rows.is_empty());
        let rows = rows.ok_or_else(|| {
            Error::internal(format!("the service {} gives no value for {member}", file.name))
        })?;
        Ok(text_of(rows, 0, &codecs(&run.columns)))
    }
}
