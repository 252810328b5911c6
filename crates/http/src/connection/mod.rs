//! Connections: the protocols HTTP/1 and HTTP/2, with limits on what their clients send and how slowly.

pub(crate) mod arrivals;
pub(crate) mod framing;
pub(crate) mod handshake_socket;
pub(crate) mod head_timer;
pub(crate) mod http1;
pub(crate) mod http2;
pub(crate) mod last_bytes;
pub(crate) mod preface;
pub(crate) mod wire;
pub(crate) mod write_timer;
