//! Natural batching of reads by key.
//!
//! While a statement is under way, requests for the same kind of document queue; the next
//! statement takes them all. There is no timer: an idle server adds no delay.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_auth::Identity;
use duet_document::{Cell as Column, Fetched, RowSet};
use duet_model::{Code, Error, ReadPlan, Result, Type, Value};
use foldhash::fast::RandomState;
use tokio::sync::oneshot;

use crate::postgres::lane::{Lane, STUCK};
use crate::postgres::pool::Pool;
use crate::postgres::run::{self, Stop};
use crate::read::{Answer, KeyedRead};
use crate::store::Limits;

type Reply = oneshot::Sender<Result<Answer>>;

/// The queue of one kind of document, for one identity, on one worker.
#[derive(Debug)]
pub(crate) struct Batcher {
    read: Arc<KeyedRead>,
    /// Whose requests these are: all of them have the same role and claims.
    identity: Option<Arc<Identity>>,
    lanes: Rc<[Rc<Lane>]>,
    pool: Rc<Pool>,
    limits: Limits,
    waiting: RefCell<VecDeque<(Vec<Value>, Reply)>>,
    /// Which lanes are running a batch of this queue, by bit.
    busy: Cell<u64>,
}

impl Batcher {
    pub(crate) fn new(
        read: &Arc<KeyedRead>,
        identity: Option<&Arc<Identity>>,
        lanes: &Rc<[Rc<Lane>]>,
        pool: &Rc<Pool>,
        limits: &Limits,
    ) -> Self {
        Self {
            read: Arc::clone(read),
            identity: identity.cloned(),
            lanes: Rc::clone(lanes),
            pool: Rc::clone(pool),
            limits: limits.clone(),
            waiting: RefCell::default(),
            busy: Cell::new(0),
        }
    }

