//! Writes: a transaction on a connection of its own, run again where that can help.

use std::rc::Rc;
use std::time::{Duration, Instant};

use duet_admission::{Class, Deadline, Gates, Refusal, Request, Turn};
use duet_client::sqlstate::{self, Recovery};
use duet_model::{Code, Error, Result};
use duet_store::memory::row_limit::is_over;
use duet_store::queues::admit::{PATIENCE, granted, refused};
use duet_store::refusal::refusal;
use duet_store::write::write_times::Mark;
use duet_store::write::{AnyWrite, Ending};

use crate::database::Database;
use crate::pool::lane::CONNECTIONS_TRIED;
use crate::pool::{Loan, Pool};
use crate::transactions::group::Group;
use crate::transactions::group_member::Shared;
use crate::transactions::session::{Failed, Finished, LockLimit, Writing};
use crate::transactions::terms::WriteTerms;
use crate::write_gates::WriteGates;

/// How often the database may undo a write because of others.
const ATTEMPTS: u32 = 5;

/// How long a write waits for a lock in the gate of writes that met one.
/// Longer than the first attempts of the others, which therefore give way.
const IN_TURN: Duration = Duration::from_millis(250);

/// How long before its deadline a wait for a lock may end: PostgreSQL counts whole milliseconds.
pub(crate) const EARLY: Duration = Duration::from_millis(10);

/// What a connection for writes sets. A session that holds locks and is idle has lost its server, which
/// must not stop the others for ever. What writes run finds rows by keys, for which one plan is right
/// whatever the keys (`alone`: no pages are read on it); see [`Session::page`](duet_store::Session::page).
pub(crate) fn session(database: &Database, alone: bool) -> Rc<str> {
    let limits = database.limits();
    let lock = PATIENCE.min(limits.lock_timeout).as_millis().max(1);
    let idle = limits.statement_timeout.as_millis();
    let plan = if alone { database.plans_by_key() } else { "auto" };
    let others = database.of_writes();
    Rc::from(format!(
        "SET jit = off; SET plan_cache_mode = {plan}; SET lock_timeout = {lock}; \
         SET idle_in_transaction_session_timeout = {idle}{others}"
    ))
}

/// Passes a gate; waits at most until the limit of all waiting for locks.
async fn turn(gates: &Gates, request: Request, key: u64) -> Result<Turn> {
    let place = gates.enter(Instant::now(), request, key);
    granted(place, request.deadline).await.map_err(|refusal| match refusal {
        Refusal::Full => refused(refusal),
        Refusal::Expired => sqlstate::locked().cause("other writes blocked it all the time"),
    })
}

/// Runs a write. If the caller disconnects, its statement is cancelled and the
/// transaction rolled back.
///
/// A write that meets a lock returns its connection and waits where it blocks no other
/// write: first in the gate of writes that met one, then on a connection reserved for such writes.
/// A large write tries again from time to time instead, and holds no lock in between. All its attempts
/// together wait no longer than the limit for locks.
///
/// Before all that, it is tried in one transaction with others of its kind; see [`Group`].
pub(crate) async fn write(
    pool: &Rc<Pool>,
    turns: &WriteGates,
    request: Request,
    terms: WriteTerms<'_>,
    group: Option<Rc<Group>>,
    work: &AnyWrite,
) -> Result<()> {
    let locks = request.within(pool.database().limits().lock_timeout);
    mark(work, Mark::Queued);
    let _turn = match work.touches() {
        Some(key) => Some(turn(&turns.documents, locks, key).await?),
        None => None,
    };
    let _slot = match (group, work.shares()) {
        (Some(group), Some((_, key))) => match Box::pin(group.write(request, key, work)).await? {
            Shared::Ended => return Ok(()),
            Shared::Alone(slot) => slot,
        },
        _ => None,
    };
    let is_large = work.is_large();
    let mut tries = Tries::default();
    let class = if is_large { Class::Large } else { Class::Normal };
    let mut loan = pool.lend(request, class).await?;
    loop {
        let waits = pool.isolates() && !is_large;
        let limit = tries.stage.patience(waits, locks.deadline);
        let first = || pool.database().first_patience().map(|each| LockLimit { each, until: None });
        let limit = limit.or_else(first);
        let attempt = attempt(&mut loan, terms, work, tries.singly, limit);
        let failed = match Box::pin(attempt).await {
            Ok(()) => return Ok(()),
            Err(failed) => failed,
        };
        if !failed.has_met() {
            tries.again(&loan, failed)?;
            continue;
        }
        loan.lane.statistics().retried();
        drop(loan);
        let locked = tries.met(failed, locks.deadline)?;
        let again = async {
            let in_turn = match tries.stage {
                Stage::InTurn => Some(turn(&turns.met, locks, 0).await?),
                // It has released its locks: others can proceed.
                Stage::Apart if is_large => {
                    tokio::time::sleep(IN_TURN.min(locks.deadline.left(Instant::now()))).await;
                    None
                }
                _ => None,
            };
            Ok::<_, Error>((in_turn, pool.lend(locks, Class::Isolated).await?))
        };
        let in_turn;
        (in_turn, loan) = match again.await {
            Ok(again) => again,
            // What it waited for in vain, rather than how.
            Err(_) if locks.deadline.is_over(Instant::now()) => return Err(locked),
            Err(error) => return Err(error),
        };
        tries.turn = in_turn;
    }
}

