//! A tiny blocking HTTP/1.1 client that shows exactly what is on the wire.
//!
//! It shares no code with the server under test, keeps a connection open until it is closed,
//! and can send bytes that are no HTTP at all.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::tls::{PATIENCE, TlsStream};

/// One connection.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<Stream>,
    host: String,
}

/// A response as it came.
#[derive(Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers in order, names as sent.
    pub headers: Vec<(String, String)>,
    /// The body, chunks joined.
    pub body: Vec<u8>,
}

impl Client {
    /// Connects to `127.0.0.1:8080` or `http://127.0.0.1:8080/anything`.
    ///
    /// # Panics
    /// If the connection fails; see [`Client::try_connect`].
    pub fn connect(address: &str) -> Self {
        Self::try_connect(address).unwrap_or_else(|error| panic!("connect to {address}: {error}"))
    }

    /// As [`Client::connect`], with the error as a value.
    pub fn try_connect(address: &str) -> io::Result<Self> {
        let rest = address.strip_prefix("http://").unwrap_or(address);
        let host = rest.split('/').next().unwrap_or(rest);
        let target = host.to_socket_addrs()?.next();
        let target = target.ok_or_else(|| io::Error::other("the address names no host"))?;
        let stream = TcpStream::connect_timeout(&target, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(Stream::Tcp(stream)), host: host.to_owned() })
    }

    /// Speaks over a TCP connection that is open already.
    ///
    /// # Panics
    /// If the socket has been closed.
    pub fn over_tcp(stream: TcpStream) -> Self {
        let peer = stream
            .peer_addr()
            .and_then(|peer| stream.set_read_timeout(Some(PATIENCE)).map(|()| peer))
            .unwrap_or_else(|error| panic!("a connection: {error}"));
        Self { stream: BufReader::new(Stream::Tcp(stream)), host: peer.to_string() }
    }

    /// Speaks over a connection of TLS to this host.
    pub fn over_tls(stream: TlsStream, host: &str) -> Self {
        Self { stream: BufReader::new(Stream::Tls(Box::new(stream))), host: host.to_owned() }
    }

    /// Connects to a Unix socket.
    ///
    /// # Panics
    /// If the connection fails.
    pub fn connect_unix(path: &Path) -> Self {
        let stream = UnixStream::connect(path)
            .and_then(|stream| stream.set_read_timeout(Some(PATIENCE)).map(|()| stream))
            .unwrap_or_else(|error| panic!("connect to {}: {error}", path.display()));
        Self { stream: BufReader::new(Stream::Unix(stream)), host: "localhost".to_owned() }
    }

    /// `GET path` with headers.
    ///
    /// # Panics
    /// If there is no response.
    pub fn get(&mut self, path: &str, headers: &[(&str, &str)]) -> Response {
        self.request("GET", path, headers, b"")
    }

    /// Any request; `Host` and `Content-Length` are added unless given.
    ///
    /// # Panics
    /// If there is no response.
    pub fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        self.try_request(method, path, headers, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// As [`Client::request`], with the error as a value.
    pub fn try_request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Response> {
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !given("host") {
            text.push_str(&format!("Host: {}\r\n", self.host));
        }
        if !body.is_empty() && !given("content-length") && !given("transfer-encoding") {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        text.push_str("\r\n");
        self.send([text.as_bytes(), body].concat().as_slice())?;
        self.read_response(method == "HEAD")
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Says that nothing more will be sent.
    pub fn finish_sending(&mut self) -> io::Result<()> {
        self.stream.get_mut().finish_sending()
    }

    /// Reads one response; one to `HEAD` has no body.
    pub fn read_response(&mut self, to_head: bool) -> io::Result<Response> {
        loop {
            let (status, headers) = self.read_head()?;
            if (100..200).contains(&status) {
                continue;
            }
            let mut response = Response { status, headers, body: Vec::new() };
            if !to_head && status != 204 && status != 304 {
                response.body = self.read_body(&response)?;
            }
            return Ok(response);
        }
    }

    /// All bytes until the server closes the connection.
    pub fn read_to_end(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.stream.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn read_head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        let line = self.read_line()?;
        let status = line
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split(' ').nth(1)?.parse().ok())
            .ok_or_else(|| io::Error::other(format!("not a status line: {line:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| io::Error::other(format!("not a header: {line:?}")))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    fn read_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line)?;
        match line.strip_suffix(b"\r\n") {
            Some(text) => String::from_utf8(text.to_vec()).map_err(io::Error::other),
            None => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the connection ended after {:?}", String::from_utf8_lossy(&line)),
            )),
        }
    }

    fn read_body(&mut self, response: &Response) -> io::Result<Vec<u8>> {
        if response.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
            return self.read_chunks();
        }
        match response.header("content-length") {
            None => self.read_to_end(),
            Some(length) => self.read_exactly(length.parse().map_err(io::Error::other)?),
        }
    }

    fn read_chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.read_line()?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16).map_err(io::Error::other)?;
            if size == 0 {
                while !self.read_line()?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.read_exactly(size)?);
            self.read_line()?;
        }
    }

    fn read_exactly(&mut self, size: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.stream.by_ref().take(size as u64).read_to_end(&mut bytes)?;
        if read < size {
            let message = format!("the body ended after {read} of {size} bytes");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        Ok(bytes)
    }
}

