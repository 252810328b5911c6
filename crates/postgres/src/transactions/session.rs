//! A transaction under way on a connection. The statements of one call leave in one flush, the
//! first of them with `BEGIN`.
//!
//! `synchronous_commit` is set within the transaction, by the class of the write.

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use duet_auth::Identity;
use duet_client::sqlstate::{self, Recovery};
use duet_document::{Codec, FetchedRows, RowSet};
use duet_model::commit_class::CommitClass;
use duet_model::{Code, Error, Relation, Result, Value};
use duet_sql::ReturnedLists;
use duet_store::commits::{Action, Changes};
use duet_store::memory::row_limit::{RowLimit, is_over};
use duet_store::read::{Answer, KeyedRead, PageRead};
use duet_store::write::call::{Call, Done};
use duet_store::write::insert::{InsertBatch, MatchedInsert};
use duet_store::write::{Ending, LockedRead, Records, Session, UpdatedRows, no_savepoint};
use futures_util::future::{LocalBoxFuture, join, join_all, join3, try_join_all};
use futures_util::pin_mut;
use tokio_postgres::{Client, Statement};

use crate::connection::bind::{self, bind};
use crate::connection::in_time::{each_in_time, within};
use crate::connection::live::Live;
use crate::connection::role::{self, Beginning};
use crate::connection::run::{self, Ready};
use crate::connection::sent_commit::SentCommit;
use crate::connection::stop::{Stop, unavailable};
use crate::database::Database;
use crate::read::keyed::dispatch;
use crate::read::pages;
use crate::transactions::lists;
use crate::transactions::matched::{self, MatchedRows};
use crate::transactions::terms::WriteTerms;

/// Connections begin read-only; see `Database::connect`.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// The same for a transaction that is committed before the log is synced.
const BEGIN_ASYNC: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit TO off";

/// The same for one that is synced, whatever the server, the database or the user has set.
const BEGIN_SYNC: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \
     SELECT pg_catalog.set_config('synchronous_commit', 'on', true) \
     WHERE pg_catalog.current_setting('synchronous_commit') = 'off'";

/// Begins a transaction of this commit class.
pub(crate) fn begin(commit: CommitClass) -> &'static str {
    match commit {
        CommitClass::Async => BEGIN_ASYNC,
        CommitClass::Sync => BEGIN_SYNC,
        CommitClass::Group | CommitClass::Ingest | CommitClass::Memory => BEGIN,
    }
}

/// What a filter selects depends on its values, and so does the best way to it.
const PLAN_EACH: &str = "SET LOCAL plan_cache_mode = auto";

/// What a commit checks, at once.
pub(crate) const CHECK_DEFERRED: &str = "SET CONSTRAINTS ALL IMMEDIATE";

/// How much later than the server the client ends a wait for several locks.
const MOMENT: Duration = Duration::from_millis(100);

/// The error that has stopped a write, and its remedy.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) error: Box<Error>,
    pub(crate) remedy: Recovery,
}

/// Keys in an order that is the same for every write, so that two that lock several wait for each other in turn.
fn in_order<'k>(keys: &[&'k [Value]]) -> Vec<&'k [Value]> {
    let mut ordered = keys.to_vec();
    ordered.sort_by_cached_key(|key| key.iter().map(ToString::to_string).collect::<Vec<_>>());
    ordered
}

impl Failed {
    pub(crate) fn new(error: Error, remedy: Recovery) -> Self {
        Self { error: Box::new(error), remedy }
    }
}

impl From<Stop> for Failed {
    fn from(stop: Stop) -> Self {
        let remedy = remedy_for(&stop);
        Self::new(stop.error(), remedy)
    }
}

fn remedy_for(stop: &Stop) -> Recovery {
    match stop {
        Stop::Server(error) => sqlstate::remedy_for(error),
        Stop::Role(_) | Stop::Over(_) | Stop::Locked => Recovery::None,
        Stop::OtherTypes => Recovery::Prepare,
        Stop::Call(_, stop) => remedy_for(stop),
    }
}

