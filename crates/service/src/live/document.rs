//! A document of a followed query.

use duet_document::DocumentEtags;
use duet_rowstore::KeyBytes;

use super::interests::ColumnValue;

/// A document as it was read.
#[derive(Debug)]
pub(crate) struct ReadDocument {
    pub(crate) id: KeyBytes,
    /// The key as a path segment.
    pub(crate) key: Box<str>,
    pub(crate) etag: DocumentEtags,
    pub(crate) text: Vec<u8>,
    /// The values by which queries are found.
    pub(crate) values: Vec<ColumnValue>,
}
