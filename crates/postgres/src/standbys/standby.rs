//! One standby, as all workers of the process know it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use duet_client::connect::Settings;
use duet_model::{Code, Error, Result};
use duet_store::position::Position;
use duet_store::standbys::StandbyReport;
use tokio::sync::watch;

use crate::connection::stop::unavailable;
use crate::standbys::progress::Progress;

/// A standby. `D` is what reads from it.
#[derive(Debug)]
pub(crate) struct Standby<D> {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    /// The number that links of pages know it by.
    pub(crate) mark: u32,
    /// What reads from it, once it could be reached.
    pub(crate) opened: OnceLock<Arc<D>>,
    pub(crate) progress: Arc<Progress>,
    state: Mutex<State>,
    /// Changes when whatever was asked of it can be given up.
    left: watch::Sender<()>,
    pub(crate) reads: AtomicU64,
    pub(crate) repeated: AtomicU64,
    pub(crate) beats: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    reason: Option<String>,
    /// Everything that was committed before this moment is replayed.
    as_of: Option<Instant>,
    lag_bytes: u64,
}

/// What a beat has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replayed {
    pub(crate) position: Position,
    /// The moment of which everything is replayed, as far as the primary's positions say.
    pub(crate) as_of: Option<Instant>,
    /// Where the primary was.
    pub(crate) primary: Option<Position>,
}

impl<D> Standby<D> {
    /// One that was not reached yet.
    pub(crate) fn new(settings: Settings) -> Self {
        let state =
            State { reason: Some("It was not reached yet.".to_owned()), ..State::default() };
        Self {
            mark: mark(&settings.server()),
            name: settings.describe(),
            settings,
            opened: OnceLock::new(),
            progress: Arc::default(),
            state: Mutex::new(state),
            left: watch::Sender::new(()),
            reads: AtomicU64::new(0),
            repeated: AtomicU64::new(0),
            beats: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a beat has found, and whether reads may go to it from now on.
    pub(crate) fn observe(&self, found: Replayed, max_lag: Duration) {
        let mut state = self.lock();
        if self.progress.note(found.position) {
            state.as_of = None;
        }
        state.as_of = state.as_of.max(found.as_of);
        let primary = found.primary.unwrap_or_default();
        state.lag_bytes = primary.byte.saturating_sub(found.position.byte);
        let reason = match (found.primary, state.as_of) {
            (None, _) => Some("The primary's position is not known.".to_owned()),
            (Some(primary), _) if primary.timeline != found.position.timeline => Some(format!(
                "It follows timeline {}, and the primary is on {}.",
                found.position.timeline, primary.timeline
            )),
            (_, None) => Some("It has not caught up with the primary yet.".to_owned()),
            (_, Some(as_of)) if as_of.elapsed() > max_lag => {
                Some(format!("It lags by more than `max_lag` ({} ms).", max_lag.as_millis()))
            }
            _ => None,
        };
        self.progress.set_used(reason.is_none());
        self.note(&mut state, reason);
    }

    /// No read goes to it, and those that wait for it need not any longer.
    pub(crate) fn leave(&self, reason: String) {
        self.progress.set_used(false);
        self.note(&mut self.lock(), Some(reason));
        self.left.send_replace(());
    }

    fn note(&self, state: &mut State, reason: Option<String>) {
        if state.reason == reason {
            return;
        }
        match &reason {
            Some(reason) => tracing::warn!(standby = self.name, reason, "no reads go to a standby"),
            None => tracing::info!(standby = self.name, "reads go to a standby"),
        }
        state.reason = reason;
    }

    /// Waits for an answer, as long as the standby is there.
    pub(crate) async fn until_left<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let mut left = self.left.subscribe();
        tokio::select! {
            biased;
            answer = work => answer,
            _ = left.changed() => Err(unavailable("the standby has left")),
        }
    }

    /// What is known of it.
    pub(crate) fn report(&self) -> StandbyReport {
        let state = self.lock();
        StandbyReport {
            name: self.name.clone(),
            mark: self.mark,
            reason: state.reason.clone(),
            lag: state.as_of.map(|as_of| as_of.elapsed()),
            lag_bytes: state.lag_bytes,
            reads: self.reads.load(Ordering::Relaxed),
            repeated: self.repeated.load(Ordering::Relaxed),
            beats: self.beats.load(Ordering::Relaxed),
        }
    }
}

/// Whether the primary may answer where a standby gave this error: it is gone, has ended the read for what it replays,
/// or does not have yet what the statement needs.
pub(crate) fn is_of_standby(error: &Error) -> bool {
    matches!(
        error.code,
        Code::DatabaseUnavailable
            | Code::DatabaseLocked
            | Code::WriteConflict
            | Code::DatabaseReadOnly
            | Code::SchemaChanged
            | Code::DatabaseDenied
            | Code::RoleUnusable
            | Code::NotPopulated
            | Code::FunctionBroken
            // Tables that are not logged cannot be read there, and the server has no other code for that.
            | Code::Internal
    )
}

/// A number for a name that all processes compute alike (FNV-1a).
fn mark(name: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811C_9DC5, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standby() -> Standby<()> {
        Standby::new(Settings::from_url("postgres://u@b:5432/shop", &|_| None).unwrap())
    }

    fn found(byte: u64, as_of: Option<Instant>) -> Replayed {
        let position = Position { timeline: 1, byte };
        Replayed { position, as_of, primary: Some(Position { timeline: 1, byte: 100 }) }
    }

    #[test]
    fn it_is_used_while_it_keeps_up() {
        let (standby, lag) = (standby(), Duration::from_secs(60));
        let now = Instant::now();
        assert!(!standby.progress.is_used());
        standby.observe(found(40, None), lag);
        assert!(!standby.progress.is_used(), "it has not caught up yet");
        assert_eq!(standby.report().lag, None);
        standby.observe(found(100, Some(now)), lag);
        assert!(standby.progress.is_used());
        assert_eq!((standby.report().reason, standby.report().lag_bytes), (None, 0));
        standby.observe(found(100, Some(now)), Duration::ZERO);
        assert!(!standby.progress.is_used(), "it lags");
        standby.observe(found(100, Some(now)), lag);
        assert!(standby.progress.is_used(), "it is back");
        standby.leave("gone".to_owned());
        assert_eq!(standby.report().reason.as_deref(), Some("gone"));
    }

    #[test]
    fn one_that_replays_again_is_left() {
        let (standby, lag) = (standby(), Duration::from_secs(60));
        standby.observe(found(100, Some(Instant::now())), lag);
        assert!(standby.progress.check_connection(100).is_ok());
        assert!(standby.progress.check_connection(99).is_err());
        assert!(!standby.progress.is_used());
        standby.observe(found(60, None), lag);
        assert!(!standby.progress.is_used());
        assert_eq!(standby.progress.replayed().byte, 60);
    }

    #[test]
    fn one_on_another_timeline_is_left() {
        let standby = standby();
        let primary = Some(Position { timeline: 2, byte: 90 });
        let found = Replayed { primary, ..found(100, Some(Instant::now())) };
        standby.observe(found, Duration::from_secs(60));
        assert!(standby.report().reason.unwrap().contains("follows timeline 1"));
    }

    #[test]
    fn marks_differ() {
        assert_ne!(mark("a:5432"), mark("b:5432"));
        assert_eq!(mark(""), 0x811C_9DC5);
    }
}
