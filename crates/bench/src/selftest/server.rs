//! A server that logs its responses, delays and pauses.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fastrand::Rng;
use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The response to everything.
const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}";
/// The seed of its delays.
const SEED: u64 = 7;

/// The server's behaviour before it responds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Manner {
    /// Responds at once.
    AtOnce,
    /// Delays each response between these; the logarithm of the delay is uniform.
    Delayed(Duration, Duration),
    /// Delays every 20th response by this time.
    Tail(Duration),
    /// Closes the connection of every 50th request without a response.
    Drops,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served {
    /// When it arrived.
    pub(super) came: Instant,
    /// The moment just before its response was sent; `None` without a response.
    pub(super) answered: Option<Instant>,
}

/// The server's log.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// All requests in order of arrival.
    pub(super) requests: Vec<Served>,
    /// The moments of its answers, in order, just before each was sent.
    pub(super) answered: Vec<Instant>,
    /// From the end of a request to just before its response, in the same order.
    pub(super) took: Vec<Duration>,
    /// Start and end of its pause.
    pub(super) paused: Option<(Instant, Instant)>,
}

/// A server on its own thread; it ends with the program, or when it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) address: SocketAddr,
    log: Arc<Mutex<Log>>,
    pause: tokio::sync::mpsc::UnboundedSender<(Instant, Duration)>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Listens on a free port of the loopback address.
    pub(super) fn start(manner: Manner) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Log::default()));
        let (pause, mut pauses) = tokio::sync::mpsc::unbounded_channel::<(Instant, Duration)>();
        let kept = log.clone();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async move {
                tokio::spawn(accept(listener, manner, kept.clone()));
                // It ends when the last handle is gone.
                while let Some((at, length)) = pauses.recv().await {
                    tokio::time::sleep_until(at.into()).await;
                    let began = Instant::now();
                    // This is the only thread: no request is answered meanwhile.
                    std::thread::sleep(length);
                    locked(&kept).paused = Some((began, Instant::now()));
                }
            });
        });
        Ok(Self { address, log, pause, thread: Some(thread) })
    }

    /// Starts a pause.
    pub(super) fn pause(&self, at: Instant, length: Duration) {
        // The server receives this as long as it lives.
        let _ = self.pause.send((at, length));
    }

    /// Ends the server; returns its log.
    pub(super) fn finish(mut self) -> Log {
        let (closed, _) = tokio::sync::mpsc::unbounded_channel::<(Instant, Duration)>();
        self.pause = closed;
        if let Some(thread) = self.thread.take() {
            // The thread has no code that panics.
            drop(thread.join());
        }
        std::mem::take(&mut *locked(&self.log))
    }
}

fn locked(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, manner: Manner, log: Arc<Mutex<Log>>) {
    let mut random = Rng::with_seed(SEED);
    while let Ok((stream, _)) = listener.accept().await {
        // The client decides how a connection ends.
        let served = serve(stream, manner, random.fork(), log.clone());
        tokio::spawn(async move { drop(served.await) });
    }
}

async fn serve(
    mut stream: TcpStream,
    manner: Manner,
    mut random: Rng,
    log: Arc<Mutex<Log>>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(1024);
    loop {
        while memmem::find(&buffer, b"\r\n\r\n").is_none() {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
        // Requests of the bench have no content, and each waits for the previous response.
        buffer.clear();
        let came = Instant::now();
        let number = {
            let requests = &mut locked(&log).requests;
            requests.push(Served { came, answered: None });
            requests.len() - 1
        };
        match manner {
            Manner::Delayed(from, to) => {
                let length =
                    from.as_secs_f64() * (to.as_secs_f64() / from.as_secs_f64()).powf(random.f64());
                tokio::time::sleep(Duration::from_secs_f64(length)).await;
            }
            Manner::Tail(length) if number % 20 == 7 => tokio::time::sleep(length).await,
            Manner::Drops if number % 50 == 7 => return Ok(()),
            Manner::AtOnce | Manner::Tail(_) | Manner::Drops => {}
        }
        {
            let mut log = locked(&log);
            let now = Instant::now();
            if let Some(served) = log.requests.get_mut(number) {
                served.answered = Some(now);
            }
            log.answered.push(now);
            log.took.push(now - came);
        }
        stream.write_all(ANSWER).await?;
    }
}
