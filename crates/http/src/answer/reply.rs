//! Replies, and how they become responses.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use duet_document::{DocumentText, ItemPieces, TextBuffer};
use duet_model::memory::Budget;
use duet_model::{Error, Result};
use duet_service::rowstore::CacheStatus;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    AGE, ALLOW, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, RETRY_AFTER, VARY,
    WARNING,
};
use hyper::{Response, StatusCode};

use super::coded_body::{CodedBody, StreamCoding};
use super::lines::Lines;
use crate::clients::leased::{LeasedBytes, hold};
use crate::message::media::{JSON, PLAN};
use crate::message::methods::Methods;

/// An answer, before it is a response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) content: Content,
    /// The value of `ETag`, quotes included.
    pub(crate) etag: Option<String>,
    /// Whether the response depends on the caller and the requested format.
    pub(crate) varies: bool,
    /// Whether it depends on `Accept-Encoding` too.
    pub(crate) varies_by_coding: bool,
    /// Bytes of the text that the client knows already, and is not sent.
    pub(crate) withheld: usize,
    /// The coding of what is compressed while it is sent.
    pub(crate) coding: Option<StreamCoding>,
    /// Where an item of a resource with a rowstore came from: the value of `X-Cache`.
    pub(crate) source: Option<CacheStatus>,
    /// How far an answer from memory may be behind the database: `Age` in whole seconds (RFC 9111 §5.1).
    pub(crate) age: Option<Duration>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// The value of `Warning` of an item from memory while the database cannot be reached (RFC 7234 §5.5).
const IS_STALE: &str = "111 - \"Revalidation Failed\"";

/// What a reply sends.
#[derive(Debug)]
pub(crate) enum Content {
    /// Text as a whole.
    Text(TextBuffer),
    /// Text in memory that others share.
    Shared(Vec<Bytes>),
    /// A large item, written while it is sent.
    Item(Box<ItemPieces>),
    /// Rows as they come.
    Lines(Box<Lines>),
    /// The body of an answer that the server has given itself.
    Own(Box<ReplyBody>),
}

impl From<TextBuffer> for Content {
    fn from(text: TextBuffer) -> Self {
        Self::Text(text)
    }
}

impl From<DocumentText> for Content {
    fn from(text: DocumentText) -> Self {
        match text {
            DocumentText::Whole(text) => Self::Text(text),
            DocumentText::Pieces(item) => Self::Item(item),
        }
    }
}

impl Content {
    pub(crate) fn none() -> Self {
        Self::Text(TextBuffer::default())
    }

    /// Bytes of it, unless it is a stream.
    fn length(&self) -> usize {
        match self {
            Self::Text(buffer) => buffer.text.len(),
            Self::Shared(pieces) => pieces.iter().map(Bytes::len).sum(),
            Self::Item(item) => item.length(),
            Self::Lines(_) | Self::Own(_) => 0,
        }
    }

    /// The body of a response.
    fn into_body(self) -> ReplyBody {
        let length = self.length() as u64;
        match self {
            Self::Text(buffer) => ReplyBody::Whole(Full::new(bytes(buffer))),
            Self::Shared(pieces) => ReplyBody::Pieces(Pieces {
                rest: RemainingPieces::Shared(pieces.into_iter()),
                length,
            }),
            Self::Item(item) => {
                ReplyBody::Pieces(Pieces { rest: RemainingPieces::Item(item), length })
            }
            Self::Lines(lines) => ReplyBody::Lines(lines),
            Self::Own(body) => *body,
        }
    }
}

/// The body of a response.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    /// As a whole.
    Whole(Full<Bytes>),
    /// In pieces.
    Pieces(Pieces),
    /// Line by line.
    Lines(Box<Lines>),
    /// One of these, compressed.
    Coded(Box<CodedBody<Self>>),
}

/// The rest of a body that is sent in pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    rest: RemainingPieces,
    length: u64,
}

#[derive(Debug)]
enum RemainingPieces {
    Shared(std::vec::IntoIter<Bytes>),
    Item(Box<ItemPieces>),
}

impl RemainingPieces {
    fn next(&mut self) -> Option<Bytes> {
        match self {
            Self::Shared(pieces) => pieces.next(),
            Self::Item(item) => item.next_piece().map(bytes),
        }
    }
}

/// The text, with its memory where that is counted.
fn bytes(TextBuffer { text, lease }: TextBuffer) -> Bytes {
    match lease {
        Some(lease) => LeasedBytes::bytes(text, lease),
        None => Bytes::from(text),
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match self.get_mut() {
            Self::Whole(whole) => {
                let polled = Pin::new(whole).poll_frame(context);
                polled.map(|frame| frame.map(|frame| frame.map_err(|never| match never {})))
            }
            Self::Pieces(pieces) => Poll::Ready(pieces.rest.next().map(|piece| {
                pieces.length -= piece.len() as u64;
                Ok(Frame::data(piece))
            })),
            Self::Lines(lines) => Pin::new(&mut **lines).poll_frame(context),
            Self::Coded(coded) => Pin::new(&mut **coded).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Pieces(pieces) => pieces.length == 0,
            Self::Lines(_) => false,
            Self::Coded(coded) => coded.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Pieces(pieces) => SizeHint::with_exact(pieces.length),
            Self::Lines(_) | Self::Coded(_) => SizeHint::default(),
        }
    }
}

/// Says that no index serves the filter of a page or stream.
const X_INDEX: HeaderName = HeaderName::from_static("x-index");

