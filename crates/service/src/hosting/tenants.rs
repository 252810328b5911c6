//! The tenants of an application: each a service of its own over its own schema or file.
//!
//! Nothing of a request for one tenant passes through another's: snapshot, plans, caches and rowstore belong to
//! the service, and its SQL names its schema. What tenants of one PostgreSQL database share is connections.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use duet_auth::{RateLimiter, RateSettings};
use duet_model::tenant::TenantName;
use duet_model::{Code, Error, Result};
use duet_store::SharedStore;

use super::auth::Auth;
use super::service::Service;
use crate::definition::{Application, Mounts, Origin, TenantChoice};
use crate::live::EndReason;

/// How long a name is known to be no tenant's, so that requests for it do not ask the database each time.
const UNKNOWN: Duration = Duration::from_secs(1);

/// How many such names are remembered.
const MOST_UNKNOWN: usize = 1_000;

/// Where the databases of tenants are. Its functions block, so they are called on threads of their own.
pub trait TenantSource: fmt::Debug + Send + Sync {
    /// All tenants, by name.
    ///
    /// # Errors
    /// Where the database cannot be read.
    fn list(&self) -> Result<BTreeMap<TenantName, TenantIdentity>>;

    /// The tenant of this name, where there is one.
    ///
    /// # Errors
    /// Where the database cannot be read.
    fn find(&self, name: &TenantName) -> Result<Option<TenantIdentity>>;

    /// The store of a tenant that exists, and the application over it.
    ///
    /// # Errors
    /// Where its database cannot be opened.
    fn open(&self, name: &TenantName) -> Result<TenantParts>;

    /// Makes the tenant, or what its database lacks of the declared tables and indexes. What was made, in words;
    /// empty where nothing was missing.
    ///
    /// # Errors
    /// Where the database refuses.
    fn prepare(&self, name: &TenantName, data: TenantData) -> Result<Vec<String>>;

    /// Removes the tenant with all its rows; `false` where there was none.
    ///
    /// # Errors
    /// Where the database refuses.
    fn remove(&self, name: &TenantName) -> Result<bool>;
}

/// What distinguishes a tenant from one of the same name that was made after it was removed: device and inode of
/// its file, or the number of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TenantIdentity(pub u64, pub u64);

/// The rows that a new tenant begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TenantData {
    /// The application's sample data.
    pub sample: bool,
}

/// What a tenant's service is made of.
#[derive(Debug)]
pub struct TenantParts {
    /// Its store.
    pub store: SharedStore,
    /// The application over its schema or file.
    pub application: Application,
    /// Where a reload reads it again.
    pub origin: Option<Arc<dyn Origin>>,
}

/// What bounds the tenants of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TenantLimits {
    /// Tenants that are open at a time.
    pub open: usize,
    /// Requests of a tenant under way at a time.
    pub requests: usize,
    /// Requests of a tenant per second; `None` allows any number.
    pub rate: Option<u32>,
}

impl Default for TenantLimits {
    fn default() -> Self {
        Self { open: 1_000, requests: 1_000, rate: None }
    }
}

impl TenantLimits {
    /// What counts the requests of one tenant.
    fn rate_limiter(self) -> Option<RateLimiter<()>> {
        let rate = self.rate?;
        let settings = RateSettings { burst: rate, per_minute: rate.saturating_mul(60), peers: 1 };
        Some(RateLimiter::new(settings))
    }
}

/// The tenants of an application.
#[derive(Debug)]
pub struct Tenants {
    choice: TenantChoice,
    source: Arc<dyn TenantSource>,
    auth: Arc<Auth>,
    limits: TenantLimits,
    open: ArcSwap<HashMap<TenantName, Arc<Tenant>>>,
    /// Held while one is opened or closed.
    opening: tokio::sync::Mutex<()>,
    unknown: Mutex<HashMap<TenantName, Instant>>,
    /// Numbers of opened tenants, never used twice.
    numbers: AtomicUsize,
    begun: Instant,
}

/// An open tenant.
#[derive(Debug)]
pub struct Tenant {
    name: TenantName,
    number: usize,
    identity: TenantIdentity,
    scope: String,
    service: Arc<Service>,
    most_requests: usize,
    rate: Option<RateLimiter<()>>,
    active: AtomicUsize,
    /// When it was last used, in seconds of the process.
    used: AtomicU64,
    /// When it was last looked whether it still exists; held while somebody looks.
    looked: tokio::sync::Mutex<Option<Instant>>,
    removed: AtomicBool,
    /// What its requests have come to.
    pub counters: TenantCounters,
}

/// Counters of a tenant's requests.
#[derive(Debug, Default)]
pub struct TenantCounters {
    /// Answered requests.
    pub requests: AtomicU64,
    /// Those of them with a status from 500 on.
    pub failures: AtomicU64,
    /// Requests refused because the tenant had as many as it may have.
    pub refused: AtomicU64,
    /// How long the answers took, in microseconds.
    pub micros: AtomicU64,
    /// Bytes of their bodies.
    pub bytes: AtomicU64,
}

