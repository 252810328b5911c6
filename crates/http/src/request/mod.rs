//! What is known of a request before its resource: head, body, caller, tenant, path and rights.

pub(crate) mod arrived;
pub(crate) mod authenticated;
pub(crate) mod body;
pub(crate) mod body_lease;
mod class;
pub(crate) mod credential;
pub(crate) mod declared_login;
pub(crate) mod designed;
pub(crate) mod duet_position;
pub(crate) mod linked;
pub(crate) mod principal;
pub(crate) mod repeated;
pub(crate) mod request_timeout;
pub(crate) mod routed;
pub(crate) mod scope;
pub(crate) mod site;
pub(crate) mod table_path;
pub(crate) mod tenant;
