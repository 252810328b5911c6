//! Reader threads: pages and everything else that may take long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::{BatchLimits, Batches, Job, Metrics, Refusal, Request, Run};
use duet_document::FetchedRows;
use duet_model::{Error, Result, Value};
use duet_store::limits::Limits;
use duet_store::read::{ExplainedPlan, KeyedRead, PageRead, PlanRead, RowCount};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::connection::failure::{error_of, took_too_long};
use crate::connection::slice::STEPS_PER_CHECK;
use crate::connection::ticket::overloaded;
use crate::connection::{BUSY, Opened, wait_for_locks};
use crate::file::File;
use crate::file::version::Version;
use crate::read::run;

type Work = Box<dyn FnOnce(Result<(&Connection, &Version)>) + Send>;

/// What a thread is to do.
struct Task {
    work: Work,
    /// Whether the caller has disconnected.
    gone: Arc<AtomicBool>,
    running: Arc<Running>,
}

/// How long after a read's end its caller waits for it. A read that goes on keeps its thread, not its caller.
const GRACE: Duration = Duration::from_millis(50);

/// When a read that has begun is to end.
#[derive(Default)]
struct Running(Mutex<Option<Instant>>);

impl Running {
    fn ends(&self, last: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
    }

    /// `None` where it has not begun.
    fn last(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl duet_admission::Work for Task {
    fn is_abandoned(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    fn refuse(self, _: Refusal) {
        (self.work)(Err(overloaded()));
    }
}

/// Notifies the thread when the caller disconnects.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The threads, started when first needed. Each takes one read after the other from the queue, in
/// rotation of clients.
pub(crate) struct Readers {
    count: usize,
    queue_timeout: Duration,
    queue: Batches<Task>,
    runs: Sender<Run<Task>>,
    receiver: Arc<Mutex<Receiver<Run<Task>>>>,
    started: Mutex<usize>,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Readers {
    pub(crate) fn new(limits: &Limits, metrics: &Arc<Metrics>) -> Self {
        let count = limits.connections.max(1);
        let bounds = BatchLimits {
            slots: count,
            shared: true,
            batch: 1,
            length: limits.queue_length,
            ..BatchLimits::default()
        };
        let (runs, receiver) = channel();
        Self {
            count,
            queue_timeout: limits.queue_timeout,
            queue: Batches::new(bounds, Arc::clone(metrics)),
            runs,
            receiver: Arc::new(Mutex::new(receiver)),
            started: Mutex::new(0),
        }
    }

    pub(crate) async fn by_key(
        &self,
        file: &Arc<File>,
        request: Request,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<FetchedRows> {
        let (shared, read) = (Arc::clone(file), Arc::clone(read));
        self.run(file, request, move |connection, version| {
            let limit = shared.rows();
            shared.alone().read(connection, limit.memory(), || {
                let mut prepared = run::prepare(connection, &read)?;
                let as_of = || version.as_of(&shared, connection);
                run::by_key(&mut prepared, &read, &key, limit, as_of)
            })
        })
        .await
    }

    pub(crate) async fn page(
        &self,
        file: &Arc<File>,
        request: Request,
        read: Arc<PageRead>,
    ) -> Result<(FetchedRows, Option<RowCount>)> {
        let shared = Arc::clone(file);
        self.run(file, request, move |connection, version| {
            let limit = shared.rows();
            shared.alone().read(connection, limit.memory(), || {
                run::page(connection, &read, limit, || version.as_of(&shared, connection))
            })
        })
        .await
    }

    /// Counts the rows that a page selects.
    pub(crate) async fn total(
        &self,
        file: &Arc<File>,
        request: Request,
        read: Arc<PageRead>,
    ) -> Result<Option<RowCount>> {
        self.run(file, request, move |connection, _| {
            run::counted(connection, &read).map_err(|error| error_of(&error))
        })
        .await
    }

    /// Has a statement explained.
    pub(crate) async fn explained(
        &self,
        file: &Arc<File>,
        request: Request,
        read: Arc<PlanRead>,
    ) -> Result<ExplainedPlan> {
        let shared = Arc::clone(file);
        self.run(file, request, move |connection, _| {
            let explained = run::explained(connection, &read, shared.rows());
            explained.map_err(|error| error_of(&error)).flatten()
        })
        .await
    }

    /// Runs something on a thread; not where it must wait for one too long. Where the caller goes
    /// away meanwhile, the statement is stopped.
    async fn run<T: Send + 'static>(
        &self,
        file: &Arc<File>,
        request: Request,
        work: impl FnOnce(&Connection, &Version) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.start_one(file)?;
        let (reply, mut answer) = oneshot::channel();
        let work: Work = Box::new(move |opened| {
            // A disconnected caller needs no answer.
            drop(reply.send(opened.and_then(|(connection, version)| work(connection, version))));
        });
        let (cancel, running) = (CancelOnDrop(Arc::default()), Arc::<Running>::default());
        let gone = Arc::clone(&cancel.0);
        let task = Task { work, gone, running: Arc::clone(&running) };
        let request = request.within(self.queue_timeout);
        let ticket = self.queue.submit(Instant::now(), Job::new(request, task));
        let ticket = ticket.map_err(|_| overloaded())?;
        if let Some(run) = self.queue.begin() {
            self.runs.send(run).map_err(|_| Error::internal("the reader threads have stopped"))?;
        }
        let (end, time) = (request.deadline.end(), file.limits().statement_timeout);
        loop {
            let until = match running.last() {
                Some(last) => last + GRACE,
                // One that begins behind this moment ends behind that one.
                None => end.min(Instant::now() + time).max(Instant::now()) + GRACE,
            };
            if let Ok(answer) = tokio::time::timeout_at(until.into(), &mut answer).await {
                return answer.map_err(|_| Error::internal("a read has panicked"))?;
            }
            let now = Instant::now();
            match running.last() {
                Some(last) if last + GRACE <= now => return Err(took_too_long()),
                None if end <= now && ticket.expire() => return Err(overloaded()),
                _ => {}
            }
        }
    }

    /// Starts a thread for each of the first requests, up to the number of connections.
    fn start_one(&self, file: &Arc<File>) -> Result<()> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if *started >= self.count {
            return Ok(());
        }
        // The threads end with the database, whose queue they read.
        let (file, receiver) = (Arc::downgrade(file), Arc::clone(&self.receiver));
        let queue = self.queue.clone();
        thread::Builder::new()
            .name(format!("sqlite-reader-{started}"))
            .spawn(move || serve(&file, &receiver, &queue))
            .map_err(Error::internal)?;
        *started += 1;
        Ok(())
    }
}

/// One thread's life: reads as they come, on a connection to the file that is at the path.
fn serve(file: &Weak<File>, receiver: &Mutex<Receiver<Run<Task>>>, queue: &Batches<Task>) {
    let mut held = None;
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(run) = next else { return };
        // A slot that gets free may be one that a client may have more.
        let mut next = Some(run);
        while let Some(mut run) = next {
            while let Some(batch) = run.take(Instant::now()) {
                let Some(file) = file.upgrade() else { return };
                for job in run.done(Instant::now(), batch) {
                    serve_one(&file, &mut held, job, queue.metrics());
                }
            }
            next = queue.begin();
        }
    }
}

/// Does one read on the connection that is held, if that is to the file at the path.
fn serve_one(file: &File, held: &mut Option<(Opened, Version)>, job: Job<Task>, metrics: &Metrics) {
    let Task { work, gone, running } = job.item;
    if held.as_ref().is_some_and(|(opened, _)| !file.is_current(opened)) {
        *held = None;
    }
    // A request that has waited for a thread waits the less for a lock.
    let begun = Instant::now();
    let patience = job.request.deadline.within(BUSY).left(begun);
    running.ends(begun + patience + file.limits().statement_timeout);
    let opened = match held.take() {
        Some(held) => Ok(held),
        None => file.connect_for(patience).map(|opened| (opened, Version::default())),
    };
    let (mut opened, version) = match opened {
        Ok(opened) => opened,
        Err(error) => return work(Err(error)),
    };
    let now = Instant::now();
    let deadline = now + job.request.deadline.statement(now, file.limits().statement_timeout);
    running.ends(deadline);
    let over = move || gone.load(Ordering::Relaxed) || Instant::now() > deadline;
    let ready = wait_for_locks(&opened, patience)
        .and_then(|()| opened.interrupt_when(STEPS_PER_CHECK, over));
    // A bug ends the read that has met it, and its caller gets an error; not the thread. Its connection may
    // be in any state.
    let ran = catch_unwind(AssertUnwindSafe(|| match ready {
        Ok(()) => work(Ok((&opened, &version))),
        Err(error) => work(Err(error_of(&error))),
    }));
    match ran {
        Ok(()) => *held = Some((opened, version)),
        Err(_) => metrics.panicked(),
    }
}

#[cfg(test)]
mod tests {
    use duet_admission::{Client, Deadline, RequestClass};
    use duet_model::Code;
    use duet_testkit::sqlite::Folder;
    use futures_util::FutureExt;

    use super::*;
    use crate::database::Database;
    use duet_store::files::Options;

    fn database(limits: Limits) -> (Folder, Arc<Database>) {
        let folder = Folder::new();
        let path = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
        let opened = Database::open(&path, &Options::default(), limits).unwrap();
        (folder, Arc::new(opened))
    }

    fn request(client: u64) -> Request {
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(600));
        Request { client: Client::new(client), deadline, class: RequestClass::default() }
    }

    /// A read that keeps its thread until it may go on.
    fn gate() -> (Sender<()>, impl FnOnce(&Connection, &Version) -> Result<()> + Send) {
        let (open, opened) = channel();
        (open, move |_: &Connection, _: &Version| opened.recv().map_err(Error::internal))
    }

    /// One thread: the second client's read comes before the third one of the first.
    #[tokio::test]
    async fn clients_take_turns() {
        let long = Duration::from_secs(600);
        let limits = Limits { connections: 1, queue_timeout: long, ..Limits::default() };
        let (_folder, database) = database(limits);
        let (open, held) = gate();
        let order = Arc::new(Mutex::new(Vec::new()));
        let read = |client, name: &'static str| {
            let order = Arc::clone(&order);
            let note = move |_: &Connection, _: &Version| {
                order.lock().unwrap().push(name);
                Ok(())
            };
            Box::pin(database.readers().run(database.file(), request(client), note))
        };
        let mut first = Box::pin(database.readers().run(database.file(), request(1), held));
        assert!((&mut first).now_or_never().is_none());
        while database.queues().counted(&["page"])[0].1.running == 0 {
            tokio::task::yield_now().await;
        }
        let (mut a2, mut a3, mut gone, mut b1) =
            (read(1, "a2"), read(1, "a3"), read(1, "gone"), read(2, "b1"));
        for waiting in [&mut a2, &mut a3, &mut gone, &mut b1] {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(database.queues().counted(&["page"])[0].1.waiting, 4);
        drop(gone);
        open.send(()).unwrap();
        let ended = tokio::join!(first, a2, a3, b1);
        assert_eq!(ended, (Ok(()), Ok(()), Ok(()), Ok(())));
        assert_eq!(*order.lock().unwrap(), ["a2", "b1", "a3"]);
        let counted = database.queues().counted(&["page"])[0].1;
        assert_eq!((counted.admitted, counted.cancelled, counted.waiting), (4, 1, 0));
    }

    /// A read that waits for a thread is refused at its deadline, and one that runs is waited for.
    #[tokio::test]
    async fn a_wait_ends_at_its_deadline() {
        let long = Duration::from_secs(600);
        let limits = Limits { connections: 1, queue_timeout: long, ..Limits::default() };
        let (_folder, database) = database(limits);
        let (open, held) = gate();
        let mut first = Box::pin(database.readers().run(database.file(), request(1), held));
        assert!((&mut first).now_or_never().is_none());
        while database.queues().counted(&["page"])[0].1.running == 0 {
            tokio::task::yield_now().await;
        }
        let soon = request(1).within(Duration::from_millis(20));
        let late = database.readers().run(database.file(), soon, |_, _| Ok(())).await;
        assert_eq!(late.unwrap_err().code, Code::Overloaded);
        open.send(()).unwrap();
        assert_eq!(first.await, Ok(()));
        assert_eq!(database.queues().counted(&["page"])[0].1.expired, 1);
    }
}
