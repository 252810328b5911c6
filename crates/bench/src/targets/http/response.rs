//! Parses responses (RFC 9112).

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::coding::Coding;
use crate::record::Failed;

/// The header fields that are parsed at first, and the most.
const FIELDS: usize = 64;
const MOST_FIELDS: usize = 4_096;

/// The longest response; longer ones fail, because each user would hold one in memory.
pub(super) const LONGEST: usize = 256 * 1024 * 1024;

/// A response. It borrows the connection's buffer until the next request.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// The status code.
    pub status: u16,
    /// The received head, with the empty line.
    pub head: &'a [u8],
    /// The whole content, decoded if it was in one of [`Coding`].
    pub body: &'a [u8],
    /// Whether the content was as long as declared.
    pub length: Length,
}

/// Whether the content matched its Content-Length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// No length was declared: the content came in chunks, or until the end.
    Undeclared,
    /// It matched, or a response of this status has no content.
    Matched,
    /// More bytes followed.
    Exceeded,
}

impl<'a> Response<'a> {
    /// The value of a header field; names are case-insensitive. What is not UTF-8 is read as Latin-1 (RFC 9110 §5.5).
    pub fn field(&self, name: &str) -> Option<Cow<'a, str>> {
        let lines = self.head.split(|byte| *byte == b'\n').skip(1);
        for line in lines {
            let colon = line.iter().position(|byte| *byte == b':');
            let Some(colon) = colon else { continue };
            if line[..colon].eq_ignore_ascii_case(name.as_bytes()) {
                let value = line[colon + 1..].trim_ascii();
                return Some(match std::str::from_utf8(value) {
                    Ok(text) => Cow::Borrowed(text.trim()),
                    Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
                });
            }
        }
        None
    }

    /// Whether the content has a coding that is not decoded here.
    pub fn is_encoded(&self) -> bool {
        let coding = self.field("content-encoding").unwrap_or_default();
        Coding::named(coding.as_bytes()) == Coding::Unknown
    }

    /// Whether the content contains these bytes.
    pub fn contains(&self, bytes: &[u8]) -> bool {
        memmem::find(self.body, bytes).is_some()
    }
}

/// How a head describes the content behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    /// The length of the head.
    pub(super) length: usize,
    pub(super) content: Content,
    /// How the content is coded (RFC 9110 §8.4).
    pub(super) coding: Coding,
    /// The server will close the connection.
    pub(super) closes: bool,
}

/// How the end of the content is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Length(usize),
    Chunked,
    UntilClose,
}

/// Parses a head; `None` while it is incomplete.
pub(super) fn head(bytes: &[u8], of_head_request: bool) -> Result<Option<Head>, String> {
    let mut few = [httparse::EMPTY_HEADER; FIELDS];
    match parsed(bytes, of_head_request, &mut few) {
        Err(httparse::Error::TooManyHeaders) => {
            let mut many = vec![httparse::EMPTY_HEADER; MOST_FIELDS];
            parsed(bytes, of_head_request, &mut many)
        }
        parsed => parsed,
    }
    .unwrap_or_else(|error| Err(format!("the answer is not HTTP: {error}")))
}

/// The same with room for so many fields; the outer error is one of the form.
fn parsed<'b>(
    bytes: &'b [u8],
    of_head_request: bool,
    room: &mut [httparse::Header<'b>],
) -> Result<Result<Option<Head>, String>, httparse::Error> {
    let mut parsed = httparse::Response::new(room);
    match parsed.parse(bytes)? {
        httparse::Status::Complete(length) => {
            Ok(described(&parsed, length, of_head_request).map(Some))
        }
        httparse::Status::Partial => Ok(Ok(None)),
    }
}

/// What the fields of a head say of the content.
fn described(
    parsed: &httparse::Response<'_, '_>,
    length: usize,
    of_head_request: bool,
) -> Result<Head, String> {
    let status = parsed.code.unwrap_or(0);
    let mut content = None;
    let mut coding = Coding::Identity;
    let mut closes = parsed.version == Some(0);
    for field in parsed.headers.iter() {
        match field.name.len() {
            14 if field.name.eq_ignore_ascii_case("content-length") => {
                let text = std::str::from_utf8(field.value).ok();
                let length = text.and_then(|text| text.trim().parse().ok());
                let length = length.ok_or("the answer's Content-Length is not a number")?;
                if matches!(content, Some(Content::Length(other)) if other != length) {
                    return Err("the answer has two lengths: Content-Length differs".into());
                }
                content = content.or(Some(Content::Length(length)));
            }
            17 if field.name.eq_ignore_ascii_case("transfer-encoding")
                && has_word(field.value, "chunked") =>
            {
                content = Some(Content::Chunked);
            }
            16 if field.name.eq_ignore_ascii_case("content-encoding") => {
                coding = Coding::named(field.value);
            }
            10 if field.name.eq_ignore_ascii_case("connection") => {
                closes |= has_word(field.value, "close");
            }
            _ => {}
        }
    }
    let none = of_head_request || status < 200 || matches!(status, 204 | 304);
    let content = match (none, content) {
        (true, _) => Content::Length(0),
        (false, Some(content)) => content,
        (false, None) => Content::UntilClose,
    };
    let closes = closes || content == Content::UntilClose;
    Ok(Head { status, length, content, coding, closes })
}

