//! A request of a known caller.

use std::sync::Arc;

use duet_auth::bearer::Challenge;
use duet_auth::{Decision, Open, Principal, TokenError};
use duet_model::{Code, Error};
use duet_service::{Auth, Service, Tenant, WorkerHandle};
use hyper::Method;
use hyper::header::HeaderName;

use super::arrived::ArrivedRequest;
use super::credential::Credential;
use super::declared_login;
use super::linked::LinkToken;
use super::principal::{KeyWait, now, principal};
use super::repeated;
use super::site::Site;
use super::tenant::{self, TenantSeat};
use crate::answer::refusal::{Refusal, refusal};
use crate::observe::event::Event;

/// A request whose head is right, and whose caller is known where that matters.
pub(crate) struct AuthenticatedRequest<'a> {
    arrived: &'a ArrivedRequest,
    site: Site<'a>,
    /// The caller; the anonymous one where the site is open to everybody.
    who: Arc<Principal>,
    /// The tenant that it is for, where the application has tenants.
    seat: Option<TenantSeat>,
}

impl<'a> AuthenticatedRequest<'a> {
    /// Checks the head, and identifies the caller.
    ///
    /// # Errors
    /// Where the head is wrong, or the token is not good.
    pub(crate) fn of(arrived: &'a ArrivedRequest, wait: KeyWait) -> Result<Self, Refusal> {
        let site = Site::of(arrived);
        if site != Site::Preflight {
            arrived.check()?;
            let login = own_login(arrived, site);
            let keys = arrived.worker.shared.options.api_key_header.as_ref();
            let own = [login.as_deref(), keys.map(HeaderName::as_str)];
            repeated::check(arrived.request.headers(), own.into_iter().flatten())?;
        }
        arrived.trace.is_of(site.application());
        let auth = auth_of(arrived, site);
        if site.is_open() {
            let who = Arc::clone(auth.anonymous());
            return Ok(Self { arrived, site, who, seat: None });
        }
        let worker = &arrived.worker;
        let headers = arrived.request.headers();
        let peer = worker.peer(&arrived.remote, headers);
        let keys = worker.shared.options.api_key_header.as_ref();
        let is_elsewhere = !Credential::is_in(headers, keys);
        let application = site.application().filter(|_| is_elsewhere);
        let snapshot = application.map(|number| worker.readers[number].snapshot());
        let own =
            snapshot.as_ref().and_then(|snapshot| declared_login::token_of(snapshot, headers));
        let credential = match LinkToken::of(&arrived.request) {
            Some(link) => Ok(link.credential(!is_elsewhere || own.is_some())?),
            None => Credential::of(headers, keys, own),
        };
        let who = principal(credential, auth, peer, &worker.shared.bad_tokens, wait);
        let who = who.inspect_err(|refused| {
            if wait.allows(refused) {
                return;
            }
            let (peer, code) = (arrived.remote.text.as_str(), refused.error.code);
            worker.events.emit(&Event::TokenRefused { peer, code });
        })?;
        arrived.trace.is_by(&who);
        if who.link().is_some_and(|link| !link.leads_to(arrived.request.uri().path())) {
            return Err(Error::new(Code::Forbidden, "The link leads to another address.").into());
        }
        if !who.is_anonymous() || auth.open() != Open::No {
            arrived.remote.has_authenticated();
        }
        Ok(Self { arrived, site, who, seat: None })
    }

    /// Waits for the keys of the issuer, which may have others than are known.
    pub(crate) async fn newest_keys(arrived: &ArrivedRequest) {
        if let Some(issuer) = auth_of(arrived, Site::of(arrived)).issuer() {
            issuer.newest_keys().await;
        }
    }

    /// Counts a request by a link that is good for a number of them: each one, whatever becomes of it, before it does
    /// anything.
    ///
    /// # Errors
    /// Where the link is used up, and where the clients cannot be changed.
    pub(crate) async fn count_use(&self) -> Result<(), Refusal> {
        let counts = self.arrived.request.method() != Method::OPTIONS;
        let Some(number) = self.who.counted_link().filter(|_| counts) else { return Ok(()) };
        match self.auth().use_link(number, now()).await? {
            true => Ok(()),
            false => {
                let ended = TokenError::LinkEnded;
                Err(Refusal::challenging(Error::from(ended), Challenge::Invalid(ended)))
            }
        }
    }

    /// Finds the tenant of a request for an application that has tenants.
    ///
    /// # Errors
    /// Where it names none, or one that it may not reach, or that has too many requests.
    pub(crate) async fn seated(self) -> Result<Self, Refusal> {
        let Site::Application(application) = self.site else { return Ok(self) };
        let worker = &self.arrived.worker;
        let Some(tenants) = worker.shared.applications.tenants(application) else {
            return Ok(self);
        };
        let headers = self.arrived.request.headers();
        let seat = tenant::seat(tenants, headers, &self.who, self.auth(), |tenant| {
            worker.tenant_reader(application, tenants, tenant)
        })
        .await?;
        self.arrived.trace.is_for(seat.tenant());
        Ok(Self { seat: Some(seat), ..self })
    }

    /// The refusal of a request that its tenant's database failed because the tenant was removed.
    pub(crate) async fn removed_tenant(&self) -> Option<Refusal> {
        let (Site::Application(application), Some(seat)) = (self.site, &self.seat) else {
            return None;
        };
        let tenants = self.arrived.worker.shared.applications.tenants(application)?;
        tenant::removed(tenants, seat, &self.who, self.auth()).await
    }

    /// The hold on the service that the request is for.
    pub(crate) fn reader(&self) -> Option<&WorkerHandle> {
        if let Some(seat) = &self.seat {
            return Some(&seat.reader);
        }
        self.site.application().map(|number| &self.arrived.worker.readers[number])
    }

    /// The tenant that the request is for.
    pub(crate) fn tenant(&self) -> Option<&Arc<Tenant>> {
        self.seat.as_ref().map(TenantSeat::tenant)
    }

    pub(crate) fn arrived(&self) -> &'a ArrivedRequest {
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
            Site::Absent => nothing(),
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

/// The header in which requests of the application send the tokens of its login. Looked for where a header is
/// repeated alone.
fn own_login(arrived: &ArrivedRequest, site: Site<'_>) -> Option<String> {
    let headers = arrived.request.headers();
    let number = site.application().filter(|_| headers.len() != headers.keys_len())?;
    let snapshot = arrived.worker.readers[number].snapshot();
    snapshot.application.mounts.login().map(|login| login.header.clone())
}

fn auth_of<'a>(arrived: &'a ArrivedRequest, site: Site<'_>) -> &'a Auth {
    match site.application() {
        Some(number) => arrived.worker.service(number).auth(),
        None => arrived.worker.shared.applications.auth(),
    }
}
