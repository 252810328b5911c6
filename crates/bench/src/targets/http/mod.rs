//! The load generator's HTTP/1.1 client: sequential requests on a persistent connection.
//!
//! It has its own client, to cost no more than the fastest generators do: requests are written from
//! one buffer, responses are read into another, and neither allocates.

mod address;
mod connection;
mod gzip;
mod response;
mod tls;

pub use address::{Address, Url};
pub use connection::Connection;
pub use response::{Length, Response};
pub use tls::Trust;
