//! The way of a request, top to bottom: bytes, route, principal, resource, plan, store, writer,
//! bytes. Each step is timed.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_auth::{Decision, Operation, Principal, ReadRight, ResourceAccess};
use duet_document::Links;
use duet_model::problem::quoted;
use duet_model::{Code, Error};
use duet_service::{
    Acting, Auth, Client, Expansion, ItemQuery, Mount, Renewed, Resource, Service,
    SlowestStatement, Snapshot, below,
};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, CONNECTION, HeaderName, HeaderValue, IF_NONE_MATCH, TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use hyper::{Method, Request, Response, StatusCode};

use crate::accept::{Form, none_match, takes_json};
use crate::access_log::{self, Entry};
use crate::body::Kept;
use crate::catalog::{Catalog, CatalogRequest};
use crate::constant::constant;
use crate::describe::names::segment;
use crate::header::list;
use crate::link::PageLinks;
use crate::methods::Methods;
use crate::metrics::Step;
use crate::principal::principal;
use crate::refusal::{Refusal, refusal};
use crate::remote::Remote;
use crate::reply::{JSON, PROBLEM, Reply, ReplyBody};
use crate::stream::Account;
use crate::worker::Worker;
use crate::{admin, batchload, index, origin, problem, search, token, transaction, write};
use duet_service::query::{PageParameters, Parameters};

/// When the steps of a request ended.
#[derive(Clone, Copy, Debug)]
struct Times {
    begun: Instant,
    admitted: Option<Instant>,
    fetched: Option<Instant>,
}

/// Where whoever answers notes when its steps ended.
pub(crate) struct Timed<'a> {
    times: &'a mut Times,
}

impl Timed<'_> {
    /// Whoever asks may, and what is asked for is known.
    pub(crate) fn admitted(&mut self) {
        self.times.admitted = Some(Instant::now());
    }

    /// The rows had arrived at this moment.
    pub(crate) fn fetched(&mut self, at: Instant) {
        self.times.fetched = Some(at);
    }
}

/// What is known of a request when it is answered.
struct Exchange {
    times: Times,
    principal: Option<Arc<Principal>>,
    /// The number of the application that the path belongs to.
    application: Option<usize>,
    resource: Option<(Arc<Snapshot>, String, Arc<Resource>)>,
    /// Whether it is a bulk load, which takes as long as its client sends.
    is_load: bool,
    /// For the slow log.
    slowest: Rc<SlowestStatement>,
}

impl Exchange {
    /// The client's id; empty where nobody in particular asks.
    fn client(&self) -> &str {
        self.principal.as_ref().and_then(|who| who.client_id()).unwrap_or("")
    }

    /// The client's name; empty for a request without a token.
    fn client_name(&self) -> &str {
        let principal = self.principal.as_ref().filter(|who| !who.is_anonymous());
        principal.map_or("", |who| who.name())
    }
}

/// Answers a request. Never fails: whatever goes wrong is an answer too.
pub(crate) async fn handle(
    worker: Rc<Worker>,
    remote: Rc<Remote>,
    request: Request<Incoming>,
) -> Result<Response<ReplyBody>, Infallible> {
    let number = worker.next_request();
    let method = request.method().clone();
    let target = worker.log.is_on().then(|| access_log::target(request.uri()));
    let mut exchange = Exchange {
        times: Times { begun: Instant::now(), admitted: None, fetched: None },
        principal: None,
        application: None,
        resource: None,
        is_load: false,
        slowest: Rc::new(SlowestStatement::new(worker.shared.options.slow)),
    };
    let browser = worker.shared.cors.as_ref().map(|cors| (cors, cors.asked(&request)));
    let reply = match &browser {
        Some((_, asked)) if asked.is_preflight => Ok(Reply::empty(StatusCode::NO_CONTENT)),
        _ => answer(&worker, &remote, request, &mut exchange).await,
    };
    let reply =
        reply.unwrap_or_else(|refused| failed(&worker, exchange.application, &refused, number));
    let memory = &worker.shared.memory;
    let reply = reply
        .charge(memory, method.is_safe())
        .unwrap_or_else(|error| failed(&worker, exchange.application, &error.into(), number));
    let reply = finish(&worker, &remote, &exchange, reply, (number, &method, target.as_deref()));
    let mut response = reply.into_response(method == Method::HEAD);
    if let Some((cors, asked)) = browser {
        cors.tell(asked, response.headers_mut());
    }
    if worker.shared.is_stopping() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}

