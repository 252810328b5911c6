//! Cells in the text format of PostgreSQL's COPY (its manual, COPY, "File Formats"), for loads of requests and of
//! the bench: cells are separated by a tab, rows end with a line feed.

use bytes::{BufMut, BytesMut};

/// Between cells.
pub const BETWEEN: u8 = b'\t';
/// Behind a row.
pub const END: u8 = b'\n';

/// Writes NULL.
pub fn null(out: &mut BytesMut) {
    out.put_slice(b"\\N");
}

/// Writes a whole number.
pub fn int(value: i64, out: &mut BytesMut) {
    out.put_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a text, or a part of one.
pub fn text(text: &[u8], out: &mut BytesMut) {
    let mut rest = text;
    let special = |byte: &u8| matches!(byte, b'\\' | b'\t' | b'\n' | b'\r');
    while let Some(at) = rest.iter().position(special) {
        out.put_slice(&rest[..at]);
        out.put_slice(match rest[at] {
            b'\\' => b"\\\\",
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            _ => b"\\r",
        });
        rest = &rest[at + 1..];
    }
    out.put_slice(rest);
}

/// Writes bytes in the hexadecimal form of `bytea`.
pub fn bytes(bytes: &[u8], out: &mut BytesMut) {
    out.put_slice(b"\\\\x");
    digits(bytes, out);
}

/// Writes a later part of such bytes.
pub fn digits(bytes: &[u8], out: &mut BytesMut) {
    for byte in bytes {
        out.put_slice(&hex(*byte));
    }
}

/// The two hexadecimal digits of a byte.
pub fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        let mut out = BytesMut::new();
        null(&mut out);
        int(-7, &mut out);
        text(b"a\tb\\c\nd\r", &mut out);
        bytes(&[1, 255], &mut out);
        assert_eq!(&out[..], b"\\N-7a\\tb\\\\c\\nd\\r\\\\x01ff");
    }
}
