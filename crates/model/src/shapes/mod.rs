//! Shapes: trees of tables that describe a JSON document, and what is derived from them.

mod aggregate;
pub(crate) mod array_path;
pub(crate) mod derived;
pub mod groups;
pub mod joined_rows;
pub mod promise;
pub mod shape;
pub mod unchecked;
pub mod view_notice;
pub mod view_rule;