/// The refusal of a body that is compressed or coded in transfer (RFC 9112 §6.1).
pub(crate) fn transfer_coding() -> Error {
    Error::new(Code::TransferCoding, "The only Transfer-Encoding is chunked.")
        .hint("Send the body as it is, with a Content-Length or chunked.")
}

/// Route, principal, and on to what the path names.
async fn answer(
    worker: &Worker,
    remote: &Remote,
    request: Request<Incoming>,
    exchange: &mut Exchange,
) -> Result<Reply, Refusal> {
    let options = &worker.shared.options;
    if let Some(target) = request.uri().path_and_query()
        && target.as_str().len() > options.limits.uri_bytes
    {
        let message = format!("The path and query may have {} bytes.", options.limits.uri_bytes);
        return Err(Error::new(Code::UriTooLong, message).into());
    }
    let coding = request.headers().get(TRANSFER_ENCODING);
    if coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        return Err(transfer_coding().into());
    }
    let path = request.uri().path();
    if let Some(what) = below("/health", path) {
        return admin::health(worker, request.method(), what.trim_matches('/'));
    }
    let applications = &worker.shared.applications;
    let of_process = path == "/metrics" || below("/admin", path).is_some();
    if path == "/" {
        return index::root(worker, remote, &request);
    }
    if path == "/oauth/token" {
        return token::token(worker, remote, applications.auth(), request).await;
    }
    exchange.application = if of_process { None } else { applications.find(path) };
    let auth = match exchange.application {
        Some(number) => worker.service(number).auth(),
        None => applications.auth(),
    };
    if let Some(number) = exchange.application
        && path.ends_with("/oauth/token")
        && let Some((_, "oauth/token")) = worker.readers[number].snapshot().route(path)
    {
        return token::token(worker, remote, auth, request).await;
    }
    // Browsers ask for it by themselves; a challenge would make them ask for a password.
    if path == "/favicon.ico" {
        return Err(Service::nothing_here().into());
    }
    let limiter = &worker.shared.bad_tokens;
    let peer = worker.peer(remote, request.headers());
    let who = principal(request.headers(), auth, peer, limiter)
        .inspect_err(|_| worker.metrics.tokens_refused.add(1))?;
    exchange.principal = Some(Arc::clone(&who));
    if path == "/metrics" {
        return admin::metrics(worker, &who, request.method());
    }
    if let Some(what) = path.strip_prefix("/admin/") {
        return admin::admin(worker, &who, request.method(), what).await;
    }
    let Some(number) = exchange.application else { return Err(nothing_here(auth, &who)) };
    let request = request.map(Kept::new);
    served(worker, remote, &request, (number, exchange), &who).await
}

/// The refusal of a path that leads nowhere.
fn nothing_here(auth: &Auth, who: &Principal) -> Refusal {
    refuse_stranger(auth, who).unwrap_or_else(|| Service::nothing_here().into())
}

/// How often a request is begun anew because the schema has changed under it.
const RENEWALS: usize = 10;

/// What the catalog says is served; begun anew where the catalog turns out to be out of date, so
/// that a change of the schema fails no request.
async fn served(
    worker: &Worker,
    remote: &Remote,
    request: &Request<Kept>,
    (number, exchange): (usize, &mut Exchange),
    who: &Arc<Principal>,
) -> Result<Reply, Refusal> {
    let asked = origin::Asked {
        peer: remote.ip,
        trust: worker.shared.options.trust(),
        local: &remote.local,
        secure: remote.secure,
    };
    let base = origin::base(request, asked)?;
    let service = worker.service(number);
    let client = match who.client_id() {
        Some(id) => Client::of(id),
        None => Client::of(&worker.peer(remote, request.headers())),
    };
    let slowest = Rc::clone(&exchange.slowest);
    let reader = worker.readers[number].acting(who.identity()?).for_client(client);
    let reader = reader.timed_by(&slowest);
    let mut renewals = 0;
    loop {
        exchange.resource = None;
        let snapshot = worker.readers[number].snapshot();
        let Some((mount, tail)) = snapshot.route(request.uri().path()) else {
            exchange.application = None;
            return Err(nothing_here(service.auth(), who));
        };
        let began = Instant::now();
        let scope = Scope { worker, reader, request, snapshot: &snapshot, mount, base: &base, who };
        let answer = scope.below_mount(tail, exchange).await;
        let Err(refused) = answer else { return answer };
        if refused.error.code != Code::SchemaChanged || renewals == RENEWALS {
            return Err(refused);
        }
        match service.renew(snapshot.generation, began, Instant::now()).await {
            Renewed::Changed => {}
            Renewed::Unknown => return Err(refused),
            Renewed::Unchanged => {
                return Err(Refusal { error: Box::new(refused.error.settled()), ..refused });
            }
        }
        renewals += 1;
    }
}

