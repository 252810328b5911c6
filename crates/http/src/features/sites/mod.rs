//! Features of the server that belong to no resource.

pub(super) mod admin;
pub(super) mod agents;
pub(super) mod console;
pub(super) mod health;
pub(super) mod login;
pub(super) mod metrics;
pub(super) mod preflight;
pub(super) mod problems;
pub(super) mod root;
pub(super) mod tenants;
pub(super) mod token;
