//! `duet journal accept-loss`: goes on without rows that are missing or cannot be read.

use std::fmt::Write as _;

use duet_http::RecentLog;
use duet_service::WorkerHandle;
use duet_service::journal::{AcceptedLosses, Loss};

use super::opened::{Work, each};
use crate::args::JournalOf;
use crate::command_error::CommandError;
use crate::report::{Outcome, print};
use crate::serving::log;

/// Looks at what is lost.
struct Look;

impl Work<(String, AcceptedLosses)> for Look {
    async fn of(
        &self,
        name: &str,
        handle: &WorkerHandle,
    ) -> Outcome<Option<(String, AcceptedLosses)>> {
        let report = handle.journal_report().await?;
        let found =
            report.map(|report| AcceptedLosses { losses: report.losses, aside: Vec::new() });
        Ok(found.map(|found| (name.to_owned(), found)))
    }
}

/// Accepts it.
struct Accept;

impl Work<(String, AcceptedLosses)> for Accept {
    async fn of(
        &self,
        name: &str,
        handle: &WorkerHandle,
    ) -> Outcome<Option<(String, AcceptedLosses)>> {
        let accepted = handle.accept_losses().await?;
        for loss in &accepted.losses {
            tracing::warn!(application = name, %loss, "the loss of rows of the journal is accepted");
        }
        Ok(Some((name.to_owned(), accepted)))
    }
}

/// Lists what is lost; with `yes` goes on without it.
pub(super) fn run(of: &JournalOf, yes: bool) -> Outcome {
    let found = each(of, &Look)?;
    if found.iter().all(|(_, found)| found.losses.is_empty()) {
        return print("Nothing of the journal is missing or damaged.\n");
    }
    if !yes {
        print(&listed(&found))?;
        let message = "Nothing was changed. With --yes, the journal goes on without these rows.\n";
        return Err(CommandError::failed(message.to_owned()));
    }
    log::to_standard_error(RecentLog::new(0));
    let accepted = each(of, &Accept)?;
    let mut text = listed(&accepted);
    for (_, accepted) in &accepted {
        for file in &accepted.aside {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "Kept beside the journal: {file}");
        }
    }
    text.push_str("The loss is accepted: the journal goes on without these rows.\n");
    print(&text)
}

fn listed(all: &[(String, AcceptedLosses)]) -> String {
    let lines = all.iter().flat_map(|(name, accepted)| {
        let line = move |loss: &Loss| format!("{name}: {loss}.\n");
        accepted.losses.iter().map(line)
    });
    lines.collect()
}
