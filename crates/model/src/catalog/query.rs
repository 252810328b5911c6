//! Statements of a service as data: the text of a file with placeholders for parameters.

use crate::values::types::Type;

/// A SQL statement with named parameters, read from a file of the application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceQuery {
    /// The statement in order, without a semicolon at its end.
    pub pieces: Vec<Piece>,
    /// The parameters of the service. Values are given in this order.
    pub parameters: Vec<QueryParameter>,
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// SQL text.
    Text {
        /// The text.
        text: String,
        /// Its position in the file, in bytes.
        at: usize,
    },
    /// The value of a parameter.
    Parameter {
        /// Its position among the parameters of the service.
        index: usize,
        /// Its position in the file, in bytes.
        at: usize,
    },
}

/// A parameter of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryParameter {
    /// Its name, without the colon.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The type as PostgreSQL calls it.
    pub declared: String,
}

impl ServiceQuery {
    /// Whether it needs values.
    pub fn has_parameters(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Parameter { .. }))
    }
}
