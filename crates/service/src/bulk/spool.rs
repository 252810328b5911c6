//! Keeps the rest of a body until it has arrived: in memory up to a limit, then in a temporary file.
//!
//! On a store with one writer a load in one transaction would lock out every other write for as long
//! as its client takes to send. So its transaction begins only when everything has arrived.

use std::io::{Read as _, Seek as _, Write as _};

use duet_model::{Code, Error, Result};
use tempfile::SpooledTempFile;

/// The size of writes and reads, on a thread that may wait for the disk.
const PIECE: usize = 256 << 10;

/// Bytes that are written once, then read once.
#[derive(Debug)]
pub(super) struct Spool {
    /// Bytes that are not in the file yet.
    buffer: Vec<u8>,
    /// Everything before them; `None` where all fits into the buffer.
    file: Option<SpooledTempFile>,
    /// How many bytes the file may hold in memory.
    memory: usize,
}

impl Spool {
    pub(super) fn new(memory: usize) -> Self {
        Self { buffer: Vec::new(), file: None, memory }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`Code::Overloaded`] where the temporary file cannot be written.
    pub(super) async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < PIECE.min(self.memory.max(1)) {
            return Ok(());
        }
        self.flush().await
    }

    /// Ends writing and begins to read.
    ///
    /// # Errors
    /// As [`Spool::push`].
    pub(super) async fn rewind(&mut self) -> Result<()> {
        if self.file.is_some() {
            self.flush().await?;
            self.with_file(SpooledTempFile::rewind).await?;
        }
        Ok(())
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// [`Code::Overloaded`] where the temporary file cannot be read.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.file.is_none() {
            let all = std::mem::take(&mut self.buffer);
            return Ok(Some(all).filter(|bytes| !bytes.is_empty()));
        }
        let read = |file: &mut SpooledTempFile| {
            let mut piece = Vec::with_capacity(PIECE);
            file.take(PIECE as u64).read_to_end(&mut piece).map(|_| piece)
        };
        let piece = self.with_file(read).await?;
        Ok(Some(piece).filter(|bytes| !bytes.is_empty()))
    }

    /// Whether some of it is on the disk.
    #[cfg(test)]
    fn is_on_disk(&self) -> bool {
        self.file.as_ref().is_some_and(SpooledTempFile::is_rolled)
    }

    async fn flush(&mut self) -> Result<()> {
        let bytes = std::mem::take(&mut self.buffer);
        self.with_file(move |file| file.write_all(&bytes)).await
    }

    /// Does something with the file where it blocks no request.
    async fn with_file<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut SpooledTempFile) -> std::io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut file = self.file.take().unwrap_or_else(|| SpooledTempFile::new(self.memory));
        let done = tokio::task::spawn_blocking(move || {
            let done = work(&mut file);
            (file, done)
        });
        let (file, done) = done.await.map_err(Error::internal)?;
        self.file = Some(file);
        done.map_err(|error| no_room(&error))
    }
}

fn no_room(error: &std::io::Error) -> Error {
    let message = "The server cannot keep the rows of this load until all have arrived: its \
                   temporary file cannot be written or read. Load them in parts, with \
                   batchesPerCommit above 0.";
    let cause = format!("a file in {}: {error}", std::env::temp_dir().display());
    Error::new(Code::Overloaded, message).retry_after(5).cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_full_disk_is_named() {
        let cause = no_room(&std::io::ErrorKind::StorageFull.into()).cause.unwrap();
        let folder = std::env::temp_dir().display().to_string();
        assert!(cause.starts_with(&format!("a file in {folder}: ")), "{cause}");
    }

    async fn all_of(mut spool: Spool) -> Vec<u8> {
        spool.rewind().await.unwrap();
        let mut all = Vec::new();
        while let Some(piece) = spool.next().await.unwrap() {
            all.extend(piece);
        }
        all
    }

    #[tokio::test]
    async fn the_spool_returns_what_was_written() {
        let bytes: Vec<u8> = (0..2_000_000_u32).map(|at| (at % 251) as u8).collect();
        for (memory, length, on_disk) in [
            (1 << 20, 0, false),
            (1 << 20, 10, false),
            (1 << 20, 900_000, false),
            (1 << 20, 2_000_000, true),
            (0, 10, true),
        ] {
            let mut spool = Spool::new(memory);
            for chunk in bytes[..length].chunks(10_007) {
                spool.push(chunk).await.unwrap();
            }
            assert_eq!(spool.is_on_disk(), on_disk, "{memory} {length}");
            assert!(all_of(spool).await == bytes[..length], "{memory} {length}");
        }
    }
}
