//! The command line of `duet load` and `duet bench load`: what is loaded into a database. The earlier
//! command loaded both, so its options of data sets are hidden and still read.

use clap::{Arg, Args};

use super::workloads::{self, DataFlags};
use crate::settings::Value;

/// Load an application's tables and data into a database
///
/// A missing SQLite file is created, with write-ahead logging. Everything happens in one transaction:
/// it is loaded completely or not at all. The data are the same every time. `duet bench load` loads
/// the data sets of the bench.
#[derive(Debug, Args)]
#[command(mut_args(of_applications))]
pub(crate) struct Load {
    /// A built-in application, or the path of an `app.toml` or its folder
    #[arg(value_name = "SOURCE")]
    pub(crate) app: String,
    /// Where to: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path
    #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: String,
    /// The scale of the data.
    #[arg(long, value_name = "S", value_parser = scale, help = "Load S times the default data, if the application supports that")]
    pub(crate) scale: Option<f64>,
    /// Data of another kind, by the name that the application gives it
    #[arg(long, value_name = "NAME", conflicts_with = "validate")]
    pub(crate) profile: Option<String>,
    /// Drop existing tables of the same names first, with their dependent objects
    #[arg(long)]
    pub(crate) replace: bool,
    /// The seed, which varies the data; by default 42
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Connections that load PostgreSQL, or threads that generate rows for SQLite; by
    /// default twice the processors, at most 8
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// After an interrupted load, drop its remains and load again. No other load may be
    /// running
    #[arg(long, conflicts_with = "replace")]
    pub(crate) repair: bool,
    /// PostgreSQL: create the role and the database of --database first if they do not exist,
    /// through this connection of a superuser
    ///
    /// The role gets the password with which --database connects (PGPASSWORD). The superuser's
    /// password is read from the environment variable DUET_ADMIN_PASSWORD; without it, from the
    /// usual sources.
    #[arg(long, value_name = "ADMIN_URL")]
    pub(crate) create: Option<String>,
    /// PostgreSQL: wait up to this time for the server to accept connections, such as 60s
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "0s",
        hide_default_value = true,
        value_parser = <std::time::Duration as Value>::read
    )]
    pub(crate) wait: std::time::Duration,
    /// Load nothing, but check the existing rows: counts, sums, references
    #[arg(
        long,
        conflicts_with_all = ["scale", "replace", "repair", "create", "seed", "threads"]
    )]
    pub(crate) validate: bool,
    /// The data set's own options.
    #[command(flatten)]
    pub(crate) own: DataFlags,
}

/// A number above 0.
fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if scale > 0.0 && scale <= 1e7 => Ok(scale),
        _ => Err("it is a number above 0 and up to 10000000, such as 0.1 or 40".to_owned()),
    }
}

/// The options of data sets, which `duet load` hides, and those of applications.
const OF_DATA_SETS: [&str; 4] = ["seed", "threads", "repair", "validate"];
const OF_APPLICATIONS: [&str; 1] = ["profile"];

fn of_applications(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    match OF_DATA_SETS.contains(&id) || workloads::is_of_data_sets(id) {
        true => arg.hide(true),
        false => arg,
    }
}

/// Load a data set of the built-in workloads into a database, or check it
///
/// Rows are generated and loaded in parallel, on PostgreSQL into the schema of the data set's name.
/// An existing one of the same scale and seed is left as it is. The data are the same every time,
/// those of soe with `--until`.
#[derive(Debug, Args)]
#[command(mut_args(of_data_sets))]
pub(crate) struct BenchLoad {
    #[command(flatten)]
    pub(crate) load: Load,
}

fn of_data_sets(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "app" => arg.value_name("DATASET").help(workloads::loaded()),
        "scale" => arg.help(workloads::scale()),
        id if OF_APPLICATIONS.contains(&id) => arg.hide(true),
        _ => arg.hide(false),
    }
}
