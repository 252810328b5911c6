//! An agent: begins worker processes for runs of its authority, and passes their lines.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::value::RawValue;
use tempfile::TempDir;
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

use super::identity::Identity;
use super::message::{
    BEAT, Clocks, FromAgent, Greeting, Hello, LONGEST, SILENCE, ToAgent, line_of, other_build,
    read_line,
};
use crate::clock::monotonic_now;
use crate::facts;
use crate::targets::http::PROXY_LOGIN;

/// A run that neither speaks nor reads.
const SILENT: &str = "its run has been silent for 10 s";
/// The longest line before a run is welcome.
const LONGEST_HELLO: u64 = 64 * 1024;
/// How long a worker may take to end once its run is gone.
const LAST_SECONDS: Duration = Duration::from_secs(5);
/// The variables of an agent's own environment that its workers get.
const OWN_VARIABLES: [&str; 4] = ["PATH", "LANG", "TMPDIR", "SSL_CERT_FILE"];
/// The variables that a run may give its workers: the login of a proxy, and those of libpq that name no file.
pub(super) const VARIABLES: [&str; 11] = [
    PROXY_LOGIN,
    "PGHOST",
    "PGHOSTADDR",
    "PGPORT",
    "PGDATABASE",
    "PGUSER",
    "PGPASSWORD",
    "PGSSLMODE",
    "PGCONNECT_TIMEOUT",
    "PGOPTIONS",
    "PGTARGETSESSIONATTRS",
];

/// How an agent works.
pub struct AgentOptions {
    /// What the program was built of, and how: runs of another build are refused.
    pub build: String,
    /// The most worker processes at the same time.
    pub processes: usize,
    /// The command of a worker, given the folder for its files.
    pub worker: Box<dyn Fn(&std::path::Path) -> Command>,
    /// Tells the operator, in whole sentences.
    pub notice: Box<dyn Fn(&str)>,
}

/// An agent that listens.
pub struct Agent {
    listener: std::net::TcpListener,
    tls: Arc<ServerConfig>,
    options: AgentOptions,
}

impl Agent {
    /// Listens at an address.
    ///
    /// # Errors
    /// If the address cannot be used, or the identity.
    pub fn listen(
        address: &str,
        identity: Identity,
        options: AgentOptions,
    ) -> Result<Self, String> {
        let taken = |error: io::Error| format!("{address} cannot be listened at: {error}");
        let listener = std::net::TcpListener::bind(address).map_err(taken)?;
        listener.set_nonblocking(true).map_err(taken)?;
        Ok(Self { listener, tls: identity.of_agent()?, options })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves runs until the process ends.
    ///
    /// # Errors
    /// If the listener fails.
    pub fn serve(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let Self { listener, tls, options } = self;
        LocalSet::new().block_on(&runtime, async move {
            let listener = TcpListener::from_std(listener)?;
            let id = format!("{:016x}", fastrand::u64(..));
            let site = Rc::new(Site { options, id, run: RefCell::default() });
            loop {
                let (stream, peer) = match listener.accept().await {
                    Ok(accepted) => accepted,
                    // No file descriptors, or a connection that was gone at once.
                    Err(error) => {
                        site.say(&format!("A connection was lost: {error}."));
                        tokio::time::sleep(BEAT).await;
                        continue;
                    }
                };
                let (site, acceptor) = (site.clone(), TlsAcceptor::from(tls.clone()));
                tokio::task::spawn_local(async move {
                    if let Err(error) = receive(&site, acceptor, stream).await {
                        site.say(&format!("The connection of {peer} ended: {error}."));
                    }
                });
            }
        })
    }
}

/// What all connections share.
struct Site {
    options: AgentOptions,
    /// The name of this agent among others.
    id: String,
    run: RefCell<Option<CurrentRun>>,
}

/// The run that an agent works for: one at a time, because two would measure each other.
struct CurrentRun {
    hello: Hello,
    begun: Instant,
    connections: usize,
}

impl Site {
    fn say(&self, text: &str) {
        (self.options.notice)(text);
    }

