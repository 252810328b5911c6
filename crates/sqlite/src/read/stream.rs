//! Streams from SQLite: a thread of their own steps the statement and waits while the reader does not take
//! what it has read.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use duet_admission::{Class, Deadline, Metrics, Permit, PermitLimits, Permits, Request};
use duet_document::{FetchedRows, RowSet};
use duet_model::{Code, Error, Result};
use duet_store::limits::Limits;
use duet_store::memory::row_limit::CHUNK_BYTES;
use duet_store::memory::row_limit::RowLimit;
use duet_store::queues::admit::granted;
use duet_store::read::PageRead;
use duet_store::worker::stream::Chunks;
use rusqlite::Connection;
use tokio::sync::mpsc;

use crate::connection::BUSY;
use crate::connection::failure::error_of;
use crate::connection::slice::STEPS_PER_CHECK;
use crate::file::File;
use crate::file::large;
use crate::file::version::Version;
use crate::read::run;

/// How many chunks wait to be taken.
const CHUNKS: usize = 2;
/// A chunk that is not full leaves after so long.
const PATIENCE: Duration = Duration::from_millis(20);

/// The streams of one file.
#[derive(Debug)]
pub(crate) struct Streams {
    permits: Permits,
    queue_timeout: Duration,
}

/// A message of the thread: documents, or the end.
type Message = Result<Option<FetchedRows>>;

/// The rows that are still to come.
#[derive(Debug)]
pub(crate) struct StreamRows {
    messages: mpsc::Receiver<Message>,
    ended: bool,
}

#[async_trait(?Send)]
impl Chunks for StreamRows {
    async fn next(&mut self) -> Result<Option<FetchedRows>> {
        if self.ended {
            return Ok(None);
        }
        // A thread that ends without a word has failed: that is no end.
        let failed = || Err(Error::internal("the thread of a stream has stopped"));
        let messages = self.messages.recv().await.unwrap_or_else(failed);
        self.ended = !matches!(messages, Ok(Some(_)));
        messages
    }
}

impl Streams {
    pub(crate) fn new(limits: &Limits, metrics: &Arc<Metrics>) -> Self {
        let bounds = PermitLimits::new(limits.streams, limits.queue_length).shared();
        let permits = Permits::new(bounds, Arc::clone(metrics));
        Self { permits, queue_timeout: limits.queue_timeout }
    }

    /// Starts a thread for a stream when one is free. Waiting clients are served in rotation.
    pub(crate) async fn open(
        &self,
        file: &Arc<File>,
        request: Request,
        read: PageRead,
    ) -> Result<StreamRows> {
        let queued = request.within(self.queue_timeout);
        let place = self.permits.enter(Instant::now(), queued, Class::Normal);
        let permit = granted(place, queued.deadline).await.map_err(|_| overloaded())?;
        let (sender, messages) = mpsc::channel(CHUNKS);
        let file = Arc::clone(file);
        thread::Builder::new()
            .name("sqlite-stream".to_owned())
            .spawn(move || serve(&file, &read, request.deadline, &sender, permit))
            .map_err(Error::internal)?;
        Ok(StreamRows { messages, ended: false })
    }
}

fn overloaded() -> Error {
    let message = "Too many streams are under way. Try again in a moment.";
    Error::new(Code::Overloaded, message).retry_after(1)
}

/// A thread's life.
fn serve(
    file: &File,
    read: &PageRead,
    arrived: Deadline,
    sender: &mpsc::Sender<Message>,
    permit: Permit,
) {
    let last = match chunks(file, read, arrived, sender) {
        Ok(()) => Ok(None),
        Err(error) => {
            file.health().note(&error);
            Err(error)
        }
    };
    drop(permit);
    // A disconnected caller needs no end.
    drop(sender.blocking_send(last));
}

