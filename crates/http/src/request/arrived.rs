//! A request whose head has arrived, and the moment when it did.
//!
//! A deadline counts from the last byte of a request, see decision 009 in `docs/decisions`.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use duet_model::memory::Budget;
use duet_model::{Code, Error, Result};
use futures_util::future::LocalBoxFuture;
use hyper::body::Incoming;
use hyper::header::TRANSFER_ENCODING;
use hyper::{HeaderMap, Request, Response};

use super::body::BufferedBody;
use super::body_lease::BodyMemory;
use super::designed::InnerRequest;
use super::linked::LinkToken;
use crate::answer::reply::ReplyBody;
use crate::clients::remote::Remote;
use crate::message::cors;
use crate::message::origin::{self, CallerContext, Origin};
use crate::observe::event::RequestId;
use crate::observe::trace::Trace;
use crate::options::HttpLimits;
use crate::worker::Worker;

/// Why a head is refused before the request is looked at.
#[derive(Clone, Debug)]
pub(crate) struct HeadRefusal(pub(crate) Error);

/// Answers a request, as [`handle`](crate::pipeline::handle::handle) does: for the requests that an answer takes itself.
pub(crate) type Responder =
    for<'a> fn(&'a ArrivedRequest) -> LocalBoxFuture<'a, Response<ReplyBody>>;

/// A received request.
pub(crate) struct ArrivedRequest {
    pub(crate) worker: Rc<Worker>,
    pub(crate) remote: Rc<Remote>,
    pub(crate) request: Request<BufferedBody>,
    pub(crate) id: RequestId,
    /// The origin of the page that sends it, if CORS is configured.
    pub(crate) browser: Option<cors::CorsRequest>,
    pub(crate) trace: Trace,
    pub(crate) responder: Responder,
    /// When its body was complete.
    complete: Cell<Option<Instant>>,
}

impl ArrivedRequest {
    /// Where its client sees the server, and for a link the part of the path that has its right.
    ///
    /// # Errors
    /// Where `Host` or a trusted proxy's header is wrong; see [`origin::seen`].
    pub(crate) fn origin(&self) -> Result<Origin<'_>> {
        let remote = &self.remote;
        let caller = CallerContext {
            peer: remote.ip,
            trust: self.worker.shared.options.trust(),
            local: &remote.local,
            secure: remote.secure,
        };
        let origin = origin::seen(&self.request, caller)?;
        Ok(match LinkToken::of(&self.request) {
            Some(token) => origin.below(token.prefix()),
            None => origin,
        })
    }

    /// Takes a request of which the head has just arrived.
    pub(crate) fn new(
        worker: Rc<Worker>,
        remote: Rc<Remote>,
        mut request: Request<Incoming>,
        responder: Responder,
    ) -> Self {
        LinkToken::take(&mut request);
        let (shared, version) = (&worker.shared, request.version());
        Self {
            trace: Trace::begin(shared.options.slow, shared.options.server_timing),
            id: worker.next_request(),
            browser: shared.cors.as_ref().map(|cors| cors.cors_request(&request)),
            complete: Cell::default(),
            responder,
            request: request.map(|incoming| BufferedBody::new(incoming, version)),
            worker,
            remote,
        }
    }

    /// A request that the answer to another one takes: it is the same caller's, and counts as a request of its own.
    pub(crate) fn within(outer: &Self, mut request: Request<BufferedBody>) -> Self {
        request.extensions_mut().insert(InnerRequest);
        Self {
            trace: Trace::begin(outer.worker.shared.options.slow, false),
            id: outer.worker.next_request(),
            browser: None,
            complete: Cell::default(),
            responder: outer.responder,
            request,
            worker: Rc::clone(&outer.worker),
            remote: Rc::clone(&outer.remote),
        }
    }

    /// Checks what no request may have, wherever it goes.
    ///
    /// # Errors
    /// Where the path and query are too long, the headers are too many or too large, or the body is
    /// coded in transfer.
    pub(crate) fn check(&self) -> Result<()> {
        let limits = &self.worker.shared.options.limits;
        if let Some(HeadRefusal(refused)) = self.request.extensions().get() {
            return Err(refused.clone());
        }
        // A name before the host only hides the host (RFC 9110 §4.2.4); HTTP/2 forbids it (RFC 9113 §8.3.1).
        if self.request.uri().authority().is_some_and(|authority| authority.as_str().contains('@'))
        {
            let message =
                "The authority of the request has user information before the host: leave it out.";
            return Err(Error::new(Code::BadRequest, message));
        }
        let most = limits.uri_bytes;
        if let Some(target) = self.request.uri().path_and_query()
            && target.as_str().len() > most
        {
            let message = format!("The path and query may have {most} bytes.");
            return Err(Error::new(Code::UriTooLong, message));
        }
        // The reader of HTTP/1.1 takes what arrives together, also where it is more.
        let bytes = head_bytes(&self.request);
        if bytes > limits.header_bytes {
            let most = limits.header_bytes;
            let message = format!("The request line and headers may have {most} bytes.");
            return Err(Error::new(Code::HeadersTooLarge, message));
        }
        let mut codings = self.request.headers().get_all(TRANSFER_ENCODING).iter();
        let first = codings.next();
        if first.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
            || codings.next().is_some()
        {
            return Err(transfer_coding());
        }
        Ok(())
    }

    /// The whole body; read once, however often it is requested.
    ///
    /// # Errors
    /// Where it is too large or too slow, or breaks off.
    pub(crate) async fn body(&self) -> Result<Bytes> {
        let limits = &self.worker.shared.options.limits;
        let body = self.request.body();
        let bytes = body.read(limits.body_bytes, limits.header_timeout, self.body_memory()).await?;
        if self.complete.get().is_none() {
            self.complete.set(Some(Instant::now()));
        }
        Ok(bytes)
    }

    /// Where the bytes of the request and of its response are counted.
    pub(crate) fn memory(&self) -> &Budget {
        self.worker.shared.memory_of(&self.remote)
    }

    /// The same for its body.
    pub(crate) fn body_memory(&self) -> BodyMemory<'_> {
        BodyMemory { budget: self.memory(), granted: self.remote.granted() }
    }

    /// When the request was complete. Its deadline counts from then: how long a body takes is the
    /// client's choice, and has a limit of its own.
    pub(crate) fn complete_at(&self) -> Instant {
        self.complete.get().unwrap_or(self.trace.begun())
    }
}

/// The bytes of the names and values of a request's head, and of its target.
fn head_bytes<B>(request: &Request<B>) -> usize {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let fields = request.headers().iter();
    target + fields.map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>()
}

/// Checks how many headers a request of HTTP/2 has; with HTTP/1 hyper does.
///
/// # Errors
/// `HeadersTooLarge` where they are too many.
pub(crate) fn check_count(headers: &HeaderMap, limits: &HttpLimits) -> Result<()> {
    if headers.len() <= limits.headers {
        return Ok(());
    }
    let message = format!("A request may have {} headers.", limits.headers);
    Err(Error::new(Code::HeadersTooLarge, message))
}

/// The refusal of a body that is compressed or coded in transfer (RFC 9112 §6.1).
pub(crate) fn transfer_coding() -> Error {
    Error::new(Code::TransferCoding, "The only Transfer-Encoding is chunked.")
        .hint("Send the body as it is, with a Content-Length or chunked.")
}
