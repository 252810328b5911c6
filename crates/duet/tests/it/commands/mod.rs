//! Commands that end: what they print, write and change.

mod advise;
mod api_key;
mod changes;
mod check;
pub(crate) mod client;
mod copy;
mod explain;
mod help;
mod import_rmb;
mod infer;
mod infer_against;
mod init;
mod links;
mod load;
mod mcp;
mod migrate;
mod prepare;
mod rowstore;
mod shell;
mod token;
mod types;
mod wrong;
