//! `duet journal prepare`: makes the tables of the journal.

use duet_store::OwnPart;

use crate::commands::sources::server_role;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};
use crate::runtime::runtime;

/// Makes the tables, unless they exist.
pub(in crate::commands) fn run(database: &DatabaseUrl, server_role: Option<&str>) -> Outcome {
    server_role::check(database, server_role)?;
    warn_of(database)?;
    let made = runtime()?.block_on(database.make_own(OwnPart::Journal))?;
    let rights = server_role::granted(database, OwnPart::Journal, server_role)?;
    let place = database.describe()?;
    let names = ["journal_marks", "journal_heads", "journal_dead_letters", "journal_losses"];
    let [marks, heads, letters, losses] = names.map(|name| database.own_table(name));
    let tables = format!("{marks}, {heads}, {letters} and {losses}");
    print(&match made {
        true => format!("Made the tables {tables} in {place}.\n{rights}"),
        false => format!("The tables {tables} already exist in {place}.\n{rights}"),
    })
}
