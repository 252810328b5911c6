//! The sign-in of people at the issuer of tokens: OpenID Connect's authorization code flow with PKCE (RFC 7636), state and nonce.
//!
//! What a sign-in began with is in a cookie of the browser for ten minutes, so nothing is stored in the server. The access
//! token that the issuer gives becomes the session; it is verified as every token of the issuer is.

use duet_auth::oauth::{self, OAuthError};
use duet_auth::{Secret, TokenError};
use duet_console::address::{encoded, query};
use duet_console::page::Section;
use duet_console::sign_in::Entered;
use duet_service::{Issuer, IssuerSubject};
use hyper::StatusCode;
use hyper::header::{HeaderName, SET_COOKIE};
use serde_json::Value;

use super::tokens::tokens;
use crate::answer::reply::Reply;
use crate::console::cookies::renewal::Renewal;
use crate::console::cookies::{self, COOKIE_ROOM};
use crate::console::form::Form;
use crate::console::session::Session;
use crate::console::sign_in::{WAIT, with_problem};
use crate::console::visit::{Visit, see, shown, with_cookies};
use crate::observe::event::Event;
use crate::options::console::IssuerLogin;
use crate::request::principal::now;

/// The path below the console that the issuer sends people back to.
pub(in crate::console) const RETURN: &str = "/sign-in/return";
/// How long a sign-in may take, in seconds.
const LONGEST: u32 = 600;
/// What a sign-in began with.
struct BegunLogin {
    state: String,
    nonce: String,
    verifier: String,
    next: String,
}

impl BegunLogin {
    fn new(next: &str) -> duet_model::Result<Self> {
        let random = || Secret::random().map(|secret| secret.expose().to_owned());
        // RFC 7636 §4.1: 43 characters or more.
        let verifier = random()? + &random()?;
        Ok(Self { state: random()?, nonce: random()?, verifier, next: next.to_owned() })
    }

    /// As the cookie has it: none of the first three has a dot.
    fn text(&self) -> String {
        let Self { state, nonce, verifier, next } = self;
        format!("{state}.{nonce}.{verifier}.{}", encoded(next))
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '.').map(str::to_owned);
        let (state, nonce, verifier, next) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let next = duet_model::key::percent_decode(&next).ok()?;
        Some(Self { state, nonce, verifier, next })
    }
}

/// Sends the browser to the issuer.
pub(in crate::console) fn begin(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let Some((login, _)) = visit.issuer_login() else { return visit.nothing() };
    let (Ok(begun), Some(back)) = (BegunLogin::new(parameters.text("next")), back(visit)) else {
        return refused(visit, "The sign-in could not begin. Try again.");
    };
    let asked = query(&[
        ("response_type", "code"),
        ("client_id", &login.client),
        ("redirect_uri", &back),
        ("scope", &login.scope),
        ("state", &begun.state),
        ("nonce", &begun.nonce),
        ("code_challenge", &oauth::code_challenge(&begun.verifier)),
        ("code_challenge_method", "S256"),
    ]);
    let url = &login.authorize_url;
    let joined = if url.contains('?') { asked.replacen('?', "&", 1) } else { asked };
    see(&format!("{url}{joined}"))
        .with_text(SET_COOKIE, &cookies::login_cookie(visit.arrived, &begun.text(), LONGEST))
}

/// The address that the issuer sends people back to. It is the same at both steps, and registered at the issuer.
fn back(visit: &Visit<'_>) -> Option<String> {
    let origin = visit.arrived.origin().ok()?;
    Some(format!("{origin}{}{RETURN}", visit.base()))
}

/// Ends the sign-in with what the issuer sends.
pub(in crate::console) async fn end(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let Some((login, issuer)) = visit.issuer_login() else { return visit.nothing() };
    let reply = match signed_in(visit, login, issuer, parameters).await {
        Ok(login) => entered(visit, login),
        Err(why) => counted(visit, &why),
    };
    match reply.headers.iter().any(|(name, _)| *name == SET_COOKIE) {
        true => reply,
        false => reply.with_text(SET_COOKIE, &cookies::login_cookie(visit.arrived, "", 0)),
    }
}

