//! The state of a journal that the thread which writes shares with others.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::disk::Disk;
use crate::error::Failure;
use crate::format::HEADER;
use crate::manifest::Manifest;
use crate::options::Options;
use crate::published::DurableMark;
use crate::segments::Segment;

/// What the thread that writes shares with others.
pub(crate) struct WriterState {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) options: Options,
    pub(crate) state: Mutex<State>,
    pub(crate) manifest: Mutex<Manifest>,
    /// Bytes of records that wait to be written.
    pub(crate) queued: AtomicU64,
    /// New sequence ids are greater.
    pub(crate) floor: AtomicU64,
    /// The last sequence id that was acknowledged.
    pub(crate) given: AtomicU64,
    pub(crate) taken_over: AtomicBool,
    /// Whether it publishes nothing any more.
    pub(crate) withdrawn: AtomicBool,
    pub(crate) syncs: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) refused: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct State {
    /// In the order of their records; the last may be written.
    pub(crate) segments: Vec<Segment>,
    /// The last durable sequence id.
    pub(crate) durable: u64,
    /// The last sequence id that is applied.
    pub(crate) applied: u64,
}

impl WriterState {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_durable(&self) {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        if let Some(notify) = &self.options.notify {
            let durable = self.lock().durable;
            notify(durable);
        }
    }

    pub(crate) fn failed(&self, _: &Failure) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn is_taken_over(&self) -> bool {
        self.taken_over.load(Ordering::Acquire)
    }

    pub(crate) fn taken_over(&self) -> Failure {
        self.taken_over.store(true, Ordering::Release);
        Failure::TakenOver
    }

    pub(crate) fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn publish(&self, published: DurableMark) {
        if !self.withdrawn.load(Ordering::Acquire) {
            self.disk.publish(published);
        }
    }

    /// All segments and the last durable sequence id, where each of their records is applied. Then the newest
    /// alone is left, with its header.
    pub(crate) fn all_applied(&self) -> Option<(Vec<Segment>, u64)> {
        let mut state = self.lock();
        if state.durable > state.applied || state.segments.is_empty() {
            return None;
        }
        let all = state.segments.clone();
        state.segments.drain(..all.len() - 1);
        if let Some(newest) = state.segments.last_mut() {
            newest.length = HEADER as u64;
        }
        Some((all, state.durable))
    }

    /// Bytes of segments with records that are not applied.
    pub(crate) fn unapplied(&self) -> u64 {
        let state = self.lock();
        let segments = state.segments.iter().filter(|segment| segment.last > state.applied);
        segments.map(|segment| segment.length).sum()
    }
}
