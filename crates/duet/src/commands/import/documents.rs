//! The data of a module as rows: each document is completed as a request would complete it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use duet_model::key::parse_text;
use duet_model::{Type, Value as ModelValue};
use duet_service::definition::{Collection, LineOutcome, Moment};
use duet_service::write::random_uuid;
use duet_sql::in_order_of_references;
use duet_text::json::{BODY, read};
use serde_json::Value;

use super::application;
use super::data::{self, DataFile, Loaded};
use super::files::ModuleFiles;
use super::module::Module;
use super::new_files::NewFiles;
use super::report::Report;
use crate::report::Outcome;
use crate::runtime::now;

/// How deep documents are read.
const DEPTH: usize = 64;

/// A document that is loaded.
struct Row {
    /// The file that it is from.
    file: String,
    table: String,
    /// The documents that it refers to: their tables and keys.
    references: Vec<(String, String)>,
    key: String,
    text: String,
    loaded: Loaded,
}

/// Writes the data as SQL, and how they are loaded.
///
/// # Errors
/// Where a file cannot be written.
pub(super) fn write(
    module: &Module,
    files: &ModuleFiles,
    into: &mut NewFiles,
    collections: &[Arc<Collection>],
    report: &mut Report,
) -> Outcome {
    let mut rows = Vec::new();
    for file in data::files(files) {
        rows.extend(of_file(module, files, collections, &file, report)?);
    }
    let rows = without_lost_references(rows, report);
    if rows.is_empty() {
        return Ok(());
    }
    let mut rows = rows;
    let tables = collections.iter().map(|one| one.table(None)).collect();
    let order: Vec<String> =
        in_order_of_references(tables).into_iter().map(|table| table.name).collect();
    rows.sort_by_key(|row| order.iter().position(|name| *name == row.table));
    let mut written = Vec::new();
    for (loaded, name) in
        [(Loaded::Reference, "data/reference.sql"), (Loaded::Sample, "data/samples.sql")]
    {
        let of: Vec<&Row> = rows.iter().filter(|row| row.loaded == loaded).collect();
        if !of.is_empty() {
            let text: String = of.into_iter().map(insert).collect();
            into.write(name, &text)?;
            written.push(name);
        }
    }
    application::add_load(into.folder(), &order, &written)
}

/// The rows whose references lead to rows that are loaded before them or with them; the others are refused, which may
/// leave more without their references. Files get their lines.
fn without_lost_references(mut rows: Vec<Row>, report: &mut Report) -> Vec<Row> {
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    let files: BTreeSet<String> = rows.iter().map(|row| row.file.clone()).collect();
    loop {
        let known: BTreeSet<(&str, &str, Loaded)> =
            rows.iter().map(|row| (&*row.table, &*row.key, row.loaded)).collect();
        let is_there = |row: &Row, (table, key): &(String, String)| {
            let loaded = [Loaded::Reference, row.loaded];
            loaded.iter().any(|loaded| known.contains(&(&**table, &**key, *loaded)))
        };
        let lost = rows.iter().filter_map(|row| {
            let lost = row.references.iter().find(|reference| !is_there(row, reference))?;
            let why = format!("{} of {} is not among the data", lost.1, lost.0);
            Some((row.file.clone(), why))
        });
        let lost: Vec<(String, String)> = lost.collect();
        if lost.is_empty() {
            break;
        }
        refused.extend(lost);
        rows.retain(|row| !refused.contains_key(&row.file));
    }
    for file in files {
        match refused.remove(&file) {
            Some(why) => report.add(&file, 1, "data", LineOutcome::Refused, why),
            None => report.add(&file, 1, "data", LineOutcome::Taken, ""),
        }
    }
    rows
}

fn insert(row: &Row) -> String {
    let text = row.text.replace('\'', "''");
    format!("INSERT INTO {} (id, jsonb) VALUES ('{}', '{text}');\n", row.table, row.key)
}

/// The documents of a file.
fn of_file(
    module: &Module,
    files: &ModuleFiles,
    collections: &[Arc<Collection>],
    file: &DataFile,
    report: &mut Report,
) -> Outcome<Vec<Row>> {
    let refuse = |report: &mut Report, why: String| {
        report.add(&file.name, 1, "data", LineOutcome::Refused, why);
        Ok(Vec::new())
    };
    let parsed = files
        .read(&file.name)
        .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()));
    let value = match parsed {
        Ok(value) => value,
        Err(why) => return refuse(report, why),
    };
    let of_path = module
        .collections
        .iter()
        .find(|one| data::fits(file, &one.resource.path, one.table.name()));
    // The body of a batch path is a list, whose member names the collection.
    let of_list = || {
        module.collections.iter().find(|one| {
            one.list.as_deref().is_some_and(|list| value.get(list).is_some_and(Value::is_array))
        })
    };
    let Some(one) = of_path.or_else(of_list) else {
        let why = file.target.as_ref().map_or_else(
            || "no collection has the name of its folder".to_owned(),
            |target| format!("{target} is no collection"),
        );
        return refuse(report, why);
    };
    let found = collections.iter().find(|known| known.declaration().table == one.table.name());
    let Some(collection) = found else { return Ok(Vec::new()) };
    let list = one.list.as_deref().unwrap_or_default();
    let mut rows = Vec::new();
    for document in data::documents(&value, list) {
        match row(collection, document, file)? {
            Ok(row) => rows.push(row),
            Err(why) => return refuse(report, why),
        }
    }
    Ok(rows)
}

/// A document as a row, completed as by a `POST`; or what is wrong with it.
fn row(collection: &Collection, document: &Value, file: &DataFile) -> Outcome<Result<Row, String>> {
    let given = document.get("id").and_then(Value::as_str);
    let key = match given.and_then(|text| parse_text(&Type::Uuid, text).ok()) {
        Some(ModelValue::Text(key)) => key,
        _ => random_uuid()?,
    };
    let text = document.to_string();
    let moment = Moment { time: rfc3339_with_milliseconds(), user: None };
    let made = read(&text, &BODY, DEPTH).and_then(|body| collection.created(body, &key, &moment));
    let made = match made {
        Ok(made) => made.text,
        Err(error) => return Ok(Err(error.message)),
    };
    if let Some(mistake) = collection.check(&made).first() {
        return Ok(Err(mistake.message.clone()));
    }
    let declaration = collection.declaration();
    let value: Value = serde_json::from_str(&made).unwrap_or_default();
    let references = declaration.references.iter().filter_map(|reference| {
        let found = reference.path.split('.').try_fold(&value, |at, step| at.get(step))?;
        Some((reference.table.clone(), found.as_str()?.to_owned()))
    });
    let references = references.collect();
    let (file, table, loaded) = (file.name.clone(), declaration.table.clone(), file.loaded);
    Ok(Ok(Row { file, table, references, key, text: made, loaded }))
}

fn rfc3339_with_milliseconds() -> String {
    duet_text::time::moment::rfc3339(now()).replace('Z', ".000Z")
}
