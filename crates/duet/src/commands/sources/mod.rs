//! What commands work on: applications, their databases and their data.

pub(super) mod application_data;
pub(super) mod applications;
pub(super) mod data_set;
pub(super) mod database;
pub(super) mod demo_folder;
pub(super) mod hosting;
pub(super) mod provision;
pub(super) mod server_role;
pub(super) mod table_scripts;
pub(super) mod tenants;
pub(super) mod webhooks;
pub(super) mod worker_fit;
