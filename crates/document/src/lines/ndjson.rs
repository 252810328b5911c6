//! NDJSON: a document per line, as in a page but without links, which need the lines around them.

use duet_model::{ReadPlan, Result};

use super::{DocumentLines, StreamMedia};
use crate::fetched::FetchedRows;
use crate::program::Program;

pub(super) const MEDIA: StreamMedia = StreamMedia {
    name: "application/x-ndjson",
    aliases: &["application/ndjson", "application/jsonl", "application/x-jsonlines"],
    content_type: "application/x-ndjson",
    text: "All items, or the first `limit`, a JSON document per line, without `links`; no ETag.",
};

/// The writer of lines is that of pages.
#[derive(Debug)]
pub(super) struct Ndjson;

pub(super) fn compile(_: &ReadPlan) -> Ndjson {
    Ndjson
}

impl DocumentLines for Ndjson {
    fn write_head(&self, _: &mut Vec<u8>) {}

    fn write_row(
        &self,
        page: &Program,
        fetched: &FetchedRows,
        row: usize,
        _: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        page.write_bare(fetched, row, out)?;
        out.push(b'\n');
        Ok(())
    }
}

impl Program {
    /// Appends the document of a root row without links: its members, and `_metadata` where
    /// documents have it.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub(crate) fn write_bare(
        &self,
        fetched: &FetchedRows,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if self.as_of.is_none() {
            // No caller reads an etag, so nothing is hashed.
            self.write_unhashed(fetched, row, out)?;
        } else {
            let written = self.write_members(fetched, row, out)?;
            self.write_metadata(fetched, row, written.etag, out);
        }
        out.push(b'}');
        Ok(())
    }
}
