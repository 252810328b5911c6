//! HTTP/2 (RFC 9113): each request is a stream, and several users may share a connection.
//!
//! Requests come as the text of HTTP/1.1, and responses get a head of that form, so that workloads know one form.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use duet_client::wire::{Meter, Metered, Moved};
use h2::client::{Builder, ResponseFuture, SendRequest};
use http::{Method, Request, Version};
use tokio::io::{AsyncRead, AsyncWrite};

use super::address::Url;
use super::coding::Coding;
use super::dial::{Transport, dial};
use super::response::{Content, Head, LONGEST, too_long};
use crate::record::Failed;
use duet_verdict::outcome::Outcome;

/// How much a server may send before it is taken, on a stream and on a connection.
const WINDOW: u32 = 1024 * 1024;
const WINDOWS: u32 = 16 * WINDOW;
/// The most header fields of a request.
const FIELDS: usize = 256;
/// Fields of a connection of HTTP/1.1, which streams do not have (RFC 9113 §8.2.2).
const OF_CONNECTION: [&str; 6] =
    ["host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// A place on a connection.
#[derive(Debug)]
pub(super) struct Streams {
    shared: Arc<Connection>,
    sender: SendRequest<Bytes>,
    scheme: &'static str,
}

/// A connection.
#[derive(Debug)]
struct Connection {
    sender: Mutex<SendRequest<Bytes>>,
    users: AtomicU32,
    meter: Meter,
    /// The bytes that requests have counted.
    counted: Mutex<Moved>,
    ended: Arc<AtomicBool>,
}

/// Notes the end of a connection, also where its runtime ends.
struct EndMark(Arc<AtomicBool>);

impl Drop for EndMark {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        self.shared.users.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The connections to a service, of which one at a time is opened.
type Pool = Arc<tokio::sync::Mutex<Vec<Weak<Connection>>>>;

thread_local! {
    /// The connections that users of this thread share.
    static POOLS: RefCell<BTreeMap<String, Pool>> = const { RefCell::new(BTreeMap::new()) };
}

impl Streams {
    /// A place on a connection that has less than `most` users, or on a new one.
    ///
    /// # Errors
    /// [`Outcome::Connection`], if there is no connection.
    pub(super) async fn open(url: &Url, most: u32) -> Result<Self, Failed> {
        let scheme = if url.trust.is_some() { "https" } else { "http" };
        if most == 1 {
            return Ok(Self::on(Arc::new(connect(url).await?), scheme));
        }
        let key = url.at("/").to_string();
        let pool = POOLS.with_borrow_mut(|pools| Arc::clone(pools.entry(key).or_default()));
        let mut known = pool.lock().await;
        known.retain(|one| one.upgrade().is_some_and(|one| !one.ended.load(Ordering::Acquire)));
        let has_room = |one: &Arc<Connection>| one.users.load(Ordering::Acquire) < most;
        if let Some(shared) = known.iter().filter_map(Weak::upgrade).find(has_room) {
            return Ok(Self::on(shared, scheme));
        }
        let shared = Arc::new(connect(url).await?);
        known.push(Arc::downgrade(&shared));
        Ok(Self::on(shared, scheme))
    }

    fn on(shared: Arc<Connection>, scheme: &'static str) -> Self {
        shared.users.fetch_add(1, Ordering::AcqRel);
        let sender = shared.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { shared, sender, scheme }
    }

    /// Whether the connection has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// The bytes of the connection that no request has counted yet.
    pub(super) fn moved(&self) -> Moved {
        let mut counted = self.shared.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.shared.meter.moved();
        now.since(std::mem::replace(&mut *counted, now))
    }

    /// Sends a request, and reads its response into the buffer, which grows: the head, and where the content ends.
    ///
    /// # Errors
    /// [`Outcome::Connection`] if the stream or the connection breaks, [`Outcome::Check`] for a response that is too long.
    pub(super) async fn exchange(
        &mut self,
        request: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(Head, usize), Failed> {
        let (request, body) =
            request_of(request, self.scheme).map_err(|why| Failed::new(Outcome::Other, why))?;
        let is_head = request.method() == Method::HEAD;
        poll_fn(|context| self.sender.poll_ready(context)).await.map_err(|error| broken(&error))?;
        let (response, sending) =
            self.sender.send_request(request, body.is_empty()).map_err(|error| broken(&error))?;
        if !body.is_empty() {
            // A server may answer before it has read all.
            let _ = send(sending, body).await;
        }
        read(response, is_head, buffer).await
    }
}

async fn send(mut stream: h2::SendStream<Bytes>, mut body: Bytes) -> Result<(), h2::Error> {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        let Some(room) = poll_fn(|context| stream.poll_capacity(context)).await else {
            return Ok(());
        };
        let part = body.split_to(room?.min(body.len()));
        stream.send_data(part, body.is_empty())?;
    }
    Ok(())
}

async fn read(
    response: ResponseFuture,
    is_head: bool,
    buffer: &mut Vec<u8>,
) -> Result<(Head, usize), Failed> {
    let response = response.await.map_err(|error| broken(&error))?;
    buffer.clear();
    let status = response.status();
    // Writing to a buffer in memory cannot fail.
    let _ = write!(buffer, "HTTP/2 {}\r\n", status.as_u16());
    let (mut coding, mut declared) = (Coding::Identity, None);
    for (name, value) in response.headers() {
        buffer.extend_from_slice(name.as_str().as_bytes());
        buffer.extend_from_slice(b": ");
        buffer.extend_from_slice(value.as_bytes());
        buffer.extend_from_slice(b"\r\n");
        match name.as_str() {
            "content-encoding" => coding = Coding::named(value.as_bytes()),
            "content-length" => declared = value.to_str().ok().and_then(|text| text.parse().ok()),
            _ => {}
        }
    }
    buffer.extend_from_slice(b"\r\n");
    let length = buffer.len();
    let mut body = response.into_body();
    while let Some(part) = body.data().await {
        let part = part.map_err(|error| broken(&error))?;
        if buffer.len() + part.len() > length + LONGEST {
            return Err(too_long(""));
        }
        buffer.extend_from_slice(&part);
        // What was read is sent again, by the window of the stream.
        let _ = body.flow_control().release_capacity(part.len());
    }
    let none = is_head || matches!(status.as_u16(), 204 | 304);
    let content = match declared.filter(|_| !none) {
        // The library fails a stream whose content has another length.
        Some(declared) => Content::Length(declared),
        None if none => Content::Length(0),
        None => Content::Chunked,
    };
    let read = buffer.len();
    let head = Head { status: status.as_u16(), length, content, coding, closes: false };
    Ok((head, read))
}

async fn connect(url: &Url) -> Result<Connection, Failed> {
    match dial(url).await? {
        Transport::Tcp(stream) => {
            let meter = Meter::default();
            shake(Metered::new(stream, meter.clone()), meter).await
        }
        Transport::Unix(stream) => {
            let meter = Meter::default();
            shake(Metered::new(stream, meter.clone()), meter).await
        }
        Transport::Tls(session, meter) => shake(*session, meter).await,
    }
}

async fn shake<S>(stream: S, meter: Meter) -> Result<Connection, Failed>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOWS).enable_push(false);
    let (sender, connection) = builder.handshake(stream).await.map_err(|error| broken(&error))?;
    let ended = Arc::new(AtomicBool::new(false));
    let mark = EndMark(Arc::clone(&ended));
    tokio::spawn(async move {
        let _mark = mark;
        // Requests report why it ended.
        let _ = connection.await;
    });
    let (users, counted) = (AtomicU32::new(0), Mutex::default());
    Ok(Connection { sender: Mutex::new(sender), users, meter, counted, ended })
}

