//! Writes: a transaction on a connection of its own, run again where that can help.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use duet_auth::Identity;
use duet_model::{Code, Error, Result};

use crate::postgres::lane::CONNECTIONS_TRIED;
use crate::postgres::pool::{Loan, Pool};
use crate::postgres::session::{Failed, Finished, Writing};
use crate::postgres::sqlstate::{self, Remedy};
use crate::refusal::refusal;
use crate::store::Limits;
use crate::write::{Ending, Write};

/// How often a write is tried that others get in the way of.
const ATTEMPTS: u32 = 5;

/// How long a write waits for a lock that keeps all others waiting. Nobody of this process holds one
/// then.
const ALONE: Duration = Duration::from_millis(250);

/// What a connection for writes sets. Who holds locks and does nothing has lost its server, which
/// must not stop the others for ever. What writes run finds rows by keys, for which one plan is right
/// whatever the keys (`alone`: no pages are read on it); see [`Session::page`](crate::Session::page).
pub(crate) fn session(limits: &Limits, alone: bool) -> Rc<str> {
    // Waited for twice among others, and shortly alone in between.
    let lock = (limits.lock_timeout / 2).as_millis().max(1);
    let idle = limits.statement_timeout.as_millis();
    let plan = if alone { "force_generic_plan" } else { "auto" };
    Rc::from(format!(
        "SET jit = off; SET plan_cache_mode = {plan}; SET lock_timeout = {lock}; \
         SET idle_in_transaction_session_timeout = {idle}"
    ))
}

/// Runs a write. Where the caller goes away meanwhile, its statement is cancelled and the
/// transaction rolled back.
pub(crate) async fn write<W: Write>(
    pool: &Rc<Pool>,
    identity: Option<&Arc<Identity>>,
    work: &W,
) -> Result<W::Output> {
    let mut loan = pool.lend().await?;
    let gate = pool.database().gate();
    let mut tries = Tries::default();
    loop {
        let attempted = if tries.alone {
            // Who has met others once meets no other write of this process again.
            let _alone = gate.write().await;
            attempt(&mut loan, identity, work, &tries).await
        } else {
            let _among_others = gate.read().await;
            attempt(&mut loan, identity, work, &tries).await
        };
        match attempted {
            Ok(output) => return Ok(output),
            // It is somebody else's lock, for which the others need not wait too.
            Err(failed) if tries.alone && failed.is_locked() => {
                tries.alone = false;
                loan.lane.statistics().retried();
            }
            Err(failed) => tries.again(&loan, failed).await?,
        }
    }
}

/// How often a write has been tried, by what was in the way.
#[derive(Debug, Default)]
pub(crate) struct Tries {
    conflicts: u32,
    connections: usize,
    schemas: u32,
    /// Whether the write does one thing after the other from now on.
    singly: bool,
    /// Whether it runs alone now, among the writes of this process.
    alone: bool,
    /// Whether a lock was waited for in vain, among others.
    locked: bool,
}

impl Tries {
    /// Makes ready to try again.
    ///
    /// # Errors
    /// Where that cannot help, or has not.
    pub(crate) async fn again(&mut self, loan: &Loan, failed: Failed) -> Result<()> {
        let locked = failed.is_locked();
        let Failed { error, remedy } = failed;
        match remedy {
            // Who holds the lock may wait for one of ours in turn, through others.
            _ if locked && !self.locked => {
                (self.locked, self.alone) = (true, true);
            }
            Remedy::Again => {
                self.alone = true;
                self.conflicts += 1;
                if self.conflicts >= ATTEMPTS {
                    let cause = error.cause.unwrap_or_default();
                    return Err(refusal(Code::WriteConflict).cause(cause));
                }
                pause(self.conflicts).await;
            }
            Remedy::Reconnect if self.connections + 1 < CONNECTIONS_TRIED => {
                self.connections += 1;
                loan.lane.drop_connection();
            }
            Remedy::Prepare | Remedy::Reload if self.schemas == 0 => {
                self.schemas += 1;
                loan.lane.forget();
            }
            Remedy::Singly if !self.singly => self.singly = true,
            _ => return Err(*error),
        }
        loan.lane.statistics().retried();
        Ok(())
    }
}

/// Waits a little, at random, so that those who met do not meet again.
async fn pause(conflicts: u32) {
    let most = 4 << conflicts;
    let random = getrandom::u32().map_or(most, |random| 1 + random % most);
    tokio::time::sleep(Duration::from_millis(u64::from(random))).await;
}

async fn attempt<W: Write>(
    loan: &mut Loan,
    identity: Option<&Arc<Identity>>,
    work: &W,
    tries: &Tries,
) -> Result<W::Output, Failed> {
    let live = loan.lane.live().await.map_err(Failed::to_connect)?;
    loan.running = Some(Rc::clone(&live));
    let mut session = Writing::new(live, identity.cloned(), loan.limit());
    session.singly = tries.singly;
    session.lock_timeout = tries.alone.then_some(ALONE.min(loan.lock_timeout() / 2));
    let ended = work.run(&mut session).await;
    let (output, commit) = match session.ended(ended) {
        Ok(Ending::Commit(output)) => (Ok(output), true),
        Ok(Ending::Rollback(output)) => (Ok(output), false),
        Err(failed) => (Err(failed), false),
    };
    if !session.has_begun() {
        loan.running = None;
        return output;
    }
    if let Some(finished) = session.finished() {
        if !output.as_ref().is_err_and(|failed| failed.error.code == Code::OutcomeUnknown) {
            loan.running = None;
        }
        if finished == Finished::Committed {
            loan.lane.statistics().wrote(1, session.rows());
        }
        return output;
    }
    if commit {
        let committed = session.commit().await;
        // Whatever it was, an error of `COMMIT` ends the transaction; where the connection is
        // lost with it, it is given up with the loan.
        if !committed.as_ref().is_err_and(|failed| failed.error.code == Code::OutcomeUnknown) {
            loan.running = None;
        }
        committed?;
        loan.lane.statistics().wrote(1, session.rows());
        return output;
    }
    // The rest of an answer that is too large is still on its way: nobody waits for that.
    let too_large = output.as_ref().is_err_and(|failed| failed.error.code == Code::AnswerTooLarge);
    if !too_large && session.roll_back().await {
        loan.running = None;
    }
    output
}

impl Failed {
    /// A lock was waited for in vain.
    fn is_locked(&self) -> bool {
        self.remedy == Remedy::None && self.error.code == Code::DatabaseLocked
    }

    /// A connection could not be made.
    pub(crate) fn to_connect(error: Error) -> Self {
        let remedy = match error.code {
            Code::DatabaseUnavailable => Remedy::Reconnect,
            _ => Remedy::None,
        };
        Self::new(error, remedy)
    }

    /// The transaction was not completed; or, without a word of the server, that cannot be told.
    pub(crate) fn to_commit(error: &tokio_postgres::Error) -> Self {
        let remedy = sqlstate::remedy_for(error);
        if error.as_db_error().is_none() || remedy == Remedy::Reconnect {
            let error = refusal(Code::OutcomeUnknown).cause(sqlstate::chain(error));
            return Self::new(error, Remedy::None);
        }
        Self::new(sqlstate::error_of(error), remedy)
    }
}
