//! Who may do and learn what.

mod console_keys;
mod cors;
mod grants;
mod injection;
pub(crate) mod issuer;
mod oauth;
mod oracles;
mod privileges;
mod roles;
mod secrecy;
