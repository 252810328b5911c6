//! The `q` filter grammar: JSON text to an expression.
