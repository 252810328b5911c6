//! Where agents learn how to get a token: the protected resource's metadata (RFC 9728) and, for Duet's own clients, those of
//! its token endpoint (RFC 8414).

use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::agent_paths::{AGENTS, AgentPath, RESOURCE};
use crate::message::methods::Methods;
use crate::request::arrived::ArrivedRequest;

/// The refusal, with the address of the metadata where it wants a token.
pub(crate) fn named(arrived: &ArrivedRequest, refused: Refusal) -> Refusal {
    match arrived.origin() {
        Ok(base) if refused.challenge.is_some() => {
            Refusal { resource_metadata: Some(format!("{base}{RESOURCE}{AGENTS}")), ..refused }
        }
        _ => refused,
    }
}

/// Answers a request for a document.
///
/// # Errors
/// For methods that do not read.
pub(crate) fn answer(arrived: &ArrivedRequest, which: AgentPath) -> Result<Reply, Refusal> {
    match *arrived.request.method() {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Ok(Reply::empty(StatusCode::NO_CONTENT).allow(Methods::READ)),
        _ => return Err(Refusal::method(Methods::READ)),
    }
    let base = arrived.origin()?.to_string();
    let document = match which {
        AgentPath::Server => server(&base),
        _ => resource(arrived, &base),
    };
    Ok(Reply::json(document.to_string().into_bytes()))
}

fn resource(arrived: &ArrivedRequest, base: &str) -> Value {
    let auth = arrived.worker.shared.applications.auth();
    // An issuer's people sign in there; Duet's own clients ask Duet itself.
    let server = auth.issuer().map_or_else(|| base.to_owned(), |it| it.name().to_owned());
    json!({
        "resource": format!("{base}{AGENTS}"),
        "resource_name": "Duet",
        "authorization_servers": [server],
        "bearer_methods_supported": ["header"],
    })
}

fn server(base: &str) -> Value {
    json!({
        "issuer": base,
        "token_endpoint": format!("{base}/oauth/token"),
        "grant_types_supported": ["client_credentials"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "response_types_supported": [],
    })
}
