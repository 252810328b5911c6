//! A request for a page of the console, and who asks; what every page needs of both.

use duet_console::asset::asset;
use duet_console::manual::{self, Manual};
use duet_console::page::{self, Frame, Problem, ProblemPage, Section};
use duet_service::Issuer;
use hyper::StatusCode;
use hyper::header::{
    CONTENT_SECURITY_POLICY, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION, SET_COOKIE,
};

use super::call::{CallAnswer, Caller};
use super::cookies::renewal::SessionEnd;
use super::form::Form;
use super::session::{self, Session};
use crate::answer::html;
use crate::answer::reply::Reply;
use crate::options::console::{ConsoleOptions, IssuerLogin};
use crate::request::arrived::ArrivedRequest;

/// A request for a page, and who asks.
pub(super) struct Visit<'a> {
    pub(super) arrived: &'a ArrivedRequest,
    pub(super) options: &'a ConsoleOptions,
    pub(super) session: Option<Session>,
}

impl Visit<'_> {
    pub(super) fn api(&self) -> Caller<'_> {
        Caller { arrived: self.arrived, token: self.session.as_ref().map(Session::token) }
    }

    /// Where the browser sees the server: scheme and host. Empty where its request does not say.
    pub(super) fn origin(&self) -> String {
        self.arrived.origin().map(|origin| origin.to_string()).unwrap_or_default()
    }

    pub(super) fn base(&self) -> &str {
        &self.options.base
    }

    pub(super) fn frame<'f>(&'f self, title: &'f str, section: Section) -> Frame<'f> {
        let session = self.session.as_ref();
        Frame {
            base: self.base(),
            title,
            section,
            client: session.map(Session::client),
            is_admin: session.is_some_and(Session::is_admin),
            csrf: session.map_or("", Session::csrf),
        }
    }

    /// Whether the caller may start load tests.
    pub(super) fn may_measure(&self) -> bool {
        self.options.load_tests.is_some() && self.session.as_ref().is_some_and(Session::is_admin)
    }

    /// The sign-in at an issuer, and the issuer; `None` where people cannot sign in so.
    pub(super) fn issuer_login(&self) -> Option<(&IssuerLogin, &Issuer)> {
        let login = self.options.login.as_deref()?;
        let auths = self.arrived.worker.shared.applications.auths();
        Some((login, auths.into_iter().find_map(|auth| auth.issuer())?))
    }

    /// The address where it is one of the console, else the console's own.
    pub(super) fn own_page<'a>(&'a self, next: &'a str) -> &'a str {
        if is_below(self.base(), next) { next } else { self.base() }
    }

    pub(super) fn nothing(&self) -> Reply {
        let detail = "Nothing of the console is at this address.";
        self.problem(StatusCode::NOT_FOUND, "Nothing is here", detail)
    }

    pub(super) fn problem(&self, status: StatusCode, title: &str, detail: &str) -> Reply {
        let problem =
            Problem { title: title.to_owned(), detail: detail.to_owned(), ..Problem::default() };
        self.problem_page(status, &problem)
    }

    pub(super) fn problem_page(&self, status: StatusCode, problem: &Problem) -> Reply {
        let frame = self.frame(&problem.title, Section::None);
        shown(status, ProblemPage { frame, problem }.html())
    }

    /// What a caller without the right sees: the way to sign in, or why the client of the session may not.
    pub(super) fn refused(&self, called: &CallAnswer) -> Reply {
        if called.status == StatusCode::UNAUTHORIZED {
            let here = self.arrived.request.uri().path_and_query().map_or("/", |it| it.as_str());
            let next = duet_console::address::query(&[("next", here)]);
            let reply = see(&format!("{}/sign-in{next}", self.base()));
            return match &self.session {
                Some(_) => with_cookies(reply, &session::ended(self.arrived)),
                None => reply,
            };
        }
        self.problem_page(called.status, &called.problem())
    }

    /// What a caller sees whose session could not be renewed.
    pub(super) fn ended(&self, end: SessionEnd) -> Reply {
        let here = self.arrived.request.uri().path_and_query().map_or("/", |it| it.as_str());
        let query = duet_console::address::query(&[("next", here), ("ended", end.name())]);
        let reply = see(&format!("{}/sign-in{query}", self.base()));
        with_cookies(reply, &session::ended(self.arrived))
    }

    pub(super) fn manual(&self, name: &str, parameters: &Form) -> Reply {
        let words = parameters.text("words");
        if name.is_empty() && !words.is_empty() {
            let found = manual::found(words);
            let frame = self.frame("Search", Section::Manual);
            return shown(
                StatusCode::OK,
                Manual { frame, name: "", body: "", words, found: &found }.html(),
            );
        }
        let Some(page) = manual::page(name) else { return self.nothing() };
        let (frame, body) =
            (self.frame(page.title, Section::Manual), manual::body(page, self.base()));
        shown(
            StatusCode::OK,
            Manual { frame, name: page.name, body: &body, words: "", found: &[] }.html(),
        )
    }

    pub(super) fn asset(&self, name: &str) -> Reply {
        let Some(asset) = asset(name) else { return self.nothing() };
        let etag = format!("\"{}\"", blake3::hash(asset.text.as_bytes()).to_hex());
        let known = self.arrived.request.headers().get_all(IF_NONE_MATCH).iter();
        let is_known = known.filter_map(|tags| tags.to_str().ok()).any(|tags| tags.contains(&etag));
        let reply = match is_known {
            true => Reply::empty(StatusCode::NOT_MODIFIED),
            false => Reply::new(StatusCode::OK, Some(asset.media), asset.text.as_bytes().to_vec()),
        };
        // A new build has new files: browsers ask each time, and get them where they differ.
        reply.with_text(ETAG, &etag).with_text(HeaderName::from_static("cache-control"), "no-cache")
    }
}

