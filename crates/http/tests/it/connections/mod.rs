//! Connections and protocols: who may connect, what is taken, and what is refused.

pub(crate) mod addresses;
pub(crate) mod crowd;
pub(crate) mod fuzz;
pub(crate) mod headers;
pub(crate) mod http2;
pub(crate) mod limits;
pub(crate) mod protocol;
pub(crate) mod proxies;
pub(crate) mod smuggling;
pub(crate) mod strangers;
pub(crate) mod tls;
