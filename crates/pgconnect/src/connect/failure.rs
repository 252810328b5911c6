//! Explains why a connection failed: the client and the operator get a sentence that names the
//! setting to check, the log gets hosts, addresses and every cause.

use std::error::Error as StdError;
use std::io;

use rustls::{AlertDescription, CertificateError, Error as TlsError};

use super::aim::Attempt;
use super::handshake::Stage;
use super::transport::Transport;
use crate::chain::chain;
use crate::{Error, ErrorKind as Problem, Objection};

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failure {
    problem: Problem,
    /// For the log.
    causes: Vec<String>,
}

impl Failure {
    fn new(problem: Problem, attempt: &Attempt<'_>, cause: &str) -> Self {
        let (endpoint, user) = (attempt.endpoint, &attempt.settings.user);
        Self { problem, causes: vec![format!("{endpoint} as user `{user}`: {cause}")] }
    }

    /// A name that cannot be resolved.
    pub(crate) fn lookup(name: &str, error: &io::Error) -> Self {
        Self { problem: Problem::Unreachable, causes: vec![format!("look up {name}: {error}")] }
    }

    /// An attempt that timed out.
    pub(crate) fn timed_out(attempt: &Attempt<'_>) -> Self {
        let limit = attempt.settings.connect_timeout.unwrap_or_default().as_secs();
        Self::new(Problem::Unreachable, attempt, &format!("no answer within {limit} s"))
    }

    /// A connection that ended before it was usable.
    pub(crate) fn closed(attempt: &Attempt<'_>) -> Self {
        Self::new(Problem::Unreachable, attempt, "connection closed")
    }

    /// A server of another kind than required, or of unknown kind.
    pub(crate) fn session(attempt: &Attempt<'_>, error: &(dyn StdError + 'static)) -> Self {
        Self::new(Problem::OtherKind, attempt, &chain(error))
    }

    /// A server whose version is too old.
    pub(crate) fn too_old(attempt: &Attempt<'_>, version: &str) -> Self {
        Self::new(Problem::TooOld, attempt, &format!("the server's version is {version}"))
    }

    /// A socket that could not be opened.
    pub(crate) fn socket(attempt: &Attempt<'_>, error: &io::Error) -> Self {
        Self::new(Problem::Unreachable, attempt, &format!("error connecting to server: {error}"))
    }

    /// An error of the driver.
    pub(crate) fn driver(
        attempt: &Attempt<'_>,
        error: &tokio_postgres::Error,
        transport: Transport,
        stage: Stage,
        password: bool,
    ) -> Self {
        Self::new(classify(error, transport, stage, password), attempt, &chain(error))
    }

    /// Whether trying the other hosts is pointless.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self.problem, Problem::Unreachable | Problem::NotReady | Problem::OtherKind)
    }

    /// Whether the other TLS mode may succeed.
    pub(crate) fn other_way_may_do(&self) -> bool {
        matches!(
            self.problem,
            Problem::Handshake
                | Problem::Certificate(_)
                | Problem::ClientCertificate
                | Problem::WrongPassword
                | Problem::Refused
        )
    }

    /// Merges this failure with that of the second attempt. A TLS failure explains more than the
    /// server's demand for TLS; a missing offer of TLS explains nothing.
    pub(crate) fn then(mut self, second: Self, transport: Transport) -> Self {
        if transport == Transport::Tls && second.problem != Problem::NoTls {
            self.problem = second.problem;
        }
        self.causes.extend(second.causes);
        self
    }
}

/// The failures of all hosts so far.
#[derive(Debug, Default)]
pub(crate) struct Failures(Vec<Failure>);

impl Failures {
    pub(crate) fn push(&mut self, failure: Failure) {
        self.0.push(failure);
    }

    /// The error, if one failure ends the search.
    pub(crate) fn ending_with(mut self, failure: Failure) -> Error {
        let problem = failure.problem;
        self.0.push(failure);
        error(problem).cause(self.causes())
    }

