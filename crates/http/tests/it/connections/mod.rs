//! Connections and protocols: who may connect, what is taken, and what is refused.

mod addresses;
mod crowd;
mod fuzz;
mod headers;
mod http2;
mod limits;
mod protocol;
mod proxies;
mod smuggling;
mod strangers;
mod tls;
