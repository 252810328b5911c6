//! The agents of a run, as the run sees them: connections to each, their clocks, and their workers.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use duet_verdict::outcome::Outcome;
use duet_verdict::result::{AgentResult, HostFacts};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::agent::VARIABLES;
use super::clock::{ClockOffset, EXCHANGES, Exchange};
use super::identity::Identity;
use super::message::{
    BEAT, Clocks, FromAgent, Greeting, Hello, LONGEST, SILENCE, ToAgent, line_of, other_build,
    read_line,
};
use crate::clock::{monotonic_now, on_monotonic_clock};
use crate::facts;
use crate::run::{LEAD, Wire, Worker, Workers};
use crate::workload::Failed;

/// The variables of libpq that name files: agents do not have these.
const FILES: [&str; 8] = [
    "PGPASSFILE",
    "PGSERVICE",
    "PGSERVICEFILE",
    "PGSSLCERT",
    "PGSSLKEY",
    "PGSSLROOTCERT",
    "PGSSLCRL",
    "PGSSLCRLDIR",
];
/// An agent that ended, or ended the connection.
const CLOSED: &str = "it closed the connection: see its output";
/// The default port of agents.
pub const PORT: u16 = 7070;

/// The address of an agent.
///
/// ```
/// use duet_bench::agents::AgentAddress;
///
/// let agent: AgentAddress = "gen1.example".parse()?;
/// assert_eq!(agent.to_string(), "gen1.example:7070");
/// # Ok::<_, String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAddress {
    host: String,
    port: u16,
}

impl fmt::Display for AgentAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(out, "[{}]:{}", self.host, self.port),
            false => write!(out, "{}:{}", self.host, self.port),
        }
    }
}

impl FromStr for AgentAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no HOST or HOST:PORT");
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(wrong)?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| wrong())?,
            None if port.is_empty() => PORT,
            None => return Err(wrong()),
        };
        match ServerName::try_from(host) {
            Ok(_) => Ok(Self { host: host.to_owned(), port }),
            Err(_) => Err(wrong()),
        }
    }
}

/// Why an agent is refused that has been named already.
const TWICE: &str = "and would count twice: name each agent once";

impl AgentAddress {
    /// The agents that are named more than once, as a sentence.
    pub fn repeated(agents: &[Self]) -> Option<String> {
        let mut repeated: Vec<String> = Vec::new();
        for (place, agent) in agents.iter().enumerate() {
            let name = agent.to_string();
            if agents[..place].contains(agent) && !repeated.contains(&name) {
                repeated.push(name);
            }
        }
        let are = if repeated.len() == 1 { "is" } else { "are" };
        (!repeated.is_empty())
            .then(|| format!("{} {are} named twice, {TWICE}", repeated.join(", ")))
    }
}

/// The agents of runs. A layout's processes go to them by turns.
pub struct Fleet {
    agents: Vec<AgentAddress>,
    tls: Arc<ClientConfig>,
    /// What this program was built of, and how.
    build: String,
    /// Drives all connections on a thread of its own.
    runtime: Handle,
    /// What was found out about each agent in the current run.
    facts: Arc<Mutex<BTreeMap<usize, AgentFacts>>>,
    /// The name of the current run.
    run: Mutex<String>,
}

/// What was found out about an agent.
#[derive(Clone, Debug, Default)]
struct AgentFacts {
    host: HostFacts,
    /// The agent, which may have several addresses.
    agent: String,
    processes: Vec<u32>,
    /// The least certain offset of its connections before the run.
    before: Option<ClockOffset>,
    /// The largest drift of its connections; `None` where a clock could not be read after the run.
    drift: Option<Duration>,
}

