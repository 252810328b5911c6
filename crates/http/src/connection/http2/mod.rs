//! One connection of HTTP/2: its streams, within the limits of HTTP/1 and of settings of its own.
//!
//! A connection is HTTP/2 where the client chooses it in the TLS handshake (ALPN), or begins with
//! the protocol's preface on a listener without TLS (prior knowledge). Each request takes the path
//! of all others; this module replaces what `http1.rs` and `wire.rs` do for HTTP/1.

mod gate;
mod streams;
mod wire;

use std::error::Error as _;
use std::future::Future;
use std::rc::Rc;

use duet_model::memory::Lease;
use h2::Reason;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::sync::watch;

use self::gate::Gate;
use self::streams::{StreamBody, Streams, request_bytes};
use self::wire::Http2Wire;
use super::arrivals::FIRST_REQUEST;
use super::last_bytes::part;
use crate::clients::leased::hold;
use crate::clients::remote::Remote;
use crate::observe::event::{ConnectionRefusal, Event};
use crate::options::HttpLimits;
use crate::pipeline::handle::handle;
use crate::request::arrived::{HeadRefusal, check_count};
use crate::request::body_lease::STREAM_WINDOW;
use crate::sockets::any_socket::AnySocket;
use crate::worker::Worker;

/// Bytes of bodies that a client may send before they are read, of all requests of a connection.
const CONNECTION_WINDOW: u32 = 512 << 10;
/// Bytes of a response that the library takes ahead of the client.
const SEND_BUFFER: usize = 64 << 10;
/// What an HTTP/2 connection holds beside one of HTTP/1: buffers of frames and tables of headers.
const CONNECTION_BYTES: usize = 32 << 10;

/// Why a connection ends.
enum End {
    /// The library says so.
    Closed(Result<(), hyper::Error>),
    /// Its streams are answered first.
    AfterStreams,
    /// At once: its client does too little, or too much.
    AtOnce,
}

/// Serves a connection of which these bytes have been read, until it ends or the server stops and
/// the requests under way are answered.
pub(crate) async fn serve(
    worker: &Rc<Worker>,
    remote: Rc<Remote>,
    stream: AnySocket,
    read: Vec<u8>,
    mut stop: watch::Receiver<bool>,
) {
    let limits = &worker.shared.options.limits;
    let Some(evicted) = remote.seat.enlarge(CONNECTION_BYTES) else {
        return refuse(worker, &remote, stream).await;
    };
    evicted.into_iter().for_each(|ip| worker.events.emit(&Event::ConnectionEvicted(ip)));
    let _memory = worker.shared.memory.claim(CONNECTION_BYTES);
    remote.unwritten.leave_to_library();
    let streams = Streams::new(worker, &remote);
    let service = service_fn(|request| respond(worker, &remote, &streams, request));
    let gate = Gate::new(worker, &remote, &streams);
    let wire = Http2Wire::new(stream, read, &remote, gate, limits.header_timeout);
    let connection = builder(limits).serve_connection(TokioIo::new(wire), service);
    let mut connection = std::pin::pin!(connection);
    let mut end = tokio::select! {
        ended = connection.as_mut() => End::Closed(ended),
        end = misbehaviour(worker, &remote, &streams) => end,
        () = streams.left() => End::AfterStreams,
        () = remote.seat.evicted() => End::AfterStreams,
        _ = stop.wait_for(|stopping| *stopping) => End::AfterStreams,
    };
    if let End::AfterStreams = end {
        connection.as_mut().graceful_shutdown();
        end = tokio::select! {
            ended = connection.as_mut() => End::Closed(ended),
            end = misbehaviour(worker, &remote, &streams) => end,
            // A client that does not confirm the end.
            () = streams.rest(FIRST_REQUEST) => End::AtOnce,
        };
    }
    if let End::Closed(Err(error)) = end {
        if is_flood(&error) {
            worker.events.emit(&Event::StreamFlood(remote.ip));
        }
        // Clients that go away or send nonsense are everyday.
        tracing::debug!(%error, "HTTP/2 connection ended");
    }
}