/// The refusal of whoever has no token, unless the server is open: for whatever path, so that
/// strangers learn nothing of what there is.
fn refuse_stranger(auth: &Auth, who: &Principal) -> Option<Refusal> {
    let closed = auth.open() == duet_auth::Open::No;
    if who.is_anonymous() && closed { refusal(Decision::Unauthorized) } else { None }
}

/// A request below a mount.
pub(crate) struct Scope<'a> {
    pub(crate) worker: &'a Worker,
    /// The way to the database, on behalf of whoever asks.
    pub(crate) reader: Acting<'a>,
    pub(crate) request: &'a Request<Kept>,
    pub(crate) snapshot: &'a Arc<Snapshot>,
    pub(crate) mount: &'a Mount,
    pub(crate) base: &'a str,
    pub(crate) who: &'a Arc<Principal>,
}

impl Scope<'_> {
    async fn below_mount(&self, tail: &str, exchange: &mut Exchange) -> Result<Reply, Refusal> {
        let (first, rest) = tail.split_once('/').unwrap_or((tail, ""));
        match first {
            "" if rest.is_empty() => self.index(),
            "metadata-catalog" => self.catalog(Catalog::Metadata, rest).await,
            "open-api-catalog" => self.catalog(Catalog::OpenApi, rest).await,
            "_" if rest == transaction::PATH => Box::pin(self.transaction()).await,
            "_" => self.special(rest),
            _ => {
                let name = duet_model::key::percent_decode(first)?;
                let resource = match self.mount.resource(&name) {
                    Ok(resource) => Arc::clone(resource),
                    Err(error) => match self.mount.routine(&name) {
                        Some(routine) => {
                            let mut timed = Timed { times: &mut exchange.times };
                            return self.routine(routine, rest, &mut timed).await;
                        }
                        None => {
                            return Err(self
                                .refuse_stranger()
                                .unwrap_or_else(|| self.unknown(error, &name).into()));
                        }
                    },
                };
                let place =
                    (Arc::clone(self.snapshot), self.mount.path.clone(), Arc::clone(&resource));
                exchange.resource = Some(place);
                // An item's address with a slash behind it is the same.
                let tail = rest.strip_suffix('/').filter(|tail| !tail.is_empty()).unwrap_or(rest);
                self.resource(&resource, tail, exchange).await
            }
        }
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
        let resources = resources.filter(|one| reaches(&one.access)).map(|one| one.name.as_str());
        let routines = self.mount.routines().into_iter();
        let routines = routines.filter(|one| reaches(&one.access)).map(|one| one.name.as_str());
        let nearest = duet_model::name::nearest(name, resources.chain(routines));
        error.maybe_hint(nearest.map(duet_model::problem::did_you_mean))
    }

    async fn resource(
        &self,
        resource: &Arc<Resource>,
        tail: &str,
        exchange: &mut Exchange,
    ) -> Result<Reply, Refusal> {
        let method = self.request.method();
        let by_body = search::asks_by_body(method, tail);
        let writes = !by_body && write::is_write(method);
        let methods = Methods::below(resource, tail);
        let offered = methods.contains(method.as_str());
        let operation = if writes && offered { write::operation(method) } else { Operation::Read };
        let place = if by_body { "" } else { tail };
        self.admit(&resource.access, (operation, &resource.name), place)?;
        match *method {
            Method::OPTIONS => return Ok(search::options(resource, tail)),
            _ if by_body => {}
            _ if offered => {}
            _ if writes && self.snapshot.standby => self.check_writes()?,
            _ => return Err(Refusal::method_of(resource, writes, methods)),
        }
        if offered && batchload::is_load(method, tail) {
            exchange.is_load = true;
            return self.load(resource, tail, &mut Timed { times: &mut exchange.times }).await;
        }
        let (form, media) = if !writes && (by_body || tail.is_empty()) {
            self.form()?
        } else {
            self.check_accept()?;
            (Form::Json, JSON)
        };
        let name = segment(&resource.name);
        let collection = format!("{}{}/{name}/", self.base, self.mount.path);
        let described_by = format!("{}{}/metadata-catalog/{name}/", self.base, self.mount.path);
        let writable = self.may_edit(resource, place, writes || !place.is_empty());
        let links = Links { collection: &collection, described_by: &described_by, writable };
        let mut timed = Timed { times: &mut exchange.times };
        if writes {
            // Boxed: the future of a write is the largest of all.
            return Box::pin(self.write(resource, tail, &links, &mut timed)).await;
        }
        if by_body {
            return self.search(resource, &links, (form, media), &mut timed).await;
        }
        timed.admitted();
        if let Form::Stream(format) = form {
            let parameters = PageParameters::parse(self.request.uri().query())?;
            let expansion = self.expansion(resource, parameters.expand.as_deref())?;
            let query = parameters.query(self.read_right(resource)?, expansion.as_ref());
            return self.lines(resource, &query, (format, media), &mut timed).await;
        }
        let document = if tail.is_empty() {
            self.page(resource, &links).await?
        } else {
            self.item(resource, tail, &links).await?
        };
        timed.fetched(document.fetched_at);
        let mut reply = Reply::json(document.body);
        reply.etag = Some(document.etag);
        reply.varies = true;
        Ok(self.conditional(reply))
    }

    /// Whether links to a place below a resource invite the caller to edit it: an item is changed or
    /// removed, to a collection items are added too.
    pub(crate) fn may_edit(&self, resource: &Resource, tail: &str, is_item: bool) -> bool {
        let offered = resource.shape.root().operations;
        let may = |operation| resource.access.allows(self.who, operation, tail).is_allowed();
        resource.is_writable()
            && (may(Operation::Update)
                || offered.delete && may(Operation::Delete)
                || !is_item && offered.insert && may(Operation::Insert))
    }

    async fn item(
        &self,
        resource: &Resource,
        key: &str,
        links: &Links<'_>,
    ) -> Result<duet_service::Document, Refusal> {
        if key.contains('/') {
            return Err(Error::new(Code::NotServed, "Items have nothing below them.").into());
        }
        let (fields, expand) = match self.request.uri().query() {
            None => (None, None),
            query => {
                let parameters = Parameters::parse(query, &["fields", "expand"])?;
                (parameters.text("fields")?, parameters.text("expand")?)
            }
        };
        let expansion = self.expansion(resource, expand.as_deref())?;
        let query = ItemQuery { key, fields: fields.as_deref(), expansion: expansion.as_ref() };
        Ok(self.reader.item(resource, query, links).await?)
    }

    async fn page(
        &self,
        resource: &Resource,
        links: &Links<'_>,
    ) -> Result<duet_service::PageDocument, Refusal> {
        let query = self.request.uri().query();
        let parameters = PageParameters::parse(query)?;
        let expansion = self.expansion(resource, parameters.expand.as_deref())?;
        let asked = parameters.query(self.read_right(resource)?, expansion.as_ref());
        let page_links = PageLinks {
            collection: links.collection,
            described_by: links.described_by,
            query,
            limit_given: parameters.limit.is_some(),
            by_key: asked.after.is_some(),
            writable: links.writable,
        };
        let write_links = |frame: &duet_document::Page, more: bool, marker: &str| {
            page_links.json(frame, more, marker)
        };
        Ok(self.reader.page(resource, &asked, links, &write_links).await?)
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
        let limits = self.reader.service().limits();
        Ok(Some(self.mount.expansion(resource, text, &readable, &limits)?))
    }

    /// What is below the mount, as far as the caller may use it.
    fn index(&self) -> Result<Reply, Refusal> {
        let Some(index) = index::of_mount(self.mount, self.who, self.base) else {
            return Err(self.refuse_stranger().unwrap_or_else(|| Service::nothing_here().into()));
        };
        match *self.request.method() {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Ok(options()),
            _ => return Err(Refusal::method(Methods::READ)),
        }
        self.check_accept()?;
        let mut reply = Reply::json(index.to_string().into_bytes());
        let etag = duet_document::Etag::of("index", &reply.body);
        reply.etag = Some(format!("\"{etag}\""));
        reply.varies = true;
        Ok(self.conditional(reply))
    }

    async fn catalog(&self, catalog: Catalog, tail: &str) -> Result<Reply, Refusal> {
        if let Some(refused) = self.refuse_stranger() {
            return Err(refused);
        }
        match *self.request.method() {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Ok(options()),
            _ => return Err(Refusal::method(Methods::READ)),
        }
        self.check_accept()?;
        let own = |mount: &Mount| std::ptr::eq(mount, self.mount);
        let request = CatalogRequest {
            service: Arc::clone(self.reader.service()),
            snapshot: Arc::clone(self.snapshot),
            mount: self.snapshot.mounts.iter().position(own).unwrap_or_default(),
            principal: Arc::clone(self.who),
            catalog,
            tail: tail.to_owned(),
            query: self.request.uri().query().map(str::to_owned),
        };
        let shared = &self.worker.shared;
        let reply = request.answer(self.base, (&shared.descriptions, &shared.offload)).await?;
        Ok(self.conditional(reply))
    }

    fn special(&self, tail: &str) -> Result<Reply, Refusal> {
        let bytes =
            tail.strip_prefix("constant/").filter(|_| self.worker.shared.options.trial_endpoints);
        if let Some(refused) = self.refuse_stranger() {
            return Err(refused);
        }
        let Some(bytes) = bytes else { return Err(Service::nothing_here().into()) };
        if !matches!(*self.request.method(), Method::GET | Method::HEAD) {
            return Err(Refusal::method(Methods::LOOK));
        }
        self.check_accept()?;
        Ok(constant(bytes)?)
    }

    /// Proof that the caller may read a collection; filters and orders need it.
    pub(crate) fn read_right<'r>(&self, resource: &'r Resource) -> Result<ReadRight<'r>, Refusal> {
        self.admit(&resource.access, (Operation::Read, &resource.name), "")?;
        let denied = |_| Error::internal("a denial that allows").into();
        resource.access.read_right(self.who).map_err(denied)
    }

    /// Refuses what the caller may not do to a resource of this name: 401 without a token, 403 with
    /// one, which says what is missing. `tail` is what follows the resource in the path.
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

    pub(crate) fn refuse_stranger(&self) -> Option<Refusal> {
        refuse_stranger(self.reader.service().auth(), self.who)
    }

    /// Refuses writes while the database is a standby.
    pub(crate) fn check_writes(&self) -> Result<(), Refusal> {
        if !self.snapshot.standby {
            return Ok(());
        }
        let message = "The database is a standby, which can only be read. Send writes to a server of the primary.";
        Err(Error::new(Code::DatabaseReadOnly, message).into())
    }

    pub(crate) fn check_accept(&self) -> Result<(), Refusal> {
        if takes_json(list(self.request.headers(), &ACCEPT).as_deref()) {
            return Ok(());
        }
        Err(Error::new(Code::NotAcceptable, "This is served as application/json only.").into())
    }

    /// 304 where the client already has this representation.
    pub(crate) fn conditional(&self, reply: Reply) -> Reply {
        let Some(tags) = list(self.request.headers(), &IF_NONE_MATCH) else { return reply };
        let matched = reply.etag.as_deref().is_some_and(|etag| none_match(&tags, etag));
        if !matched {
            return reply;
        }
        let (body, pieces) = (Vec::new(), Vec::new());
        Reply { status: StatusCode::NOT_MODIFIED, content_type: None, body, pieces, ..reply }
    }
}

