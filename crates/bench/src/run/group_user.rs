//! A user of a group: its session says what comes next, and each step is measured as a transaction of its own type.

use std::time::{Duration, Instant};

use super::sample_log::SampleLog;
use super::user::{Beginning, ClaimedArrival, Clock, LoggedUser, Shared, UnderWay, User};
use crate::record::{Begun, Sample, TransactionCost, run_as_due};
use crate::workload::{
    Block, Failed, NO_CODE, Next, PartSample, Session, Trace, TransactionContext,
};
use duet_verdict::outcome::Outcome;

/// Transactions that are measured together, as far as they have ended.
struct OpenBlock {
    block: Block,
    began: Duration,
    /// Whether it is due in the window.
    is_due: bool,
    /// The time of those inside, without pauses.
    took: Duration,
    count: u64,
    failed: u64,
    work: TransactionCost,
    /// What the files of samples say of those inside, where they are wanted.
    parts: Vec<(Duration, PartSample)>,
    /// The code of the first one that failed.
    code: Option<String>,
}

impl User {
    /// Runs what the session says until it ends.
    pub(super) async fn follow(
        mut self,
        shared: &Shared,
        clock: &Clock,
        origin: Instant,
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
                    self.run_step(&mut *session, kind, shared, clock, context, &mut blocks).await;
                }
                Next::Enter(block) => blocks.push(OpenBlock::new(block, shared, clock.now())),
                Next::Leave => {
                    if let Some(block) = blocks.pop() {
                        self.end_block(block, &mut blocks, shared, clock.now());
                    }
                }
                Next::Rest => {
                    if logged.take().is_some() {
                        shared.connected.remove();
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
        shared: &Shared,
        clock: &Clock,
        context: &mut TransactionContext,
        blocks: &mut [OpenBlock],
    ) {
        context.work = TransactionCost::default();
        context.slept = Duration::ZERO;
        context.trace = Trace::default();
        let began = clock.now();
        // Steps of a block that is measured as a whole belong to it.
        let whole = blocks.iter().find(|it| it.block.whole);
        let is_part = whole.is_some();
        let is_due_whole = whole.is_some_and(|it| it.is_due);
        let taken = ClaimedArrival::unplanned(shared);
        let mut under_way = match is_part {
            true => UnderWay::unmeasured(shared, clock),
            false => Beginning { taken, began, done: 0, late: None }.begin(clock, kind, None),
        };
        let before = session.moved();
        let is_due = under_way.begun.as_ref().map_or(is_due_whole, Begun::is_due);
        let done = run_as_due(is_due, session.run(kind, context)).await;
        let moved = session.moved().since(before);
        context.work.sent += moved.sent;
        context.work.received += moved.received;
        let ended = clock.now();
        let (outcome, message) = match done {
            Ok(success) => (success.into(), None),
            Err(failed) => (failed.outcome, Some(failed.message)),
        };
        let took = ended.saturating_sub(began).saturating_sub(context.slept);
        if is_part && let Some(log) = &shared.samples {
            let mut trace = std::mem::take(&mut context.trace);
            named(&mut trace, kind, log, outcome, context.work.last_status);
            let passed = outcome.is_success();
            let part = PartSample { before_end: Duration::ZERO, took, passed, trace };
            add_part(blocks, began, part);
        }
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
                let trace = std::mem::take(&mut context.trace);
                log.ended(&sample, message, self.number, users, trace);
            }
        }
    }

    /// Records what was measured together: without pauses unless they count, and without the time and cost that its
    /// parts have. One without parts is none. A whole inside a whole is a part of it.
    fn end_block(
        &self,
        mut block: OpenBlock,
        outer: &mut [OpenBlock],
        shared: &Shared,
        ended: Duration,
    ) {
        if block.count == 0 {
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
        let mut trace = Trace { code: block.code_of(), ..Trace::default() };
        let parts = block
            .parts
            .drain(..)
            .map(|(began, part)| PartSample { before_end: ended.saturating_sub(began), ..part });
        trace.parts = parts.collect();
        if whole && outer.iter().any(|it| it.block.whole) {
            if let Some(log) = &shared.samples {
                named(&mut trace, kind, log, outcome, 0);
                let took = ended.saturating_sub(block.began).saturating_sub(slept);
                let passed = outcome.is_success();
                let part = PartSample { before_end: Duration::ZERO, took, passed, trace };
                add_part(outer, block.began, part);
            }
            return;
        }
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
            sample.work = block.work;
            let users = shared.connected.now();
            log.ended(&sample, message, self.number, users, trace);
        }
    }
}

impl OpenBlock {
    fn new(block: Block, shared: &Shared, began: Duration) -> Self {
        Self {
            block,
            began,
            is_due: shared.recorder().measured().has(began),
            took: Duration::ZERO,
            count: 0,
            failed: 0,
            work: TransactionCost::default(),
            parts: Vec::new(),
            code: None,
        }
    }

    /// The text in place of its status: of a whole, that of its first failure.
    fn code_of(&self) -> String {
        match (self.failed, self.block.whole) {
            (0, _) => "200".to_owned(),
            (_, true) => self.code.clone().unwrap_or_default(),
            (_, false) => NO_CODE.to_owned(),
        }
    }
}

/// Gives what the files of samples say the name and the code that it has without more.
fn named(trace: &mut Trace, kind: usize, log: &SampleLog, outcome: Outcome, status: u16) {
    if trace.label.is_empty() {
        log.label(kind).clone_into(&mut trace.label);
    }
    if trace.code.is_empty() {
        trace.code = match status {
            0 => outcome.name().to_owned(),
            status => status.to_string(),
        };
    }
}

/// Adds a part to the innermost whole.
fn add_part(blocks: &mut [OpenBlock], began: Duration, part: PartSample) {
    let Some(whole) = blocks.iter_mut().rev().find(|it| it.block.whole) else { return };
    if !part.passed && whole.code.is_none() {
        whole.code = Some(part.trace.code.clone());
    }
    whole.parts.push((began, part));
}
