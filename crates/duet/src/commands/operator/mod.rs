//! Commands to a running server, as its operator.

mod admin;
pub(super) mod changes;
mod changes_view;
mod found_server;
pub(super) mod mcp;
mod own_server;
pub(super) mod rowstore;
pub(super) mod status;
pub(super) mod token;
pub(super) mod types;
mod typescript;
pub(super) mod webhook;