/// One write's hold on its connection.
pub(crate) struct Writing {
    live: Rc<Live>,
    identity: Option<Arc<Identity>>,
    commit: CommitClass,
    /// What the rows of a call may take.
    limit: RowLimit,
    begun: bool,
    failed: Option<Failed>,
    savepoints: usize,
    /// Rows changed so far.
    rows: u64,
    /// Whether earlier statements must be answered before others are sent.
    pub(crate) singly: bool,
    /// How long it waits for locks, where that is not what its connection has set.
    pub(crate) locks: Option<LockLimit>,
    /// How long a statement may take.
    pub(crate) time: Duration,
    /// Whether a statement is still under way that nothing waits for any more.
    abandoned: bool,
    /// How the transaction has ended already, with the last statements of the write.
    finished: Option<Finished>,
    /// Whether `COMMIT` was sent with them.
    finishing: bool,
    database: Arc<Database>,
    /// What has changed so far.
    changes: Changes,
}

/// A call's statement, and that of its [`Call::links`].
type Prepared = (Statement, Option<Statement>);

/// What became of the last statements of a write, and of the `COMMIT` behind them.
type Last<T> = (Vec<Result<T, Stop>>, Result<(), tokio_postgres::Error>);

/// How long a write waits for locks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockLimit {
    /// For one lock.
    pub(crate) each: Duration,
    /// For all of them together; none while it takes its chance among others.
    pub(crate) until: Option<Instant>,
}

/// How a transaction has ended with the last statements of its write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finished {
    Committed,
    RolledBack,
}

impl Writing {
    pub(crate) fn new(
        live: Rc<Live>,
        terms: WriteTerms<'_>,
        rows: &RowLimit,
        database: &Arc<Database>,
    ) -> Self {
        let limit = live.limited(rows);
        Self {
            live,
            identity: terms.identity.cloned(),
            commit: terms.commit,
            limit,
            begun: false,
            failed: None,
            savepoints: 0,
            rows: 0,
            singly: false,
            locks: None,
            time: Duration::MAX,
            abandoned: false,
            finished: None,
            finishing: false,
            changes: database.commits().begin(),
            database: Arc::clone(database),
        }
    }

    pub(crate) fn is_finishing(&self) -> bool {
        self.finishing
    }

