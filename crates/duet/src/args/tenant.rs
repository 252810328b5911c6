//! `duet tenant`: the tenants of an application.

use clap::{Args, Subcommand};
use duet_model::tenant::TenantName;

/// Make, list, upgrade and delete the tenants of an application
///
/// An application with `tenants` in its app.toml has a database for each: a file TENANT.db in a folder,
/// or a schema TENANT_APPLICATION in a PostgreSQL database. A running server notices within seconds.
#[derive(Debug, Args)]
pub(crate) struct Tenant {
    #[command(subcommand)]
    pub(crate) action: TenantAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum TenantAction {
    /// Make a tenant, with the tables and indexes that `duet collection prepare` would make
    Create {
        #[command(flatten)]
        of: TenantPlace,
        /// The tenant: 1 to 31 lower-case letters, digits and `_`, the first a letter
        name: TenantName,
        /// Load the application's sample data too
        #[arg(long)]
        sample: bool,
    },
    /// List the tenants
    List {
        #[command(flatten)]
        of: TenantPlace,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make what tenants lack of the declared tables, columns and indexes
    Upgrade {
        #[command(flatten)]
        of: TenantPlace,
        /// The tenants; all of them by default
        names: Vec<TenantName>,
    },
    /// Remove a tenant with all its rows
    Delete {
        #[command(flatten)]
        of: TenantPlace,
        /// The tenant
        name: TenantName,
        /// Drop its file or schema. Without it, nothing is removed
        #[arg(long)]
        purge: bool,
    },
}

/// An application, and where its tenants are.
#[derive(Debug, Args)]
pub(crate) struct TenantPlace {
    /// The application: a folder with an app.toml, or the name of a built-in one
    #[arg(value_name = "SOURCE")]
    pub(crate) app: String,
    /// The folder of files as `sqlite:FOLDER`, or a PostgreSQL database; by default the application's
    #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
}
