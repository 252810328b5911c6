//! The login that an application declares: a client's id and secret in a JSON body, and the token in a header, which
//! requests send it back in.

use std::fmt;
use std::sync::Arc;

use duet_auth::oauth::{OAuthError, TokenResponse};
use duet_service::definition::Login;
use duet_service::{Auth, Snapshot};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

use super::token;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::profiles;
use crate::request::arrived::ArrivedRequest;
use crate::request::declared_login::at;
use crate::request::tenant;

/// The form that the token endpoint takes, with its media type.
const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// Answers a login.
///
/// # Errors
/// Another method than POST, and a tenant that requests with the token could not be for.
pub(crate) async fn login(
    arrived: &ArrivedRequest,
    auth: &Auth,
    application: usize,
    snapshot: &Arc<Snapshot>,
) -> Result<Reply, Refusal> {
    let request = &arrived.request;
    if *request.method() != Method::POST {
        return Err(Refusal::method(Methods::POST));
    }
    let Some(login) = at(snapshot, request.uri().path()) else {
        return Err(duet_service::Service::nothing_here().into());
    };
    let profile = profiles::of(snapshot.application.profile());
    profile.check(snapshot, request.method(), request.headers())?;
    let granted = async {
        let body = token::body(arrived).await?;
        let form = form(&body, login)?;
        token::granted(&arrived.worker, auth, &[], Some(FORM), form.as_bytes())
    };
    let granted = granted.await;
    if let Ok(granted) = &granted
        && let Some(tenants) = arrived.worker.shared.applications.tenants(application)
    {
        // Only who has proved to be the client learns what its tenant is.
        tenant::exists(tenants, request.headers(), granted.principal()).await?;
    }
    token::answer(arrived, granted, |granted| reply(login, granted)).await
}

/// The credentials of a body, as the form of the token endpoint.
fn form(body: &[u8], login: &Login) -> Result<String, OAuthError> {
    let given = members(body);
    let text = |member: &str| {
        let mut named = given.iter().filter(|(name, _)| name == member);
        // Programs that read it elsewhere may read the other one.
        let only = named.next().filter(|_| named.next().is_none());
        only.and_then(|(_, value)| value.as_str())
            .map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string())
    };
    match (text(&login.client), text(&login.secret)) {
        (Some(id), Some(secret)) => {
            Ok(format!("grant_type=client_credentials&client_id={id}&client_secret={secret}"))
        }
        _ => Err(OAuthError::invalid_request(
            "The body must be a JSON object with the client's id and secret, as the texts that the login declares, each once",
        )),
    }
}

/// The members of an object in their order, repeated ones too; none of another text.
fn members(body: &[u8]) -> Vec<(String, Value)> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    let mut text = serde_json::Deserializer::from_slice(body);
    let members = text.deserialize_map(Members);
    members.and_then(|members| text.end().map(|()| members)).unwrap_or_default()
}

fn reply(login: &Login, granted: &TokenResponse) -> Reply {
    let status = StatusCode::from_u16(login.status).unwrap_or(StatusCode::OK);
    let reply = Reply { status, ..Reply::json(granted.body()) };
    let name = HeaderName::from_bytes(login.header.as_bytes());
    match (name, HeaderValue::from_str(granted.access_token())) {
        (Ok(name), Ok(token)) => reply.with(name, token),
        _ => reply,
    }
}
