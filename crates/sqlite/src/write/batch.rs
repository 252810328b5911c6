//! Natural batching of writes: waiting writes share one transaction, with a savepoint each. Those that
//! arrive while it runs join it until it commits.
//!
//! No caller is answered before the transaction is complete, not even a failed one: its failure may
//! depend on the work of a neighbour, which may be rolled back. If the whole transaction
//! fails because of one of them, they are run again one by one, so that one's error reaches only
//! itself.

use std::time::{Duration, Instant};

use duet_admission::Job;
use duet_model::commit::Cause;
use duet_model::{Code, Error, Result};
use duet_store::commits::Changes;
use duet_store::refusal::refusal;
use duet_store::write::write_times::Mark;
use rusqlite::{Connection, ErrorCode};

use crate::connection::failure::{error_on, leaves_open};
use crate::connection::ticket::write_held;
use crate::connection::{Opened, wait_for_locks};
use crate::file::turns::WriteTurn;
use crate::write::job::{Fate, Jobs, WriteJob, answer_all};
use crate::write::progress::Phase;
use crate::write::session::{Connected, Writing};

/// Why a batch was rolled back.
enum Stop {
    /// The transaction could not begin, for all that take part.
    Before(Error),
    /// It could not be completed.
    Completing(rusqlite::Error),
    /// One of several has broken it: the rest is run again one by one.
    One,
}

/// How one write has ended, before the batch has.
struct Ended {
    job: Job<Box<WriteJob>>,
    end: Result<Fate>,
    rows: u64,
    changes: Changes,
}

/// What the writes that are kept have changed, all together.
fn changes(ended: &mut [Ended]) -> Changes {
    let mut all = Changes::default();
    for one in ended.iter_mut().filter(|one| one.end == Ok(Fate::Keep)) {
        all.append(std::mem::take(&mut one.changes));
    }
    all
}

/// Takes the writes that have arrived while a transaction runs.
pub(crate) type Arrivals<'a> = &'a mut dyn FnMut() -> Jobs;

/// Runs writes and answers them. False where the connection is of no more use.
pub(crate) fn run(
    connected: &mut Connected<'_>,
    opened: &Opened,
    jobs: Jobs,
    arrivals: Arrivals<'_>,
) -> bool {
    let mut ended = Vec::with_capacity(jobs.len());
    let (stopped, turn) = match transaction(connected, jobs, arrivals, &mut ended) {
        Ok(turn) => (None, Some(turn)),
        Err(stop) => (Some(stop), None),
    };
    connected.deadline.end();
    if stopped.is_some() || !connected.connection.is_autocommit() {
        roll_back(connected.connection);
    }
    match stopped {
        None => {
            // Looked at last: only now is it certain into which file the changes went.
            let there = connected.file.look().is_ok() && connected.file.is_current(opened);
            let kept = ended.iter().filter(|one| one.end == Ok(Fate::Keep));
            connected.file.statistics().wrote(kept.clone().count(), kept.map(|e| e.rows).sum());
            match there {
                true => connected.file.commits().committed(changes(&mut ended)),
                false => unknown(connected, &mut ended),
            }
            // Events of this file come in the order of its commits.
            drop(turn);
            for Ended { job, end, .. } in ended {
                job.item.answer(match end {
                    Ok(Fate::Keep) if !there => Err(refusal(Code::OutcomeUnknown)
                        .cause("the database file was replaced while it was written to")),
                    end => end.map(drop),
                });
            }
            there
        }
        Some(Stop::One) => {
            connected.file.statistics().retried();
            let mut usable = true;
            for Ended { job, end, .. } in ended {
                match end {
                    // Its time is over, for all in it.
                    Err(error) if error.code == Code::Timeout => job.item.answer(Err(error)),
                    _ => usable &= run(connected, opened, vec![job], &mut Jobs::new),
                }
            }
            usable
        }
        Some(Stop::Before(error)) => answer(connected, ended, &error),
        Some(Stop::Completing(error)) if leaves_open(&error) => {
            unknown(connected, &mut ended);
            let unknown = refusal(Code::OutcomeUnknown).cause(error);
            answer(connected, ended, &unknown)
        }
        Some(Stop::Completing(error)) => {
            let error = error_on(connected.connection, &error);
            answer(connected, ended, &error)
        }
    }
}

