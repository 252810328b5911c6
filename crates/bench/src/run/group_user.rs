//! A user of a group: its session says what comes next, and each step is measured as a transaction of its own type.

use std::time::{Duration, Instant};

use super::user::{Beginning, ClaimedArrival, Clock, LoggedUser, Shared, UnderWay, User};
use crate::record::{Begun, Sample, TransactionCost};
use crate::workload::{Block, Failed, Next, Session, TransactionContext};
use duet_verdict::outcome::Outcome;

/// Transactions that are measured together, as far as they have ended.
struct OpenBlock {
    block: Block,
    began: Duration,
    /// The time of those inside, without pauses.
    took: Duration,
    count: u64,
    failed: u64,
    work: TransactionCost,
}

impl User {
    /// Runs what the session says until it ends.
    pub(super) async fn follow(
        mut self,
        shared: &Shared,
        (clock, origin): (&Clock, Instant),
        context: &mut TransactionContext,
    ) {
        let mut session = match shared.workload.open(self.number).await {
            Ok(session) => session,
            Err(failed) => {
                self.lost(shared, clock, &failed);
                return;
            }
        };
        // All begin at the run's start, which lies a little ahead.
        clock.until(Duration::ZERO).await;
        let is_stopped = || shared.is_over(clock.now());
        let mut blocks: Vec<OpenBlock> = Vec::new();
        let mut logged = None;
        loop {
            match session.next(context, &is_stopped).await {
                Next::Begin => {
                    logged = Some(LoggedUser::begin(shared, origin, self.number));
                    shared.connected.add();
                }
                Next::Run(kind) => {
                    self.run_step(&mut *session, kind, (shared, clock), context, &mut blocks).await;
                }
                Next::Enter(block) => blocks.push(OpenBlock {
                    block,
                    began: clock.now(),
                    took: Duration::ZERO,
                    count: 0,
                    failed: 0,
                    work: TransactionCost::default(),
                }),
                Next::Leave => {
                    if let Some(block) = blocks.pop() {
                        self.end_block(&block, &blocks, (shared, clock.now()));
                    }
                }
                Next::End => break,
            }
        }
        if logged.is_some() {
            shared.connected.remove();
        }
        shared.count_out();
    }

    /// A user that cannot connect: a transaction that failed.
    fn lost(&self, shared: &Shared, clock: &Clock, failed: &Failed) {
        let now = clock.now();
        let mut recorder = shared.recorder();
        let begun = recorder.begin(Begun::new(0, None, [now; 2], true));
        let work = TransactionCost::default();
        let (outcome, slept) = (failed.outcome, Duration::ZERO);
        let sample = Sample { begun, outcome, ended: now, slept, work };
        recorder.take(&sample, Some(&failed.message));
        drop(recorder);
        shared.count_out();
    }

    async fn run_step(
        &mut self,
        session: &mut dyn Session,
        kind: usize,
        (shared, clock): (&Shared, &Clock),
        context: &mut TransactionContext,
        blocks: &mut [OpenBlock],
    ) {
        context.work = TransactionCost::default();
        context.slept = Duration::ZERO;
        context.address.clear();
        let began = clock.now();
        // Steps of a block that is measured as a whole belong to it.
        let is_part = blocks.iter().any(|it| it.block.whole);
        let taken = ClaimedArrival::unplanned(shared);
        let mut under_way = match is_part {
            true => UnderWay::unmeasured(shared, clock),
            false => Beginning { taken, began, done: 0, late: None }.begin(clock, kind, None),
        };
        let before = session.moved();
        let done = session.run(kind, context).await;
        let moved = session.moved().since(before);
        context.work.sent += moved.sent;
        context.work.received += moved.received;
        let ended = clock.now();
        let (outcome, message) = match done {
            Ok(success) => (success.into(), None),
            Err(failed) => (failed.outcome, Some(failed.message)),
        };
        let took = ended.saturating_sub(began).saturating_sub(context.slept);
        for block in blocks {
            block.took += took;
            block.count += 1;
            block.failed += u64::from(!outcome.is_success());
            block.work.add(&context.work);
        }
        if let Some(begun) = under_way.begun.take() {
            let sample = Sample { begun, outcome, ended, slept: context.slept, work: context.work };
            let counts = shared.recorder().take(&sample, message.as_deref());
            if let Some(log) = shared.samples.as_ref().filter(|_| counts) {
                let users = shared.connected.now();
                log.ended(&sample, message, (self.number, users), &context.address);
            }
        }
    }

    /// Records what was measured together: without pauses unless they count, and without the time and cost that its
    /// parts have. One without parts is none.
    fn end_block(
        &self,
        block: &OpenBlock,
        outer: &[OpenBlock],
        (shared, ended): (&Shared, Duration),
    ) {
        if block.count == 0 || outer.iter().any(|it| it.block.whole) {
            return;
        }
        let Block { kind, pauses, whole } = block.block;
        let (outcome, message) = match block.failed {
            0 => (Outcome::Ok, None),
            some => (Outcome::Check, Some(format!("{some} of {} steps failed", block.count))),
        };
        let slept = match pauses {
            true => Duration::ZERO,
            false => ended.saturating_sub(block.began).saturating_sub(block.took),
        };
        let begun = Begun::new(kind, None, [block.began; 2], true);
        let mut recorder = shared.recorder();
        let begun = recorder.begin(begun);
        let work = if whole { block.work } else { TransactionCost::default() };
        let mut sample = Sample { begun, outcome, ended, slept, work };
        let counts = match whole {
            true => recorder.take(&sample, message.as_deref()),
            false => recorder.take_block(&sample, message.as_deref()),
        };
        drop(recorder);
        if let Some(log) = shared.samples.as_ref().filter(|_| counts) {
            sample.work = TransactionCost {
                last_status: if block.failed == 0 { 200 } else { 0 },
                ..block.work
            };
            let users = shared.connected.now();
            log.ended(&sample, message, (self.number, users), "");
        }
    }
}
