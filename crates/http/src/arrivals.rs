//! What has arrived on a connection, so that a stop cuts off no request that has begun to arrive.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use duet_model::Error;

/// How often a stop looks whether more has arrived.
const GLANCE: Duration = Duration::from_millis(5);
/// How long a connection without any request yet is kept by a stop: its client is about to send one.
pub(crate) const FIRST_REQUEST: Duration = Duration::from_millis(500);

/// What has arrived on a connection.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// Requests that hyper has read the head of.
    pub(crate) requests: Cell<u64>,
    /// Those of them that have a body.
    pub(crate) bodies: Cell<u64>,
    /// Whether bytes have come since, which are those of a body or of a next request.
    pub(crate) has_begun: Cell<bool>,
    /// The first bytes of a client that speaks HTTP/2.
    pub(crate) http2: RefCell<Option<Vec<u8>>>,
    /// Why no more is read.
    pub(crate) refused: RefCell<Option<Error>>,
}

impl Arrivals {
    /// Waits until closing the connection cuts off no request that has begun to arrive, or is about
    /// to. hyper closes it when a head takes too long.
    pub(crate) async fn rest(&self) {
        let begun = Instant::now();
        loop {
            // What has arrived at the socket meanwhile is read first.
            tokio::time::sleep(GLANCE).await;
            let is_new = self.requests.get() == 0 && begun.elapsed() < FIRST_REQUEST;
            if !self.has_begun.get() && !is_new {
                return;
            }
        }
    }
}
