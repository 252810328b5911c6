//! The console: pages for people, made from what the API answers to the same caller.
//!
//! A browser signs in with the id and the secret of a client and gets a cookie, which only these pages take and which is no
//! token: requests of the API need one as ever, so no other site can make a browser send one. Each page asks the API in this
//! process, with the session's token, and so shows and does what the client may, no more.

mod api;
mod call;
mod changes;
mod clients;
mod cookies;
mod design;
mod explain;
mod export;
mod form;
mod import;
mod issuer;
mod item;
mod letters;
mod links;
pub(crate) mod measure;
mod operate;
mod place;
mod rows;
mod session;
mod sign_in;
mod tree;
mod upload;
mod visit;

use hyper::header::{ACCEPT, SET_COOKIE};
use hyper::{Method, StatusCode};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::accept::preferred;
use crate::message::header::list;
use crate::message::media::JSON;
use crate::message::methods::Methods;
use crate::request::arrived::ArrivedRequest;

use issuer::login;
use issuer::renewal::{self, RenewedSession};
use place::View;
use session::Session;
use visit::{Visit, see, with_cookies};

/// Answers a request for the console; `below` is the path behind that of the console.
///
/// # Errors
/// Where the head of the request is wrong.
pub(crate) async fn answer(arrived: &ArrivedRequest, below: &str) -> Result<Reply, Refusal> {
    let Some(options) = &arrived.worker.shared.options.console else {
        return Ok(Reply::empty(StatusCode::NOT_FOUND));
    };
    // Pages of strangers need no session, and the end of one is shown there.
    let is_open = ["/assets/", "/docs", "/sign-in"].iter().any(|it| below.starts_with(it));
    let RenewedSession { session, end, waits } = match is_open {
        true => RenewedSession::of(Session::of(arrived)),
        false => renewal::session(arrived, options).await,
    };
    let visit = Visit { arrived, options, session };
    if options.only_local && !session::is_for_this_machine(arrived) {
        let detail = "The console answers to this machine's own names only, such as localhost. For others start the server with `--console on`.";
        return Ok(visit.problem(StatusCode::FORBIDDEN, "Another host", detail));
    }
    if let Some(end) = end {
        return Ok(visit.ended(end));
    }
    if waits {
        let detail = "Your session could not be renewed. Load the page again in a moment: the session goes on as soon as the issuer answers.";
        let title = "The issuer does not answer";
        return Ok(visit.problem(StatusCode::SERVICE_UNAVAILABLE, title, detail));
    }
    let method = arrived.request.method();
    let reply = match *method {
        Method::GET | Method::HEAD => visit.shown(below).await,
        Method::POST if !session::is_from_here(arrived)? => {
            let detail = "The form was sent by a page of another site, or by none. Open the page again and send it from there.";
            visit.problem(StatusCode::FORBIDDEN, "Not from here", detail)
        }
        Method::POST => visit.done(below).await,
        _ => return Err(Refusal::method(Methods::POST)),
    };
    // An idle session ends; one that is used goes on until its token expires.
    Ok(
        match visit
            .session
            .as_ref()
            .filter(|session| session.sets_cookies())
            .filter(|_| !reply.headers.iter().any(|(name, _)| *name == SET_COOKIE))
            .and_then(|session| session.cookies(arrived))
        {
            Some(cookies) => with_cookies(reply, &cookies),
            None => reply,
        },
    )
}

/// Where a browser that opens the server's address is led; `None` for other clients, and where there is no console.
pub(crate) fn front(arrived: &ArrivedRequest) -> Option<Reply> {
    let options = arrived.worker.shared.options.console.as_ref()?;
    let is_served = !options.only_local || session::is_for_this_machine(arrived);
    let accept = list(arrived.request.headers(), &ACCEPT);
    let media = preferred(accept.as_deref(), &[JSON, "text/html"], |media| media)?;
    let is_browser = arrived.request.method().is_safe() && *media != JSON;
    (is_served && is_browser).then(|| see(&format!("{}/", options.base)))
}