const X_CACHE: HeaderName = HeaderName::from_static("x-cache");

/// Room behind a body that is not worth giving back.
const SPARE: usize = 64 << 10;

/// RFC 9457's media type.
pub(crate) const PROBLEM: &str = "application/problem+json";

impl Reply {
    /// Says that no index serves the filter.
    pub(crate) fn say_unindexed(&mut self) {
        self.headers.push((X_INDEX, HeaderValue::from_static("none")));
    }

    /// An answer with a JSON body.
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, Some(JSON), body)
    }

    /// What a request with `explain=1` would do, as JSON.
    pub(crate) fn plan(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, Some(PLAN), body)
    }

    /// A JSON answer of text whose memory may be counted already.
    pub(crate) fn text(body: TextBuffer) -> Self {
        Self::of(Content::Text(body))
    }

    /// The same of any content.
    pub(crate) fn of(content: Content) -> Self {
        Self { content, ..Self::json(Vec::new()) }
    }

    pub(crate) fn new(
        status: StatusCode,
        content_type: Option<&'static str>,
        body: Vec<u8>,
    ) -> Self {
        Self {
            status,
            content_type,
            content: Content::Text(TextBuffer { text: body, lease: None }),
            etag: None,
            varies: false,
            varies_by_coding: false,
            withheld: 0,
            coding: None,
            source: None,
            age: None,
            headers: Vec::new(),
        }
    }

    /// A JSON body in pieces.
    pub(crate) fn pieces(pieces: Vec<Bytes>) -> Self {
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        Self::of(Content::Shared(pieces))
    }

    /// Counts the text in the memory of requests and responses until it has left.
    ///
    /// # Errors
    /// `MemoryLimit` where there is too little for more than is granted, and the answer `may_be_refused`:
    /// that of a change is sent whatever it takes, because the change is done.
    pub(crate) fn charge(
        mut self,
        memory: &Budget,
        granted: usize,
        may_be_refused: bool,
    ) -> Result<Self> {
        let Content::Text(buffer) = &mut self.content else { return Ok(self) };
        if !may_be_refused {
            return Ok(self.claim(memory));
        }
        fit(&mut buffer.text);
        let bytes = buffer.text.capacity();
        let lease = buffer.lease.get_or_insert_with(|| memory.open());
        hold(lease, bytes, granted)?;
        lease.shrink_to(bytes);
        Ok(self)
    }

    /// The same of a reply that is sent whatever it takes.
    pub(crate) fn claim(mut self, memory: &Budget) -> Self {
        let Content::Text(buffer) = &mut self.content else { return self };
        fit(&mut buffer.text);
        let bytes = buffer.text.capacity();
        let lease = buffer.lease.get_or_insert_with(|| memory.open());
        lease.claim_to(bytes);
        lease.shrink_to(bytes);
        self
    }

    /// Bytes of the body, unless it is a stream.
    pub(crate) fn length(&self) -> usize {
        self.content.length()
    }

    /// The reply without its text, and the text; there is none where it is sent piece by piece.
    pub(crate) fn take_pieces(mut self) -> (Self, Vec<Bytes>) {
        let pieces = match std::mem::replace(&mut self.content, Content::none()) {
            Content::Text(text) => vec![bytes(text)],
            Content::Shared(pieces) => pieces,
            other => {
                self.content = other;
                Vec::new()
            }
        };
        (self, pieces)
    }

    /// An answer without a body.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::new(status, None, Vec::new())
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Says which methods the path takes.
    pub(crate) fn allow(self, methods: Methods) -> Self {
        self.with_text(ALLOW, &methods.to_string())
    }

    /// A header, unless its value is invalid.
    pub(crate) fn with_text(self, name: HeaderName, value: &str) -> Self {
        match HeaderValue::try_from(value) {
            Ok(value) => self.with(name, value),
            Err(_) => self,
        }
    }

    /// Says when to try again.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.with(RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The response; without its body where the request was a HEAD.
    pub(crate) fn into_response(self, head: bool) -> Response<ReplyBody> {
        let length = self.length();
        let has_body = !matches!(self.status.as_u16(), 204 | 304);
        let streams = matches!(self.content, Content::Lines(_) | Content::Own(_));
        let content = if has_body && (!head || streams) { self.content } else { Content::none() };
        let mut body = content.into_body();
        let is_coded = self.coding.is_some();
        if let Some(coding) = self.coding {
            body = ReplyBody::Coded(Box::new(CodedBody::new(body, coding)));
        }
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        if head && has_body && !streams && !is_coded {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(ETAG, etag);
        }
        let varies = match (self.varies, self.varies_by_coding) {
            (true, false) => Some("Accept, Authorization"),
            (true, true) => Some("Accept, Authorization, Accept-Encoding"),
            (false, true) => Some("Accept-Encoding"),
            (false, false) => None,
        };
        if let Some(varies) = varies {
            headers.insert(VARY, HeaderValue::from_static(varies));
        }
        if let Some(source) = self.source {
            headers.insert(X_CACHE, HeaderValue::from_static(source.word()));
        }
        if self.source == Some(CacheStatus::Stale) {
            headers.insert(WARNING, HeaderValue::from_static(IS_STALE));
        }
        if let Some(age) = self.age {
            headers.insert(AGE, HeaderValue::from(age.as_secs()));
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}

/// Gives back the room behind a text.
fn fit(text: &mut Vec<u8>) {
    if text.capacity() - text.len() > SPARE {
        text.shrink_to_fit();
    }
}