impl Response {
    /// The first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        header.map(|(_, value)| value.as_str())
    }

    /// The body as text.
    ///
    /// # Panics
    /// If it is not UTF-8.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_else(|error| panic!("body: {error}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is not JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

impl fmt::Debug for Response {
    /// The response in wire format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "HTTP {}", self.status)?;
        self.headers.iter().try_for_each(|(name, value)| writeln!(f, "{name}: {value}"))?;
        write!(f, "\n{}", String::from_utf8_lossy(&self.body))
    }
}

/// A header `Authorization` for a client of the server at this URL.
///
/// # Panics
/// If it gets no token.
pub fn bearer(url: &str, id: &str, secret: &str) -> String {
    let body = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let response = request("POST", &format!("{url}/oauth/token"), &headers, body.as_bytes());
    let reply = response.json();
    let token = reply["access_token"].as_str();
    format!("Bearer {}", token.unwrap_or_else(|| panic!("no token: {response:?}")))
}

/// One `GET` on a new connection; `url` is `http://host:port/path`.
///
/// # Panics
/// If there is no response.
pub fn get(url: &str, headers: &[(&str, &str)]) -> Response {
    request("GET", url, headers, b"")
}

/// One request on a new connection; `url` is `http://host:port/path`.
///
/// # Panics
/// If there is no response.
pub fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    Client::connect(url).request(method, path, headers, body)
}

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream>),
}

impl Stream {
    fn finish_sending(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
            Self::Tls(stream) => {
                stream.conn.send_close_notify();
                stream.conn.complete_io(&mut stream.sock).map(drop)
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tls(stream) => stream.flush(),
            Self::Tcp(_) | Self::Unix(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    /// Answers with `reply` and returns the request.
    fn exchange(reply: &'static [u8], ask: impl FnOnce(&mut Client)) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(reply).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut asked = String::new();
            stream.read_to_string(&mut asked).unwrap();
            asked
        });
        ask(&mut Client::connect(&address));
        server.join().unwrap()
    }

    #[test]
    fn reads_two_responses_on_one_connection() {
        let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi\
            HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n";
        let asked = exchange(reply, |client| {
            let first = client.get("/a", &[("X-Y", "z")]);
            assert_eq!((first.status, first.text()), (200, "hi"));
            let second = client.request("POST", "/b", &[], b"{}");
            assert_eq!((second.status, second.text()), (404, "abcd"));
            assert_eq!(second.header("TRANSFER-encoding"), Some("chunked"));
        });
        assert!(asked.starts_with("GET /a HTTP/1.1\r\nHost: 127.0.0.1:"));
        assert!(asked.contains("X-Y: z\r\n\r\nPOST /b"));
        assert!(asked.ends_with("Content-Length: 2\r\n\r\n{}"));
    }

    #[test]
    fn responses_without_body() {
        let reply = b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n\
            HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end";
        exchange(reply, |client| {
            assert_eq!(client.get("/", &[]).body, b"");
            assert_eq!(client.get("/", &[]).text(), "to the end");
        });
    }

    #[test]
    fn a_truncated_response_is_an_error() {
        exchange(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", |client| {
            assert!(client.try_request("GET", "/", &[], b"").is_err());
        });
    }
}