/// Reads to the end, or until the reader has disconnected.
fn chunks(
    file: &File,
    read: &PageRead,
    arrived: Deadline,
    sender: &mpsc::Sender<Message>,
) -> Result<()> {
    // A request that has waited for a thread waits the less for a lock.
    let mut opened = file.connect_for(arrived.within(BUSY).left(Instant::now()))?;
    let deadline = Instant::now() + file.limits().stream_timeout;
    let still = sender.clone();
    let over = move || still.is_closed() || Instant::now() > deadline;
    opened.interrupt_when(STEPS_PER_CHECK, over).map_err(|error| error_of(&error))?;
    let limit = file.rows();
    let version = Version::default();
    let as_of = || version.as_of(file, &opened);
    let send = |fetched: FetchedRows| sender.blocking_send(Ok(Some(fetched))).is_ok();
    // One snapshot, however often the statements begin.
    let transaction = opened.unchecked_transaction().map_err(|error| error_of(&error))?;
    let mut sent = 0;
    let mut run = || step(&opened, read, &mut sent, limit, as_of, send);
    match run() {
        Err(error) if large::is_too_large(&error) => large::read(&opened, limit.memory(), run)?,
        ended => ended.map_err(|error| error_of(&error))??,
    }
    transaction.commit().map_err(|error| error_of(&error))
}

/// Steps the root's statement; each root is followed by the levels below it, and all of them by
/// the next chunk. Roots that were sent before a value was found too large are skipped.
fn step(
    connection: &Connection,
    read: &PageRead,
    sent: &mut usize,
    limit: &RowLimit,
    as_of: impl FnOnce() -> u64,
    send: impl Fn(FetchedRows) -> bool,
) -> rusqlite::Result<Result<()>> {
    let mut prepared = Vec::with_capacity(read.statements.len());
    for statement in &read.statements {
        prepared.push(connection.prepare(&statement.sql)?);
    }
    let Some((first, below)) = prepared.split_first_mut() else {
        return Ok(Err(Error::internal("a read without a statement")));
    };
    run::bind(first, &read.statements[0], &[])?;
    let mut rows = first.raw_query();
    for _ in 0..*sent {
        rows.next()?;
    }
    let mut row = rows.next()?;
    let as_of = if read.plan.shape.metadata { as_of() } else { 0 };
    while row.is_some() {
        let (mut chunk, since) = (Chunk::new(read), Instant::now());
        while let Some(root) = row {
            if let Err(error) = run::push_row(root, limit, &mut chunk.sets[0])? {
                return Ok(Err(error));
            }
            for (level, prepared) in (1..).zip(&mut *below) {
                if let Err(error) = chunk.add_below(read, level, prepared, limit)? {
                    return Ok(Err(error));
                }
            }
            row = rows.next()?;
            if chunk.size() >= CHUNK_BYTES || since.elapsed() >= PATIENCE {
                break;
            }
        }
        *sent += chunk.sets[0].len();
        if !send(chunk.assemble(read, as_of)) {
            break;
        }
    }
    Ok(Ok(()))
}

/// Documents on their way to their reader.
struct Chunk {
    /// The rows of each level.
    sets: Vec<RowSet>,
    /// For each row of a level the root that it belongs to.
    owners: Vec<Vec<u32>>,
}

impl Chunk {
    fn new(read: &PageRead) -> Self {
        let set = |level: &duet_model::Level| RowSet::with_capacity(level.columns.len(), 64);
        let sets: Vec<_> = read.plan.levels.iter().map(set).collect();
        Self { owners: vec![Vec::new(); sets.len()], sets }
    }

    /// Adds a level's rows of the last root, up to the limit.
    fn add_below(
        &mut self,
        read: &PageRead,
        level: usize,
        prepared: &mut rusqlite::Statement<'_>,
        limit: &RowLimit,
    ) -> rusqlite::Result<Result<()>> {
        let root = self.sets[0].len() - 1;
        let key = run::key_of(&self.sets[0], root, &read.plan.key);
        let set = &mut self.sets[level];
        let filled = run::fill(prepared, &read.statements[level], &key, limit, set)?;
        self.owners[level].resize(set.len(), u32::try_from(root).unwrap_or(u32::MAX));
        Ok(filled)
    }

    fn size(&self) -> usize {
        self.sets.iter().map(RowSet::size).sum()
    }

    fn assemble(self, read: &PageRead, as_of: u64) -> FetchedRows {
        let Self { sets, owners } = self;
        let owner = |level: usize, _: &RowSet, row: usize| owners[level].get(row).copied();
        FetchedRows::assemble(&read.plan, sets, as_of, owner)
    }
}
