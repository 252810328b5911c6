//! `duet service`: makes what features of the service need in a database.

use std::path::Path;

use duet_db::OwnPart;
use duet_db::idempotency::{prepare_postgres, prepare_sqlite};

use super::sources::database::postgres_settings;
use super::sources::server_role;
use crate::args::ServiceAction;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print};

pub(super) fn run(action: &ServiceAction) -> Outcome {
    let ServiceAction::Prepare { database, server_role } = action;
    let (table, made, place, rights) = match DatabaseUrl::read(database, Path::new(""))? {
        DatabaseUrl::Sqlite(path) => {
            let rights = server_role::none_in_sqlite(server_role.as_deref())?;
            ("duet_idempotency", prepare_sqlite(&path)?, path.display().to_string(), rights)
        }
        DatabaseUrl::Postgres(url) => {
            let settings = postgres_settings(&url)?;
            let made = crate::runtime::runtime()?.block_on(prepare_postgres(&settings))?;
            let rights = server_role::granted(&url, OwnPart::Keys, server_role.as_deref())?;
            ("duet.idempotency", made, settings.describe(), rights)
        }
    };
    print(&match made {
        true => format!("Made the table {table} in {place}.\n{rights}"),
        false => format!("The table {table} already exists in {place}.\n{rights}"),
    })
}
