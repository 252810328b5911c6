//! A bare hyper server that answers everything with the same bytes: what Duet's own constant
//! answer is measured against. `bare_hyper ADDRESS [BYTES] [WORKERS]`.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::task::LocalSet;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let address: SocketAddr = argument(arguments.next(), SocketAddr::from(([127, 0, 0, 1], 8081)));
    let bytes: usize = argument(arguments.next(), 265);
    let workers: usize = argument(arguments.next(), 1);
    let body = Bytes::from(vec![b'x'; bytes]);
    let threads: Vec<_> = (0..workers)
        .map(|_| {
            let body = body.clone();
            std::thread::spawn(move || run(address, body))
        })
        .collect();
    for thread in threads {
        drop(thread.join());
    }
}

fn argument<T: std::str::FromStr>(given: Option<String>, otherwise: T) -> T {
    given.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn run(address: SocketAddr, body: Bytes) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (Ok(runtime), Ok(listener)) = (runtime, listen(address)) else { return };
    LocalSet::new().block_on(&runtime, accept(listener, body));
}

fn listen(address: SocketAddr) -> std::io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(4_096)?;
    Ok(socket.into())
}

async fn accept(listener: std::net::TcpListener, body: Bytes) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        drop(stream.set_nodelay(true));
        let body = body.clone();
        tokio::task::spawn_local(async move {
            let service = service_fn(move |_: Request<hyper::body::Incoming>| {
                let mut response = Response::new(Full::new(body.clone()));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                async move { Ok::<_, Infallible>(response) }
            });
            let mut builder = http1::Builder::new();
            builder.pipeline_flush(true);
            drop(builder.serve_connection(TokioIo::new(stream), service).await);
        });
    }
}
