//! The service: one store, one application, the snapshot in force and how it is renewed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwap;
use duet_db::Store;
use duet_model::{Code, Error, Result};

use crate::auth::Auth;
use crate::definition::{Application, ReadLimits};
use crate::read::Worker;
use crate::snapshot::Snapshot;

/// Everything that the workers share.
#[derive(Debug)]
pub struct Service {
    store: Store,
    application: Application,
    auth: Auth,
    snapshot: ArcSwap<Snapshot>,
    schema_version: AtomicU64,
    reload_wanted: AtomicBool,
}

/// What a reload has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// The generation now in force.
    pub generation: u64,
    /// What could not be served.
    pub notes: Vec<String>,
}

impl Service {
    /// Reads the catalog and builds the first snapshot.
    ///
    /// # Errors
    /// Where the database cannot be read, or a view of the application does not compile: the
    /// message then holds every mistake, rendered.
    pub async fn open(store: Store, application: Application, auth: Auth) -> Result<Arc<Self>> {
        let version = store.schema_version().await?;
        let catalog = store.introspect().await?;
        let snapshot = Snapshot::build(1, &catalog, &application, store.dialect(), true)?;
        Ok(Arc::new(Self {
            store,
            application,
            auth,
            snapshot: ArcSwap::from_pointee(snapshot),
            schema_version: AtomicU64::new(version),
            reload_wanted: AtomicBool::new(false),
        }))
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The application.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// Limits of pages and filters.
    pub fn limits(&self) -> &ReadLimits {
        &self.application.limits
    }

    /// Clients and tokens.
    pub fn auth(&self) -> &Auth {
        &self.auth
    }

    /// The snapshot in force.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Attaches the calling thread, which runs a local task set.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub fn attach(self: &Arc<Self>) -> Result<Worker> {
        Ok(Worker::new(Arc::clone(self), self.store.attach()?))
    }

    /// Reads the catalog anew, builds a snapshot beside the one in force and swaps it in whole.
    /// Requests under way keep theirs.
    ///
    /// # Errors
    /// Where the database cannot be read; the old snapshot then stays.
    pub async fn reload(&self) -> Result<Reloaded> {
        self.reload_wanted.store(false, Ordering::Relaxed);
        let version = self.store.schema_version().await?;
        let catalog = self.store.introspect().await?;
        let generation = self.snapshot.load().generation + 1;
        let snapshot =
            Snapshot::build(generation, &catalog, &self.application, self.store.dialect(), false)?;
        let notes = snapshot.notes.clone();
        self.snapshot.store(Arc::new(snapshot));
        self.schema_version.store(version, Ordering::Relaxed);
        Ok(Reloaded { generation, notes })
    }

    /// Reloads if the schema has changed since the last time, or somebody has noticed so.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn reload_if_changed(&self) -> Result<Option<Reloaded>> {
        let version = self.store.schema_version().await?;
        let changed = version != self.schema_version.load(Ordering::Relaxed);
        if changed || self.reload_wanted.load(Ordering::Relaxed) {
            return self.reload().await.map(Some);
        }
        Ok(None)
    }

    /// Asks for a reload at the next look; does not wait.
    pub fn request_reload(&self) {
        self.reload_wanted.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked for a reload.
    pub fn reload_wanted(&self) -> bool {
        self.reload_wanted.load(Ordering::Relaxed)
    }

    /// The error where a path lies below no mount.
    pub fn nothing_here() -> Error {
        Error::new(Code::NotServed, "Nothing is served at this path.")
    }
}
