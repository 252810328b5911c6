//! Programs: the writer's work for each document of a plan, as a flat list of steps.

use std::borrow::Cow;
use std::sync::Arc;

use duet_model::key::{EMPTY, parse_text};
use duet_model::{Result, Type};

use crate::codec::Codec;
use crate::etag::{Etag, EtagHasher, EtagKey};
use crate::fetched::Fetched;
use crate::flex::Flex;
use crate::json::is_json;
use crate::rows::{Datum, RowSet};
use crate::run::Run;
use crate::time::parse_interval;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

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
    /// If this column is NULL there is no row: writes `{}` and continues at `otherwise`.
    Object { presence: usize, otherwise: usize },
    /// Writes an element for each child row of a level, by the steps up to `end`.
    Array { level: usize, end: usize },
    /// Writes the members of a JSON object column.
    Flex { column: usize, flex: usize },
    /// Writes a stored document without its closing brace.
    Document { column: usize },
}

/// What was written of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The etag over the checked members.
    pub etag: Etag,
    /// The hash over the unchecked members, if there are any.
    pub unchecked: Option<Etag>,
}

impl Written {
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
fn go_on(out: &mut Vec<u8>) {
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

impl Program {
    /// Appends the document of a root row without its end: no closing brace yet, so that
    /// `_metadata` and `links` can follow.
    pub(crate) fn write_members(
        &self,
        fetched: &Fetched,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<Written> {
        let start = out.len();
        let marks = self.write_unhashed(fetched, row, out)?;
        if marks.is_empty() {
            return Ok(Written { etag: self.etag.etag(&out[start..]), unchecked: None });
        }
        let marks = marks.iter().map(|mark| mark - start);
        let (etag, unchecked) = etags(&self.etag, &out[start..], marks);
        Ok(Written { etag, unchecked: Some(unchecked) })
    }

    /// The same without an etag: where unchecked bytes begin and end in the output, in pairs.
    pub(crate) fn write_unhashed(
        &self,
        fetched: &Fetched,
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
    pub fn write_plain(&self, fetched: &Fetched, row: usize, out: &mut Vec<u8>) -> Result<Written> {
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
        fetched: &Fetched,
        row: usize,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Written> {
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
        fetched: &Fetched,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<Written> {
        let written = self.write_members(fetched, row, out)?;
        self.write_metadata(fetched, row, written.etag, out);
        Ok(written)
    }

    /// Appends the end of an item in a page: its only link is `self`, and it has none where no key
    /// leads to it.
    pub(crate) fn end_page_item(
        &self,
        fetched: &Fetched,
        row: usize,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) {
        let is_null =
            |(column, _): &(usize, Codec)| fetched.roots().get(row, *column) == Datum::Null;
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
        fetched: &Fetched,
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
                Datum::Int(value) if *codec == Codec::Integer => {
                    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                }
                Datum::Text(text) if *codec == Codec::Text => percent_encode(text, out),
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

/// Percent-encodes everything but RFC 3986's unreserved characters.
fn percent_encode(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(&[
                b'%',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]);
        }
    }
}

/// Appends a cell as a value of a page's `after` marker: its JSON text percent-encoded, `~` for
/// NULL, and a further `~` in front of a text that begins with one.
///
/// What SQLite stores in another form than the type promises goes with its form, because it sorts
/// by it: `~t` in front of text, `~x` of bytes in base64, `~=` of numbers, `~u` of text that is not UTF-8, in base64.
pub fn write_marker(codec: &Codec, cell: Datum<'_>, out: &mut Vec<u8>) {
    let (form, text) = match cell {
        Datum::Null => return out.push(b'~'),
        Datum::Text(text) if std::str::from_utf8(text).is_err() => {
            (&b"~u"[..], Cow::Owned(unquoted(&Codec::Binary, Datum::Blob(text))))
        }
        Datum::Text(text) if *codec == Codec::Text => {
            let escape: &[u8] = if text.starts_with(b"~") { b"~" } else { b"" };
            (escape, Cow::Borrowed(text))
        }
        Datum::Text(text) => match canonical(codec, text) {
            Some(canonical) => (&b""[..], Cow::Owned(canonical)),
            None => (&b"~t"[..], Cow::Borrowed(text)),
        },
        Datum::Blob(_) if *codec != Codec::Binary => {
            (&b"~x"[..], Cow::Owned(unquoted(&Codec::Binary, cell)))
        }
        Datum::Int(_) | Datum::Real(_) if !fits(codec, cell) => {
            (&b"~="[..], Cow::Owned(unquoted(&Codec::Float64, cell)))
        }
        cell => (&b""[..], Cow::Owned(unquoted(codec, cell))),
    };
    out.extend_from_slice(form);
    percent_encode(&text, out);
}

/// Whether a number is a value of the type.
fn fits(codec: &Codec, number: Datum<'_>) -> bool {
    match codec {
        Codec::Boolean => matches!(number, Datum::Int(0 | 1)),
        Codec::Integer => matches!(number, Datum::Int(_)),
        Codec::Decimal(_) | Codec::Float32 | Codec::Float64 => true,
        _ => false,
    }
}

/// The canonical form of a text, if the text represents a value of the type and sorts like the
/// canonical form: always if the type has a separate sort form.
fn canonical(codec: &Codec, text: &[u8]) -> Option<Vec<u8>> {
    let (ty, has_sort_form) = match codec {
        Codec::Date => (Type::Date, false),
        Codec::Time => (Type::Time, false),
        Codec::TimeTz => (Type::TimeTz, true),
        Codec::Timestamp => (Type::Timestamp, true),
        Codec::TimestampTz => (Type::TimestampTz, true),
        Codec::Interval => {
            (Type::Interval, parse_interval(std::str::from_utf8(text).ok()?).is_some())
        }
        Codec::Uuid => (Type::Uuid, false),
        _ => return None,
    };
    let canonical = unquoted(codec, Datum::Text(text));
    let sorts_alike = has_sort_form || canonical == text;
    let fits = parse_text(&ty, std::str::from_utf8(&canonical).ok()?).is_ok();
    (sorts_alike && fits).then_some(canonical)
}

/// The JSON of a cell, without its quotes unless it is a value of JSON.
fn unquoted(codec: &Codec, cell: Datum<'_>) -> Vec<u8> {
    let mut json = Vec::new();
    codec.write(cell, &mut json);
    let is_json_text = match cell {
        Datum::Text(text) => is_json(text),
        cell => matches!(cell, Datum::Wire(_)),
    };
    if *codec == Codec::Json && is_json_text {
        return json;
    }
    match json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) {
        Some(inside) => inside.to_vec(),
        None => json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_preserve_stored_values() {
        let marker = |codec: &Codec, cell: Datum<'_>| {
            let mut out = Vec::new();
            write_marker(codec, cell, &mut out);
            String::from_utf8(out).unwrap()
        };
        let text = |codec, text: &str| marker(&codec, Datum::Text(text.as_bytes()));
        assert_eq!(marker(&Codec::Integer, Datum::Null), "~");
        assert_eq!(marker(&Codec::Integer, Datum::Int(-7)), "-7");
        assert_eq!(text(Codec::Text, "~a,b"), "~~a%2Cb");
        assert_eq!(text(Codec::Timestamp, "2022-03-20 01:02"), "2022-03-20T01%3A02%3A00");
        assert_eq!(text(Codec::Timestamp, "soon"), "~tsoon");
        assert_eq!(text(Codec::Time, "12:00:00"), "12%3A00%3A00");
        assert_eq!(text(Codec::Time, "12:00"), "~t12%3A00");
        assert_eq!(text(Codec::Interval, "P1W"), "P7D");
        assert_eq!(
            text(Codec::Uuid, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
            "~tA0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
        );
        assert_eq!(text(Codec::Integer, "many"), "~tmany");
        assert_eq!(marker(&Codec::Text, Datum::Int(5)), "~=5");
        assert_eq!(marker(&Codec::Integer, Datum::Real(2.5)), "~=2.5");
        assert_eq!(marker(&Codec::Boolean, Datum::Int(1)), "true");
        assert_eq!(marker(&Codec::Boolean, Datum::Int(7)), "~=7");
        assert_eq!(marker(&Codec::Uuid, Datum::Blob(&[0, 255])), "~xAP8%3D");
        assert_eq!(marker(&Codec::Binary, Datum::Blob(&[0, 255])), "AP8%3D");
    }
}
