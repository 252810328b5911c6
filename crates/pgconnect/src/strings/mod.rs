//! What a connection string, its files and its environment say: parameters as texts, and where each comes from.

mod parameters;
pub(crate) mod pgpass;
pub(crate) mod secret;
mod service_file;
pub(crate) mod url;
pub(crate) mod values;
