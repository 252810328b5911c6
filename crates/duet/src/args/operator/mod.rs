//! The command line of commands to a running server.

mod admin_server;
mod any_server;
mod changes;
mod mcp;
mod rowstore;
mod status;
mod token;
mod types;

pub(crate) use admin_server::AdminServer;
pub(crate) use any_server::AnyServer;
pub(crate) use changes::Changes;
pub(crate) use mcp::Mcp;
pub(crate) use rowstore::{Rowstore, RowstoreAction};
pub(crate) use status::Status;
pub(crate) use token::Token;
pub(crate) use types::Types;