/// Waits for the moment when the connection must end because of its client.
async fn misbehaviour(worker: &Worker, remote: &Remote, streams: &Streams) -> End {
    tokio::select! {
        () = streams.flooded() => {
            worker.events.emit(&Event::StreamFlood(remote.ip));
            End::AtOnce
        }
        is_idle = streams.out_of_patience() => match is_idle {
            true => End::AfterStreams,
            false => End::AtOnce,
        },
    }
}

/// Whether the library has ended a connection because of too many frames of a kind.
fn is_flood(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<h2::Error>());
    cause.and_then(h2::Error::reason) == Some(Reason::ENHANCE_YOUR_CALM)
}

/// Runs the requests of a connection on its worker's thread.
#[derive(Clone, Copy, Debug)]
struct OnWorker;

impl<F: Future<Output = ()> + 'static> hyper::rt::Executor<F> for OnWorker {
    fn execute(&self, request: F) {
        tokio::task::spawn_local(request);
    }
}

fn builder(limits: &HttpLimits) -> http2::Builder<OnWorker> {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut builder = http2::Builder::new(OnWorker);
    builder
        .max_concurrent_streams(count(limits.http2_streams))
        .max_header_list_size(count(limits.header_bytes))
        .max_pending_accept_reset_streams(limits.http2_resets)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER);
    builder
}

/// Answers a request; refuses its stream, before anything is done for it, where there is no memory (RFC 9113 §8.7).
fn respond(
    worker: &Rc<Worker>,
    remote: &Rc<Remote>,
    streams: &Rc<Streams>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<StreamBody>, h2::Error>> + use<> {
    let (memory, limits) = (worker.shared.memory_of(remote), &worker.shared.options.limits);
    let begun = streams.begin(memory).map(|(stream, head)| {
        let (head, request) = with_head(request, head, limits, remote.granted());
        // Boxed, so that a stream which waits for its client does not hold the memory of a request.
        (stream, head, Box::pin(handle(Rc::clone(worker), Rc::clone(remote), request)))
    });
    let (worker, streams) = (Rc::clone(worker), Rc::clone(streams));
    async move {
        let Some((stream, head, answered)) = begun else {
            return Err(Reason::REFUSED_STREAM.into());
        };
        let response = answered.await.unwrap_or_else(|never| match never {});
        drop(head);
        if worker.shared.closes_connections() {
            streams.leave();
        }
        Ok(response.map(|body| StreamBody::new(body, stream)))
    }
}

/// A request and the memory of its head. What has no room, or too many fields, is dropped and leaves the reason.
fn with_head(
    mut request: Request<Incoming>,
    mut head: Lease,
    limits: &HttpLimits,
    granted: usize,
) -> (Lease, Request<Incoming>) {
    let granted = if granted > 0 { granted + request_bytes() } else { 0 };
    let checked = check_count(request.headers(), limits)
        .and_then(|()| hold(&mut head, request_bytes() + head_bytes(&request), granted));
    if let Err(refused) = checked {
        *request.headers_mut() = HeaderMap::new();
        request.extensions_mut().insert(HeadRefusal(refused));
    }
    (head, request)
}

/// Ends a connection for which there is no memory: its client may connect again later.
async fn refuse(worker: &Worker, remote: &Remote, stream: AnySocket) {
    // Empty settings, and GOAWAY with ENHANCE_YOUR_CALM (RFC 9113 §6.5, §6.8).
    const END: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0b";
    worker.events.emit(&Event::ConnectionRefused(remote.ip, ConnectionRefusal::Full));
    part(worker, stream, END).await;
}

/// Bytes of a request's head, as RFC 9113 §6.5.2 counts them.
fn head_bytes(request: &Request<Incoming>) -> usize {
    const OF_A_FIELD: usize = 32;
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let fields = request.headers().iter();
    let fields = fields.map(|(name, value)| name.as_str().len() + value.len() + OF_A_FIELD);
    target + fields.sum::<usize>()
}