    /// The error if no host succeeded: a host that responded explains more than one that did not.
    pub(crate) fn into_error(self) -> Error {
        let problems = self.0.iter().map(|failure| failure.problem);
        let telling = problems.into_iter().find(|problem| *problem != Problem::Unreachable);
        error(telling.unwrap_or(Problem::Unreachable)).cause(self.causes())
    }

    fn causes(&self) -> String {
        let causes: Vec<_> =
            self.0.iter().flat_map(|failure| &failure.causes).map(String::as_str).collect();
        if causes.is_empty() { "no host is listening".into() } else { causes.join("; ") }
    }
}

fn classify(
    error: &tokio_postgres::Error,
    transport: Transport,
    stage: Stage,
    password: bool,
) -> Problem {
    if let Some(code) = error.code() {
        return match code.code() {
            "28P01" => Problem::WrongPassword,
            code if code.starts_with("28") => Problem::Refused,
            "3D000" => Problem::NoDatabase,
            code if code.starts_with("53") => Problem::Full,
            code if code.starts_with("57P") => Problem::NotReady,
            _ => Problem::Other,
        };
    }
    if let Some(tls) = find::<TlsError>(error) {
        return handshake(tls);
    }
    if stage == Stage::Begun {
        return Problem::Handshake;
    }
    if error.is_closed() || find::<io::Error>(error).is_some() {
        return Problem::Unreachable;
    }
    match error.source() {
        None => Problem::Other,
        Some(_) if transport == Transport::Tls && stage == Stage::NotBegun => Problem::NoTls,
        Some(_) if !password => Problem::NoPassword,
        Some(_) => Problem::Authentication,
    }
}

fn handshake(error: &TlsError) -> Problem {
    use AlertDescription as Alert;
    match error {
        TlsError::InvalidCertificate(objection) => Problem::Certificate(match objection {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Objection::Name
            }
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Objection::Issuer,
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Objection::Time,
            CertificateError::Revoked
            | CertificateError::UnknownRevocationStatus
            | CertificateError::ExpiredRevocationList
            | CertificateError::ExpiredRevocationListContext { .. } => Objection::Revoked,
            _ => Objection::Form,
        }),
        TlsError::AlertReceived(
            Alert::CertificateRequired
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied,
        ) => Problem::ClientCertificate,
        _ => Problem::Handshake,
    }
}

/// The first error of a type among an error and its causes. An `io::Error` hides its inner error
/// from `source`, so it is unwrapped.
fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as &(dyn StdError + 'static)),
            None => error.source(),
        };
    }
    None
}

/// The error of an unreachable server.
pub(crate) fn unreachable() -> Error {
    error(Problem::Unreachable)
}

fn error(problem: Problem) -> Error {
    let (message, hint) = words(problem);
    let error = Error::new(problem, message);
    if hint.is_empty() { error } else { error.hint(hint) }
}

/// Message and hint.
fn words(problem: Problem) -> (&'static str, &'static str) {
    match problem {
        Problem::Unreachable => (
            "The database cannot be reached.",
            "If it should be running, check `host`, `hostaddr` and `port` of the database URL.",
        ),
        Problem::NotReady => ("The database is starting or shutting down.", ""),
        Problem::Full => (
            "The database takes no more connections.",
            "Raise `max_connections`, or use fewer connections.",
        ),
        Problem::OtherKind => {
            ("No database server is of the kind that `target_session_attrs` requires.", "")
        }
        Problem::TooOld => (
            "The PostgreSQL server is too old: version 13 or later is needed.",
            "Upgrade the server, or name another one in the database URL.",
        ),
        Problem::NoTls => (
            "The database does not offer TLS, and `sslmode` demands it.",
            "Turn `ssl` on in the database's configuration, or choose another `sslmode`.",
        ),
        Problem::Handshake => (
            "The TLS handshake with the database failed.",
            "Check that `port` is the database's and that both sides speak TLS 1.2 or 1.3; \
             `sslnegotiation=direct` needs PostgreSQL 17.",
        ),
        Problem::ClientCertificate => (
            "The database does not accept the client certificate.",
            "Check `sslcert` and `sslkey`, and that the database trusts their authority.",
        ),
        Problem::Certificate(objection) => certificate(objection),
        _ => denied(problem),
    }
}

