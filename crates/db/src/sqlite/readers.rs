//! Reader threads: pages and everything else that may take long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::{Deadline, Request};
use duet_document::Fetched;
use duet_model::{Error, Result, Value};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::read::{KeyedRead, PageRead};
use crate::sqlite::database::{BUSY, Database, Opened};
use crate::sqlite::failure::error_of;
use crate::sqlite::run;
use crate::sqlite::slice::STEPS_PER_CHECK;
use crate::sqlite::ticket::{Ticket, Waiting, overloaded};
use crate::sqlite::version::Version;
use crate::store::Limits;

type Work = Box<dyn FnOnce(Result<(&Connection, &Version)>) + Send>;

/// What a thread is to do, and whether anybody still waits for it.
struct Job {
    asked: Deadline,
    ticket: Arc<Ticket>,
    work: Work,
}

/// The threads, started when first needed.
pub(crate) struct Readers {
    count: usize,
    queue_timeout: Duration,
    sender: SyncSender<Job>,
    receiver: Arc<Mutex<Receiver<Job>>>,
    started: Mutex<usize>,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Readers {
    pub(crate) fn new(limits: &Limits) -> Self {
        let (sender, receiver) = sync_channel(limits.queue_length.max(1));
        Self {
            count: limits.connections.max(1),
            queue_timeout: limits.queue_timeout,
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
            started: Mutex::new(0),
        }
    }

    pub(crate) async fn by_key(
        &self,
        database: &Arc<Database>,
        request: Request,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Fetched> {
        let (shared, read) = (Arc::clone(database), Arc::clone(read));
        self.run(database, request, move |connection, version| {
            let limit = shared.limits().answer_bytes;
            let run = || {
                let mut prepared = run::prepare(connection, &read)?;
                let as_of = || version.as_of(&shared, connection);
                run::by_key(&mut prepared, &read, &key, limit, as_of)
            };
            run().map_err(|error| error_of(&error))?
        })
        .await
    }

    pub(crate) async fn page(
        &self,
        database: &Arc<Database>,
        request: Request,
        read: Arc<PageRead>,
    ) -> Result<(Fetched, Option<u64>)> {
        let shared = Arc::clone(database);
        self.run(database, request, move |connection, version| {
            let limit = shared.limits().answer_bytes;
            run::page(connection, &read, limit, || version.as_of(&shared, connection))
        })
        .await
    }

    /// Runs something on a thread; not where it must wait for one too long. Where the caller goes
    /// away meanwhile, the statement is stopped.
    async fn run<T: Send + 'static>(
        &self,
        database: &Arc<Database>,
        request: Request,
        work: impl FnOnce(&Connection, &Version) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let deadline = request.deadline.within(self.queue_timeout);
        if deadline.is_over(Instant::now()) {
            return Err(overloaded());
        }
        self.start_one(database)?;
        let (reply, mut answer) = oneshot::channel();
        let work: Work = Box::new(move |opened| {
            // Whoever has gone meanwhile needs no answer.
            drop(reply.send(opened.and_then(|(connection, version)| work(connection, version))));
        });
        let ticket = Arc::new(Ticket::default());
        let waiting = Waiting(Arc::clone(&ticket));
        self.sender.try_send(Job { asked: deadline, ticket, work }).map_err(
            |error| match error {
                TrySendError::Full(_) => overloaded(),
                TrySendError::Disconnected(_) => Error::internal("the reader threads have stopped"),
            },
        )?;
        let answer = match tokio::time::timeout_at(deadline.end().into(), &mut answer).await {
            Ok(answer) => answer,
            Err(_) if waiting.0.leave_queue(Ticket::GIVEN_UP) => return Err(overloaded()),
            Err(_) => answer.await,
        };
        answer.map_err(|_| Error::internal("a read has panicked"))?
    }

    /// Starts a thread for each of the first requests, up to the number of connections.
    fn start_one(&self, database: &Arc<Database>) -> Result<()> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if *started >= self.count {
            return Ok(());
        }
        // The threads end with the database, whose queue they read.
        let (database, receiver) = (Arc::downgrade(database), Arc::clone(&self.receiver));
        thread::Builder::new()
            .name(format!("sqlite-reader-{started}"))
            .spawn(move || serve(&database, &receiver))
            .map_err(Error::internal)?;
        *started += 1;
        Ok(())
    }
}

/// One thread's life: jobs as they come, on a connection to the file that is there.
fn serve(database: &Weak<Database>, receiver: &Mutex<Receiver<Job>>) {
    let mut held: Option<(Opened, Version)> = None;
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { asked, ticket, work }) = next else { return };
        let Some(database) = database.upgrade() else { return };
        if !ticket.leave_queue(Ticket::RUNNING) {
            continue;
        }
        if held.as_ref().is_some_and(|(opened, _)| !database.is_current(opened)) {
            held = None;
        }
        // A request that has waited for a thread waits the less for a lock.
        let patience = asked.within(BUSY).left(Instant::now());
        let opened = match held.take() {
            Some(held) => Ok(held),
            None => database.connect_for(patience).map(|opened| (opened, Version::default())),
        };
        match opened {
            Ok((mut opened, version)) => {
                let timeout = database.limits().statement_timeout;
                let deadline = Instant::now() + timeout;
                let over = move || ticket.is_given_up() || Instant::now() > deadline;
                let ready = opened
                    .busy_timeout(patience)
                    .and_then(|()| opened.progress_handler(STEPS_PER_CHECK, Some(over)));
                // A bug ends the job that has met it, and its caller is told; not the thread. Its
                // connection may be in any state.
                let ran = catch_unwind(AssertUnwindSafe(|| match ready {
                    Ok(()) => work(Ok((&opened, &version))),
                    Err(error) => work(Err(error_of(&error))),
                }));
                held = ran.is_ok().then_some((opened, version));
            }
            Err(error) => work(Err(error)),
        }
    }
}
