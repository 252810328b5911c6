//! The body of a load: chunks come as they are wanted, and no faster.

use duet_document::bulk::{Batch, Fault, Gather};
use duet_model::{Error, Result};

use super::spool::Spool;

/// How many bytes are read before other tasks run. The batch before this one is sent by the same
/// thread, and the database would wait for it.
const PIECE: usize = 16 << 10;

/// A record of more bytes is parsed beside the event loop.
const LARGE: usize = 64 << 10;

/// A body in chunks.
#[expect(async_fn_in_trait, reason = "workers are single-threaded")]
pub trait BodyChunks {
    /// A chunk.
    type Chunk: AsRef<[u8]> + Send + 'static;

    /// The next chunk; `None` at the end. The next one is read from the network only when it is
    /// asked for.
    ///
    /// # Errors
    /// Where the body breaks off, is too large or too slow.
    async fn next(&mut self) -> Result<Option<Self::Chunk>>;

    /// Runs work that takes long where it blocks no request.
    ///
    /// # Errors
    /// Where there is no room for it in time.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T>;
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
pub(super) struct FilledBatch<R> {
    pub(super) batch: Batch<R>,
    pub(super) end: Option<End>,
}

/// Reads a body into an intake.
pub(super) struct BodyReader<'b, B: BodyChunks, G> {
    body: &'b mut B,
    /// The rest of the body, where it has been waited for.
    spool: Option<Spool>,
    /// It is away only while it parses a large record.
    intake: Option<G>,
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

impl<'b, B: BodyChunks, G: Gather + Send + 'static> BodyReader<'b, B, G> {
    pub(super) fn new(body: &'b mut B, intake: G) -> Self {
        Self { body, spool: None, intake: Some(intake), rest: None }
    }

    /// The first batch.
    ///
    /// # Errors
    /// Where there is not a single row before the body cannot be read.
    pub(super) async fn first(&mut self) -> Result<FilledBatch<G::Rows>> {
        let first = self.fill().await;
        match first.end {
            Some(End::Fault(fault)) if first.batch.is_empty() => {
                Err(Error::new(fault.code, fault.message))
            }
            Some(End::Broken(error)) if first.batch.is_empty() => Err(error),
            _ => Ok(first),
        }
    }

    /// Waits until the whole body has arrived; later reads take it from the spool, up to
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
    pub(super) async fn fill(&mut self) -> FilledBatch<G::Rows> {
        let end = loop {
            let (chunk, at) = match self.rest.take() {
                Some(rest) => rest,
                None => match self.next().await {
                    Ok(Some(chunk)) => (chunk, 0),
                    Ok(None) => break Some(self.finish().await),
                    Err(error) => break Some(End::Broken(error)),
                },
            };
            match self.feed(chunk, at).await {
                Ok(Ok(true)) => break None,
                Ok(Ok(false)) => {}
                Ok(Err(fault)) => break Some(End::Fault(fault)),
                Err(error) => break Some(End::Broken(error)),
            }
            tokio::task::yield_now().await;
        };
        FilledBatch { batch: self.intake.as_mut().map(Gather::take).unwrap_or_default(), end }
    }

    /// Takes records from a chunk, behind its first `at` bytes: from a piece of it, or beside the
    /// event loop from all of it, where a large record is under way. Whether the batch is full.
    async fn feed(&mut self, chunk: Piece<B::Chunk>, at: usize) -> Result<Result<bool, Fault>> {
        let length = chunk.as_ref().len();
        let end = if self.is_large() { length } else { length.min(at + PIECE) };
        let (chunk, at, fed) = self
            .with_intake(move |intake| {
                let mut input = &chunk.as_ref()[at..end];
                let fed = intake.feed(&mut input);
                let at = end - input.len();
                (chunk, at, fed)
            })
            .await?;
        if at < length {
            self.rest = Some((chunk, at));
        }
        Ok(fed)
    }

    async fn finish(&mut self) -> End {
        match self.with_intake(Gather::finish).await {
            Ok(Ok(())) => End::Finished,
            Ok(Err(fault)) => End::Fault(fault),
            Err(error) => End::Broken(error),
        }
    }

    fn is_large(&self) -> bool {
        self.intake.as_ref().is_some_and(|intake| intake.pending() > LARGE)
    }

    /// Does something with the intake, beside the event loop where a large record is under way.
    async fn with_intake<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut G) -> T + Send + 'static,
    ) -> Result<T> {
        let gone = || Error::internal("the intake of a load is gone");
        if !self.is_large() {
            return self.intake.as_mut().map(work).ok_or_else(gone);
        }
        let mut intake = self.intake.take().ok_or_else(gone)?;
        let parse = move || {
            let done = work(&mut intake);
            (intake, done)
        };
        let (intake, done) = self.body.aside(parse).await?;
        self.intake = Some(intake);
        Ok(done)
    }
}
