//! The applications of a process: their services and tenants, the clients that may use them, and who acts.

pub(crate) mod applications;
pub mod auth;
pub(crate) mod clients;
pub(crate) mod context;
pub mod issuer;
pub(crate) mod key_table;
pub(crate) mod own_statements;
pub(crate) mod request_frame;
pub(crate) mod routes;
pub(crate) mod schema_history;
pub(crate) mod service;
pub mod tenants;
