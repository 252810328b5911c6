//! `duet advise`: which indexes the requests of an access log need.

use std::path::PathBuf;

use clap::Args;
use duet_model::tenant::TenantName;

/// Propose indexes for collections from an access log, each tried
///
/// Requests of collections in the log are grouped by the shape of their filter and order. For conditions
/// and orders without an index, one is built over a copy of the documents, and the requests are run with
/// and without it: a proposal says how much faster they became, how large the index is, and what it costs.
/// Declared indexes that no request used are listed too. The database is only read, but for the copy,
/// which on PostgreSQL is the schema duet_advise and is dropped at the end.
#[derive(Debug, Args)]
pub(crate) struct Advise {
    /// The application: a folder with an app.toml, or the name of a built-in one
    #[arg(value_name = "SOURCE")]
    pub(crate) app: String,
    /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path; by default the
    /// application's
    #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
    /// The tenant whose documents are copied, of an application with `tenants`. Requests of all tenants in the
    /// log count: their declarations are the same
    #[arg(long, value_name = "TENANT")]
    pub(crate) tenant: Option<TenantName>,
    /// An access log of `duet serve`, `--access-log text` or `json`; may be repeated
    #[arg(long = "log", value_name = "FILE", required = true)]
    pub(crate) logs: Vec<PathBuf>,
    /// Documents of each collection in the copy
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rows: u64,
    /// Propose indexes that make requests so many times as fast
    #[arg(long, value_name = "RATIO", default_value = "1.2", value_parser = ratio)]
    pub(crate) gain: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn ratio(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let fits = number.filter(|number| *number > 0.0 && *number <= 1e6);
    fits.ok_or_else(|| "use a number above 0 and up to 1000000, such as 1.2".into())
}
