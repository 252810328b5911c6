//! NDJSON: a document per line, as in a page but without links, which need the lines around them.

use duet_model::Result;

use crate::fetched::Fetched;
use crate::program::Program;

impl Program {
    /// Appends the document of a root row as a line.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub(crate) fn write_line(
        &self,
        fetched: &Fetched,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.write_bare(fetched, row, out)?;
        out.push(b'\n');
        Ok(())
    }

    /// Appends the document of a root row without links: its members, and `_metadata` where
    /// documents have it.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub(crate) fn write_bare(
        &self,
        fetched: &Fetched,
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