fn broken(error: &h2::Error) -> Failed {
    let message = match (error.reason(), error.get_io()) {
        (_, Some(io)) => io.to_string(),
        (Some(_), None) if error.is_go_away() && error.is_remote() => {
            format!("the server closed the connection: {error}")
        }
        _ => format!("HTTP/2: {error}"),
    };
    Failed::new(Outcome::Connection, message)
}

/// A request of HTTP/1.1 as one of HTTP/2, and its content.
fn request_of(bytes: &[u8], scheme: &str) -> Result<(Request<()>, Bytes), String> {
    let mut room = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Request::new(&mut room);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Err("the request has no end of its head".into()),
        Err(error) => return Err(format!("the request is not HTTP: {error}")),
    };
    let host = parsed.headers.iter().find(|field| field.name.eq_ignore_ascii_case("host"));
    let host = host.map_or(Ok("localhost"), |field| std::str::from_utf8(field.value));
    let host = host.map_err(|error| format!("the host is not a name: {error}"))?;
    let path = parsed.path.unwrap_or("/");
    let mut request = Request::builder()
        .version(Version::HTTP_2)
        .method(parsed.method.unwrap_or("GET"))
        .uri(format!("{scheme}://{host}{path}"));
    for field in parsed.headers.iter() {
        let is_of_connection = OF_CONNECTION.iter().any(|it| field.name.eq_ignore_ascii_case(it));
        if !is_of_connection {
            request = request.header(field.name.to_ascii_lowercase(), field.value);
        }
    }
    let request = request.body(()).map_err(|error| format!("the request: {error}"))?;
    Ok((request, Bytes::copy_from_slice(&bytes[length..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_the_other_version() {
        let text = b"PUT /a?b=c HTTP/1.1\r\nHost: h:81\r\nConnection: keep-alive\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nhi";
        let (request, body) = request_of(text, "https").unwrap();
        assert_eq!(request.uri(), "https://h:81/a?b=c");
        assert_eq!(request.method(), Method::PUT);
        let names: Vec<&str> = request.headers().keys().map(http::HeaderName::as_str).collect();
        assert_eq!(names, ["x-a", "content-length"]);
        assert_eq!(&body[..], b"hi");
        assert!(request_of(b"PUT /a", "http").unwrap_err().contains("no end"));
    }
}
