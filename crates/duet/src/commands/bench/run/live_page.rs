//! The page of a run that goes on: a small server of this machine alone, for browsers.
//!
//! `GET /` is the report of what was measured so far, and `GET /events` sends it again each second, as
//! server-sent events. A page takes a moment to make; where that is long, because the run is, it is made
//! less often, so that it takes at most a twentieth of a processor from what is measured.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duet_bench::run::{Merged, Progress};
use duet_report::html::live;
use duet_verdict::result::{RunResult, Second};

/// The place of the events, relative to the page.
const EVENTS: &str = "/events";
/// The most bytes of a request.
const LONGEST: u64 = 16 * 1024;
/// The most browsers at once.
const VIEWERS: usize = 16;
/// How long a browser may take to send a request, or to take a page.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the end of a run waits for browsers to take the last page.
const FAREWELL: Duration = Duration::from_secs(3);
/// A page is made again after this many times the time that it took.
const PAUSE: u32 = 20;

/// The server; it ends with the program.
#[derive(Debug)]
pub(in crate::commands::bench) struct LivePage {
    shared: Arc<Shared>,
    address: SocketAddr,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The page that was made last, with the number of its seconds: several browsers take the same.
    made: Mutex<(u64, Arc<str>)>,
    /// What browsers call this server.
    hosts: [String; 2],
}

#[derive(Debug)]
struct State {
    progress: Progress,
    /// How often the page has changed.
    changes: u64,
    viewers: usize,
    end: Option<End>,
}

/// The last page, and what is said beside it.
#[derive(Clone, Debug)]
struct End {
    page: Arc<str>,
    message: String,
}

impl LivePage {
    /// Listens on a free port of the loopback address. `begun` is what is known before the run.
    ///
    /// # Errors
    /// If there is no port.
    pub(in crate::commands::bench) fn start(begun: &RunResult) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let port = address.port();
        let state = State { progress: Progress::new(begun), changes: 1, viewers: 0, end: None };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            made: Mutex::new((0, "".into())),
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        });
        let served = Arc::clone(&shared);
        std::thread::Builder::new().name("live".into()).spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                // A thread for each browser; without one it is not answered.
                let _ = std::thread::Builder::new()
                    .name("live-viewer".into())
                    .spawn(move || shared.visit(stream));
            }
        })?;
        Ok(Self { shared, address })
    }

    /// The page's address.
    pub(in crate::commands::bench) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Shows another run from now on, the next one of a series.
    pub(in crate::commands::bench) fn begin(&self, begun: &RunResult) {
        self.shared.change(|state| state.progress = Progress::new(begun));
    }

    /// Adds a second of the run.
    pub(in crate::commands::bench) fn second(&self, merged: &Merged, row: &Second) {
        self.shared.change(|state| state.progress.second(merged, row));
    }

    /// Sends the last page, and waits a moment until browsers have it.
    pub(in crate::commands::bench) fn finish(&self, page: &str, message: String) {
        self.shared.change(|state| state.end = Some(End { page: page.into(), message }));
        let until = Instant::now() + FAREWELL;
        let mut state = self.shared.state();
        while state.viewers > 0 && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        state.changes += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Answers one request. A browser that goes away is no error.
    fn visit(&self, mut stream: TcpStream) {
        let _ = self.answer(&mut stream);
    }

    fn answer(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (line, host) = request(stream)?;
        // Another name that leads here is a page of somebody else that wants to read this one.
        if !self.hosts.contains(&host) {
            return respond(stream, "421 Misdirected Request", "text/plain", "Unknown host.\n");
        }
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("GET"), Some("/")) => {
                let page = self.page().1;
                respond(stream, "200 OK", "text/html; charset=utf-8", &page)
            }
            (Some("GET"), Some(EVENTS)) => self.send_events(stream),
            _ => respond(stream, "404 Not Found", "text/plain", "Not found.\n"),
        }
    }

    /// The page of now, and the number of the change that it has.
    fn page(&self) -> (u64, Arc<str>) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.state();
        if let Some(end) = &state.end {
            return (state.changes, Arc::clone(&end.page));
        }
        if made.0 != state.changes {
            let (changes, result) = (state.changes, state.progress.result());
            // The run goes on while the page is made.
            drop(state);
            *made = (changes, live(&result, EVENTS).into());
        }
        (made.0, Arc::clone(&made.1))
    }

    fn send_events(&self, stream: &mut TcpStream) -> io::Result<()> {
        {
            let mut state = self.state();
            if state.viewers >= VIEWERS {
                drop(state);
                return respond(stream, "503 Service Unavailable", "text/plain", "Too many.\n");
            }
            state.viewers += 1;
        }
        let sent = self.follow(stream);
        self.state().viewers -= 1;
        self.changed.notify_all();
        sent
    }

    fn follow(&self, stream: &mut TcpStream) -> io::Result<()> {
        write!(stream, "HTTP/1.1 200 OK\r\n{HEADERS}Content-Type: text/event-stream\r\n\r\n")?;
        let mut last = 0;
        loop {
            let end = self.wait_for_change(last);
            let begun = Instant::now();
            let (changes, page) = self.page();
            let took = begun.elapsed();
            last = changes;
            event(stream, "page", &page)?;
            if let Some(end) = end {
                return event(stream, "end", &end.message);
            }
            self.pause(took * PAUSE);
        }
    }

    /// Waits until there is more than this; the end of the run, if it has come.
    fn wait_for_change(&self, last: u64) -> Option<End> {
        let state = self.state();
        let waited = self.changed.wait_while(state, |state| state.changes == last);
        waited.unwrap_or_else(PoisonError::into_inner).end.clone()
    }

    /// Waits for a time, or until the run ends.
    fn pause(&self, length: Duration) {
        let waits = |state: &mut State| state.end.is_none();
        drop(self.changed.wait_timeout_while(self.state(), length, waits));
    }
}