/// Delivers the changes of a transaction whose outcome is not known.
fn unknown(connected: &Connected<'_>, ended: &mut [Ended]) {
    connected.file.commits().unknown(&changes(ended), Cause::Unknown);
}

/// Gives all of them the same error.
fn answer(connected: &Connected<'_>, ended: Vec<Ended>, error: &Error) -> bool {
    answer_all(ended.into_iter().map(|one| one.job).collect(), error);
    connected.connection.is_autocommit()
}

/// Waits for the right to write and for the file's lock, until the last of the jobs' deadlines.
fn begin(connected: &Connected<'_>, jobs: &Jobs) -> Result<WriteTurn> {
    let Connected { file, progress, checkpointer, connection, .. } = connected;
    let deadline = jobs.iter().map(|job| job.item.deadline()).max_by_key(|deadline| deadline.end());
    let deadline = deadline.ok_or_else(|| Error::internal("a batch without a write"))?;
    if deadline.is_over(Instant::now()) {
        return Err(progress.in_vain());
    }
    progress.is_in(Phase::Work);
    checkpointer.wait(deadline.end());
    if deadline.is_over(Instant::now()) {
        return Err(progress.in_vain());
    }
    progress.is_in(Phase::Turn);
    let turn = file.turns().wait_until(deadline).ok_or_else(write_held)?;
    progress.is_in(Phase::Lock);
    let longest = file.limits().lock_timeout;
    let left = deadline.left(Instant::now());
    let begun = wait_for_locks(connection, longest.min(left).max(Duration::from_millis(1)))
        .and_then(|()| execute(connection, "BEGIN IMMEDIATE"))
        // A commit may have to wait for readers.
        .and_then(|()| wait_for_locks(connection, longest));
    begun.map_err(|error| error_on(connection, &error))?;
    progress.is_in(Phase::Work);
    Ok(turn)
}

/// Looks whether others have committed, where that is wanted.
pub(crate) fn look(connected: &mut Connected<'_>) {
    let Connected { file, connection, watch, .. } = connected;
    if file.foreign().is_on() {
        if connection.is_autocommit() {
            // A lock is not waited for: behind it may be a commit. Where this fails, the look waits.
            let _ = connection.busy_timeout(Duration::ZERO);
        }
        file.foreign().look(watch, file.commits());
    }
}

/// Runs writes in one transaction. All of them are in `ended` afterwards, but for those whose
/// callers have gone before it began.
fn transaction(
    connected: &mut Connected<'_>,
    mut jobs: Jobs,
    arrivals: Arrivals<'_>,
    ended: &mut Vec<Ended>,
) -> Result<WriteTurn, Stop> {
    let connection = connected.connection;
    let classes = jobs.iter().map(|job| job.item.commit);
    let commit = classes.max().unwrap_or_default();
    let set = connected.syncing.set(connection, commit, connected.file.synchronous());
    let begun =
        set.map_err(|error| error_on(connection, &error)).and_then(|()| begin(connected, &jobs));
    // Also where others kept the file locked: they may have committed meanwhile.
    look(connected);
    let turn = match begun {
        Ok(turn) => turn,
        Err(error) => {
            ended.extend(jobs.into_iter().map(undone));
            return Err(Stop::Before(error));
        }
    };
    begin_all(&mut jobs);
    let broken = run_all(connected, jobs, arrivals, ended);
    let alone = ended.len() == 1;
    match broken {
        // Its error is its answer.
        Some(Ok(())) if alone => return Ok(turn),
        Some(_) => return Err(Stop::One),
        None => {}
    }
    if !ended.iter().any(|one| one.end == Ok(Fate::Keep)) {
        let undone = execute(connection, "ROLLBACK");
        return undone.map(|()| turn).map_err(|error| Stop::Before(error_on(connection, &error)));
    }
    ended.iter().for_each(|one| one.job.item.mark(Mark::Executed));
    let committed = execute(connection, "COMMIT");
    if committed.is_ok() {
        connected.syncing.committed();
    }
    ended.iter().for_each(|one| one.job.item.mark(Mark::Committed));
    committed.map(|()| turn).map_err(|error| {
        let is_row_error = error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation);
        if is_row_error && !alone { Stop::One } else { Stop::Completing(error) }
    })
}