    pub(crate) fn finished(&self) -> Option<Finished> {
        self.finished
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// How the write has ended, given its own result: a transaction in which something has
    /// failed cannot be committed.
    pub(crate) fn ended<T>(&mut self, result: Result<Ending<T>>) -> Result<Ending<T>, Failed> {
        match (result, self.failed.take()) {
            (Err(error), Some(failed)) => Err(Failed::new(error, failed.remedy)),
            (Err(error), None) => Err(Failed::new(error, Recovery::None)),
            (Ok(_), Some(failed)) => Err(failed),
            (Ok(ending), None) => Ok(ending),
        }
    }

    pub(crate) async fn commit(&mut self) -> Result<(), Failed> {
        let sent = self.sent_commit();
        let commit = self.live.client.batch_execute("COMMIT");
        let committed = within(self.time, self.database.noting(&self.live, commit)).await;
        let committed = match committed {
            Ok(committed) => committed.map_err(|error| Failed::to_commit(&error)),
            Err(error) => Err(Failed::unknown(error)),
        };
        ended(sent, committed).await
    }

    /// Checks the constraints, and runs the triggers, that wait for a commit.
    ///
    /// # Errors
    /// As those of the commit.
    pub(crate) async fn check_deferred(&mut self) -> Result<(), Failed> {
        let checked = self.unless_failed(async |it| it.execute(CHECK_DEFERRED).await).await;
        self.ended(checked.map(Ending::DryRun)).map(drop)
    }

    /// Before `COMMIT` is sent.
    fn sent_commit(&mut self) -> SentCommit {
        let changes = std::mem::take(&mut self.changes);
        self.live.sends_commit(self.database.commits(), changes)
    }

    /// False where the connection is of no more use. What the write has read and tells its client, reads after it
    /// see, too, such as the answer that is kept with a key.
    pub(crate) async fn roll_back(&self) -> bool {
        let undone = self.live.client.batch_execute("ROLLBACK");
        self.database.noting(&self.live, undone).await.is_ok()
    }

    /// Does something, unless an error has stopped the write; remembers an error.
    async fn unless_failed<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T> {
        if let Some(failed) = &self.failed {
            return Err((*failed.error).clone());
        }
        work(self).await.map_err(|stop| {
            let failed = Failed::from(stop);
            let error = (*failed.error).clone();
            self.failed = Some(failed);
            error
        })
    }

    /// Sends statements in the transaction, which begins with the first of them. In a place of their own, as all that
    /// waits for them would move them.
    async fn flush<T>(&mut self, work: LocalBoxFuture<'_, T>) -> Result<T, Stop> {
        if self.begun {
            return self.timed(work).await;
        }
        let begin = begin(self.commit);
        let beginning = Beginning::ready(&self.live, begin, self.identity.as_ref()).await?;
        self.begun = true;
        let (live, locks) = (Rc::clone(&self.live), self.lock_timeout());
        let begin = Box::pin(beginning.begin(&live.client));
        let all = join3(begin, limit_locks(&live.client, locks), work);
        let (begun, limited, done) = self.timed(all).await?;
        begun?;
        limited?;
        Ok(done)
    }

    /// Waits for statements, each as long as it may take.
    async fn timed<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Stop> {
        let done = each_in_time(&self.live.arriving, self.time, work).await;
        done.map_err(|error| {
            // It still runs: nothing more can be said on the connection.
            self.abandoned = true;
            Stop::Over(Box::new(error))
        })
    }

    /// Sends statements that may wait for locks, within the remaining time.
    async fn flush_waiting<T>(&mut self, work: LocalBoxFuture<'_, T>) -> Result<T, Stop> {
        let later = self.begun && self.waits_until().is_some();
        let Some(timeout) = self.lock_timeout().filter(|_| later) else {
            return self.flush(work).await;
        };
        let live = Rc::clone(&self.live);
        let (limited, done) = join(limit_locks(&live.client, Some(timeout)), work).await;
        limited?;
        Ok(done)
    }

    /// Sends statements that do little but wait for locks, of which each may meet several: the server
    /// limits the wait for one lock alone.
    async fn flush_locking<T>(&mut self, work: LocalBoxFuture<'_, T>) -> Result<T, Stop> {
        let Some(until) = self.waits_until() else { return self.flush(work).await };
        // The server's own limit is a moment earlier, and keeps the connection.
        let ended =
            tokio::time::timeout_at((until + MOMENT).into(), self.flush_waiting(work)).await;
        ended.unwrap_or_else(|_| {
            self.abandoned = true;
            Err(Stop::Locked)
        })
    }

    /// How long the next statement waits for a lock, where that is not what its connection has set.
    fn lock_timeout(&self) -> Option<Duration> {
        let limit = self.locks?;
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        Some(limit.until.map_or(limit.each, |until| limit.each.min(left(until))))
    }

    /// The end of all waiting for locks, for a write that has met one.
    fn waits_until(&self) -> Option<Instant> {
        self.locks.and_then(|limit| limit.until)
    }

    async fn execute(&mut self, sql: &str) -> Result<(), Stop> {
        let live = Rc::clone(&self.live);
        Ok(self.flush(Box::pin(live.client.batch_execute(sql))).await??)
    }

    async fn documents(
        &mut self,
        read: &LockedRead,
        keys: &[Vec<Value>],
        lock: bool,
    ) -> Result<Vec<Answer>, Stop> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let one = read.one.as_deref().filter(|_| keys.len() == 1);
        if let Some(levels) = one.or(read.levels.as_deref()).filter(|_| lock) {
            return self.locked_levels(&read.read, levels, one.is_some(), keys).await;
        }
        let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
        let locks = if lock { &read.locks[..] } else { &[] };
        let mut prepared = Vec::with_capacity(locks.len());
        for lock in locks {
            // What it selects is of no interest.
            prepared.push(live.prepared(&lock.sql, 1, []).await?);
        }
        let ready = run::ready(&live, &read.read, keys.len()).await?;
        let locks = locks.iter().zip(&prepared).flat_map(|(lock, prepared)| {
            let bound: Vec<_> = match read.locks_each {
                true => in_order(&borrowed).into_iter().map(|key| bind::one(lock, key)).collect(),
                false => vec![bind(lock, &borrowed)],
            };
            bound.into_iter().map(|bound| live.client.execute_raw(prepared, bound))
        });
        let fetch = run::fetch(&live.client, &read.read, &ready, &borrowed, &limit);
        // Each statement sees the commits before its start: the read everything that was done
        // by those whom the locks had to wait for.
        let all = Box::pin(join(join_all(locks), fetch));
        let (locked, sets) = match lock {
            true => self.flush_locking(all).await?,
            false => self.flush(all).await?,
        };
        locked.into_iter().collect::<Result<Vec<u64>, _>>()?;
        Ok(answers(&read.read, sets?, keys))
    }