/// The failure of a response that is longer than the longest.
pub(super) fn too_long(length: &str) -> Failed {
    let most = LONGEST / (1024 * 1024);
    Failed::check(format!("the response{length} is longer than {most} MiB, the most that is read"))
}

/// Whether a list of words has this one (RFC 9110 §5.6.1).
fn has_word(list: &[u8], word: &str) -> bool {
    list.split(|byte| *byte == b',')
        .any(|one| one.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

/// Removes the chunk framing from `from` on, moving the data together (RFC 9112 §7.1). Returns the
/// end of the data and of what was read; `None` while the last chunk is missing.
pub(super) fn dechunk(
    bytes: &mut [u8],
    from: usize,
) -> Result<Option<(Range<usize>, usize)>, String> {
    let mut chunks = Vec::new();
    let mut at = from;
    loop {
        let (size, length) = match httparse::parse_chunk_size(&bytes[at..]) {
            Ok(httparse::Status::Complete((line, size))) => (size, line),
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err("the answer's chunks are broken".into()),
        };
        let data = at + length;
        let size = usize::try_from(size).map_err(|_| "a chunk of the response is too large")?;
        let end = data.checked_add(size).ok_or("a chunk of the response is too large")?;
        if size == 0 {
            // The trailer section ends with an empty line.
            let rest = &bytes[data - 2..];
            let Some(found) = memmem::find(rest, b"\r\n\r\n") else { return Ok(None) };
            at = data - 2 + found + 4;
            break;
        }
        if bytes.len() < end + 2 {
            return Ok(None);
        }
        chunks.push(data..end);
        at = end + 2;
    }
    let mut to = from;
    for chunk in chunks {
        let length = chunk.len();
        bytes.copy_within(chunk, to);
        to += length;
    }
    Ok(Some((from..to, at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let text = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nConnection: close\r\n\r\nhello";
        let found = head(text, false).unwrap().unwrap();
        assert_eq!(
            (found.status, found.content.clone(), found.closes),
            (200, Content::Length(5), true)
        );
        assert_eq!(head(&text[..20], false), Ok(None));
        assert_eq!(head(text, true).unwrap().unwrap().content, Content::Length(0));
        assert!(head(b"SSH-2.0-OpenSSH\r\n\r\n", false).is_err());
        let zipped = b"HTTP/1.1 200 OK\r\nContent-Encoding:  GZIP \r\n\r\n";
        assert_eq!(head(zipped, false).unwrap().unwrap().coding, Coding::Gzip);
        assert_eq!(found.coding, Coding::Identity);
        let none = head(b"HTTP/1.1 304 Not Modified\r\n\r\n", false).unwrap().unwrap();
        assert_eq!(none.content, Content::Length(0));
    }

    #[test]
    fn heads_of_other_servers() {
        let of = |fields: &str| {
            head(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), false).map(Option::unwrap)
        };
        assert!(of("Content-Length: 1\r\nConnection: Close, TE\r\n").unwrap().closes);
        assert!(!of("Content-Length: 1\r\nConnection: keep-alive, TE\r\n").unwrap().closes);
        let many: String = (0..500).map(|number| format!("X-{number}: v\r\n")).collect();
        let many = of(&format!("{many}Content-Length: 3\r\n")).unwrap();
        assert_eq!(many.content, Content::Length(3));
        assert!(
            of("Content-Length: 3\r\nContent-Length: 5\r\n").unwrap_err().contains("two lengths")
        );
        let same = of("Content-Length: 3\r\nContent-Length: 3\r\n").unwrap();
        assert_eq!(same.content, Content::Length(3));
        let identity = of("Content-Length: 3\r\nTransfer-Encoding: identity\r\n").unwrap();
        assert_eq!(identity.content, Content::Length(3));
    }

    #[test]
    fn chunks_become_one_piece() {
        let mut bytes = b"HEAD4\r\nWiki\r\n6;x=1\r\npedia \r\n0\r\nA: b\r\n\r\nNEXT".to_vec();
        let whole = bytes.len();
        let (data, end) = dechunk(&mut bytes, 4).unwrap().unwrap();
        assert_eq!((&bytes[data], end), (&b"Wikipedia "[..], whole - 4));
        for cut in 4..whole - 5 {
            let mut part = b"HEAD4\r\nWiki\r\n6;x=1\r\npedia \r\n0\r\nA: b\r\n\r\n"[..cut].to_vec();
            assert_eq!(dechunk(&mut part, 4), Ok(None), "{cut}");
        }
        assert!(dechunk(&mut b"zz\r\n".to_vec(), 0).is_err());
    }

    #[test]
    fn fields_by_name() {
        let head = b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nETag:  \"a\" \r\nContent-Type: application/json\r\n\r\n";
        let (body, length) = (&b"{\"id\":7}"[..], Length::Undeclared);
        let response = Response { status: 200, head, body, length };
        assert_eq!(response.field("etag").unwrap(), "\"a\"");
        assert_eq!(response.field("content-type").unwrap(), "application/json");
        assert_eq!(response.field("x-name").unwrap(), "caf\u{e9}");
        assert_eq!(response.field("vary"), None);
        assert!(response.contains(b"\"id\":7"));
    }
}
