//! Connecting, with Duet's errors: settings and connections are [`duet_pgconnect`]'s, which knows no code of ours.

use std::time::Duration;

use duet_model::{Code, Error, Place, Result};
use duet_pgconnect::{
    ErrorKind, EstablishedConnection, Gate, Replication, ServerPlace, SettingPlace,
};
use tokio_postgres::Client;

pub use duet_pgconnect::{Environment, Hearer, Running, Unverified};

use super::confinement;
use super::sqlstate;
use crate::wire::{Meter, Metered};

/// The settings of connections to one database; see [`duet_pgconnect::ConnectionSettings`].
#[derive(Clone, Debug)]
pub struct Settings(duet_pgconnect::ConnectionSettings);

impl Settings {
    /// Reads a connection string, and completes it from the environment and the files that it names.
    ///
    /// # Errors
    /// [`Code::Setting`], naming the parameter.
    pub fn from_url(url: &str, environment: Environment<'_>) -> Result<Self> {
        let settings =
            duet_pgconnect::ConnectionSettings::from_url(url, environment).map_err(error_of)?;
        Ok(Self(settings.or_application_name("duet")))
    }

    /// The URL without its secrets, for logs and messages to the operator.
    pub fn describe(&self) -> String {
        self.0.describe()
    }

    /// Whether the first host is reached by a socket of this machine.
    pub fn is_by_socket(&self) -> bool {
        self.0.is_by_socket()
    }

    /// The server's hosts and ports: equal for two databases of one server, if both are named alike.
    pub fn server(&self) -> String {
        self.0.server()
    }

    /// The database's name.
    pub fn database(&self) -> &str {
        self.0.database()
    }

    /// The user to connect as.
    pub fn user(&self) -> &str {
        self.0.user()
    }

    /// The SCRAM verifier of the password, if there is one.
    pub(crate) fn verifier(&self) -> Option<String> {
        self.0.verifier()
    }

    /// What the operator should know, in whole sentences.
    pub fn warnings(&self) -> &[String] {
        self.0.warnings()
    }

    /// What makes connections with these settings.
    ///
    /// # Errors
    /// [`Code::Setting`] if a certificate, key or revocation list cannot be used.
    pub fn connector(&self) -> Result<PostgresConnector> {
        self.0.connector().map(PostgresConnector).map_err(error_of)
    }
}

/// Makes connections with the same settings; cheap to clone.
#[derive(Clone, Debug)]
pub struct PostgresConnector(duet_pgconnect::Connector);

impl PostgresConnector {
    /// Whether this process may connect to each of its hosts.
    pub(crate) fn allowed(&self) -> std::result::Result<(), String> {
        self.0.settings().places().iter().try_for_each(|place| match place {
            ServerPlace::Tcp(host, port) => confinement::allows_host(host, *port),
            ServerPlace::Socket(folder) => confinement::allows_socket(folder),
        })
    }

    /// How long [`PostgresConnector::connect`] may take, all hosts together; `None` where it waits without end.
    pub fn patience(&self) -> Option<Duration> {
        self.0.patience()
    }

    /// Whether the server itself answers, and no pooler that lends its connections.
    ///
    /// # Errors
    /// As [`PostgresConnector::connect`].
    pub async fn is_direct(&self) -> Result<bool> {
        self.0.is_direct().await.map_err(error_of)
    }

    /// Connects to the first host that serves.
    ///
    /// # Errors
    /// - [`Code::DatabaseUnavailable`] if no host can be reached, with `retry_after` unless an operator has to
    ///   change something first;
    /// - [`Code::Overloaded`] if it takes no more connections;
    /// - [`Code::DatabaseDenied`] if it refuses the user;
    /// - [`Code::Setting`] if a file of certificates cannot be used, or the server is too old.
    pub async fn connect(&self) -> Result<(Client, Running)> {
        let connected = self.0.connect().await.map_err(error_of)?;
        Ok((connected.client, connected.running))
    }

    /// The same, with the host that it is.
    ///
    /// # Errors
    /// As [`PostgresConnector::connect`].
    pub async fn connect_known(&self) -> Result<EstablishedConnection> {
        self.0.connect().await.map_err(error_of)
    }

    /// Connects to one host of the list alone.
    pub fn of_host(&self, host: usize) -> Self {
        Self(self.0.of_host(host))
    }

    /// Whether the settings want a server that takes no writes.
    pub fn wants_read_only(&self) -> bool {
        self.0.wants_read_only()
    }

    /// Whether there are several hosts, of which the first that serves is taken.
    pub fn prefers_hosts(&self) -> bool {
        self.0.prefers_hosts()
    }

    /// The same, with what cancels a statement; a gate decides about large rows.
    ///
    /// # Errors
    /// As [`PostgresConnector::connect`].
    pub async fn connect_gated(&self, gate: Gate) -> Result<EstablishedConnection> {
        self.0.connect_gated(gate).await.map_err(error_of)
    }

