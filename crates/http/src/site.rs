//! What a path names by itself, before anything is known of the caller.

use duet_service::below;

use crate::arrived::Arrived;

/// A part of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site<'a> {
    /// A browser asks what a page may ask.
    Preflight,
    /// `/health/…`
    Health(&'a str),
    /// `/`
    Root,
    /// The token endpoint of an application, or of the process.
    Token(Option<usize>),
    /// Browsers ask for it by themselves; a challenge would make them ask for a password.
    Icon,
    /// `/metrics`
    Metrics,
    /// `/admin/…`
    Admin(&'a str),
    /// Below a mount of an application.
    Application(usize),
    Nowhere,
}

impl<'a> Site<'a> {
    /// The site of a request.
    pub(crate) fn of(arrived: &'a Arrived) -> Self {
        let path = arrived.request.uri().path();
        if arrived.browser.as_ref().is_some_and(|asked| asked.is_preflight) {
            return Self::Preflight;
        }
        if let Some(what) = below("/health", path) {
            return Self::Health(what.trim_matches('/'));
        }
        match path {
            "/" => return Self::Root,
            "/oauth/token" => return Self::Token(None),
            "/metrics" => return Self::Metrics,
            "/favicon.ico" => return Self::Icon,
            _ => {}
        }
        if below("/admin", path).is_some() {
            return path.strip_prefix("/admin/").map_or(Self::Nowhere, Self::Admin);
        }
        match arrived.worker.shared.applications.find(path) {
            Some(number) if is_token_endpoint(arrived, number) => Self::Token(Some(number)),
            Some(number) => Self::Application(number),
            None => Self::Nowhere,
        }
    }

    /// The number of the application that it belongs to.
    pub(crate) fn application(self) -> Option<usize> {
        match self {
            Self::Token(application) => application,
            Self::Application(number) => Some(number),
            _ => None,
        }
    }

    /// Whether it does not matter here who asks, or is found out by other means than a token.
    pub(crate) fn is_open(self) -> bool {
        !matches!(self, Self::Metrics | Self::Admin(_) | Self::Application(_) | Self::Nowhere)
    }
}

fn is_token_endpoint(arrived: &Arrived, application: usize) -> bool {
    let path = arrived.request.uri().path();
    path.ends_with("/oauth/token")
        && arrived.worker.readers[application]
            .snapshot()
            .route(path)
            .is_some_and(|(_, tail)| tail == "oauth/token")
}
