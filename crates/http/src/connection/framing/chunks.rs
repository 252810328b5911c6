//! A chunked body (RFC 9112 §7.1), followed line by line.
//!
//! Lines are held back until they are complete. Extensions of chunks and trailer fields mean nothing
//! to Duet: they are checked, counted and left out, as §7.1.1 and §7.1.2 allow, so the forwarded text
//! has chunks alone. Where others on the way might see another end of the body, it is refused.

use std::mem::take;

/// Bytes of extensions and trailer fields in all that a body may have.
const EXTRA: usize = 16 << 10;
/// Digits of a size that are followed: 15, so that sums cannot overflow.
const DIGITS: usize = 15;

/// Where the next byte of a chunked body is.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    part: Part,
    /// What has come of a line that is not complete.
    line: Vec<u8>,
    /// Bytes of extensions and trailer fields so far.
    extra: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// In the line with the size of a chunk.
    #[default]
    Size,
    /// In a chunk, with this many bytes left.
    Data(u64),
    /// In the end of a line, behind the bytes of a chunk.
    DataEnd,
    /// Behind the last chunk.
    Trailers,
}

/// How far a body has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    UnderWay,
    Ended,
    /// The chunks are malformed; later bytes have no meaning.
    Malformed,
}

impl Chunks {
    /// Whether all of these bytes belong to a chunk that continues after them; then they are counted.
    pub(super) fn is_data(&mut self, bytes: usize) -> bool {
        match &mut self.part {
            Part::Data(left) if *left > bytes as u64 => {
                *left -= bytes as u64;
                true
            }
            _ => false,
        }
    }

