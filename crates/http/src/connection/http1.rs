//! One connection: HTTP/1.0 and 1.1, keep-alive, with limits on what its client sends and how
//! slowly it sends and takes. One that turns out to be HTTP/2 goes on in `http2`.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use duet_model::memory::Lease;
use duet_model::{Code, Error};
use futures_util::FutureExt;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::arrivals::{Arrivals, FIRST_REQUEST};
use super::handshake_socket::HandshakeSocket;
use super::http2;
use super::last_bytes::{LINGER, linger, part};
use super::wire::Wire;
use crate::answer::problem;
use crate::answer::reply::{PROBLEM, ReplyBody};
use crate::clients::remote::Remote;
use crate::observe::event::{ConnectionRefusal, Event, Exchange, RequestTarget};
use crate::observe::stage::Stages;
use crate::pipeline::handle::handle;
use crate::request::arrived::transfer_coding;
use crate::sockets::any_socket::AnySocket;
use crate::sockets::tls;
use crate::worker::Worker;

/// How many headers hyper takes by default. A limit that is set costs more for each request, even this one.
const HYPERS_HEADERS: usize = 100;
/// The same for a connection that begins with a handshake.
pub(crate) async fn secure(
    worker: Rc<Worker>,
    remote: Remote,
    mut stream: TcpStream,
    tls: TlsAcceptor,
    mut stop: watch::Receiver<bool>,
) {
    let open = OpenConnection::new(Rc::clone(&worker), &remote);
    let patience = worker.shared.options.limits.header_timeout;
    let begun = worker.shared.handshakes.begin();
    let handshake = async {
        let mut first = [0];
        let read = stream.peek(&mut first).await?;
        // The first byte of a handshake (RFC 8446 §5.1); a letter is a request without TLS.
        if read > 0 && first[0] != HANDSHAKE {
            let response = told_to_use_tls(&worker);
            stream.write_all(&response).await?;
            stream.shutdown().await?;
            linger(&mut stream).await;
            return Err(io::Error::other("the client does not speak TLS"));
        }
        let mut secured = tls.accept(HandshakeSocket::new(stream)).await?;
        secured.get_mut().0.complete();
        Ok(secured)
    };
    let mut handshake = std::pin::pin!(tokio::time::timeout(patience, handshake));
    let shaken = tokio::select! {
        shaken = handshake.as_mut() => shaken,
        () = remote.seat.evicted() => return,
        () = begun.is_over() => return,
        _ = stop.wait_for(|stopping| *stopping) => {
            match tokio::time::timeout(FIRST_REQUEST, handshake).await {
                Ok(shaken) => shaken,
                Err(_) => return,
            }
        }
    };
    drop(begun);
    match shaken {
        Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(tls::HTTP2) => {
            let stream: AnySocket = Box::new(stream);
            let served = http2::serve(&worker, Rc::new(remote), stream, Vec::new(), stop);
            Box::pin(served).await;
        }
        Ok(Ok(stream)) => {
            let stream: AnySocket = Box::new(stream);
            serve_open(open, remote, stream, stop).await;
        }
        // Scanners, clients that do not know the authority, and those that go away: everyday.
        Ok(Err(error)) => tracing::debug!(%error, "no handshake"),
        Err(_) => tracing::debug!("the handshake took too long"),
    }
}

/// The content type of a handshake's records.
const HANDSHAKE: u8 = 22;

/// The answer to a request without TLS.
fn told_to_use_tls(worker: &Worker) -> Vec<u8> {
    let error = Error::new(Code::BadRequest, "This port speaks TLS: use https in the address.");
    let id = worker.next_request().to_string();
    last_response(&error, &HeaderMap::new(), &problem::body(&error, &id))
}

/// Serves a connection until it ends, or until the server stops and the request under way is
/// answered.
pub(crate) async fn serve(
    worker: Rc<Worker>,
    remote: Remote,
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    stop: watch::Receiver<bool>,
) {
    let open = OpenConnection::new(worker, &remote);
    serve_open(open, remote, stream, stop).await;
}

async fn serve_open(
    open: OpenConnection,
    remote: Remote,
    mut stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    mut stop: watch::Receiver<bool>,
) {
    let worker = &open.worker;
    let remote = Rc::new(remote);
    let arrivals = Arrivals::default();
    let ended = answer(worker, &remote, &mut stream, &arrivals, &mut stop).await;
    if let Some(first) = arrivals.http2.take() {
        // Boxed, so that a connection of HTTP/1 does not hold the memory of this one.
        Box::pin(http2::serve(worker, remote, Box::new(stream), first, stop)).await;
        return;
    }
    // An evicted connection is idle: no response is on its way.
    let mut unread = arrivals.bodies.get() > 0 && !remote.seat.is_evicted();
    if let Err(error) = ended {
        // Clients that go away or send nonsense are everyday.
        tracing::debug!(%error, "connection ended");
        let refused = arrivals.refused.take();
        if let Some(error) = refused.or_else(|| error.is_parse().then(|| unreadable(&error))) {
            let origin = arrivals.origin.borrow().origin().cloned();
            let response = refusal(worker, &remote, &error, origin.as_ref());
            // A client that does not read it has disconnected.
            drop(tokio::time::timeout(LINGER, stream.write_all(&response)).await);
            unread = true;
        }
    }
    drop(stream.shutdown().await);
    if unread {
        tokio::select! {
            () = linger(&mut stream) => {}
            _ = stop.wait_for(|stopping| *stopping) => {}
        }
    }
}

