//! What a connection string, its files and its environment say: parameters as texts, and where each comes from.

pub(crate) mod parameters;
pub(crate) mod pgpass;
pub(crate) mod secret;
pub(crate) mod service_file;
pub(crate) mod url;
pub(crate) mod values;
