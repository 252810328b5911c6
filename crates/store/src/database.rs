//! What a store is: one database behind its driver, as traits. Stores implement them, and nothing else in the
//! workspace knows which stores there are but the crate `registry`.
//!
//! [`Store`] is shared by all workers. Each worker attaches to it and gets a [`Handle`], behind which the store's
//! [`Worker`](crate::worker::Worker) reads and writes; a write's transaction is a [`Session`](crate::Session).

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use duet_admission::QueueCounts;
use duet_auth::{DbRole, Identity};
use duet_model::{Catalog, Result};
use duet_sql::{Dialect, Statement};
use futures_util::future::{BoxFuture, LocalBoxFuture};

use crate::bulk::{BulkLoad, Plan};
use crate::commits::Commits;
use crate::commits::freshness::Freshness;
use crate::describe::StatementDescription;
use crate::instance::InstanceView;
use crate::news::News;
use crate::position::Position;
use crate::standbys::StandbysReport;
use crate::statistics::StoreCounts;
use crate::worker::Handle;

/// A store as it is passed on: one database, shared by all workers.
pub type SharedStore = Arc<dyn Store>;

/// How a store describes itself: its catalog, when that changes, and what statements give.
#[async_trait(?Send)]
pub trait Introspect: Send + Sync {
    /// Reads the catalog, in one snapshot.
    ///
    /// # Errors
    /// Where the database cannot be reached or read.
    async fn introspect(&self) -> Result<Catalog>;

    /// The catalog as of a version of the schema; a store may read it once for all who ask for the same version, such
    /// as tenants of one database.
    ///
    /// # Errors
    /// Where the database cannot be reached or read.
    async fn introspect_at(&self, _version: u64) -> Result<Arc<Catalog>> {
        self.introspect().await.map(Arc::new)
    }

    /// A number that changes when the schema does.
    ///
    /// # Errors
    /// Where the database cannot be reached or read.
    async fn schema_version(&self) -> Result<u64>;

    /// The same, cheap enough to ask every second; a change may be noticed some seconds late.
    ///
    /// # Errors
    /// As [`Introspect::schema_version`].
    async fn glance_at_schema(&self) -> Result<u64>;

    /// Prepares statements and says what each gives; none of them is run.
    ///
    /// # Errors
    /// If the database cannot be queried. The mistake of a statement is in its element of the answer.
    async fn describe_statements(
        &self,
        statements: Vec<Statement>,
    ) -> Result<Vec<StatementDescription>>;
}

/// One database, shared by all workers. The defaults are those of a store that has no such thing.
#[async_trait(?Send)]
pub trait Store: Introspect + Debug {
    /// The name of the kind of store, as files of applications have it, such as `sqlite`.
    fn kind(&self) -> &'static str;

    /// The store's SQL.
    fn dialect(&self) -> &dyn Dialect;

    /// The consumers of its commits.
    fn commits(&self) -> &Commits;

    /// Begins to deliver commits of others as events of [`Cause::Foreign`](duet_model::commit::Cause), or
    /// ends it: within a moment where the store notices them by itself, otherwise as far as they are captured, which
    /// [`Store::freshness`] says.
    ///
    /// # Errors
    /// Where a thread cannot be started.
    fn watch_commits(&self, on: bool) -> BoxFuture<'_, Result<()>>;

    /// The catalog by whose relations the rows of others' commits are named from now on.
    fn describe_changes(&self, _catalog: &Arc<Catalog>) {}

    /// How far the commits of others are known; `None` where they are not captured on this kind of store.
    fn freshness(&self) -> Option<&Arc<Freshness>> {
        None
    }

    /// Whether the database takes no writes, because it is a standby or a file that cannot be written, as of the last
    /// look.
    fn is_standby(&self) -> bool {
        false
    }

    /// What the database tells of changes of its schema, where it can.
    fn news(&self) -> Option<&Arc<News>> {
        None
    }

    /// The standbys that answer reads, where some may.
    fn standbys(&self) -> Option<StandbysReport> {
        None
    }

    /// Whether standbys answer reads.
    fn has_standbys(&self) -> bool {
        false
    }

    /// A position that no commit of this process has passed, where standbys answer reads.
    fn last_written(&self) -> Option<Position> {
        None
    }

    /// Whether the database can be read and written, for health checks; cheap enough to ask every
    /// second. Nothing to do where the look at its schema, about every second, reaches it.
    ///
    /// # Errors
    /// Why not, in words for the operator.
    async fn probe(&self) -> Result<()> {
        Ok(())
    }

    /// Whether a role of the database exists and may be assumed.
    ///
    /// # Errors
    /// [`Code::RoleUnusable`](duet_model::Code) where it is not, in words for the operator; others where the database
    /// cannot be queried.
    async fn check_role(&self, role: &DbRole) -> Result<()>;

    /// Whether a write transaction keeps all other writes waiting until its end.
    fn has_one_writer(&self) -> bool {
        false
    }

    /// Whether the tenants of an application may share this database, a schema each; otherwise each has one of its
    /// own.
    fn is_shared_by_tenants(&self) -> bool {
        false
    }

    /// The name of the database's user where it is a superuser, whom no privilege and no row security
    /// holds back; `None` where there are no users.
    ///
    /// # Errors
    /// If the database cannot be queried.
    async fn superuser(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// What the database says of itself now, as far as the server's role may read it.
    ///
    /// # Errors
    /// If the database cannot be queried.
    async fn instance(&self) -> Result<InstanceView> {
        Ok(InstanceView::default())
    }

    /// What the store has done so far.
    fn counted(&self) -> StoreCounts;

    /// The counters of the queues in front of the database, by their name.
    fn queues(&self) -> Vec<(&'static str, QueueCounts)>;

    /// How many bytes the rows of an answer may take.
    fn answer_bytes(&self) -> usize;

    /// What messages call the database; no secrets.
    fn describe(&self) -> String;

    /// A worker's hold on the store; see [`attach`](#method.attach), which callers use.
    ///
    /// # Errors
    /// If a file cannot be opened.
    fn worker(self: Arc<Self>) -> Result<Handle>;

    /// Begins a load; see [`bulk_load`](#method.bulk_load), which callers use.
    fn begin_load(
        self: Arc<Self>,
        identity: Option<&Arc<Identity>>,
        plan: Plan,
    ) -> LocalBoxFuture<'_, Result<Box<dyn BulkLoad>>>;
}

impl dyn Store {
    /// A worker's hold on the store; stays on the calling thread, which runs a local task set.
    ///
    /// # Errors
    /// If a file cannot be opened. A server is connected to at the first query.
    pub fn attach(self: &Arc<Self>) -> Result<Handle> {
        Arc::clone(self).worker()
    }

    /// Begins a load, under an identity if there is one. Nothing is done in the database before its
    /// first batch.
    ///
    /// # Errors
    /// Where the database cannot be reached, or not be written to.
    pub async fn bulk_load(
        self: &Arc<Self>,
        identity: Option<&Arc<Identity>>,
        plan: Plan,
    ) -> Result<Box<dyn BulkLoad>> {
        Arc::clone(self).begin_load(identity, plan).await
    }

    /// Whether both are the same database, with the same connections.
    pub fn is_same(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(self), Arc::as_ptr(other))
    }
}
