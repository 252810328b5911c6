//! `duet advise`: proposes indexes for collections from an access log, each tried over a copy of the documents.

mod advice;
mod report;
mod trial;

use std::io::{BufRead as _, BufReader};
use std::path::Path;

use duet_auth::{Open, State};
use duet_model::{Error, IndexKind, Result};
use duet_service::advice::{LoggedRequest, RequestShape, Requests, WantedIndex, wanted};
use duet_service::definition::{Mount, Mounts};
use duet_service::{Auth, Service};
use duet_store::setup::indexes;

use super::collection::{Target, target};
use super::sources::applications::{self, Resolved};
use super::sources::database;
use super::sources::tenants::over;
use crate::args::Advise;
use crate::command_error::CommandError;
use crate::database_url::warn_of;
use crate::report::{Outcome, print};
use advice::{Advice, Proposal, Unused};
use trial::Trial;

/// Indexes that are tried, those of the most time first.
const MOST_TRIALS: usize = 20;

pub(super) fn run(arguments: &Advise) -> Outcome {
    let tenant = arguments.tenant.as_ref();
    let Target { application, database, schema, .. } =
        target(&arguments.app, arguments.database.as_deref(), tenant)?;
    let mut resolved = applications::alone(application, database)?;
    if tenant.is_some() {
        resolved.definition = over(resolved.definition, schema.as_deref());
    }
    let runtime = crate::runtime::runtime()?;
    let local = tokio::task::LocalSet::new();
    let advice = local.block_on(&runtime, advise(arguments, resolved))?;
    match arguments.json {
        true => print(&format!("{:#}\n", report::as_json(&advice))),
        false => print(&report::text(&advice)),
    }
}

async fn advise(arguments: &Advise, resolved: Resolved) -> Outcome<Advice> {
    let Mounts::Declared(mount) = &resolved.definition.mounts else {
        return Err(Error::internal("an application with collections is declared").into());
    };
    let mount = (**mount).clone();
    let store = database::open(&resolved.database, &resolved.settings).await?;
    let auth = Auth::in_memory(&State::new(crate::runtime::now())?, Open::Read);
    let service = Service::open(store, resolved.definition.clone(), auth).await?;
    let names: Vec<String> =
        mount.collections.iter().map(|one| one.declaration().name.clone()).collect();
    let mut requests = Requests::default();
    for path in &arguments.logs {
        read_log(path, &mut |line| requests.add(line, &service, &names))?;
    }
    drop(service);
    let mut advice = Advice {
        requests: requests.shapes.iter().map(|shape| shape.count).sum(),
        others: requests.others,
        unreadable: requests.unreadable,
        ..Advice::default()
    };
    unused(&resolved, &mount, &requests.shapes, &mut advice).await?;
    let mut wanted = wanted(&mount.collections, &requests.shapes);
    wanted.truncate(MOST_TRIALS);
    if wanted.is_empty() {
        return Ok(advice);
    }
    let trial = Trial::start(resolved, &mount, arguments.rows).await?;
    let tried = try_all(&trial, wanted, &requests.shapes).await;
    trial.end().await?;
    let (add, useless) = tried?.into_iter().partition(|one| one.gain() >= arguments.gain);
    (advice.add, advice.useless) = (add, useless);
    advice.add.sort_by(|one, other| {
        let saved = |it: &Proposal| it.share * (1.0 - 1.0 / it.gain());
        saved(other).total_cmp(&saved(one))
    });
    Ok(advice)
}

/// Reads a file line by line; bytes that are no text make a line unreadable.
fn read_log(path: &Path, line: &mut dyn FnMut(&str)) -> Outcome {
    let failed = |error: std::io::Error| CommandError::unreadable(path, error);
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut reader = BufReader::new(file);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).map_err(failed)? > 0 {
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        if !text.is_empty() {
            line(text);
        }
        bytes.clear();
    }
    Ok(())
}

async fn try_all(
    trial: &Trial,
    wanted: Vec<WantedIndex>,
    shapes: &[RequestShape],
) -> Result<Vec<Proposal>> {
    let all: u64 = shapes.iter().map(|shape| shape.micros).sum();
    let mut tried = Vec::with_capacity(wanted.len());
    for one in wanted {
        let Some(mount) = trial.with(&one.collection, &one.index) else { continue };
        let of: Vec<&RequestShape> = one.shapes.iter().map(|at| &shapes[*at]).collect();
        let requests: Vec<LoggedRequest> =
            of.iter().flat_map(|shape| shape.slowest.clone()).collect();
        trial.apply(trial.declared()).await?;
        let before = trial.measure(trial.declared(), &requests).await?;
        let (built, rows) = trial.apply(&mount).await.map(|built| (built, built.rows))?;
        let after = trial.measure(&mount, &requests).await?;
        let divisor = u32::try_from(requests.len().max(1)).unwrap_or(u32::MAX);
        let micros: u64 = of.iter().map(|shape| shape.micros).sum();
        tried.push(Proposal {
            count: of.iter().map(|shape| shape.count).sum(),
            share: micros as f64 / all.max(1) as f64,
            example: requests.first().map(|it| it.target.clone()).unwrap_or_default(),
            before: before / divisor,
            after: after / divisor,
            collection: one.collection,
            index: one.index,
            built,
            rows,
        });
    }
    Ok(tried)
}

/// Finds the declared indexes that no request used.
async fn unused(
    resolved: &Resolved,
    mount: &Mount,
    shapes: &[RequestShape],
    advice: &mut Advice,
) -> Result<()> {
    warn_of(&resolved.database)?;
    advice.since = resolved.database.indexes_counted_since().await?;
    let entries = resolved.database.indexes().await?;
    let schema = mount.schema.as_deref().unwrap_or("public");
    let lines: Vec<&String> = shapes.iter().flat_map(|it| &it.explanation.indexes).collect();
    let is_used = |name: &str| {
        let note = format!(": index {name}");
        lines.iter().any(|line| line.ends_with(&note) || line.contains(&format!("{note} where ")))
    };
    for collection in &mount.collections {
        let table = collection.table(None);
        for index in table.indexes.iter().filter(|index| index.kind != IndexKind::Unique) {
            let name = index.name(&table.name);
            let is_it = |it: &&indexes::IndexEntry| {
                it.name == name && ["main", schema].contains(&it.schema.as_str())
            };
            let entry = entries.iter().find(is_it);
            let uses = entry.and_then(|entry| entry.uses);
            if !is_used(&name) && entry.is_some() && uses.unwrap_or(0) == 0 {
                let collection = collection.declaration().name.clone();
                let bytes = entry.map(|entry| entry.bytes);
                advice.unused.push(Unused { collection, name, bytes, uses });
            }
        }
    }
    Ok(())
}
