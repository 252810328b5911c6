//! The options of a server.

pub(crate) mod agents;
pub(crate) mod console;
pub(crate) mod live;
pub(crate) mod webhooks;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use duet_auth::{DEFAULT_LIFETIME, RateSettings};
use duet_model::Result;
use duet_model::memory::Budget;
use duet_service::{Applications, KeptPath, Pace};
use hyper::header::HeaderName;
use ipnet::IpNet;

use crate::message::agent_paths::AGENTS;
use crate::message::cors::CorsOptions;
use crate::message::forwarded::{ProxyHeaders, Trust};
use crate::observe::event::Observer;
use crate::recent_log::RecentLog;
use crate::sockets::instances::Instances;
use crate::sockets::listen::Listen;
use crate::sockets::tls::TlsFiles;
use agents::AgentOptions;
use console::ConsoleOptions;
use live::LiveOptions;
use webhooks::WebhookReach;

/// The form of the access log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessLog {
    /// None.
    #[default]
    Off,
    /// A line of text per request.
    Text,
    /// A JSON object per line.
    Json,
}

/// Limits on what clients send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Bytes of a request's target (path and query); at most [`HttpLimits::LONGEST_TARGET`].
    pub uri_bytes: usize,
    /// Bytes of a request's head: request line and headers.
    pub header_bytes: usize,
    /// Headers of a request.
    pub headers: usize,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// Threads that read large bodies and write descriptions, all workers together.
    pub parse_threads: usize,
    /// How long a request may wait for one of them.
    pub queue_timeout: Duration,
    /// Bytes of the body of a bulk load.
    pub load_bytes: u64,
    /// How long a bulk load may take.
    pub load_timeout: Duration,
    /// Concurrent connections, all workers together.
    pub connections: usize,
    /// Those of one address (an IPv4 address, a /64 network of IPv6); half of `connections` unless
    /// given. Loopback and trusted proxies have no such limit.
    pub connections_per_address: Option<usize>,
    /// Whether loopback addresses have the limit too, for tests.
    pub counts_loopback: bool,
    /// TLS handshakes under way, all workers together.
    pub tls_handshakes: usize,
    /// Whether HTTP/2 is served.
    pub http2: bool,
    /// Concurrent requests of an HTTP/2 connection.
    pub http2_streams: usize,
    /// Those of a connection on which no request has authenticated.
    pub http2_streams_unauthenticated: usize,
    /// Bytes of requests and responses of all such connections, beside one small one of each.
    pub unauthenticated_bytes: usize,
    /// Requests of an HTTP/2 connection that its client may cancel within a minute.
    pub http2_resets: usize,
    /// How long the head of a request may take, and how long a connection may idle.
    pub header_timeout: Duration,
    /// How long a stop still takes connections while it says that it is not ready.
    pub drain_delay: Duration,
    /// How long a stop waits for requests under way.
    pub drain_timeout: Duration,
    /// Turns of a worker's event loop that take longer are counted.
    pub long_turn: Duration,
}

