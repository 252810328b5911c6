//! Errors: programs match on the [`ErrorKind`], people read message and hint.

use std::fmt;

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A setting is unknown, malformed, contradictory or not supported, or a file that it names cannot be used.
    Setting,
    /// No server responds in time; the name is unknown; the connection broke.
    Unreachable,
    /// The server is starting up or shutting down.
    NotReady,
    /// The server accepts no more connections.
    Full,
    /// No server is of the kind that `target_session_attrs` requires.
    OtherKind,
    /// The server's version is below 13.
    TooOld,
    /// The server does not offer TLS, and `sslmode` demands it.
    NoTls,
    /// The TLS handshake failed.
    Handshake,
    /// The server refuses the client's certificate.
    ClientCertificate,
    /// The server's certificate is not accepted.
    Certificate(Objection),
    /// The server requires a password, and none is set.
    NoPassword,
    /// The password is wrong, or the user unknown.
    WrongPassword,
    /// The user may not connect, or not in this way.
    Refused,
    /// The method of authentication is unknown to the driver, or the settings forbid it.
    Authentication,
    /// The database does not exist.
    NoDatabase,
    /// Any other error of the server.
    Other,
    /// The machine failed: it lacks random numbers or cryptography.
    Internal,
}

/// The fault of the server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objection {
    /// It was issued for another host name.
    Name,
    /// No trusted authority has signed it.
    Issuer,
    /// It has expired, or is not valid yet.
    Time,
    /// It is revoked, or its status is unknown.
    Revoked,
    /// It cannot be verified for another reason.
    Form,
}

impl ErrorKind {
    /// Whether a retry can help, because the server may recover.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Unreachable | Self::NotReady | Self::Full | Self::OtherKind)
    }
}

/// The position of an error in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingPlace {
    /// A connection parameter.
    Parameter(String),
    /// A byte offset into the connection string, from 0.
    Offset(usize),
    /// A line of the connection service file, from 1.
    Line(usize),
}

/// The reason that there is no connection, or that its settings are wrong.
///
/// Message and hint name settings, never their values. The cause holds hosts, addresses and their
/// errors, for a log. None of them holds a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// For programs.
    pub kind: ErrorKind,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The position in the settings.
    pub place: Option<SettingPlace>,
    /// For the log.
    pub cause: Option<Box<str>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, place: None, cause: None }
    }

    /// An error about a parameter.
    pub(crate) fn parameter(name: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Setting, message).at(SettingPlace::Parameter(name.to_owned()))
    }

    /// A failure of the machine.
    pub(crate) fn internal(cause: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, "The machine failed while connecting.").cause(cause)
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Suggests the nearest of some names, if one is near enough.
    pub(crate) fn suggest<'a>(
        self,
        wanted: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        match nearest(wanted, names) {
            Some(near) => self.hint(format!("Did you mean `{near}`?")),
            None => self,
        }
    }

    pub(crate) fn at(self, place: SettingPlace) -> Self {
        Self { place: Some(place), ..self }
    }

    pub(crate) fn cause(self, cause: impl fmt::Display) -> Self {
        Self { cause: Some(cause.to_string().into()), ..self }
    }
}

impl fmt::Display for Error {
    /// Message and hint, without the cause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// The name within an edit distance of a third of the wanted one's length, and at least one; two
/// from four letters on. Duet's own names use `duet_text::name::nearest`: this crate depends on
/// none of Duet's, so that other programs can use it.
fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let length = wanted.chars().count();
    let limit = (length / 3).max(1) + usize::from(length > 3);
    let distances =
        names.into_iter().map(|name| (strsim::levenshtein(&wanted, &name.to_lowercase()), name));
    let near = distances.filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}
