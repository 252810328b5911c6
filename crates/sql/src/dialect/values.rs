//! Names, placeholders, constants, and the types of what is selected.

use crate::parts::affixes::Affixes;
use duet_model::{Type, Value};
use duet_text::numeric_digits::NumericDigits;

/// Names, placeholders, constants, and the types of what is selected.
pub trait ValueSyntax {
    /// A quoted identifier with any content: `"na""me"`.
    fn identifier(&self, name: &str, out: &mut String) {
        out.push('"');
        for char in name.chars() {
            if char == '"' {
                out.push('"');
            }
            out.push(char);
        }
        out.push('"');
    }

    /// The placeholder of a value that is compared with a column of this type.
    fn placeholder(&self, number: usize, _ty: &Type, _declared: &str, out: &mut String) {
        self.bare_placeholder(number, out);
    }

    /// The placeholder of a value whose type follows from its context.
    fn bare_placeholder(&self, number: usize, out: &mut String);

    /// A value of a type as it is written in a statement; `None` for a text in quotes.
    fn constant(&self, _value: &Value, _ty: &Type) -> Option<String> {
        None
    }

    /// The literal of a truth value.
    fn truth(&self, value: bool) -> &'static str {
        if value { "TRUE" } else { "FALSE" }
    }

    /// What an update sets a column to that shall have its default, given as the catalog has it.
    fn default_of(&self, _default: Option<&str>, out: &mut String) {
        out.push_str("DEFAULT");
    }

    /// The digits that an assignment to a column rounds to and checks by the function `duet_numeric`; `None` where the
    /// engine does so itself, and where none are declared.
    fn checked_digits(&self, _ty: &Type, _declared: &str) -> Option<NumericDigits> {
        None
    }

    /// The SQL text around a selected column that converts it to a format the writer supports.
    fn selected(&self, _ty: &Type) -> Affixes {
        Affixes::NONE
    }

    /// The type of a NULL in the same position as a column of this type in a `UNION ALL`; `None` if it
    /// is not certain.
    fn null_type(&self, _ty: &Type, _declared: &str) -> Option<String> {
        None
    }

    /// Appends the cast from text to this type, without the declared length: the assignment checks the
    /// length, while a cast would truncate.
    fn cast_from_text(&self, _ty: &Type, _declared: &str, _out: &mut String) {}

    /// Whether the types of a statement's columns are known, so that values have no other.
    fn knows_result_types(&self) -> bool {
        false
    }

    /// The SQL text around a generated member of this type that gives it the same digits on all engines.
    fn generated(&self, _ty: &Type) -> Affixes {
        Affixes::NONE
    }

    /// The expression for the snapshot of the read.
    fn as_of(&self) -> &'static str {
        "NULL"
    }
}
