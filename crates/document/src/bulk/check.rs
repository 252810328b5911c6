//! A field's text or JSON value as a cell of its column, or the reason why it does not fit.

use std::collections::HashMap;

use duet_model::catalog::GeneratedValue;
use duet_model::key::{one_of, parse_text};
use duet_model::{Code, Column, Error, MemberKind, Shape, Type, Value};
use duet_text::json::{self, BODY, InputKind, Json, JsonKind};
use duet_text::name::nearest;
use duet_text::problem::quoted;
use foldhash::fast::RandomState;

use super::mask::Masks;
use crate::cells::rows::{Datum, RowSet};
use crate::cells::untyped;
use crate::input::value::{from_text, read};

/// A column that a load may name.
#[derive(Clone, Debug)]
pub struct TargetColumn {
    /// Its name as it is served.
    pub name: String,
    /// Its position in the table.
    pub column: usize,
    ty: Type,
    not_null: bool,
    generated: GeneratedValue,
    has_default: bool,
}

/// The table that a load goes to.
#[derive(Clone, Debug)]
pub struct LoadTable {
    columns: Vec<TargetColumn>,
    by_name: HashMap<String, usize, RandomState>,
    key: Vec<usize>,
}

impl LoadTable {
    /// The visible columns of a table. `key`: rows replace those of the same key (columns by their
    /// position in the table); empty where they do not.
    pub fn new(shape: &Shape, key: &[usize]) -> Self {
        let table = &shape.root().table;
        let mut columns: Vec<TargetColumn> = Vec::new();
        for member in &shape.root().members {
            if let MemberKind::Column(column) = &member.kind
                && !column.hidden
            {
                columns.push(target(&member.name, column.column, &table.columns[column.column]));
            }
        }
        columns.sort_by_key(|column| column.column);
        let named = columns.iter().enumerate();
        let by_name = named.map(|(index, column)| (column.name.clone(), index)).collect();
        Self { columns, by_name, key: key.to_vec() }
    }

    /// The served name of a column of the table; `None` where it is not shown.
    pub fn name_of(&self, column: usize) -> Option<&str> {
        let position = self.columns.binary_search_by_key(&column, |known| known.column).ok()?;
        Some(&self.columns[position].name)
    }

    pub(super) fn columns(&self) -> &[TargetColumn] {
        &self.columns
    }

    /// The columns of the key by which rows replace others, by their position in the table.
    pub(super) fn key(&self) -> &[usize] {
        &self.key
    }

    /// The column of this name: exactly, else without case where that is only one.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        if let Some(found) = self.by_name.get(name) {
            return Some(*found);
        }
        let folded = name.to_lowercase();
        let mut alike = self.columns.iter().enumerate();
        let mut alike = alike.by_ref().filter(|(_, column)| column.name.to_lowercase() == folded);
        let found = alike.next()?.0;
        alike.next().is_none().then_some(found)
    }

    /// The sentence that suggests a name for one that is not known.
    pub(super) fn hint(&self, name: &str) -> String {
        let names = || self.columns.iter().map(|column| column.name.as_str());
        match nearest(name, names()) {
            Some(near) => format!(" Did you mean {}?", quoted(near)),
            None => format!(" The columns are {}.", names().collect::<Vec<_>>().join(", ")),
        }
    }

    /// The columns that must be given and are not among these.
    pub(super) fn missing(
        &self,
        is_given: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = &TargetColumn> {
        let columns = self.columns.iter().enumerate();
        let missing =
            columns.filter(move |(index, column)| column.is_required() && !is_given(*index));
        missing.map(|(_, column)| column)
    }
}

fn target(name: &str, position: usize, column: &Column) -> TargetColumn {
    TargetColumn {
        name: name.to_owned(),
        column: position,
        ty: column.ty.clone(),
        not_null: column.not_null,
        generated: column.generated,
        has_default: column.default.is_some(),
    }
}

/// Why a field was refused: a code, the mistake and the remedy.
pub(super) type Wrong = (Code, String);

