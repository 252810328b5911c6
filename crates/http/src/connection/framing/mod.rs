//! Where the requests of a connection begin, and their first lines with raw characters encoded.
//!
//! Many clients send a filter unencoded: `DELETE /team/?q={"name": "A"}`. hyper refuses such a line.
//! A line is longer when it has been encoded, so the place where a request begins must be certain: a
//! line that is taken out of the middle of a body would move the end of that body. Bodies are followed
//! by their length or their [chunks]. Whatever is unusual (folded or repeated headers, unknown methods)
//! is passed on unchanged, with all that comes behind it on its connection.

mod chunks;

use std::mem::take;

use chunks::{Chunks, Progress};

const HEAD_END: &[u8] = b"\r\n\r\n";

/// Of a header line, more than this is of no interest.
const HEADER_NAME: usize = 64;

/// Where the next byte of a connection is.
#[derive(Debug)]
enum Position {
    /// In the first line of a request, of which these bytes are held back.
    Line(Vec<u8>),
    /// In the headers.
    Headers(Headers),
    /// In a body, with this many bytes left.
    Body(u64),
    /// In a chunked body.
    Chunks(Chunks),
    /// Somewhere else, for ever.
    Unknown,
    /// Behind a body that is refused: nothing more is passed on.
    Refused,
}

/// What is known of a head so far.
#[derive(Debug, Default)]
struct Headers {
    /// The beginning of the line that is under way.
    line: Vec<u8>,
    /// The last byte that came before those now.
    last: Option<u8>,
    length: Option<u64>,
    unusual: bool,
    /// Whether there is a `Transfer-Encoding`, another one, and a `Content-Length`: with two of them,
    /// others on the way may see another end of the body.
    chunked: bool,
    repeated: bool,
    has_length: bool,
}

/// A header line that hyper refuses with 400: what it would let pass is refused by putting this in
/// front of it.
const REFUSED: &[u8] = b"\0:\r\n";
/// What hyper refuses wherever a line of a chunked body may begin: no size, no end and no trailer.
const REFUSED_CHUNK: &[u8] = b"\0\r\n\r\n";

/// Follows the requests of one connection.
#[derive(Debug)]
pub(crate) struct Framing {
    place: Position,
    /// Requests whose body this has seen coming.
    bodies: u64,
    /// The limit of a first line, in bytes.
    limit: usize,
}

impl Framing {
    pub(crate) fn new(limit: usize) -> Self {
        Self { place: Position::Line(Vec::new()), bodies: 0, limit }
    }

