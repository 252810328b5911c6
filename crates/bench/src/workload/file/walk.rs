//! A user's place in a flow, and its place in a group.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use fastrand::Rng;

use super::definition::{Choose, Go};
use super::program::{Program, Script, Seats};
use super::schedule::Stages;
use crate::workload::{Block, TransactionContext};

/// A user's place in a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    pub(super) at: usize,
    /// Of each loop, the passes that are done, and how many there are.
    pub(super) passes: Vec<[u64; 2]>,
    /// The measured blocks around the place.
    pub(super) open: usize,
    pub(super) once: BTreeSet<usize>,
    pub(super) turns: BTreeMap<usize, usize>,
    /// The places where it has still to be, of what is shuffled.
    pub(super) shuffled: BTreeMap<usize, Vec<usize>>,
    /// The loops whose conditions are to be computed once more.
    pub(super) marked: BTreeSet<usize>,
    /// When each loop that lasts a time ends: after its first pass, where its time is no number.
    pub(super) until: BTreeMap<usize, Option<Instant>>,
}

impl Walk {
    /// The beginning, for the next time: what is done once or in turn goes on.
    pub(super) fn again(self) -> Self {
        let Self { once, turns, .. } = self;
        Self { once, turns, ..Self::default() }
    }

    /// The place of one of several steps.
    pub(super) fn chosen_place(
        &mut self,
        number: usize,
        choose: Choose,
        places: &[usize],
        random: &mut Rng,
    ) -> Option<usize> {
        let turn = self.turns.entry(number).or_default();
        let at = match choose {
            Choose::InTurn => *turn % places.len().max(1),
            _ => random.usize(..places.len().max(1)),
        };
        *turn = turn.wrapping_add(1);
        places.get(at).copied()
    }

    /// One of the places where it has still to be; `None` once it has been at all.
    pub(super) fn shuffled_place(
        &mut self,
        number: usize,
        places: &[usize],
        random: &mut Rng,
    ) -> Option<usize> {
        let left = self.shuffled.entry(number).or_insert_with(|| {
            let mut places = places.to_vec();
            random.shuffle(&mut places);
            places
        });
        let next = left.pop();
        if next.is_none() {
            self.shuffled.remove(&number);
        }
        next
    }
}

/// What comes next in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Step(usize),
    Enter(Block),
    Leave,
    Go(Go),
    End,
}

/// A user of a group.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) program: Arc<Program>,
    pub(super) group: usize,
    /// Its number in the group, from 0.
    number: u32,
    pub(super) has_begun: bool,
    until: Option<Instant>,
    /// How often it has begun.
    turns: usize,
    pub(super) done: u64,
    pub(super) is_inside: bool,
    /// The step that the engine was told to run.
    pub(super) action: usize,
    /// Where the user goes once it has left the measured blocks.
    pub(super) leaving: Option<Go>,
    pub(super) walk: Walk,
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.has_begun {
            self.seats().running.fetch_sub(1, Ordering::Relaxed);
        }
        self.program.stages.leave(self.seats().stage);
    }
}

impl Seat {
    pub(super) fn new(program: &Arc<Program>, group: usize, user: u32) -> Self {
        let number = user - program.groups[group].first;
        Self {
            program: program.clone(),
            group,
            number,
            has_begun: false,
            until: None,
            turns: 0,
            done: 0,
            is_inside: false,
            action: 0,
            leaving: None,
            walk: Walk::default(),
        }
    }

    /// Whether the user has not begun.
    pub(super) fn is_new(&self) -> bool {
        !self.has_begun
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn seats(&self) -> &Seats {
        &self.program.groups[self.group]
    }

    pub(super) fn is_over(&self, is_stopped: &dyn Fn() -> bool) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
            || self.program.stages.is_over(self.seats().stage, is_stopped)
    }

    /// Waits until the user is to begin; whether it is to run.
    pub(super) async fn begins(&mut self, is_stopped: &dyn Fn() -> bool) -> bool {
        let program = self.program.clone();
        let seats = &program.groups[self.group];
        let Some(began) = program.stages.begun(seats.stage, is_stopped).await else { return false };
        let began = began + seats.delay;
        let start = match &seats.levels {
            None => {
                self.until = seats.duration.map(|duration| began + duration);
                let share = f64::from(self.number) / f64::from(seats.users.max(1));
                began + seats.ramp_up.mul_f64(share)
            }
            Some(levels) => {
                let Some((from, to)) = levels.turn(self.number, self.turns) else { return false };
                self.turns += 1;
                self.until = Some(began + to);
                began + from
            }
        };
        let begins = self.sleep_until(start, is_stopped).await;
        if begins {
            seats.running.fetch_add(1, Ordering::Relaxed);
        }
        begins
    }

    /// Ends a turn whose time is over, if the user has another one.
    pub(super) fn rests(&mut self, is_stopped: &dyn Fn() -> bool) -> bool {
        let seats = self.seats();
        let is_time = self.until.is_some_and(|until| Instant::now() >= until);
        let has_more =
            seats.levels.as_ref().is_some_and(|it| it.turn(self.number, self.turns).is_some());
        if !is_time || !has_more || self.program.stages.is_over(seats.stage, is_stopped) {
            return false;
        }
        seats.running.fetch_sub(1, Ordering::Relaxed);
        let once = std::mem::take(&mut self.walk.once);
        self.walk = Walk { once, ..Walk::default() };
        (self.has_begun, self.is_inside, self.until) = (false, false, None);
        true
    }

    /// Leaves an iteration where it is to; whether the user ends.
    pub(super) async fn leaves(&mut self) -> bool {
        match self.leaving.take() {
            None => false,
            Some(Go::EndUser) => true,
            Some(Go::EndRun) => {
                self.program.stages.end(self.seats().stage);
                true
            }
            Some(_) => {
                self.is_inside = false;
                self.done += 1;
                tokio::task::yield_now().await;
                false
            }
        }
    }

    /// Chooses a step, behind its pause; whether it is to run. A pause lasts up to the end of the group, and not
    /// behind it.
    pub(super) async fn takes(
        &mut self,
        number: usize,
        script: &Script,
        context: &mut TransactionContext,
        is_stopped: &dyn Fn() -> bool,
    ) -> bool {
        self.action = number;
        let pause = script.pauses.get(number).copied().flatten();
        let length = pause.map(|pause| crate::workload::between(&mut context.random, pause));
        let moment = Instant::now() + length.unwrap_or_default();
        self.sleep_until(moment, is_stopped).await && !self.is_over(is_stopped)
    }

    /// Sleeps until a moment or the user's end; whether the user goes on.
    pub(super) async fn sleep_until(&self, moment: Instant, is_stopped: &dyn Fn() -> bool) -> bool {
        let moment = self.until.map_or(moment, |until| moment.min(until));
        loop {
            if self.is_over(is_stopped) {
                return false;
            }
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            tokio::time::sleep(left.min(Stages::look())).await;
        }
    }
}