/// Headers of every response.
const HEADERS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Content-Security-Policy: frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n\
    Connection: close\r\n";

/// Reads a request: its first line, and its host.
fn request(stream: &TcpStream) -> io::Result<(String, String)> {
    let mut lines = BufReader::new(stream.take(LONGEST)).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut host = String::new();
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("host") => {
                host = value.trim().to_ascii_lowercase();
            }
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    Ok((first, host))
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{HEADERS}Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// An event whose data is a JSON text, which has no line breaks.
fn event(stream: &mut TcpStream, name: &str, text: &str) -> io::Result<()> {
    let data = serde_json::to_string(text)?;
    stream.write_all(format!("event: {name}\ndata: {data}\n\n").as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(page: &LivePage, line: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(page.address).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn browsers_of_this_machine_see_the_run() {
        let page = LivePage::start(&RunResult::default()).unwrap();
        let host = page.address.to_string();
        let text = ask(&page, "GET /", &host);
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.contains("data-live=\"/events\""));
        assert!(text.contains("connect-src &#39;self&#39;"), "{text}");
        assert!(ask(&page, "GET /", "example.org").starts_with("HTTP/1.1 421 "));
        assert!(ask(&page, "GET /etc/passwd", &host).starts_with("HTTP/1.1 404 "));
        assert!(ask(&page, "POST /", &host).starts_with("HTTP/1.1 404 "));
    }

    #[test]
    fn a_series_shows_its_current_run() {
        let named = |name: &str| RunResult { name: name.into(), ..RunResult::default() };
        let page = LivePage::start(&named("the first trial")).unwrap();
        let host = page.address.to_string();
        assert!(ask(&page, "GET /", &host).contains("the first trial"));
        page.begin(&named("the second trial"));
        let text = ask(&page, "GET /", &host);
        assert!(text.contains("the second trial") && !text.contains("the first trial"));
    }

    #[test]
    fn the_last_page_is_sent_before_the_end() {
        let page = LivePage::start(&RunResult::default()).unwrap();
        let mut stream = TcpStream::connect(page.address).unwrap();
        write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", page.address).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "event: page"));
        page.finish("<p>last</p>", "saved".into());
        let rest: Vec<String> = lines.collect();
        let text = rest.join("\n");
        assert!(text.contains("event: page\ndata: \"<p>last</p>\"\n\nevent: end\ndata: \"saved\""));
    }
}
