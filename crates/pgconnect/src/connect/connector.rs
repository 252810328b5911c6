//! Makes connections: tries the hosts in order, each with its addresses.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::{Error, Result};

use super::aim::{Attempt, Between};
use super::connected::EstablishedConnection;
use super::failure::{Failure, Failures};
use super::hearer::Hearer;
use crate::ConnectionSettings;
use crate::hosts::Host;
use crate::replication::connection::Replication;
use crate::session::Session;
use crate::streams::duplex::Wrap;
use crate::streams::gate::Gate;
use crate::streams::handover::Handover;
use crate::tls::SslMode;

/// A setting that means nothing to the server, which keeps it for the session.
const MARK: &str = "duet.direct";

/// Whether a connection was refused because of it, as by pgbouncer: `unsupported startup parameter: options`.
fn refuses_the_mark(error: &Error) -> bool {
    let texts = [Some(error.message.as_str()), error.cause.as_deref()];
    texts.into_iter().flatten().any(|text| text.contains("startup parameter"))
}

impl ConnectionSettings {
    /// Creates the connector of these settings. It reads the certificates once, so that a wrong
    /// file is detected now and not at the first request.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::ErrorKind::Setting) if a certificate, key or revocation list cannot be used.
    pub fn connector(&self) -> Result<Connector> {
        Connector::new(self.clone())
    }
}

/// Makes connections with the same settings; cheap to clone.
#[derive(Clone, Debug)]
pub struct Connector {
    settings: Arc<ConnectionSettings>,
}

impl Connector {
    pub(crate) fn new(settings: ConnectionSettings) -> Result<Self> {
        let certainly_tcp = settings.hosts.iter().any(Host::is_tcp);
        if certainly_tcp && settings.tls.mode != SslMode::Disable {
            settings.tls.load()?;
        }
        Ok(Self { settings: Arc::new(settings) })
    }

    /// The settings.
    pub fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    /// The longest time of [`Connector::connect`], over all hosts; `None` if it is unlimited.
    pub fn patience(&self) -> Option<Duration> {
        let hosts = u32::try_from(self.settings.hosts.len()).unwrap_or(u32::MAX).max(1);
        self.settings.connect_timeout.map(|limit| limit.saturating_mul(hosts))
    }

    /// Connects to this host of the list alone ([`EstablishedConnection::host`]), which is the only one of
    /// the new list.
    #[must_use]
    pub fn of_host(&self, host: usize) -> Self {
        let mut settings = ConnectionSettings::clone(&self.settings);
        settings.hosts = settings.hosts.into_iter().skip(host).take(1).collect();
        Self { settings: Arc::new(settings) }
    }

    /// Whether only a server is wanted that takes no writes of this session (`target_session_attrs=read-only`).
    pub fn wants_read_only(&self) -> bool {
        self.settings.session == Session::ReadOnly
    }

    /// Whether there are several hosts, of which the first that serves is taken: then another one than before
    /// says that the one before did not answer.
    pub fn prefers_hosts(&self) -> bool {
        self.settings.hosts.len() > 1 && !self.settings.shuffle
    }

    /// Connects: reads certificates and the password file again, looks up names, and tries the
    /// hosts in order (at random with `load_balance_hosts=random`).
    ///
    /// It tries the next host if one is unreachable, starting, or not of the required kind; it
    /// stops if one rejects the user or has a wrong certificate.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind): the hosts' errors, or
    /// [`Setting`](crate::ErrorKind::Setting) if a file of certificates cannot be used. Messages
    /// name settings, never their values; the cause has hosts, addresses and their errors, for the
    /// log.
    pub async fn connect(&self) -> Result<EstablishedConnection> {
        self.try_hosts(&Between::default()).await
    }

    /// As [`Connector::connect`], with sockets wrapped by `wrap`, below TLS: to count their bytes,
    /// for example.
    ///
    /// # Errors
    /// As [`Connector::connect`].
    pub async fn connect_through(&self, wrap: Wrap<'_>) -> Result<EstablishedConnection> {
        self.try_hosts(&Between { wrap: Some(wrap), ..Between::default() }).await
    }

