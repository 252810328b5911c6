//! A server that takes webhooks, and answers them as a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::command::wait_until;

/// A request as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The path.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Received {
    /// The value of a header.
    ///
    /// # Panics
    /// If it is missing.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or_else(|| panic!("no {name} in {self:?}"), |(_, value)| value)
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The type of the event.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap_or_default().to_owned()
    }
}

/// How a request is answered.
#[derive(Clone, Debug)]
pub enum Reply {
    /// With a status, and lines of further headers.
    Status(u16, &'static str),
    /// Not at all: the connection stays open.
    Hang,
}

type Answers = Box<dyn FnMut(&Received) -> Reply + Send>;

struct State {
    received: Vec<Received>,
    answers: Answers,
    /// Connections that hang.
    hanging: Vec<TcpStream>,
}

/// The server; it ends with the process.
pub struct Receiver {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Receiver {
    /// A server that answers everything with 204.
    ///
    /// # Panics
    /// If there is no free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0");
        let listener = listener.unwrap_or_else(|error| panic!("a port: {error}"));
        let port = listener.local_addr().map(|address| address.port()).unwrap_or_default();
        let answers: Answers = Box::new(|_| Reply::Status(204, ""));
        let state = State { received: Vec::new(), answers, hanging: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // One that has hung up is nobody's concern.
                thread::spawn(move || drop(serve(stream, &state)));
            }
        });
        Self { url: format!("http://127.0.0.1:{port}"), state }
    }

    /// Where it is, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers in this way from now on.
    pub fn answer(&self, answers: impl FnMut(&Received) -> Reply + Send + 'static) {
        self.state().answers = Box::new(answers);
    }

    /// What was received so far.
    pub fn received(&self) -> Vec<Received> {
        self.state().received.clone()
    }

    /// Forgets what was received.
    pub fn forget(&self) {
        self.state().received.clear();
    }

    /// Waits until so many requests were received.
    ///
    /// # Panics
    /// If they do not come.
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        wait_until(&format!("{count} webhooks"), || self.state().received.len() >= count);
        self.received()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let received = read(&mut reader)?;
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.received.push(received.clone());
    match (state.answers)(&received) {
        Reply::Status(status, headers) => {
            drop(state);
            let head = format!("HTTP/1.1 {status} It\r\n{headers}Content-Length: 0\r\n\r\n");
            (&stream).write_all(head.as_bytes())
        }
        Reply::Hang => {
            state.hanging.push(stream);
            Ok(())
        }
    }
}

fn read(reader: &mut impl BufRead) -> std::io::Result<Received> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: u64 = length.and_then(|(_, value)| value.parse().ok()).unwrap_or_default();
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    Ok(Received { path, headers, body })
}
