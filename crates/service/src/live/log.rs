//! The last events of one query, which its subscribers read, each at its own pace. It is bounded by bytes: the oldest
//! events go, and a subscriber that has not read them yet is behind.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::counts::LiveCounts;
use super::event::{self, EndReason, EventId};

/// Bytes of a log that a subscriber takes at once, unless one event has more.
const AT_ONCE: usize = 64 << 10;

/// How many bytes all logs have, and may have.
#[derive(Debug)]
pub(crate) struct LogRoom {
    pub(crate) counts: Arc<LiveCounts>,
    most: AtomicU64,
}

impl LogRoom {
    pub(crate) fn new(counts: Arc<LiveCounts>) -> Self {
        Self { counts, most: AtomicU64::new(u64::MAX) }
    }

    /// Sets how many there may be.
    pub(crate) fn bound(&self, most: u64) {
        self.most.store(most, Ordering::Relaxed);
    }

    fn is_full(&self) -> bool {
        self.counts.log_bytes.get() > self.most.load(Ordering::Relaxed)
    }
}

/// The last events of a query.
#[derive(Debug)]
pub(crate) struct EventLog {
    number: u64,
    room: Arc<LogRoom>,
    most: usize,
    state: Mutex<LogState>,
    moved: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct LogState {
    /// How many events came before the first one that is kept.
    dropped: u64,
    events: VecDeque<Box<[u8]>>,
    bytes: usize,
    ended: Option<EndReason>,
}

/// What a subscriber finds in a log.
#[derive(Debug)]
pub(crate) enum LogRead {
    /// Events, and the number of the last one.
    Events(Vec<u8>, u64),
    /// Nothing new.
    Nothing,
    /// The next event is no longer kept.
    Behind,
    /// There will be no more.
    Ended(EndReason),
}

impl EventLog {
    /// An empty log with this number, which no other log has.
    pub(crate) fn new(number: u64, room: Arc<LogRoom>, most: usize) -> Self {
        let (state, moved) = (Mutex::default(), watch::Sender::new(()));
        Self { number, room, most, state, moved }
    }

    fn state(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event.
    pub(crate) fn push(&self, name: &str, data: &[u8]) {
        let mut state = self.state();
        let number = state.dropped + state.events.len() as u64 + 1;
        let mut text = Vec::with_capacity(data.len() + 64);
        event::write(&mut text, Some(EventId { log: self.number, number }), name, data);
        state.bytes += text.len();
        self.room.counts.log_bytes.add(text.len() as u64);
        state.events.push_back(text.into_boxed_slice());
        // The newest event stays, whatever its size: who reads in time misses nothing.
        while state.events.len() > 1 && (state.bytes > self.most || self.room.is_full()) {
            let oldest = state.events.pop_front().map_or(0, |text| text.len());
            state.dropped += 1;
            state.bytes -= oldest;
            self.room.counts.log_bytes.sub(oldest as u64);
        }
    }

    /// Wakes the subscribers: after the events of one evaluation.
    pub(crate) fn wake(&self) {
        self.moved.send_replace(());
    }

    /// Ends it. The events before the end are still read.
    pub(crate) fn end(&self, reason: &EndReason) {
        self.state().ended.get_or_insert_with(|| reason.clone());
        self.wake();
    }

    /// The id of the last event.
    pub(crate) fn last(&self) -> EventId {
        let state = self.state();
        EventId { log: self.number, number: state.dropped + state.events.len() as u64 }
    }

    /// Whether the events behind this one are still kept.
    pub(crate) fn has_after(&self, id: EventId) -> bool {
        let state = self.state();
        let last = state.dropped + state.events.len() as u64;
        id.log == self.number && (state.dropped..=last).contains(&id.number)
    }

    /// The events behind that of this number.
    pub(crate) fn after(&self, number: u64) -> LogRead {
        let state = self.state();
        let Some(place) = number.checked_sub(state.dropped) else { return LogRead::Behind };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let mut text = Vec::new();
        let mut last = number;
        for event in state.events.range(place.min(state.events.len())..) {
            if !text.is_empty() && text.len() + event.len() > AT_ONCE {
                break;
            }
            text.extend_from_slice(event);
            last += 1;
        }
        match (text.is_empty(), &state.ended) {
            (false, _) => LogRead::Events(text, last),
            (true, Some(reason)) => LogRead::Ended(reason.clone()),
            (true, None) => LogRead::Nothing,
        }
    }

    /// Says when there is something new.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.moved.subscribe()
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        let bytes = self.state().bytes as u64;
        self.room.counts.log_bytes.sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(most: usize) -> EventLog {
        EventLog::new(10, Arc::new(LogRoom::new(Arc::default())), most)
    }

    fn texts(log: &EventLog, number: u64) -> (usize, u64) {
        match log.after(number) {
            LogRead::Events(text, last) => {
                (text.windows(6).filter(|it| *it == b"event:").count(), last)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_log_is_bounded_and_says_who_is_behind() {
        let log = log(300);
        assert!(matches!(log.after(0), LogRead::Nothing));
        for _ in 0..100 {
            log.push("left", &[b'x'; 50]);
        }
        assert!(log.room.counts.log_bytes.get() <= 300);
        assert_eq!(log.last(), EventId { log: 10, number: 100 });
        assert!(matches!(log.after(0), LogRead::Behind));
        assert!(!log.has_after(EventId { log: 10, number: 50 }));
        assert!(log.has_after(EventId { log: 10, number: 99 }));
        assert!(!log.has_after(EventId { log: 11, number: 99 }), "another log");
        assert!(!log.has_after(EventId { log: 10, number: 101 }), "the future");
        assert_eq!(texts(&log, 98), (2, 100));
        assert!(matches!(log.after(100), LogRead::Nothing));
        log.end(&EndReason::Slow);
        assert_eq!(texts(&log, 99), (1, 100), "what was sent before the end is still read");
        assert!(matches!(log.after(100), LogRead::Ended(EndReason::Slow)));
        let room = Arc::clone(&log.room);
        drop(log);
        assert_eq!(room.counts.log_bytes.get(), 0);
    }

    #[test]
    fn all_logs_together_are_bounded() {
        let room = Arc::new(LogRoom::new(Arc::default()));
        room.bound(1_000);
        let logs: Vec<_> =
            (0..10).map(|number| EventLog::new(number, Arc::clone(&room), 1 << 20)).collect();
        for _ in 0..20 {
            logs.iter().for_each(|log| log.push("left", &[b'x'; 50]));
        }
        // One event of each stays.
        assert!(room.counts.log_bytes.get() <= 1_000 + 10 * 100, "{}", room.counts.log_bytes.get());
    }
}
