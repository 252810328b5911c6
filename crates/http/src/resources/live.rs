//! Live changes: a read that goes on, as server-sent events.
//!
//! Rights are looked at again before anything is sent, and every few seconds: a subscription ends with its token.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::{Identity, Operation, Principal, TokenTenant};
use duet_document::TextBuffer;
use duet_model::{Code, Error, Result};
use duet_service::live::{EndReason, HEARTBEAT, LiveChunk, LiveQuery, LiveSubscription, end_event};
use duet_service::query::{PageParameters, Parameters, UnknownParameters};
use duet_service::view_events::ViewEventFeed;
use duet_service::{Auth, Resource, declared_parameters};
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use tokio::sync::watch;

use super::ids::asks_by_keys;
use crate::answer::lines::{LineSource, Lines, NextLines};
use crate::answer::refusal::Refusal;
use crate::answer::reply::{Content, Reply};
use crate::clients::live_seats::LiveSeat;
use crate::message::media::EVENT_STREAM;
use crate::request::credential::Credential;
use crate::request::declared_login;
use crate::request::linked::LinkToken;
use crate::request::principal::now;
use crate::request::scope::Scope;

/// The last event that a client has (WHATWG HTML §9.2.4).
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Has proxies of nginx pass events on at once.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How often the rights of a silent subscription are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// What to follow, for whom.
pub(crate) struct LivePlan<'r> {
    scope: &'r Scope<'r>,
    query: LiveQuery,
    rights: CallerRights,
}

impl<'r> LivePlan<'r> {
    /// Reads the query string.
    ///
    /// # Errors
    /// For wrong parameters, what cannot be followed, and where the caller may not read the collection.
    pub(crate) fn by_query(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
    ) -> Result<Self, Refusal> {
        scope.check_match(None)?;
        let query = scope.request.uri().query();
        let lists_keys = asks_by_keys(query);
        // It is refused by name, and no parameter of pages.
        let kept = query.filter(|_| !lists_keys);
        let parameters = PageParameters::of_resource(resource, &Vec::new(), kept)?;
        Self::with(scope, resource, (&parameters, lists_keys))
    }

    /// Takes the parameters.
    ///
    /// # Errors
    /// As [`LivePlan::by_query`].
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        parameters: &PageParameters,
    ) -> Result<Self, Refusal> {
        Self::with(scope, resource, (parameters, false))
    }

    fn with(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        parameters: (&PageParameters, bool),
    ) -> Result<Self, Refusal> {
        let right = scope.read_right(resource)?;
        let query = scope.reader().live_page((scope.snapshot, resource), right, parameters)?;
        let rights = CallerRights::of(scope, resource, "")?;
        Ok(Self { scope, query, rights })
    }

    /// Follows an item. The caller's right to read it has been checked.
    ///
    /// # Errors
    /// For wrong parameters and keys, and what cannot be followed.
    pub(crate) fn of_item(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        key: &str,
    ) -> Result<Self, Refusal> {
        scope.check_match(None)?;
        if key.contains('/') {
            return Err(Error::new(Code::NotServed, "Items have nothing below them.").into());
        }
        let others = UnknownParameters::of(resource.shape.style.profile);
        let given = scope.request.uri().query();
        let given = Parameters::read(given, &declared_parameters::OF_ITEMS, others)?;
        let asked = (given.text("fields")?, given.text("expand")?.is_some());
        let query = scope.reader().live_item((scope.snapshot, resource), key, asked)?;
        let rights = CallerRights::of(scope, resource, key)?;
        Ok(Self { scope, query, rights })
    }

    /// Answers with the state, and the changes as they come.
    ///
    /// # Errors
    /// Where the client or the server has as many subscriptions as it may have, and those of the database.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, query, rights } = self;
        subscription(scope, rights, async |last| {
            let started = scope.reader().follow(query, last).await?;
            Ok((started.first, LiveSource::Query(started.subscription)))
        })
        .await
    }
}

/// Begins a subscription, unless the request is HEAD: `start` gets the id of the last event that the client has, and
/// gives the first events and what gives the rest.
///
/// # Errors
/// Where the client or the server has as many subscriptions as it may have, and those of `start`.
pub(super) async fn subscription(
    scope: &Scope<'_>,
    rights: CallerRights,
    start: impl AsyncFnOnce(Option<&str>) -> Result<(Vec<u8>, LiveSource)>,
) -> Result<Reply, Refusal> {
    let shared = &scope.worker.shared;
    let lines = match *scope.request.method() == Method::HEAD {
        true => Lines::empty(),
        false => {
            let client = match scope.who.client_id() {
                Some(id) => id.to_owned(),
                None => {
                    let remote = &scope.arrived().remote;
                    format!("{:?}", scope.worker.peer(remote, scope.request.headers()))
                }
            };
            let seat = shared.live.sit(&client, &shared.options.live)?;
            let last = scope.request.headers().get(LAST_EVENT_ID);
            let last = last.map(|last| last.to_str().unwrap_or_default());
            let last = last.filter(|last| !last.is_empty());
            let (first, followed) = start(last).await?;
            scope.trace().fetched(Instant::now());
            let first = (!first.is_empty()).then_some(TextBuffer { text: first, lease: None });
            let source = LiveEvents {
                followed,
                rights,
                closing: shared.live.closing(),
                heartbeat: shared.options.live.heartbeat,
                sent: Instant::now(),
                ended: false,
                _seat: seat,
            };
            Lines::new(first, Box::new(source))
        }
    };
    let mut reply = Reply::new(StatusCode::OK, Some(EVENT_STREAM), Vec::new());
    reply.varies = true;
    reply.content = Content::Lines(Box::new(lines));
    Ok(reply
        .with(CACHE_CONTROL, HeaderValue::from_static("no-store"))
        .with(X_ACCEL_BUFFERING, HeaderValue::from_static("no")))
}

