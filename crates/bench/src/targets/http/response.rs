//! Parses responses (RFC 9112).

use std::ops::Range;

use memchr::memmem;

/// The most header fields that are parsed.
const FIELDS: usize = 64;

/// A response. It borrows the connection's buffer until the next request.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// The status code.
    pub status: u16,
    /// The received head, with the empty line.
    pub head: &'a [u8],
    /// The whole content, decoded if it was gzip.
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
    /// The value of a header field; names are case-insensitive.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        let lines = self.head.split(|byte| *byte == b'\n').skip(1);
        for line in lines {
            let colon = line.iter().position(|byte| *byte == b':');
            let Some(colon) = colon else { continue };
            if line[..colon].eq_ignore_ascii_case(name.as_bytes()) {
                return std::str::from_utf8(&line[colon + 1..]).ok().map(str::trim);
            }
        }
        None
    }

    /// Whether the content has an encoding that is not decoded here.
    pub fn is_encoded(&self) -> bool {
        let encoding = self.field("content-encoding").unwrap_or_default();
        !["", "identity", "gzip", "x-gzip"].iter().any(|it| encoding.eq_ignore_ascii_case(it))
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
    /// The content is gzip (RFC 9110 §8.4.1.3).
    pub(super) is_gzip: bool,
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
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(format!("the answer is not HTTP: {error}")),
    };
    let status = parsed.code.unwrap_or(0);
    let mut content = None;
    let mut is_gzip = false;
    let mut closes = parsed.version == Some(0);
    for field in parsed.headers.iter() {
        match field.name.len() {
            14 if field.name.eq_ignore_ascii_case("content-length") => {
                let text = std::str::from_utf8(field.value).ok();
                let length = text.and_then(|text| text.trim().parse().ok());
                let length = length.ok_or("the answer's Content-Length is not a number")?;
                content = content.or(Some(Content::Length(length)));
            }
            17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                content = Some(Content::Chunked);
            }
            16 if field.name.eq_ignore_ascii_case("content-encoding") => {
                let value = field.value.trim_ascii();
                is_gzip = [&b"gzip"[..], b"x-gzip"].iter().any(|it| value.eq_ignore_ascii_case(it));
            }
            10 if field.name.eq_ignore_ascii_case("connection") => {
                closes = field.value.eq_ignore_ascii_case(b"close");
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
    Ok(Some(Head { status, length, content, is_gzip, closes }))
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
        assert_eq!((found.status, found.content, found.closes), (200, Content::Length(5), true));
        assert_eq!(head(&text[..20], false), Ok(None));
        assert_eq!(head(text, true).unwrap().unwrap().content, Content::Length(0));
        assert!(head(b"SSH-2.0-OpenSSH\r\n\r\n", false).is_err());
        let zipped = b"HTTP/1.1 200 OK\r\nContent-Encoding:  GZIP \r\n\r\n";
        assert!(head(zipped, false).unwrap().unwrap().is_gzip && !found.is_gzip);
        let none = head(b"HTTP/1.1 304 Not Modified\r\n\r\n", false).unwrap().unwrap();
        assert_eq!(none.content, Content::Length(0));
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
        let head = b"HTTP/1.1 200 OK\r\nETag:  \"a\" \r\nContent-Type: application/json\r\n\r\n";
        let (body, length) = (&b"{\"id\":7}"[..], Length::Undeclared);
        let response = Response { status: 200, head, body, length };
        assert_eq!(response.field("etag"), Some("\"a\""));
        assert_eq!(response.field("content-type"), Some("application/json"));
        assert_eq!(response.field("vary"), None);
        assert!(response.contains(b"\"id\":7"));
    }
}