impl TargetColumn {
    fn is_required(&self) -> bool {
        self.not_null && !self.has_default && self.generated == GeneratedValue::No
    }

    /// Whether NULL means that the database makes a value.
    pub(super) fn makes_its_own(&self) -> bool {
        self.generated == GeneratedValue::Identity
    }

    /// Whether the database computes it, so that no value can be given.
    pub(super) fn is_computed(&self) -> bool {
        self.generated == GeneratedValue::Computed
    }

    /// The refusal of a value for a computed column.
    pub(super) fn computed(&self) -> Wrong {
        let name = quoted(&self.name);
        (Code::NotWritable, format!("{name} is computed by the database. Leave it out."))
    }

    /// The refusal of a row without it.
    pub(super) fn required(&self) -> Wrong {
        (Code::MissingMember, format!("{} is required. Give it a value.", quoted(&self.name)))
    }

    fn wrong(&self, found: &str, problem: &str) -> Wrong {
        let (name, ty) = (quoted(&self.name), self.ty.name());
        let found = if found.is_empty() { "an empty text".to_owned() } else { quoted(found) };
        (Code::MemberValue, format!("{name} is {ty} and {problem}, not {found}."))
    }

    /// Appends NULL.
    pub(super) fn push_null(&self, rows: &mut RowSet) -> Result<(), Wrong> {
        if self.not_null {
            return Err(self.required());
        }
        rows.push(Datum::Null);
        Ok(())
    }

    /// Appends the value of a field of CSV that is in quotes, which in a column without a type is a text.
    pub(super) fn push_quoted(
        &self,
        text: &str,
        masks: &Masks,
        rows: &mut RowSet,
    ) -> Result<(), Wrong> {
        if self.ty == Type::Dynamic && !text.contains('\0') {
            rows.push(Datum::Text(text.as_bytes()));
            return Ok(());
        }
        self.push_text(text, masks, rows)
    }

    /// Appends the value of a field of CSV.
    pub(super) fn push_text(
        &self,
        text: &str,
        masks: &Masks,
        rows: &mut RowSet,
    ) -> Result<(), Wrong> {
        if let (Type::Integer { bits }, Ok(int)) = (&self.ty, text.parse())
            && fits(*bits, int)
        {
            rows.push(Datum::Int(int));
            return Ok(());
        }
        if matches!(self.ty, Type::Text | Type::Char) && !text.contains('\0') {
            rows.push(Datum::Text(text.as_bytes()));
            return Ok(());
        }
        let masked =
            match masks.of(&self.ty) {
                Some(mask) => Some(mask.canonical(text).ok_or_else(|| {
                    self.wrong(text, &format!("must be written as {}", mask.text()))
                })?),
                None => None,
            };
        let value = text_value(&self.ty, masked.as_deref().unwrap_or(text));
        match value.map_err(|problem| self.misfit(text, problem))? {
            Value::Null => self.push_null(rows),
            value => {
                push(&value, rows);
                Ok(())
            }
        }
    }

    /// Appends a JSON value.
    pub(super) fn push_json(&self, json: &Json<'_>, rows: &mut RowSet) -> Result<(), Wrong> {
        match (&self.ty, &json.kind) {
            (_, JsonKind::Null) => return self.push_null(rows),
            (Type::Text | Type::Char, JsonKind::Text(text)) if !text.contains('\0') => {
                rows.push(Datum::Text(text.as_bytes()));
                return Ok(());
            }
            _ => {}
        }
        let value = json_value(&self.ty, json).map_err(|problem| {
            let mut found = String::new();
            json.write(&mut found);
            self.misfit(&found, problem)
        })?;
        push(&value, rows);
        Ok(())
    }

    fn misfit(&self, found: &str, problem: Misfit) -> Wrong {
        match problem {
            Misfit::Nul => {
                let name = quoted(&self.name);
                let message = format!("{name} contains the NUL character (U+0000). Leave it out.");
                (Code::NulCharacter, message)
            }
            Misfit::Must(expected) => self.wrong(found, &format!("must be {expected}")),
        }
    }
}

