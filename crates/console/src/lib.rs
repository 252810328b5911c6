//! The console: pages by which people see and edit the data that is served, and the manual.
//!
//! A page is made on the server from what the public API has answered to the same caller, so it shows nothing that the
//! API would not give, and it works without scripts; a small script adds what only a browser can do. This crate makes
//! text of values: it knows neither HTTP nor stores. Whatever comes from the data is escaped by the templates.
//!
//! ```
//! use duet_console::page::Frame;
//! use duet_console::sign_in::SignIn;
//!
//! let page = SignIn { frame: Frame::stranger("/console"), id: "", problem: Some("<b>"), next: "", issuer: None };
//! let html = page.html();
//! assert!(html.contains("&#60;b&#62;") && html.contains("action=\"/console/sign-in\""));
//! ```

pub mod address;
pub mod api;
pub mod asset;
pub mod cell;
pub mod changes;
mod cql;
pub mod design;
pub mod explain;
pub mod filter;
pub mod grid;
pub mod import;
pub mod item;
pub mod json_tree;
pub mod manual;
pub mod measure;
pub mod operate;
pub mod page;
pub mod sign_in;
pub mod snippet;
pub mod tree;
