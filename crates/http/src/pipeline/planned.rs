//! What a request will do: its rights have been checked, its parameters and its body read.
//!
//! Futures of rare requests are boxed, and stages and statements are timed without a future around
//! theirs: an async function that awaits its argument holds it twice, and each request moves its
//! future. Reads by key once copied 35 kB each, now 10.

use std::sync::Arc;

use duet_auth::Operation;
use duet_model::Error;
use duet_service::{Resource, Right, Service};
use hyper::{Method, StatusCode};

use crate::admin::{endpoints, tenant_api};
use crate::answer::problem_answer;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::console;
use crate::describe::catalog::{Catalog, CatalogRequest};
use crate::message::media::{JSON, ResponseFormat};
use crate::message::methods::Methods;
use crate::message::subpath::{is_batch, rows_of_journal};
use crate::request::authenticated::Authenticated;
use crate::request::request_timeout;
use crate::request::routed::{Destination, Place, Routed};
use crate::request::scope::Scope;
use crate::request::site::Site;
use crate::resources::batch::BatchPlan;
use crate::resources::batchload::{self, LoadPlan};
use crate::resources::constant::constant;
use crate::resources::ids::{ItemsPlan, asks_by_keys};
use crate::resources::ingest::RowsPlan;
use crate::resources::read::{ItemPlan, PagePlan};
use crate::resources::search::{self, SearchPlan};
use crate::resources::stream::StreamPlan;
use crate::resources::transaction::TransactionPlan;
use crate::resources::write::{self, WritePlan};
use crate::resources::{index, login, token};
use crate::services::batch as service_batch;
use crate::services::batch::ServiceBatchPlan;
use crate::services::routine::{self, RoutinePlan};
use crate::services::service::{self, PlannedService, ServicePlan};

/// What a request will do.
pub(crate) struct Planned<'r> {
    authenticated: &'r Authenticated<'r>,
    plan: Plan<'r>,
}