/// Why a text or JSON value is not of a type.
#[derive(Debug, PartialEq)]
enum Misfit {
    /// It contains U+0000.
    Nul,
    /// What it must be, as in "must be …".
    Must(String),
}

/// Whether an integer fits the width of its column.
fn fits(bits: u8, int: i64) -> bool {
    match bits {
        16 => i16::try_from(int).is_ok(),
        32 => i32::try_from(int).is_ok(),
        _ => true,
    }
}

/// Objects and arrays inside each other in one row.
pub(super) const DEPTH: usize = 128;

/// A row, for the errors of the JSON reader.
pub(super) const ROW: InputKind = InputKind {
    noun: "row",
    syntax: Code::BodySyntax,
    depth: Code::BodyDepth,
    twice: Some((Code::BodySyntax, "Give each member once.")),
};

/// Arrays inside each other; PostgreSQL has six dimensions at most.
const DEEPEST_ARRAY: usize = 6;

/// The value of a text of a CSV. White space around it counts only where it is part of a text.
fn text_value(ty: &Type, text: &str) -> Result<Value, Misfit> {
    if text.contains('\0') {
        return Err(Misfit::Nul);
    }
    let must = |expected: &str| Misfit::Must(expected.to_owned());
    let trimmed = text.trim_matches([' ', '\t']);
    match ty {
        Type::Json => {
            let json = json::read(text, &ROW, DEPTH);
            read(ty, &json.map_err(|error| must(json_expected(&error)))?).map_err(Misfit::Must)
        }
        Type::Array(_) if trimmed.starts_with('[') => {
            let json = json::read(trimmed, &BODY, DEEPEST_ARRAY);
            read(ty, &json.map_err(|_| must("a JSON array"))?).map_err(Misfit::Must)
        }
        Type::Enum(labels) if !labels.iter().any(|label| label == text) => {
            Err(must(&one_of(labels)))
        }
        Type::Dynamic => {
            Ok(untyped::shown_number(trimmed).unwrap_or_else(|| Value::Text(text.to_owned())))
        }
        Type::Text
        | Type::Char
        | Type::Native(_)
        | Type::Other
        | Type::Enum(_)
        | Type::Array(_) => parse_text(ty, text).map_err(|_| must("a text of its type")),
        ty => from_text(ty, trimmed).map_err(Misfit::Must),
    }
}

/// What a column of JSON takes, where a text is none.
fn json_expected(error: &Error) -> &'static str {
    match error.code {
        Code::BodyDepth => "JSON of fewer levels",
        _ => "JSON whose objects have each member once",
    }
}

/// The value of a JSON value that is not null.
fn json_value(ty: &Type, json: &Json<'_>) -> Result<Value, Misfit> {
    match (ty, &json.kind) {
        (Type::Enum(_), JsonKind::Text(text)) => text_value(ty, text),
        _ => read(ty, json).map_err(Misfit::Must),
    }
}

