//! Profiles: the forms of other programs, for their clients.

pub(crate) mod ords;
pub(crate) mod rmb;
