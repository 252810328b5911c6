//! A call of a routine: run in a transaction of its own.

use std::sync::Arc;

use async_trait::async_trait;
use duet_model::{Result, Value};
use duet_sql::call_statement;
use duet_store::{Call, Ending, Session, SharedStore, Write, Writes};
use duet_text::json::body::Body;

use crate::hosting::context::RequestContext;
use crate::resources::routine::RoutineResource;
use crate::write::{Once, Written};

impl RequestContext<'_> {
    /// Runs a routine in a transaction of its own; `body` is a JSON object with its arguments, or
    /// nothing. The answer is JSON.
    ///
    /// # Errors
    /// Whatever the arguments or the database say.
    pub async fn run_routine(
        &self,
        routine: &Arc<RoutineResource>,
        body: &Body,
        dry_run: bool,
        once: Option<Once<Vec<u8>>>,
    ) -> Result<Written<Vec<u8>>> {
        let arguments = routine.arguments(body)?;
        let store = self.service().store().clone();
        let (called, routine) = (routine, Arc::clone(routine));
        let job = RoutineJob { store, routine, arguments, dry_run };
        let written = self.write_once(job, once, &|_| false).await;
        written.map_err(|error| called.client_error(error))
    }
}

struct RoutineJob {
    store: SharedStore,
    routine: Arc<RoutineResource>,
    arguments: Vec<(usize, Value)>,
    dry_run: bool,
}

#[async_trait(?Send)]
impl Write for RoutineJob {
    type Output = Vec<u8>;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<u8>>> {
        let routine = &self.routine;
        let dialect = self.store.dialect();
        let statement =
            call_statement(dialect, &routine.routine, &self.arguments, &routine.returned);
        let call = Call { statement, codecs: routine.codecs(), writes: Writes::Everything };
        let done = session.run(&[call]).await?;
        let rows = done.first().map(|done| routine.write(&done.rows)).unwrap_or_default();
        Ok(if self.dry_run { Ending::DryRun(rows) } else { Ending::Commit(rows) })
    }
}