impl Fleet {
    /// A fleet of these agents; nothing is connected yet. `build` says what this program was built of, and how:
    /// agents of another build are refused.
    ///
    /// # Errors
    /// If an agent is named twice, the identity cannot be used, or the environment names files that agents do not
    /// have.
    pub fn new(
        agents: Vec<AgentAddress>,
        identity: Identity,
        build: String,
    ) -> Result<Self, String> {
        if let Some(why) = AgentAddress::repeated(&agents) {
            return Err(why);
        }
        let files: Vec<&str> =
            FILES.into_iter().filter(|name| std::env::var_os(name).is_some()).collect();
        if !files.is_empty() {
            return Err(format!(
                "agents do not have the files of {}: unset them",
                files.join(", ")
            ));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        let (facts, run) = (Arc::default(), Mutex::default());
        Ok(Self { agents, tls: identity.of_run()?, build, runtime: handle, facts, run })
    }

    /// The number of its agents.
    pub fn len(&self) -> usize {
        self.agents.len()
    }

    /// Whether it has no agent.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// The address of the agent that runs a process.
    pub fn agent_of(&self, process: u32) -> Option<String> {
        let place = process as usize % self.agents.len().max(1);
        self.agents.get(place).map(ToString::to_string)
    }

    /// Begins another run: agents take the connections of one run at a time.
    pub fn begin_run(&self) {
        let name = format!("{:08x}", fastrand::u32(..));
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = name;
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The agents that took part in the current run, as its result shows them.
    pub fn results(&self) -> Vec<AgentResult> {
        let micros = |length: Duration| length.as_nanos() as f64 / 1000.0;
        let row = |(place, facts): (&usize, &AgentFacts)| AgentResult {
            address: self.agents.get(*place).map(ToString::to_string).unwrap_or_default(),
            host: facts.host.clone(),
            processes: facts.processes.clone(),
            clock_uncertainty_us: facts.before.map_or(0.0, |offset| micros(offset.uncertainty)),
            clock_drift_us: facts.drift.map(micros),
            time_difference_ms: facts.before.map_or(0.0, |offset| offset.time_ns as f64 / 1e6),
        };
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).iter().map(row).collect()
    }

    async fn connect(&self, process: u32) -> Result<(Link, Greeting, ClockOffset), String> {
        let place = process as usize % self.agents.len();
        let agent = &self.agents[place];
        let opened = TcpStream::connect((agent.host.as_str(), agent.port)).await;
        let stream = opened.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let name = ServerName::try_from(agent.host.clone()).map_err(|error| error.to_string())?;
        let session = TlsConnector::from(self.tls.clone()).connect(name, stream).await;
        let session = session.map_err(|error| format!("{error}: see `duet bench agent --init`"))?;
        let (reader, mut writer) = tokio::io::split(session);
        let mut reader = BufReader::new(reader);
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let host = facts::host_name().unwrap_or_default();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let hello = ToAgent::Hello(Hello { version, build: self.build.clone(), run, host });
        let welcome = ask(&mut reader, &mut writer, &hello).await?;
        let greeting = match welcome {
            FromAgent::Welcome(greeting) => *greeting,
            FromAgent::Refused(why) => return Err(why),
            other => return Err(format!("it answers with {other:?}")),
        };
        if let Some(why) = other_build(&greeting.build, &self.build) {
            return Err(why);
        }
        let mut exchanges = Vec::new();
        while exchanges.len() < EXCHANGES {
            let asked = now_ns();
            match ask(&mut reader, &mut writer, &ToAgent::Clock).await? {
                FromAgent::Clock(theirs) => exchanges.push(exchange(asked, theirs)),
                other => return Err(format!("it answers with {other:?}")),
            }
        }
        let offset = ClockOffset::of(&exchanges).ok_or("its clock cannot be read")?;
        let carried = VARIABLES.iter().filter_map(|name| Some((*name, std::env::var(name).ok()?)));
        let environment = carried.map(|(name, value)| (name.to_owned(), value)).collect();
        send(&mut writer, &ToAgent::Begin { environment }).await?;
        let (name, facts) = (format!("the agent {agent}"), self.facts.clone());
        let (link, task) = Link::new(name, offset, Found { facts, place });
        self.runtime.spawn(task.carry(reader, writer));
        Ok((link, greeting, offset))
    }
}

impl Workers for Fleet {
    fn are_elsewhere(&self) -> bool {
        true
    }

