//! `duet service`: makes what features of the service need in a database.

use std::path::Path;

use duet_db::idempotency::{prepare_postgres, prepare_sqlite};

use super::database::postgres_settings;
use crate::args::ServiceAction;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print};

pub(super) fn run(action: &ServiceAction) -> Outcome {
    let ServiceAction::Prepare { database } = action;
    let (table, made, place) = match DatabaseUrl::read(database, Path::new(""))? {
        DatabaseUrl::Sqlite(path) => {
            ("duet_idempotency", prepare_sqlite(&path)?, path.display().to_string())
        }
        DatabaseUrl::Postgres(url) => {
            let settings = postgres_settings(&url)?;
            let made = super::runtime()?.block_on(prepare_postgres(&settings))?;
            ("duet.idempotency", made, settings.describe())
        }
    };
    print(&match made {
        true => format!("Made the table {table} in {place}.\n"),
        false => format!("The table {table} already exists in {place}.\n"),
    })
}