    /// The documents that a filter selects.
    async fn selected(&mut self, read: &PageRead) -> Result<Answer, Stop> {
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let prepared = pages::prepare(&live, read).await?;
        let planned = live.client.batch_execute(PLAN_EACH);
        let root = pages::root(&live, read, &prepared, &limit);
        let (planned, root) = self.flush(Box::pin(join(planned, root))).await?;
        planned?;
        let fetched: FetchedRows = pages::below(&live, read, &prepared, root?, &limit).await?;
        Ok(Answer { fetched: Rc::new(fetched), row: None })
    }

    /// Locks and reads each level by one statement.
    async fn locked_levels(
        &mut self,
        read: &KeyedRead,
        levels: &[duet_sql::Statement],
        one: bool,
        keys: &[Vec<Value>],
    ) -> Result<Vec<Answer>, Stop> {
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
        let mut prepared = Vec::with_capacity(levels.len());
        for (level, codecs) in levels.iter().zip(&read.codecs) {
            prepared.push(live.prepared(&level.sql, 0, codecs).await?);
        }
        let each = levels.iter().zip(&prepared).zip(&read.codecs);
        let each = each.map(|((level, prepared), codecs)| {
            let parameters = match keys {
                [key] if one => bind::one(level, key),
                _ => bind(level, &borrowed),
            };
            run::level(&live.client, prepared, parameters, codecs, &limit)
        });
        let sets = self.flush_locking(Box::pin(try_join_all(each))).await??;
        Ok(answers(read, sets, keys))
    }

    /// Sends updates and `COMMIT`, whatever becomes of them: an update that fails makes it a
    /// `ROLLBACK`.
    async fn send_last(&mut self, updates: &[UpdatedRows]) -> Result<Vec<RowSet>, Failed> {
        let live = Rc::clone(&self.live);
        let mut prepared = Vec::with_capacity(updates.len());
        for UpdatedRows { update, .. } in updates {
            let sql = &update.statement().sql;
            prepared.push(live.prepared(sql, 0, update.codecs()).await?);
        }
        let kept = live.kept(&self.limit);
        let each =
            updates.iter().zip(&prepared).map(|(UpdatedRows { update, rows, .. }, prepared)| {
                // As much comes back as was read before or sent.
                let parameters = bind::rows(update.statement(), &rows.iter().map(Vec::as_slice));
                run::level(&live.client, prepared, parameters, update.codecs(), &kept)
            });
        for updated in updates {
            let (table, action, count) =
                (&updated.table, updated.action, updated.rows.len() as u64);
            self.changes.rows(table, action, count, || Some(updated.changes.clone()));
        }
        let sets = self.send_with_commit(join_all(each)).await?;
        self.rows += sets.iter().map(|set| set.len() as u64).sum::<u64>();
        Ok(sets)
    }

    /// Sends calls on tables of Duet's own and `COMMIT`, in the same way.
    async fn send_own_last(&mut self, calls: &[Call]) -> Result<(), Failed> {
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let prepared = self.prepare(calls).await?;
        let each = calls.iter().zip(&prepared);
        let each = each.map(|(call, prepared)| run_one(&live.client, call, prepared, &limit));
        let ran = self.send_with_commit(join_all(each)).await?;
        self.rows += ran.iter().map(|ran| ran.done.affected).sum::<u64>();
        Ok(())
    }

