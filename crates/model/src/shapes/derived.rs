//! Columns whose value is computed from the document when a row is written.

use duet_text::JsonStep;

use crate::expressions::expr::Arithmetic;
use crate::expressions::reference::NodeId;
use crate::values::value::Value;

/// Whether the value of a column is computed when its row is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberOrigin {
    /// The document gives it.
    #[default]
    Given,
    /// It is computed where the document lacks the member.
    IfMissing,
    /// It is always computed, and no body may give it.
    Always,
}

/// A column that is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedColumn {
    /// Its position in the table.
    pub column: usize,
    /// The path as it was written.
    pub path: String,
    /// What it is computed from.
    pub value: DerivedValue,
}

/// A value that is computed from the members of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum DerivedValue {
    /// A number, in decimal digits.
    Number(String),
    /// A text.
    Text(String),
    /// The value that a column of the row will have, or one inside its JSON.
    Column {
        /// Its position in the table.
        column: usize,
        /// What the database puts where the document gives nothing.
        default: Value,
        /// The steps inside JSON.
        inside: Vec<JsonStep>,
    },
    /// The number of rows of a node directly below.
    Rows(NodeId),
    /// A number with the other sign.
    Negate(Box<DerivedValue>),
    /// A calculation with two numbers.
    Arithmetic(Arithmetic, Box<DerivedValue>, Box<DerivedValue>),
    /// What a method makes of a value.
    Method(DerivedMethod, Box<DerivedValue>),
}

/// A method of a computed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivedMethod {
    /// A number without its sign.
    Abs,
    /// The least whole number that is not below.
    Ceiling,
    /// The greatest whole number that is not above.
    Floor,
    /// The characters of a text.
    Length,
    /// A text in lower case.
    Lower,
    /// A text as a number; NULL where it is none.
    Number,
    /// A number as text.
    Text,
    /// A text in upper case.
    Upper,
}