/// A page with the headers that let a browser do little with it.
pub(super) fn shown(status: StatusCode, html: String) -> Reply {
    let reply = Reply::new(status, Some(html::MEDIA), html.into_bytes());
    page::HEADERS.iter().fold(reply, |reply, (name, value)| {
        reply.with(HeaderName::from_static(name), HeaderValue::from_static(value))
    })
}

/// A page that shows another one of this server inside.
pub(super) fn shown_with_frame(status: StatusCode, html: String) -> Reply {
    let mut reply = shown(status, html);
    reply.headers.retain(|(name, _)| *name != CONTENT_SECURITY_POLICY);
    reply.with(CONTENT_SECURITY_POLICY, HeaderValue::from_static(page::POLICY_WITH_FRAME))
}

/// A reply that sets cookies.
pub(super) fn with_cookies(reply: Reply, cookies: &[String]) -> Reply {
    cookies.iter().fold(reply, |reply, cookie| reply.with_text(SET_COOKIE, cookie))
}

/// Has the browser get another page.
pub(super) fn see(address: &str) -> Reply {
    Reply::empty(StatusCode::SEE_OTHER)
        .with_text(LOCATION, address)
        .with_text(HeaderName::from_static("cache-control"), "no-store")
}

/// Whether a browser that follows an address stays below a path. Browsers take `..` and `%2e` for the folder above, a
/// backslash for a slash, and leave out tabs and line ends.
fn is_below(base: &str, address: &str) -> bool {
    let Some(rest) = address.strip_prefix(base) else { return false };
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let is_dots =
        |part: &str| matches!(&*part.to_ascii_lowercase().replace("%2e", "."), "." | "..");
    rest.starts_with('/')
        && !rest.starts_with("//")
        && !address.chars().any(|char| char.is_control() || char == '\\')
        && !path.split('/').any(is_dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_console_are_below_it() {
        for own in
            ["/console/", "/console/data/hr/team?q=..%2F", "/console/a..b/...", "/console/x#.."]
        {
            assert!(is_below("/console", own), "{own}");
        }
        for other in [
            "/admin",
            "/consoles",
            "/console//other.example",
            "/console/../admin",
            "/console/data/../../admin",
            "/console/%2e%2E/admin",
            "/console/.%2e/admin",
            "/console/./x",
            "/console/..",
            "/console/..?x",
            "/console/..\\admin",
            "/console/.\t./admin",
            "https://other.example/console/",
            "",
        ] {
            assert!(!is_below("/console", other), "{other:?}");
        }
    }
}
