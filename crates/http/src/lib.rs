//! HTTP: routes, replies, catalogs, metrics. The only crate that names hyper.
//!
//! [`start`] opens the listeners and starts the workers: threads with a single-threaded runtime
//! each. `handle.rs` shows the way of a request, top to bottom.

mod accept;
mod access_log;
mod admin;
mod array;
mod arrivals;
mod batchload;
mod body;
mod catalog;
mod connection;
mod connection_table;
mod constant;
mod cors;
mod database_health;
pub mod describe;
mod descriptions;
mod forwarded;
mod framing;
mod handle;
mod header;
mod held;
mod index;
mod jwks;
mod link;
mod methods;
mod metrics;
mod offload;
mod options;
mod origin;
mod parse;
mod plan;
mod prefer;
mod principal;
mod problem;
mod queue_metrics;
mod refusal;
mod reload;
mod remote;
mod reply;
mod routine;
mod search;
mod server;
mod stream;
mod subpath;
mod tls;
mod token;
mod transaction;
mod wire;
mod worker;
mod write;

pub use cors::CorsOptions;
pub use forwarded::ProxyHeaders;
pub use jwks::check_keys_url;
pub use options::{AccessLog, HttpLimits, Listen, ServeOptions};
pub use reload::Reloads;
pub use server::{Server, start};
pub use tls::TlsFiles;
