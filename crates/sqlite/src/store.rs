//! SQLite as a [`Store`].

use std::sync::Arc;

use async_trait::async_trait;
use duet_admission::QueueCounts;
use duet_auth::{DbRole, Identity};
use duet_model::{Catalog, Code, Error, Result};
use duet_sql::{Dialect, Sqlite, Statement};
use duet_store::bulk::{BulkLoad, Plan};
use duet_store::commits::Commits;
use duet_store::database::{Introspect, Store};
use duet_store::describe::StatementDescription;
use duet_store::instance::InstanceView;
use duet_store::statistics::StoreCounts;
use duet_store::worker::{Handle, without_roles};
use futures_util::future::{BoxFuture, LocalBoxFuture};
use tokio::sync::oneshot;

use crate::bulk::SqliteLoad;
use crate::database::Database;
use crate::file::File;
use crate::handle;

/// The queues that SQLite has.
const QUEUES: [&str; 8] =
    ["interactive", "batch", "read", "page", "write", "stream", "load", "file"];

#[async_trait(?Send)]
impl Introspect for Database {
    async fn introspect(&self) -> Result<Catalog> {
        blocking(self, File::introspect).await
    }

    async fn schema_version(&self) -> Result<u64> {
        blocking(self, File::schema_version).await
    }

    async fn glance_at_schema(&self) -> Result<u64> {
        self.statistics().looked_at_schema();
        // Two bytes of the file's header.
        Introspect::schema_version(self).await
    }

    async fn describe_statements(
        &self,
        statements: Vec<Statement>,
    ) -> Result<Vec<StatementDescription>> {
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        blocking(self, move |file| file.describe_statements(&statements)).await
    }
}

#[async_trait(?Send)]
impl Store for Database {
    fn kind(&self) -> &'static str {
        "sqlite"
    }

    fn dialect(&self) -> &dyn Dialect {
        &Sqlite
    }

    fn commits(&self) -> &Commits {
        self.file().commits()
    }

    fn watch_commits(&self, on: bool) -> BoxFuture<'_, Result<()>> {
        Box::pin(Self::watch_commits(self, on))
    }

    fn is_standby(&self) -> bool {
        self.is_read_only()
    }

    async fn probe(&self) -> Result<()> {
        blocking(self, File::probe).await
    }

    async fn check_role(&self, role: &DbRole) -> Result<()> {
        let message = format!("SQLite has no roles, so nothing can run under {:?}.", role.as_str());
        Err(Error::new(Code::RoleUnusable, message))
    }

    fn has_one_writer(&self) -> bool {
        true
    }

    async fn instance(&self) -> Result<InstanceView> {
        let counted = self.statistics().counted();
        blocking(self, move |file| file.view(counted)).await
    }

    fn counted(&self) -> StoreCounts {
        self.statistics().counted()
    }

    fn queues(&self) -> Vec<(&'static str, QueueCounts)> {
        self.file().queues().counted(&QUEUES)
    }

    fn answer_bytes(&self) -> usize {
        self.limits().answer_bytes
    }

    fn describe(&self) -> String {
        self.file().describe()
    }

    fn worker(self: Arc<Self>) -> Result<Handle> {
        Ok(Handle::new(handle::Handle::attach(&self)?))
    }

    fn begin_load(
        self: Arc<Self>,
        identity: Option<&Arc<Identity>>,
        plan: Plan,
    ) -> LocalBoxFuture<'_, Result<Box<dyn BulkLoad>>> {
        Box::pin(async move {
            without_roles("SQLite", identity)?;
            let load = SqliteLoad::begin(&self, plan).await?;
            Ok(Box::new(load) as Box<dyn BulkLoad>)
        })
    }
}

/// Runs work that may wait for a lock of the file where it blocks no request.
async fn blocking<T: Send + 'static>(
    database: &Database,
    work: impl FnOnce(&File) -> Result<T> + Send + 'static,
) -> Result<T> {
    let file = Arc::clone(database.file());
    let (reply, result) = oneshot::channel();
    // A caller that has gone needs no result.
    blocking_any(Box::new(move || drop(reply.send(work(&file))))).await?;
    result.await.map_err(Error::internal)?
}

/// The same of any work: the code of tasks is there once.
async fn blocking_any(work: Box<dyn FnOnce() + Send>) -> Result<()> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}
