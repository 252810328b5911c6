//! What the registry knows of a workload: its names, its options, its data, and how it gets ready to run.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use duet_bench::run::{Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::Database;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{Configured, Preset, Wanted};
use duet_model::{Code, Error, Result};

use crate::flag::{Flag, Given};
use crate::generate::Source;
use crate::generate::load::fill;

/// A built-in workload. The commands, their options and their help are made from this.
pub trait BuiltIn: fmt::Debug + Send + Sync {
    /// The name by which other processes find it: [`Facts::NAME`](duet_bench::workload::Facts::NAME).
    fn name(&self) -> &'static str;

    /// The data set that it runs on, which `duet load` makes.
    fn data(&self) -> Option<&'static dyn Source> {
        None
    }

    /// Its forms by the names that `duet bench run` takes; the first is suggested for its data.
    fn runs(&self) -> &'static [Run];

    /// Its own options of `duet bench run`.
    fn flags(&self) -> &'static [Flag] {
        &[]
    }

    /// Its sets of weights, which `--preset` names.
    fn presets(&self) -> &'static [Preset] {
        &[]
    }

    /// Makes one of its [runs](Self::runs) ready.
    ///
    /// # Errors
    /// In words for the user: where the options do not fit each other, or the target cannot be measured.
    fn prepare(&self, request: &Request, host: &mut dyn Host) -> Result<Prepared>;

    /// What [`Configured::json`] made, as the workload that it was.
    ///
    /// # Errors
    /// Where it is something else.
    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>>;
}

/// A form of a workload under a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The name.
    pub name: &'static str,
    /// What it measures.
    pub targets: Targets,
    /// An answer that takes longer is a failure, where `--timeout` says nothing else.
    pub timeout: Duration,
    /// Arguments behind the name, for an example in the help; empty for none.
    pub example: &'static str,
}

/// What a workload measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// A service, by its URL.
    Services,
    /// A database.
    Databases,
    /// Either.
    Both,
}

/// What is measured.
#[derive(Clone, Debug)]
pub enum Target {
    /// A service.
    Service(Url),
    /// A database.
    Database(Database),
}

/// What was asked for on the command line.
#[derive(Clone)]
pub struct Request {
    /// One of the workload's [runs](BuiltIn::runs), by its name.
    pub run: &'static str,
    /// The target, of the kind that the run takes; without one, the workload makes its own.
    pub target: Option<Target>,
    /// A service on the database.
    pub service: Option<Url>,
    /// How users authenticate to a service.
    pub access: Access,
    /// How much data are made where there is no target.
    pub scale: Option<f64>,
    /// Weights of the types.
    pub wanted: Wanted,
    /// Options of the workload's own.
    pub given: Given,
    /// What the run will do, and its timeout.
    pub plan: Plan,
    /// Options of the plan that were given, by their names: `duration`, `users` …
    pub planned: Vec<&'static str>,
}

impl Request {
    /// A request with nothing but a plan.
    pub fn new(run: &'static str, plan: Plan) -> Self {
        Self {
            run,
            target: None,
            service: None,
            access: Access::default(),
            scale: None,
            wanted: Wanted::default(),
            given: Given::default(),
            plan,
            planned: Vec::new(),
        }
    }

    /// The database that was named; else a SQLite file of the run's own, with the data set at the
    /// scale that was asked for or at this one.
    ///
    /// # Errors
    /// Where the target is a service, or the data cannot be made.
    pub fn database(
        &self,
        host: &mut dyn Host,
        set: &'static dyn Source,
        scale: f64,
    ) -> Result<Database> {
        match &self.target {
            Some(Target::Database(database)) => Ok(database.clone()),
            Some(Target::Service(_)) => {
                Err(Error::new(Code::Setting, "The target is a service, and not a database."))
            }
            None => {
                let database = Database::sqlite(host.folder()?.join("bench.sqlite"));
                fill(&database, set, self.scale.unwrap_or(scale))?;
                Ok(database)
            }
        }
    }
}

/// What the command does for a workload. Folders and servers live as long as the runs.
pub trait Host {
    /// An empty folder.
    ///
    /// # Errors
    /// Where none can be made.
    fn folder(&mut self) -> Result<PathBuf>;

    /// A Duet server on a database, with this `app.toml` and these options more: its URL by a Unix socket, and how to
    /// authenticate.
    ///
    /// # Errors
    /// Where it does not start.
    fn serve(
        &mut self,
        database: &Database,
        application: &str,
        more: &[&str],
    ) -> Result<(Url, Access)>;

    /// A Duet server with sample data: a resource of it, how to authenticate, and what it is, as results say it.
    ///
    /// # Errors
    /// Where it does not start.
    fn sample(&mut self) -> Result<(Url, Access, &'static str)>;
}
