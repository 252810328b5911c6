//! HTTP/1.1 as a load generator speaks it: one request after the other on a connection that is kept.
//!
//! Its own client, for it must cost no more than the fastest generators do: requests are written from
//! one buffer, answers are read into another, and nothing is allocated for either.

mod address;
mod connection;
mod gzip;
mod response;
mod tls;

pub use address::{Address, Url};
pub use connection::Connection;
pub use response::{Length, Response};
pub use tls::Trust;