impl TenantCounters {
    /// Counts an answer.
    pub fn answered(&self, status: u16, bytes: usize, took: Duration) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.failures.fetch_add(u64::from(status >= 500), Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

/// A request of a tenant under way, until dropped.
#[derive(Debug)]
pub struct TenantTurn(Arc<Tenant>);

impl TenantTurn {
    /// The tenant.
    pub fn tenant(&self) -> &Arc<Tenant> {
        &self.0
    }
}

impl Drop for TenantTurn {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Tenant {
    /// Its name.
    pub fn name(&self) -> &TenantName {
        &self.name
    }

    /// A number that no other tenant of the application has had.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Its service.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// What distinguishes its rows in tables that tenants of one database share: its schema, which no other
    /// application has, else its name.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// How many of its requests are under way.
    pub fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Takes one more request, at a time in seconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Code::TenantBusy`] where it has as many as it may have.
    pub fn enter(self: &Arc<Self>, now: u64) -> Result<TenantTurn> {
        let turn = TenantTurn(Arc::clone(self));
        if self.active.fetch_add(1, Ordering::Relaxed) >= self.most_requests {
            let most = self.most_requests;
            let message = format!(
                "The tenant has {most} requests under way, as many as it may have (`--tenant-requests`)."
            );
            return Err(self.busy(message, 1));
        }
        if let Some(Err(seconds)) = self.rate.as_ref().map(|rate| rate.take((), now)) {
            let message = "The tenant has sent as many requests as it may (`--tenant-rate`).";
            return Err(self.busy(message.to_owned(), seconds));
        }
        Ok(turn)
    }

    fn busy(&self, message: String, seconds: u32) -> Error {
        self.counters.refused.fetch_add(1, Ordering::Relaxed);
        Error::new(Code::TenantBusy, message).retry_after(seconds)
    }
}

impl Tenants {
    /// The tenants of an application; none is open yet.
    pub(crate) fn new(
        choice: TenantChoice,
        source: Arc<dyn TenantSource>,
        auth: &Arc<Auth>,
        limits: TenantLimits,
    ) -> Self {
        Self {
            choice,
            source,
            auth: Arc::clone(auth),
            limits,
            open: ArcSwap::default(),
            opening: tokio::sync::Mutex::default(),
            unknown: Mutex::default(),
            // Zero is the application itself.
            numbers: AtomicUsize::new(1),
            begun: Instant::now(),
        }
    }

    /// What names the tenant of a request.
    pub fn choice(&self) -> TenantChoice {
        self.choice
    }

    /// Where their databases are.
    pub fn source(&self) -> &Arc<dyn TenantSource> {
        &self.source
    }

    /// The open ones, by name.
    pub fn open_ones(&self) -> Vec<Arc<Tenant>> {
        let mut open: Vec<_> = self.open.load().values().map(Arc::clone).collect();
        open.sort_by(|a, b| a.name.cmp(&b.name));
        open
    }

    /// The tenant, if it is open.
    pub fn find(&self, name: &TenantName) -> Option<Arc<Tenant>> {
        let found = Arc::clone(self.open.load().get(name)?);
        if found.removed.load(Ordering::Relaxed) {
            return None;
        }
        found.used.store(self.begun.elapsed().as_secs(), Ordering::Relaxed);
        Some(found)
    }

    /// Opens a tenant that is not open yet.
    ///
    /// # Errors
    /// [`Code::TenantUnknown`] where there is none of this name, [`Code::Overloaded`] where as many are open as may
    /// be and all have requests, and whatever the database says.
    pub async fn open(&self, name: &TenantName) -> Result<Arc<Tenant>> {
        let _only_one = self.opening.lock().await;
        if let Some(open) = self.find(name) {
            return Ok(open);
        }
        if self.is_known_unknown(name) {
            return Err(unknown());
        }
        let (source, wanted) = (Arc::clone(&self.source), name.clone());
        let found = blocking(move || match source.find(&wanted)? {
            Some(identity) => Ok(Some((identity, source.open(&wanted)?))),
            None => Ok(None),
        })
        .await?;
        let Some((identity, TenantParts { store, application, origin })) = found else {
            self.note_unknown(name);
            return Err(unknown());
        };
        let scope = scope_of(name, &application);
        self.make_room()?;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let auth = Arc::clone(&self.auth);
        let service = Service::open_tenant(store, application, origin, auth, number).await?;
        let tenant = Arc::new(Tenant {
            name: name.clone(),
            number,
            identity,
            scope,
            service,
            most_requests: self.limits.requests,
            rate: self.limits.rate_limiter(),
            active: AtomicUsize::new(0),
            used: AtomicU64::new(self.begun.elapsed().as_secs()),
            looked: tokio::sync::Mutex::default(),
            removed: AtomicBool::new(false),
            counters: TenantCounters::default(),
        });
        self.change(&EndReason::Closed, |open| {
            drop(open.insert(name.clone(), Arc::clone(&tenant)));
        });
        Ok(tenant)
    }

    /// Closes a tenant, if it is open; requests under way are answered.
    pub async fn close(&self, name: &TenantName) {
        let _only_one = self.opening.lock().await;
        self.change(&removed(), |open| drop(open.remove(name)));
    }

    /// Has the next request for a tenant that was removed look for it again.
    pub fn mark_removed(&self, name: &TenantName) {
        if let Some(open) = self.open.load().get(name) {
            open.removed.store(true, Ordering::Relaxed);
        }
    }

    /// Forgets that there was no tenant of this name.
    pub fn forget_unknown(&self, name: &TenantName) {
        self.lock_unknown().remove(name);
    }

    /// Closes those that were removed from the database by others.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn close_removed(&self) -> Result<()> {
        let source = Arc::clone(&self.source);
        let known = blocking(move || source.list()).await?;
        for tenant in self.open_ones() {
            if known.get(&tenant.name) != Some(&tenant.identity) {
                self.close_removed_one(&tenant).await;
            }
        }
        Ok(())
    }

    /// Whether an open tenant, whose database has just failed a request, was removed; then it is closed.
    ///
    /// Requests that fail at once share a look, so that a database that is down is not asked for each of them.
    pub async fn is_removed(&self, tenant: &Arc<Tenant>) -> bool {
        let failed = Instant::now();
        let mut looked = tenant.looked.lock().await;
        if looked.is_none_or(|began| began < failed) {
            *looked = Some(Instant::now());
            let (source, name) = (Arc::clone(&self.source), tenant.name.clone());
            let found = blocking(move || source.find(&name)).await;
            // One that cannot be looked for may still exist.
            if found.is_ok_and(|found| found != Some(tenant.identity)) {
                self.close_removed_one(tenant).await;
            }
        }
        tenant.removed.load(Ordering::Relaxed)
    }

    /// Closes this tenant, and none that was made after it under the same name.
    async fn close_removed_one(&self, tenant: &Arc<Tenant>) {
        let _only_one = self.opening.lock().await;
        tenant.removed.store(true, Ordering::Relaxed);
        self.change(&removed(), |open| {
            if open.get(&tenant.name).is_some_and(|one| Arc::ptr_eq(one, tenant)) {
                open.remove(&tenant.name);
            }
        });
    }

    /// Closes the one that was not used for longest, where there are too many.
    fn make_room(&self) -> Result<()> {
        let open = self.open.load();
        if open.len() < self.limits.open.max(1) {
            return Ok(());
        }
        let idle = open.values().filter(|tenant| tenant.active() == 0);
        // Those that somebody follows come last.
        let oldest = idle.min_by_key(|tenant| {
            let is_followed = tenant.service().live_counts().subscriptions.get() > 0;
            (is_followed, tenant.used.load(Ordering::Relaxed))
        });
        let Some(oldest) = oldest else {
            let message = "As many tenants are open as may be, and all of them have requests (`--open-tenants`).";
            return Err(Error::new(Code::Overloaded, message).retry_after(1));
        };
        self.change(&EndReason::Closed, |open| drop(open.remove(&oldest.name)));
        Ok(())
    }

    /// Only while `opening` is held.
    fn change(
        &self,
        reason: &EndReason,
        change: impl FnOnce(&mut HashMap<TenantName, Arc<Tenant>>),
    ) {
        let before = self.open.load_full();
        let mut open = HashMap::clone(&before);
        change(&mut open);
        let gone = before.iter().filter(|(name, _)| !open.contains_key(name));
        // Who follows a tenant that is closed would learn of no more commits.
        gone.for_each(|(_, tenant)| tenant.service().live().close(reason));
        self.open.store(Arc::new(open));
    }

    fn is_known_unknown(&self, name: &TenantName) -> bool {
        self.lock_unknown().get(name).is_some_and(|since| since.elapsed() < UNKNOWN)
    }

    fn note_unknown(&self, name: &TenantName) {
        let mut unknown = self.lock_unknown();
        if unknown.len() >= MOST_UNKNOWN {
            unknown.clear();
        }
        unknown.insert(name.clone(), Instant::now());
    }

    fn lock_unknown(&self) -> std::sync::MutexGuard<'_, HashMap<TenantName, Instant>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Tenant::scope`].
fn scope_of(name: &TenantName, application: &Application) -> String {
    match &application.mounts {
        Mounts::Declared(mount) => mount.schema.clone(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    }
    .unwrap_or_else(|| name.to_string())
}

/// The error of a name that is no tenant's. It names nothing, so it is the same for all.
pub fn unknown() -> Error {
    Error::new(Code::TenantUnknown, "There is no tenant of this name here.")
        .hint("`duet tenant list` lists them.")
}

/// Why those end who follow a tenant that was removed.
fn removed() -> EndReason {
    EndReason::Failed(Box::new(unknown()))
}

/// Runs what blocks where it delays no request.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}