/// Runs writes, and those that arrive meanwhile, so that they need no commit of their own. Gives how the
/// transaction was broken, if it was.
fn run_all(
    connected: &mut Connected<'_>,
    mut jobs: Jobs,
    arrivals: Arrivals<'_>,
    ended: &mut Vec<Ended>,
) -> Option<rusqlite::Result<()>> {
    let most = connected.file.limits().batch;
    loop {
        let alone = ended.is_empty() && jobs.len() == 1;
        let mut rest = jobs.into_iter();
        while let Some(job) = rest.next() {
            let longest = connected.file.limits().statement_timeout;
            let longest = job.request.deadline.statement(Instant::now(), longest);
            let (end, rows, changes, left) = one(connected, &job.item, alone, longest);
            ended.push(Ended { job, end, rows, changes });
            if connected.connection.is_autocommit() || left.is_err() {
                ended.extend(rest.map(undone));
                return Some(left);
            }
        }
        // Without a savepoint, a lone write is undone with the whole transaction.
        let undo_all = alone && ended.iter().any(|one| one.end != Ok(Fate::Keep));
        if undo_all || ended.len() >= most {
            return None;
        }
        jobs = arrivals();
        begin_all(&mut jobs);
        if jobs.is_empty() {
            return None;
        }
    }
}

/// The transaction has begun for these; those whose callers have gone are dropped.
fn begin_all(jobs: &mut Jobs) {
    jobs.retain_mut(|job| job.item.begin());
    jobs.iter().for_each(|job| job.item.mark(Mark::Begun));
}

/// A write that has not begun.
fn undone(job: Job<Box<WriteJob>>) -> Ended {
    Ended { job, end: Ok(Fate::Undo), rows: 0, changes: Changes::default() }
}

/// Runs one write; in company with a savepoint around it. The last is whether it left the
/// transaction as it should.
fn one(
    connected: &mut Connected<'_>,
    job: &WriteJob,
    alone: bool,
    most: Duration,
) -> (Result<Fate>, u64, Changes, rusqlite::Result<()>) {
    let connection = connected.connection;
    if !alone && let Err(error) = execute(connection, "SAVEPOINT duet_write") {
        return (Err(error_on(connection, &error)), 0, Changes::default(), Err(error));
    }
    connected.deadline.begin(most);
    let deadline = connected.deadline;
    let mut session = Writing::new(connected);
    let mut end = job.run(&mut session);
    // Its neighbours are kept: what the commit of all would refuse is refused to this write alone.
    if !alone && end == Ok(Fate::Keep) {
        end = session.check_references().map(|()| Fate::Keep);
    }
    let rows = session.rows();
    let changes = session.into_changes();
    deadline.end();
    if connection.is_autocommit() {
        // SQLite has rolled back everything.
        let end = end.and_then(|_| Err(Error::internal("the transaction is gone")));
        return (end, rows, changes, Ok(()));
    }
    if alone {
        return (end, rows, changes, Ok(()));
    }
    let undo =
        if end == Ok(Fate::Keep) { Ok(()) } else { execute(connection, "ROLLBACK TO duet_write") };
    let released = undo.and_then(|()| execute(connection, "RELEASE duet_write"));
    (end, rows, changes, released)
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.raw_execute().map(drop)
}

/// After any error; if it fails, the connection is closed.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        drop(execute(connection, "ROLLBACK"));
    }
}