fn push(value: &Value, rows: &mut RowSet) {
    rows.push(match value {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Int(i64::from(*value)),
        Value::Int(value) => Datum::Int(*value),
        Value::Float(value) => Datum::Real(*value),
        Value::Text(text) => Datum::Text(text.as_bytes()),
        Value::RawText(text) => Datum::Text(text),
        Value::Bytes(bytes) => Datum::Blob(bytes),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(ty: Type) -> TargetColumn {
        target("it", 0, &Column::new("it", ty))
    }

    /// A cell as it came, or the message.
    fn text(ty: Type, text: &str) -> String {
        let mut rows = RowSet::new(1);
        let pushed = column(ty).push_text(text, &Masks::default(), &mut rows);
        pushed.map_or_else(|(_, message)| message, |()| shown(&rows))
    }

    fn json(ty: Type, json: &str) -> String {
        let mut rows = RowSet::new(1);
        let json = json::read(json, &BODY, 9).unwrap();
        let pushed = column(ty).push_json(&json, &mut rows);
        pushed.map_or_else(|(_, message)| message, |()| shown(&rows))
    }

    fn shown(rows: &RowSet) -> String {
        match rows.get(0, 0) {
            Datum::Text(text) => String::from_utf8_lossy(text).into_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn texts() {
        let integer = || Type::Integer { bits: 16 };
        assert_eq!(text(integer(), "-7"), "Int(-7)");
        assert_eq!(text(integer(), " 1e3 "), "Int(1000)");
        assert_eq!(
            text(integer(), "40000"),
            "`it` is INTEGER and must be a whole number of 16 bits, not `40000`."
        );
        assert_eq!(
            text(integer(), ""),
            "`it` is INTEGER and must be a whole number, not an empty text."
        );
        assert_eq!(text(Type::Text, " a "), " a ");
        assert!(text(Type::Text, "a\0").contains("NUL"));
        assert_eq!(text(Type::Boolean, "t"), "Int(1)");
        assert_eq!(text(Type::Decimal { scale: None }, "1.50"), "1.5");
        assert_eq!(text(Type::Decimal { scale: Some(2) }, " 1.555"), "1.56");
        assert_eq!(text(Type::Decimal { scale: Some(2) }, "-0.001"), "0");
        assert_eq!(text(Type::Decimal { scale: Some(0) }, "1.5"), "2");
        assert_eq!(text(Type::Decimal { scale: None }, "NaN"), "NaN");
        assert!(text(Type::Float { bits: 32 }, "1e50").contains("to 3.4028235e38"));
        assert_eq!(text(Type::Float { bits: 64 }, "NaN"), "NaN");
        assert_eq!(text(Type::Timestamp, "2022-03-20 01:00:00+01:00"), "2022-03-20T00:00:00");
        assert!(text(Type::Date, "20.3.2022").contains("a date such as"));
        assert!(text(Type::Interval, "1 day").contains("P1DT8H"));
        assert_eq!(text(Type::Json, "{\"a\": 1.50}"), "{\"a\":1.50}");
        assert_eq!(text(Type::Json, " null "), "Null");
        assert!(text(Type::Json, "{a}").contains("must be JSON"));
        assert!(text(Type::Json, "{\"a\":1,\"a\":2}").contains("each member once"));
        assert!(text(Type::Json, &"[".repeat(200)).contains("JSON of fewer levels"));
        let labels = Type::Enum(vec!["x".to_owned(), "y".to_owned()].into());
        assert_eq!(text(labels, "z"), "`it` is ENUM and must be one of `x`, `y`, not `z`.");
        assert_eq!(text(Type::Binary, "AP8="), "Blob([0, 255])");
    }

    #[test]
    fn json_values() {
        assert_eq!(json(Type::Integer { bits: 64 }, "5.0"), "Int(5)");
        assert_eq!(
            json(Type::Integer { bits: 64 }, "true"),
            "`it` is INTEGER and must be a whole number, not `true`."
        );
        assert!(json(Type::Integer { bits: 64 }, "5.5").contains("a whole number"));
        assert!(json(Type::Text, "5").contains("must be a string, not `5`"));
        assert_eq!(json(Type::Boolean, "true"), "Int(1)");
        assert_eq!(json(Type::Json, "[1, {\"a\": null}]"), "[1,{\"a\":null}]");
        assert_eq!(json(Type::Text, "null"), "Null");
        let ints = Type::Array(Box::new(Type::Integer { bits: 32 }));
        assert_eq!(json(ints.clone(), "[1,null,[2]]"), "{\"1\",NULL,{\"2\"}}");
        assert!(json(ints, "[\"x\"]").contains("elements are each a whole number"));
        let texts = Type::Array(Box::new(Type::Text));
        assert_eq!(json(texts, "[\"a\\\"\\\\\"]"), "{\"a\\\"\\\\\"}");
    }
}
