//! The service: one store, one application, the snapshot in force and how it is renewed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::ArcSwap;
use duet_model::{Catalog, Code, Error, ProfileRef, Result};
use duet_store::news::NewsReader;
use duet_store::statistics::StoreCounts;
use duet_store::{QueueCounts, SharedStore};
use futures_util::future::LocalBoxFuture;
use tokio::sync::Mutex;

use super::auth::Auth;
use super::key_table::KeyTableState;
use super::routes::Routes;
use super::schema_history::{SchemaChange, SchemaHistory};
use crate::build::difference::SnapshotDifference;
use crate::build::snapshot::Snapshot;
use crate::definition::{self, Application, Mounts, Origin, ReadLimits, Reread, WriteLimits};
use crate::ingest::{IngestJournal, JournalOptions};
use crate::live::{LiveCounts, LiveHub};
use crate::outbox::declaration::WebhookLimits;
use crate::outbox::view_events::ViewEventWake;
use crate::outbox::wake::Outbox;
use crate::resources::resource::Resource;
use crate::resources::service_resource;
use crate::rowstore::Rowstores;
use crate::rowstore::populations::Populations;

/// One application over its database: everything of it that the workers share.
#[derive(Debug)]
pub struct Service {
    /// The application's name, as it was at the start.
    name: String,
    store: SharedStore,
    superuser: Option<String>,
    /// The mounts of all applications of the process, and this one's number among them.
    routes: Arc<Routes>,
    number: usize,
    /// Where a reload reads the application again.
    origin: Option<Arc<dyn Origin>>,
    auth: Arc<Auth>,
    /// Whether it is a tenant's, which has nothing to do with other schemas of its database, and must not end
    /// what others watch there.
    is_tenant: bool,
    snapshot: ArcSwap<Snapshot>,
    schema_version: AtomicU64,
    /// The last times that the snapshot was replaced.
    changes: SchemaHistory,
    /// The catalog that the snapshot was built from.
    catalog: std::sync::Mutex<Arc<Catalog>>,
    rowstores: Rowstores,
    /// The queries whose changes are followed.
    live: LiveHub,
    key_table: KeyTableState,
    /// The journal that new rows may be acknowledged from.
    ingest: OnceLock<Arc<IngestJournal>>,
    /// What is sent to webhooks.
    outbox: Arc<Outbox>,
    /// What tells of new events of views.
    view_event_wake: ViewEventWake,
    /// Held while the schema is looked at or reloaded.
    reloading: Mutex<Looks>,
}

/// What a reload has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadedSnapshot {
    /// The generation now in force.
    pub generation: u64,
    /// What could not be served.
    pub notes: Vec<String>,
}

/// When the schema was looked at.
#[derive(Debug, Default)]
struct Looks {
    /// When the last check for a request began, and its result.
    last: Option<(Instant, Renewal)>,
    /// When the last look began that found another version, whether anything served differed or not.
    moved: Option<Instant>,
}

/// What a request does that has met a changed schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// It is repeated: the schema has changed.
    Changed,
    /// The schema is as it was, so trying again is in vain.
    Unchanged,
    /// The schema cannot be read.
    Unknown,
}

/// A snapshot that was built, or found to be still right.
struct Loaded {
    snapshot: Arc<Snapshot>,
    /// Whether it serves anything else than the one before.
    changed: bool,
}

impl Loaded {
    fn into_reloaded(self) -> ReloadedSnapshot {
        let Snapshot { generation, notes, .. } = &*self.snapshot;
        ReloadedSnapshot { generation: *generation, notes: notes.clone() }
    }
}

/// How many generations a tenant's snapshots may have before they reach those of the next, as a power of two.
const GENERATIONS: u32 = 32;

