//! What has arrived on a connection, so that a stop cuts off no request that has begun to arrive.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use duet_model::Error;

use super::origin_scan::OriginScan;

/// How often a stop looks whether more has arrived.
const GLANCE: Duration = Duration::from_millis(5);
/// How long a stop keeps a connection without any request yet, or with one that was answered so short a time
/// before: its client is about to send one.
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
    /// Where the page that sends the request is from.
    pub(super) origin: RefCell<OriginScan>,
}

impl Arrivals {
    /// Waits until closing the connection cuts off no request that has begun to arrive, or is about
    /// to. hyper closes it when a head takes too long. `idle_since`: when the last one was answered.
    pub(crate) async fn rest(&self, idle_since: Option<Instant>) {
        let begun = Instant::now();
        let is_idle = idle_since.is_some_and(|since| begun.duration_since(since) >= FIRST_REQUEST);
        let is_in_use = self.requests.get() == 0 || !is_idle;
        loop {
            // What has arrived at the socket meanwhile is read first.
            tokio::time::sleep(GLANCE).await;
            let is_awaited = is_in_use && begun.elapsed() < FIRST_REQUEST;
            if !self.has_begun.get() && !is_awaited {
                return;
            }
        }
    }
}
