//! Programs: the writer's work for each document of a plan, as a flat list of steps.

use std::sync::Arc;

use crate::cells::codec::Codec;
use crate::cells::flex::Flex;
use crate::etag::{Etag, EtagKey};

/// A compiled writer of one plan's documents. Built by [`Program::compile`].
#[derive(Clone, Debug)]
pub struct Program {
    /// The key of every etag.
    pub(crate) etag: EtagKey,
    /// The shape's name, for messages.
    pub(crate) resource: String,
    pub(crate) steps: Vec<Step>,
    /// The bytes of all literal steps, one after the other.
    pub(crate) literals: Vec<u8>,
    /// The flex columns, one for each place of them in the document.
    pub(crate) flexes: Vec<Flex>,
    /// Where `_metadata` finds the snapshot: a column of level 0; `None` where documents carry
    /// no `_metadata`.
    pub(crate) as_of: Option<usize>,
    /// The key's columns in level 0, with their codecs.
    pub(crate) key: Vec<(usize, Codec)>,
    /// The member of a list that holds the documents, where they are those of a collection.
    pub(crate) list: Option<Arc<str>>,
}

/// One step. Columns are positions in the row of the current level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Copies bytes of the literals.
    Literal { start: usize, end: usize },
    /// Writes a cell.
    Value { column: usize, codec: Codec },
    /// What follows is left out of the etag.
    Unchecked,
    /// What follows is in it again.
    Checked,
    /// If this column is NULL there is no row: writes `{}`, or `null`, and continues at `otherwise`.
    Object { presence: usize, otherwise: usize, null: bool },
    /// Writes an element for each child row of a level, by the steps up to `end`.
    Array { level: usize, end: usize },
    /// Writes the members of a JSON object column; `begun` where those before it begin with [`Step::Begin`].
    Flex { column: usize, flex: usize, begun: bool },
    /// If this column is NULL, its member is left out: continues at `otherwise`.
    Present { column: usize, otherwise: usize },
    /// What follows are the first members of an object, each of which may be left out.
    Begin,
    /// Writes the comma between such members: before each that is written but the first.
    Separate,
    /// Writes a stored document without its closing brace.
    Document { column: usize },
}

/// What was written of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentEtags {
    /// The etag over the checked members.
    pub etag: Etag,
    /// The hash over the unchecked members, if there are any.
    pub unchecked: Option<Etag>,
}

impl DocumentEtags {
    /// The value of the `ETag` header, quotes included: the document's etag where it covers the
    /// whole document, otherwise with eight digits of the rest behind it.
    pub fn header(&self) -> String {
        match self.unchecked {
            None => quoted(&[&self.etag.digits()]),
            Some(unchecked) => quoted(&[&self.etag.digits(), b"-", &unchecked.short()]),
        }
    }
}

/// The comma before a further member of an object that is being written; a selection of members may be empty.
pub(crate) fn go_on(out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
}

/// ASCII pieces in quotes.
fn quoted(pieces: &[&[u8]]) -> String {
    let mut text = Vec::with_capacity(pieces.iter().map(|piece| piece.len()).sum::<usize>() + 2);
    text.push(b'"');
    pieces.iter().for_each(|piece| text.extend_from_slice(piece));
    text.push(b'"');
    String::from_utf8(text).unwrap_or_default()
}

impl Links<'_> {
    /// Appends the links of an item, and its end. `write_key` appends its key as a path segment.
    pub fn write(&self, write_key: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
        if self.plain {
            return out.push(b'}');
        }
        go_on(out);
        out.extend_from_slice(b"\"links\":[{\"rel\":\"self\",\"href\":\"");
        let href = out.len();
        out.extend_from_slice(self.collection.as_bytes());
        write_key(out);
        let href = href..out.len();
        if self.writable {
            out.extend_from_slice(b"\"},{\"rel\":\"edit\",\"href\":\"");
            out.extend_from_within(href);
        }
        out.extend_from_slice(b"\"},{\"rel\":\"describedby\",\"href\":\"");
        out.extend_from_slice(self.described_by.as_bytes());
        out.extend_from_slice(b"item\"},{\"rel\":\"collection\",\"href\":\"");
        out.extend_from_slice(self.collection.as_bytes());
        out.extend_from_slice(b"\"}]}");
    }
}

/// The addresses that links are made of.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    /// The collection, with a slash at its end: `http://host/ords/hr/team/`.
    pub collection: &'a str,
    /// The catalog entry of the collection, with a slash at its end.
    pub described_by: &'a str,
    /// Whether the caller may edit the item, so that it carries an `edit` link.
    pub writable: bool,
    /// Whether items are as they are stored, without links: those of a collection.
    pub plain: bool,
}