    /// Sends the last statements of a write, and `COMMIT` behind them.
    async fn send_with_commit<T>(
        &mut self,
        last: impl Future<Output = Vec<Result<T, Stop>>>,
    ) -> Result<Vec<T>, Failed> {
        let live = Rc::clone(&self.live);
        if live.client.is_closed() {
            // Nothing of it was sent.
            let cause = "the connection broke before the last statements";
            return Err(Failed::new(unavailable(cause), Recovery::Reconnect));
        }
        let last = join(last, live.client.batch_execute("COMMIT"));
        let database = Arc::clone(&self.database);
        let last = Box::pin(database.noting(&live, last));
        self.finishing = true;
        let sent = self.sent_commit();
        let done = self.last(last).await;
        ended(sent, done).await
    }

    /// Waits for the last statements of a write.
    async fn last<T>(&mut self, last: LocalBoxFuture<'_, Last<T>>) -> Result<Vec<T>, Failed> {
        let flushed = self.flush(last).await;
        let (done, committed) = flushed.map_err(|stop| match self.abandoned {
            // `COMMIT` is on its way behind what still runs.
            true => Failed::unknown(stop.error()),
            false => Failed::from(stop),
        })?;
        self.finished = Some(Finished::RolledBack);
        let done: Result<Vec<T>, Stop> = done.into_iter().collect();
        let done = done.map_err(before_commit)?;
        committed.map_err(|error| Failed::to_commit(&error))?;
        self.finished = Some(Finished::Committed);
        Ok(done)
    }

