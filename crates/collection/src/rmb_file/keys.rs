//! The keys of a `schema.json`: what each means here. The reader of the file, its report and the manual's page have this
//! list.

use serde_json::Value;

use super::line::{LineOutcome, LinePlace, RmbLine};

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmbLevel {
    /// In the file.
    File,
    /// In `fullText`.
    FullText,
    /// In one of `tables`.
    Table,
    /// In one of `foreignKeys`.
    ForeignKey,
    /// In an entry of an index.
    Index,
}

impl RmbLevel {
    /// Its name in the manual.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::FullText => "fullText",
            Self::Table => "table",
            Self::ForeignKey => "foreignKeys",
            Self::Index => "index",
        }
    }
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmbKey {
    /// Where it stands.
    pub level: RmbLevel,
    /// Its name.
    pub name: &'static str,
    /// What becomes of it.
    pub outcome: LineOutcome,
    /// What it becomes, or why it is left out.
    pub meaning: &'static str,
}

const fn key(
    level: RmbLevel,
    name: &'static str,
    outcome: LineOutcome,
    meaning: &'static str,
) -> RmbKey {
    RmbKey { level, name, outcome, meaning }
}

use LineOutcome::{Otherwise, Refused, Taken};
use RmbLevel::{File, ForeignKey, FullText, Index, Table};

/// All keys that are known.
pub const KEYS: &[RmbKey] = &[
    key(File, "tables", Taken, "collections"),
    key(File, "exactCount", Otherwise, "the setting `exact_total` of the application"),
    key(File, "scripts", Otherwise, "each statement has its line in the report"),
    key(File, "views", Refused, "each by its name: searches follow references in place of joins"),
    key(File, "fullText", Taken, "of these keys"),
    key(FullText, "defaultDictionary", Taken, "the dictionary of `fullTextIndex`"),
    key(Table, "tableName", Taken, "`table`"),
    key(Table, "mode", Taken, "`delete`: not served"),
    key(Table, "fromModuleVersion", Taken, "for upgrades alone"),
    key(Table, "withMetadata", Taken, "`metadata`"),
    key(Table, "withOptimisticLocking", Taken, "`versioned`; `logOnConflict` is refused"),
    key(Table, "withAuditing", Refused, "no history of changes is written"),
    key(Table, "auditingTableName", Otherwise, "belongs to `withAuditing`"),
    key(Table, "auditingFieldName", Otherwise, "belongs to `withAuditing`"),
    key(Table, "auditingSnippet", Refused, "no history of changes is written"),
    key(Table, "foreignKeys", Taken, "references, and names for searches"),
    key(Table, "uniqueIndex", Taken, "`unique`"),
    key(Table, "index", Taken, "`index`"),
    key(Table, "likeIndex", Taken, "`like`"),
    key(Table, "ginIndex", Taken, "`trigram`"),
    key(Table, "fullTextIndex", Taken, "`full-text`"),
    key(Table, "customSnippetPath", Otherwise, "each statement has its line in the report"),
    key(Table, "addFields", Otherwise, "changes documents of earlier versions alone"),
    key(Table, "deleteFields", Otherwise, "changes documents of earlier versions alone"),
    key(Table, "generateId", Taken, "a missing `id` is always made"),
    key(Table, "pkColumnName", Refused, "the key is the column `id`"),
    key(ForeignKey, "fieldName", Taken, "the member with the reference"),
    key(ForeignKey, "targetTable", Taken, "the table of the other document"),
    key(ForeignKey, "targetTableAlias", Taken, "the name of the other document in searches"),
    key(ForeignKey, "tableAlias", Taken, "the name of the referring documents in searches"),
    key(ForeignKey, "targetPath", Taken, "the names reach over several references"),
    key(ForeignKey, "tOps", Taken, "`DELETE`: not declared"),
    key(ForeignKey, "fromModuleVersion", Taken, "for upgrades alone"),
    key(
        Index,
        "fieldName",
        Taken,
        "the path; several with commas for an index of their values in order",
    ),
    key(Index, "tOps", Taken, "`DELETE`: not declared"),
    key(Index, "caseSensitive", Taken, "how texts compare; refused for words"),
    key(Index, "removeAccents", Taken, "how texts and words compare"),
    key(
        Index,
        "stringType",
        Otherwise,
        "`false`: the index has texts all the same, as searches compare them",
    ),
    key(
        Index,
        "whereClause",
        Taken,
        "the documents of the index, if it compares members with values",
    ),
    key(Index, "multiFieldNames", Taken, "the texts of several members, joined by blanks"),
    key(
        Index,
        "sqlExpression",
        Taken,
        "the member with or without `lower` and `f_unaccent`; searches by another one are refused",
    ),
    key(
        Index,
        "sqlExpressionQuery",
        Taken,
        "the term `$` with or without `lower` and `f_unaccent`",
    ),
    key(Index, "arraySubfield", Taken, "the searched member of elements"),
    key(Index, "arrayModifiers", Taken, "members of the same element, by relation modifiers"),
    key(Index, "fromModuleVersion", Taken, "for upgrades alone"),
];

