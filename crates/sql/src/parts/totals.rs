//! Totals: the number of a collection's documents by a few values (labels, true and false), in a table beside the
//! collection's table that triggers keep. A list whose filter names these values alone is counted by the sum of a few rows,
//! within the transaction and the snapshot of the request, so the count is exact.

use std::fmt::Write as _;

use duet_model::catalog::IndexedPart;
use duet_model::collection::fitted;
use duet_model::{CollectionIndex, CollectionTable, IndexKind, Type};

/// The access method of totals in the catalog.
pub const TOTALS_METHOD: &str = "totals";

/// What the code of their triggers begins with; the paths and types of the values follow.
pub const TOTALS_MARK: &str = "/* duet totals ";

/// The column with the number of documents.
pub(crate) const NUMBER: &str = "n";

/// The totals of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The schema of both tables, where the store has several.
    pub schema: Option<String>,
    /// The table of the documents.
    pub table: String,
    /// The name of the totals' table, and of what keeps it.
    pub name: String,
    /// The values, in the order of the columns.
    pub values: Vec<TotalsValue>,
}

/// A value by which documents are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotalsValue {
    /// Member names joined by dots.
    pub path: String,
    /// Whether it is true or false; otherwise a text.
    pub boolean: bool,
}

impl TotalsValue {
    pub(crate) fn ty(&self) -> Type {
        if self.boolean { Type::Boolean } else { Type::Text }
    }
}

impl Totals {
    /// The declared totals; `None` for other kinds of indexes.
    fn declared(table: &CollectionTable, index: &CollectionIndex) -> Option<Self> {
        let values = index.fields().map(|field| TotalsValue {
            path: field.path.clone(),
            boolean: field.ty == Type::Boolean,
        });
        (index.kind == IndexKind::Totals).then(|| Self {
            schema: table.schema.clone(),
            table: table.name.clone(),
            name: index.name(&table.name),
            values: values.collect(),
        })
    }

    /// All that a collection declares.
    pub fn all(table: &CollectionTable) -> Vec<Self> {
        table.indexes.iter().filter_map(|index| Self::declared(table, index)).collect()
    }

    /// The totals whose triggers have this code, so that it can be compared with what it must be; `None`
    /// for other code.
    pub fn of_code(schema: Option<&str>, table: &str, name: &str, code: &str) -> Option<Self> {
        let (_, marked) = code.split_once(TOTALS_MARK)?;
        let (signature, _) = marked.split_once(" */")?;
        let values = signature.split(' ').map(|value| {
            let (path, kind) = value.split_once(':')?;
            Some(TotalsValue { path: unescaped(path)?, boolean: kind == "boolean" })
        });
        Some(Self {
            schema: schema.map(str::to_owned),
            table: table.to_owned(),
            name: name.to_owned(),
            values: values.collect::<Option<_>>()?,
        })
    }

    /// The comment at the beginning of the triggers' code.
    pub(crate) fn mark(&self) -> String {
        let values = self.values.iter().map(|value| {
            let kind = if value.boolean { "boolean" } else { "text" };
            format!("{}:{kind}", escaped(&value.path))
        });
        format!("{TOTALS_MARK}{} */", values.collect::<Vec<_>>().join(" "))
    }

    /// The names of the columns with the values.
    pub(crate) fn columns(&self) -> Vec<String> {
        (0..self.values.len()).map(|at| format!("v{at}")).collect()
    }

    /// The name of the trigger for a statement: `insert`, `update`, `delete`, `truncate`.
    pub fn trigger(&self, statement: &str) -> String {
        fitted(format!("{statement}_{}", self.name))
    }

    /// What the catalog says of totals that are whole.
    pub fn part(&self) -> IndexedPart {
        IndexedPart::Totals { paths: self.values.iter().map(|value| value.path.clone()).collect() }
    }
}

/// A path without what ends a comment or separates values.
fn escaped(path: &str) -> String {
    let mut out = String::new();
    for char in path.chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | '-' => out.push(char),
            other => write!(out, "%{:x};", u32::from(other)).unwrap_or_default(),
        }
    }
    out
}

fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('%') {
        let (number, after) = behind.split_once(';')?;
        out.push_str(before);
        out.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Postgres, Sqlite, postgres_code, sqlite_triggers};

    fn totals() -> Totals {
        let value = |path: &str, boolean| TotalsValue { path: path.to_owned(), boolean };
        let values = vec![value("a.status", false), value("is it */ 'é' %", true)];
        Totals { schema: None, table: "items".into(), name: "items_idx_totals".into(), values }
    }

    #[test]
    fn totals_are_known_by_their_code() {
        let totals = totals();
        let codes = [
            postgres_code(&totals, &Postgres { icu: false }, "\"public\""),
            sqlite_triggers(&totals, &Sqlite)[0].1.clone(),
        ];
        for code in codes {
            let known = Totals::of_code(None, "items", "items_idx_totals", &code);
            assert_eq!(known.as_ref(), Some(&totals), "{code}");
        }
        for other in
            ["", "BEGIN RETURN NULL; END", "/* duet totals a:text", "/* duet totals %z;:text */"]
        {
            assert_eq!(Totals::of_code(None, "items", "t", other), None, "{other}");
        }
    }
}
