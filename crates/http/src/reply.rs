//! Replies, and how they become responses.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use duet_document::TextBuffer;
use duet_model::memory::{Budget, Lease};
use duet_model::{Error, Result};
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    ALLOW, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, RETRY_AFTER, VARY,
};
use hyper::{Response, StatusCode};

use crate::held::{Held, hold};
use crate::lines::Lines;
use crate::media::JSON;
use crate::methods::Methods;

/// An answer, before it is a response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) body: Vec<u8>,
    /// What is sent instead of `body`, of memory that others share.
    pub(crate) pieces: Vec<Bytes>,
    /// The value of `ETag`, quotes included.
    pub(crate) etag: Option<String>,
    /// Whether the answer depends on who asks and for which form.
    pub(crate) varies: bool,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// What is sent instead of `body`, as it comes.
    pub(crate) lines: Option<Box<Lines>>,
    /// The memory of `body`.
    pub(crate) lease: Option<Lease>,
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
}

/// The rest of a body that is sent in pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    rest: std::vec::IntoIter<Bytes>,
    length: u64,
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
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Pieces(pieces) => pieces.length == 0,
            Self::Lines(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Pieces(pieces) => SizeHint::with_exact(pieces.length),
            Self::Lines(_) => SizeHint::default(),
        }
    }
}

/// Room behind a body that is not worth giving back.
const SPARE: usize = 64 << 10;

/// RFC 9457's media type.
pub(crate) const PROBLEM: &str = "application/problem+json";

impl Reply {
    /// An answer with a JSON body.
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, Some(JSON), body)
    }

    /// The same of text whose memory may be counted already.
    pub(crate) fn text(body: TextBuffer) -> Self {
        Self { lease: body.lease, ..Self::json(body.text) }
    }

    pub(crate) fn new(
        status: StatusCode,
        content_type: Option<&'static str>,
        body: Vec<u8>,
    ) -> Self {
        Self {
            status,
            content_type,
            body,
            pieces: Vec::new(),
            etag: None,
            varies: false,
            headers: Vec::new(),
            lines: None,
            lease: None,
        }
    }

    /// A JSON body in pieces.
    pub(crate) fn pieces(pieces: Vec<Bytes>) -> Self {
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        Self { pieces, ..Self::json(Vec::new()) }
    }

    /// Counts the body in the memory of requests and responses until it has left.
    ///
    /// # Errors
    /// `MemoryLimit` where there is too little, and the answer `may_be_refused`: that of a change is
    /// sent whatever it takes, because the change is done.
    pub(crate) fn charge(self, memory: &Budget, may_be_refused: bool) -> Result<Self> {
        if !may_be_refused {
            return Ok(self.claim(memory));
        }
        let mut reply = self.fitted();
        let bytes = reply.body.capacity();
        let lease = reply.lease.get_or_insert_with(|| memory.open());
        hold(lease, bytes)?;
        lease.shrink_to(bytes);
        Ok(reply)
    }

    /// The same of a reply that is sent whatever it takes.
    pub(crate) fn claim(self, memory: &Budget) -> Self {
        let mut reply = self.fitted();
        let bytes = reply.body.capacity();
        let lease = reply.lease.get_or_insert_with(|| memory.open());
        lease.claim_to(bytes);
        lease.shrink_to(bytes);
        reply
    }

    /// Gives back the room behind the body.
    fn fitted(mut self) -> Self {
        if self.body.capacity() - self.body.len() > SPARE {
            self.body.shrink_to_fit();
        }
        self
    }

    /// Bytes of the body, unless it is a stream.
    pub(crate) fn length(&self) -> usize {
        self.body.len() + self.pieces.iter().map(Bytes::len).sum::<usize>()
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

    /// A header, unless its value cannot stand in one.
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
        let body = match self.lease {
            _ if head || !has_body => Bytes::new(),
            Some(lease) => Held::bytes(self.body, lease),
            None => Bytes::from(self.body),
        };
        let streams = self.lines.is_some();
        let body = match self.lines {
            Some(lines) => ReplyBody::Lines(lines),
            None if !self.pieces.is_empty() && has_body && !head => {
                let (rest, length) = (self.pieces.into_iter(), length as u64);
                ReplyBody::Pieces(Pieces { rest, length })
            }
            None => ReplyBody::Whole(Full::new(body)),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        if head && has_body && !streams {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(ETAG, etag);
        }
        if self.varies {
            headers.insert(VARY, HeaderValue::from_static("Accept, Authorization"));
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}
