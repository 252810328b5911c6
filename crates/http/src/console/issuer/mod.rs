//! People of an issuer: their sign-in, and how their sessions go on.

pub(super) mod login;
pub(super) mod renewal;
mod tokens;
