//! What happens in a server, as values. Logs and metrics are made from them and from nothing else.
//!
//! An event borrows everything, so it costs no allocation.
//! [`ServeOptions::observer`](crate::ServeOptions) is one more consumer, with which tests wait for
//! events.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use duet_auth::visible_part;
use duet_model::key::percent_decode;
use duet_model::{Code, Error};
use duet_service::services::PathTemplate;
use duet_service::{ReloadedSnapshot, SlowestStatement, Tenant, WriteTimes};
use hyper::Uri;

use super::reloads::Reloads;
use super::stage::Stages;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A request has its response. That of a stream begins.
    Answered(Exchange<'a>),
    /// A text, or a piece of one, was compressed.
    Compressed {
        /// Its bytes.
        before: usize,
        /// Those that it has become.
        after: usize,
    },
    /// So many bytes of a stream were sent.
    StreamSent(usize),
    /// A stream failed after its first rows.
    StreamBroken(Exchange<'a>),
    /// A stream has ended, however it did; the exchange has its bytes and duration as a whole.
    StreamEnded(Exchange<'a>),
    /// A client has connected; none has an address on a Unix socket.
    ConnectionOpened(Option<IpAddr>),
    /// A connection was refused.
    ConnectionRefused(Option<IpAddr>, ConnectionRefusal),
    /// An idle connection was closed to make room for another one.
    ConnectionEvicted(Option<IpAddr>),
    /// A client has reset more streams of an HTTP/2 connection than it may, or sent too many frames
    /// of another kind: the connection is closed.
    StreamFlood(Option<IpAddr>),
    /// A connection has ended, however it did.
    ConnectionClosed(Option<IpAddr>),
    /// A client has got an access token.
    TokenIssued,
    /// A client got no access token.
    LoginRefused {
        /// The address at the other end of the connection, or `unix`.
        peer: &'a str,
        /// The status of the response.
        status: u16,
        /// Why, where that is the server's fault.
        cause: Option<&'a str>,
    },
    /// A request was refused for its access token.
    TokenRefused {
        /// The address at the other end of the connection, or `unix`.
        peer: &'a str,
        /// Why.
        code: Code,
    },
    /// An application serves another snapshot, because its schema has changed.
    SchemaChanged(&'a str, &'a ReloadedSnapshot),
    /// The schema of an application cannot be read.
    SchemaUnreadable(&'a str, &'a Error),
    /// The database of an application does not answer, for this reason.
    DatabaseDown(&'a str, &'a str),
    /// It answers again.
    DatabaseUp(&'a str),
    /// The clients cannot be read; those before stay in force.
    ClientsUnreadable(&'a Error),
    /// The last uses of API keys cannot be stored; they are known in memory alone.
    KeyUsesUnstored(&'a Error),
    /// Something about the clients that the operator should know.
    ClientsNote(&'a str),
    /// Another certificate is in force.
    CertificateChanged,
    /// The certificate cannot be used; the one before stays in force.
    CertificateUnusable(&'a Error),
    /// An administrator has changed something.
    Administered {
        /// Its name.
        by: &'a str,
        /// What was done, with its extent.
        what: &'a str,
    },
    /// An agent has called a tool.
    AgentCalled {
        /// The name of the caller.
        by: &'a str,
        /// The tool.
        tool: &'a str,
        /// The path of the resource, if it is about one.
        resource: &'a str,
        /// `answered` or `refused`.
        outcome: &'a str,
    },
    /// Lines of the access log could not be written to standard output.
    AccessLogLost {
        /// How many.
        lines: u64,
        /// Why.
        cause: &'a io::Error,
        /// Whether those before were written.
        is_first: bool,
    },
    /// Everything was reloaded on request.
    Reloaded(&'a Reloads),
    /// The server received a signal to stop: it is not ready any more.
    Stopping,
    /// A worker has stopped; some requests may not be answered.
    Stopped {
        /// Whether every request was answered in time.
        in_time: bool,
    },
}

/// Something that wants to know what happens. It is called on the threads that serve requests.
pub trait Observer: fmt::Debug + Send + Sync {
    /// Takes note of an event.
    fn observe(&self, event: &Event<'_>);
}

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// There are as many as there may be, and none is idle.
    Full,
    /// Its address has as many as it may have.
    Address,
}

/// The id of a request: the run of the server, the worker, and the number of the request there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId {
    pub(crate) run: u32,
    pub(crate) worker: usize,
    pub(crate) number: u64,
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{}-{}", self.run, self.worker, self.number)
    }
}

/// A request and its response.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// The request's id, which errors have as `instance`.
    pub id: RequestId,
    /// The address at the other end of the connection, or `unix`.
    pub peer: &'a str,
    /// The method; `-` where the request could not be read.
    pub method: &'a str,
    /// Path and query.
    pub target: RequestTarget<'a>,
    /// The application's name; empty where the path belongs to none.
    pub application: &'a str,
    /// The tenant, where the application has tenants.
    pub tenant: Option<&'a Arc<Tenant>>,
    /// The resource, where the path names one.
    pub resource: Option<ServedResource<'a>>,
    /// The client's id; empty where it has none.
    pub client: &'a str,
    /// The client's name; empty for a request without a token.
    pub client_name: &'a str,
    /// The status of the response.
    pub status: u16,
    /// Why it failed; its cause is for the operator alone.
    pub error: Option<&'a Error>,
    /// Bytes of the response's body.
    pub bytes: usize,
    /// How long it took.
    pub duration: Duration,
    /// How long each of its stages took.
    pub stages: Stages,
    /// The statement that took longest.
    pub slowest: Option<&'a SlowestStatement>,
    /// The moments of its write, where they are reported.
    pub write: Option<&'a WriteTimes>,
    /// The name of the feature that it took, such as `item` or `page`; empty where it failed before.
    pub feature: &'static str,
    /// Whether it is a bulk load.
    pub is_load: bool,
    /// Whether the response is a stream, which has only begun when the request is answered.
    pub is_stream: bool,
}

impl Exchange<'_> {
    /// The code of the error, where it failed.
    pub fn code(&self) -> Option<Code> {
        self.error.map(|error| error.code)
    }
}

#[cfg(test)]
impl Exchange<'static> {
    /// An answered request for an item, for tests.
    pub(crate) fn sample(status: u16, stages: Stages) -> Self {
        let (mount, name) = ("/ords/hr", "team");
        Self {
            id: RequestId { run: 1, worker: 1, number: 1 },
            peer: "::1",
            method: "GET",
            target: RequestTarget::text("/ords/hr/team/1"),
            application: "hr",
            tenant: None,
            resource: Some(ServedResource {
                mount,
                name,
                application: 0,
                generation: 1,
                of: ServedKind::Rows(0),
            }),
            client: "",
            client_name: "",
            status,
            error: None,
            bytes: 7,
            duration: stages.total(),
            stages,
            slowest: None,
            write: None,
            feature: "",
            is_load: false,
            is_stream: false,
        }
    }
}

/// The resource that a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedResource<'a> {
    /// The path of its mount.
    pub mount: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The application's number.
    pub(crate) application: usize,
    /// The snapshot.
    pub(crate) generation: u64,
    pub(crate) of: ServedKind<'a>,
}

/// Where a resource is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedKind<'a> {
    /// A table, a view or a collection: by its index in the snapshot.
    Rows(usize),
    /// A service: by its name; it is served at this path below the mount.
    Service(&'a PathTemplate),
    /// A routine: by its name.
    Routine,
}

impl ServedResource<'_> {
    /// The path that figures are named by. The services of one path have the same figures.
    pub fn path(&self) -> String {
        match self.of {
            ServedKind::Rows(_) | ServedKind::Routine => format!("{}/{}", self.mount, self.name),
            ServedKind::Service(path) => format!("{}{path}", self.mount),
        }
    }
}

/// The path and query of a request, without user names and secrets that a client has put into it.
#[derive(Clone, Copy, Debug)]
pub struct RequestTarget<'a>(TargetForm<'a>);

