//! Signing in and out.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use duet_auth::oauth::OAuthError;
use duet_console::address::encoded;
use duet_console::page::{Frame, Section};
use duet_console::sign_in::{Enter, SignIn};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Method, StatusCode};

use super::call;
use super::cookies::COOKIE_ROOM;
use super::cookies::renewal::SessionEnd;
use super::form::Form;
use super::session::{self, Session};
use super::visit::{Visit, see, shown, with_cookies};
use crate::answer::reply::Reply;
use crate::request::principal::now;

const FORM: &str = "application/x-www-form-urlencoded";
/// What is said where too many attempts have failed.
pub(super) const WAIT: &str = "Too many attempts have failed. Wait a minute, then try again.";

pub(super) fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let frame = visit.frame("Sign in", Section::None);
    let (next, issuer) = (parameters.text("next"), issuer(visit));
    let problem = SessionEnd::text(parameters.text("ended"));
    shown(StatusCode::OK, SignIn { frame, id: "", problem, next, issuer }.html())
}

/// What the issuer is called at which people sign in.
fn issuer<'v>(visit: &'v Visit<'_>) -> Option<&'v str> {
    visit.issuer_login().map(|(_, issuer)| issuer.name())
}

/// The page with what went wrong.
pub(super) fn with_problem(visit: &Visit<'_>, status: StatusCode, problem: &str) -> Reply {
    let (frame, issuer) = (visit.frame("Sign in", Section::None), issuer(visit));
    shown(status, SignIn { frame, id: "", problem: Some(problem), next: "", issuer }.html())
}

/// Signs in by a token that was pasted. One whose key is not known waits for the newest keys of its issuer.
pub(super) async fn paste(visit: &Visit<'_>, form: &Form) -> Reply {
    let (token, next) = (form.text("token").trim(), form.text("next"));
    let auths = visit.arrived.worker.shared.applications.auths();
    for issuer in auths.into_iter().filter_map(|auth| auth.issuer()) {
        issuer.keys_for(token, now()).await;
    }
    if Session::begun(visit.arrived, token).is_some() {
        return begun(visit, token, next);
    }
    // It counts as every refused token does.
    let peer = visit.arrived.worker.peer(&visit.arrived.remote, visit.arrived.request.headers());
    let failed = OAuthError::invalid_request("the pasted token is not good");
    let counted = visit.arrived.worker.shared.failed_logins.count(failed, peer, now());
    match counted.retry_after {
        Some(_) => with_problem(visit, StatusCode::TOO_MANY_REQUESTS, WAIT),
        None => {
            let why = "The token is not good: it has ended, or is of another server. `duet token` prints one.";
            with_problem(visit, StatusCode::UNAUTHORIZED, why)
        }
    }
}

pub(super) fn enter_page(visit: &Visit<'_>) -> Reply {
    let frame = Frame { title: "Sign in", ..visit.frame("", Section::None) };
    shown(StatusCode::OK, Enter { frame, problem: None }.html())
}

/// Signs a client in by its id and secret.
pub(super) async fn sign_in(visit: &Visit<'_>, form: &Form) -> Reply {
    let (id, next) = (form.text("id"), form.text("next"));
    match token(visit, id, form.text("secret")).await {
        Ok(token) => begun(visit, &token, next),
        Err((status, problem)) => {
            let (frame, issuer) = (visit.frame("Sign in", Section::None), issuer(visit));
            shown(status, SignIn { frame, id, problem: Some(&problem), next, issuer }.html())
        }
    }
}

/// Signs in by the code of the link.
pub(super) async fn enter(visit: &Visit<'_>, form: &Form) -> Reply {
    let link = visit.options.link.as_ref();
    let client = link.and_then(|link| link.take(form.text("code")));
    let token = match client {
        Some((id, secret)) => {
            token(visit, &id, secret.expose()).await.map_err(|(_, problem)| problem)
        }
        None => {
            Err("This link was used, is older than ten minutes, or is of another run.".to_owned())
        }
    };
    match token {
        Ok(token) => begun(visit, &token, ""),
        Err(problem) => {
            let frame = visit.frame("Sign in", Section::None);
            shown(StatusCode::FORBIDDEN, Enter { frame, problem: Some(&problem) }.html())
        }
    }
}

/// Ends the session on every server, for each copy of its cookie.
pub(super) async fn sign_out(visit: &Visit<'_>) -> Reply {
    if let Some(session) = &visit.session {
        session.end(visit.arrived).await;
    }
    let reply = see(&format!("{}/sign-in", visit.base()));
    with_cookies(reply, &session::ended(visit.arrived))
}

/// A token for these credentials: of the process's clients, or of those of an application. The token endpoint counts
/// what is refused, and slows guesses down.
async fn token(visit: &Visit<'_>, id: &str, secret: &str) -> Result<String, (StatusCode, String)> {
    // RFC 6749 §2.3.1: both are encoded as in a form.
    let pair = BASE64.encode(format!("{}:{}", encoded(id), encoded(secret)));
    let headers = [(AUTHORIZATION, &*format!("Basic {pair}")), (CONTENT_TYPE, FORM)];
    let api = call::Caller { token: None, ..visit.api() };
    let body = Bytes::from_static(b"grant_type=client_credentials");
    let called = api.send(Method::POST, "/oauth/token", &headers, body).await;
    let json = called.json();
    match (json["access_token"].as_str(), called.status) {
        (Some(token), _) => Ok(token.to_owned()),
        (None, StatusCode::TOO_MANY_REQUESTS) => Err((called.status, WAIT.to_owned())),
        _ => {
            let problem = "There is no client with this id and secret. Check both: a secret is shown once, when its client is made.";
            Err((StatusCode::UNAUTHORIZED, problem.to_owned()))
        }
    }
}

/// Begins a session, and goes on to a page of the console: to no other address.
fn begun(visit: &Visit<'_>, token: &str, next: &str) -> Reply {
    let reply = see(visit.own_page(next));
    let session = Session::begun(visit.arrived, token).filter(|_| token.len() <= COOKIE_ROOM);
    match session.and_then(|session| session.cookies(visit.arrived)) {
        Some(cookies) => with_cookies(reply, &cookies),
        None => visit.problem(
            StatusCode::FORBIDDEN,
            "Not signed in",
            "The token was refused, or is too long for a cookie. Try again, or sign in with a client's id and secret.",
        ),
    }
}