/// The sign-in, where the issuer confirms it.
async fn signed_in(
    visit: &Visit<'_>,
    login: &IssuerLogin,
    issuer: &Issuer,
    parameters: &Form,
) -> Result<FinishedLogin, String> {
    let begun = begun(visit).ok_or(
        "This browser has begun no sign-in, or ten minutes ago. Begin again at the sign-in page.",
    )?;
    let same =
        |one: &str, other: &str| blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes());
    if !same(parameters.text("state"), &begun.state) {
        return Err("The answer belongs to another sign-in (`state`). Begin again.".to_owned());
    }
    // RFC 9207: an issuer that says who it is must be the one that was asked.
    if parameters.get("iss").is_some_and(|iss| iss != issuer.name()) {
        return Err("The answer is of another issuer (`iss`). Begin again.".to_owned());
    }
    if let Some(error) = parameters.get("error") {
        let description = parameters.text("error_description");
        return Err(format!("The issuer refuses the sign-in: {error}. {description}"));
    }
    let code = parameters.get("code").ok_or("The issuer has sent no `code`. Begin again.")?;
    let back = back(visit).ok_or("The server does not know its own address.")?;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", &back),
        ("code_verifier", &begun.verifier),
    ];
    let answer = tokens(login, &form).await.map_err(|failure| failure.to_string())?;
    let text = |name: &str| answer[name].as_str();
    let id_token = text("id_token").ok_or(
        "The issuer has sent no `id_token`: let the scope have `openid` (`console_login_scope`).",
    )?;
    issuer.keys_for(id_token, now()).await;
    let checked = issuer.verify_id_token(id_token, &login.client, &begun.nonce, now());
    let who = checked.map_err(|error| match error {
        TokenError::MissingClaim => {
            "The issuer's `id_token` lacks `sub` or `iat`, or does not answer this sign-in (`nonce`, `azp`).".to_owned()
        }
        other => format!("The issuer's `id_token` is refused: {}.", other.description_of_id_token()),
    })?;
    let access_token = text("access_token").ok_or("The issuer has sent no `access_token`.")?;
    issuer.keys_for(access_token, now()).await;
    Ok(FinishedLogin { answer, who, next: begun.next })
}

/// A sign-in that the issuer has confirmed.
struct FinishedLogin {
    /// What the issuer has given.
    answer: Value,
    who: IssuerSubject,
    /// The page that is shown after it.
    next: String,
}

/// What the browser's sign-in began with.
fn begun(visit: &Visit<'_>) -> Option<BegunLogin> {
    let name = cookies::login_cookie_name(visit.arrived);
    BegunLogin::read(cookies::cookie_of(visit.arrived, name)?)
}

/// Begins the session. The browser comes from another site, so that it would not send the new cookie along a redirect: the
/// page itself goes on.
fn entered(visit: &Visit<'_>, login: FinishedLogin) -> Reply {
    let FinishedLogin { answer, who, next } = login;
    let token = answer["access_token"].as_str().unwrap_or_default();
    if token.len() > COOKIE_ROOM {
        let why = format!(
            "The access token has {} bytes, and a cookie has room for {COOKIE_ROOM}: let the issuer put fewer claims into it.",
            token.len()
        );
        return counted(visit, &why);
    }
    let session = begun_session(visit, token, &answer, who);
    let Some(cookies) = session.and_then(|session| session.cookies(visit.arrived)) else {
        let why = "The server does not accept the access token that the issuer has given: its audience, its algorithm or its roles differ from `jwt_audience`, `jwt_algorithms` and `jwt_roles`.";
        return counted(visit, why);
    };
    let next = visit.own_page(&next);
    let frame = visit.frame("Sign in", Section::None);
    let reply = shown(StatusCode::OK, Entered { frame, next }.html());
    visit.arrived.worker.events.emit(&Event::TokenIssued);
    let reply = with_cookies(reply, &cookies);
    reply.with_text(SET_COOKIE, &cookies::login_cookie(visit.arrived, "", 0))
}

/// The session, with what renews it where the issuer gives that.
fn begun_session(
    visit: &Visit<'_>,
    token: &str,
    answer: &Value,
    who: IssuerSubject,
) -> Option<Session> {
    let session = Session::begun(visit.arrived, token)?;
    let renewal = Renewal::begun(visit.arrived, answer, session.id(), session.principal(), who);
    Some(session.with_renewal(renewal))
}

/// A sign-in that failed counts as a wrong secret does, and is in the log.
fn counted(visit: &Visit<'_>, why: &str) -> Reply {
    let arrived = visit.arrived;
    let peer = arrived.worker.peer(&arrived.remote, arrived.request.headers());
    let failed = OAuthError::invalid_request("the sign-in at the issuer failed");
    let counted = arrived.worker.shared.failed_logins.count(failed, peer, now());
    let (peer, status) = (arrived.remote.text.as_str(), counted.status());
    arrived.worker.events.emit(&Event::LoginRefused { peer, status, cause: Some(why) });
    match counted.retry_after {
        Some(_) => refused(visit, WAIT),
        None => refused(visit, why),
    }
}

fn refused(visit: &Visit<'_>, why: &str) -> Reply {
    with_problem(visit, StatusCode::FORBIDDEN, why)
        .with_text(HeaderName::from_static("cache-control"), "no-store")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_is_read_again() {
        let begun = BegunLogin::new("/console/data/a.b?q=;").unwrap();
        let read = BegunLogin::read(&begun.text()).unwrap();
        assert_eq!((read.state, read.next), (begun.state, begun.next));
        assert!((43..=128).contains(&begun.verifier.len()), "RFC 7636 §4.1");
        assert!(BegunLogin::read("a.b.c").is_none());
    }
}
