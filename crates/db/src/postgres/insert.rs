//! Natural batching of inserts: while a statement is under way, rows for the same columns of a
//! table queue; the next statement takes them all, in a transaction that leaves in one flush.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_auth::Identity;
use duet_document::{Fetched, RowSet};
use duet_model::{Code, Error, Result, Value};
use futures_util::future::join3;
use tokio::sync::oneshot;

use crate::insert::InsertBatch;
use crate::postgres::bind;
use crate::postgres::lane::Live;
use crate::postgres::pool::{Loan, Pool};
use crate::postgres::role::Beginning;
use crate::postgres::run;
use crate::postgres::session::{BEGIN, Failed, before_commit};
use crate::postgres::sqlstate::Remedy;
use crate::postgres::write::Tries;
use crate::read::Answer;
use crate::refusal::refusal;
use crate::store::Limits;

type Reply = oneshot::Sender<Result<Answer>>;

/// How many statements of one queue are under way at most: while the server syncs for one, the
/// others come to their commits, and the next sync serves all of them. More only make batches smaller.
const UNDER_WAY: usize = 4;

/// The queue of one kind of row, for one identity, on one worker.
#[derive(Debug)]
pub(crate) struct Inserter {
    insert: Arc<InsertBatch>,
    /// Whose rows these are: all of them have the same role and claims.
    identity: Option<Arc<Identity>>,
    pool: Rc<Pool>,
    limits: Limits,
    waiting: RefCell<VecDeque<(Vec<Value>, Reply)>>,
    under_way: Cell<usize>,
}

impl Inserter {
    pub(crate) fn new(
        insert: &Arc<InsertBatch>,
        identity: Option<&Arc<Identity>>,
        pool: &Rc<Pool>,
        limits: &Limits,
    ) -> Self {
        Self {
            insert: Arc::clone(insert),
            identity: identity.cloned(),
            pool: Rc::clone(pool),
            limits: limits.clone(),
            waiting: RefCell::default(),
            under_way: Cell::new(0),
        }
    }

