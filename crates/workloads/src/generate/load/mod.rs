//! Loads a data set into a database: PostgreSQL by COPY over several connections, SQLite by one
//! writer whose rows other threads generate.
//!
//! The metadata decide what a load does: nothing if the same data set is complete; an error if
//! another one or an incomplete one exists, unless it is to be replaced.

mod fill;
mod meter;
mod steps;

use std::fmt;
use std::time::{Duration, Instant};

use duet_bench::targets::sql::{DatabaseAddress, LOADING};
use duet_bench::workload::cannot;
use duet_client::{ConnectOptions, Connection, Failure, FailureKind};
use duet_model::{Code, Error};

pub use meter::LoadProgress;

use super::state::{self, Metadata};
use super::{DataSet, DataSource, Engine, SEED};
use crate::flag::FlagValues;

/// Options of a load.
#[derive(Clone, Copy, Debug)]
pub struct DataLoadOptions {
    /// Connections that fill PostgreSQL, or threads that generate rows for SQLite.
    pub threads: usize,
    /// Whether to drop existing tables of the same names first.
    pub replace: bool,
}

impl DataLoadOptions {
    /// Twice the processors, at most eight.
    pub fn usual_threads() -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        (processors * 2).min(8)
    }
}

/// The totals and times of a load.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Connecting, once.
    pub connection: Duration,
    /// Making and writing rows.
    pub generation: Duration,
    /// Tables, keys, indexes, references, statistics.
    pub ddl: Duration,
    /// The total.
    pub total: Duration,
    /// Rows of each table.
    pub tables: Vec<(&'static str, u64)>,
    /// All rows.
    pub rows: u64,
    /// Transactions committed for rows.
    pub commits: u64,
    /// Pieces of rows.
    pub batches: u64,
}

impl Figures {
    /// Rows per second of generation.
    pub fn rate(&self) -> f64 {
        self.rows as f64 / self.generation.as_secs_f64().max(1e-6)
    }
}

/// The outcome of a load.
#[derive(Clone, Debug)]
pub enum LoadOutcome {
    /// The data set was loaded.
    Loaded(Figures),
    /// The data set was already complete.
    AlreadyThere,
}

/// Why nothing was loaded.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// The database refused, or is unreachable.
    Database(Failure),
    /// An earlier load did not finish.
    Incomplete,
    /// The data set exists at another scale, with another seed, or of another version.
    Different {
        /// The existing scale.
        scale: Option<f64>,
        /// The existing seed.
        seed: Option<u64>,
    },
    /// A table of this name exists that no load created.
    InTheWay(String),
}

impl From<Failure> for LoadError {
    fn from(failure: Failure) -> Self {
        Self::Database(failure)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(_) => write!(f, "The database refused."),
            Self::Incomplete => write!(f, "An earlier load did not finish."),
            Self::Different { scale: Some(scale), seed: Some(seed) } => {
                write!(f, "Other data exist: scale {scale}, seed {seed}.")
            }
            Self::Different { .. } => write!(f, "Other data exist."),
            Self::InTheWay(name) => write!(f, "`{name}` is already in the database."),
        }
    }
}

impl std::error::Error for LoadError {}

