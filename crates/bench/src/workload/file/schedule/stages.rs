//! When the users of groups run: setup groups one after the other, those of the load together or one after the other,
//! teardown groups one after the other and however the load ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::super::definition::When;

/// The longest time until a user notices that the run was stopped.
const LOOK: Duration = Duration::from_millis(100);

/// The stages of a process.
#[derive(Debug)]
pub(in crate::workload::file) struct Stages {
    /// The part of the run that each stage belongs to.
    parts: Vec<When>,
    state: Mutex<State>,
    moved: Notify,
    /// Whether teardown does not run where the load was stopped.
    skips: bool,
    /// Whether a failure ended the load, and whether one ended the teardown.
    ended: [AtomicBool; 2],
}

#[derive(Debug)]
struct State {
    /// The stage that runs.
    stage: usize,
    began: Instant,
    /// Whether it has begun: when its first user looks.
    has_begun: bool,
    /// The users of each stage that have not ended.
    left: Vec<u32>,
}

impl Stages {
    /// Stages with their parts and numbers of users.
    pub(in crate::workload::file) fn new(stages: &[(When, u32)], skips: bool) -> Self {
        let state = State {
            stage: 0,
            began: Instant::now(),
            has_begun: false,
            left: stages.iter().map(|(_, users)| *users).collect(),
        };
        let stages = Self {
            parts: stages.iter().map(|(part, _)| *part).collect(),
            state: Mutex::new(state),
            moved: Notify::new(),
            skips,
            ended: [AtomicBool::new(false), AtomicBool::new(false)],
        };
        stages.move_on();
        stages
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a stage; when it began, or `None` if its users are not to run.
    pub(in crate::workload::file) async fn begun(
        &self,
        stage: usize,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Instant> {
        loop {
            let moved = self.moved.notified();
            {
                let mut state = self.state();
                if state.stage == stage {
                    if self.is_over(stage, is_stopped) {
                        return None;
                    }
                    if !state.has_begun {
                        (state.has_begun, state.began) = (true, Instant::now());
                    }
                    return Some(state.began);
                }
            }
            if self.is_over(stage, is_stopped) {
                return None;
            }
            let _ = tokio::time::timeout(LOOK, moved).await;
        }
    }

    /// Whether the users of a stage are to end: the run was stopped, or a failure ended it. Teardown goes on.
    pub(in crate::workload::file) fn is_over(
        &self,
        stage: usize,
        is_stopped: &dyn Fn() -> bool,
    ) -> bool {
        let is_teardown = self.parts.get(stage) == Some(&When::Teardown);
        let has_ended = |at: usize| self.ended[at].load(Ordering::Relaxed);
        match is_teardown {
            true => has_ended(1) || self.skips && (has_ended(0) || is_stopped()),
            false => has_ended(0) || is_stopped(),
        }
    }

    /// Ends the users of the load, or those of teardown where the stage is one.
    pub(in crate::workload::file) fn end(&self, stage: usize) {
        let is_teardown = self.parts.get(stage) == Some(&When::Teardown);
        self.ended[usize::from(is_teardown)].store(true, Ordering::Relaxed);
    }

    /// Counts a user of a stage that has ended. The last one lets the next stage begin.
    pub(in crate::workload::file) fn leave(&self, stage: usize) {
        if let Some(left) = self.state().left.get_mut(stage) {
            *left = left.saturating_sub(1);
        }
        self.move_on();
    }

    fn move_on(&self) {
        let mut state = self.state();
        while state.left.get(state.stage) == Some(&0) {
            state.stage += 1;
            state.has_begun = false;
        }
        drop(state);
        self.moved.notify_waiters();
    }

    /// Whether users of teardown are still to run.
    pub(in crate::workload::file) fn has_teardown(&self) -> bool {
        if self.skips {
            return false;
        }
        let state = self.state();
        let left = self.parts.iter().zip(&state.left);
        left.into_iter().any(|(part, left)| *part == When::Teardown && *left > 0)
    }

    /// How long users sleep at most until they look whether the run was stopped.
    pub(in crate::workload::file) fn look() -> Duration {
        LOOK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stages_follow_each_other_and_teardown_comes_last() {
        let stages = Stages::new(
            &[(When::Setup, 1), (When::Main, 0), (When::Main, 2), (When::Teardown, 1)],
            false,
        );
        let (on, off) = (|| false, || true);
        assert!(stages.begun(0, &on).await.is_some());
        stages.leave(0);
        assert!(stages.begun(2, &on).await.is_some());
        assert!(stages.begun(2, &off).await.is_none());
        stages.leave(2);
        stages.end(2);
        assert!(stages.begun(2, &on).await.is_none());
        assert!(stages.has_teardown());
        stages.leave(2);
        assert!(stages.begun(3, &off).await.is_some());
        stages.leave(3);
        assert!(!stages.has_teardown());
        let stages = Stages::new(&[(When::Main, 1), (When::Teardown, 1)], true);
        stages.end(0);
        stages.leave(0);
        assert!(stages.begun(1, &on).await.is_none() && !stages.has_teardown());
    }
}