    /// Whether nobody waits and nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.busy.get() == 0 && self.waiting.borrow().is_empty()
    }

    /// Reads one document; must run inside a local task set.
    pub(crate) async fn read(self: &Rc<Self>, key: Vec<Value>) -> Result<Answer> {
        let (reply, answer) = oneshot::channel();
        {
            let mut waiting = self.waiting.borrow_mut();
            if waiting.len() >= self.limits.queue_length {
                return Err(Error::new(
                    Code::Overloaded,
                    "Too many requests wait for the database. Try again in a moment.",
                )
                .retry_after(1));
            }
            waiting.push_back((key, reply));
        }
        let free = (0..self.lanes.len())
            .filter(|lane| self.busy.get() & (1 << lane) == 0)
            .min_by_key(|lane| self.lanes[*lane].load());
        if let Some(lane) = free {
            self.busy.set(self.busy.get() | (1 << lane));
            tokio::task::spawn_local(Rc::clone(self).work(lane));
        }
        answer.await.map_err(|_| Error::internal("a batch has ended without an answer"))?
    }

    /// Runs batches on a lane until nobody waits.
    async fn work(self: Rc<Self>, lane: usize) {
        loop {
            let batch = self.take();
            if batch.is_empty() {
                break;
            }
            self.run(&self.lanes[lane], batch).await;
        }
        self.busy.set(self.busy.get() & !(1 << lane));
    }

    /// Those who wait, without those who have gone.
    fn take(&self) -> Vec<(Vec<Value>, Reply)> {
        let mut waiting = self.waiting.borrow_mut();
        let mut batch = Vec::with_capacity(waiting.len().min(self.limits.batch));
        while batch.len() < self.limits.batch {
            let Some((key, reply)) = waiting.pop_front() else { break };
            if !reply.is_closed() {
                batch.push((key, reply));
            }
        }
        batch
    }

    async fn run(&self, lane: &Lane, batch: Vec<(Vec<Value>, Reply)>) {
        let (keys, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        match self.fetch(lane, &keys).await {
            Ok((fetched, rows)) => {
                for (reply, row) in replies.into_iter().zip(rows) {
                    // Whoever has gone meanwhile needs no answer.
                    let _ = reply.send(Ok(Answer { fetched: Rc::clone(&fetched), row }));
                }
            }
            Err(error) if keys.len() > 1 && is_ones_own(&error) => {
                self.one_by_one(lane, keys, replies, error).await;
            }
            Err(error) => {
                for reply in replies {
                    let _ = reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// A batch has failed because of one of its members: each gets its own answer or error. Where
    /// that takes too long, those who are left get the error of the batch.
    async fn one_by_one(
        &self,
        lane: &Lane,
        keys: Vec<Vec<Value>>,
        replies: Vec<Reply>,
        error: Error,
    ) {
        let begun = Instant::now();
        for (key, reply) in keys.into_iter().zip(replies) {
            let answer = if begun.elapsed() > self.limits.statement_timeout {
                Err(error.clone())
            } else {
                let fetched = self.fetch(lane, &[key]).await;
                fetched.map(|(fetched, rows)| Answer { fetched, row: rows[0] })
            };
            let _ = reply.send(answer);
        }
    }

    /// Runs a batch on a lane, or on a connection of the pool where the lane is stuck behind a
    /// slow statement of another kind of document, or turns out to be.
    async fn fetch(
        &self,
        lane: &Lane,
        keys: &[Vec<Value>],
    ) -> Result<(Rc<Fetched>, Vec<Option<usize>>)> {
        if !lane.is_stuck() {
            let behind = lane.load() > 0;
            let _turn = lane.enter();
            if !behind {
                return self.fetch_on(lane, keys).await;
            }
            tokio::select! {
                biased;
                fetched = self.fetch_on(lane, keys) => return fetched,
                () = tokio::time::sleep(STUCK) => {}
            }
        }
        let loan = self.pool.lend().await?;
        self.fetch_on(&loan.lane, keys).await
    }

    /// Runs a batch, and again where the connection or the schema has just changed: nothing
    /// that reads by key changes anything.
    async fn fetch_on(
        &self,
        lane: &Lane,
        keys: &[Vec<Value>],
    ) -> Result<(Rc<Fetched>, Vec<Option<usize>>)> {
        let mut tries = 1;
        loop {
            match self.attempt(lane, keys).await {
                Err(error) if lane.is_worth_another(&error, tries) => tries += 1,
                other => return other,
            }
        }
    }

    async fn attempt(
        &self,
        lane: &Lane,
        keys: &[Vec<Value>],
    ) -> Result<(Rc<Fetched>, Vec<Option<usize>>)> {
        let live = lane.live().await?;
        lane.statistics().batch(keys.len());
        let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
        let read = &self.read;
        let limit = self.limits.answer_bytes;
        let identity = self.identity.as_ref();
        let sets = run::by_keys(&live, identity, read, &borrowed, limit).await;
        let sets = sets.map_err(Stop::error)?;
        Ok(dispatch(read, sets, keys))
    }
}

/// Whether an error can be the fault of one member of a batch alone.
fn is_ones_own(error: &Error) -> bool {
    !matches!(
        error.code,
        Code::DatabaseUnavailable
            | Code::SchemaChanged
            | Code::Overloaded
            | Code::DatabaseDenied
            | Code::RoleUnusable
    )
}

/// Finds the root row of every key, and the root of every row below.
pub(crate) fn dispatch(
    read: &KeyedRead,
    sets: Vec<RowSet>,
    keys: &[Vec<Value>],
) -> (Rc<Fetched>, Vec<Option<usize>>) {
    let plan = &read.plan;
    let by_ordinal = plan.by_ordinal;
    if keys.len() == 1 && !by_ordinal {
        let row = (!sets[0].is_empty()).then_some(0);
        let fetched = Fetched::assemble(plan, sets, 0, |_, _, _| Some(0));
        return (Rc::new(fetched), vec![row]);
    }
    let matcher = Matcher::new(plan, keys);
    let mut row_of_key: Vec<Option<usize>> = vec![None; keys.len()];
    for row in 0..sets[0].len() {
        if let Some(key) = matcher.key(&sets[0], row, &plan.levels[0].root_key) {
            row_of_key[key] = Some(row);
        }
    }
    let fetched = Fetched::assemble(plan, sets, 0, |level, rows, row| {
        let key = matcher.key(rows, row, &plan.levels[level].root_key)?;
        row_of_key[key].and_then(|row| u32::try_from(row).ok())
    });
    let rows = (0..keys.len()).map(|key| row_of_key[matcher.same_as(key)]).collect();
    (Rc::new(fetched), rows)
}

/// Finds which key a row answers.
pub(crate) struct Matcher {
    by_ordinal: bool,
    ints: HashMap<i64, usize, RandomState>,
    bytes: HashMap<Vec<u8>, usize, RandomState>,
    /// For each key the first equal one: equal keys share their row.
    same: Vec<usize>,
}

impl Matcher {
    pub(crate) fn new(plan: &ReadPlan, keys: &[Vec<Value>]) -> Self {
        let mut matcher = Self {
            by_ordinal: plan.by_ordinal,
            ints: HashMap::default(),
            bytes: HashMap::default(),
            same: Vec::with_capacity(keys.len()),
        };
        let columns = &plan.shape.root().table.columns;
        let is_uuid = plan.shape.key.first().is_some_and(|&key| columns[key].ty == Type::Uuid);
        for (index, key) in keys.iter().enumerate() {
            let first = match &key[..] {
                _ if plan.by_ordinal => index,
                [Value::Int(value)] => *matcher.ints.entry(*value).or_insert(index),
                [Value::Bool(value)] => *matcher.ints.entry(i64::from(*value)).or_insert(index),
                [Value::Text(text)] => {
                    let bytes = if is_uuid { uuid_bytes(text) } else { text.as_bytes().to_vec() };
                    *matcher.bytes.entry(bytes).or_insert(index)
                }
                _ => index,
            };
            matcher.same.push(first);
        }
        matcher
    }

    fn same_as(&self, key: usize) -> usize {
        self.same[key]
    }

    /// The position of the key that a row answers; `root_key` are the row's columns that say so.
    pub(crate) fn key(&self, rows: &RowSet, row: usize, root_key: &[usize]) -> Option<usize> {
        match rows.get(row, *root_key.first()?) {
            Column::Int(ordinal) if self.by_ordinal => {
                usize::try_from(ordinal - 1).ok().filter(|&key| key < self.same.len())
            }
            Column::Int(value) => self.ints.get(&value).copied(),
            Column::Text(bytes) | Column::Wire(bytes) => self.bytes.get(bytes).copied(),
            _ => None,
        }
    }
}

/// The 16 bytes of a canonical UUID, as the server sends them.
fn uuid_bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|char| char.to_digit(16))
        .filter_map(|d| u8::try_from(d).ok())
        .collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}