    fn begin(&self, process: u32) -> Result<Worker, Failed> {
        let place = process as usize % self.agents.len().max(1);
        let failed = |why: String| {
            let agent = self.agents.get(place).map(ToString::to_string).unwrap_or_default();
            Failed::new(Outcome::Connection, format!("the agent {agent}: {why}"))
        };
        if self.agents.is_empty() {
            return Err(failed("there is none".into()));
        }
        let connected =
            self.runtime.block_on(async { timeout(SILENCE, self.connect(process)).await });
        let silent = |_| format!("no answer within {} s", SILENCE.as_secs());
        let (mut link, greeting, offset) =
            connected.map_err(silent).and_then(|it| it).map_err(failed)?;
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut others = facts.iter().filter(|(other, _)| **other != place);
        if let Some((other, _)) = others.find(|(_, facts)| facts.agent == greeting.agent) {
            return Err(failed(format!("it is the agent {} too, {TWICE}", self.agents[*other])));
        }
        let facts = facts.entry(place).or_default();
        (facts.host, facts.agent) = (greeting.host, greeting.agent);
        facts.processes.push(process);
        let least = facts.before.is_none_or(|before| before.uncertainty < offset.uncertainty);
        if least {
            facts.before = Some(offset);
        }
        let lines = std::mem::replace(&mut link.lines, channel().1);
        Ok(Worker { wire: Box::new(link), lines })
    }

    fn lead(&self) -> Duration {
        let facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let slowest = facts.values().filter_map(|it| it.before).map(|it| it.uncertainty).max();
        // The start takes half a round trip; a busy network may take some more.
        LEAD + slowest.unwrap_or_default() * 8
    }
}

/// Sends a message, and takes the next one that is no sign of life.
async fn ask(
    reader: &mut (impl AsyncBufRead + Unpin),
    writer: &mut (impl AsyncWrite + Unpin),
    message: &ToAgent,
) -> Result<FromAgent, String> {
    send(writer, message).await?;
    let mut line = Vec::new();
    loop {
        let read = read_line(reader, &mut line, LONGEST).await;
        if !read.map_err(|error| error.to_string())? {
            return Err(CLOSED.into());
        }
        match serde_json::from_slice(&line).map_err(|error| error.to_string())? {
            FromAgent::Alive => {}
            answer => return Ok(answer),
        }
    }
}

async fn send(writer: &mut (impl AsyncWrite + Unpin), message: &ToAgent) -> Result<(), String> {
    let sent = async {
        writer.write_all(&line_of(message)).await?;
        writer.flush().await
    };
    sent.await.map_err(|error: io::Error| error.to_string())
}

fn now_ns() -> u64 {
    u64::try_from(monotonic_now().as_nanos()).unwrap_or(u64::MAX)
}

fn exchange(asked: u64, theirs: Clocks) -> Exchange {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let here = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let there = i64::try_from(theirs.unix_ns).unwrap_or(i64::MAX);
    let time_difference = there.saturating_sub(here);
    Exchange { asked, theirs: theirs.monotonic_ns, answered: now_ns(), time_difference }
}

/// Where a link says what it found out about its agent's clock.
struct Found {
    facts: Arc<Mutex<BTreeMap<usize, AgentFacts>>>,
    place: usize,
}

/// The way to a worker of an agent.
struct Link {
    agent: String,
    offset: ClockOffset,
    out: Option<UnboundedSender<Vec<u8>>>,
    lines: Receiver<io::Result<String>>,
    clocks: Receiver<Exchange>,
    found: Found,
}

impl fmt::Debug for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.agent)
    }
}

/// The other end of a link, which carries its lines.
struct Carrier {
    out: UnboundedReceiver<Vec<u8>>,
    lines: std::sync::mpsc::Sender<io::Result<String>>,
    clocks: std::sync::mpsc::Sender<Exchange>,
}

impl Link {
    fn new(agent: String, offset: ClockOffset, found: Found) -> (Self, Carrier) {
        let (out, to_send) = unbounded_channel();
        let (line, lines) = channel();
        let (clock, clocks) = channel();
        let carrier = Carrier { out: to_send, lines: line, clocks: clock };
        (Self { agent, offset, out: Some(out), lines, clocks, found }, carrier)
    }

    /// Reads the clock once more.
    fn offset_now(&self) -> Option<ClockOffset> {
        let out = self.out.as_ref()?;
        let mut exchanges = Vec::new();
        while exchanges.len() < EXCHANGES {
            let asked = now_ns();
            out.send(line_of(&ToAgent::Clock)).ok()?;
            let exchange = self.clocks.recv_timeout(BEAT).ok()?;
            exchanges.push(Exchange { asked, ..exchange });
        }
        ClockOffset::of(&exchanges)
    }
}

