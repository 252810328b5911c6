//! `duet journal`: the ingest journal of a server.

mod accept;
mod files;
mod opened;
pub(super) mod prepare;
mod status;

use std::path::Path;

use crate::args::JournalAction;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;

pub(super) fn run(action: &JournalAction) -> Outcome {
    match action {
        JournalAction::Prepare { database, server_role } => {
            prepare::run(&DatabaseUrl::read(database, Path::new(""))?, server_role.as_deref())
        }
        JournalAction::Status { of, json } => status::run(of, *json),
        JournalAction::AcceptLoss { of, yes } => accept::run(of, *yes),
        JournalAction::Inspect { path, records: false } => files::segments(path),
        JournalAction::Inspect { path, records: true } => files::records(path),
        JournalAction::Verify { path } => files::verify(path),
        JournalAction::Replay { path, after, resource } => {
            files::replay(path, *after, resource.as_deref())
        }
    }
}
