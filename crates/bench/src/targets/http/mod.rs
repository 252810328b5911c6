//! The load generator's HTTP client: sequential requests on a persistent connection of HTTP/1.1, or on a stream of HTTP/2.
//!
//! It has its own client, to cost no more than the fastest generators do: requests are written from
//! one buffer, responses are read into another, and neither allocates.

mod address;
mod body_stream;
mod coding;
mod connection;
mod dial;
mod http2;
mod response;
mod route;
#[cfg(test)]
mod tests;
mod tls;

pub use address::{Address, Url};
pub use body_stream::BodyStream;
pub use connection::HttpConnection;
pub use response::{Length, Response};
pub(crate) use route::PROXY_LOGIN;
pub use route::{Route, Trust, proxy};