impl Wire for Link {
    fn send(&mut self, line: &[u8]) -> io::Result<()> {
        let text = String::from_utf8(line.to_vec()).map_err(io::Error::other)?;
        let line = line_of(&ToAgent::Worker(RawValue::from_string(text)?));
        let out = self.out.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        out.send(line).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn on_its_clock(&self, moment: Instant) -> u64 {
        self.offset.theirs(on_monotonic_clock(moment))
    }

    fn conclude(&mut self) {
        let drift = self.offset_now().map(|now| now.drift_since(&self.offset));
        let mut facts = self.found.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let known = facts.entry(self.found.place).or_default();
        known.drift = known.drift.max(drift);
        drop(facts);
        // The agent is free for the next run once it has closed the connection.
        self.out = None;
        while self.clocks.recv_timeout(SILENCE).is_ok() {}
    }

    fn end(&mut self) -> String {
        self.out = None;
        "its connection ended".to_owned()
    }

    fn process_id(&self) -> Option<u32> {
        None
    }

    fn machine(&self) -> Option<&str> {
        Some(&self.agent)
    }
}

impl Carrier {
    /// Carries lines until one side ends; the reason is the last line.
    async fn carry(
        mut self,
        mut reader: impl AsyncBufRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
    ) {
        let (lines, clocks) = (self.lines.clone(), self.clocks);
        let reading = async move {
            let mut line = Vec::new();
            loop {
                let read = timeout(SILENCE, read_line(&mut reader, &mut line, LONGEST)).await;
                let gone = |_| io::Error::other(format!("silent for {} s", SILENCE.as_secs()));
                if !read.map_err(gone)?? {
                    return Err(io::Error::other(CLOSED));
                }
                match serde_json::from_slice(&line)? {
                    FromAgent::Alive | FromAgent::Welcome(_) => {}
                    FromAgent::Refused(why) => return Err(io::Error::other(why)),
                    FromAgent::Exited(how) => drop(lines.send(Err(io::Error::other(how)))),
                    FromAgent::Clock(theirs) => drop(clocks.send(exchange(0, theirs))),
                    FromAgent::Worker(line) => drop(lines.send(Ok(line.get().to_owned()))),
                }
            }
        };
        let writing = async move {
            let mut beat = tokio::time::interval(BEAT);
            let alive = line_of(&ToAgent::Alive);
            loop {
                let line = tokio::select! {
                    line = self.out.recv() => line,
                    _ = beat.tick() => Some(alive.clone()),
                };
                let Some(line) = line else { return writer.shutdown().await };
                let written = timeout(SILENCE, async {
                    writer.write_all(&line).await?;
                    writer.flush().await
                });
                written.await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            }
        };
        tokio::pin!(reading);
        let ended: io::Result<()> = tokio::select! {
            ended = &mut reading => ended,
            ended = writing => match ended {
                // The agent ends its worker, and closes.
                Ok(()) => reading.await,
                failed => failed,
            },
        };
        if let Err(error) = ended {
            let is_end = error.kind() == io::ErrorKind::UnexpectedEof;
            let error = if is_end { io::Error::other(CLOSED) } else { error };
            drop(self.lines.send(Err(error)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_named_once() {
        let repeated = |text: &str| {
            let agents: Vec<AgentAddress> = text.split(',').map(|it| it.parse().unwrap()).collect();
            AgentAddress::repeated(&agents)
        };
        assert_eq!(repeated("gen1,gen2,gen1:7071"), None);
        let expected = "gen1:7070 is named twice, and would count twice: name each agent once";
        assert_eq!(repeated("gen1,gen2,gen1:7070,gen1").unwrap(), expected);
        assert!(repeated("a,b,b,a").unwrap().starts_with("b:7070, a:7070 are named twice"));
    }

    #[test]
    fn addresses_of_agents() {
        for (text, shown) in [
            ("gen1", "gen1:7070"),
            ("gen1.example:80", "gen1.example:80"),
            ("10.0.0.1", "10.0.0.1:7070"),
            ("[::1]", "[::1]:7070"),
            ("[::1]:7", "[::1]:7"),
        ] {
            assert_eq!(text.parse::<AgentAddress>().unwrap().to_string(), shown);
        }
        for text in ["", ":7070", "h:", "h:x", "::1", "[::1]7", "a b"] {
            assert!(text.parse::<AgentAddress>().is_err(), "{text}");
        }
    }
}
