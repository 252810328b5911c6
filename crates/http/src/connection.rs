//! One connection: HTTP/1.0 and 1.1, keep-alive, with limits on what its client sends and how
//! slowly.

use std::rc::Rc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;

use crate::handle::handle;
use crate::worker::{Remote, Worker};

/// Serves a connection until it ends, or until the server stops and the request under way is
/// answered.
pub(crate) async fn serve(
    worker: Rc<Worker>,
    remote: Remote,
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    mut stop: watch::Receiver<bool>,
) {
    let limits = &worker.shared.options.limits;
    let remote = Rc::new(remote);
    let service = {
        let worker = Rc::clone(&worker);
        service_fn(move |request| handle(Rc::clone(&worker), Rc::clone(&remote), request))
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(limits.header_bytes.max(8 << 10))
        .max_headers(limits.headers)
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => log_end(ended),
        _ = stop.wait_for(|stopping| *stopping) => {
            connection.as_mut().graceful_shutdown();
            log_end(connection.await);
        }
    }
    worker.metrics.connections_closed.add(1);
}

fn log_end(ended: Result<(), hyper::Error>) {
    if let Err(error) = ended {
        // Clients that go away or send nonsense are everyday.
        tracing::debug!(%error, "connection ended");
    }
}

/// Tells a client that too many are connected.
pub(crate) async fn refuse(mut stream: impl AsyncWrite + Unpin) {
    const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n\
        retry-after: 1\r\nconnection: close\r\ncontent-length: 102\r\n\r\n\
        {\"code\":\"ServiceUnavailable\",\"status\":503,\"message\":\"Too many connections. Try again in a moment.\"}   ";
    // Whoever does not take it has gone.
    drop(stream.write_all(FULL).await);
    drop(stream.shutdown().await);
}
