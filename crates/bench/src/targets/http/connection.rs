//! A persistent connection.

use std::io;
use std::task::Poll;
use std::time::{Duration, Instant};

use duet_client::wire::{Meter, Moved};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

use super::address::Url;
use super::dial::{Transport, dial, forwarded};
use super::http2::Streams;
use super::response::{Content, Head, LONGEST, Length, Response, dechunk, head, too_long};
use super::tls;
use crate::record::{Failed, TransactionCost};
use duet_verdict::outcome::Outcome;

/// The initial size of the buffer for responses, which grows with them.
const BUFFER: usize = 16 * 1024;

/// A connection to a service; one request at a time.
#[derive(Debug)]
pub struct HttpConnection {
    url: Url,
    stream: Option<Stream>,
    buffer: Vec<u8>,
    /// The part of the buffer that was read from the server.
    filled: usize,
    /// The decoded content of a response.
    decoded: Vec<u8>,
    /// What a proxy gets in place of the request's target.
    forwarded: Option<Vec<u8>>,
    /// The last response ended before its declared length.
    was_cut_short: bool,
    timeout: Duration,
}

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    /// Sets the counter of its bytes, including those of TLS.
    Tls(Box<tls::Session>, Meter),
    /// A place on a connection of HTTP/2.
    Http2(Box<Streams>),
}

impl HttpConnection {
    /// Connects. Responses that take longer than `timeout` fail.
    ///
    /// # Errors
    /// [`Outcome::Connection`] if nothing listens, [`Outcome::Timeout`] if nothing responds.
    pub async fn open(url: &Url, timeout: Duration) -> Result<Self, Failed> {
        let mut connection = Self {
            url: url.clone(),
            stream: None,
            buffer: vec![0; BUFFER],
            filled: 0,
            decoded: Vec::new(),
            forwarded: forwarded(url),
            was_cut_short: false,
            timeout,
        };
        connection.connect().await?;
        Ok(connection)
    }

