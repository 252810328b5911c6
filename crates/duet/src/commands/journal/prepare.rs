//! `duet journal prepare`: makes the tables of the journal.

use std::path::Path;

use duet_db::OwnPart;
use duet_db::journal::{prepare_postgres, prepare_sqlite};

use crate::commands::sources::database::postgres_settings;
use crate::commands::sources::server_role;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print};
use crate::runtime::runtime;

/// Makes the tables, unless they exist.
pub(super) fn run(database: &str, server_role: Option<&str>) -> Outcome {
    let (made, tables, place, rights) = match DatabaseUrl::read(database, Path::new(""))? {
        DatabaseUrl::Sqlite(path) => {
            let tables = "duet_journal_marks, duet_journal_heads, duet_journal_dead_letters and duet_journal_losses";
            let rights = server_role::none_in_sqlite(server_role)?;
            (prepare_sqlite(&path)?, tables, path.display().to_string(), rights)
        }
        DatabaseUrl::Postgres(url) => {
            let settings = postgres_settings(&url)?;
            let made = runtime()?.block_on(prepare_postgres(&settings))?;
            let rights = server_role::granted(&url, OwnPart::Journal, server_role)?;
            let tables = "duet.journal_marks, duet.journal_heads, duet.journal_dead_letters and duet.journal_losses";
            (made, tables, settings.describe(), rights)
        }
    };
    print(&match made {
        true => format!("Made the tables {tables} in {place}.\n{rights}"),
        false => format!("The tables {tables} already exist in {place}.\n{rights}"),
    })
}
