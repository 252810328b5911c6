//! One attempt to connect to one endpoint: with TLS, without, or both in sequence.

use std::future::poll_fn;

use crate::Result;
use tokio_postgres::config::{SslMode as DriverMode, SslNegotiation};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::aim::{Attempt, Between};
use super::canceller::Canceller;
use super::connected::{EstablishedConnection, Running};
use super::failure::Failure;
use super::handshake::{TlsSocket, WatchedConnector};
use super::hearer::Hearer;
use super::socket::{self, Socket};
use super::transport::Transport;
use crate::ConnectionSettings;
use crate::hosts::Address;
use crate::session::{Server, Session};
use crate::streams::gated::GatedStream;
use crate::tls::SslMode;

/// The connection, or the reason that there is none.
type Outcome<T = EstablishedConnection> = Result<T, Failure>;

/// The driver's part of a connection.
type Connection = tokio_postgres::Connection<GatedStream<Socket>, GatedStream<TlsSocket>>;

impl Attempt<'_> {
    /// Tries the modes in order.
    ///
    /// # Errors
    /// The outer error is a setting that is wrong for every server.
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let transports = self.transports();
        let tls = transports.iter().any(|transport| *transport != Transport::Plain);
        let tls = tls.then(|| self.settings.tls.load()).transpose()?;
        let mut before: Option<Failure> = None;
        for (index, transport) in transports.iter().enumerate() {
            match self.in_time(*transport, tls.as_ref()).await {
                Ok(connection) => return Ok(Ok(connection)),
                Err(failure) => {
                    let over = index + 1 == transports.len() || !failure.other_way_may_do();
                    let failure = match before.take() {
                        Some(before) => before.then(failure, *transport),
                        None => failure,
                    };
                    if over {
                        return Ok(Err(failure));
                    }
                    before = Some(failure);
                }
            }
        }
        // There is always a mode; the compiler does not know.
        Ok(Err(before.unwrap_or_else(|| Failure::timed_out(self))))
    }

    /// Sockets never use TLS: PostgreSQL does not offer it there.
    fn transports(&self) -> &'static [Transport] {
        match (&self.endpoint.address, self.settings.tls.mode) {
            (Address::Socket(_), _) | (_, SslMode::Disable) => &[Transport::Plain],
            (_, SslMode::Allow) => &[Transport::Plain, Transport::Tls],
            (_, SslMode::Prefer) => &[Transport::TlsIfOffered, Transport::Plain],
            (_, SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull) => &[Transport::Tls],
        }
    }

    async fn in_time(&self, transport: Transport, tls: Option<&MakeRustlsConnect>) -> Outcome {
        match self.settings.connect_timeout {
            None => self.once(transport, tls).await,
            Some(limit) => match tokio::time::timeout(limit, self.once(transport, tls)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(Failure::timed_out(self)),
            },
        }
    }

    async fn once(&self, transport: Transport, tls: Option<&MakeRustlsConnect>) -> Outcome {
        let password = self.settings.password(self.host);
        let mut config = self.config(transport);
        if let Some(password) = &password {
            config.password(password.reveal());
        }
        let watched = WatchedConnector::new(tls.filter(|_| transport != Transport::Plain).cloned());
        let failed = |error: tokio_postgres::Error| {
            Failure::driver(self, &error, transport, watched.stage(), password.is_some())
        };
        let socket = socket::open(self.settings, self.endpoint).await;
        let socket = socket.map_err(|error| Failure::socket(self, &error))?;
        let socket = match self.between.wrap {
            Some(wrap) => wrap(socket),
            None => socket,
        };
        // The response to the request for TLS is one byte; with TLS, the gate moves above it.
        let asks = transport != Transport::Plain && !self.settings.tls.direct;
        let Between { gate, handover, .. } = self.between;
        let (to, gate) = (handover.clone(), gate.clone());
        let socket = GatedStream::handed_over(Socket(socket), to, gate, usize::from(asks));
        let tls = watched.connect(self.endpoint.name());
        let (client, mut connection) = config.connect_raw(socket, tls).await.map_err(failed)?;
        self.check(&client, &mut connection).await?;
        let canceller =
            Canceller::new(self.settings, self.endpoint, transport, client.cancel_token());
        let running: Running = match &self.between.hearer {
            Some(hearer) => Box::pin(hear(connection, hearer.clone())),
            None => Box::pin(connection),
        };
        Ok(EstablishedConnection { client, running, canceller, host: self.position })
    }

    fn config(&self, transport: Transport) -> Config {
        let ConnectionSettings { user, database, application_name, .. } = &**self.settings;
        let mut config = Config::new();
        config.user(user).dbname(database);
        application_name.as_ref().map(|name| config.application_name(name));
        config.ssl_mode(match transport {
            Transport::Plain => DriverMode::Disable,
            Transport::TlsIfOffered => DriverMode::Prefer,
            Transport::Tls => DriverMode::Require,
        });
        if self.settings.tls.direct {
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        config.channel_binding(self.settings.channel_binding);
        self.settings.options.as_ref().map(|options| config.options(options));
        config
    }

    /// Checks that the server is new enough and of the required kind.
    async fn check(&self, client: &Client, connection: &mut Connection) -> Outcome<()> {
        if let Some(version) = connection.parameter("server_version")
            && is_too_old(version)
        {
            return Err(Failure::too_old(self, version));
        }
        if self.wanted == Session::Any {
            return Ok(());
        }
        let reported = |name: &str| connection.parameter(name).map(|value| value == "on");
        let server = match Server::reported(reported) {
            Some(server) => Ok(server),
            None => tokio::select! {
                biased;
                answer = Server::detect(client) => answer,
                end = connection => Err(match end {
                    Err(error) => error,
                    Ok(()) => return Err(Failure::closed(self)),
                }),
            },
        };
        let server = server.map_err(|error| Failure::session(self, &error))?;
        if self.wanted.accepts(server) {
            return Ok(());
        }
        Err(Failure::session(self, &server.refusal(self.wanted)))
    }
}

/// Moves the bytes of a connection, and passes its notifications on.
async fn hear(mut connection: Connection, hearer: Hearer) -> Result<(), tokio_postgres::Error> {
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(told) = message? {
            hearer(told.channel(), told.payload());
        }
    }
    Ok(())
}

/// Whether a version, such as `12.17 (Debian 12.17-1)`, is below the minimum. A version that is not
/// a number is another engine's, which is accepted.
fn is_too_old(version: &str) -> bool {
    const LEAST: u32 = 13;
    let digits = version.bytes().take_while(u8::is_ascii_digit).count();
    version[..digits].parse::<u32>().is_ok_and(|major| major < LEAST)
}