fn options() -> Reply {
    Reply::empty(StatusCode::NO_CONTENT).allow(Methods::READ)
}

/// The answer to a request that failed; the cause goes to the log.
fn failed(worker: &Worker, application: Option<usize>, refused: &Refusal, number: u64) -> Reply {
    let error = &refused.error;
    let id = worker.request_id(number);
    let as_ords =
        application.is_some_and(|number| worker.service(number).write_limits().ords_statuses);
    let form = if as_ords { problem::Form::Ords } else { problem::Form::Native };
    let status = form.status(error.code);
    let application = worker.application_name(application);
    if let Some(cause) = &error.cause {
        if status >= 500 {
            tracing::error!(request = %id, application, code = error.code.as_str(), cause, "request failed");
        } else {
            tracing::warn!(request = %id, application, code = error.code.as_str(), cause, "request refused");
        }
    }
    let body = problem::body_as(form, error, &id);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut reply = Reply::new(status, Some(PROBLEM), body);
    if let Some(challenge) = refused.challenge {
        reply = reply.with_text(WWW_AUTHENTICATE, &challenge.header_value());
    }
    if let Some(seconds) = error.retry_after {
        reply = reply.retry_after(seconds);
    }
    if let Some(methods) = refused.allow {
        reply = reply.allow(methods);
    }
    reply
}