impl HttpLimits {
    /// The HTTP library takes 65,534 bytes, over HTTP/2 with scheme and host, and ends a stream with more.
    pub const LONGEST_TARGET: usize = 63 << 10;
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            uri_bytes: Self::LONGEST_TARGET,
            header_bytes: 192 << 10,
            headers: 100,
            body_bytes: 16 << 20,
            parse_threads: 2,
            queue_timeout: Duration::from_secs(5),
            load_bytes: 1 << 40,
            load_timeout: Duration::from_secs(3600),
            connections: 10_000,
            connections_per_address: None,
            counts_loopback: false,
            tls_handshakes: 500,
            http2: true,
            http2_streams: 100,
            http2_streams_unauthenticated: 8,
            unauthenticated_bytes: 16 << 20,
            http2_resets: 200,
            header_timeout: Duration::from_secs(30),
            drain_delay: Duration::ZERO,
            drain_timeout: Duration::from_secs(30),
            long_turn: Duration::from_millis(50),
        }
    }
}

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where to listen; at least one.
    pub listen: Vec<Listen>,
    /// The certificate of the TCP listeners, which then speak TLS alone.
    pub tls: Option<TlsFiles>,
    /// Threads that serve requests.
    pub workers: usize,
    /// Which pages of other sites may read answers.
    pub cors: CorsOptions,
    /// Limits on what clients send.
    pub limits: HttpLimits,
    /// Bytes of requests and responses at a time, all workers together; the stores count the rows
    /// that they fetch in the same one.
    pub memory: Budget,
    /// Gives memory that the calling thread has freed back to the system.
    pub give_back: Option<fn()>,
    /// Proxies whose headers are believed: addresses, or whole networks.
    pub trusted_proxies: Vec<IpNet>,
    /// The headers in which they describe the client; others are ignored.
    pub proxy_headers: ProxyHeaders,
    /// Answers with more bytes are compressed for clients that take it; none never.
    pub compress_above: Option<usize>,
    /// What agents may do at `/mcp`; without it there is nothing.
    pub agents: Option<AgentOptions>,
    /// The console; none without one.
    pub console: Option<ConsoleOptions>,
    /// Whether `{mount}/_/constant/{bytes}` is served.
    pub trial_endpoints: bool,
    /// The access log, to standard output.
    pub access_log: AccessLog,
    /// Requests that take longer are logged with the statement that took longest.
    pub slow: Duration,
    /// The last lines of the log, for operators; none where they are not kept.
    pub recent_log: Option<RecentLog>,
    /// A further observer of events, apart from logs and metrics.
    pub observer: Option<Arc<dyn Observer>>,
    /// The other processes, where this is one of several that accept from the same sockets.
    pub instances: Option<Arc<dyn Instances>>,
    /// Whether answers say in `Server-Timing` what each step took.
    pub server_timing: bool,
    /// How long a token is good, in seconds.
    pub token_lifetime: u32,
    /// The header with API keys; without one they are bearer tokens alone.
    pub api_key_header: Option<HeaderName>,
    /// How often the schema is looked at, and clients that are kept in a database.
    pub schema_poll: Pace,
    /// Where webhooks may be sent.
    pub webhooks: WebhookReach,
    /// Wrong tokens per client address.
    pub bad_tokens: RateSettings,
    /// Failed requests to the token endpoint, per client address and per client id.
    pub token_requests: RateSettings,
    /// Limits of live changes.
    pub live: LiveOptions,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: vec![Listen::Tcp(SocketAddr::from(([127, 0, 0, 1], 8080)))],
            tls: None,
            workers: 1,
            cors: CorsOptions::default(),
            limits: HttpLimits::default(),
            memory: Budget::new(512 << 20),
            give_back: None,
            trusted_proxies: Vec::new(),
            proxy_headers: ProxyHeaders::default(),
            compress_above: Some(4 << 10),
            agents: None,
            console: None,
            trial_endpoints: false,
            access_log: AccessLog::Off,
            slow: Duration::from_secs(1),
            recent_log: None,
            observer: None,
            instances: None,
            server_timing: false,
            token_lifetime: DEFAULT_LIFETIME,
            api_key_header: Some(HeaderName::from_static("x-api-key")),
            schema_poll: Pace::USUAL,
            webhooks: WebhookReach::default(),
            bad_tokens: RateSettings::BAD_TOKENS,
            token_requests: RateSettings::TOKEN_ENDPOINT,
            live: LiveOptions::default(),
        }
    }
}

impl ServeOptions {
    /// The proxies that are believed, and how they speak.
    pub(crate) fn trust(&self) -> Trust<'_> {
        Trust { proxies: &self.trusted_proxies, headers: self.proxy_headers }
    }

    /// Where the server itself answers because an option says so.
    fn kept_paths(&self) -> impl Iterator<Item = KeptPath> {
        let console = self.console.as_ref().map(|console| console.base.to_string());
        let agents = self.agents.as_ref().map(|_| AGENTS.to_owned());
        let console = console.map(|path| KeptPath { path, setting: "console" });
        console.into_iter().chain(agents.map(|path| KeptPath { path, setting: "mcp" }))
    }

    /// Keeps the server's own paths from applications.
    ///
    /// # Errors
    /// Where one of them serves something there.
    pub fn keep_paths(&self, applications: &Applications) -> Result<()> {
        self.kept_paths().try_for_each(|path| applications.keep(path))
    }

    /// Bytes that an open connection holds while no request of it is under way: measured with
    /// thousands of them, with and without TLS.
    pub(crate) fn connection_bytes(&self) -> usize {
        if self.tls.is_some() { 28 << 10 } else { 12 << 10 }
    }

    /// How many connections may be open: as many as the limit says, but they hold no more than half
    /// of the memory, so that some is left for requests.
    pub(crate) fn connections(&self) -> usize {
        let fit = self.memory.usage().limit / 2 / self.connection_bytes();
        self.limits.connections.min(fit).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_hold_at_most_half_of_the_memory() {
        let of = |memory, connections| {
            let limits = HttpLimits { connections, ..HttpLimits::default() };
            let memory = Budget::new(memory);
            ServeOptions { memory, limits, ..ServeOptions::default() }.connections()
        };
        assert_eq!(of(512 << 20, 10_000), 10_000);
        assert_eq!(of(96 << 20, 10_000), 4_096);
        assert_eq!(of(96 << 20, 100), 100);
        assert_eq!(of(1, 100), 1);
    }
}
