//! Values inside JSON columns.

use duet_model::{ArrayPath, JsonTest, Type};
use duet_text::JsonStep;

use crate::parts::joined::JoinedPiece;
use crate::parts::jsonpath;

/// A part of the SQL text of a value that is taken out of a JSON column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractionPart {
    /// SQL text.
    Text(&'static str),
    /// The column.
    Column,
    /// The path, as [`JsonSyntax::extraction_path`] writes it, in quotes.
    Path,
}

/// Values inside JSON columns. Paths are of SQL/JSON (ISO/IEC 9075-2) where an engine has no others.
pub trait JsonSyntax {
    /// A test of the values inside a JSON column: the SQL text before the column, between it and the
    /// operand, and after.
    fn json_test(&self) -> [&'static str; 3] {
        ["JSON_EXISTS(", ", ", ")"]
    }

    /// The operand of such a test, with path and operator in it.
    fn json_operand(&self, path: &[String], test: &JsonTest) -> String {
        jsonpath::of(path, test)
    }

    /// Whether an index of values inside JSON narrows tests of them: `json_extract`, which has NULL for
    /// what it does not reach, a number for a boolean, and the text of an array.
    fn extracts_json(&self) -> bool {
        false
    }

    /// An array of the values at a path inside a JSON column, elements of arrays among them, which an index can have: the
    /// SQL text before the column, between it and the path, and after. `None` where there is no such index.
    fn json_elements(&self) -> Option<[&'static str; 3]> {
        None
    }

    /// The path for [`Dialect::json_elements`](super::Dialect).
    fn json_elements_path(&self, _path: &[String]) -> String {
        String::new()
    }

    /// The value at a path inside a JSON column as a value of a type, by functions that an index may
    /// call; NULL where there is none of that type.
    fn extraction(&self, ty: &Type) -> &'static [ExtractionPart];

    /// The path for [`Dialect::extraction`](super::Dialect); `None` for names that the engine has no form for. A step
    /// leads to a member of an object and nowhere else.
    fn extraction_path(&self, path: &[String]) -> Option<String>;

    /// The SQL text behind a JSON column, declared as this type, from which values are extracted.
    fn json_column(&self, _declared: &str) -> &'static str {
        ""
    }

    /// The text of any value at a path inside a document, NULL for `null`: the SQL text before the column, between
    /// it and the path, and after. The path is a parameter, since requests name it.
    fn json_text(&self) -> [&'static str; 3];

    /// The same with a path as two parameters: its steps, and the character between them. For engines that pass the
    /// statement on to other machines as a text, in which a cast of a parameter to an array is wrong.
    fn json_text_at_steps(&self) -> Option<[&'static str; 4]> {
        None
    }

    /// The path for [`Dialect::json_text`](super::Dialect); `None` for one that no document has.
    fn json_text_path(&self, path: &[String]) -> Option<String>;

    /// The text of the only value that steps inside a document lead to, NULL for `null` and for none or several of
    /// them: the SQL text before the column, between it and the steps, and after.
    fn json_value(&self) -> [&'static str; 3];

    /// The steps for [`Dialect::json_value`](super::Dialect).
    fn json_value_path(&self, steps: &[JsonStep]) -> String {
        jsonpath::along(steps)
    }

    /// The JSON that steps inside a document lead to, as `->` of PostgreSQL has it, or its text, as `->>`: the SQL text
    /// before the column, between it and the steps, and after.
    fn json_inside(&self, as_text: bool) -> [&'static str; 3];

    /// The steps for [`Dialect::json_inside`](super::Dialect).
    fn json_inside_path(&self, steps: &[JsonStep]) -> String {
        JsonStep::encode(steps)
    }

    /// The texts at paths inside a document, as [`JOINED`](duet_model::JOINED) joins them, by functions that
    /// an index may call: the pieces of the SQL text.
    fn joined_texts(&self, paths: &str) -> Vec<JoinedPiece>;

    /// The values that a path into arrays leads to in a document: the pieces of a source of rows, joined to the tables
    /// before it, whose column [`Dialect::element_value`](super::Dialect) has the JSON text of each.
    fn element_values(&self, path: &ArrayPath) -> Vec<JoinedPiece>;

    /// The column of [`Dialect::element_values`](super::Dialect).
    fn element_value(&self) -> &'static str {
        "of_array.value"
    }

    /// The number that a text is, NULL where it is none: the SQL text behind the last place of the text, and
    /// what is before each of its places.
    fn number_of_text(&self) -> (&'static str, &'static [&'static str]);

    /// The moment that a text is, NULL where it is none; as [`Dialect::number_of_text`](super::Dialect).
    fn moment_of_text(&self) -> (&'static str, &'static [&'static str]);

    /// The elements of an array inside a document, each as [`Dialect::element`](super::Dialect): a source of rows, none where
    /// there is no array.
    fn elements(&self) -> &'static [ExtractionPart];

    /// One of [`Dialect::elements`](super::Dialect), in the place of the column of [`Dialect::extraction`](super::Dialect); NULL for what is
    /// no object.
    fn element(&self) -> &'static str;

    /// The value at a path inside a JSON column: the SQL text before the column, between it and the path,
    /// and after.
    fn json_at(&self) -> [&'static str; 3] {
        ["JSON_QUERY(", ", ", ")"]
    }

    /// The path for [`Dialect::json_at`](super::Dialect). A step leads to a member of an object and nowhere else.
    fn json_path(&self, path: &[String]) -> String {
        jsonpath::to(path)
    }

    /// The terms that order values inside JSON, each as the pieces between which the value is written:
    /// `false`, `true`, numbers by value, strings by code point, then arrays and objects. What is missing
    /// or `null` is NULL in all of them.
    fn json_order(&self) -> &'static [&'static [&'static str]];
}