/// Counts, logs, and adds what every answer carries.
fn finish(
    worker: &Rc<Worker>,
    remote: &Rc<Remote>,
    exchange: &Exchange,
    mut reply: Reply,
    (number, method, target): (u64, &Method, Option<&str>),
) -> Reply {
    let ended = Instant::now();
    let times = &exchange.times;
    let total = ended - times.begun;
    let status = reply.status.as_u16();
    worker.metrics.requests.add(1);
    worker.metrics.bytes_sent.add(reply.length() as u64);
    let target = match &mut reply.lines {
        None => target,
        Some(lines) => {
            lines.account(Account {
                worker: Rc::clone(worker),
                remote: Rc::clone(remote),
                number,
                application: exchange.application,
                client: exchange.client().to_owned(),
                name: exchange.client_name().to_owned(),
                method: method.clone(),
                target: target.map(str::to_owned),
                begun: times.begun,
                bytes: 0,
            });
            None
        }
    };
    if let (Some(application), Some((snapshot, mount, resource))) =
        (exchange.application, &exchange.resource)
    {
        let metrics = worker.resource_metrics(application, snapshot, mount, resource);
        metrics.status(status);
        metrics.step(Step::Total, total);
        if let (Some(admitted), Some(fetched)) = (times.admitted, times.fetched) {
            metrics.step(Step::Admit, admitted - times.begun);
            metrics.step(Step::Store, fetched - admitted);
            metrics.step(Step::Write, ended - fetched);
            if worker.shared.options.server_timing {
                reply = reply.with(SERVER_TIMING, timing(times.begun, admitted, fetched, ended));
            }
        }
    }
    if total >= worker.shared.options.slow && !exchange.is_load {
        log_slow(worker, exchange, number, total);
    }
    if let Some(target) = target {
        worker.log.record(&Entry {
            id: &worker.request_id(number),
            peer: &remote.text,
            application: worker.application_name(exchange.application),
            client: exchange.client(),
            name: exchange.client_name(),
            method: method.as_str(),
            target,
            status,
            bytes: reply.length(),
            duration: total,
        });
    }
    reply
}

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// `Server-Timing` (W3C): milliseconds per step.
fn timing(begun: Instant, admitted: Instant, fetched: Instant, ended: Instant) -> HeaderValue {
    let millis = |from: Instant, to: Instant| (to - from).as_secs_f64() * 1e3;
    let text = format!(
        "admit;dur={:.3}, store;dur={:.3}, write;dur={:.3}",
        millis(begun, admitted),
        millis(admitted, fetched),
        millis(fetched, ended)
    );
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("admit"))
}

/// Logs a slow request that something of an application answered, with the statement that took longest.
fn log_slow(worker: &Worker, exchange: &Exchange, number: u64, total: std::time::Duration) {
    if exchange.application.is_none() {
        return;
    }
    let id = worker.request_id(number);
    let application = worker.application_name(exchange.application);
    let resource = exchange.resource.as_ref().map(|(_, _, resource)| resource.name.as_str());
    let millis = total.as_millis();
    let (statement_millis, statement) =
        exchange.slowest.get().map(|(took, text)| (took.as_millis(), text)).unzip();
    let statement = statement.as_deref();
    tracing::warn!(
        request = %id, application, resource, millis, statement_millis, statement, "slow request"
    );
}