/// The keys of entries in a table.
const INDEXES: [&str; 5] = ["uniqueIndex", "index", "likeIndex", "ginIndex", "fullTextIndex"];

/// The lines of keys that are unknown, or whose value is refused for the key alone.
pub(super) fn unknown(file: &Value) -> Vec<RmbLine> {
    let mut lines = Vec::new();
    level(file, File, "", &mut lines);
    level(file.get("fullText").unwrap_or(&Value::Null), FullText, "/fullText", &mut lines);
    let names: Vec<&str> = list(file, "tables").filter_map(|(_, table)| kept_name(table)).collect();
    for (at, table) in list(file, "tables") {
        let place = format!("/tables/{at}");
        level(table, Table, &place, &mut lines);
        let is_again = kept_name(table).is_some_and(|name| {
            list(file, "tables").take(at).any(|(_, before)| kept_name(before) == Some(name))
        });
        if is_again {
            refuse(
                table,
                &format!("{place}/tableName"),
                "tableName",
                "the table is there twice: the first one counts",
                &mut lines,
            );
        }
        if let Some(column) = table.get("pkColumnName").filter(|column| *column != "id") {
            let why = format!("the key is the column `id`, not {column}");
            refuse(table, &format!("{place}/pkColumnName"), "pkColumnName", &why, &mut lines);
        }
        for (at, entry) in list(table, "foreignKeys") {
            let place = format!("{place}/foreignKeys/{at}");
            level(entry, ForeignKey, &place, &mut lines);
            let target = entry.get("targetTable").and_then(Value::as_str);
            let is_deleted = entry.get("tOps").and_then(Value::as_str) == Some("DELETE");
            if let Some(target) = target.filter(|name| !is_deleted && !names.contains(name)) {
                let why = format!("the file has no table `{target}`");
                refuse(entry, &format!("{place}/targetTable"), "targetTable", &why, &mut lines);
            }
        }
        for kind in INDEXES {
            for (at, entry) in list(table, kind) {
                level(entry, Index, &format!("{place}/{kind}/{at}"), &mut lines);
            }
        }
    }
    lines
}

/// The name of a table that is not deleted.
fn kept_name(table: &Value) -> Option<&str> {
    let is_deleted = table.get("mode").and_then(Value::as_str) == Some("delete");
    table.get("tableName").and_then(Value::as_str).filter(|_| !is_deleted)
}

fn list<'v>(of: &'v Value, key: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    of.get(key).and_then(Value::as_array).into_iter().flatten().enumerate()
}

fn level(value: &Value, level: RmbLevel, place: &str, lines: &mut Vec<RmbLine>) {
    for name in value.as_object().into_iter().flat_map(|members| members.keys()) {
        if KEYS.iter().any(|key| key.level == level && key.name == name) {
            continue;
        }
        refuse(value, &format!("{place}/{name}"), name, "the key is unknown", lines);
    }
}

/// Adds the line of a key that is left out.
fn refuse(of: &Value, place: &str, name: &str, why: &str, lines: &mut Vec<RmbLine>) {
    let owner = of.get("tableName").or_else(|| of.get("fieldName")).and_then(Value::as_str);
    lines.push(RmbLine {
        place: LinePlace::Pointer(place.to_owned()),
        what: owner.map_or_else(|| format!("`{name}`"), |owner| format!("`{name}` of `{owner}`")),
        outcome: Refused,
        why: why.to_owned(),
    });
}