/// Answers the requests of a connection.
async fn answer(
    worker: &Rc<Worker>,
    remote: &Rc<Remote>,
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin + 'static),
    arrivals: &Arrivals,
    stop: &mut watch::Receiver<bool>,
) -> Result<(), hyper::Error> {
    let limits = &worker.shared.options.limits;
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        if !request.body().is_end_stream() {
            arrivals.bodies.set(arrivals.bodies.get() + 1);
        }
        arrivals.requests.set(arrivals.requests.get() + 1);
        arrivals.has_begun.set(false);
        remote.seat.begin();
        // Boxed, so that an idle connection does not hold the memory of a request; mapped, not
        // awaited in a block, which would hold the future twice.
        let answered = Box::pin(handle(Rc::clone(worker), Rc::clone(remote), request));
        answered.map(|response| {
            // Its own body is no next request.
            arrivals.has_begun.set(false);
            response
                .map(|response| response.map(|body| Sending { body, remote: Rc::clone(remote) }))
        })
    });
    let mut builder = http1::Builder::new();
    if limits.headers != HYPERS_HEADERS {
        builder.max_headers(limits.headers);
    }
    let connection = builder
        .max_buf_size(limits.header_bytes.max(8 << 10))
        // With it, an answer is not sent while bytes of its request are unread: a refusal in the
        // middle of a body would be lost.
        .pipeline_flush(false)
        .serve_connection(
            TokioIo::new(Wire::new(stream, arrivals, remote, &worker.shared)),
            service,
        );
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => ended,
        () = remote.seat.evicted() => {
            // A request that has arrived in this moment is answered.
            if remote.seat.is_idle() {
                return Ok(());
            }
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        _ = stop.wait_for(|stopping| *stopping) => {
            tokio::select! {
                ended = connection.as_mut() => return ended,
                () = arrivals.rest(remote.seat.idle_since()) => {}
            }
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    }
}

/// The body of a response on its way: the connection is busy until all of it has been written.
struct Sending {
    body: ReplyBody,
    remote: Rc<Remote>,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.remote.seat.answered();
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Holds the memory of a connection, and says that it is closed when it is, however it ends.
struct OpenConnection {
    worker: Rc<Worker>,
    peer: Option<IpAddr>,
    _memory: Lease,
}

impl OpenConnection {
    fn new(worker: Rc<Worker>, remote: &Remote) -> Self {
        // Never refused: how many there may be is bounded by their part of the memory.
        let memory = worker.shared.memory.claim(worker.shared.options.connection_bytes());
        Self { worker, peer: remote.ip, _memory: memory }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.worker.events.emit(&Event::ConnectionClosed(self.peer));
        self.worker.closed();
    }
}

/// Why a request could not be read.
fn unreadable(cause: &hyper::Error) -> Error {
    if cause.to_string().contains("transfer-encoding") {
        transfer_coding()
    } else if !cause.is_parse_too_large() {
        let message = "This is no request of HTTP/1.0 or 1.1. Percent-encode the path and the query, and end each line with CR LF.";
        Error::new(Code::BadRequest, message)
    } else if cause.to_string().contains("URI") {
        Error::new(Code::UriTooLong, "The path and query are too long.")
    } else {
        let message = "The request line and headers are too large, or too many.";
        Error::new(Code::HeadersTooLarge, message)
    }
}

/// The refusal of a request that was not read.
fn refusal(
    worker: &Worker,
    remote: &Remote,
    error: &Error,
    origin: Option<&HeaderValue>,
) -> Vec<u8> {
    let id = worker.next_request();
    let body = problem::body(error, &id.to_string());
    worker.events.emit(&Event::Answered(Exchange {
        id,
        peer: &remote.text,
        method: "-",
        target: RequestTarget::text("-"),
        application: "",
        tenant: None,
        resource: None,
        client: "",
        client_name: "",
        status: error.code.status(),
        error: Some(error),
        bytes: body.len(),
        duration: Duration::ZERO,
        stages: Stages::default(),
        slowest: None,
        write: None,
        feature: "",
        is_load: false,
        is_stream: false,
    }));
    let mut headers = HeaderMap::new();
    if let Some(cors) = &worker.shared.cors {
        cors.add_headers(&cors.of_refused(origin), &mut headers);
    }
    last_response(error, &headers, &body)
}

/// A response without hyper, the last of its connection.
fn last_response(error: &Error, headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
    let status = error.code.status();
    let retry = error.retry_after.map_or(String::new(), |s| format!("retry-after: {s}\r\n"));
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {PROBLEM}\r\n{retry}connection: close\r\n\
         content-length: {}\r\ndate: {}\r\n",
        problem::reason(status),
        body.len(),
        httpdate::fmt_http_date(SystemTime::now())
    );
    let mut response = head.into_bytes();
    for (name, value) in headers {
        response.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    [&response[..], b"\r\n", body].concat()
}

/// Tells a client that too many are connected.
pub(crate) async fn refuse(
    worker: Rc<Worker>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    why: ConnectionRefusal,
) {
    let message = match why {
        ConnectionRefusal::Full => "Too many connections are open. Try again in a moment.",
        ConnectionRefusal::Address => {
            "Your address has as many connections open as `max_connections_per_address` allows. Close some, or send requests over those that are open."
        }
    };
    let error = Error::new(Code::Overloaded, message).retry_after(1);
    let id = worker.next_request().to_string();
    let response = last_response(&error, &HeaderMap::new(), &problem::body(&error, &id));
    part(&worker, stream, &response).await;
}
