//! Who may do and learn what.

pub(crate) mod cors;
pub(crate) mod grants;
pub(crate) mod injection;
pub(crate) mod issuer;
pub(crate) mod oauth;
pub(crate) mod oracles;
pub(crate) mod privileges;
pub(crate) mod roles;
pub(crate) mod secrecy;
