//! Documents of collections as they are stored: whole, as canonical JSON text.
//!
//! SQLite has the canonical text of [`canonical`](crate::canonical) itself; PostgreSQL's `jsonb` has the
//! same members and numbers, with a blank after each comma and colon.

use super::json::write_compact;
use super::rows::Datum;

/// Appends a stored document without its closing brace. A cell that holds none has no members.
pub(crate) fn write_open(cell: Datum<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    match cell {
        // The version byte of `jsonb` is in front.
        Datum::Wire(wire) => write_compact(wire.strip_prefix(&[1]).unwrap_or(wire), out),
        Datum::Text(text) => out.extend_from_slice(text),
        Datum::Null | Datum::Int(_) | Datum::Real(_) | Datum::Blob(_) => {}
    }
    if out.len() > start && out.last() == Some(&b'}') {
        out.pop();
    } else {
        out.truncate(start);
        out.push(b'{');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stores_give_the_same() {
        let written = |cell: Datum<'_>| {
            let mut out = b"x".to_vec();
            write_open(cell, &mut out);
            String::from_utf8(out).unwrap()
        };
        let expected = "x{\"a\":[1,\"b c\"]";
        assert_eq!(written(Datum::Text(b"{\"a\":[1,\"b c\"]}")), expected);
        assert_eq!(written(Datum::Wire(b"\x01{\"a\": [1, \"b c\"]}")), expected);
        for nothing in [Datum::Null, Datum::Int(7), Datum::Text(b"[1]"), Datum::Text(b"")] {
            assert_eq!(written(nothing), "x{");
        }
    }
}