impl Visit<'_> {
    /// A page.
    async fn shown(&self, below: &str) -> Reply {
        let parameters =
            form::parameters(self.arrived.request.uri().query().unwrap_or_default().as_bytes());
        match below {
            "" | "/" => tree::page(self, &parameters).await,
            "/sign-in" => sign_in::page(self, &parameters),
            "/sign-in/issuer" => login::begin(self, &parameters),
            login::RETURN => login::end(self, &parameters).await,
            "/enter" => sign_in::enter_page(self),
            "/changes/" => changes::page(self),
            "/operate/" => operate::page(self, &parameters).await,
            "/operate/clients" => clients::page(self, &parameters).await,
            "/operate/links" => links::page(self, &parameters).await,
            "/operate/dead-letters" => letters::page(self, &parameters).await,
            "/operate/log" => operate::log(self, &parameters).await,
            _ => {
                if let Some(mount) = below.strip_prefix("/design") {
                    return design::view::page(self, mount, &parameters).await;
                }
                if let Some(mount) = below.strip_prefix("/diagram") {
                    return design::diagram::page(self, mount, &parameters).await;
                }
                if let Some(mount) = below.strip_prefix("/files") {
                    return design::file::page(self, mount, &parameters).await;
                }
                if let Some(run) = below.strip_prefix("/runs/") {
                    return measure::runs(self, run, &parameters).await;
                }
                if let Some(name) = below.strip_prefix("/assets/") {
                    return self.asset(name);
                }
                if let Some(name) = below.strip_prefix("/docs") {
                    return self.manual(name.trim_matches('/'), &parameters);
                }
                let Some(at) = place::At::of(self, below) else { return self.nothing() };
                match at.view {
                    View::New => item::new_page(self, &at).await,
                    View::Data if at.key.is_empty() => rows::page(self, &at, &parameters).await,
                    View::Data => item::page(self, &at, &parameters).await,
                    View::Export => export::rows(self, &at, &parameters).await,
                    View::Import => import::page(self, &at).await,
                    View::Api => api::page(self, &at, &parameters).await,
                    View::Measure => measure::form(self, &at).await,
                    View::Explain => explain::page(self, &at, &parameters).await,
                }
            }
        }
    }

    /// What a form asks for.
    async fn done(&self, below: &str) -> Reply {
        let body = match self.arrived.body().await {
            Ok(body) => body,
            Err(error) => {
                return self.problem(
                    StatusCode::BAD_REQUEST,
                    "The form could not be read",
                    &error.message,
                );
            }
        };
        if let Some(at) = place::At::of(self, below).filter(|at| at.view == View::Import) {
            // Rows are sent as they are.
            let query = self.arrived.request.uri().query().unwrap_or_default();
            return self.imported(&at, &form::parameters(query.as_bytes()), &body).await;
        }
        let form = form::parameters(&body);
        match below {
            "/sign-in" => return sign_in::sign_in(self, &form).await,
            "/sign-in/token" => return sign_in::paste(self, &form).await,
            "/enter" => return sign_in::enter(self, &form).await,
            _ => {}
        }
        if let Some(refused) = self.of_another_session(&form) {
            return refused;
        }
        match below {
            "/sign-out" => sign_in::sign_out(self).await,
            "/changes/" => changes::done(self, &form).await,
            "/operate/clients" => clients::done(self, &form).await,
            "/operate/links" => links::done(self, &form).await,
            "/operate/dead-letters" => letters::done(self, &form).await,
            _ if below.starts_with("/design/") => {
                design::view::done(self, below.trim_start_matches("/design"), &form).await
            }
            _ if below.starts_with("/files/") => {
                let query = self.arrived.request.uri().query().unwrap_or_default();
                let parameters = form::parameters(query.as_bytes());
                let mount = below.trim_start_matches("/files");
                design::file::done(self, mount, &parameters, &form).await
            }
            _ if below.starts_with("/runs/") => {
                measure::change(self, below.trim_start_matches("/runs/"), &form).await
            }
            _ => match place::At::of(self, below) {
                Some(at) if at.view == View::Measure => measure::start(self, &at, &form).await,
                Some(at) if at.view == View::New => item::make(self, &at, &form).await,
                Some(at) if at.view == View::Api => api::done(self, &at, &form).await,
                Some(at) if !at.key.is_empty() => item::change(self, &at, &form).await,
                _ => self.nothing(),
            },
        }
    }

    async fn imported(&self, at: &place::At, form: &form::Form, rows: &bytes::Bytes) -> Reply {
        match self.of_another_session(form) {
            Some(refused) => refused,
            None => import::done(self, at, form, rows).await,
        }
    }

    /// Refuses a form of another session.
    fn of_another_session(&self, form: &form::Form) -> Option<Reply> {
        let session = self.session.as_ref()?;
        let detail = "The form was made for another session. Go back, reload the page and send it again: what you typed is kept.";
        let refused = || self.problem(StatusCode::FORBIDDEN, "Another session", detail);
        (!session.has_made(form.text("csrf"))).then(refused)
    }
}
