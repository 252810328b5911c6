//! Tenants: the command that makes them, and the place of one that another command works on.

pub(super) mod place;
pub(super) mod tenant;
