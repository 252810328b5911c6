//! `duet service`: makes what features of the service need in a database.

use std::path::Path;

use duet_store::OwnPart;

use super::sources::server_role;
use crate::args::ServiceAction;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};

pub(super) fn run(action: &ServiceAction) -> Outcome {
    let ServiceAction::Prepare { database, server_role, announce_schema } = action;
    let database = DatabaseUrl::read(database, Path::new(""))?;
    prepare(&database, server_role.as_deref())?;
    if *announce_schema {
        crate::runtime::runtime()?.block_on(database.announce_schema())?;
        let place = database.describe()?;
        print(&format!("Changes of the schema of {place} are announced to its servers.\n"))?;
    }
    Ok(())
}

/// Makes the table of idempotency keys, unless it exists.
pub(super) fn prepare(database: &DatabaseUrl, server_role: Option<&str>) -> Outcome {
    server_role::check(database, server_role)?;
    warn_of(database)?;
    let made = crate::runtime::runtime()?.block_on(database.make_own(OwnPart::Keys))?;
    let rights = server_role::granted(database, OwnPart::Keys, server_role)?;
    let (table, place) = (database.own_table("idempotency"), database.describe()?);
    print(&match made {
        true => format!("Made the table {table} in {place}.\n{rights}"),
        false => format!("The table {table} already exists in {place}.\n{rights}"),
    })
}
