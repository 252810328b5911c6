//! The tables as a Duet application: `t4` has a rowstore that holds all its items. As `app.toml`
//! for a server, as data for the reading process.

use std::sync::Arc;

use duet_auth::{Open, State};
use duet_bench::targets::sql::DatabaseAddress;
use duet_model::Result;
use duet_service::definition::{Application, Mount, Mounts, ReadLimits, Resource};
use duet_service::{Auth, Service};
use duet_store::OpenOptions;

use super::TABLES;
use crate::served_database::served_database;

/// The mount of the tables.
pub(super) const MOUNT: &str = "/lookup";
/// Bytes of the rowstore: the 100,000 items of the published measurement take about 35 MB.
const ROWSTORE: u64 = 64 << 20;
/// The table with a rowstore.
pub const REMEMBERED: &str = TABLES[3];
/// The options of a server whose items stay in memory, because no other program writes.
pub const SERVED_ALONE: [&str; 2] = ["--rowstore-max-age", "off"];

/// The definition of the application. PostgreSQL's `t3` has an index without a key: it is given
/// one.
pub fn app_toml(database: &DatabaseAddress) -> String {
    let (schema, key) = match database {
        DatabaseAddress::Postgres(_) => ("schema = \"lookup\"\n", "key = [\"key\"]\n"),
        DatabaseAddress::Sqlite { .. } => ("", ""),
    };
    format!(
        "name = \"lookup\"\nmount = \"{MOUNT}\"\n{schema}tables = \"listed\"\n\
         [resources.t1]\n[resources.t2]\n[resources.t3]\n{key}[resources.t4]\nrowstore = \"64MB\"\n"
    )
}

/// Opens the application in this process.
///
/// # Errors
/// If the database is unreachable, or the tables do not exist.
pub(super) async fn open(database: &DatabaseAddress) -> Result<Arc<Service>> {
    let store = served_database(database)?.open(OpenOptions::default()).await?;
    let auth = Auth::in_memory(&State::new(0)?, Open::Read);
    Service::open(store, application(database), auth).await
}

fn application(database: &DatabaseAddress) -> Application {
    let is_postgres = matches!(database, DatabaseAddress::Postgres(_));
    let resource = |table: &str| Resource {
        name: table.into(),
        table: table.into(),
        key: if is_postgres && table == "t3" { vec!["key".into()] } else { Vec::new() },
        rowstore: if table == REMEMBERED { ROWSTORE } else { 0 },
        ..Resource::default()
    };
    let mount = Mount {
        path: MOUNT.into(),
        schema: is_postgres.then(|| "lookup".into()),
        resources: TABLES.map(resource).into(),
        ..Mount::default()
    };
    Application {
        name: "lookup".into(),
        mounts: Mounts::Declared(Box::new(mount)),
        limits: ReadLimits { rowstore_max_age: None, ..ReadLimits::default() },
        ..Application::default()
    }
}
