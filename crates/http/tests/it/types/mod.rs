//! Values of every type, to the edges of each.

pub(crate) mod broken_texts;
pub(crate) mod edges;
pub(crate) mod infinities;
pub(crate) mod matrix;
pub(crate) mod operands;
pub(crate) mod untyped;