    /// Takes the next bytes of the connection. `None`: they are passed on as they are; otherwise these
    /// are, which may be none where a line is not complete. `bodies` is how many requests with a body
    /// hyper has seen: more than this has means that a place is wrong.
    pub(crate) fn pass(&mut self, bytes: &[u8], bodies: u64) -> Option<Vec<u8>> {
        if bodies > self.bodies && matches!(self.place, Position::Line(_)) {
            return self.give_up(bytes);
        }
        if let Position::Chunks(chunks) = &mut self.place
            && chunks.is_data(bytes.len())
        {
            return None;
        }
        match &mut self.place {
            Position::Unknown => return None,
            Position::Body(rest) if *rest > bytes.len() as u64 => {
                *rest -= bytes.len() as u64;
                return None;
            }
            Position::Line(held) if held.is_empty() => {
                if is_plain_read(bytes) {
                    return None;
                }
                if let Some(body) = plain_write(bytes, self.limit) {
                    self.bodies += u64::from(body.length > 0);
                    self.place = match body.length - body.arrived {
                        0 => Position::Line(Vec::new()),
                        left => Position::Body(left),
                    };
                    return None;
                }
            }
            _ => {}
        }
        let mut out = Vec::with_capacity(bytes.len() + 64);
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = self.step(rest, &mut out);
        }
        Some(out)
    }

    /// What is held back when the connection ends.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        match std::mem::replace(&mut self.place, Position::Unknown) {
            Position::Line(held) => held,
            _ => Vec::new(),
        }
    }

    fn give_up(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut held = self.end();
        if held.is_empty() {
            return None;
        }
        held.extend_from_slice(bytes);
        Some(held)
    }

    /// Passes some bytes on; gives those behind them.
    fn step<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> &'b [u8] {
        match &mut self.place {
            Position::Line(_) => self.line(bytes, out),
            Position::Headers(headers) => {
                let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
                let (now, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                if end.is_some() && headers.ends_wrongly(now) {
                    out.extend_from_slice(REFUSED);
                }
                out.extend_from_slice(now);
                let room = HEADER_NAME.saturating_sub(headers.line.len());
                headers.line.extend_from_slice(&now[..now.len().min(room)]);
                headers.last = now.last().copied();
                if end.is_some() && headers.take_line() {
                    self.place = match headers.length {
                        _ if headers.unusual => Position::Unknown,
                        _ if headers.chunked => {
                            self.bodies += 1;
                            Position::Chunks(Chunks::default())
                        }
                        None | Some(0) => Position::Line(Vec::new()),
                        Some(length) => {
                            self.bodies += 1;
                            Position::Body(length)
                        }
                    };
                }
                if let Position::Headers(headers) = &self.place
                    && headers.chunked
                    && (headers.has_length || headers.repeated)
                {
                    out.extend_from_slice(REFUSED);
                }
                rest
            }
            Position::Body(left) => {
                let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= here as u64;
                if *left == 0 {
                    self.place = Position::Line(Vec::new());
                }
                out.extend_from_slice(&bytes[..here]);
                &bytes[here..]
            }
            Position::Chunks(_) => self.chunk(bytes, out),
            Position::Unknown => {
                out.extend_from_slice(bytes);
                &[]
            }
            Position::Refused => &[],
        }
    }

    /// Passes on bytes of a first line; gives those behind them.
    fn line<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> &'b [u8] {
        let Position::Line(held) = &mut self.place else { return bytes };
        let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let (now, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        held.extend_from_slice(now);
        let is_request = may_be_request(held) && held.len() <= self.limit;
        if end.is_some() || !is_request {
            let line = take(held);
            self.place = match is_request {
                _ if line == b"\r\n" => Position::Line(Vec::new()),
                true => Position::Headers(Headers::default()),
                false => Position::Unknown,
            };
            let better = if is_request { encoded(&line) } else { None };
            if is_request && end.is_some() && !line.ends_with(b"\r\n") {
                out.extend_from_slice(REFUSED);
            }
            out.extend_from_slice(&better.unwrap_or(line));
        }
        rest
    }

    /// Passes on bytes of a chunked body; gives those behind them.
    fn chunk<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> &'b [u8] {
        let Position::Chunks(chunks) = &mut self.place else { return bytes };
        let (progress, rest) = chunks.pass(bytes, out);
        match progress {
            Progress::UnderWay => rest,
            Progress::Ended => {
                self.place = Position::Line(Vec::new());
                rest
            }
            // Nothing behind it is passed on: where the next request begins is not certain.
            Progress::Malformed => {
                out.extend_from_slice(REFUSED_CHUNK);
                self.place = Position::Refused;
                &[]
            }
        }
    }
}

impl Headers {
    /// Whether a line that ends here ends with a bare line feed (RFC 9112 §2.2).
    fn ends_wrongly(&self, now: &[u8]) -> bool {
        let before = now.len().checked_sub(2).and_then(|at| now.get(at).copied()).or(self.last);
        before != Some(b'\r')
    }