/// Loads a data set. `report` is called from any thread, one call at a time: ten times a second,
/// and at the end of each table.
///
/// # Errors
/// If existing tables conflict, or the database refuses; what was loaded until then remains, and
/// the next load detects that it is incomplete.
pub fn load(
    target: &ConnectOptions,
    named: &'static dyn DataSource,
    set: &DataSet,
    options: DataLoadOptions,
    report: &(dyn Fn(&LoadProgress) + Sync),
) -> Result<LoadOutcome, LoadError> {
    let begun = Instant::now();
    let runtime = runtime()?;
    let is_new = is_new(target);
    let mut connection = runtime.block_on(Connection::open(target, LOADING))?;
    let mut figures = Figures { connection: begun.elapsed(), ..Default::default() };
    if !options.replace && runtime.block_on(there(&mut connection, named, set))? {
        return Ok(LoadOutcome::AlreadyThere);
    }
    let store = Engine::of(target);
    let before = Instant::now();
    runtime.block_on(steps::prepare(&mut connection, set, is_new))?;
    figures.ddl += before.elapsed();

    let before = Instant::now();
    let meter = meter::Meter::new(set, report);
    match store {
        Engine::Postgres => fill::postgres(target, set, options.threads, &meter)?,
        Engine::Sqlite => {
            fill::sqlite(target, options.threads, &runtime, &mut connection, set, &meter)?;
        }
    }
    figures.generation = before.elapsed();

    let before = Instant::now();
    if store == Engine::Postgres {
        fill::side_by_side(target, steps::keys(set, store), options.threads)?;
    }
    runtime.block_on(steps::finish(&mut connection, set))?;
    figures.ddl += before.elapsed();
    figures.tables = set.tables.iter().map(|filled| (filled.table.name, filled.rows)).collect();
    figures.rows = set.rows();
    (figures.commits, figures.batches) = meter.counts();
    figures.total = begun.elapsed();
    Ok(LoadOutcome::Loaded(figures))
}

/// Loads a data set for a run without a target, with default options.
///
/// # Errors
/// In words for the user: if the scale is invalid, or the database refuses.
pub fn fill(
    database: &DatabaseAddress,
    set: &'static dyn DataSource,
    scale: f64,
) -> Result<(), Error> {
    fill_with(database, set, scale, false)
}

/// The same in place of what a run left.
///
/// # Errors
/// As [`fill()`].
pub fn refill(
    database: &DatabaseAddress,
    set: &'static dyn DataSource,
    scale: f64,
) -> Result<(), Error> {
    fill_with(database, set, scale, true)
}

fn fill_with(
    database: &DatabaseAddress,
    set: &'static dyn DataSource,
    scale: f64,
    replace: bool,
) -> Result<(), Error> {
    if !set.takes(scale) {
        let message = format!("{} cannot be generated at scale {scale}.", set.name());
        return Err(Error::new(Code::CommandLine, message).hint(set.scales()));
    }
    let target = database.target().map_err(|failed| cannot("The database", &failed))?;
    let options = DataLoadOptions { threads: DataLoadOptions::usual_threads(), replace };
    let loaded =
        load(&target, set, &set.make(scale, SEED, &FlagValues::default()), options, &|_| ());
    loaded.map(drop).map_err(|error| {
        let cause = match &error {
            LoadError::Database(failure) => failure.message.clone(),
            other => other.to_string(),
        };
        Error::new(Code::Setting, "The data could not be loaded.").cause(cause)
    })
}

/// Whether the data set is complete in the database.
async fn there(
    connection: &mut Connection,
    named: &'static dyn DataSource,
    set: &DataSet,
) -> Result<bool, LoadError> {
    match Metadata::read(connection, named).await? {
        Some(found) if !found.is_complete() => Err(LoadError::Incomplete),
        Some(found) if found.is_of(set) => Ok(true),
        Some(found) => Err(LoadError::Different { scale: found.scale(), seed: found.seed() }),
        None => {
            let relations = state::relations(connection, set.name).await?;
            let names = steps::names(set, state::store(connection));
            match names.into_iter().find(|name| relations.iter().any(|found| found == name)) {
                Some(name) => Err(LoadError::InTheWay(name.to_owned())),
                None => Ok(false),
            }
        }
    }
}

fn is_new(target: &ConnectOptions) -> bool {
    match target {
        ConnectOptions::Postgres(_) => false,
        ConnectOptions::Sqlite { path, .. } => {
            std::fs::metadata(path).map_or(true, |file| file.len() == 0)
        }
    }
}

/// A runtime on the calling thread.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Failure::new(FailureKind::Other, error.to_string()))
}
