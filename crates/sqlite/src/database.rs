//! One SQLite file with the threads that read, write and checkpoint it.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use duet_model::Result;
use duet_store::files::Options;
use duet_store::limits::Limits;
use duet_store::queues::classes::Classes;

use crate::connection::Opened;
use crate::file::File;
use crate::file::checkpoint::Checkpointer;
use crate::file::version;
use crate::read::readers::Readers;
use crate::read::stream::Streams;
use crate::write::writer::Writer;

/// One SQLite file, shared by all workers. Its threads are started when first needed, and end with it.
#[derive(Debug)]
pub struct Database {
    file: Arc<File>,
    readers: Readers,
    writer: Writer,
    streams: Streams,
    classes: Classes,
    checkpointer: Arc<Checkpointer>,
}

impl Deref for Database {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl Database {
    /// Opens a file that exists.
    ///
    /// # Errors
    /// Where there is no such file, or it is not a database.
    pub fn open(path: &Path, options: &Options, limits: Limits) -> Result<Self> {
        version::without_memory_statistics();
        let file = File::open(path, options, limits)?;
        let (limits, queues) = (file.limits(), file.shared_queues());
        let checkpointer = Arc::new(Checkpointer::new());
        Ok(Self {
            readers: Readers::new(limits, &queues.page),
            writer: Writer::new(limits, &queues.write, &checkpointer),
            streams: Streams::new(limits, &queues.stream),
            classes: Classes::new(limits, queues),
            checkpointer,
            file: Arc::new(file),
        })
    }

    /// The file, for its threads.
    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// The classes of requests.
    pub(crate) fn classes(&self) -> &Classes {
        &self.classes
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// A connection for who writes; it may wait for a lock. Its checkpoints are done by a thread.
    pub(crate) fn connect_to_write(&self) -> Result<Opened> {
        self.checkpointer.connect(&self.file)
    }

    /// Begins to watch for commits of others, which are delivered as events, or ends it. Once this is
    /// done, every later one is seen; not where the writing thread is busy for so long.
    ///
    /// # Errors
    /// Where the thread cannot be started.
    pub(crate) async fn watch_commits(&self, on: bool) -> Result<()> {
        if !on || self.foreign().is_on() {
            self.foreign().set(on);
            return Ok(());
        }
        self.foreign().set(true);
        let looked = self.writer.look(&self.file)?;
        // A first look that comes later counts as a commit of others.
        let _ = tokio::time::timeout(self.limits().lock_timeout, looked).await;
        Ok(())
    }

    /// Waits while the write-ahead log is far too long, at most until then.
    pub(crate) fn wait_for_checkpoint(&self, until: Instant) {
        self.checkpointer.wait(until);
    }
}
