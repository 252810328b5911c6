//! The body of a load: chunks come as they are wanted, and no faster.

use duet_document::bulk::{Batch, Fault, Gather};
use duet_model::{Error, Result};

use super::spool::Spool;

/// How many bytes are read before others get their turn. The batch before this one is sent by the same
/// thread, and the database would wait for it.
const PIECE: usize = 16 << 10;

/// A body in chunks.
#[expect(async_fn_in_trait, reason = "workers are single-threaded")]
pub trait Chunks {
    /// A chunk.
    type Chunk: AsRef<[u8]>;

    /// The next chunk; `None` at the end. The next one is read from the network only when it is
    /// asked for.
    ///
    /// # Errors
    /// Where the body breaks off, is too large or too slow.
    async fn next(&mut self) -> Result<Option<Self::Chunk>>;
}

/// How a body has ended.
#[derive(Debug)]
pub(super) enum End {
    /// With its last row.
    Finished,
    /// Where it can be read no further.
    Fault(Fault),
    /// It broke off.
    Broken(Error),
}

/// A batch, and whether others follow.
#[derive(Debug)]
pub(super) struct Filled<R> {
    pub(super) batch: Batch<R>,
    pub(super) end: Option<End>,
}

/// Reads a body into an intake.
pub(super) struct Source<'b, B: Chunks, G> {
    body: &'b mut B,
    /// The rest of the body, where it has been waited for.
    spool: Option<Spool>,
    intake: G,
    /// What is left of a chunk when a batch is full.
    rest: Option<(Piece<B::Chunk>, usize)>,
}

/// A chunk as it came, or bytes that were kept.
enum Piece<C> {
    Chunk(C),
    Kept(Vec<u8>),
}

impl<C: AsRef<[u8]>> AsRef<[u8]> for Piece<C> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Chunk(chunk) => chunk.as_ref(),
            Self::Kept(bytes) => bytes,
        }
    }
}

impl<'b, B: Chunks, G: Gather> Source<'b, B, G> {
    pub(super) fn new(body: &'b mut B, intake: G) -> Self {
        Self { body, spool: None, intake, rest: None }
    }

    /// The first batch.
    ///
    /// # Errors
    /// Where there is not a single row before the body cannot be read.
    pub(super) async fn first(&mut self) -> Result<Filled<G::Rows>> {
        let first = self.fill().await;
        match first.end {
            Some(End::Fault(fault)) if first.batch.is_empty() => {
                Err(Error::new(fault.code, fault.message))
            }
            Some(End::Broken(error)) if first.batch.is_empty() => Err(error),
            _ => Ok(first),
        }
    }

    /// Waits until the whole body has arrived; what follows reads what was kept of it, up to
    /// `memory` bytes without a file.
    ///
    /// # Errors
    /// Where the body breaks off, or cannot be kept.
    pub(super) async fn wait_for_all(&mut self, memory: usize) -> Result<()> {
        let mut spool = Spool::new(memory);
        while let Some(chunk) = self.body.next().await? {
            spool.push(chunk.as_ref()).await?;
        }
        spool.rewind().await?;
        self.spool = Some(spool);
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Piece<B::Chunk>>> {
        match &mut self.spool {
            Some(spool) => Ok(spool.next().await?.map(Piece::Kept)),
            None => Ok(self.body.next().await?.map(Piece::Chunk)),
        }
    }

    /// The next batch.
    pub(super) async fn fill(&mut self) -> Filled<G::Rows> {
        let end = loop {
            let (chunk, at) = match self.rest.take() {
                Some(rest) => rest,
                None => match self.next().await {
                    Ok(Some(chunk)) => (chunk, 0),
                    Ok(None) => {
                        break Some(
                            self.intake.finish().map_or_else(End::Fault, |()| End::Finished),
                        );
                    }
                    Err(error) => break Some(End::Broken(error)),
                },
            };
            let length = chunk.as_ref().len();
            let end = length.min(at + PIECE);
            let mut input = &chunk.as_ref()[at..end];
            let is_full = match self.intake.feed(&mut input) {
                Ok(is_full) => is_full,
                Err(fault) => break Some(End::Fault(fault)),
            };
            let at = if is_full { end - input.len() } else { end };
            if at < length {
                self.rest = Some((chunk, at));
            }
            if is_full {
                break None;
            }
            tokio::task::yield_now().await;
        };
        Filled { batch: self.intake.take(), end }
    }
}
