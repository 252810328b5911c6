//! The registry's interface of a workload: its names, options, data, and preparation.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use duet_bench::run::{Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::rest::Access;
use duet_bench::workload::{Configured, MixOptions, Preset};
use duet_model::{Code, Error, Result};

use crate::flag::{Flag, FlagValues};
use crate::generate::DataSource;
use crate::generate::load::fill;

/// A built-in workload. The commands, their options and their help are generated from this.
pub trait BuiltIn: fmt::Debug + Send + Sync {
    /// The name by which other processes find it:
    /// [`WorkloadFacts::NAME`](duet_bench::workload::WorkloadFacts::NAME).
    fn name(&self) -> &'static str;

    /// The data set that it runs on, which `duet load` creates.
    fn data(&self) -> Option<&'static dyn DataSource> {
        None
    }

    /// Its forms, by their names for `duet bench run`; the first is suggested for its data.
    fn runs(&self) -> &'static [Run];

    /// Its own options for `duet bench run`.
    fn flags(&self) -> &'static [Flag] {
        &[]
    }

    /// Its presets of weights, for `--preset`.
    fn presets(&self) -> &'static [Preset] {
        &[]
    }

    /// Packages of the classes of Swingbench's transactions, each with the run that does the same: copies of a
    /// [configuration](Run::configurations) under another name are known by them.
    fn packages(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether a run may reach its database through a service that the user names, by `--service`.
    fn takes_service(&self) -> bool {
        false
    }

    /// Prepares one of its [runs](Self::runs).
    ///
    /// # Errors
    /// In words for the user: if the options conflict, or the target cannot be measured.
    fn prepare(&self, request: &Request, host: &mut dyn Host) -> Result<Prepared>;

    /// Deserializes the workload from [`Configured::json`].
    ///
    /// # Errors
    /// If the text is not of this workload.
    fn configured(&self, facts: &str) -> serde_json::Result<Box<dyn Configured>>;
}

/// A form of a workload with its own name.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The name.
    pub name: &'static str,
    /// The kind of its target.
    pub targets: Targets,
    /// The default of `--timeout`; responses that take longer fail.
    pub timeout: Duration,
    /// Further arguments of the example in the help; empty for none.
    pub example: &'static str,
    /// The configurations of Swingbench that do the same, in small letters and without `.xml`.
    pub configurations: &'static [&'static str],
}

/// The kind of target of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// A service, by its URL.
    Services,
    /// A database.
    Databases,
    /// Either of them.
    Both,
}

/// The target.
#[derive(Clone, Debug)]
pub enum Target {
    /// A service.
    Service(Url),
    /// A database.
    Database(DatabaseAddress),
}

/// The options of the command line.
#[derive(Clone)]
pub struct Request {
    /// One of the workload's [runs](BuiltIn::runs), by its name.
    pub run: &'static str,
    /// The target, of the kind that the run requires; without one, the workload creates its own.
    pub target: Option<Target>,
    /// A service on the database.
    pub service: Option<Url>,
    /// How users authenticate to a service.
    pub access: Access,
    /// Where a service that is not Duet has its counters, if they are to be read.
    pub metrics: Option<String>,
    /// The scale of the data, if there is no target.
    pub scale: Option<f64>,
    /// Weights of the types.
    pub wanted: MixOptions,
    /// The workload's own options.
    pub given: FlagValues,
    /// The plan of the run, and its timeout.
    pub plan: Plan,
    /// The names of the plan's options that were given: `duration`, `users` …
    pub planned: Vec<&'static str>,
}

impl Request {
    /// A request with a plan alone.
    pub fn new(run: &'static str, plan: Plan) -> Self {
        Self {
            run,
            target: None,
            service: None,
            access: Access::default(),
            metrics: None,
            scale: None,
            wanted: MixOptions::default(),
            given: FlagValues::default(),
            plan,
            planned: Vec::new(),
        }
    }

    /// The given database, or a new SQLite file of the run with the data set at the requested
    /// scale, by default `scale`.
    ///
    /// # Errors
    /// If the target is a service, or the data cannot be created.
    pub fn database(
        &self,
        host: &mut dyn Host,
        set: &'static dyn DataSource,
        scale: f64,
    ) -> Result<DatabaseAddress> {
        match &self.target {
            Some(Target::Database(database)) => Ok(database.clone()),
            Some(Target::Service(_)) => {
                Err(Error::new(Code::CommandLine, "The target is a service. Give a database."))
            }
            None => {
                let database = DatabaseAddress::sqlite(host.folder()?.join("bench.sqlite"));
                fill(&database, set, self.scale.unwrap_or(scale))?;
                Ok(database)
            }
        }
    }
}

/// Services that the command provides to a workload. Folders and servers live as long as the runs.
pub trait Host {
    /// An empty folder.
    ///
    /// # Errors
    /// If it cannot be created.
    fn folder(&mut self) -> Result<PathBuf>;

    /// Starts a Duet server on a database, with this `app.toml` and these further options. Returns
    /// its URL through a Unix socket, and the credentials.
    ///
    /// # Errors
    /// If it does not start.
    fn serve(
        &mut self,
        database: &DatabaseAddress,
        application: &str,
        more: &[&str],
    ) -> Result<(Url, Access)>;

    /// Starts a Duet server with a built-in application on a database; without one, on a new SQLite
    /// file with the application's data at this scale. Returns what [`Host::serve`] does.
    ///
    /// # Errors
    /// If there is no such application, its data cannot be loaded, or it does not start.
    fn serve_built_in(
        &mut self,
        name: &str,
        database: Option<&DatabaseAddress>,
        scale: Option<u32>,
    ) -> Result<(Url, Access)>;

    /// Starts a Duet server with sample data. Returns one of its resources, the credentials, and
    /// the server's description for results.
    ///
    /// # Errors
    /// If it does not start.
    fn sample(&mut self) -> Result<(Url, Access, &'static str)>;
}
