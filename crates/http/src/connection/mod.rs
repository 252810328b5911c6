//! Connections: the protocols HTTP/1 and HTTP/2, with limits on what their clients send and how slowly.

mod arrivals;
mod framing;
mod handshake_socket;
mod head_timer;
pub(crate) mod http1;
mod http2;
mod last_bytes;
mod origin_scan;
mod preface;
mod wire;
mod write_timer;
