//! Large cells, whose JSON is written part by part: text, bytes and embedded JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::codec::Codec;
use super::json::{is_json, write_compact_part, write_escaped_text};
use super::rows::Datum;

/// Cells of more bytes are divided.
const LARGE: usize = 64 << 10;
/// Bytes of a cell that are written in one step; a multiple of a base64 group.
const PART: usize = 3 * (4 << 10);

/// How much of a large cell has been written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LargeCell {
    /// `None` before the first part.
    encoding: Option<CellEncoding>,
    /// Bytes of the cell that have been written.
    at: usize,
    /// Whether these end within a string of embedded JSON.
    in_string: bool,
}

/// The JSON form of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CellEncoding {
    /// A string.
    Text,
    /// A string of base64.
    Base64,
    /// Embedded JSON.
    Json,
}

impl LargeCell {
    /// Whether a cell is large and can be divided.
    pub(crate) fn is(codec: &Codec, cell: Datum<'_>) -> bool {
        match (codec, cell) {
            (Codec::Text | Codec::Json, Datum::Text(bytes))
            | (Codec::Json, Datum::Wire(bytes))
            | (_, Datum::Blob(bytes)) => bytes.len() > LARGE,
            _ => false,
        }
    }

    /// Appends parts until the output has about this many bytes; returns whether it reached the end
    /// of the cell.
    pub(crate) fn write_until(
        &mut self,
        bytes: usize,
        codec: &Codec,
        cell: Datum<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let (text, encoding) = match (cell, self.encoding) {
            (Datum::Blob(text), _) => (text, CellEncoding::Base64),
            (Datum::Text(text), Some(encoding)) => (text, encoding),
            (Datum::Text(text), None) if *codec == Codec::Json && is_json(text) => {
                (text, CellEncoding::Json)
            }
            (Datum::Text(text), None) => (text, CellEncoding::Text),
            // `jsonb` is sent with a version byte in front, `json` without.
            (Datum::Wire(wire), _) => (wire.strip_prefix(&[1]).unwrap_or(wire), CellEncoding::Json),
            _ => return true,
        };
        if self.encoding.replace(encoding).is_none() && encoding != CellEncoding::Json {
            out.push(b'"');
        }
        while self.at < text.len() {
            if out.len() >= bytes {
                return false;
            }
            self.part(encoding, text, out);
        }
        if encoding != CellEncoding::Json {
            out.push(b'"');
        }
        true
    }

    /// Appends the next part.
    fn part(&mut self, encoding: CellEncoding, text: &[u8], out: &mut Vec<u8>) {
        let end = (self.at + PART).min(text.len());
        match encoding {
            CellEncoding::Text => {
                let end = self.at + whole_characters(&text[self.at..end], end == text.len());
                write_escaped_text(&text[self.at..end], out);
                self.at = end;
            }
            CellEncoding::Base64 => {
                let part = &text[self.at..end];
                let start = out.len();
                out.resize(start + part.len().div_ceil(3) * 4, b'=');
                let encoded = STANDARD.encode_slice(part, &mut out[start..]);
                out.truncate(start + encoded.unwrap_or_default());
                self.at = end;
            }
            CellEncoding::Json => {
                self.at = write_compact_part(text, self.at..end, &mut self.in_string, out);
            }
        }
    }
}

/// How many bytes of a part can be read without those behind it: it is cut in front of a character
/// that may be incomplete.
fn whole_characters(part: &[u8], is_last: bool) -> usize {
    let tail = part.len().saturating_sub(3);
    let starts = |byte: &u8| *byte >= 0xC0;
    match part[tail..].iter().rposition(starts) {
        Some(at) if !is_last => tail + at,
        _ => part.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The JSON of a cell in pieces of about this size, and their number.
    fn pieces(codec: &Codec, cell: Datum<'_>, bytes: usize) -> (Vec<u8>, usize) {
        assert!(LargeCell::is(codec, cell));
        let (mut state, mut all, mut count) = (LargeCell::default(), Vec::new(), 1);
        let mut piece = Vec::new();
        while !state.write_until(bytes, codec, cell, &mut piece) {
            assert!((bytes..bytes + 6 * PART).contains(&piece.len()), "{}", piece.len());
            all.append(&mut piece);
            count += 1;
        }
        all.append(&mut piece);
        (all, count)
    }

    #[track_caller]
    fn same_as_whole(codec: &Codec, cell: Datum<'_>) {
        let mut whole = Vec::new();
        codec.write(cell, &mut whole);
        for bytes in [1, 1_000, 100_000] {
            let (text, count) = pieces(codec, cell, bytes);
            assert!(count > 1 && text == whole, "{codec:?} {bytes}: {count}");
        }
    }

    #[test]
    fn parts_concatenate_to_the_text() {
        let text = "Räikkönen \"🏁\"\n\u{1}".repeat(10_000);
        same_as_whole(&Codec::Text, Datum::Text(text.as_bytes()));
        same_as_whole(&Codec::Json, Datum::Text(text.as_bytes()));
        let broken: Vec<u8> = (0..200_000_u32).map(|at| (at % 251 + at % 7) as u8).collect();
        same_as_whole(&Codec::Text, Datum::Text(&broken));
        for less in 0..3 {
            let bytes = &broken[less..];
            same_as_whole(&Codec::Binary, Datum::Blob(bytes));
            same_as_whole(&Codec::Text, Datum::Blob(bytes));
        }
    }

    #[test]
    fn embedded_json_may_be_split_anywhere() {
        for padding in 0..12 {
            let one = format!(
                "{}\"a \\\"\\\\ b\\n\" :[ 1 , \"{}\"],",
                " ".repeat(padding),
                "x ".repeat(90)
            );
            let json = format!("{{{}\"end\" : null}}", one.repeat(2_000));
            same_as_whole(&Codec::Json, Datum::Text(json.as_bytes()));
            let wire = [b"\x01", json.as_bytes()].concat();
            same_as_whole(&Codec::Json, Datum::Wire(&wire));
        }
        let long = format!("[\"{}\"]", "\\\\ \\\" ".repeat(40_000));
        same_as_whole(&Codec::Json, Datum::Text(long.as_bytes()));
    }
}