    /// Takes part in a run.
    ///
    /// # Errors
    /// Why the agent does not.
    fn enter(&self, hello: Hello) -> Result<(), String> {
        let own = env!("CARGO_PKG_VERSION");
        if hello.version != own {
            return Err(format!(
                "it is duet {own}, and the run is of duet {}: use one version",
                hello.version
            ));
        }
        if let Some(why) = other_build(&self.options.build, &hello.build) {
            return Err(why);
        }
        let mut run = self.run.borrow_mut();
        let run = match &mut *run {
            None => {
                self.say(&format!("Run {} of {} begins.", hello.run, hello.host));
                run.insert(CurrentRun { hello, begun: Instant::now(), connections: 0 })
            }
            Some(run) if run.hello.run == hello.run => run,
            Some(run) => {
                let (host, seconds) = (&run.hello.host, run.begun.elapsed().as_secs());
                return Err(format!("it works for a run of {host} that began {seconds} s ago"));
            }
        };
        let most = self.options.processes;
        if run.connections >= most {
            return Err(format!("it runs at most {most} processes (--processes)"));
        }
        run.connections += 1;
        Ok(())
    }

    fn leave(&self) {
        let mut run = self.run.borrow_mut();
        let Some(current) = &mut *run else { return };
        current.connections -= 1;
        if current.connections == 0 {
            let (id, host) = (&current.hello.run, &current.hello.host);
            self.say(&format!("Run {id} of {host} has ended."));
            *run = None;
        }
    }
}

/// Serves one connection: one worker of a run.
async fn receive(site: &Rc<Site>, acceptor: TlsAcceptor, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let accepted = timeout(SILENCE, acceptor.accept(stream)).await;
    let stream = accepted.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    if stream.get_ref().1.alpn_protocol().is_none() {
        return Err(io::Error::other("it does not speak an agent's protocol"));
    }
    let (reader, mut writer) = tokio::io::split(stream);
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let said = timeout(SILENCE, read_line(&mut reader, &mut line, LONGEST_HELLO)).await;
    said.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    let ToAgent::Hello(hello) = serde_json::from_slice(&line)? else {
        return Err(io::Error::other("it does not begin with a hello"));
    };
    if let Err(why) = site.enter(hello) {
        site.say(&format!("A run is refused: {why}."));
        writer.write_all(&line_of(&FromAgent::Refused(why))).await?;
        return writer.shutdown().await;
    }
    let mut connection = Connection::new(site);
    let result = connection.serve(&mut reader, &mut writer).await;
    if let Some(worker) = connection.worker {
        worker.end().await;
    }
    site.leave();
    result
}

/// Writes a message to a run that reads.
async fn write(writer: &mut (impl AsyncWrite + Unpin), message: &FromAgent) -> io::Result<()> {
    let line = line_of(message);
    let written = async {
        writer.write_all(&line).await?;
        writer.flush().await
    };
    timeout(SILENCE, written).await.map_err(|_| io::Error::other(SILENT))?
}

/// One connection that is welcome.
struct Connection<'a> {
    site: &'a Site,
    worker: Option<Hosted>,
    /// What the worker says, and its end.
    said: UnboundedReceiver<FromAgent>,
    sayer: UnboundedSender<FromAgent>,
}

impl<'a> Connection<'a> {
    fn new(site: &'a Site) -> Self {
        let (sayer, said) = unbounded_channel();
        Self { site, worker: None, said, sayer }
    }

