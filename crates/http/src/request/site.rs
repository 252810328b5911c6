//! Paths of the process itself, resolved before the caller is known.

use std::sync::Arc;

use duet_service::{ServiceResource, below};
use hyper::Method;
use hyper::header::ACCEPT;

use super::arrived::ArrivedRequest;
use super::credential::Credential;
use super::declared_login;
use super::designed::InnerRequest;
use super::linked::LinkToken;
use crate::answer::declared;
use crate::answer::problem_page::{self, ProblemPage};
use crate::message::accept::prefers;
use crate::message::agent_paths::AgentPath;
use crate::message::header::list;
use crate::message::media::JSON;
use crate::message::tenant_header;

/// A part of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site<'a> {
    /// A preflight request of a browser.
    Preflight,
    /// `/health/…`
    Health(&'a str),
    /// `/`
    Root,
    /// The console, with the path below it.
    Console(&'a str),
    /// What agents ask for.
    Agents(AgentPath),
    /// The token endpoint of an application, or of the process.
    Token(Option<usize>),
    /// The login that an application declares.
    Login(usize),
    /// `/problems/…`
    Problems(ProblemPage),
    /// The icon that browsers request unasked, or a problem that is none: no token leads to
    /// anything there, and a challenge would only make browsers prompt for a password.
    Absent,
    /// `/metrics`
    Metrics,
    /// `/admin/…`
    Admin(&'a str),
    /// The tenant API, with the path below it.
    Tenants(&'a str),
    /// Below a mount of an application.
    Application(usize),
    Nowhere,
}

impl<'a> Site<'a> {
    /// The site of a request.
    pub(crate) fn of(arrived: &'a ArrivedRequest) -> Self {
        let path = arrived.request.uri().path();
        if arrived.browser.as_ref().is_some_and(|cors_request| cors_request.is_preflight) {
            return Self::Preflight;
        }
        let applications = &arrived.worker.shared.applications;
        if LinkToken::of(&arrived.request).is_some() {
            return match applications.find(path).filter(|_| path != "/") {
                Some(number)
                    if !is_token_endpoint(arrived, number) && !is_login(arrived, number) =>
                {
                    Self::Application(number)
                }
                _ => Self::Nowhere,
            };
        }
        if let Some(what) = below("/health", path) {
            return Self::Health(what.trim_matches('/'));
        }
        if let Some(console) = &arrived.worker.shared.options.console
            && below(&console.base, path).is_some()
            // What a page asks for is never a page, whatever is served below the console's path.
            && !InnerRequest::is(&arrived.request)
        {
            return Self::Console(&path[console.base.len()..]);
        }
        if let Some(path) = AgentPath::at(path)
            && arrived.worker.shared.options.agents.is_some()
        {
            return Self::Agents(path);
        }
        match path {
            "/" => return Self::root(arrived),
            "/oauth/token" | "/oauth/token/" => return Self::Token(None),
            "/metrics" => return Self::Metrics,
            "/favicon.ico" => return Self::Absent,
            _ => {}
        }
        if below("/admin", path).is_some() {
            return path.strip_prefix("/admin/").map_or(Self::Nowhere, Self::Admin);
        }
        if let Some(page) = ProblemPage::at(path)
            && (page != ProblemPage::Index || !serves_problems(arrived))
        {
            return Self::Problems(page);
        }
        if below("/problems", path).is_some() && !serves_problems(arrived) {
            return Self::Absent;
        }
        if let Some(rest) = below(tenant_header::PATH, path)
            && applications.all_tenants().next().is_some()
        {
            return Self::Tenants(rest);
        }
        match applications.find(path) {
            Some(number) if is_token_endpoint(arrived, number) => Self::Token(Some(number)),
            Some(number)
                if arrived.request.method() == Method::POST && is_login(arrived, number) =>
            {
                Self::Login(number)
            }
            Some(number) => Self::Application(number),
            None => Self::Nowhere,
        }
    }

    /// What answers at `/`: a service of the application there, unless the client would rather have the index; else
    /// the index.
    fn root(arrived: &ArrivedRequest) -> Self {
        let worker = &arrived.worker;
        let Some(number) = worker.shared.applications.find("/") else { return Self::Root };
        let snapshot = worker.readers[number].snapshot();
        let Some((mount, tail)) = snapshot.route("/") else { return Self::Root };
        let method = match arrived.request.method().as_str() {
            "HEAD" => "GET",
            method => method,
        };
        let services = mount.services_at(tail);
        let is_asked = |service: &&(&Arc<ServiceResource>, _)| service.0.file.method == method;
        let Some((found, _)) = services.iter().find(is_asked) else { return Self::Root };
        let file = &found.file;
        let accept = list(arrived.request.headers(), &ACCEPT);
        let media = declared::media(file);
        let others: &[&str] = if media == JSON { &[] } else { &[JSON, "text/html"] };
        let is_asked = file.method != "GET" || prefers(accept.as_deref(), media, others);
        // Callers without a token see the index where the service is not open to them.
        let service = worker.service(number);
        let anonymous = service.auth().anonymous();
        let keys = worker.shared.options.api_key_header.as_ref();
        let has_token = Credential::is_in(arrived.request.headers(), keys);
        let may = has_token || found.access.reaches(anonymous, found.operation()).is_allowed();
        if is_asked && may { Self::Application(number) } else { Self::Root }
    }

    /// The number of the application that it belongs to.
    pub(crate) fn application(self) -> Option<usize> {
        match self {
            Self::Token(application) => application,
            Self::Application(number) | Self::Login(number) => Some(number),
            _ => None,
        }
    }

    /// Whether the caller does not matter here, or is identified by other means than a token.
    pub(crate) fn is_open(self) -> bool {
        !matches!(
            self,
            Self::Metrics
                | Self::Admin(_)
                | Self::Tenants(_)
                | Self::Application(_)
                | Self::Nowhere
        )
    }
}

/// Whether an application has something of its own at the path of the problems' index.
fn serves_problems(arrived: &ArrivedRequest) -> bool {
    let worker = &arrived.worker;
    let found = worker.shared.applications.find(arrived.request.uri().path());
    found.is_some_and(|number| problem_page::takes_index(&worker.readers[number].snapshot()))
}

fn is_login(arrived: &ArrivedRequest, application: usize) -> bool {
    let path = arrived.request.uri().path();
    declared_login::at(&arrived.worker.readers[application].snapshot(), path).is_some()
}

fn is_token_endpoint(arrived: &ArrivedRequest, application: usize) -> bool {
    let path = arrived.request.uri().path();
    path.trim_end_matches('/').ends_with("/oauth/token")
        && arrived.worker.readers[application]
            .snapshot()
            .route(path)
            .is_some_and(|(_, tail)| matches!(tail, "oauth/token" | "oauth/token/"))
}
