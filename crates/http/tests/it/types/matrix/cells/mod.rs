//! The columns of the matrix: what a request can do with a value, and what must come of it.

mod compare;
mod export;
mod journal;
mod key;
mod memory;
mod read;
mod routine;
mod view;
mod write;

use serde_json::{Map, Value, json};

use super::Verdict;
use super::asked::{Asked, q};
use super::subject::Subject;
use super::types::Compares;

/// A column of the matrix.
pub(super) struct Cell {
    pub(super) name: &'static str,
    /// What must come of it for a type.
    pub(super) expected: fn(&Subject) -> Verdict,
    /// Tries it; only where it applies to the type.
    pub(super) run: fn(&mut Asked<'_>, &Subject) -> Result<Verdict, String>,
}

/// How a cell turned out, or what is wrong.
type Tried = Result<Verdict, String>;

const FILTER_OPERAND: &str = "DUET-2005";
const UNSUPPORTED: &str = "DUET-2008";
/// An order whose pages have no marker.
const NO_MARKER: &str = "DUET-1005";
/// A column that a duality view cannot have.
const VIEW_COLUMN: &str = "DUET-3003";

pub(super) const CELLS: &[Cell] = &[
    Cell { name: "read", expected: always, run: read::read },
    Cell { name: "CSV", expected: always, run: export::csv },
    Cell { name: "NDJSON", expected: always, run: export::lines },
    Cell { name: "POST", expected: written, run: write::post },
    Cell { name: "POST of an array", expected: written, run: write::post_array },
    Cell { name: "batch", expected: written, run: write::batch },
    Cell { name: "PUT", expected: changed, run: write::put },
    Cell { name: "PATCH", expected: changed, run: write::patch },
    Cell { name: "PATCH of one member", expected: changed, run: write::patch_one },
    Cell { name: "batchload of CSV", expected: written, run: write::load_csv },
    Cell { name: "batchload of NDJSON", expected: written, run: write::load_lines },
    Cell { name: "journal", expected: journaled, run: journal::journal },
    Cell { name: "`$eq` `$ne` `$in`", expected: equality, run: compare::equal },
    Cell { name: "`$lt` `$gte` `$between`", expected: order, run: compare::less },
    Cell { name: "`$orderby`, pages", expected: sorted, run: compare::order },
    Cell { name: "CQL `==`", expected: equality, run: compare::cql },
    Cell { name: "`$group`", expected: grouped, run: compare::group },
    Cell { name: "key", expected: keyed, run: key::key },
    Cell { name: "pages by the key", expected: paged, run: key::pages },
    Cell { name: "composite key", expected: keyed, run: key::composite },
    Cell { name: "member of a view", expected: viewed, run: view::member },
    Cell { name: "nested key of a view", expected: keyed, run: view::nested_key },
    Cell { name: "root key of a view", expected: keyed, run: view::root_key },
    Cell { name: "function", expected: function, run: routine::function },
    Cell { name: "service", expected: service, run: routine::service },
    Cell { name: "rowstore", expected: items, run: memory::item },
    Cell { name: "key of the rowstore", expected: keyed, run: memory::key },
    Cell { name: "reference of a collection", expected: reference, run: key::reference },
];

fn always(_: &Subject) -> Verdict {
    Verdict::Right
}

/// New rows.
fn written(subject: &Subject) -> Verdict {
    match subject.row.is_sent() {
        true => Verdict::Right,
        false => Verdict::Not("bytes and infinities without a type are sent back as texts"),
    }
}

/// Changed rows: those with an address.
fn changed(subject: &Subject) -> Verdict {
    match subject.is_virtual() {
        true => Verdict::Not("virtual tables have no key"),
        false => written(subject),
    }
}

fn journaled(subject: &Subject) -> Verdict {
    changed(subject)
}

fn items(subject: &Subject) -> Verdict {
    match changed(subject) {
        Verdict::Not(why) if subject.is_virtual() => Verdict::Not(why),
        _ => Verdict::Right,
    }
}

/// What needs values of a type to compare, by the code that refuses others.
fn compared(subject: &Subject, of_type: Compares, needed: Compares, code: &'static str) -> Verdict {
    match of_type < needed {
        _ if subject.row.is_json() => Verdict::Not("values inside JSON are compared"),
        true => Verdict::Refused(code),
        false => Verdict::Right,
    }
}

fn equality(subject: &Subject) -> Verdict {
    compared(subject, subject.row.filtered(), Compares::Equality, FILTER_OPERAND)
}

fn order(subject: &Subject) -> Verdict {
    compared(subject, subject.row.filtered(), Compares::Order, FILTER_OPERAND)
}

fn sorted(subject: &Subject) -> Verdict {
    compared(subject, subject.row.compares, Compares::Order, UNSUPPORTED)
}

fn grouped(subject: &Subject) -> Verdict {
    compared(subject, subject.row.filtered(), Compares::Order, UNSUPPORTED)
}

fn keyed(subject: &Subject) -> Verdict {
    match subject.row.is_key() {
        true => changed(subject),
        false => Verdict::Not("the database has no such keys"),
    }
}

fn paged(subject: &Subject) -> Verdict {
    match keyed(subject) {
        Verdict::Right if !subject.row.has_pages() => Verdict::Refused(NO_MARKER),
        verdict => verdict,
    }
}

fn viewed(subject: &Subject) -> Verdict {
    match subject.row.name {
        "xml" => Verdict::Refused(VIEW_COLUMN),
        _ => changed(subject),
    }
}

fn function(subject: &Subject) -> Verdict {
    match subject.is_postgres() {
        true => Verdict::Right,
        false => Verdict::Not("SQLite has no functions"),
    }
}

fn service(subject: &Subject) -> Verdict {
    match subject.row.parameter() {
        Some(_) => Verdict::Right,
        None => Verdict::Not("each parameter of a service has a type"),
    }
}

fn reference(subject: &Subject) -> Verdict {
    match subject.row.name {
        "uuid" => Verdict::Right,
        _ => Verdict::Not("references are the ids of documents: UUIDs"),
    }
}

/// The items of a relation that were made by SQL.
fn originals_of(asked: &mut Asked<'_>, relation: &str) -> Result<Vec<Value>, String> {
    asked.items(&format!("{relation}/?limit=500&{}", q(&json!({ "id": { "$lt": 1000 } }))))
}

/// Those of a subject's own table.
fn originals(asked: &mut Asked<'_>, subject: &Subject) -> Result<Vec<Value>, String> {
    originals_of(asked, &subject.name)
}

/// An item as it was read, with another id.
fn as_read(subject: &Subject, item: &Value, id: i64) -> Value {
    let members = subject.columns().iter().map(|name| ((*name).to_owned(), item[*name].clone()));
    let mut body: Map<String, Value> = members.collect();
    body.insert("id".to_owned(), id.into());
    Value::Object(body)
}

fn id_of(item: &Value) -> i64 {
    item["id"].as_i64().unwrap_or_default()
}

/// Each item with the one behind it, the last with the first.
fn with_next(items: &[Value]) -> impl Iterator<Item = (&Value, &Value)> {
    items.iter().zip(items.iter().cycle().skip(1))
}

/// Compares the rows of a table that are `shift` above those of the subject with these.
fn differing(asked: &Asked<'_>, subject: &Subject, table: &str, shift: i64) -> Tried {
    let name = &subject.name;
    let exact = |of: &str, column: &str| match subject.row.is_json() && subject.is_postgres() {
        // JSON's null is sent back as NULL, and other values without their blanks.
        true => format!("nullif(to_jsonb({of}.{column})::text, 'null')"),
        false => asked.exact(&format!("{of}.{column}")),
    };
    let of_column = |column: &&str| {
        let (old, new) = (exact("o", column), exact("n", column));
        format!(
            "SELECT '{column}', o.id, {old}, {new} FROM {name} o LEFT JOIN {table} n ON n.id = o.id + {shift}
              WHERE o.id < 1000 AND (n.id IS NULL OR coalesce({old}, 'NULL') <> coalesce({new}, 'NULL'))"
        )
    };
    let queries: Vec<String> = subject.columns().iter().map(of_column).collect();
    let found = asked.rows(&queries.join(" UNION ALL "));
    if found.is_empty() { Ok(Verdict::Right) } else { Err(format!("stored otherwise: {found:?}")) }
}