#[derive(Clone, Copy, Debug)]
enum TargetForm<'a> {
    Uri(&'a Uri),
    Text(&'a str),
}

/// Parameters whose values must not be kept, though they have no business in a query string.
const SECRETS: [&str; 6] =
    ["access_token", "client_secret", "token", "password", "authorization", "api_key"];

impl<'a> RequestTarget<'a> {
    /// The target of a request.
    pub(crate) fn of(uri: &'a Uri) -> Self {
        Self(TargetForm::Uri(uri))
    }

    /// A text that has no secrets any more.
    pub(crate) fn text(text: &'a str) -> Self {
        Self(TargetForm::Text(text))
    }

    /// The path, without the query.
    pub(crate) fn path(&self) -> &'a str {
        match self.0 {
            TargetForm::Text(text) => text.split_once('?').map_or(text, |(path, _)| path),
            TargetForm::Uri(uri) => uri.path(),
        }
    }

    /// The path and query as a log may have them.
    pub fn shown(&self) -> Cow<'a, str> {
        let uri = match self.0 {
            TargetForm::Text(text) => return Cow::Borrowed(text),
            TargetForm::Uri(uri) => uri,
        };
        let path = without_credentials(uri.path(), '/');
        let Some(query) = uri.query() else { return path };
        let mut target = format!("{path}?");
        for (index, pair) in query.split('&').enumerate() {
            if index > 0 {
                target.push('&');
            }
            let name = pair.split('=').next().unwrap_or("");
            let decoded = percent_decode(name).unwrap_or_default();
            match SECRETS.iter().any(|secret| decoded.eq_ignore_ascii_case(secret)) {
                true => target.extend([name, "=…"]),
                false => target.push_str(&without_credentials(pair, '=')),
            }
        }
        Cow::Owned(target)
    }
}