    /// As [`Connector::connect`], with a gate that decides about each large row before its bytes
    /// are buffered.
    ///
    /// # Errors
    /// As [`Connector::connect`].
    pub async fn connect_gated(&self, gate: Gate) -> Result<EstablishedConnection> {
        self.try_hosts(&Between { gate: Some(gate), ..Between::default() }).await
    }

    /// As [`Connector::connect`], for a connection that listens: what the server sends by `NOTIFY` is heard while
    /// [`EstablishedConnection::running`] runs, which must not be held up.
    ///
    /// # Errors
    /// As [`Connector::connect`].
    pub async fn connect_heard(&self, hearer: Hearer) -> Result<EstablishedConnection> {
        self.try_hosts(&Between { hearer: Some(hearer), ..Between::default() }).await
    }

    /// Connects in the replication mode, in which the server sends the changes of the database.
    ///
    /// # Errors
    /// As [`Connector::connect`]. The server refuses users without the attribute `REPLICATION`.
    pub async fn connect_replication(&self) -> Result<Replication> {
        let handover = Handover::default();
        let between = Between { handover: Some(handover.clone()), ..Between::default() };
        // The driver gives the stream away as it is dropped; it has nothing more to send.
        drop(self.try_hosts(&between).await?);
        let stream = handover.take().ok_or_else(|| Error::internal("no stream was handed over"))?;
        Ok(Replication::new(stream))
    }

    /// Whether the server itself answers, and no pooler that lends its connections: such a one takes settings of a
    /// session's start only where it can give them to each of its clients, so it refuses this one, or loses it.
    /// That does not depend on how busy it is. Makes one connection, and closes it.
    ///
    /// # Errors
    /// As [`Connector::connect`].
    pub async fn is_direct(&self) -> Result<bool> {
        let mut settings = ConnectionSettings::clone(&self.settings);
        let own = settings.options.unwrap_or_default();
        settings.options = Some(format!("{own} -c {MARK}=on").trim_start().to_owned());
        let marked = Self { settings: Arc::new(settings) };
        let EstablishedConnection { client, running, .. } = match marked.connect().await {
            Ok(connected) => connected,
            Err(error) if refuses_the_mark(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        let asked = async move {
            let sql = format!("SELECT pg_catalog.current_setting('{MARK}', true) = 'on'");
            let row = client.query_one(&sql, &[]).await;
            row.is_ok_and(|row| row.try_get::<_, Option<bool>>(0).ok().flatten() == Some(true))
        };
        // The connection moves its bytes while the question is asked, and ends with the client.
        let (is_marked, _) = tokio::join!(asked, running);
        Ok(is_marked)
    }

    /// Boxed here, so that callers hold neither its code nor its state.
    fn try_hosts<'a>(
        &'a self,
        between: &'a Between<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<EstablishedConnection>> + Send + 'a>> {
        Box::pin(self.try_each_host(between))
    }

    async fn try_each_host(&self, between: &Between<'_>) -> Result<EstablishedConnection> {
        let mut failures = Failures::default();
        for wanted in self.settings.session.passes() {
            for (position, host) in self.in_order()? {
                let endpoints = match host.endpoints().await {
                    Ok(endpoints) => endpoints,
                    Err(error) => {
                        failures.push(Failure::lookup(&host.target.to_string(), &error));
                        continue;
                    }
                };
                for endpoint in self.shuffled(endpoints)? {
                    let settings = &self.settings;
                    let (endpoint, wanted) = (&endpoint, *wanted);
                    let attempt = Attempt { settings, host, position, endpoint, wanted, between };
                    match attempt.run().await? {
                        Ok(connection) => return Ok(connection),
                        Err(failure) if failure.is_final() => {
                            return Err(failures.ending_with(failure));
                        }
                        Err(failure) => failures.push(failure),
                    }
                }
            }
        }
        Err(failures.into_error())
    }

    fn in_order(&self) -> Result<Vec<(usize, &Host)>> {
        self.shuffled(self.settings.hosts.iter().enumerate().collect())
    }

    /// In random order if configured (Fisher and Yates' shuffle).
    fn shuffled<T>(&self, mut list: Vec<T>) -> Result<Vec<T>> {
        if self.settings.shuffle {
            for last in (1..list.len()).rev() {
                let random = getrandom::u32().map_err(Error::internal)? as usize;
                list.swap(last, random % (last + 1));
            }
        }
        Ok(list)
    }
}
