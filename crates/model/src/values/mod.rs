//! Values and their types, the same for every store.

pub mod pair;
pub mod pair_value;
pub mod point;
pub mod range;
pub mod temporal;
pub mod text_form;
pub mod types;
pub mod value;
