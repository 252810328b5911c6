//! The writer: runs a program over rows, and gives documents, items and their etags.

use duet_model::Result;
use duet_model::key::EMPTY;

use crate::cells::codec::Codec;
use crate::cells::numeric::write_integer;
use crate::cells::rows::{Datum, RowSet};
use crate::etag::{Etag, EtagHasher, EtagKey};
use crate::fetched::FetchedRows;
use crate::marker::{HEX, percent_encode, unquoted};
use crate::program::{DocumentEtags, Links, Program, go_on};
use crate::run::Run;

impl Program {
    /// Appends the document of a root row without its end: no closing brace yet, so that
    /// `_metadata` and `links` can follow.
    pub(crate) fn write_members(
        &self,
        fetched: &FetchedRows,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        let start = out.len();
        let marks = self.write_unhashed(fetched, row, out)?;
        if marks.is_empty() {
            return Ok(DocumentEtags { etag: self.etag.etag(&out[start..]), unchecked: None });
        }
        let marks = marks.iter().map(|mark| mark - start);
        let (etag, unchecked) = etags(&self.etag, &out[start..], marks);
        Ok(DocumentEtags { etag, unchecked: Some(unchecked) })
    }

    /// The same without an etag: where unchecked bytes begin and end in the output, in pairs.
    pub(crate) fn write_unhashed(
        &self,
        fetched: &FetchedRows,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<Vec<usize>> {
        let mut run = Run::new(self, fetched, self.start(row));
        run.write(out);
        run.check(row)?;
        Ok(run.marks)
    }

    /// Appends the members of a document alone, without `_metadata` and links.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write_plain(
        &self,
        fetched: &FetchedRows,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        let written = self.write_members(fetched, row, out)?;
        out.push(b'}');
        Ok(written)
    }

    /// Appends an item with the links of a single GET.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write_item(
        &self,
        fetched: &FetchedRows,
        row: usize,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        let written = self.write_item_text(fetched, row, out)?;
        links.write(|out| self.write_key(fetched.roots(), row, out), out);
        Ok(written)
    }

    /// Appends an item up to its links, which depend on the client: its members and `_metadata`.
    /// [`Links::write`] appends the rest.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write_item_text(
        &self,
        fetched: &FetchedRows,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        let written = self.write_members(fetched, row, out)?;
        self.write_metadata(fetched, row, written.etag, out);
        Ok(written)
    }

    /// Appends the end of an item in a page: its only link is `self`, and it has none where no key
    /// leads to it.
    pub(crate) fn end_page_item(
        &self,
        fetched: &FetchedRows,
        row: usize,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) {
        let is_null = |(column, _): &(usize, Codec)| fetched.roots().get(row, *column).is_null();
        if links.plain || self.key.is_empty() || self.key.iter().any(is_null) {
            out.push(b'}');
            return;
        }
        go_on(out);
        out.extend_from_slice(b"\"links\":[{\"rel\":\"self\",\"href\":\"");
        out.extend_from_slice(links.collection.as_bytes());
        self.write_key(fetched.roots(), row, out);
        out.extend_from_slice(b"\"}]}");
    }

    pub(crate) fn write_metadata(
        &self,
        fetched: &FetchedRows,
        row: usize,
        etag: Etag,
        out: &mut Vec<u8>,
    ) {
        let Some(column) = self.as_of else { return };
        let as_of = match fetched.roots().get(row, column) {
            Datum::Wire(wire) => wire.try_into().map_or(0, u64::from_be_bytes),
            Datum::Int(value) => value.cast_unsigned(),
            _ => fetched.as_of,
        };
        go_on(out);
        out.extend_from_slice(b"\"_metadata\":{\"etag\":\"");
        out.extend_from_slice(&etag.digits());
        out.extend_from_slice(b"\",\"asof\":\"");
        for byte in as_of.to_be_bytes() {
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        out.extend_from_slice(b"\"}");
    }

    /// Appends the key of a root row as a path segment.
    pub fn write_key(&self, roots: &RowSet, row: usize, out: &mut Vec<u8>) {
        let start = out.len();
        for (index, (column, codec)) in self.key.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            match roots.get(row, *column) {
                Datum::Int(value) if matches!(codec, Codec::Integer) => write_integer(value, out),
                Datum::Text(text) if matches!(codec, Codec::Text) => percent_encode(text, out),
                cell => percent_encode(&unquoted(codec, cell), out),
            }
        }
        if out.len() == start && !self.key.is_empty() {
            out.extend_from_slice(EMPTY.as_bytes());
        }
    }
}

/// The etags of the checked and of the unchecked bytes of a document; at each mark the one turns
/// into the other.
fn etags(key: &EtagKey, document: &[u8], marks: impl Iterator<Item = usize>) -> (Etag, Etag) {
    let mut sides = [document.len(), 64].map(|room| EtagHasher::with_capacity(key, room));
    let (mut from, mut side) = (0, 0);
    for mark in marks.chain([document.len()]) {
        sides[side].update(&document[from..mark]);
        (from, side) = (mark, 1 - side);
    }
    let [checked, unchecked] = sides;
    (checked.etag(), unchecked.etag())
}
