//! The number of workers that the servers of the databases have connections for.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use duet_model::Result;
use duet_store::location::ConnectionAllowance;
use duet_verdict::text::counted;

use super::applications::{Resolved, Served};
use super::database;

/// Lowers the workers to those that every server has connections for, if it is not one; what is then to be said. What
/// one worker has no room for is refused when the database is opened.
///
/// # Errors
/// Where a server cannot be reached.
pub(in crate::commands) async fn fit_workers(served: &mut Served) -> Result<Option<String>> {
    let asked = served.process.workers.value;
    if asked == NonZeroUsize::MIN {
        return Ok(None);
    }
    let allowed = allowed(&served.applications).await?;
    let Some(workers) = fitting(served, &allowed)?.filter(|workers| *workers < asked) else {
        return Ok(None);
    };
    let message = message(served, workers, &allowed)?;
    served.take_workers(workers);
    Ok(Some(message))
}

/// The most workers, up to those that are asked for, that every server has connections for.
fn fitting(
    served: &Served,
    allowed: &BTreeMap<String, ConnectionAllowance>,
) -> Result<Option<NonZeroUsize>> {
    let need = Need::of(served);
    for workers in (1..=need.workers).rev() {
        let wanted = wanted(&served.applications, Need { workers, ..need })?;
        let fits = |(server, wanted): (&String, &usize)| {
            allowed.get(server).is_none_or(|allowed| *wanted <= allowed.connections)
        };
        if wanted.iter().all(fits) {
            return Ok(NonZeroUsize::new(workers));
        }
    }
    Ok(None)
}

/// What decides about the connections that a process opens.
#[derive(Clone, Copy, Debug)]
struct Need {
    workers: usize,
    shares: usize,
}

impl Need {
    fn of(served: &Served) -> Self {
        let process = &served.process;
        Self { workers: process.workers.value.get(), shares: process.shares() }
    }
}

/// What the server of each database allows, where it says so.
async fn allowed(parts: &[Resolved]) -> Result<BTreeMap<String, ConnectionAllowance>> {
    let mut allowed = BTreeMap::new();
    for Resolved { database, settings, .. } in parts {
        let Some((server, _)) = database::connections(database, settings)? else { continue };
        if !allowed.contains_key(&server)
            && let Some(found) =
                database.allowed_connections(settings.statement_timeout.value).await?
        {
            allowed.insert(server, found);
        }
    }
    Ok(allowed)
}

/// The connections of all processes to each server.
fn wanted(parts: &[Resolved], need: Need) -> Result<BTreeMap<String, usize>> {
    let mut wanted = BTreeMap::new();
    for Resolved { database, settings, .. } in parts {
        let mut settings = settings.clone();
        settings.take_workers(NonZeroUsize::new(need.workers).unwrap_or(NonZeroUsize::MIN));
        settings.share(need.shares);
        if let Some((server, own)) = database::connections(database, &settings)? {
            *wanted.entry(server).or_default() += own * need.shares;
        }
    }
    Ok(wanted)
}

fn message(
    served: &Served,
    workers: NonZeroUsize,
    allowed: &BTreeMap<String, ConnectionAllowance>,
) -> Result<String> {
    let need = Need::of(served);
    let wanted = wanted(&served.applications, need)?;
    let short = wanted.iter().find_map(|(server, wanted)| {
        let allowed = allowed.get(server).filter(|allowed| *wanted > allowed.connections)?;
        Some(format!(
            "{wanted} connections to {server}, which allows this user {} ({})",
            allowed.connections, allowed.why
        ))
    });
    let of = match need.shares {
        1 => String::new(),
        shares => {
            format!(" in each of {} processes, one more while one is replaced,", shares - 1)
        }
    };
    Ok(format!(
        "{}{of} would open {}: {} started{}. Lower `workers`, or raise the server's limit.",
        counted(need.workers as u64, "worker"),
        short.unwrap_or_default(),
        match workers.get() {
            1 => "1 is".to_owned(),
            some => format!("{some} are"),
        },
        if need.shares > 1 { " in each" } else { "" },
    ))
}