    /// Inserts rows by as few statements as there are for them.
    async fn send_rows(
        &mut self,
        insert: &InsertBatch,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>, Failed> {
        let sets = match (&insert.lists, &insert.matched) {
            (Some(lists), _) => self.send_lists(insert, lists, rows).await?,
            (None, Some(matched)) => self.send_matched(insert, matched, rows).await?,
            (None, None) => return Err(Stop::OtherTypes.into()),
        };
        if !sets.iter().all(|set| set.len() == 1) {
            let error = Error::internal("the database has inserted other rows than it was given");
            return Err(Failed::new(error, Recovery::Singly));
        }
        let count = rows.len() as u64;
        self.rows += count;
        self.changes.rows(insert.table(), Action::Insert, count, || {
            let each = rows.iter().zip(&sets);
            Some(each.filter_map(|(row, set)| insert.change(row, set)).collect())
        });
        Ok(sets)
    }

    async fn send_matched(
        &mut self,
        insert: &InsertBatch,
        matched: &MatchedInsert,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>, Stop> {
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let (sql, before) = (&matched.statement.sql, matched.by.columns_before());
        let prepared = live.prepared(sql, before, &insert.codecs).await?;
        let together = MatchedRows { insert, matched, rows };
        let inserted = matched::insert(&live.client, &prepared, together, &limit);
        self.flush(Box::pin(inserted)).await?
    }

    /// The same by lists of values. Keys that the rows do not have are drawn before.
    async fn send_lists(
        &mut self,
        insert: &InsertBatch,
        returned: &ReturnedLists,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>, Stop> {
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let mut whole: Vec<Cow<'_, [Value]>> = rows.iter().map(|&row| row.into()).collect();
        if let Some(draw) = &returned.draw {
            let prepared = live.prepared(&draw.statement.sql, 0, &lists::codecs(draw)).await?;
            let drawn = lists::draw(&live, draw, &prepared, rows.len(), &limit);
            let drawn = self.flush(Box::pin(drawn)).await??;
            for (at, row) in whole.iter_mut().enumerate().take(drawn.len()) {
                let parts = (0..draw.parts).map(|part| Codec::Integer.value(drawn.get(at, part)));
                row.to_mut().extend(parts);
            }
        }
        let whole: Vec<&[Value]> = whole.iter().map(AsRef::as_ref).collect();
        let parts = lists::prepare(&live, &returned.lists, &whole, &insert.codecs).await?;
        let inserted = lists::insert(&live.client, &parts, insert, returned, &limit);
        self.flush(Box::pin(inserted)).await?
    }

    /// Records the error of statements that were sent together. If sending them one by one
    /// may help, or finds the faulty one, the write is run again that way.
    fn failed_together(&mut self, mut failed: Failed) -> Error {
        let passes = matches!(failed.error.code, Code::OutcomeUnknown | Code::Timeout)
            || is_over(&failed.error);
        if failed.remedy == Recovery::None && !passes {
            failed.remedy = Recovery::Singly;
        }
        let error = (*failed.error).clone();
        self.failed = Some(failed);
        error
    }

    /// Runs calls one after the other, so that each waits for locks within the remaining time.
    async fn run_each(&mut self, calls: &[Call], prepared: &[Prepared]) -> Result<Vec<Ran>, Stop> {
        let (live, limit) = (Rc::clone(&self.live), self.limit.clone());
        let mut done = Vec::with_capacity(calls.len());
        for (at, (call, prepared)) in calls.iter().zip(prepared).enumerate() {
            let one =
                self.flush_waiting(Box::pin(run_one(&live.client, call, prepared, &limit))).await?;
            done.push(one.map_err(|stop| Stop::Call(at, Box::new(stop)))?);
        }
        Ok(done)
    }

    /// Prepares the statements of calls that are not prepared yet, all in one flush.
    async fn prepare(&self, calls: &[Call]) -> Result<Vec<Prepared>, Stop> {
        let mut seen = HashSet::new();
        let distinct = calls.iter().filter(|call| seen.insert(&call.statement.sql));
        let each = distinct.map(|call| self.live.prepared(&call.statement.sql, 0, &call.codecs));
        for prepared in join_all(each).await {
            prepared?;
        }
        let mut prepared = Vec::with_capacity(calls.len());
        for call in calls {
            let links = match call.links() {
                Some(links) => {
                    Some(self.live.prepared(&links.statement.sql, 0, &links.codecs).await?)
                }
                None => None,
            };
            prepared.push((self.live.prepared(&call.statement.sql, 0, &call.codecs).await?, links));
        }
        Ok(prepared)
    }

    /// Counts and notes what calls have done.
    fn ran(&mut self, calls: &[Call], ran: Vec<Ran>) -> Vec<Done> {
        let each = calls.iter().zip(ran).map(|(call, Ran { done, links })| {
            self.rows += done.affected;
            call.note(&done, links.as_ref(), &mut self.changes);
            done
        });
        each.collect()
    }
}

/// What a call has done, and what its [`Call::links`] gave before.
struct Ran {
    done: Done,
    links: Option<RowSet>,
}

/// Tells consumers how a transaction has ended whose `COMMIT` was sent.
pub(crate) async fn ended<T>(sent: SentCommit, ended: Result<T, Failed>) -> Result<T, Failed> {
    match &ended {
        Ok(_) => sent.committed().await,
        // Told so when it is dropped.
        Err(failed) if failed.error.code == Code::OutcomeUnknown => drop(sent),
        Err(_) => sent.refused(),
    }
    ended
}

/// What has failed before a `COMMIT` that is sent already. The server's word says that nothing was
/// done; without one it is unknown how the transaction ended.
pub(crate) fn before_commit(stop: Stop) -> Failed {
    match &stop {
        Stop::Server(error) if error.as_db_error().is_none() => Failed::to_commit(error),
        _ => Failed::from(stop),
    }
}

fn answers(read: &KeyedRead, sets: Vec<RowSet>, keys: &[Vec<Value>]) -> Vec<Answer> {
    let (fetched, rows) = dispatch(read, sets, keys);
    rows.into_iter().map(|row| Answer { fetched: Rc::clone(&fetched), row }).collect()
}

/// Sets how long the transaction waits for a lock, if a limit is given.
pub(crate) async fn limit_locks(
    client: &Client,
    timeout: Option<Duration>,
) -> Result<(), tokio_postgres::Error> {
    let Some(timeout) = timeout else { return Ok(()) };
    let milliseconds = timeout.as_millis().max(1);
    client.batch_execute(&format!("SET LOCAL lock_timeout = {milliseconds}")).await
}

/// Runs calls in order; all are sent when this is first polled.
async fn run_all(
    client: &Client,
    calls: &[Call],
    prepared: &[Prepared],
    limit: &RowLimit,
) -> Result<Vec<Ran>, Stop> {
    let each = calls.iter().zip(prepared);
    let done = join_all(each.map(|(call, prepared)| run_one(client, call, prepared, limit))).await;
    // After the first error the others only say that there was one.
    let each = done.into_iter().enumerate();
    each.map(|(at, done)| done.map_err(|stop| Stop::Call(at, Box::new(stop)))).collect()
}

async fn run_one(
    client: &Client,
    call: &Call,
    (prepared, links): &Prepared,
    limit: &RowLimit,
) -> Result<Ran, Stop> {
    let run = query(client, prepared, &call.statement, &call.codecs, limit);
    let (Some(prepared), Some(read)) = (links, call.links()) else {
        return Ok(Ran { done: run.await?, links: None });
    };
    let links = query(client, prepared, &read.statement, &read.codecs, limit);
    // Sent in this order.
    let (links, done) = join(links, run).await;
    // An error of the first is that of the call, too.
    Ok(Ran { links: Some(links?.rows), done: done? })
}

async fn query(
    client: &Client,
    prepared: &Statement,
    statement: &duet_sql::Statement,
    codecs: &[Codec],
    limit: &RowLimit,
) -> Result<Done, Stop> {
    let rows = client.query_raw(prepared, bind(statement, &[])).await?;
    let mut set = RowSet::new(codecs.len());
    pin_mut!(rows);
    while let Some(row) = run::next(&mut rows, limit).await? {
        run::push_limited(&row, codecs, limit, &mut set)?;
    }
    Ok(Done { affected: rows.rows_affected().unwrap_or(0), rows: set })
}

#[async_trait(?Send)]
impl Session for Writing {
    async fn read(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        self.unless_failed(async |it: &mut Self| it.documents(read, keys, true).await).await
    }

    async fn reread(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        self.unless_failed(async |it: &mut Self| it.documents(read, keys, false).await).await
    }

    async fn page(&mut self, read: &PageRead) -> Result<Answer> {
        self.unless_failed(async |it: &mut Self| {
            let read = within(it.time, Box::pin(it.selected(read))).await;
            read.unwrap_or_else(|error| {
                // It still runs: nothing more can be said on the connection.
                it.abandoned = true;
                Err(Stop::Over(Box::new(error)))
            })
        })
        .await
    }

    async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        self.unless_failed(async |it: &mut Self| {
            if calls.is_empty() {
                return Ok(Vec::new());
            }
            let (live, limit) = (Rc::clone(&it.live), it.limit.clone());
            let prepared = it.prepare(calls).await?;
            let done = match it.waits_until() {
                Some(_) => it.run_each(calls, &prepared).await?,
                None => {
                    it.flush(Box::pin(run_all(&live.client, calls, &prepared, &limit))).await??
                }
            };
            Ok(it.ran(calls, done))
        })
        .await
    }

    async fn run_own(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        let Some(identity) = self.identity.clone() else { return self.run(calls).await };
        self.unless_failed(async |it: &mut Self| it.execute(role::OWN).await).await?;
        let done = self.run(calls).await?;
        let back = role::taken(&identity);
        self.unless_failed(async |it: &mut Self| it.execute(&back).await).await?;
        Ok(done)
    }

    async fn run_own_last(&mut self, calls: &[Call]) -> Result<()> {
        // A role may not prepare statements on tables that it does not see.
        if self.identity.is_some() || !self.may_finish() {
            return self.run_own(calls).await.map(drop);
        }
        let sent = self.send_own_last(calls).await;
        sent.map_err(|failed| self.failed_together(failed))
    }

    async fn run_and_reread(
        &mut self,
        calls: &[Call],
        read: &LockedRead,
        keys: &[Vec<Value>],
    ) -> Result<(Vec<Done>, Vec<Answer>)> {
        if self.waits_until().is_some() {
            let done = self.run(calls).await?;
            return Ok((done, self.reread(read, keys).await?));
        }
        self.unless_failed(async |it: &mut Self| {
            let (live, limit) = (Rc::clone(&it.live), it.limit.clone());
            let prepared = it.prepare(calls).await?;
            let ready: Ready = run::ready(&live, &read.read, keys.len()).await?;
            let borrowed: Vec<&[Value]> = keys.iter().map(Vec::as_slice).collect();
            let run = run_all(&live.client, calls, &prepared, &limit);
            let fetch = run::fetch(&live.client, &read.read, &ready, &borrowed, &limit);
            let (done, sets) = it.flush(Box::pin(join(run, fetch))).await?;
            let done = it.ran(calls, done?);
            Ok((done, answers(&read.read, sets?, keys)))
        })
        .await
    }

    fn records(&self) -> Records {
        match (self.changes.needs_rows(), &self.identity) {
            (false, _) => Records::Nothing,
            (true, Some(_)) => Records::Known,
            (true, None) => Records::Links,
        }
    }

    fn takes_rows(&self, insert: &InsertBatch) -> bool {
        (insert.matched.is_some() || insert.lists.is_some()) && self.may_finish()
    }

    async fn insert_rows(
        &mut self,
        insert: &InsertBatch,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>> {
        if let Some(failed) = &self.failed {
            return Err((*failed.error).clone());
        }
        let sent = self.send_rows(insert, rows).await;
        sent.map_err(|failed| match failed.is_locked() {
            // It waits for the lock where it is in no other write's way.
            true => {
                let error = (*failed.error).clone();
                self.failed = Some(failed);
                error
            }
            false => self.failed_together(failed),
        })
    }

    fn adds_rows(&self) -> bool {
        !self.singly && self.waits_until().is_none()
    }

    async fn add_rows(
        &mut self,
        statement: &duet_sql::Statement,
        table: &Arc<Relation>,
        rows: &[&[Value]],
    ) -> Result<u64> {
        self.unless_failed(async |it: &mut Self| {
            let live = Rc::clone(&it.live);
            let prepared = live.prepared(&statement.sql, 0, []).await?;
            let parameters = bind::rows(statement, &rows.iter().copied());
            let inserted = live.client.execute_raw(&prepared, parameters);
            let count = it.flush(Box::pin(inserted)).await??;
            it.rows += count;
            it.changes.rows(table, Action::Insert, count, || None);
            Ok(count)
        })
        .await
    }

    fn may_finish(&self) -> bool {
        let in_one = !self.singly && self.waits_until().is_none();
        in_one && self.savepoints == 0 && self.failed.is_none()
    }

    async fn finish(&mut self, updates: &[UpdatedRows]) -> Result<Vec<RowSet>> {
        if let Some(failed) = &self.failed {
            return Err((*failed.error).clone());
        }
        let sent = self.send_last(updates).await;
        sent.map_err(|failed| self.failed_together(failed))
    }

    async fn savepoint(&mut self) -> Result<()> {
        self.unless_failed(async |it: &mut Self| it.execute("SAVEPOINT duet_part").await).await?;
        self.changes.savepoint();
        self.savepoints += 1;
        Ok(())
    }

    async fn rollback_to_savepoint(&mut self) -> Result<()> {
        if let Some(failed) = &self.failed
            && (failed.remedy != Recovery::None
                || failed.error.code == Code::Timeout
                || self.abandoned)
        {
            return Err((*failed.error).clone());
        }
        self.savepoints = self.savepoints.checked_sub(1).ok_or_else(no_savepoint)?;
        self.failed = None;
        self.changes.roll_back();
        let sql = "ROLLBACK TO SAVEPOINT duet_part; RELEASE SAVEPOINT duet_part";
        self.unless_failed(async |it: &mut Self| it.execute(sql).await).await
    }

    async fn release_savepoint(&mut self) -> Result<()> {
        if self.failed.is_none() {
            self.savepoints = self.savepoints.checked_sub(1).ok_or_else(no_savepoint)?;
            self.changes.release();
        }
        let sql = "RELEASE SAVEPOINT duet_part";
        self.unless_failed(async |it: &mut Self| it.execute(sql).await).await
    }
}