    /// Sets how long later responses may take.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    async fn connect(&mut self) -> Result<(), Failed> {
        let connected = tokio::time::timeout(self.timeout, open(&self.url)).await;
        self.stream = Some(connected.map_err(|_| timed_out(self.timeout))??);
        self.filled = 0;
        Ok(())
    }

    /// Sends a request, head and content, and reads the response. Reconnects first if the server
    /// has closed the connection since its last response.
    ///
    /// # Errors
    /// [`Outcome::Connection`] if the connection breaks, [`Outcome::Timeout`] if no response comes
    /// in time, [`Outcome::Check`] if the response is not HTTP.
    pub async fn exchange(
        &mut self,
        request: &[u8],
        work: &mut TransactionCost,
    ) -> Result<Response<'_>, Failed> {
        if self.stream.is_none() || self.has_ended().await {
            let began = Instant::now();
            let connected = self.connect().await;
            work.connected(connected.is_ok(), began.elapsed());
            connected?;
        }
        let before = match &self.stream {
            Some(Stream::Tls(_, meter)) => meter.moved(),
            _ => Moved::default(),
        };
        let timeout = self.timeout;
        let rewritten;
        let request = match &self.forwarded {
            None => request,
            Some(target) => {
                rewritten = to_proxy(request, target);
                &rewritten
            }
        };
        let answered = match &mut self.stream {
            // On the heap: a run of HTTP/1.1 does not carry it.
            Some(Stream::Http2(_)) => {
                tokio::time::timeout(timeout, Box::pin(self.send_in_stream(request))).await
            }
            _ => tokio::time::timeout(timeout, self.send_and_read(request)).await,
        };
        let read = match answered {
            Ok(Ok(read)) => read,
            Ok(Err(failed)) => {
                self.stream = None;
                return Err(failed);
            }
            Err(_) => {
                self.stream = None;
                return Err(timed_out(timeout));
            }
        };
        work.round_trips += 1;
        let plain = Moved { sent: request.len() as u64, received: read.read as u64 };
        let moved = self.moved(before, plain);
        work.sent += moved.sent;
        work.received += moved.received;
        let class = usize::from(read.head.status / 100);
        work.statuses[if class < 6 { class } else { 0 }] += 1;
        work.last_status = read.head.status;
        let length = match read.head.content {
            // Excess bytes belong to no response: the next one would begin with them.
            Content::Length(_) if self.filled > read.read => Length::Exceeded,
            Content::Length(_) => Length::Matched,
            Content::Chunked | Content::UntilClose => Length::Undeclared,
        };
        if read.head.closes || length == Length::Exceeded {
            self.stream = None;
        }
        let mut body = &self.buffer[read.body.0..read.body.1];
        if read.head.coding.is_decoded() && !body.is_empty() {
            let decoded = read.head.coding.decode(body, &mut self.decoded, LONGEST);
            decoded.map_err(Failed::check)?;
            body = &self.decoded;
        }
        let head = &self.buffer[..read.head.length];
        Ok(Response { status: read.head.status, head, body, length })
    }

    /// The bytes of an exchange, sent and received: those of TLS and HTTP/2 are more than those of the messages.
    fn moved(&self, before: Moved, plain: Moved) -> Moved {
        match &self.stream {
            Some(Stream::Tls(_, meter)) => meter.moved().since(before),
            Some(Stream::Http2(streams)) => streams.moved(),
            _ => plain,
        }
    }

    /// Sends a request as a stream of HTTP/2.
    async fn send_in_stream(&mut self, request: &[u8]) -> Result<ResponseSpan, Failed> {
        self.was_cut_short = false;
        let Some(Stream::Http2(streams)) = &mut self.stream else {
            return Err(Failed::new(Outcome::Connection, "the connection has no streams"));
        };
        let (head, read) = streams.exchange(request, &mut self.buffer).await?;
        self.filled = read;
        Ok(ResponseSpan { body: (head.length, read), read, head })
    }

    /// Whether the last response ended before its declared length.
    pub fn was_cut_short(&self) -> bool {
        self.was_cut_short
    }

    /// Whether the server has closed the idle connection: then a read returns its end. Nothing else
    /// is read before a request, because unexpected bytes would be taken for its response.
    async fn has_ended(&mut self) -> bool {
        let byte = &mut [0];
        let come = match &mut self.stream {
            Some(Stream::Tcp(stream)) => at_once(stream.read(byte)).await,
            Some(Stream::Unix(stream)) => at_once(stream.read(byte)).await,
            Some(Stream::Tls(stream, _)) => at_once(stream.read(byte)).await,
            Some(Stream::Http2(streams)) => return streams.has_ended(),
            None => return true,
        };
        come.is_some()
    }

    /// Sends a request and reads the head of the response, with what has come behind it.
    pub(super) async fn begin(&mut self, request: &[u8]) -> Result<(Head, Vec<u8>), Failed> {
        let rewritten;
        let request = match &self.forwarded {
            None => request,
            Some(target) => {
                rewritten = to_proxy(request, target);
                &rewritten
            }
        };
        let timeout = self.timeout;
        let head = tokio::time::timeout(timeout, self.send_and_read_head(request)).await;
        let head = head.map_err(|_| timed_out(timeout))??;
        let rest = self.buffer[head.length..self.filled].to_vec();
        Ok((head, rest))
    }

    /// Reads more of a response that was begun; whether there was more.
    pub(super) async fn more(&mut self, into: &mut Vec<u8>) -> Result<bool, Failed> {
        self.filled = 0;
        let timeout = self.timeout;
        let read = tokio::time::timeout(timeout, self.fill_or_end()).await;
        let has_more = read.map_err(|_| timed_out(timeout))??;
        into.extend_from_slice(&self.buffer[..self.filled]);
        Ok(has_more)
    }

    async fn send_and_read(&mut self, request: &[u8]) -> Result<ResponseSpan, Failed> {
        let head = self.send_and_read_head(request).await?;
        self.content(head).await
    }

    async fn send_and_read_head(&mut self, request: &[u8]) -> Result<Head, Failed> {
        let broken = |error: io::Error| Failed::new(Outcome::Connection, error.to_string());
        self.filled = 0;
        self.was_cut_short = false;
        self.write(request).await.map_err(broken)?;
        let of_head_request = request.starts_with(b"HEAD ");
        loop {
            match head(&self.buffer[..self.filled], of_head_request).map_err(Failed::check)? {
                // Interim responses (100, 103) are skipped; the final one may have arrived with
                // them.
                Some(found) if found.status < 200 => {
                    self.buffer.copy_within(found.length..self.filled, 0);
                    self.filled -= found.length;
                }
                Some(found) => return Ok(found),
                None => self.fill().await?,
            }
        }
    }

    async fn content(&mut self, head: Head) -> Result<ResponseSpan, Failed> {
        match head.content {
            Content::Length(length) => {
                let end = head.length.saturating_add(length);
                if end > LONGEST {
                    return Err(too_long(&format!(" ({length} bytes by its Content-Length)")));
                }
                while self.filled < end {
                    if !self.fill_or_end().await? {
                        self.was_cut_short = true;
                        let come = self.filled - head.length;
                        let message = format!(
                            "the server closed the connection after {come} of {length} bytes of content"
                        );
                        return Err(Failed::new(Outcome::Connection, message));
                    }
                }
                Ok(ResponseSpan { body: (head.length, end), read: end, head })
            }
            Content::Chunked => loop {
                let filled = self.filled;
                let found = dechunk(&mut self.buffer[..filled], head.length);
                if let Some((body, read)) = found.map_err(Failed::check)? {
                    return Ok(ResponseSpan { body: (body.start, body.end), read, head });
                }
                self.fill().await?;
            },
            Content::UntilClose => {
                while self.fill_or_end().await? {}
                Ok(ResponseSpan { body: (head.length, self.filled), read: self.filled, head })
            }
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.stream {
            Some(Stream::Tcp(stream)) => stream.write_all(bytes).await,
            Some(Stream::Unix(stream)) => stream.write_all(bytes).await,
            Some(Stream::Tls(stream, _)) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
            Some(Stream::Http2(_)) | None => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    async fn fill(&mut self) -> Result<(), Failed> {
        match self.fill_or_end().await? {
            true => Ok(()),
            false => Err(Failed::new(Outcome::Connection, "the server closed the connection")),
        }
    }

    /// Reads more; returns whether there was more.
    async fn fill_or_end(&mut self) -> Result<bool, Failed> {
        if self.filled == self.buffer.len() {
            if self.filled >= LONGEST {
                return Err(too_long(""));
            }
            self.buffer.resize(self.filled * 2, 0);
        }
        let space = &mut self.buffer[self.filled..];
        let read = match &mut self.stream {
            Some(Stream::Tcp(stream)) => stream.read(space).await,
            Some(Stream::Unix(stream)) => stream.read(space).await,
            Some(Stream::Tls(stream, _)) => stream.read(space).await,
            Some(Stream::Http2(_)) | None => Err(io::ErrorKind::NotConnected.into()),
        };
        let read = read.map_err(|error| {
            Failed::new(Outcome::Connection, tls::explained(&self.url.host, &error))
        })?;
        self.filled += read;
        Ok(read > 0)
    }
}

/// Polls a future once.
async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| {
        Poll::Ready(match future.as_mut().poll(context) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        })
    })
    .await
}

