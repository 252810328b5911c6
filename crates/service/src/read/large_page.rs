//! Pages of many bytes, which are written beside the event loop.

use std::sync::Arc;

use duet_document::{DocumentEtags, FetchedRows, Links, PageFrame, PageTail, TextBuffer};
use duet_model::{Error, Result};

use crate::resources::representation::Representation;

/// Rows of more bytes together are not written on a worker's thread.
pub(crate) const AT_ONCE: usize = 1 << 20;

/// A page to be written, with all that it needs.
pub(crate) struct LargePage {
    pub(crate) representation: Arc<Representation>,
    pub(crate) fetched: FetchedRows,
    pub(crate) frame: PageFrame,
    /// The members of [`Links`].
    pub(crate) addresses: [String; 2],
    pub(crate) writable: bool,
    pub(crate) plain: bool,
    /// The page's links.
    pub(crate) page_links: String,
    /// Whether it is an array of items alone.
    pub(crate) bare: bool,
}

impl LargePage {
    /// The text, written on another thread.
    ///
    /// # Errors
    /// Where memory is short, or a stored value is not of its type.
    pub(crate) async fn written(self) -> Result<(TextBuffer, DocumentEtags)> {
        tokio::task::spawn_blocking(|| self.write()).await.map_err(Error::internal)?
    }

    fn write(self) -> Result<(TextBuffer, DocumentEtags)> {
        let [collection, described_by] = &self.addresses;
        let (writable, plain) = (self.writable, self.plain);
        let links = Links { collection, described_by, writable, plain };
        let links_of = |_: bool| self.page_links.clone();
        let tail = PageTail { links: &links_of };
        let surround =
            PageSurround { frame: &self.frame, bare: self.bare, links: &links, tail: &tail };
        write(&self.representation, &self.fetched, &surround)
    }
}

/// What is written around the rows of a page.
pub(crate) struct PageSurround<'p> {
    pub(crate) frame: &'p PageFrame,
    /// Whether the rows are an array without members around it.
    pub(crate) bare: bool,
    pub(crate) links: &'p Links<'p>,
    pub(crate) tail: &'p PageTail<'p>,
}

/// Writes a page.
///
/// # Errors
/// As [`LargePage::written`].
pub(crate) fn write(
    representation: &Representation,
    fetched: &FetchedRows,
    surround: &PageSurround<'_>,
) -> Result<(TextBuffer, DocumentEtags)> {
    let PageSurround { frame, bare, links, tail } = *surround;
    let program = representation.page();
    let rows = 0..fetched.roots().len();
    let mut body = TextBuffer::new(program, fetched, rows, Some(links), 4_096)?;
    let written = match bare {
        false => program.write_page(fetched, frame, links, tail, &mut body.text)?,
        true => program.write_rows(fetched, frame, tail, &mut body.text)?,
    };
    Ok((body, written))
}