/// The schema of a tenant.
fn schema_of(application: &Application) -> Option<&str> {
    match &application.mounts {
        Mounts::Declared(mount) => mount.schema.as_deref(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    }
}

/// What a service sees of a catalog: a tenant's only its own schema, so that no plan of it can name another's.
fn visible(whole: &Arc<Catalog>, application: &Application, is_tenant: bool) -> Arc<Catalog> {
    match &application.mounts {
        Mounts::Declared(mount) if is_tenant => match &mount.schema {
            Some(schema) => Arc::new(whole.of_schema(schema)),
            None => Arc::clone(whole),
        },
        _ => Arc::clone(whole),
    }
}

impl Service {
    /// Reads the catalog and builds the first snapshot.
    ///
    /// # Errors
    /// Where the database cannot be read, a role that settings name cannot be used, or a view of the application does not compile: the
    /// message then holds every mistake, rendered.
    pub async fn open(
        store: SharedStore,
        application: Application,
        auth: impl Into<Arc<Auth>>,
    ) -> Result<Arc<Self>> {
        Self::open_from(store, application, None, auth).await
    }

    /// The same with the origin of the application, which every reload reads again.
    ///
    /// # Errors
    /// As [`Service::open`].
    pub async fn open_from(
        store: SharedStore,
        application: Application,
        origin: Option<Arc<dyn Origin>>,
        auth: impl Into<Arc<Auth>>,
    ) -> Result<Arc<Self>> {
        Self::open_among(Arc::default(), store, application, origin, auth.into()).await
    }

    /// The same among the applications of a process, whose mounts are in `routes`.
    pub(crate) async fn open_among(
        routes: Arc<Routes>,
        store: SharedStore,
        application: Application,
        origin: Option<Arc<dyn Origin>>,
        auth: Arc<Auth>,
    ) -> Result<Arc<Self>> {
        Self::open_as(routes, store, None, application, origin, auth).await
    }

    /// The service of a tenant, whose snapshots have generations of their own by its number: caches are kept by
    /// application and generation.
    ///
    /// # Errors
    /// As [`Service::open`].
    pub async fn open_tenant(
        store: SharedStore,
        application: Application,
        origin: Option<Arc<dyn Origin>>,
        auth: Arc<Auth>,
        number: usize,
    ) -> Result<Arc<Self>> {
        // No other application may have the same mounts, as the one of the tenants has them already.
        let routes = Arc::default();
        Self::open_as(routes, store, Some(number), application, origin, auth).await
    }

    /// Boxed here, so that callers hold neither its code nor its state.
    fn open_as(
        routes: Arc<Routes>,
        store: SharedStore,
        tenant: Option<usize>,
        application: Application,
        origin: Option<Arc<dyn Origin>>,
        auth: Arc<Auth>,
    ) -> LocalBoxFuture<'static, Result<Arc<Self>>> {
        Box::pin(Self::open_unboxed(routes, store, tenant, application, origin, auth))
    }

    async fn open_unboxed(
        routes: Arc<Routes>,
        store: SharedStore,
        tenant: Option<usize>,
        application: Application,
        origin: Option<Arc<dyn Origin>>,
        auth: Arc<Auth>,
    ) -> Result<Arc<Self>> {
        let version = store.schema_version().await?;
        let whole = match tenant {
            None => Arc::new(store.introspect().await?),
            Some(_) => store.introspect_at(version).await?,
        };
        let catalog = visible(&whole, &application, tenant.is_some());
        for role in auth.named_roles() {
            store.check_role(role).await?;
        }
        let superuser = store.superuser().await?;
        let application = Arc::new(application);
        let services = Arc::new(service_resource::described(&store, &application, &catalog).await?);
        let (dialect, standby) = (store.dialect(), store.is_standby());
        let mut snapshot =
            Snapshot::build(None, &catalog, &application, dialect, standby, services)?;
        snapshot.generation += tenant.map_or(0, |number| (number as u64) << GENERATIONS);
        let number = routes.register();
        store.describe_changes(&whole);
        if tenant.is_none() || snapshot.keeps_items() {
            store.watch_commits(snapshot.keeps_items()).await?;
        }
        let rowstores = Rowstores::default();
        let schema = tenant.and_then(|_| schema_of(&application));
        let snapshot = routes.claim(number, snapshot, true, |snapshot| {
            rowstores.take(snapshot, None, &store, schema);
        })?;
        Ok(Arc::new(Self {
            name: application.name.clone(),
            store,
            superuser,
            routes,
            number,
            origin,
            auth,
            is_tenant: tenant.is_some(),
            snapshot: ArcSwap::new(snapshot),
            schema_version: AtomicU64::new(version),
            changes: SchemaHistory::default(),
            catalog: std::sync::Mutex::new(catalog),
            rowstores,
            live: LiveHub::default(),
            key_table: KeyTableState::default(),
            ingest: OnceLock::new(),
            outbox: Arc::default(),
            view_event_wake: ViewEventWake::default(),
            reloading: Mutex::default(),
        }))
    }

    /// The store.
    pub fn store(&self) -> &SharedStore {
        &self.store
    }

    /// What the database tells of changes of its schema.
    pub fn news(&self) -> NewsReader {
        NewsReader::of(self.store.news())
    }

    /// What is known of the table of idempotency keys.
    pub(crate) fn key_table(&self) -> &KeyTableState {
        &self.key_table
    }

    /// Has it keep a journal, from which new rows are acknowledged where the database is prepared for it. Only
    /// the first call counts.
    pub fn keep_journal(&self, options: JournalOptions) {
        drop(self.ingest.set(Arc::new(IngestJournal::new(options))));
    }

    /// The journal, if there is one.
    pub fn ingest(&self) -> Option<&Arc<IngestJournal>> {
        self.ingest.get()
    }

    /// What is sent to webhooks.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// What tells of new events of views.
    pub(crate) fn view_event_wake(&self) -> &ViewEventWake {
        &self.view_event_wake
    }

    /// Limits of webhooks.
    pub fn webhook_limits(&self) -> WebhookLimits {
        self.snapshot.load().application.webhook_limits
    }

    /// The counters of the queues in front of the database, by their name.
    pub fn queues(&self) -> Vec<(&'static str, QueueCounts)> {
        self.store.queues()
    }

    /// Whether the database can be read and written.
    ///
    /// # Errors
    /// Why not, in words for the operator.
    pub async fn probe(&self) -> Result<()> {
        self.store.probe().await
    }

    /// The name of the database's user where it was a superuser at the start, which it should not be.
    pub fn superuser(&self) -> Option<&str> {
        self.superuser.as_deref()
    }

    /// What the store has done so far, for metrics.
    pub fn store_counted(&self) -> StoreCounts {
        self.store.counted()
    }

    /// The application in force.
    pub fn application(&self) -> Arc<Application> {
        Arc::clone(&self.snapshot.load().application)
    }

    /// The last times that the snapshot was replaced, the oldest first.
    pub fn schema_changes(&self) -> Vec<SchemaChange> {
        self.changes.list()
    }

    /// Limits of pages and filters.
    pub fn limits(&self) -> ReadLimits {
        self.snapshot.load().application.limits
    }

    /// Limits of writes.
    pub fn write_limits(&self) -> WriteLimits {
        self.snapshot.load().application.write_limits
    }

    /// The profile by which it answers.
    pub fn profile(&self) -> ProfileRef {
        self.snapshot.load().application.profile()
    }

    /// The licence of its descriptions, where it is stated.
    pub fn license(&self) -> Option<String> {
        self.snapshot.load().application.mounts.license().map(str::to_owned)
    }

    /// Sets how many bytes the items of a resource may take in memory, from now on and until the
    /// application declares another number; none switch it off.
    ///
    /// # Errors
    /// Where commits of others cannot be watched for.
    pub async fn resize_rowstore(&self, resource: &Resource, bytes: u64) -> Result<()> {
        if bytes > 0 {
            self.store.watch_commits(true).await?;
        }
        for mount in &self.snapshot().mounts {
            let is_it = |other: &&Arc<Resource>| Arc::ptr_eq(&other.rowstore, &resource.rowstore);
            if mount.resources().iter().any(|other| is_it(&other)) {
                self.rowstores.remember(&mount.path, resource, bytes);
            }
        }
        self.rowstores.resize(resource, bytes, self.store.commits());
        self.watch_commits().await
    }

    /// Watches the commits of others where that is needed.
    pub(crate) async fn watch_commits(&self) -> Result<()> {
        match self.rowstores.are_needed() || self.live.is_needed() {
            // Another tenant of the same database may need them.
            false if self.is_tenant => Ok(()),
            needed => self.store.watch_commits(needed).await,
        }
    }

    /// What the operator should know of items in memory at the start, if some are kept.
    pub fn rowstore_note(&self) -> Option<String> {
        let (snapshot, now) = (self.snapshot(), Instant::now());
        let kept = snapshot.resources().filter(|resource| resource.rowstore.get().is_some());
        let limited: Vec<_> =
            kept.filter_map(|resource| Some((resource, resource.rowstore.longest(now)?))).collect();
        let (_, longest) = limited.first()?;
        let names: Vec<_> = limited.iter().map(|(resource, _)| resource.name.as_str()).collect();
        let report = self.store.freshness().map(|freshness| freshness.report());
        let why = report.map_or(String::new(), |report| match report.reason {
            Some(reason) => format!(" Their commits are not captured. {reason}"),
            None if self.store.freshness().is_some_and(|it| it.coverage().distributed) => {
                " Changes of tables that are distributed over machines (pg_dist_partition) are never captured."
                    .to_owned()
            }
            None if report.means.is_some() => {
                " Not all tables of these resources are captured: run `duet rowstore prepare`."
                    .to_owned()
            }
            None => String::new(),
        });
        Some(format!(
            "Items of {} are kept in memory for {longest:?} only (rowstore_max_age): the state is degraded, because other programs may write to the database.{why}",
            names.join(", ")
        ))
    }

    /// The queries whose changes are followed.
    pub(crate) fn live(&self) -> &LiveHub {
        &self.live
    }

    /// What following queries has taken.
    pub fn live_counts(&self) -> &LiveCounts {
        self.live.counts()
    }

    /// Tasks that bring items into memory.
    pub(crate) fn populations(&self) -> &Populations {
        &self.rowstores.populations
    }

    /// Clients and tokens.
    pub fn auth(&self) -> &Arc<Auth> {
        &self.auth
    }

    /// Where a reload reads the application again.
    pub(crate) fn origin(&self) -> Option<&Arc<dyn Origin>> {
        self.origin.as_ref()
    }

    /// The application's name. It is what metrics and logs call it, so a reload does not change it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mounts of all applications of the process.
    pub(crate) fn routes(&self) -> &Arc<Routes> {
        &self.routes
    }

    /// The clients that cannot be served because of their database roles, each with the reason, in
    /// words for the operator.
    pub async fn check_clients(&self) -> Vec<String> {
        let clients: Vec<_> = {
            let table = self.auth.table();
            let with_role = table.db_roles();
            with_role.map(|(name, role)| (name.to_owned(), role.clone())).collect()
        };
        let mut notes = Vec::new();
        for (name, role) in clients {
            if let Err(error) = self.store.check_role(&role).await {
                notes.push(format!("the client {name:?} cannot be served: {error}"));
            }
        }
        notes
    }

    /// The snapshot in force.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Reads the application and the catalog again, builds a snapshot beside the one in force and
    /// swaps it in whole. Requests under way keep theirs.
    ///
    /// # Errors
    /// Where the database cannot be read; the old snapshot then stays. [`Code::Application`] where
    /// the application holds mistakes or does not fit the database: the one before then stays in
    /// force, over the catalog as it is now.
    pub async fn reload(&self) -> Result<ReloadedSnapshot> {
        let _alone = self.reloading.lock().await;
        let (application, notes, wrong) = match self.read_again().await {
            Ok(None) => (self.application(), Vec::new(), None),
            Ok(Some(reread)) => (Arc::new(reread.application), reread.notes, None),
            Err(error) => (self.application(), Vec::new(), Some(error)),
        };
        let version = self.store.schema_version().await?;
        let mut reloaded = match self.load(version, &application).await {
            Err(error) if error.code == Code::Application => {
                self.load(version, &self.application()).await?;
                return Err(error);
            }
            loaded => loaded?.into_reloaded(),
        };
        if let Some(error) = wrong {
            return Err(error);
        }
        reloaded.notes.splice(..0, notes);
        Ok(reloaded)
    }

    /// The application as its origin now says, if it has one.
    async fn read_again(&self) -> Result<Option<Reread>> {
        let Some(origin) = self.origin.clone() else { return Ok(None) };
        let reading = tokio::task::spawn_blocking(move || origin.read());
        reading.await.map_err(Error::internal)?.map(Some)
    }

    /// Builds from the catalog as it is now; `version` was read before that. Where catalog and
    /// application are unchanged, the snapshot stays, and with it every prepared statement.
    async fn load(&self, version: u64, application: &Arc<Application>) -> Result<Loaded> {
        let before = self.schema_version.load(Ordering::Relaxed);
        let loaded = self.build(version, application).await?;
        // Also if the catalog is the same: the body of a view or a function is not in it.
        if before != version {
            self.store.commits().schema_changed();
        }
        Ok(loaded)
    }

    async fn build(&self, version: u64, application: &Arc<Application>) -> Result<Loaded> {
        let whole = self.introspect(version).await?;
        let catalog = visible(&whole, application, self.is_tenant);
        let previous = self.snapshot.load_full();
        let same_application = previous.application == *application;
        let standby = self.store.is_standby();
        let services =
            Arc::new(service_resource::described(&self.store, application, &catalog).await?);
        if same_application
            && previous.standby == standby
            && previous.services == services
            && self.built_from().describes_same(&catalog)
        {
            self.schema_version.store(version, Ordering::Relaxed);
            return Ok(Loaded { snapshot: previous, changed: false });
        }
        let dialect = self.store.dialect();
        let mut snapshot =
            Snapshot::build(Some(&previous), &catalog, application, dialect, standby, services)?;
        let changed = !same_application || !snapshot.serves_same(&previous);
        if !changed {
            snapshot.generation = previous.generation;
        }
        self.store.describe_changes(&whole);
        if snapshot.keeps_items() {
            self.store.watch_commits(true).await?;
        }
        let put = |snapshot: &Arc<Snapshot>| {
            let schema = schema_of(&snapshot.application).filter(|_| self.is_tenant);
            self.rowstores.take(snapshot, Some(&previous), &self.store, schema);
            self.snapshot.store(Arc::clone(snapshot));
            self.live.look();
        };
        let snapshot = self
            .routes
            .claim(self.number, snapshot, !same_application, put)
            .map_err(|error| definition::mistaken(vec![error]))?;
        self.watch_commits().await?;
        *self.lock_catalog() = catalog;
        self.schema_version.store(version, Ordering::Relaxed);
        if changed {
            let difference = SnapshotDifference::between(&previous, &snapshot);
            self.changes.add(snapshot.generation, difference);
        }
        Ok(Loaded { snapshot, changed })
    }

    /// The catalog that the snapshot was built from.
    pub(crate) fn built_from(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock_catalog())
    }

    fn lock_catalog(&self) -> std::sync::MutexGuard<'_, Arc<Catalog>> {
        self.catalog.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Reads the catalog. While tables are dropped, the database may fail to describe one that it
    /// has just listed: then again.
    async fn introspect(&self, version: u64) -> Result<Arc<Catalog>> {
        const TRIES: usize = 5;
        let mut tries = 1;
        loop {
            let read = match self.is_tenant {
                true => self.store.introspect_at(version).await,
                false => self.store.introspect().await.map(Arc::new),
            };
            match read {
                Err(error)
                    if tries < TRIES
                        && matches!(error.code, Code::Internal | Code::SchemaChanged) => {}
                other => return other,
            }
            tries += 1;
        }
    }

    /// Reloads if the schema has changed since the last time. `None` where nothing that is served has changed.
    ///
    /// Where another task reloads, it looks after that one, which may have looked before the change.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn reload_if_changed(&self) -> Result<Option<ReloadedSnapshot>> {
        let mut looks = self.reloading.lock().await;
        let begun = Instant::now();
        let version = self.store.glance_at_schema().await?;
        self.look(version, begun, &mut looks).await
    }

    /// Reloads if this is another version of the schema; `None` where nothing that is served has
    /// changed.
    async fn look(
        &self,
        version: u64,
        begun: Instant,
        looks: &mut Looks,
    ) -> Result<Option<ReloadedSnapshot>> {
        if version == self.schema_version.load(Ordering::Relaxed) {
            return Ok(None);
        }
        looks.moved = Some(begun);
        let loaded = self.load(version, &self.application()).await?;
        Ok(loaded.changed.then(|| loaded.into_reloaded()))
    }

    /// For a request that has met a changed schema: it took the snapshot of this generation when it
    /// `began`, and has `failed` just now. Looks at the schema, and makes a new snapshot where what is
    /// served has changed.
    ///
    /// However many requests fail together, the schema is checked once: by the first that comes
    /// here, or by the next, for those that failed after that look had begun.
    pub async fn renew(&self, generation: u64, began: Instant, failed: Instant) -> Renewal {
        let mut looks = self.reloading.lock().await;
        let has_moved = |looks: &Looks| looks.moved.is_some_and(|moved| moved > began);
        if self.snapshot.load().generation > generation || has_moved(&looks) {
            return Renewal::Changed;
        }
        if let Some((begun, renewed)) = looks.last
            && begun > failed
        {
            return renewed;
        }
        let begun = Instant::now();
        let looked = match self.store.schema_version().await {
            Ok(version) => self.look(version, begun, &mut looks).await,
            Err(error) => Err(error),
        };
        let renewed = match looked {
            Ok(_) if has_moved(&looks) => Renewal::Changed,
            Ok(_) => Renewal::Unchanged,
            Err(error) => {
                let (code, cause) = (error.code.as_str(), error.cause);
                tracing::warn!(code, cause, "the changed schema cannot be read");
                Renewal::Unknown
            }
        };
        // Also where it fails: waiting callers would only fail the same way, one after the other.
        looks.last = Some((begun, renewed));
        renewed
    }

    /// The error where a path lies below no mount.
    pub fn nothing_here() -> Error {
        Error::new(Code::NotServed, "Nothing is served at this path.")
    }
}
