//! Values of every type, to the edges of each.

mod broken_texts;
mod edges;
mod infinities;
mod matrix;
mod operands;
mod untyped;
mod words;