/// Where a write waits for locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Beside all others, for about the time of a commit.
    #[default]
    Among,
    /// In the gate of writes that met a lock.
    InTurn,
    /// On a connection for those that wait for another session's lock, until the end.
    Apart,
}

impl Stage {
    /// How long it may wait for a lock, where that is not what its connection has set. To the end only
    /// where it may wait: not on the only connection, and not with many rows locked that others want.
    fn patience(self, may_wait: bool, deadline: Deadline) -> Option<LockLimit> {
        let left = deadline.left(Instant::now());
        let each = match self {
            Self::Among => return None,
            Self::Apart if may_wait => left,
            Self::InTurn | Self::Apart => left.min(IN_TURN),
        };
        Some(LockLimit { each, until: Some(deadline.end()) })
    }
}

/// The attempts of a write, by the cause of their failure.
#[derive(Debug, Default)]
pub(crate) struct Tries {
    conflicts: u32,
    connections: usize,
    schemas: u32,
    /// Whether the write does one thing after the other from now on.
    singly: bool,
    stage: Stage,
    /// The place in the gate of writes that met a lock.
    turn: Option<Turn>,
}

impl Tries {
    /// Makes ready to try again on the same connection.
    ///
    /// # Errors
    /// Where that cannot help, or has not.
    pub(crate) fn again(&mut self, loan: &Loan, failed: Failed) -> Result<()> {
        let Failed { error, remedy } = failed;
        match remedy {
            Recovery::Reconnect if self.connections + 1 < CONNECTIONS_TRIED => {
                self.connections += 1;
                loan.lane.drop_connection();
            }
            Recovery::Prepare | Recovery::Reload if self.schemas == 0 => {
                self.schemas += 1;
                loan.lane.forget();
            }
            Recovery::Singly if !self.singly => self.singly = true,
            _ => return Err(*error),
        }
        loan.lane.statistics().retried();
        Ok(())
    }

    /// Says where the write waits after it has met others; gives the error for where that is in
    /// vain.
    ///
    /// # Errors
    /// Where no time is left, or the database has undone it too often.
    fn met(&mut self, failed: Failed, deadline: Deadline) -> Result<Error> {
        self.turn = None;
        let was_locked = failed.is_locked();
        let error = match was_locked {
            true => *failed.error,
            false => refusal(Code::WriteConflict).cause(failed.error.cause.unwrap_or_default()),
        };
        self.conflicts += u32::from(!was_locked);
        if deadline.is_over(Instant::now() + EARLY) || self.conflicts >= ATTEMPTS {
            return Err(error);
        }
        self.stage = match self.stage {
            Stage::InTurn | Stage::Apart if was_locked => Stage::Apart,
            _ => Stage::InTurn,
        };
        Ok(error)
    }
}

/// Notes a moment of a write whose times are reported.
fn mark(work: &AnyWrite, mark: Mark) {
    if let Some(times) = work.times() {
        times.mark(mark);
    }
}

