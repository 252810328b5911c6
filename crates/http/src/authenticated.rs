//! A request of a known caller.

use std::sync::Arc;

use duet_auth::{Decision, Open, Principal};
use duet_service::{Auth, Service};

use crate::arrived::Arrived;
use crate::event::Event;
use crate::principal::principal;
use crate::refusal::{Refusal, refusal};
use crate::site::Site;

/// A request whose head is right, and whose caller is known where that matters.
pub(crate) struct Authenticated<'a> {
    arrived: &'a Arrived,
    site: Site<'a>,
    /// The caller; the anonymous one where the site is open to everybody.
    who: Arc<Principal>,
}

impl<'a> Authenticated<'a> {
    /// Checks the head, and identifies the caller.
    ///
    /// # Errors
    /// Where the head is wrong, or the token is not good.
    pub(crate) fn of(arrived: &'a Arrived) -> Result<Self, Refusal> {
        let site = Site::of(arrived);
        if site != Site::Preflight {
            arrived.check()?;
        }
        arrived.trace.is_of(site.application());
        let auth = auth_of(arrived, site);
        if site.is_open() {
            let who = Arc::clone(auth.anonymous());
            return Ok(Self { arrived, site, who });
        }
        let worker = &arrived.worker;
        let headers = arrived.request.headers();
        let peer = worker.peer(&arrived.remote, headers);
        let who = principal(headers, auth, peer, &worker.shared.bad_tokens);
        let who = who.inspect_err(|refused| {
            let (peer, code) = (arrived.remote.text.as_str(), refused.error.code);
            worker.events.emit(&Event::TokenRefused { peer, code });
        })?;
        arrived.trace.is_by(&who);
        Ok(Self { arrived, site, who })
    }

    pub(crate) fn arrived(&self) -> &'a Arrived {
        self.arrived
    }

    pub(crate) fn site(&self) -> Site<'a> {
        self.site
    }

    pub(crate) fn who(&self) -> &Arc<Principal> {
        &self.who
    }

    /// The clients that the caller is one of.
    pub(crate) fn auth(&self) -> &'a Auth {
        auth_of(self.arrived, self.site)
    }

    /// The refusal of a path that leads nowhere.
    pub(crate) fn nothing_here(&self) -> Refusal {
        let nothing = || Service::nothing_here().into();
        match self.site {
            Site::Icon => nothing(),
            _ => self.reject_anonymous().unwrap_or_else(nothing),
        }
    }

    /// The refusal of a caller without a token, unless the server is open: for whatever path, so that
    /// strangers learn nothing of what there is.
    pub(crate) fn reject_anonymous(&self) -> Option<Refusal> {
        let closed = self.auth().open() == Open::No;
        if self.who.is_anonymous() && closed { refusal(Decision::Unauthorized) } else { None }
    }
}

fn auth_of<'a>(arrived: &'a Arrived, site: Site<'_>) -> &'a Auth {
    match site.application() {
        Some(number) => arrived.worker.service(number).auth(),
        None => arrived.worker.shared.applications.auth(),
    }
}
