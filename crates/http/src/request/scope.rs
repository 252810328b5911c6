//! A request below a mount of an application, by a known caller: what plans are made from.

use std::cell::Cell;
use std::sync::Arc;

use duet_auth::{Decision, Operation, Principal, ReadRight, ResourceAccess};
use duet_model::commit_class::{CommitClass, CommitPolicy};
use duet_model::{Code, Error};
use duet_service::definition::RequestClass;
use duet_service::write::{OwnedLinks, Tags};
use duet_service::{
    Auth, Client, Document, Expansion, Mount, PageDocument, Reading, RequestContext, Resource,
    Service, Snapshot, Tenant,
};
use duet_text::problem::quoted;
use hyper::header::{ACCEPT, IF_MATCH, IF_NONE_MATCH};
use hyper::{Request, StatusCode};

use super::arrived::ArrivedRequest;
use super::authenticated::AuthenticatedRequest;
use super::body::BufferedBody;
use super::class;
use super::designed::{DesignedResource, ReadOnlyRequest};
use super::duet_position;
use super::linked::LinkToken;
use super::request_timeout;
use crate::answer::refusal::{Refusal, refusal};
use crate::answer::reply::{Content, Reply};
use crate::describe::addresses::addresses;
use crate::message::accept::{none_match, takes_json};
use crate::message::header::{list, wants_fresh};
use crate::message::origin::Origin;
use crate::message::prefer::Preferences;
use crate::observe::trace::Trace;
use crate::profiles;
use crate::worker::Worker;

/// A request below a mount.
pub(crate) struct Scope<'a> {
    authenticated: &'a AuthenticatedRequest<'a>,
    /// The way to the database, on behalf of the caller.
    acting: RequestContext<'a>,
    pub(crate) worker: &'a Worker,
    pub(crate) request: &'a Request<BufferedBody>,
    pub(crate) snapshot: &'a Arc<Snapshot>,
    pub(crate) mount: &'a Mount,
    /// Scheme and authority as the client sees them.
    pub(crate) origin: Origin<'a>,
    application: usize,
    class: Cell<RequestClass>,
    commit: Cell<CommitClass>,
    pub(crate) who: &'a Arc<Principal>,
}

impl<'a> Scope<'a> {
    /// The scope of a request for an application with this snapshot, and the rest of its path. `None`
    /// where the path lies below no mount.
    ///
    /// # Errors
    /// Where the request does not say under which address the client sees the server, and where the
    /// caller has no role of the database that it needs.
    pub(crate) fn of(
        authenticated: &'a AuthenticatedRequest<'a>,
        (application, snapshot): (usize, &'a Arc<Snapshot>),
    ) -> Result<Option<(Self, &'a str)>, Refusal> {
        let arrived = authenticated.arrived();
        let ArrivedRequest { worker, remote, request, trace, .. } = arrived;
        let who = authenticated.who();
        let origin = arrived.origin()?;
        // The turns at the database are those of tenants, so that none gets more by having more clients.
        let client = match (authenticated.tenant(), who.client_id()) {
            (Some(tenant), _) => Client::of(tenant.name()),
            (None, Some(id)) => Client::of(id),
            (None, None) => Client::of(&worker.peer(remote, request.headers())),
        };
        let reader = authenticated.reader().unwrap_or(&worker.readers[application]);
        let acting = reader.acting(who.identity()?);
        let limit = request_timeout::limit(request.headers())?;
        let acting = acting.for_client(client).timed_by(trace.slowest()).limited(limit);
        let mut acting = acting.marked_in(trace.times());
        if reader.service().store().has_standbys() {
            acting = acting.reading(trace.begin_reading());
            duet_position::note(request, trace.begin_reading())?;
        }
        let Some((mount, tail)) = snapshot.route(request.uri().path()) else { return Ok(None) };
        let profile = profiles::of(snapshot.application.profile());
        profile.check(snapshot, request.method(), request.headers())?;
        let stated = || profile.stated_user(request.headers());
        let user = who.claimed_user().or_else(stated).or_else(|| who.client_id());
        let acting = acting.for_user(user);
        let scope = Self {
            authenticated,
            acting,
            worker,
            request,
            snapshot,
            mount,
            origin,
            application,
            class: Cell::new(class::of(request.headers())),
            commit: Cell::default(),
            who,
        };
        Ok(Some((scope, tail)))
    }

    /// The way to the database, until the deadline of the request.
    pub(crate) fn reader(&self) -> RequestContext<'a> {
        let acting = self.acting.since(self.arrived().complete_at()).in_class(self.class.get());
        acting.committing(self.commit.get())
    }

    /// The request is for a resource or service of this class; no header makes batch work interactive.
    pub(crate) fn is_in_class(&self, class: RequestClass) {
        if class == RequestClass::Batch {
            self.class.set(class);
        }
    }

