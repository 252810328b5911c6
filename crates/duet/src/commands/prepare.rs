//! `duet prepare`: makes what an application needs in its database, each part as the command for it alone does.

use duet_model::commit_class::CommitClass;
use duet_service::definition::{Mount, Mounts};
use duet_store::Capture;
use duet_store::setup::migrate::Indexes;

use super::operator::{rowstore, webhook};
use super::sources::applications::{self, Asked, Resolved};
use super::sources::webhooks;
use super::{collection, journal, service};
use crate::application::{Application, FILE};
use crate::args;
use crate::report::{Outcome, print};

pub(super) fn run(arguments: &args::Prepare) -> Outcome {
    let sources = arguments.source.as_slice();
    let database = arguments.database.as_deref();
    let asked = Asked { sources, named: &arguments.named, database };
    let mut served = applications::resolve(&asked, &arguments.settings, None)?;
    let Some(resolved) = served.applications.pop() else { return Ok(()) };
    let (database, role) = (&resolved.database, arguments.server_role.as_deref());
    let needs = Needs::of(&resolved);
    // The tables that others refer to come first.
    if needs.collections {
        let application = application(arguments)?;
        let target = collection::target_in(application, database.clone(), None)?;
        collection::prepare(target, Indexes::Declared)?;
    }
    service::prepare(database, role)?;
    if needs.journal {
        journal::prepare::run(database, role)?;
    }
    if needs.capture {
        rowstore::prepare(database, Capture::Auto, false, role)?;
    }
    if needs.webhooks {
        webhook::prepare(&resolved, role, false)?;
    }
    print(&needs.left_out())
}

/// The application that is named, whichever way.
fn application(arguments: &args::Prepare) -> Outcome<Application> {
    let config = arguments.named.config.as_ref().map(|path| path.display().to_string());
    let named = config.or_else(|| arguments.named.app.clone());
    let named = named.or_else(|| arguments.source.clone());
    let variable = || {
        ["DUET_CONFIG", "DUET_APP", "DUET_DATABASE"].iter().find_map(|it| std::env::var(it).ok())
    };
    applications::application(&named.or_else(variable).unwrap_or_else(|| FILE.to_owned()))
}

/// What an application needs besides the table of idempotency keys, which every application may use.
#[derive(Clone, Copy, Debug)]
struct Needs {
    collections: bool,
    journal: bool,
    capture: bool,
    webhooks: bool,
}

impl Needs {
    fn of(resolved: &Resolved) -> Self {
        let mount: Option<&Mount> = match &resolved.definition.mounts {
            Mounts::Declared(mount) => Some(mount),
            Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
        };
        let resources = || mount.iter().flat_map(|mount| &mount.resources);
        let journal_classes = [CommitClass::Ingest, CommitClass::Memory];
        let is_journaled = resources().any(|one| {
            let allowed = one.commit.allowed.iter().flatten();
            allowed.chain([&one.commit.class]).any(|class| journal_classes.contains(class))
        });
        Self {
            collections: mount.is_some_and(|mount| !mount.collections.is_empty()),
            journal: is_journaled || resolved.settings.journal.value.is_some(),
            capture: resources().any(|one| one.rowstore > 0)
                && !resolved.database.notices_commits(),
            webhooks: webhooks::declares_events(&resolved.definition),
        }
    }

    /// What was not made, and why.
    fn left_out(self) -> String {
        let parts = [
            (self.collections, "collections: none is declared"),
            (
                self.journal,
                "the journal: there is no `journal`, and no resource has the commit class `ingest` or `memory`",
            ),
            (
                self.capture,
                "capture for items in memory: no resource has `rowstore`, or the store notices commits itself",
            ),
            (self.webhooks, "webhooks: there is no `[[webhook]]`, and no view has NOTIFY"),
        ];
        let left = parts.iter().filter(|(is_needed, _)| !is_needed);
        left.map(|(_, why)| format!("Not needed: {why}.\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_its_reason() {
        let all = Needs { collections: true, journal: true, capture: true, webhooks: true };
        assert_eq!(all.left_out(), "");
        let said = Needs { journal: false, ..all }.left_out();
        assert!(said.starts_with("Not needed: the journal: ") && said.lines().count() == 1);
    }
}
