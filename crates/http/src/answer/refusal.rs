//! Refusals: an error with the headers of its response.

use duet_auth::bearer::Challenge;
use duet_auth::{Decision, Principal};
use duet_model::{Code, Error};
use duet_service::{Resource, ResourceKind};
use duet_text::problem::quoted;

use crate::message::methods::Methods;

/// A refusal: the error with the headers of its response.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: Box<Error>,
    /// What `WWW-Authenticate` says.
    pub(crate) challenge: Option<Challenge>,
    /// Where the challenge leads agents (RFC 9728).
    pub(crate) resource_metadata: Option<String>,
    /// What `Allow` says.
    pub(crate) allow: Option<Methods>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error: Box::new(error), challenge: None, resource_metadata: None, allow: None }
    }
}

impl Refusal {
    /// The refusal with a challenge in `WWW-Authenticate`.
    pub(crate) fn challenging(error: Error, challenge: Challenge) -> Self {
        Self { challenge: Some(challenge), ..Self::from(error) }
    }

    /// The refusal of a client that lacks a role: the operation, as in "insert `team`", and the
    /// roles one of which it needs, which administrators alone learn.
    pub(crate) fn forbidden(who: &Principal, what: &str, needed: &[String]) -> Self {
        if who.link().is_some() {
            let message = format!("The link does not let you {what}.");
            return Self::from(Error::new(Code::Forbidden, message));
        }
        let own = roles(who.role_names(), "the role", "the roles", "no role");
        let message = match duet_auth::admin(who) {
            Decision::Allow => format!(
                "The client may not {what}: it has {own}, and needs {}.",
                roles(needed, "the role", "one of the roles", "a role that no privilege gives"),
            ),
            _ => format!("The client may not {what}: it has {own}, which is not enough."),
        };
        Self::challenging(Error::new(Code::Forbidden, message), Challenge::InsufficientScope)
    }

    /// The refusal of a method that a path does not take; `allow` are those that it takes.
    pub(crate) fn method(allow: Methods) -> Self {
        let message = format!("This path takes {allow}.");
        let error = Error::new(Code::MethodNotAllowed, message);
        Self { allow: Some(allow), ..Self::from(error) }
    }

    /// The same of a resource, with the reason where it takes no writes at all.
    pub(crate) fn method_of(resource: &Resource, writes: bool, allow: Methods) -> Self {
        let mut refused = Self::method(allow);
        let name = quoted(&resource.name);
        let why = match resource.kind {
            _ if !writes || resource.is_writable() => return refused,
            ResourceKind::View => {
                format!("{name} is a view of the database, and views are read-only.")
            }
            ResourceKind::DualityView => {
                format!("{name} is read-only: nothing in its definition allows a write.")
            }
            ResourceKind::Service => format!("{name} is a service that reads."),
            ResourceKind::Collection => format!("{name} is read-only."),
            ResourceKind::Table if resource.takes_inserts() => {
                format!("{name} has no key: rows can be added and nothing else.")
            }
            ResourceKind::Table => format!("{name} is read-only."),
        };
        refused.error.message = format!("{why} {}", refused.error.message);
        refused
    }
}

/// Roles in a message; no more of them than anybody reads.
fn roles(names: &[String], one: &str, several: &str, none: &str) -> String {
    const SHOWN: usize = 10;
    let quoted: Vec<String> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    match names.len() {
        0 => none.to_owned(),
        1 => format!("{one} {}", quoted[0]),
        _ => format!("{several} {}{more}", quoted.join(", ")),
    }
}

/// Why a principal may not: 401 for an anonymous caller, 403 for a client.
pub(crate) fn refusal(decision: Decision) -> Option<Refusal> {
    let (code, message, challenge) = match decision {
        Decision::Allow => return None,
        Decision::Unauthorized => (
            Code::Unauthorized,
            "This needs an access token, sent as Authorization: Bearer. It comes from the token issuer of this service; Duet's own clients POST grant_type=client_credentials to oauth/token.",
            Challenge::NoToken,
        ),
        Decision::Forbidden => (
            Code::Forbidden,
            "The roles of this client do not allow this.",
            Challenge::InsufficientScope,
        ),
    };
    Some(Refusal::challenging(Error::new(code, message), challenge))
}
