//! Rows of a statement as JSON: what routines and services answer with.

use duet_document::{Codec, RowSet, write_string};

/// A row as an object; `{}` where there is no such row.
pub(crate) fn object(
    rows: &RowSet,
    row: usize,
    names: &[String],
    codecs: &[Codec],
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    if row < rows.len() {
        for (at, (name, codec)) in names.iter().zip(codecs).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_string(name.as_bytes(), out);
            out.push(b':');
            codec.write(rows.get(row, at), out);
        }
    }
    out.push(b'}');
}

/// All rows as `items` and `count`.
pub(crate) fn items(rows: &RowSet, out: &mut Vec<u8>, write: impl Fn(usize, &mut Vec<u8>)) {
    out.extend_from_slice(b"{\"items\":[");
    for row in 0..rows.len() {
        if row > 0 {
            out.push(b',');
        }
        write(row, out);
    }
    out.extend_from_slice(format!("],\"count\":{}}}", rows.len()).as_bytes());
}