/// Opens the transport to a service.
async fn open(url: &Url) -> Result<Stream, Failed> {
    if let Some(most) = url.route.http2 {
        return Ok(Stream::Http2(Box::new(Box::pin(Streams::open(url, most)).await?)));
    }
    Ok(match dial(url).await? {
        Transport::Tcp(stream) => Stream::Tcp(stream),
        Transport::Unix(stream) => Stream::Unix(stream),
        Transport::Tls(session, meter) => Stream::Tls(session, meter),
    })
}

/// A request with the whole address in its first line, as proxies read it (RFC 9112 §3.2.2).
fn to_proxy(request: &[u8], target: &[u8]) -> Vec<u8> {
    let line = request.iter().position(|byte| *byte == b'\n').map_or(request.len(), |at| at + 1);
    let method = request.iter().position(|byte| *byte == b' ').map_or(0, |at| at + 1);
    let (place, fields) = match target.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&target[..at], &target[at + 1..]),
        None => (target, &b""[..]),
    };
    [&request[..method], place, &request[method..line], fields, &request[line..]].concat()
}

/// A response, by its positions in the buffer.
struct ResponseSpan {
    head: Head,
    body: (usize, usize),
    /// Bytes of the response.
    read: usize,
}

fn timed_out(after: Duration) -> Failed {
    Failed::new(Outcome::Timeout, format!("no answer within {} s", after.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;
    use crate::targets::http::coding::tests::zipped;

    /// The result of a client for one response, and the counts of its bytes.
    async fn answered(response: Vec<u8>) -> (Result<(u16, Vec<u8>), Failed>, TransactionCost) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url: Url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            assert!(stream.read(&mut request).unwrap() > 0);
            stream.write_all(&response).unwrap();
            // The client closes the connection after the expected response.
            let _ = stream.read(&mut request);
        });
        let mut connection = HttpConnection::open(&url, Duration::from_secs(20)).await.unwrap();
        let mut work = TransactionCost::default();
        let answer = connection.exchange(b"GET / HTTP/1.1\r\n\r\n", &mut work).await;
        let answer = answer.map(|answer| (answer.status, answer.body.to_vec()));
        drop(connection);
        served.join().unwrap();
        (answer, work)
    }

    #[tokio::test]
    async fn gzip_is_decoded_and_counted_as_it_came() {
        let text = b"{\"items\":[]}".repeat(1000);
        let zipped = zipped(&text);
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";
        let sized = format!("{head}Content-Length: {}\r\n\r\n", zipped.len());
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", zipped.len());
        for (head, end) in [(sized, &b""[..]), (chunked, b"\r\n0\r\n\r\n")] {
            let response = [head.as_bytes(), &zipped, end].concat();
            let wire = response.len() as u64;
            let (answer, work) = answered(response).await;
            assert_eq!(answer.unwrap(), (200, text.clone()));
            assert_eq!(work.received, wire);
        }
        let broken = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzips";
        let (answer, work) = answered(broken.into()).await;
        let failed = answer.unwrap_err();
        assert!(failed.message.contains("gzip") && failed.outcome == Outcome::Check, "{failed:?}");
        assert_eq!(work.statuses[2], 1);
    }

    #[tokio::test]
    async fn a_response_that_is_too_long_names_the_limit() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 734003200\r\n\r\n";
        let failed = answered(head.to_vec()).await.0.unwrap_err();
        let message = "the response (734003200 bytes by its Content-Length) is longer than 256 MiB, \
                    the most that is read";
        assert_eq!((failed.outcome, failed.message.as_str()), (Outcome::Check, message));
    }

    #[tokio::test]
    async fn an_interim_answer_that_comes_with_the_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).unwrap();
            let answer = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
                          HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
            stream.write_all(answer.as_bytes()).unwrap();
            // Stays open until the client leaves.
            let _ = stream.read(&mut request);
        });
        let url: Url = format!("http://{address}/").parse().unwrap();
        let mut connection = HttpConnection::open(&url, Duration::from_secs(20)).await.unwrap();
        let mut work = TransactionCost::default();
        let answer = connection.exchange(b"GET / HTTP/1.1\r\n\r\n", &mut work).await.unwrap();
        assert_eq!((answer.status, answer.body), (200, &b"hi"[..]));
        drop(connection);
        served.join().unwrap();
    }

    /// Answers each connection's first request, and then closes the connection.
    #[tokio::test]
    async fn reopens_a_connection_closed_while_idle() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (closed, is_closed) = std::sync::mpsc::channel();
        let served = std::thread::spawn(move || {
            let until_close = "HTTP/1.1 200 OK\r\n\r\nhi";
            for answer in
                ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", until_close, until_close]
            {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
                drop(stream);
                closed.send(()).unwrap();
            }
        });
        let url: Url = format!("http://{address}/").parse().unwrap();
        let mut connection = HttpConnection::open(&url, Duration::from_secs(20)).await.unwrap();
        let mut work = TransactionCost::default();
        for _ in 0..3 {
            let answer = connection.exchange(b"GET / HTTP/1.1\r\n\r\n", &mut work).await.unwrap();
            assert_eq!((answer.status, answer.body), (200, &b"hi"[..]));
            is_closed.recv().unwrap();
            // As during think time: the runtime notices the end.
            tokio::task::yield_now().await;
        }
        // The first one was opened before.
        assert_eq!((work.connects, work.connects_failed), (2, 0));
        served.join().unwrap();
    }
}