/// A text whose parts are shown but for those that are credentials: the token of a link stands in a path that is written
/// almost as its address is.
fn without_credentials(text: &str, between: char) -> Cow<'_, str> {
    let credential = |part: &str| {
        // Most parts are none, and are not decoded for that.
        let decoded = Some(part).filter(|part| part.starts_with('d') || part.contains('%'))?;
        let decoded = percent_decode(decoded).ok()?;
        visible_part(&decoded).map(|id| format!("{id}_…"))
    };
    if text.split(between).all(|part| credential(part).is_none()) {
        return Cow::Borrowed(text);
    }
    let shown = |part: &str| credential(part).unwrap_or_else(|| part.to_owned());
    let parts: Vec<String> = text.split(between).map(shown).collect();
    Cow::Owned(parts.join(between.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let of = |uri: &str| RequestTarget::of(&uri.parse().unwrap()).shown().into_owned();
        assert_eq!(of("/a/1?q=x&limit=5"), "/a/1?q=x&limit=5");
        assert_eq!(of("http://me:pw@h/a"), "/a");
        assert_eq!(
            of("/a?access_token=s1&%63lient_secret=s2&x=1&TOKEN=s3"),
            "/a?access_token=…&%63lient_secret=…&x=1&TOKEN=…"
        );
        // The addresses of links, almost.
        let token = format!("dul_AAAABBBBCCCC_{}", "s".repeat(32));
        for path in ["//_/link/", "/_/LINK/", "/%5F/link/", "/a/_/link/", "/_/link/x/_/link/"] {
            let shown = of(&format!("{path}{token}/api/t/1?x=%64{}&y=dul_1", &token[1..]));
            assert_eq!(
                shown,
                format!("{path}dul_AAAABBBBCCCC_…/api/t/1?x=dul_AAAABBBBCCCC_…&y=dul_1")
            );
        }
    }
}
