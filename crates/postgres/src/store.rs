//! PostgreSQL as a [`Store`].

use std::sync::Arc;

use async_trait::async_trait;
use duet_admission::QueueCounts;
use duet_auth::{DbRole, Identity};
use duet_model::{Catalog, Result};
use duet_sql::{Dialect, Statement};
use duet_store::bulk::{BulkLoad, Plan};
use duet_store::commits::Commits;
use duet_store::commits::freshness::Freshness;
use duet_store::database::{Introspect, Store};
use duet_store::describe::StatementDescription;
use duet_store::instance::InstanceView;
use duet_store::news::News;
use duet_store::position::Position;
use duet_store::standbys::StandbysReport;
use duet_store::statistics::StoreCounts;
use duet_store::worker::Handle;
use futures_util::future::{BoxFuture, LocalBoxFuture};

use crate::bulk::PostgresLoad;
use crate::database::Database;
use crate::handle;

/// The queues that PostgreSQL has.
const QUEUES: [&str; 9] =
    ["interactive", "batch", "read", "page", "write", "row", "insert", "stream", "load"];

#[async_trait(?Send)]
impl Introspect for Database {
    async fn introspect(&self) -> Result<Catalog> {
        self.read_catalog().await
    }

    async fn introspect_at(&self, version: u64) -> Result<Arc<Catalog>> {
        self.read_catalog_at(version).await
    }

    async fn schema_version(&self) -> Result<u64> {
        self.look(true).await
    }

    async fn glance_at_schema(&self) -> Result<u64> {
        self.statistics().looked_at_schema();
        self.look(false).await
    }

    async fn describe_statements(
        &self,
        statements: Vec<Statement>,
    ) -> Result<Vec<StatementDescription>> {
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        self.describe_each(&statements).await
    }
}

#[async_trait(?Send)]
impl Store for Database {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    fn dialect(&self) -> &dyn Dialect {
        Self::dialect(self)
    }

    fn commits(&self) -> &Commits {
        Self::commits(self)
    }

    fn watch_commits(&self, on: bool) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.changes().set(on))
    }

    fn describe_changes(&self, catalog: &Arc<Catalog>) {
        self.changes().describe(catalog);
    }

    fn freshness(&self) -> Option<&Arc<Freshness>> {
        Some(Self::freshness(self))
    }

    fn is_standby(&self) -> bool {
        Self::is_standby(self)
    }

    fn news(&self) -> Option<&Arc<News>> {
        Some(Self::news(self))
    }

    fn standbys(&self) -> Option<StandbysReport> {
        Self::standbys(self).map(|standbys| standbys.report())
    }

    fn has_standbys(&self) -> bool {
        Self::standbys(self).is_some()
    }

    fn last_written(&self) -> Option<Position> {
        Self::standbys(self).map(|standbys| standbys.last_written())
    }

    async fn check_role(&self, role: &DbRole) -> Result<()> {
        self.find_role(role).await
    }

    fn is_shared_by_tenants(&self) -> bool {
        true
    }

    async fn superuser(&self) -> Result<Option<String>> {
        self.find_superuser().await
    }

    async fn instance(&self) -> Result<InstanceView> {
        self.view_instance().await
    }

    fn counted(&self) -> StoreCounts {
        self.statistics().counted()
    }

    fn queues(&self) -> Vec<(&'static str, QueueCounts)> {
        Self::queues(self).counted(&QUEUES)
    }

    fn answer_bytes(&self) -> usize {
        self.limits().answer_bytes
    }

    fn describe(&self) -> String {
        self.described()
    }

    fn worker(self: Arc<Self>) -> Result<Handle> {
        Ok(Handle::new(handle::Handle::attach(&self)))
    }

    fn begin_load(
        self: Arc<Self>,
        identity: Option<&Arc<Identity>>,
        plan: Plan,
    ) -> LocalBoxFuture<'_, Result<Box<dyn BulkLoad>>> {
        Box::pin(async move {
            let load = PostgresLoad::begin(&self, identity, plan).await?;
            Ok(Box::new(load) as Box<dyn BulkLoad>)
        })
    }
}
