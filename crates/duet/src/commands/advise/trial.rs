//! Trials of indexes over a copy of the documents.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::{Open, Principal, State};
use duet_document::Links;
use duet_model::{CollectionTable, Column, Error, Relation, Result, Type};
use duet_service::advice::LoggedRequest;
use duet_service::definition::{Collection, DeclaredIndex, Mount, Mounts};
use duet_service::query::PageParameters;
use duet_service::{Auth, Service};
use duet_store::setup::indexes::IndexEntry;
use duet_store::setup::migrate::{Action, MigrationEvent, Object, Options};

use crate::commands::sources::applications::Resolved;
use crate::commands::sources::database;
use crate::database_url::DatabaseUrl;
use crate::runtime::now;

/// How often a request is run at most.
const RUNS: u32 = 7;
/// How long a request is run, after its first time.
const LONGEST: Duration = Duration::from_secs(2);

/// A database with copies of documents.
pub(super) struct Trial {
    database: DatabaseUrl,
    resolved: Resolved,
    mount: Mount,
    /// The folder of a SQLite file.
    _folder: Option<tempfile::TempDir>,
}

/// An index that was built.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Built {
    pub(super) bytes: u64,
    pub(super) time: Duration,
    /// The rows of its table.
    pub(super) rows: u64,
}

impl Trial {
    /// Copies up to so many documents of each collection.
    ///
    /// # Errors
    /// If the copy cannot be made.
    pub(super) async fn start(resolved: Resolved, mount: &Mount, rows: u64) -> Result<Self> {
        let tables = tables(mount);
        let (mut mount, from) = (mount.clone(), mount.schema.clone());
        // What is beside the collections may need tables that are not copied.
        (mount.services, mount.views, mount.resources) = Default::default();
        (mount.routines, mount.privileges) = Default::default();
        (mount.all_tables, mount.privilege_mounts) = Default::default();
        let folder = match resolved.database.sample_schema() {
            Some(_) => None,
            None => Some(tempfile::tempdir().map_err(Error::internal)?),
        };
        let database = match &folder {
            Some(folder) => resolved.database.beside(folder.path().join("copy.db")),
            None => resolved.database.clone(),
        };
        if let Some(schema) = database.sample_schema() {
            mount.schema = Some(schema.to_owned());
        }
        let trial = Self { database, resolved, mount, _folder: folder };
        // One that was interrupted has left its copy.
        trial.database.drop_sample().await?;
        trial.apply(&trial.mount).await?;
        let database = &*trial.resolved.database;
        trial.database.copy_sample(database, from.as_deref(), tables, rows).await?;
        Ok(trial)
    }

    /// Removes the copy.
    ///
    /// # Errors
    /// If PostgreSQL refuses to.
    pub(super) async fn end(self) -> Result<()> {
        self.database.drop_sample().await
    }

    /// The mount with one more index; `None` where the collection cannot have it.
    pub(super) fn with(&self, collection: &str, index: &DeclaredIndex) -> Option<Mount> {
        let mut mount = self.mount.clone();
        let place = mount.collections.iter_mut();
        let place = place.into_iter().find(|one| one.declaration().name == collection)?;
        let mut declaration = place.declaration().clone();
        declaration.indexes.push(index.clone());
        let columns = vec![Column::new("id", Type::Text), Column::new("jsonb", Type::Json)];
        let schema = place.document(&Relation::table("", &declaration.table, columns))?.schema;
        *place = Arc::new(Collection::new(declaration, &schema).ok()?);
        Some(mount)
    }

    /// The mount as it is declared.
    pub(super) fn declared(&self) -> &Mount {
        &self.mount
    }

    /// Builds the indexes of a mount, and drops others; gives the size of the last one built, and how long that took.
    pub(super) async fn apply(&self, mount: &Mount) -> Result<Built> {
        let (mut name, mut began, mut time) = (String::new(), Instant::now(), Duration::ZERO);
        let mut rows = 0;
        let mut observer = |progress: &MigrationEvent<'_>| {
            if let MigrationEvent::Step(_, step) = progress {
                if !name.is_empty() && time.is_zero() {
                    time = began.elapsed();
                }
                if step.object == Object::Index && step.action == Action::Create {
                    name.clone_from(&step.name);
                    rows = step.rows.unwrap_or(0);
                    (began, time) = (Instant::now(), Duration::ZERO);
                }
            }
            Ok(())
        };
        let (tables, options) = (tables(mount), Options::default());
        self.database.migrate(tables.into(), options, &mut observer).await?;
        let found = self.database.indexes().await?;
        // A file has one schema.
        let schema = self.database.sample_schema();
        let is_copy = |it: &IndexEntry| schema.is_none_or(|schema| it.schema == schema);
        let is_it = |it: &&IndexEntry| it.name == name && is_copy(it);
        Ok(Built { bytes: found.iter().find(is_it).map_or(0, |it| it.bytes), time, rows })
    }

    /// The time of requests over the copy as a mount serves them: the best of some runs of each, added up.
    pub(super) async fn measure(
        &self,
        mount: &Mount,
        requests: &[LoggedRequest],
    ) -> Result<Duration> {
        let store = database::open(&self.database, &self.resolved.settings).await?;
        let mut definition = self.resolved.definition.clone();
        definition.mounts = Mounts::Declared(Box::new(mount.clone()));
        let auth = Auth::in_memory(&State::new(now())?, Open::Read);
        let service = Arc::new(Service::open(store, definition, auth).await?);
        let worker = service.attach()?;
        let mut sum = Duration::ZERO;
        for request in requests {
            let first = Instant::now();
            let mut best = Duration::MAX;
            for _ in 0..RUNS {
                let began = Instant::now();
                read(&worker, &request.target).await?;
                best = best.min(began.elapsed());
                if first.elapsed() > LONGEST {
                    break;
                }
            }
            sum += best;
        }
        Ok(sum)
    }
}

/// Reads the list of a target.
async fn read(worker: &duet_service::WorkerHandle, target: &str) -> Result<()> {
    let (path, query) =
        target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let snapshot = worker.snapshot();
    let (mount, below) = snapshot.route(path).ok_or_else(Service::nothing_here)?;
    let resource = mount.resource(&duet_model::key::percent_decode(below.trim_matches('/'))?)?;
    let parameters = PageParameters::of_resource(resource, &Vec::new(), query)?;
    let anybody = Principal::anonymous(Open::Read, None);
    let denied = |_| Error::internal("the operator may not read");
    let right = resource.access.read_right(&anybody).map_err(denied)?;
    let page = parameters.query(right, None);
    let links = Links { collection: path, described_by: path, writable: false, plain: true };
    worker.acting(None).page(resource, &page, &links, &|_| String::new()).await?;
    Ok(())
}

/// The settings of connections, whose warnings were printed before.
/// The tables of a mount's collections.
pub(super) fn tables(mount: &Mount) -> Vec<CollectionTable> {
    mount.collections.iter().map(|one| one.table(mount.schema.as_deref())).collect()
}