    /// Connects in the replication mode.
    ///
    /// # Errors
    /// As [`duet_pgconnect::Connector::connect_replication`].
    pub async fn connect_replication(
        &self,
    ) -> std::result::Result<Replication, duet_pgconnect::Error> {
        self.0.connect_replication().await
    }

    /// As [`PostgresConnector::connect_known`]; what the server sends by `NOTIFY` is heard.
    ///
    /// # Errors
    /// As [`PostgresConnector::connect`].
    pub async fn connect_heard(&self, hearer: Hearer) -> Result<EstablishedConnection> {
        self.0.connect_heard(hearer).await.map_err(error_of)
    }

    /// The same; what goes over the wire is counted.
    ///
    /// # Errors
    /// As [`PostgresConnector::connect`].
    pub(crate) async fn connect_metered(&self, meter: &Meter) -> Result<(Client, Running)> {
        let wrap = |socket| Box::new(Metered::new(socket, meter.clone())) as _;
        let connected = self.0.connect_through(&wrap).await.map_err(error_of)?;
        Ok((connected.client, connected.running))
    }
}

/// Duet's error, which names Duet's settings.
fn error_of(error: duet_pgconnect::Error) -> Error {
    let duet_pgconnect::Error { kind, message, hint, place, cause } = error;
    let (message, hint) = match kind {
        ErrorKind::Internal => return Error::internal(cause.unwrap_or_default()),
        ErrorKind::TooOld => {
            ("The PostgreSQL server is too old: Duet needs version 13 or later.".to_owned(), hint)
        }
        ErrorKind::Full => {
            let hint = "Raise `max_connections`, or use fewer connections (`--db-connections`).";
            (message, Some(hint.to_owned()))
        }
        _ => (message, hint),
    };
    let mut error = Error::new(code_of(kind), message).maybe_hint(hint);
    error.place = place.map(place_of);
    error.cause = cause;
    if kind.is_transient() { error.retry_after(sqlstate::RETRY_SECONDS) } else { error }
}

fn code_of(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::Setting | ErrorKind::TooOld => Code::Setting,
        ErrorKind::Unreachable
        | ErrorKind::NotReady
        | ErrorKind::OtherKind
        | ErrorKind::NoTls
        | ErrorKind::Handshake
        | ErrorKind::Certificate(_) => Code::DatabaseUnavailable,
        ErrorKind::Full => Code::Overloaded,
        ErrorKind::ClientCertificate
        | ErrorKind::NoPassword
        | ErrorKind::WrongPassword
        | ErrorKind::Refused
        | ErrorKind::Authentication
        | ErrorKind::NoDatabase
        | ErrorKind::Other => Code::DatabaseDenied,
        ErrorKind::Internal => Code::Internal,
    }
}

fn place_of(place: SettingPlace) -> Place {
    match place {
        SettingPlace::Parameter(name) => Place::Parameter(name),
        SettingPlace::Offset(at) => Place::Offset(at),
        SettingPlace::Line(line) => Place::Line { line, column: 1 },
    }
}

#[cfg(test)]
mod tests {
    use duet_pgconnect::{Error as ConnectError, Objection};

    use super::*;

    fn meant(kind: ErrorKind) -> Error {
        let (message, hint) = ("message".to_owned(), Some("hint".to_owned()));
        let place = Some(SettingPlace::Line(3));
        error_of(ConnectError { kind, message, hint, place, cause: Some("cause".into()) })
    }

    #[test]
    fn each_kind_has_its_code() {
        for (kind, code, retries) in [
            (ErrorKind::Setting, Code::Setting, false),
            (ErrorKind::Unreachable, Code::DatabaseUnavailable, true),
            (ErrorKind::OtherKind, Code::DatabaseUnavailable, true),
            (ErrorKind::Certificate(Objection::Name), Code::DatabaseUnavailable, false),
            (ErrorKind::Full, Code::Overloaded, true),
            (ErrorKind::WrongPassword, Code::DatabaseDenied, false),
            (ErrorKind::TooOld, Code::Setting, false),
        ] {
            let error = meant(kind);
            assert_eq!((error.code, error.retry_after.is_some()), (code, retries), "{kind:?}");
            assert_eq!(error.cause.as_deref(), Some("cause"), "{kind:?}");
            assert_eq!(error.place, Some(Place::Line { line: 3, column: 1 }), "{kind:?}");
        }
        assert_eq!(meant(ErrorKind::Internal), Error::internal("cause"));
    }

    #[test]
    fn errors_name_the_settings_of_duet() {
        let of = |kind| meant(kind).to_string();
        assert_eq!(of(ErrorKind::Refused), "DUET-6006: message hint");
        assert_eq!(
            of(ErrorKind::TooOld),
            "DUET-5001: The PostgreSQL server is too old: Duet needs version 13 or later. hint"
        );
        assert_eq!(
            of(ErrorKind::Full),
            "DUET-6002: message Raise `max_connections`, or use fewer connections (`--db-connections`)."
        );
    }
}
