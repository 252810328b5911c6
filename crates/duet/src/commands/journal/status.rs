//! `duet journal status`: how a journal is, and what to do next.

use std::fmt::Write as _;
use std::path::Path;

use duet_service::WorkerHandle;
use duet_service::journal::{JournalReport, Loss};
use serde_json::{Value, json};

use super::opened::{Work, each};
use crate::args::JournalOf;
use crate::command_error::CommandError;
use crate::report::{Outcome, print};

/// Reads the state of a journal.
struct Report;

impl Work<(String, JournalReport)> for Report {
    async fn of(
        &self,
        name: &str,
        handle: &WorkerHandle,
    ) -> Outcome<Option<(String, JournalReport)>> {
        Ok(handle.journal_report().await?.map(|report| (name.to_owned(), report)))
    }
}

/// Prints the state of the journals; fails if rows are lost, or may be.
pub(super) fn run(of: &JournalOf, as_json: bool) -> Outcome {
    let reports = match &of.sources[..] {
        [folder] if is_journal(Path::new(folder)) => {
            vec![(String::new(), JournalReport::of_folder(Path::new(folder))?)]
        }
        _ => each(of, &Report)?,
    };
    match as_json {
        true => {
            let all: Vec<Value> = reports.iter().map(|(name, it)| report_json(name, it)).collect();
            print(&format!("{:#}\n", json!({ "journals": all })))?;
        }
        false => {
            let all: Vec<String> = reports.iter().map(|(name, it)| report_text(name, it)).collect();
            print(&all.join("\n"))?;
        }
    }
    match reports.iter().all(|(_, report)| report.losses.is_empty()) {
        true => Ok(()),
        // The text says what is wrong.
        false => Err(CommandError::failed(String::new())),
    }
}

/// Whether a path is the folder of a journal, and no application.
fn is_journal(path: &Path) -> bool {
    let names = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut names = names.map(|entry| entry.file_name());
    !path.join("app.toml").exists()
        && names.any(|it| it == "manifest" || it.to_string_lossy().ends_with(".segment"))
}

fn report_text(name: &str, report: &JournalReport) -> String {
    let mut out = String::new();
    let number = |number: Option<u64>| number.map_or("unknown".to_owned(), |it| it.to_string());
    let applied = match report.apply_hwm {
        None => String::new(),
        Some(applied) => format!(", up to sequence id {applied}"),
    };
    let mut lines = vec![
        ("state", report.state.to_owned()),
        ("folder", report.folder.clone()),
        ("journal", report.journal.clone().unwrap_or_else(|| "none".to_owned())),
        ("segments", format!("{} with {} bytes", report.segments, report.bytes)),
        ("written", format!("up to sequence id {}", report.write_hwm)),
        ("applied", if applied.is_empty() { number(None) } else { applied[2..].to_owned() }),
        ("waiting", format!("{} rows", report.waiting)),
        ("dead letters", number(report.dead_letters)),
    ];
    if !name.is_empty() {
        lines.insert(0, ("application", name.to_owned()));
    }
    lines.extend(report.losses.iter().map(|loss| (loss.word(), loss.to_string())));
    lines.extend(report.notes.iter().map(|note| ("note", note.clone())));
    lines.push(("next", report.next().to_owned()));
    for (title, text) in lines {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{title:12}  {text}");
    }
    out
}

fn report_json(name: &str, report: &JournalReport) -> Value {
    json!({
        "application": Some(name).filter(|name| !name.is_empty()),
        "state": report.state,
        "folder": report.folder,
        "journal": report.journal,
        "segments": report.segments,
        "bytes": report.bytes,
        "writeHwm": report.write_hwm,
        "applyHwm": report.apply_hwm,
        "waiting": report.waiting,
        "deadLetters": report.dead_letters,
        "losses": report.losses.iter().map(loss_json).collect::<Vec<_>>(),
        "notes": report.notes,
        "next": report.next(),
    })
}

fn loss_json(loss: &Loss) -> Value {
    let range = (loss.from <= loss.to).then_some((loss.from, loss.to));
    json!({
        "kind": loss.word(),
        "segment": loss.segment,
        "at": loss.at,
        "rows": loss.rows,
        "atLeast": loss.is_open,
        "firstSequenceId": range.map(|(from, _)| from),
        "sequenceId": range.map(|(_, to)| to),
        "rowsBehind": loss.behind,
        "reason": loss.to_string(),
    })
}
