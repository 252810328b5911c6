//! Commands that end: what they print, write and change.

pub(crate) mod advise;
pub(crate) mod client;
pub(crate) mod explain;
pub(crate) mod help;
pub(crate) mod infer;
pub(crate) mod init;
pub(crate) mod load;
pub(crate) mod migrate;
pub(crate) mod rowstore;
pub(crate) mod shell;
pub(crate) mod token;
pub(crate) mod wrong;