    /// Whether nobody waits and nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way.get() == 0 && self.waiting.borrow().is_empty()
    }

    /// Inserts one row; must run inside a local task set. Where the caller goes away before its
    /// turn, nothing is inserted; once begun, the insert is finished.
    pub(crate) async fn insert(self: &Rc<Self>, row: Vec<Value>) -> Result<Answer> {
        self.insert.check(&row)?;
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
            waiting.push_back((row, reply));
        }
        if self.under_way.get() < UNDER_WAY {
            self.under_way.set(self.under_way.get() + 1);
            tokio::task::spawn_local(Rc::clone(self).work());
        }
        answer.await.map_err(|_| Error::internal("a batch has ended without an answer"))?
    }

    /// Runs batches until nobody waits.
    async fn work(self: Rc<Self>) {
        while !self.waiting.borrow().is_empty() {
            match self.pool.lend().await {
                // Only now: whoever has come while a connection was waited for goes along.
                Ok(mut loan) => self.run(&mut loan, self.take()).await,
                Err(error) => self.take().into_iter().for_each(|(_, reply)| {
                    // Whoever has gone meanwhile needs no answer.
                    let _ = reply.send(Err(error.clone()));
                }),
            }
        }
        self.under_way.set(self.under_way.get() - 1);
    }

    /// Those who wait, without those who have gone; not more than a statement should carry.
    fn take(&self) -> Vec<(Vec<Value>, Reply)> {
        let mut waiting = self.waiting.borrow_mut();
        let mut batch = Vec::with_capacity(waiting.len().min(self.limits.batch));
        let mut bytes = 0;
        while batch.len() < self.limits.batch && bytes < self.limits.answer_bytes / 2 {
            let Some((row, reply)) = waiting.pop_front() else { break };
            if !reply.is_closed() {
                bytes += row.iter().map(size).sum::<usize>();
                batch.push((row, reply));
            }
        }
        batch
    }

    async fn run(&self, loan: &mut Loan, batch: Vec<(Vec<Value>, Reply)>) {
        let (rows, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        if rows.is_empty() {
            return;
        }
        match self.rows(loan, &rows).await {
            Ok(fetched) => {
                for (row, reply) in replies.into_iter().enumerate() {
                    let row = Some(row).filter(|row| *row < fetched.roots().len());
                    let _ = reply.send(Ok(Answer { fetched: Rc::clone(&fetched), row }));
                }
            }
            Err(error)
                if rows.len() > 1
                    && !matches!(error.code, Code::OutcomeUnknown | Code::RoleUnusable) =>
            {
                self.one_by_one(loan, rows, replies, error).await;
            }
            Err(error) => {
                for reply in replies {
                    let _ = reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// A batch has failed, and nothing of it is there: each row gets its own answer or error.
    /// Where that takes too long, those who are left get the error of the batch.
    async fn one_by_one(
        &self,
        loan: &mut Loan,
        rows: Vec<Vec<Value>>,
        replies: Vec<Reply>,
        error: Error,
    ) {
        let begun = Instant::now();
        for (row, reply) in rows.into_iter().zip(replies) {
            if reply.is_closed() {
                continue;
            }
            let answer = if begun.elapsed() > self.limits.statement_timeout {
                Err(shared(&error))
            } else {
                let fetched = self.rows(loan, &[row]).await;
                fetched.map(|fetched| {
                    let row = (!fetched.roots().is_empty()).then_some(0);
                    Answer { fetched, row }
                })
            };
            let _ = reply.send(answer);
        }
    }

    /// Inserts rows in one statement, and again where that can help.
    async fn rows(&self, loan: &mut Loan, rows: &[Vec<Value>]) -> Result<Rc<Fetched>> {
        let mut tries = Tries::default();
        loop {
            match self.attempt(loan, rows).await {
                Ok(set) => {
                    loan.lane.statistics().wrote(rows.len(), set.len() as u64);
                    let fetched =
                        Fetched::assemble(&self.insert.plan, vec![set], 0, |_, _, _| None);
                    return Ok(Rc::new(fetched));
                }
                // Rows that get in each other's way may be those of two batches.
                Err(Failed { error, remedy: Remedy::Again }) if rows.len() > 1 => {
                    return Err(*error);
                }
                Err(failed) => tries.again(loan, failed).await?,
            }
        }
    }

    async fn attempt(&self, loan: &mut Loan, rows: &[Vec<Value>]) -> Result<RowSet, Failed> {
        let live = loan.lane.live().await.map_err(Failed::to_connect)?;
        let sql = &self.insert.statement.sql;
        let prepared = live.prepared(sql, 0, &self.insert.codecs).await?;
        let beginning = Beginning::ready(&live, BEGIN, self.identity.as_ref()).await?;
        loan.running = Some(Rc::clone(&live));
        let inserted = self.flush(&live, &beginning, &prepared, rows).await;
        if !inserted.as_ref().is_err_and(|failed| failed.error.code == Code::OutcomeUnknown) {
            loan.running = None;
        }
        inserted
    }

    /// Sends the whole transaction at once. Everything was sent: so where the connection breaks
    /// without a word of the server, nobody knows how it ended.
    async fn flush(
        &self,
        live: &Live,
        beginning: &Beginning,
        prepared: &tokio_postgres::Statement,
        rows: &[Vec<Value>],
    ) -> Result<RowSet, Failed> {
        let parameters = bind::rows(&self.insert.statement, rows);
        // As much comes back as was sent.
        let limit = usize::MAX;
        let (begun, set, committed) = join3(
            beginning.begin(&live.client),
            run::level(&live.client, prepared, parameters, &self.insert.codecs, limit),
            live.client.batch_execute("COMMIT"),
        )
        .await;
        begun.map_err(before_commit)?;
        let set = set.map_err(before_commit)?;
        committed.map_err(|error| Failed::to_commit(&error))?;
        if set.len() == rows.len() {
            return Ok(set);
        }
        let cause = "the database has inserted another number of rows than it was given";
        Err(Failed::new(refusal(Code::OutcomeUnknown).cause(cause), Remedy::None))
    }
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len() * 2,
        _ => 8,
    }
}

/// The error of a batch, for one who may have had no part in it.
fn shared(error: &Error) -> Error {
    Error::new(Code::Timeout, "The database took longer than the limit. Nothing was changed.")
        .cause(error.cause.as_deref().unwrap_or_default())
}