    async fn serve(
        &mut self,
        reader: &mut (impl AsyncBufRead + Unpin),
        writer: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<()> {
        let Site { options, id, .. } = self.site;
        let (host, build, agent) = (facts::host(), options.build.clone(), id.clone());
        write(writer, &FromAgent::Welcome(Box::new(Greeting { host, build, agent }))).await?;
        let (sender, mut received) = unbounded_channel();
        let reading = async move {
            let mut line = Vec::new();
            loop {
                let read = timeout(SILENCE, read_line(reader, &mut line, LONGEST)).await;
                match read.map_err(|_| io::Error::other(SILENT))?? {
                    true => drop(sender.send(serde_json::from_slice::<ToAgent>(&line)?)),
                    false => return Ok(()),
                }
            }
        };
        tokio::pin!(reading);
        let mut beat = tokio::time::interval(BEAT);
        loop {
            let answer = tokio::select! {
                ended = &mut reading => return ended,
                Some(message) = received.recv() => self.take(message)?,
                Some(said) = self.said.recv() => Some(said),
                _ = beat.tick() => Some(FromAgent::Alive),
            };
            if let Some(answer) = answer {
                write(writer, &answer).await?;
            }
        }
    }

    /// Acts on a message; the answer, if there is one.
    fn take(&mut self, message: ToAgent) -> io::Result<Option<FromAgent>> {
        match message {
            ToAgent::Alive => Ok(None),
            ToAgent::Clock => Ok(Some(FromAgent::Clock(clocks()))),
            ToAgent::Begin { environment } => match self.worker {
                None => {
                    self.worker =
                        Some(Hosted::begin(&self.site.options, &environment, &self.sayer)?);
                    Ok(None)
                }
                Some(_) => Err(io::Error::other("it begins a second worker")),
            },
            ToAgent::Worker(line) => match &self.worker {
                Some(worker) => {
                    // A worker that has ended says so itself.
                    drop(worker.lines.send(line));
                    Ok(None)
                }
                None => Err(io::Error::other("it has not begun a worker")),
            },
            ToAgent::Hello(_) => Err(io::Error::other("it says hello twice")),
        }
    }
}

/// A worker process with its folder, which goes with it.
struct Hosted {
    child: Child,
    lines: Sender<Box<RawValue>>,
    _folder: TempDir,
}

impl Hosted {
    fn begin(
        options: &AgentOptions,
        given: &BTreeMap<String, String>,
        said: &UnboundedSender<FromAgent>,
    ) -> io::Result<Self> {
        if let Some(name) = given.keys().find(|name| !VARIABLES.contains(&name.as_str())) {
            return Err(io::Error::other(format!("it gives the variable {name:?}")));
        }
        let folder = tempfile::Builder::new().prefix("duet-agent-").tempdir()?;
        let mut command = (options.worker)(folder.path());
        let own = OWN_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.env_clear().envs(own).envs(given).current_dir(folder.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let (lines, taken) = std::sync::mpsc::channel::<Box<RawValue>>();
        std::thread::spawn(move || {
            for line in taken {
                let written = input.write_all(line.get().as_bytes());
                if written.and_then(|()| input.write_all(b"\n")).is_err() {
                    return;
                }
            }
        });
        let said = said.clone();
        std::thread::spawn(move || {
            for line in io::BufReader::new(output).lines() {
                let raw = line.ok().and_then(|line| RawValue::from_string(line).ok());
                let Some(raw) = raw else { break };
                if said.send(FromAgent::Worker(raw)).is_err() {
                    return;
                }
            }
            drop(said.send(FromAgent::Exited("its worker process ended".into())));
        });
        Ok(Self { child, lines, _folder: folder })
    }

    /// Ends the worker: by the end of its input, which it takes for the end of the run.
    async fn end(mut self) {
        let (closed, _) = std::sync::mpsc::channel();
        self.lines = closed;
        let until = Instant::now() + LAST_SECONDS;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Hosted {
    /// A worker that has ended is not touched by this.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The clocks now.
fn clocks() -> Clocks {
    let ns = |length: Duration| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Clocks { monotonic_ns: ns(monotonic_now()), unix_ns: ns(since) }
}
