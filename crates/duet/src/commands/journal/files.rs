//! `duet journal inspect`, `verify` and `replay`: they read the files of a journal and change nothing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use duet_journal::{End, Entry, Id, SegmentScan, scan, scan_folder};
use duet_model::Value;
use duet_text::printable::printable;
use serde_json::{Map, Number, json};

use crate::command_error::CommandError;
use crate::report::{Outcome, print};

/// The segments of a journal.
fn paths(path: &Path) -> Outcome<Vec<PathBuf>> {
    let paths = scan_folder(path).map_err(|error| unreadable(path, &error))?;
    if paths.is_empty() {
        let message = format!("{} holds no segments of a journal.", path.display());
        return Err(CommandError::file(message)
            .hint("Name the folder of the setting `journal`, or one of its files."));
    }
    Ok(paths)
}

fn unreadable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::unreadable(path, error)
}

fn bytes(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A line for each segment.
pub(super) fn segments(path: &Path) -> Outcome {
    let mut rows = Vec::new();
    let mut journal = None;
    for path in paths(path)? {
        let bytes = bytes(&path)?;
        let found = scan(&bytes);
        journal = journal.or(found.id);
        let count: u64 = found.records.iter().map(|record| u64::from(record.rows)).sum();
        let ids = match found.records.first() {
            Some(first) => format!("{}-{}", first.first, found.last()),
            None => "-".to_owned(),
        };
        rows.push([
            name(&path),
            found.records.len().to_string(),
            count.to_string(),
            ids,
            bytes.len().to_string(),
            end(&found.end),
        ]);
    }
    let id = journal.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
    print(&format!("journal {id}\n{}", table(&rows)))
}

fn end(end: &End) -> String {
    match end {
        End::Sealed => "sealed".to_owned(),
        End::Open => "open".to_owned(),
        End::Torn { at } => format!("torn at byte {at}"),
        End::Damaged { at, why } => format!("damaged at byte {at}: {why}"),
    }
}

fn table(rows: &[[String; 6]]) -> String {
    let titles = ["segment", "records", "rows", "sequence ids", "bytes", "end"].map(str::to_owned);
    let all: Vec<&[String; 6]> = std::iter::once(&titles).chain(rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let mut out = String::new();
    for [segment, records, rows, ids, bytes, end] in &all {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{segment:0$}  {records:>1$}  {rows:>2$}  {ids:>3$}  {bytes:>4$}  {end}",
            width(0),
            width(1),
            width(2),
            width(3),
            width(4)
        );
    }
    out
}

/// Checks everything, and says what there is.
pub(super) fn verify(path: &Path) -> Outcome {
    let (mut segments, mut records, mut rows) = (0_u64, 0_u64, 0_u64);
    let mut first = None;
    let mut before: Option<(Id, u64)> = None;
    let mut torn = String::new();
    let paths = paths(path)?;
    for (at, path) in paths.iter().enumerate() {
        let bytes = bytes(path)?;
        let found = scan(&bytes);
        sound(&found, before, at + 1 == paths.len())
            .map_err(|(at, why)| CommandError::failed(damage(path, at, &why)))?;
        if let End::Torn { at } = found.end {
            let length = bytes.len() as u64 - at;
            torn = format!(" The last {length} bytes were never acknowledged.");
        }
        segments += 1;
        records += found.records.len() as u64;
        rows += found.records.iter().map(|record| u64::from(record.rows)).sum::<u64>();
        first = first.or(found.records.first().map(|record| record.first));
        before = found.id.map(|id| (id, found.last())).or(before);
    }
    let ids = match (first, before) {
        (Some(first), Some((_, last))) => format!(", sequence ids {first} to {last}"),
        _ => String::new(),
    };
    print(&format!(
        "The journal is sound: {segments} segments, {records} records, {rows} rows{ids}.{torn}\n"
    ))
}

/// What is wrong with a segment, and where.
fn sound(
    found: &SegmentScan<'_>,
    before: Option<(Id, u64)>,
    is_last: bool,
) -> Result<(), (u64, String)> {
    found.continues(before, is_last)?;
    for record in &found.records {
        let entry = Entry::decode(record.payload);
        if entry.is_none_or(|entry| entry.rows() != u64::from(record.rows)) {
            return Err((record.at, "the record holds no rows of this version".to_owned()));
        }
    }
    Ok(())
}

fn damage(path: &Path, at: u64, why: &str) -> String {
    format!(
        "{} is damaged at byte {at}: {}. Rows that were acknowledged are lost from there on; `duet journal replay` prints those in front of it.\n",
        path.display(),
        printable(why)
    )
}

/// A line of JSON for each record.
pub(super) fn records(path: &Path) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    for path in paths(path)? {
        let bytes = bytes(&path)?;
        for record in scan(&bytes).records {
            let mut line = json!({
                "segment": name(&path),
                "at": record.at,
                "sequenceId": record.first,
                "rows": record.rows,
                "bytes": record.payload.len(),
            });
            if let Some(entry) = Entry::decode(record.payload) {
                line["resource"] = entry.resource.into();
                line["table"] = format!("{}.{}", entry.schema, entry.table).into();
                line["caller"] = entry.caller.into();
                line["acceptedAt"] = entry.accepted_at.into();
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

/// A line of JSON for each row. A resource of which there are no rows at all is refused: it may be mistyped.
pub(super) fn replay(path: &Path, after: u64, resource: Option<&str>) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    let resource = resource.map(|resource| resource.trim_end_matches('/'));
    let mut resources = BTreeSet::new();
    for path in paths(path)? {
        let bytes = bytes(&path)?;
        let found = scan(&bytes);
        for record in &found.records {
            let Some(entry) = Entry::decode(record.payload) else { continue };
            if resource.is_none_or(|resource| resource == entry.resource) {
                replay_rows(&mut out, &entry, record.first, after, resource.is_some())?;
            }
            if !resources.contains(&entry.resource) {
                resources.insert(entry.resource);
            }
        }
        if let End::Damaged { at, why } = &found.end {
            out.flush()?;
            return Err(CommandError::failed(damage(&path, *at, why)));
        }
    }
    out.flush()?;
    match resource.filter(|resource| !resources.contains(*resource)) {
        None => Ok(()),
        Some(resource) => {
            let all: Vec<String> = resources.into_iter().collect();
            let all = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            let message = format!("The journal has no rows of {resource:?}; it has rows of {all}.");
            Err(CommandError::file(message))
        }
    }
}

fn replay_rows(
    out: &mut impl io::Write,
    entry: &Entry,
    first: u64,
    after: u64,
    is_plain: bool,
) -> Outcome {
    let rows = entry.groups.iter().flat_map(|group| group.rows.iter().map(move |row| (group, row)));
    for ((group, row), sequence) in rows.zip(first..) {
        if sequence <= after {
            continue;
        }
        let members = group.columns.iter().cloned().zip(row.iter().map(as_json));
        let row: serde_json::Value = Map::from_iter(members).into();
        match is_plain {
            true => writeln!(out, "{row}")?,
            false => {
                let line = json!({
                    "sequenceId": sequence, "resource": entry.resource, "row": row,
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// A value as JSON; bytes as lower-case hex.
fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => Number::from_f64(*value).map_or(serde_json::Value::Null, Into::into),
        Value::Text(value) => value.clone().into(),
        Value::Bytes(_) | Value::RawText(_) => value.to_string().into(),
    }
}