    /// Takes a complete line; whether it is the last one.
    fn take_line(&mut self) -> bool {
        let line = take(&mut self.line);
        if line == b"\r\n" || line == b"\n" {
            self.unusual |= line == b"\n";
            return true;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let folded = line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        self.has_length |= name.eq_ignore_ascii_case(b"content-length");
        // With `Expect`, the body follows anyway, or the connection ends.
        if folded || colon.is_none() || name.eq_ignore_ascii_case(b"upgrade") {
            self.unusual = true;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            let value = value[1..].trim_ascii();
            let whole = line.ends_with(b"\n");
            self.unusual |= self.chunked || !whole || !value.eq_ignore_ascii_case(b"chunked");
            self.repeated = self.chunked;
            self.chunked = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let length = content_length(&value[1..]);
            self.unusual |= self.length.is_some() || length.is_none();
            self.length = length;
        }
        false
    }
}

const METHODS: [&[u8]; 8] =
    [b"GET ", b"HEAD ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ", b"OPTIONS ", b"QUERY "];

/// Whether a line begins as that of a request does, or is an empty one, which may come before it.
fn may_be_request(line: &[u8]) -> bool {
    b"\r\n".starts_with(line)
        || METHODS.iter().any(|method| {
            let length = method.len().min(line.len());
            line[..length] == method[..length]
        })
}

/// Whether these bytes are requests without a body as most clients send them, with nothing to encode
/// in the first. A body that is announced anyway is counted by hyper.
fn is_plain_read(bytes: &[u8]) -> bool {
    if !(bytes.starts_with(b"GET ") || bytes.starts_with(b"HEAD ")) || !bytes.ends_with(HEAD_END) {
        return false;
    }
    if !lines_are_plain(bytes) {
        return false;
    }
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    is_plain_line(&bytes[..end])
}

/// The body of a request: how long it is, and how much of it has arrived with the head.
struct PlainBody {
    length: u64,
    arrived: u64,
}

/// The body of a request that arrives as most clients send writes: the whole head in one read with nothing to
/// encode, and no bytes behind the body. `None` for any other.
fn plain_write(bytes: &[u8], limit: usize) -> Option<PlainBody> {
    let others = &METHODS[2..];
    if !others.iter().any(|method| bytes.starts_with(method)) {
        return None;
    }
    let head = memchr::memmem::find(bytes, HEAD_END)?;
    let mut lines = memchr::memchr_iter(b'\n', &bytes[..head + 2]);
    let mut begin = lines.next()? + 1;
    if begin > limit || !bytes[..begin].ends_with(b"\r\n") || !is_plain_line(&bytes[..begin - 1]) {
        return None;
    }
    let mut length = None;
    for end in lines {
        let line = bytes[begin..end].strip_suffix(b"\r")?;
        begin = end + 1;
        match line.first()?.to_ascii_lowercase() {
            b't' | b'u' | b' ' | b'\t' => return None,
            b'c' => {
                let at = memchr::memchr(b':', line)?;
                if line[..at].eq_ignore_ascii_case(b"content-length")
                    && length.replace(content_length(&line[at + 1..])?).is_some()
                {
                    return None;
                }
            }
            _ => {
                memchr::memchr(b':', line)?;
            }
        }
    }
    let (length, arrived) = (length.unwrap_or(0), (bytes.len() - head - HEAD_END.len()) as u64);
    (arrived <= length).then_some(PlainBody { length, arrived })
}

/// The value of a `Content-Length`, unless it is unusual.
fn content_length(value: &[u8]) -> Option<u64> {
    let value = value.trim_ascii();
    let digits = value.len() <= 18 && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()
}

/// Whether a first line has two blanks and nothing to encode.
fn is_plain_line(line: &[u8]) -> bool {
    let (mut blanks, mut wild) = (0, 0);
    for byte in line {
        let kind = KINDS[usize::from(*byte)];
        blanks += usize::from(kind & BLANK);
        wild |= kind & WILD;
    }
    blanks == 2 && wild == 0
}

const BLANK: u8 = 1;
const WILD: u8 = 2;

/// What each byte is in a first line.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = if is_wild(byte as u8) { WILD } else { (byte as u8 == b' ') as u8 * BLANK };
        byte += 1;
    }
    kinds
};

/// Whether each line ends as it must, and none may be a `Transfer-Encoding`.
fn lines_are_plain(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', bytes).all(|at| {
        let starts_as = |byte: &u8| byte.eq_ignore_ascii_case(&b't');
        at > 0 && bytes[at - 1] == b'\r' && !bytes.get(at + 1).is_some_and(starts_as)
    })
}

/// Whether a byte of a request's target is one that must be encoded, and often is not.
const fn is_wild(byte: u8) -> bool {
    matches!(byte, b'"' | b'<' | b'>' | b'#' | b'\t' | 0x7f..)
}