async fn attempt(
    loan: &mut Loan,
    terms: WriteTerms<'_>,
    work: &AnyWrite,
    singly: bool,
    locks: Option<LockLimit>,
) -> Result<(), Failed> {
    let live = loan.lane.live_for(None).await.map_err(Failed::to_connect)?;
    loan.running = Some(Rc::clone(&live));
    mark(work, Mark::Begun);
    let database = loan.database();
    let mut session = Writing::new(live, terms, &loan.limit(), &database);
    session.singly = singly;
    session.locks = locks;
    session.time = database.limits().statement_timeout;
    let ended = match database.watched(work.run(&mut session)).await {
        Ok(ended) => ended,
        Err(error) if session.is_finishing() => return Err(Failed::unknown(error)),
        Err(error) => return Err(Failed::new(error, Recovery::None)),
    };
    let (ended, commit) = match session.ended(ended) {
        Ok(Ending::Commit(())) => (Ok(()), true),
        Ok(Ending::Rollback(())) => (Ok(()), false),
        Ok(Ending::DryRun(())) if session.has_begun() => {
            let checked = database.watched(session.check_deferred()).await;
            (checked.unwrap_or_else(|error| Err(Failed::new(error, Recovery::None))), false)
        }
        Ok(Ending::DryRun(())) => (Ok(()), false),
        Err(failed) => (Err(failed), false),
    };
    if !session.has_begun() {
        loan.running = None;
        return ended;
    }
    if let Some(finished) = session.finished() {
        if !ended.as_ref().is_err_and(|failed| failed.error.code == Code::OutcomeUnknown) {
            loan.running = None;
        }
        if finished == Finished::Committed {
            loan.lane.statistics().wrote(1, session.rows());
        }
        return ended;
    }
    if commit {
        mark(work, Mark::Executed);
        let committed = database.watched(session.commit()).await;
        let committed = committed.unwrap_or_else(|error| Err(Failed::unknown(error)));
        // Whatever it was, an error of `COMMIT` ends the transaction; where the connection is
        // lost with it, it is given up with the loan.
        if !committed.as_ref().is_err_and(|failed| failed.error.code == Code::OutcomeUnknown) {
            loan.running = None;
        }
        committed?;
        mark(work, Mark::Committed);
        loan.lane.statistics().wrote(1, session.rows());
        return ended;
    }
    // The rest of an answer that is too large is still on its way: no request waits for that.
    let over = ended.as_ref().is_err_and(|failed| is_over(&failed.error)) || session.is_abandoned();
    if !over && database.watched(session.roll_back()).await.unwrap_or(false) {
        loan.running = None;
    }
    ended
}

impl Failed {
    /// The server has not said how the transaction ended.
    pub(crate) fn unknown(error: Error) -> Self {
        let unknown = refusal(Code::OutcomeUnknown).cause(error.cause.unwrap_or_default());
        Self::new(unknown, Recovery::None)
    }

    /// A lock was waited for in vain.
    pub(crate) fn is_locked(&self) -> bool {
        self.remedy == Recovery::None && self.error.code == Code::DatabaseLocked
    }

    /// Another transaction blocked it: by a lock, a deadlock or a conflict.
    pub(crate) fn has_met(&self) -> bool {
        self.remedy == Recovery::Again || self.is_locked()
    }

    /// A connection could not be made.
    pub(crate) fn to_connect(error: Error) -> Self {
        let remedy = match error.code {
            Code::DatabaseUnavailable => Recovery::Reconnect,
            _ => Recovery::None,
        };
        Self::new(error, remedy)
    }

    /// The transaction was not completed; without a response of the server the outcome is unknown.
    pub(crate) fn to_commit(error: &tokio_postgres::Error) -> Self {
        let remedy = sqlstate::remedy_for(error);
        if error.as_db_error().is_none() || remedy == Recovery::Reconnect {
            let error = refusal(Code::OutcomeUnknown).cause(sqlstate::chain(error));
            return Self::new(error, Recovery::None);
        }
        Self::new(sqlstate::error_of(error), remedy)
    }
}
