//! A subscription: its place in the log of its query.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::counts::LiveCounts;
use super::event::EndReason;
use super::interests::GroupId;
use super::log::{EventLog, LogRead};
use super::message::Message;

/// A subscription that has begun: what is sent first, and what gives the rest.
#[derive(Debug)]
pub struct LiveStart {
    /// The first events: those of the state, unless the subscriber goes on where it was.
    pub first: Vec<u8>,
    /// The events behind them.
    pub subscription: LiveSubscription,
}

/// What a subscription gives next.
#[derive(Debug)]
pub enum LiveChunk {
    /// Whole events.
    Text(Vec<u8>),
    /// Nothing more.
    End(EndReason),
}

/// A place in the log of a query. Dropping it ends the subscription.
#[derive(Debug)]
pub struct LiveSubscription {
    log: Arc<EventLog>,
    moved: watch::Receiver<()>,
    /// The number of the last event that it has given.
    number: u64,
    seat: QuerySeat,
}

/// Counts a subscriber of a query until it is dropped.
#[derive(Debug)]
pub(crate) struct QuerySeat {
    inbox: mpsc::UnboundedSender<Message>,
    group: GroupId,
    counts: Arc<LiveCounts>,
}

impl QuerySeat {
    pub(crate) fn new(
        inbox: mpsc::UnboundedSender<Message>,
        group: GroupId,
        counts: &Arc<LiveCounts>,
    ) -> Self {
        counts.subscriptions.add(1);
        counts.opened_total.add(1);
        Self { inbox, group, counts: Arc::clone(counts) }
    }
}

impl Drop for QuerySeat {
    fn drop(&mut self) {
        self.counts.subscriptions.sub(1);
        // A topic that has ended counts nobody.
        let _ = self.inbox.send(Message::Leave(self.group));
    }
}

impl LiveSubscription {
    pub(crate) fn new(log: Arc<EventLog>, number: u64, seat: QuerySeat) -> Self {
        let moved = log.watch();
        Self { log, moved, number, seat }
    }

    /// Waits for the next events. It may be cancelled: nothing is lost.
    pub async fn next(&mut self) -> LiveChunk {
        loop {
            self.moved.borrow_and_update();
            match self.log.after(self.number) {
                LogRead::Events(text, last) => {
                    self.number = last;
                    return LiveChunk::Text(text);
                }
                LogRead::Ended(reason) => return LiveChunk::End(reason),
                LogRead::Behind => {
                    self.seat.counts.slow_total.add(1);
                    return LiveChunk::End(EndReason::Slow);
                }
                LogRead::Nothing => {
                    if self.moved.changed().await.is_err() {
                        return LiveChunk::End(EndReason::Stopping);
                    }
                }
            }
        }
    }
}