/// The same first line with raw characters of its target percent-encoded; `None` where there are
/// none, or it is no such line. Blanks are encoded in the query alone, as is a percent sign that
/// encodes nothing.
fn encoded(line: &[u8]) -> Option<Vec<u8>> {
    let text = line.strip_suffix(b"\r\n")?;
    let begin = text.iter().position(|byte| *byte == b' ')? + 1;
    let end = text.iter().rposition(|byte| *byte == b' ')?;
    if end < begin || !matches!(&text[end..], b" HTTP/1.1" | b" HTTP/1.0") {
        return None;
    }
    let target = &text[begin..end];
    let query = target.iter().position(|byte| *byte == b'?').unwrap_or(target.len());
    let is_raw = |at: usize, byte: u8| is_wild(byte) || (byte == b' ' && at > query);
    if !target.iter().enumerate().any(|(at, byte)| is_raw(at, *byte)) {
        return None;
    }
    let mut out = Vec::with_capacity(line.len() + 64);
    out.extend_from_slice(&text[..begin]);
    for (at, byte) in target.iter().enumerate() {
        let hex = |at: usize| target.get(at).is_some_and(u8::is_ascii_hexdigit);
        let bare_percent = *byte == b'%' && at > query && !(hex(at + 1) && hex(at + 2));
        if is_raw(at, *byte) || bare_percent {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            out.push(*byte);
        }
    }
    out.extend_from_slice(&line[begin + target.len()..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All that is passed on when the bytes come in these pieces.
    fn passed(framing: &mut Framing, pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        for piece in pieces {
            out.extend(framing.pass(piece, 0).unwrap_or_else(|| piece.to_vec()));
        }
        out.extend(framing.end());
        String::from_utf8_lossy(&out).into_owned()
    }

    fn once(text: &str) -> String {
        passed(&mut Framing::new(1000), &[text.as_bytes()])
    }

    #[test]
    fn raw_filters_are_encoded() {
        let head = "HTTP/1.1\r\nHost: \"h\"\r\n\r\n";
        for (target, expected) in [
            ("/a?q={\"a\":\"<b>\"}", "/a?q={%22a%22:%22%3Cb%3E%22}"),
            ("/a?q={\"a\": 1} ", "/a?q={%22a%22:%201}%20"),
            ("/a?q={\"a\":\"A%\"}", "/a?q={%22a%22:%22A%25%22}"),
            ("/a?q={\"a\":\"%41\"}", "/a?q={%22a%22:%22%41%22}"),
            ("/a?q={\"a\":\"#é\"}", "/a?q={%22a%22:%22%23%C3%A9%22}"),
            ("/a?q=%zz", "/a?q=%zz"),
            ("/a b", "/a b"),
        ] {
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY"] {
                let (raw, expected) =
                    (format!("{method} {target} {head}"), format!("{method} {expected} {head}"));
                assert_eq!(once(&raw), expected);
            }
        }
    }

    #[test]
    fn requests_are_found_behind_bodies() {
        let raw = "PATCH /a?q={\"a\":1} HTTP/1.1\r\ncontent-LENGTH: 25\r\n\r\nGET \"in a body\" HTTP\"\r\n\
                   \r\nGET /\"b\" HTTP/1.1\r\n\r\nDELETE /c?q=\" HTTP/1.1\r\n\r\n";
        let expected = "PATCH /a?q={%22a%22:1} HTTP/1.1\r\ncontent-LENGTH: 25\r\n\r\nGET \"in a body\" HTTP\"\r\n\
                        \r\nGET /%22b%22 HTTP/1.1\r\n\r\nDELETE /c?q=%22 HTTP/1.1\r\n\r\n";
        assert_eq!(once(raw), expected);
        let bytes = raw.as_bytes();
        for at in 0..bytes.len() {
            let pieces = [&bytes[..at], &bytes[at..]];
            assert_eq!(passed(&mut Framing::new(1000), &pieces), expected, "{at}");
        }
    }

    /// Requests behind chunked bodies and behind `Expect` are found, however the bytes are cut.
    #[test]
    fn requests_are_found_behind_chunks_and_expectations() {
        let bodies = [
            "Transfer-Encoding: chunked\r\n\r\n5\r\nGET \"\r\n0A\r\n0\r\n\r\nGET \"\r\n0\r\n\r\n",
            "transfer-encoding:CHUNKED\r\nExpect: 100-continue\r\n\r\n000\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n1\r\n\"\r\n0\r\n\r\n",
            "Expect: 100-continue\r\nContent-Length: 7\r\n\r\nGET \"\r\n",
            "Expect: 100-continue\r\n\r\n",
        ];
        for body in bodies {
            let text = |quote: &str| {
                format!("POST /a HTTP/1.1\r\n{body}DELETE /c?q={quote} HTTP/1.1\r\n\r\n")
            };
            let (raw, expected) = (text("\""), text("%22"));
            for at in 0..raw.len() {
                let pieces = [&raw.as_bytes()[..at], &raw.as_bytes()[at..]];
                assert_eq!(passed(&mut Framing::new(1000), &pieces), expected, "{at}");
            }
            let single: Vec<&[u8]> = raw.as_bytes().chunks(1).collect();
            assert_eq!(passed(&mut Framing::new(1000), &single), expected);
        }
    }

    #[test]
    fn unusual_requests_pass_unchanged() {
        let next = "GET /\" HTTP/1.1\r\n\r\n";
        for head in [
            "POST /a HTTP/1.1\r\ntransfer-ENCODING: gzip, chunked\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nUpgrade: x\r\n\r\n",
            "POST /a HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
            "POST /a HTTP/1.1\r\nContent-Length: +0\r\n\r\n",
            "POST /a HTTP/1.1\r\nContent-Length: 1,1\r\n\r\n",
            "POST /a HTTP/1.1\r\nX: a\r\n Content-Length: 0\r\n\r\n",
            "POST /a HTTP/1.1\r\nnonsense\r\n\r\n",
            "BREW /\" HTTP/1.1\r\n\r\n",
            "get /\" HTTP/1.1\r\n\r\n",
            "{\"a\":1}",
            "\u{16}\u{3}\u{1}\"",
        ] {
            let both = format!("{head}{next}");
            assert_eq!(once(&both), both);
        }
    }

    /// hyper takes these, and others on the way may read them in another way.
    #[test]
    fn ambiguous_framing_is_refused() {
        for raw in [
            "GET /a HTTP/1.1\nHost: h\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: h\n\r\n",
            "GET /a HTTP/1.1\r\nHost: h\r\n\n",
            "POST /a HTTP/1.1\n\n",
            "POST /a HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ] {
            assert!(once(raw).contains('\0'), "{raw:?}");
            let pieces: Vec<&[u8]> = raw.as_bytes().chunks(1).collect();
            assert!(passed(&mut Framing::new(1000), &pieces).contains('\0'), "{raw:?}");
        }
    }

    /// Extensions and trailers are left out, and the request behind them is found; behind a malformed
    /// chunk nothing is passed on.
    #[test]
    fn extensions_of_chunks_and_trailers_are_followed() {
        let head = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let next = "GET /\" HTTP/1.1\r\n\r\n";
        let raw = format!("{head}1;x=y\r\na\r\n0;z\r\nA: b\r\n\r\n{next}");
        let expected = format!("{head}1\r\na\r\n0\r\n\r\nGET /%22 HTTP/1.1\r\n\r\n");
        for at in 0..raw.len() {
            let pieces = [&raw.as_bytes()[..at], &raw.as_bytes()[at..]];
            assert_eq!(passed(&mut Framing::new(1000), &pieces), expected, "{at}");
        }
        for body in ["1\na\r\n0\r\n\r\n", "1\r\nab\r\n0\r\n\r\n", "0\r\nA: b\n\r\n"] {
            let refused = once(&format!("{head}{body}{next}"));
            assert!(refused.ends_with("\0\r\n\r\n") && !refused.contains("GET"), "{refused:?}");
        }
    }

    #[test]
    fn lines_that_never_end_are_passed_on() {
        let mut framing = Framing::new(10);
        assert_eq!(framing.pass(b"GET /12", 0).as_deref(), Some(&b""[..]));
        assert_eq!(framing.pass(b"34\"6", 0).as_deref(), Some(&b"GET /1234\"6"[..]));
        assert_eq!(framing.pass(b"GET \" HTTP/1.1\r\n\r\n", 0), None);
    }

    #[test]
    fn a_body_that_only_hyper_has_seen_ends_it() {
        let mut framing = Framing::new(1000);
        assert_eq!(framing.pass(b"GET / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", 0), None);
        assert_eq!(framing.pass(b"GET /\" HTTP/1.1\r\n\r\n", 1), None);
    }

    proptest! {
        /// However the bytes are cut, the same is passed on; without raw characters, all of it.
        #[test]
        fn cuts_change_nothing(
            parts in prop::collection::vec(prop_oneof![
                Just("GET /a?q={\"a\": 1} HTTP/1.1\r\n"), Just("POST /a HTTP/1.1\r\n"), Just("\r\n"),
                Just("Transfer-Encoding: chunked\r\n"), Just("5\r\n"), Just("0\r\n"),
                Just("Content-Length: 5\r\n"), Just("12345"), Just("X: y\r\n"), Just("\n"), Just("Z"),
                Just("5;a=b\r\n"), Just("\r"),
            ], 0..12),
            cuts in prop::collection::vec(0..200_usize, 0..6),
        ) {
            let text = parts.concat();
            let mut places: Vec<usize> = cuts.into_iter().filter(|at| *at <= text.len()).collect();
            places.extend([0, text.len()]);
            places.sort_unstable();
            let pieces: Vec<&[u8]> =
                places.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
            let cut = passed(&mut Framing::new(1000), &pieces);
            let whole = once(&text);
            let codings = parts.iter().filter(|part| part.starts_with("Tr")).count();
            let both = codings > 0 && parts.contains(&"Content-Length: 5\r\n");
            if both || codings > 1 || parts.contains(&"\n") {
                // Where the refusal is depends on the cuts; whether there is one does not.
                prop_assert_eq!(cut.contains('\0'), whole.contains('\0'));
                return Ok(());
            }
            prop_assert_eq!(&cut, &whole);
            let is_chunked = parts.contains(&"Transfer-Encoding: chunked\r\n");
            if !is_chunked && !parts.iter().any(|part| part.contains('"')) {
                prop_assert_eq!(whole, text);
            }
        }
    }
}