    /// Passes on bytes of the body, of at most one line or chunk; gives those behind them.
    pub(super) fn pass<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> (Progress, &'b [u8]) {
        if let Part::Data(left) = &mut self.part {
            let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
            *left -= here as u64;
            if *left == 0 {
                self.part = Part::DataEnd;
            }
            out.extend_from_slice(&bytes[..here]);
            return (Progress::UnderWay, &bytes[here..]);
        }
        let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
        let (now, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        self.line.extend_from_slice(now);
        let progress = match end {
            Some(_) => {
                let line = take(&mut self.line);
                line.strip_suffix(b"\r\n").and_then(|line| self.take_line(line, out))
            }
            None => self.may_go_on().then_some(Progress::UnderWay),
        };
        (progress.unwrap_or(Progress::Malformed), rest)
    }

    /// Whether a line that is not complete may become one.
    fn may_go_on(&self) -> bool {
        match self.part {
            Part::DataEnd => self.line == b"\r",
            _ => self.extra + self.line.len() <= EXTRA + DIGITS + 2,
        }
    }

    /// Takes a complete line, without its end; `None` where it is malformed.
    fn take_line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Option<Progress> {
        match self.part {
            Part::Size => {
                let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                let (size, extensions) = line.split_at(digits);
                let known = (1..=DIGITS).contains(&digits) && are_extensions(extensions);
                if !known || !self.count(extensions) {
                    return None;
                }
                let left = u64::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()?;
                self.part = if left == 0 { Part::Trailers } else { Part::Data(left) };
                out.extend_from_slice(size);
            }
            Part::Trailers if !line.is_empty() => {
                return (is_field(line) && self.count(line)).then_some(Progress::UnderWay);
            }
            Part::DataEnd if line.is_empty() => self.part = Part::Size,
            Part::Trailers => {
                out.extend_from_slice(b"\r\n");
                return Some(Progress::Ended);
            }
            Part::DataEnd | Part::Data(_) => return None,
        }
        out.extend_from_slice(b"\r\n");
        Some(Progress::UnderWay)
    }

    /// Counts bytes that are left out; whether they are within the limit.
    fn count(&mut self, bytes: &[u8]) -> bool {
        self.extra += bytes.len();
        self.extra <= EXTRA
    }
}

/// Whether a text may be the extensions of a chunk: none, or what begins with a semicolon. Their names
/// and values are not looked at, as none is known.
fn are_extensions(text: &[u8]) -> bool {
    text.is_empty() || text.trim_ascii_start().starts_with(b";") && text.iter().all(is_text)
}

/// Whether a line may be a field: a name, a colon and a value, and not the rest of another field
/// (RFC 9112 §5.2).
fn is_field(line: &[u8]) -> bool {
    let colon = line.iter().position(|byte| *byte == b':').unwrap_or(0);
    let (name, value) = line.split_at(colon);
    !name.is_empty() && name.iter().all(is_token) && value.iter().all(is_text)
}

/// Whether a byte may be part of a value (RFC 9110 §5.5): a bare carriage return may not.
fn is_text(byte: &u8) -> bool {
    *byte == b'\t' || !byte.is_ascii_control()
}

/// Whether a byte may be part of a name (RFC 9110 §5.6.2).
fn is_token(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on of a body that comes in pieces of this size, and how it ends.
    fn passed(body: &[u8], piece: usize) -> (String, Progress) {
        let (mut chunks, mut out) = (Chunks::default(), Vec::new());
        let mut progress = Progress::UnderWay;
        for piece in body.chunks(piece) {
            let mut rest = piece;
            while !rest.is_empty() && progress == Progress::UnderWay {
                if chunks.is_data(rest.len()) {
                    out.extend_from_slice(rest);
                    break;
                }
                (progress, rest) = chunks.pass(rest, &mut out);
            }
        }
        (String::from_utf8(out).unwrap(), progress)
    }

    fn ends(body: &str, expected: Progress) -> String {
        let pieces = [1, 2, 3, 7, body.len()].map(|piece| passed(body.as_bytes(), piece));
        for (_, progress) in &pieces {
            assert_eq!(*progress, expected, "{body:?}");
        }
        pieces.into_iter().next_back().unwrap().0
    }

    #[test]
    fn extensions_and_trailers_are_left_out() {
        for (body, expected) in [
            ("3\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"),
            ("3;a=b\r\nabc\r\n0;last\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"),
            ("3 ; a = \"b;\tc\"\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"),
            ("0A\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", "0A\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"),
            ("0\r\nExpires: never\r\nContent-Length: 3\r\nX:\r\n\r\n", "0\r\n\r\n"),
        ] {
            assert_eq!(ends(body, Progress::Ended), expected, "{body:?}");
        }
    }

    #[test]
    fn ambiguous_chunks_are_malformed() {
        for body in [
            "3\nabc\r\n0\r\n\r\n",
            "3;a\nabc\r\n0\r\n\r\n",
            "3;a\rb\r\nabc\r\n0\r\n\r\n",
            "3 \r\nabc\r\n0\r\n\r\n",
            "3 a\r\nabc\r\n0\r\n\r\n",
            "3;\0\r\nabc\r\n0\r\n\r\n",
            " 3\r\nabc\r\n0\r\n\r\n",
            "-3\r\nabc\r\n",
            "0x3\r\nabc\r\n",
            "\r\n",
            "0000000000000003\r\nabc\r\n",
            "3\r\nabcd\r\n0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n",
            "3\r\nabc\r\r\n0\r\n\r\n",
            "0\r\n\n",
            "0\r\nA: b\n\r\n",
            "0\r\nA: b\r\n c\r\n\r\n",
            "0\r\nA b\r\n\r\n",
            "0\r\n: b\r\n\r\n",
            "0\r\nA : b\r\n\r\n",
            "0\r\nA: b\rc\r\n\r\n",
        ] {
            ends(body, Progress::Malformed);
        }
    }

    /// What is left out has a limit, in one line and in all, also while no line ends.
    #[test]
    fn extensions_and_trailers_are_bounded() {
        let of = |bytes: usize| "x".repeat(bytes);
        ends(&format!("0;{}\r\n\r\n", of(EXTRA - 1)), Progress::Ended);
        ends(&format!("0;{}\r\n\r\n", of(EXTRA)), Progress::Malformed);
        ends(&format!("0;{}", of(EXTRA + 99)), Progress::Malformed);
        ends(&format!("0\r\n{}", of(EXTRA + 99)), Progress::Malformed);
        ends(&format!("0\r\nA:{}\r\n\r\n", of(EXTRA - 2)), Progress::Ended);
        ends(&format!("0\r\nA:{}\r\n\r\n", of(EXTRA - 1)), Progress::Malformed);
        ends(&"1;abcdefg\r\nx\r\n".repeat(EXTRA / 8), Progress::UnderWay);
        ends(&"1;abcdefg\r\nx\r\n".repeat(EXTRA / 8 + 1), Progress::Malformed);
    }
}