    /// The preferences of a write of a resource or service of this name, with these commit classes, and the
    /// commit class of what it writes from now on.
    ///
    /// # Errors
    /// Where they are wrong or not allowed.
    pub(crate) fn preferences(
        &self,
        policy: &CommitPolicy,
        name: &str,
    ) -> Result<Preferences, Error> {
        self.preferences_of([(policy, name)])
    }

    /// The same for a write of several resources: the strongest of their classes.
    ///
    /// # Errors
    /// Where they are wrong, or not allowed for one of the resources.
    pub(crate) fn preferences_of<'p>(
        &self,
        policies: impl IntoIterator<Item = (&'p CommitPolicy, &'p str)>,
    ) -> Result<Preferences, Error> {
        let mut preferences = Preferences::of(self.request.headers())?;
        for (policy, name) in policies {
            preferences = preferences.under(policy, name)?;
        }
        self.commit.set(preferences.commit());
        Ok(preferences)
    }

    /// The way to the database for a bulk load: each of its batches has a deadline of its own.
    pub(crate) fn loader(&self) -> RequestContext<'a> {
        self.acting
    }

    pub(crate) fn arrived(&self) -> &'a ArrivedRequest {
        self.authenticated.arrived()
    }

    pub(crate) fn trace(&self) -> &'a Trace {
        &self.arrived().trace
    }

    /// Which server reads of the request go to, where standbys answer some.
    pub(crate) fn standby_reading(&self) -> Option<&'a Reading> {
        self.trace().reading()
    }

    pub(crate) fn service(&self) -> &'a Arc<Service> {
        self.acting.service()
    }

    /// The tenant that the request is for.
    pub(crate) fn tenant(&self) -> Option<&'a Arc<Tenant>> {
        self.authenticated.tenant()
    }

    /// Of whom the caller is a client.
    pub(crate) fn auth(&self) -> &'a Arc<Auth> {
        self.worker.service(self.application).auth()
    }

    pub(crate) fn reject_anonymous(&self) -> Option<Refusal> {
        self.authenticated.reject_anonymous()
    }

    /// The mount's place in the snapshot.
    pub(crate) fn mount_number(&self) -> usize {
        let own = |mount: &Mount| std::ptr::eq(mount, self.mount);
        self.snapshot.mounts.iter().position(own).unwrap_or_default()
    }

    /// The addresses that links of a resource below a mount are made of.
    pub(crate) fn links(&self, mount: &Mount, resource: &Resource, writable: bool) -> OwnedLinks {
        let catalog = (self.application, self.snapshot.generation);
        // Those of a link are for its requests alone.
        let is_own =
            DesignedResource::of(self.request).is_some() || LinkToken::of(self.request).is_some();
        let addresses = match is_own {
            true => Arc::new(addresses(&self.origin, mount, resource)),
            false => self.worker.addresses.of(&self.origin, catalog, (mount, resource)),
        };
        let plain = resource.shape.document().is_some();
        OwnedLinks { addresses, writable, plain }
    }

    /// The error for a name that nothing is served under, with the nearest name among those that the
    /// caller may do something with.
    pub(crate) fn unknown(&self, error: Error, name: &str) -> Error {
        if error.code != Code::NotServed {
            return error;
        }
        let reaches = |access: &ResourceAccess| {
            let mut all = Operation::ALL.into_iter();
            all.any(|operation| access.reaches(self.who, operation).is_allowed())
        };
        let resources = self.mount.resources().iter();
        let resources =
            resources.filter(|one| one.is_served_by_name()).filter(|one| reaches(&one.access));
        let resources = resources.map(|one| one.name.as_str());
        let routines = self.mount.routines().into_iter();
        let routines = routines.filter(|one| reaches(&one.access)).map(|one| one.name.as_str());
        let nearest = duet_text::name::nearest(name, resources.chain(routines));
        error.maybe_hint(nearest.map(duet_text::problem::did_you_mean))
    }

    /// Whether links to a place below a resource invite the caller to edit it: an item is changed or
    /// removed, to a collection items are added too.
    pub(crate) fn may_edit(&self, resource: &Resource, tail: &str, is_item: bool) -> bool {
        let may = |operation| resource.access.allows(self.who, operation, tail).is_allowed();
        resource.is_writable()
            && (resource.takes_updates() && may(Operation::Update)
                || resource.takes_deletes() && may(Operation::Delete)
                || !is_item && resource.takes_inserts() && may(Operation::Insert))
    }

    /// What a request expands, as far as the client may read it.
    pub(crate) fn expansion(
        &self,
        resource: &Resource,
        text: Option<&str>,
    ) -> Result<Option<Expansion>, Refusal> {
        let Some(text) = text else { return Ok(None) };
        let readable =
            |other: &Resource| other.access.allows(self.who, Operation::Read, "").is_allowed();
        let limits = self.service().limits();
        Ok(Some(self.mount.expansion(resource, text, &readable, &limits)?))
    }

    /// Proof that the caller may read a collection; filters and orders need it.
    pub(crate) fn read_right<'r>(&self, resource: &'r Resource) -> Result<ReadRight<'r>, Refusal>
    where
        'a: 'r,
    {
        self.admit(&resource.access, (Operation::Read, &resource.name), "")?;
        let denied = |_| Error::internal("a denial that allows").into();
        resource.access.read_right(self.who).map_err(denied)
    }

    /// Refuses an operation that the caller may not do on a resource of this name: 401 without a token, 403 with
    /// one, which names the missing role. `tail` is the path after the resource.
    pub(crate) fn admit(
        &self,
        access: &ResourceAccess,
        (operation, name): (Operation, &str),
        tail: &str,
    ) -> Result<(), Refusal> {
        match access.allows(self.who, operation, tail) {
            Decision::Allow => Ok(()),
            Decision::Unauthorized => refusal(Decision::Unauthorized).map_or(Ok(()), Err),
            Decision::Forbidden => {
                let what = format!("{operation} {}", quoted(name));
                Err(Refusal::forbidden(self.who, &what, &access.roles_for(operation, tail)))
            }
        }
    }

    /// Whether the caller has the role of administrators.
    pub(crate) fn may_administrate(&self) -> bool {
        duet_auth::admin(self.who) == Decision::Allow
    }

    /// Refuses writes while the database can only be read, and those of a console that only looks.
    pub(crate) fn check_writes(&self) -> Result<(), Refusal> {
        if ReadOnlyRequest::is(self.request) {
            let message =
                "The console is read-only (`--console-read-only`), and this service writes.";
            return Err(Error::new(Code::Forbidden, message).into());
        }
        if !self.snapshot.standby {
            return Ok(());
        }
        let message = "The database can only be read: it is a standby, or a file that Duet may not write. Send writes to a server that may.";
        Err(Error::new(Code::DatabaseReadOnly, message).into())
    }

    pub(crate) fn check_accept(&self) -> Result<(), Refusal> {
        if takes_json(list(self.request.headers(), &ACCEPT).as_deref()) {
            return Ok(());
        }
        Err(Error::new(Code::NotAcceptable, "This is served as application/json only.").into())
    }

    /// The reply with a document that was read.
    pub(crate) fn document<T: Into<Content>>(&self, document: Document<T>) -> Reply {
        document.fetched_at.iter().for_each(|at| self.trace().fetched(*at));
        let mut reply = Reply::of(document.body.into());
        reply.etag = Some(document.etag);
        reply.varies = true;
        reply
    }

    /// A page as a reply.
    pub(crate) fn page(&self, page: PageDocument) -> Reply {
        let mut reply = self.document(page.document);
        if page.unindexed {
            reply.say_unindexed();
        }
        reply
    }

    /// Whether the client takes no answer from memory: `Cache-Control: no-cache` (RFC 9111 §5.2.1.4).
    pub(crate) fn wants_fresh(&self) -> bool {
        wants_fresh(self.request.headers())
    }

    /// What is sent of an answer to a read: nothing where the client has it (`If-None-Match`).
    ///
    /// # Errors
    /// [`Code::PreconditionFailed`] where `If-Match` names other tags (RFC 9110 §13.1.1).
    pub(crate) fn conditional(&self, reply: Reply) -> Result<Reply, Refusal> {
        self.check_match(reply.etag.as_deref())?;
        Ok(self.unless_known(reply))
    }

    /// Refuses a read of what has another tag than `If-Match` names; streams have none.
    ///
    /// # Errors
    /// [`Code::PreconditionFailed`].
    pub(crate) fn check_match(&self, etag: Option<&str>) -> Result<(), Error> {
        let Some(tags) = list(self.request.headers(), &IF_MATCH) else { return Ok(()) };
        let tags = Tags::parse(&String::from_utf8_lossy(&tags));
        let is_met = match etag {
            Some(etag) => tags.match_header(etag.trim_matches('"')),
            None => tags == Tags::Any,
        };
        let message = match etag {
            _ if is_met => return Ok(()),
            Some(_) => "What this address gives has none of the etags in `If-Match`.",
            None => "What this request gets has no etag, which `If-Match` could name.",
        };
        Err(Error::new(Code::PreconditionFailed, message))
    }

    /// 304 where the client already has this representation.
    fn unless_known(&self, reply: Reply) -> Reply {
        let Some(tags) = list(self.request.headers(), &IF_NONE_MATCH) else { return reply };
        let matched = reply.etag.as_deref().is_some_and(|etag| none_match(&tags, etag));
        if !matched {
            return reply;
        }
        let (content, withheld) = (Content::none(), reply.length());
        Reply { status: StatusCode::NOT_MODIFIED, content_type: None, content, withheld, ..reply }
    }
}
