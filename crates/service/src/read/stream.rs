//! Streams: all documents that a filter selects, as lines of NDJSON or CSV, without a page's
//! limit.

use std::sync::Arc;

use duet_document::{FetchedRows, Format, TextBuffer};
use duet_model::{Code, Error, Place, Result};
use duet_store::{CountOf, PageRead};

use super::large_page::AT_ONCE;
use crate::hosting::context::RequestContext;
use crate::queries::expand::too_many_rows;
use crate::queries::page::{self, Count, PageQuery};
use crate::resources::raised;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// Bytes of memory that are kept from one chunk to the next.
const SCRATCH: usize = 64 << 10;

/// The rest of a stream. Dropping it stops the database.
#[derive(Debug)]
pub struct DocumentStream {
    rows: duet_store::Stream,
    representation: Arc<Representation>,
    format: Format,
    /// Whether the text before the first document has been written.
    headed: bool,
    ended: bool,
    /// How many documents may still come before it is too many; `None`: any number.
    left: Option<u64>,
    /// Whether clients receive what code of the database raises.
    raised_messages: bool,
    /// Rows of an array at most.
    longest: usize,
    scratch: Vec<u8>,
    /// Whether to say that no index serves the filter.
    pub unindexed: bool,
}

impl RequestContext<'_> {
    /// Begins to read all documents that a query selects, up to its `limit`. `next`
    /// of the result gives them; an error of the database may come there first.
    ///
    /// # Errors
    /// Whatever the filter, the other parameters or the database say.
    pub async fn stream(
        &self,
        resource: &Resource,
        query: &PageQuery<'_>,
        format: Format,
    ) -> Result<DocumentStream> {
        let PlannedStream { read, representation, left, unindexed } =
            self.plan_stream(resource, query)?;
        let parameters = query.filter.map(|_| read.statements[0].parameters.clone());
        let rows = self.handle().stream(read).await.map_err(|error| {
            let limits = self.service().limits().filter;
            let parameters = parameters.as_deref().unwrap_or_default();
            let error = page::in_filter(error, query.filter, &limits, parameters);
            raised::shown(error, resource.raised_messages)
        })?;
        Ok(DocumentStream {
            rows,
            representation,
            format,
            headed: false,
            ended: false,
            raised_messages: resource.raised_messages,
            left,
            unindexed,
            longest: query.expansion.map_or(usize::MAX, |_| self.service().limits().expand_rows),
            scratch: Vec::new(),
        })
    }

    /// Checks that a query could be streamed; whether to say that no index serves its filter.
    ///
    /// # Errors
    /// The checks of [`RequestContext::stream`] that need no database.
    pub fn check_stream(&self, resource: &Resource, query: &PageQuery<'_>) -> Result<bool> {
        self.plan_stream(resource, query).map(|planned| planned.unindexed)
    }

    fn plan_stream(&self, resource: &Resource, query: &PageQuery<'_>) -> Result<PlannedStream> {
        let limits = self.service().limits();
        let dialect = self.service().store().dialect();
        let most = (limits.stream_rows < u64::MAX).then_some(limits.stream_rows);
        let limit = checked_limit(query, most)?;
        // Without a limit, one more than the maximum shows that there are too many.
        let rows = limit.or(most.map(|most| most.saturating_add(1))).unwrap_or(u64::MAX);
        let planned = page::stream_plan(resource, query, &limits, dialect, rows)?;
        let unindexed = planned.check_index(resource, dialect)?;
        let page::PlannedPage { representation, page, .. } = planned;
        let read = representation.read_page(page, dialect, CountOf::Nothing);
        let left = most.filter(|_| limit.is_none());
        Ok(PlannedStream { read, representation, left, unindexed })
    }
}

/// A stream before it begins.
struct PlannedStream {
    read: PageRead,
    representation: Arc<Representation>,
    left: Option<u64>,
    unindexed: bool,
}

/// The limit of a query, if it has one that a stream may have.
fn checked_limit(query: &PageQuery<'_>, most: Option<u64>) -> Result<Option<u64>> {
    let wrong = |name: &str, message: String| {
        Err(Error::new(Code::BadParameter, message).at(Place::Parameter(name.into())))
    };
    if !matches!(query.count, Count::None | Count::Auto) {
        return wrong("count", "A stream has no place for a total: ask for JSON.".into());
    }
    match (query.limit, most) {
        (Some(limit), Some(most)) if limit > most => {
            wrong("limit", format!("A stream may have {most} rows here."))
        }
        (limit, _) => Ok(limit),
    }
}

impl DocumentStream {
    /// The next bytes, as many as have arrived; `None` at the end.
    ///
    /// # Errors
    /// Any error of the database; the earlier chunks are then not the whole answer.
    pub async fn next(&mut self) -> Result<Option<TextBuffer>> {
        if self.ended {
            return Ok(None);
        }
        let fetched = match self.rows.next().await {
            Ok(Some(fetched)) => fetched,
            other => {
                self.ended = true;
                let mut out = TextBuffer::default();
                other.map_err(|error| raised::shown(error, self.raised_messages))?;
                self.head(&mut out.text);
                return Ok((!out.text.is_empty()).then_some(out));
            }
        };
        let rows = fetched.roots().len();
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(rows as u64).ok_or_else(too_many)?;
        }
        if fetched.longest_array() > self.longest {
            return Err(too_many_rows(self.longest));
        }
        let lines = Lines {
            representation: Arc::clone(&self.representation),
            format: self.format,
            head: !std::mem::replace(&mut self.headed, true),
            fetched,
            scratch: std::mem::take(&mut self.scratch),
        };
        // Long rows are written beside the event loop.
        let (text, scratch) = match lines.fetched.size() > AT_ONCE {
            true => {
                tokio::task::spawn_blocking(|| lines.write()).await.map_err(Error::internal)??
            }
            false => lines.write()?,
        };
        self.scratch = scratch;
        Ok(Some(text))
    }

    /// What comes before the first document, once.
    fn head(&mut self, out: &mut Vec<u8>) {
        if !self.headed {
            self.representation.lines(self.format).write_head(out);
        }
        self.headed = true;
    }
}

/// The documents of a chunk, to be written.
struct Lines {
    representation: Arc<Representation>,
    format: Format,
    /// Whether the text before the first document comes first.
    head: bool,
    fetched: FetchedRows,
    scratch: Vec<u8>,
}

impl Lines {
    /// The text, and the memory for the next chunk.
    fn write(mut self) -> Result<(TextBuffer, Vec<u8>)> {
        let (program, fetched) = (self.representation.page(), &self.fetched);
        let rows = 0..fetched.roots().len();
        let mut out = TextBuffer::new(program, fetched, rows.clone(), None, fetched.size() * 2)?;
        let writer = self.representation.lines(self.format);
        if self.head {
            writer.write_head(&mut out.text);
        }
        writer.write(program, fetched, rows, &mut self.scratch, &mut out.text)?;
        // A large value must not be held until the stream ends.
        self.scratch.shrink_to(SCRATCH);
        Ok((out, self.scratch))
    }
}

fn too_many() -> Error {
    Error::new(
        Code::AnswerTooLarge,
        "The stream would have more rows than it may. Ask for fewer with a filter or with `limit`.",
    )
}