fn certificate(objection: Objection) -> (&'static str, &'static str) {
    match objection {
        Objection::Name => (
            "The database's certificate was issued for another host name.",
            "Use a name of the certificate as `host` (and `hostaddr` for the address), \
             or `sslmode=verify-ca`, which does not check the name.",
        ),
        Objection::Issuer => (
            "The database's certificate is not signed by a trusted authority.",
            "Put the authority's certificate into the file that `sslrootcert` names \
             (by default ~/.postgresql/root.crt).",
        ),
        Objection::Time => {
            ("The database's certificate has expired, or is not valid yet.", "Check both clocks.")
        }
        Objection::Revoked => (
            "The database's certificate is revoked, or its status is unknown.",
            "Check the revocation lists that `sslcrl` and `sslcrldir` name.",
        ),
        Objection::Form => (
            "The database's certificate cannot be verified.",
            "It must be an X.509 certificate of version 3 for a server, not for an authority.",
        ),
    }
}

/// The messages for rejected logins.
fn denied(problem: Problem) -> (&'static str, &'static str) {
    match problem {
        Problem::NoPassword => (
            "The database requires a password, and none is set.",
            "Set `password` in the database URL, PGPASSWORD, or a line in the password file \
             (`passfile`, by default ~/.pgpass, mode 0600).",
        ),
        Problem::WrongPassword => (
            "The database does not accept the user and password.",
            "Check `user` and `password`, which come from the database URL, the service, \
             PGUSER and PGPASSWORD, or the password file (`passfile`).",
        ),
        Problem::Refused => (
            "The database does not let the user connect in this way.",
            "Check `user`, `dbname`, `sslmode` and `sslcert`, and the database's pg_hba.conf.",
        ),
        Problem::Authentication => (
            "The database and the server found no common way of authentication.",
            "Check `channel_binding`; passwords (SCRAM, MD5) and client certificates are offered.",
        ),
        Problem::NoDatabase => {
            ("The database does not exist.", "Check `dbname`; without one, it is the user's name.")
        }
        _ => ("The database refused the connection.", "The log says why."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_within_errors_are_found() {
        let tls = TlsError::InvalidCertificate(CertificateError::Expired);
        let error = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, tls.clone()));
        assert_eq!(find::<TlsError>(&error), Some(&tls));
        assert_eq!(handshake(&tls), Problem::Certificate(Objection::Time));
        assert!(find::<TlsError>(&io::Error::other("x")).is_none());
    }

    #[test]
    fn a_response_explains_more_than_a_timeout() {
        let failure = |problem| Failure { problem, causes: vec![format!("{problem:?}")] };
        let mut failures = Failures::default();
        failures.push(failure(Problem::Unreachable));
        failures.push(failure(Problem::OtherKind));
        let error = failures.into_error();
        assert!(error.message.contains("target_session_attrs"));
        assert_eq!(error.cause.as_deref(), Some("Unreachable; OtherKind"));
        assert!(error.kind.is_transient());
        let error = Failures::default().ending_with(failure(Problem::WrongPassword));
        assert_eq!(error.kind, Problem::WrongPassword);
    }

    #[test]
    fn the_failures_of_both_tls_modes_are_merged() {
        let failure = |problem| Failure { problem, causes: Vec::new() };
        let joined =
            |first, second, transport| failure(first).then(failure(second), transport).problem;
        let certificate = Problem::Certificate(Objection::Issuer);
        assert_eq!(joined(certificate, Problem::Refused, Transport::Plain), certificate);
        assert_eq!(joined(Problem::Refused, certificate, Transport::Tls), certificate);
        assert_eq!(joined(Problem::Refused, Problem::NoTls, Transport::Tls), Problem::Refused);
    }
}