pub(crate) enum Plan<'r> {
    /// A part of the server that belongs to no resource.
    Site(Site<'r>),
    /// What is known without the store.
    Known(Box<Reply>),
    Catalog(CatalogRequest, &'r Scope<'r>),
    Item(ItemPlan<'r>),
    Page(PagePlan<'r>),
    Items(Box<ItemsPlan<'r>>),
    Stream(Box<StreamPlan<'r>>),
    Search(Box<SearchPlan<'r>>),
    Write(Box<WritePlan<'r>>),
    Batch(Box<BatchPlan<'r>>),
    Rows(Box<RowsPlan<'r>>),
    Load(Box<LoadPlan<'r>>),
    Transaction(Box<TransactionPlan<'r>>),
    Routine(Box<RoutinePlan<'r>>),
    Service(Box<ServicePlan<'r>>),
    ServiceBatch(Box<ServiceBatchPlan<'r>>),
}

impl<'r> From<PlannedService<'r>> for Plan<'r> {
    fn from(planned: PlannedService<'r>) -> Self {
        match planned {
            PlannedService::Known(reply) => Self::Known(reply),
            PlannedService::Page(plan) => Self::Page(*plan),
            PlannedService::Stream(plan) => Self::Stream(plan),
            PlannedService::Run(plan) => Self::Service(plan),
        }
    }
}

impl<'r> Planned<'r> {
    /// Plans a request: checks the caller's rights, and reads parameters and body.
    ///
    /// # Errors
    /// Where the path leads nowhere, the caller lacks a right, or something of the request is wrong.
    pub(crate) async fn of(routed: &'r Routed<'r>) -> Result<Self, Refusal> {
        let authenticated = routed.authenticated();
        let plan = match routed.destination() {
            Destination::Nowhere => return Err(authenticated.nothing_here()),
            Destination::Site(site) => Plan::Site(*site),
            Destination::Below(scope, place) => match place {
                Place::Index => known(index(scope)?),
                Place::Catalog(catalog, tail) => catalog_plan(scope, *catalog, tail)?,
                // Boxed: the futures of these are much larger than those of the reads.
                Place::Transaction => {
                    Plan::Transaction(Box::new(Box::pin(TransactionPlan::of(scope)).await?))
                }
                Place::Special(tail) => known(special(scope, tail)?),
                Place::Routine(routine, tail) => match routine::checked(scope, (routine, tail))? {
                    Some(reply) => known(reply),
                    None => {
                        let plan = Box::pin(RoutinePlan::of(scope, routine)).await?;
                        Plan::Routine(Box::new(plan))
                    }
                },
                Place::ServiceBatch(service, given) => {
                    let plan = Box::pin(service_batch::plan(scope, (service, given))).await?;
                    Plan::ServiceBatch(Box::new(plan))
                }
                Place::Services(services) => Box::pin(service::plan(scope, services)).await?.into(),
                Place::Resource(resource, tail) => of_resource(scope, resource, tail).await?,
                Place::Unknown(unknown) => {
                    let (name, error) = &**unknown;
                    let unknown = || scope.unknown(error.clone(), name).into();
                    return Err(scope.reject_anonymous().unwrap_or_else(unknown));
                }
            },
        };
        Ok(Self { authenticated, plan })
    }

    pub(crate) fn authenticated(&self) -> &'r Authenticated<'r> {
        self.authenticated
    }

    /// Does it.
    ///
    /// # Errors
    /// Whatever the store says.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        match self.plan {
            Plan::Item(plan) => plan.answer().await,
            Plan::Page(plan) => plan.answer().await,
            Plan::Items(plan) => Box::pin(plan.answer()).await,
            Plan::Known(reply) => Ok(*reply),
            Plan::Site(site) => Box::pin(of_site(self.authenticated, site)).await,
            Plan::Catalog(request, scope) => {
                let (shared, base) = (&scope.worker.shared, scope.origin.to_string());
                let kept = (&shared.descriptions, &shared.offload);
                Ok(scope.conditional(Box::pin(request.answer(&base, kept)).await?))
            }
            Plan::Stream(plan) => Box::pin(plan.answer()).await,
            Plan::Search(plan) => Box::pin(plan.answer()).await,
            Plan::Write(plan) => Box::pin(plan.answer()).await,
            Plan::Batch(plan) => Box::pin(plan.answer()).await,
            Plan::Rows(plan) => Box::pin(plan.answer()).await,
            Plan::Load(plan) => Box::pin(plan.answer()).await,
            Plan::Transaction(plan) => Box::pin(plan.answer()).await,
            Plan::Routine(plan) => Box::pin(plan.answer()).await,
            Plan::Service(plan) => Box::pin(plan.answer()).await,
            Plan::ServiceBatch(plan) => Box::pin(plan.answer()).await,
        }
    }
}

fn known<'r>(reply: Reply) -> Plan<'r> {
    Plan::Known(Box::new(reply))
}

/// Answers for a part of the server that belongs to no resource.
async fn of_site(authenticated: &Authenticated<'_>, site: Site<'_>) -> Result<Reply, Refusal> {
    let (arrived, who) = (authenticated.arrived(), authenticated.who());
    let (worker, method) = (&arrived.worker, arrived.request.method());
    match site {
        Site::Preflight => Ok(Reply::empty(StatusCode::NO_CONTENT)),
        Site::Health(what) => endpoints::health(worker, method, what),
        Site::Problems(page) => problem_answer::answer(page, method, arrived.request.headers()),
        Site::Console(below) => Box::pin(console::answer(arrived, below)).await,
        Site::Root => match console::front(arrived) {
            Some(reply) => Ok(reply),
            None => index::root(worker, &arrived.remote, &arrived.request),
        },
        Site::Token(_) => token::token(arrived, authenticated.auth()).await,
        Site::Login(number) => {
            let snapshot = worker.readers[number].snapshot();
            login::login(arrived, authenticated.auth(), (number, &snapshot)).await
        }
        Site::Metrics => endpoints::metrics(worker, who, method).await,
        Site::Admin(what) => {
            endpoints::admin(worker, who, (method, arrived.request.uri().query()), what).await
        }
        Site::Tenants(rest) => tenant_api::answer(arrived, who, rest).await,
        Site::Absent | Site::Application(_) | Site::Nowhere => Err(authenticated.nothing_here()),
    }
}

/// The refusal of a write that the definition of a resource allows, and the database to no user.
fn denied(resource: &Resource, method: &Method, tail: &str) -> Option<Error> {
    let is_place = tail.is_empty() || is_batch(tail) || batchload::is_load(method, tail);
    let right = match *method {
        Method::POST if is_place => Right::Insert,
        Method::PUT if !tail.is_empty() => Right::Update,
        Method::PATCH => Right::Update,
        Method::DELETE => Right::Delete,
        _ => return None,
    };
    resource.denied_by_database(right)
}

/// Refuses a method that a resource does not take here, with the reason.
fn not_offered(
    scope: &Scope<'_>,
    resource: &Resource,
    tail: &str,
    writes: bool,
) -> Result<(), Refusal> {
    if writes {
        scope.check_writes()?;
        denied(resource, scope.request.method(), tail).map_or(Ok(()), Err)?;
    }
    let methods = Methods::below(resource, tail).or(service::methods_beside(scope));
    Err(Refusal::method_of(resource, writes, methods))
}

/// Plans a request for a resource.
async fn of_resource<'r>(
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    tail: &'r str,
) -> Result<Plan<'r>, Refusal> {
    scope.is_in_class(resource.class);
    let method = scope.request.method();
    if let Some(id) = rows_of_journal(tail) {
        return Ok(Plan::Rows(Box::new(RowsPlan::of(scope, resource, id)?)));
    }
    let by_body = search::asks_by_body(method, tail);
    let writes = !by_body && write::is_write(method);
    let methods = Methods::below(resource, tail);
    let offered = methods.contains(method.as_str());
    let operation = if writes && offered { write::operation(method) } else { Operation::Read };
    let by_batch = writes && offered && is_batch(tail);
    let place = if by_body || by_batch { "" } else { tail };
    let admitted = scope.admit(&resource.access, (operation, &resource.name), place);
    if *method == Method::OPTIONS {
        return options(scope, admitted.map(|()| methods), tail);
    }
    admitted?;
    if by_batch {
        scope.admit(&resource.access, (operation, &resource.name), tail)?;
    }
    if !by_body && !offered {
        not_offered(scope, resource, tail, writes)?;
    }
    if offered && batchload::is_load(method, tail) {
        scope.reject_key()?;
        request_timeout::reject(scope.request.headers())?;
        scope.trace().is_a_load();
        return Ok(Plan::Load(Box::new(LoadPlan::of(scope, (resource, tail))?)));
    }
    let (form, media) = if !writes && (by_body || tail.is_empty()) {
        scope.form()?
    } else {
        scope.check_accept()?;
        (ResponseFormat::Json, JSON)
    };
    let writable = scope.may_edit(resource, place, writes || !place.is_empty());
    let links = scope.links(scope.mount, resource, writable);
    if by_batch {
        let plan = Box::pin(BatchPlan::of(scope, (resource, links))).await?;
        return Ok(Plan::Batch(Box::new(plan)));
    }
    if writes {
        let plan = Box::pin(WritePlan::of(scope, (resource, tail), links)).await?;
        return Ok(Plan::Write(Box::new(plan)));
    }
    if by_body {
        let plan = Box::pin(SearchPlan::of(scope, resource, links, (form, media))).await?;
        return Ok(Plan::Search(Box::new(plan)));
    }
    Ok(match form {
        ResponseFormat::Stream(format) => {
            Plan::Stream(Box::new(StreamPlan::by_query(scope, resource, (format, media))?))
        }
        ResponseFormat::Json if tail.is_empty() && asks_by_keys(scope.request.uri().query()) => {
            Plan::Items(Box::new(ItemsPlan::of(scope, resource, links)?))
        }
        ResponseFormat::Rows => Plan::Page(PagePlan::of(scope, resource, links)?.bare()?),
        ResponseFormat::Json if tail.is_empty() => {
            Plan::Page(PagePlan::of(scope, resource, links)?)
        }
        ResponseFormat::Json => Plan::Item(ItemPlan::of(scope, (resource, tail), links)?),
    })
}

/// The reply to `OPTIONS` at a path of a resource, with the methods of services at the same path.
fn options<'r>(
    scope: &Scope<'_>,
    of_resource: Result<Methods, Refusal>,
    tail: &str,
) -> Result<Plan<'r>, Refusal> {
    let beside = service::methods_beside(scope);
    let reply = match (of_resource, beside) {
        (Ok(methods), beside) => search::options(methods.or(beside), tail),
        (Err(_), Some(beside)) => Reply::empty(StatusCode::NO_CONTENT).allow(beside),
        (Err(refused), None) => return Err(refused),
    };
    Ok(known(reply))
}

/// Refuses other methods at a read-only path; otherwise the reply to `OPTIONS`, if that is
/// requested.
fn only_read(scope: &Scope<'_>) -> Result<Option<Reply>, Refusal> {
    match *scope.request.method() {
        Method::GET | Method::HEAD => Ok(None),
        Method::OPTIONS => Ok(Some(Reply::empty(StatusCode::NO_CONTENT).allow(Methods::READ))),
        _ => Err(Refusal::method(Methods::READ)),
    }
}

/// What is below the mount, as far as the caller may use it.
fn index(scope: &Scope<'_>) -> Result<Reply, Refusal> {
    let Some(index) = index::of_mount(scope.mount, scope.who, &scope.origin.to_string()) else {
        return Err(scope.reject_anonymous().unwrap_or_else(|| Service::nothing_here().into()));
    };
    if let Some(options) = only_read(scope)? {
        return Ok(options);
    }
    scope.check_accept()?;
    let text = index.to_string().into_bytes();
    let etag = duet_document::Etag::of("index", &text);
    let mut reply = Reply::json(text);
    reply.etag = Some(format!("\"{etag}\""));
    reply.varies = true;
    Ok(scope.conditional(reply))
}

fn catalog_plan<'r>(
    scope: &'r Scope<'r>,
    catalog: Catalog,
    tail: &str,
) -> Result<Plan<'r>, Refusal> {
    if let Some(refused) = scope.reject_anonymous() {
        return Err(refused);
    }
    if let Some(options) = only_read(scope)? {
        return Ok(known(options));
    }
    scope.check_accept()?;
    let request = CatalogRequest {
        service: Arc::clone(scope.service()),
        snapshot: Arc::clone(scope.snapshot),
        mount: scope.mount_number(),
        principal: Arc::clone(scope.who),
        catalog,
        tail: tail.to_owned(),
        query: scope.request.uri().query().map(str::to_owned),
    };
    Ok(Plan::Catalog(request, scope))
}

/// What is below `_/`, apart from transactions.
fn special(scope: &Scope<'_>, tail: &str) -> Result<Reply, Refusal> {
    let is_there = scope.worker.shared.options.trial_endpoints;
    let bytes = tail.strip_prefix("constant/").filter(|_| is_there);
    if let Some(refused) = scope.reject_anonymous() {
        return Err(refused);
    }
    let Some(bytes) = bytes else { return Err(Service::nothing_here().into()) };
    if !matches!(*scope.request.method(), Method::GET | Method::HEAD) {
        return Err(Refusal::method(Methods::LOOK));
    }
    scope.check_accept()?;
    Ok(constant(bytes)?)
}