/// What a subscription follows.
pub(super) enum LiveSource {
    /// The documents of a query.
    Query(LiveSubscription),
    /// The events of a view.
    Events(Box<ViewEventFeed>),
}

impl LiveSource {
    async fn next(&mut self) -> LiveChunk {
        match self {
            Self::Query(subscription) => subscription.next().await,
            Self::Events(feed) => feed.next().await,
        }
    }
}

/// What a caller shows of itself.
enum OwnedCredential {
    None,
    Token(String),
    ApiKey(String),
    Link(String),
}

/// The rights that a subscription began with.
pub(super) struct CallerRights {
    credential: OwnedCredential,
    auth: Arc<Auth>,
    identity: Option<Arc<Identity>>,
    tenant: TokenTenant,
    resource: Arc<Resource>,
    tail: String,
}

impl CallerRights {
    pub(super) fn of(
        scope: &Scope<'_>,
        resource: &Arc<Resource>,
        tail: &str,
    ) -> Result<Self, Refusal> {
        let headers = scope.request.headers();
        let keys = scope.worker.shared.options.api_key_header.as_ref();
        let own = match Credential::is_in(headers, keys) {
            true => None,
            false => declared_login::token_of(scope.snapshot, headers),
        };
        let malformed = |_| Error::internal("a credential that was good is malformed");
        let link = LinkToken::of(scope.request).map(|link| Ok(Credential::Link(link.text())));
        let credential = link.unwrap_or_else(|| Credential::of(headers, keys, own));
        let credential = match credential.map_err(malformed)? {
            Credential::None => OwnedCredential::None,
            Credential::Token(token) => OwnedCredential::Token(token.to_owned()),
            Credential::ApiKey(key) => OwnedCredential::ApiKey(key.to_owned()),
            Credential::Link(token) => OwnedCredential::Link(token.to_owned()),
        };
        Ok(Self {
            credential,
            auth: Arc::clone(scope.auth()),
            identity: scope.who.identity()?.cloned(),
            tenant: scope.who.tenant().clone(),
            resource: Arc::clone(resource),
            tail: tail.to_owned(),
        })
    }

    /// Whether the caller may still read what it follows.
    ///
    /// # Errors
    /// Why not.
    fn check(&self) -> Result<()> {
        let credential = match &self.credential {
            OwnedCredential::None => Credential::None,
            OwnedCredential::Token(token) => Credential::Token(token),
            OwnedCredential::ApiKey(key) => Credential::ApiKey(key),
            OwnedCredential::Link(token) => Credential::Link(token),
        };
        let who = credential.verify(&self.auth, now())?;
        let who: &Principal = who.as_deref().unwrap_or_else(|| self.auth.anonymous());
        let may = self.resource.access.allows(who, Operation::Read, &self.tail).is_allowed();
        if may && who.identity()? == self.identity.as_ref() && *who.tenant() == self.tenant {
            return Ok(());
        }
        let message =
            format!("The rights of the caller to read {} have changed.", self.resource.name);
        Err(Error::new(Code::Forbidden, message))
    }
}

/// The events of a subscription as a stream.
struct LiveEvents {
    followed: LiveSource,
    rights: CallerRights,
    closing: watch::Receiver<bool>,
    heartbeat: Duration,
    /// When something was last sent.
    sent: Instant,
    ended: bool,
    _seat: LiveSeat,
}

impl LiveEvents {
    /// The next events; `None` behind the last one.
    async fn text(&mut self) -> Option<Vec<u8>> {
        if self.ended {
            return None;
        }
        loop {
            let pause = LOOK.min(self.heartbeat);
            let chunk = tokio::select! {
                biased;
                _ = self.closing.wait_for(|closing| *closing) => Some(LiveChunk::End(EndReason::Stopping)),
                chunk = self.followed.next() => Some(chunk),
                () = tokio::time::sleep(pause) => None,
            };
            let text = match (self.rights.check(), chunk) {
                (_, Some(LiveChunk::End(reason))) => self.end(&reason),
                (Err(error), _) => self.end(&EndReason::Failed(Box::new(error))),
                (Ok(()), Some(LiveChunk::Text(text))) => text,
                (Ok(()), None) if self.sent.elapsed() >= self.heartbeat => HEARTBEAT.to_vec(),
                (Ok(()), None) => continue,
            };
            self.sent = Instant::now();
            return Some(text);
        }
    }

    fn end(&mut self, reason: &EndReason) -> Vec<u8> {
        self.ended = true;
        // What differs between subscriptions that end together: where they are in memory.
        let spread = (std::ptr::from_ref(self).addr() >> 4) as u32;
        end_event(reason, spread)
    }
}

impl LineSource for LiveEvents {
    fn next(mut self: Box<Self>) -> NextLines {
        Box::pin(async move {
            let text = self.text().await;
            let text = text.map(|text| TextBuffer { text, lease: None });
            (self as Box<dyn LineSource>, Ok(text))
        })
    }
}
