//! Services: named SQL files of the application.
//!
//! One that reads rows is a resource like any other: its page, stream and search are those of `read`, `stream` and
//! `search`. This file has the rest: a single row, a document or a count, and writes of services.

use std::sync::Arc;
use std::time::Instant;

use duet_document::Etag;
use duet_model::commit_class::CommitPolicy;
use duet_model::{Code, Error, Value};
use duet_service::query::{PageParameters, Parameters};
use duet_service::services::{PathValues, ServiceResult};
use duet_service::write::{Addresses, OwnedLinks, StoredAnswer};
use duet_service::{Resource, ServiceAnswer, ServiceKind, ServiceResource};
use duet_text::json::body::Body;
use hyper::header::{ACCEPT, CACHE_CONTROL, LOCATION};
use hyper::{Method, StatusCode};

use crate::answer::declared;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::accept::takes;
use crate::message::header::list;
use crate::message::media::{JSON, ResponseFormat};
use crate::message::methods::Methods;
use crate::message::prefer::Preferences;
use crate::request::scope::Scope;
use crate::resources::idempotency::Answers;
use crate::resources::live::LivePlan;
use crate::resources::parse::in_body;
use crate::resources::read::PagePlan;
use crate::resources::stream::StreamPlan;

/// Which service to run, and with what.
pub(crate) struct ServicePlan<'r> {
    scope: &'r Scope<'r>,
    service: &'r Arc<ServiceResource>,
    arguments: Arc<[Value]>,
    preferences: Preferences,
}

/// What a request for the services at a path will do.
pub(crate) enum PlannedService<'r> {
    /// What is known without the store.
    Known(Box<Reply>),
    /// A page of rows.
    Page(Box<PagePlan<'r>>),
    /// A stream of rows.
    Stream(Box<StreamPlan<'r>>),
    /// Everything else.
    Run(Box<ServicePlan<'r>>),
}

/// Plans a request for the services at a path.
///
/// # Errors
/// Where none takes the method, the caller lacks the right, and for wrong parameters and bodies.
pub(crate) async fn plan<'r>(
    scope: &'r Scope<'r>,
    services: &'r [(&'r Arc<ServiceResource>, PathValues<'r>)],
) -> Result<PlannedService<'r>, Refusal> {
    let method = scope.request.method();
    let used_method = if *method == Method::HEAD { &Method::GET } else { method };
    let is_asked = |service: &ServiceResource| {
        let is_head = *method == Method::HEAD && service.file.writes_by_get;
        service.file.method == used_method.as_str() && !is_head
    };
    let found = services.iter().find(|(service, _)| is_asked(service));
    let allowed = Methods::of_services(services.iter().map(|(service, _)| &*service.file.method));
    let Some((service, given)) = found else {
        // Who may call none of them is not shown their methods either.
        let (first, _) = services.first().ok_or_else(|| Error::internal("no service"))?;
        admit(scope, first)?;
        return match *method {
            Method::OPTIONS => Ok(PlannedService::Known(Box::new(
                Reply::empty(StatusCode::NO_CONTENT).allow(allowed),
            ))),
            _ => Err(Refusal::method(allowed)),
        };
    };
    admit(scope, service)?;
    scope.is_in_class(service.file.class);
    match &service.kind {
        ServiceKind::Read(resource) if service.file.result == ServiceResult::Rows => {
            rows(scope, resource, given)
        }
        _ if service.file.method == "GET" => {
            check_accept(scope, service)?;
            if matches!(service.kind, ServiceKind::Write(_)) {
                scope.check_writes()?;
            }
            let query = service.file.query(scope.request.uri().query())?;
            let arguments = service.file.arguments_of_texts(given, &query)?;
            let preferences = scope.preferences(&CommitPolicy::default(), service.name())?;
            Ok(PlannedService::Run(Box::new(ServicePlan {
                scope,
                service,
                arguments,
                preferences,
            })))
        }
        _ => {
            let plan = Box::pin(ServicePlan::of(scope, service, given)).await?;
            Ok(PlannedService::Run(Box::new(plan)))
        }
    }
}

/// The methods of the services at the path of a request for something else, as far as the caller may run them;
/// `None` where there are none.
pub(crate) fn methods_beside(scope: &Scope<'_>) -> Option<Methods> {
    let below = below_mount(scope, scope.request.uri().path());
    let may = |service: &&Arc<ServiceResource>| admit(scope, service).is_ok();
    let services = scope.mount.services_at(below);
    let methods: Vec<&str> = services
        .iter()
        .map(|(service, _)| *service)
        .filter(may)
        .map(|own| &*own.file.method)
        .collect();
    (!methods.is_empty()).then(|| Methods::of_services(methods.into_iter()))
}

fn below_mount<'p>(scope: &Scope<'_>, path: &'p str) -> &'p str {
    path.strip_prefix(&*scope.mount.path).unwrap_or(path).trim_matches('/')
}

/// Refuses a client that does not accept the service's media type.
fn check_accept(scope: &Scope<'_>, service: &ServiceResource) -> Result<(), Refusal> {
    let media = declared::media(&service.file);
    if media == JSON {
        return scope.check_accept();
    }
    let accept = list(scope.request.headers(), &ACCEPT);
    if takes(accept.as_deref(), media) {
        return Ok(());
    }
    Err(Error::new(Code::NotAcceptable, format!("This is served as {media} only.")).into())
}

/// Refuses a caller who may not run a service at the path of the request.
pub(crate) fn admit(scope: &Scope<'_>, service: &ServiceResource) -> Result<(), Refusal> {
    admit_at(scope, service, scope.request.uri().path())
}

/// Refuses a caller who may not run a service at this path.
pub(crate) fn admit_at(
    scope: &Scope<'_>,
    service: &ServiceResource,
    path: &str,
) -> Result<(), Refusal> {
    let below = below_mount(scope, path);
    let tail = below.split_once('/').map_or("", |(_, tail)| tail);
    scope.admit(&service.access, service.operation(), service.name(), tail)
}

/// A page or a stream of a service's rows.
fn rows<'r>(
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    given: &PathValues<'_>,
) -> Result<PlannedService<'r>, Refusal> {
    let (form, media) = scope.form()?;
    let query = scope.request.uri().query();
    let parameters = PageParameters::of_resource(resource, given, query)?;
    Ok(match form {
        ResponseFormat::Stream(format) => {
            let plan = StreamPlan::of(scope, resource, parameters, format, media)?;
            PlannedService::Stream(Box::new(plan))
        }
        ResponseFormat::Live => {
            // It refuses services by name.
            LivePlan::of(scope, resource, &parameters)?;
            return Err(duet_service::Service::nothing_here().into());
        }
        ResponseFormat::Json => {
            let links = links(scope, resource);
            PlannedService::Page(Box::new(PagePlan::with(scope, resource, links, parameters)?))
        }
        ResponseFormat::Rows => {
            let links = links(scope, resource);
            PlannedService::Page(Box::new(
                PagePlan::with(scope, resource, links, parameters)?.bare()?,
            ))
        }
    })
}

/// The links of a service's pages, below the requested path.
fn links(scope: &Scope<'_>, resource: &Resource) -> OwnedLinks {
    let mut links = scope.links(scope.mount, resource, false);
    links.addresses = Arc::new(Addresses {
        collection: format!("{}{}", scope.origin, scope.request.uri().path()),
        described_by: links.addresses.described_by.clone(),
    });
    links
}

impl<'r> ServicePlan<'r> {
    /// Reads the parameters of a service that writes.
    async fn of(
        scope: &'r Scope<'r>,
        service: &'r Arc<ServiceResource>,
        given: &PathValues<'_>,
    ) -> Result<Self, Refusal> {
        check_accept(scope, service)?;
        if matches!(service.kind, ServiceKind::Write(_)) {
            scope.check_writes()?;
        }
        if !service.file.ignores_unknown {
            Parameters::parse(scope.request.uri().query(), &[]).map_err(|error| {
                error.hint("The parameters of a service that writes are in the body.")
            })?;
        }
        let preferences = scope.preferences(&CommitPolicy::default(), service.name())?;
        let mut text = scope.json_or_nothing().await?;
        if text.trim().is_empty() {
            text = "{}".into();
        }
        let body: Body = scope.any_json(text, 0).await?;
        let arguments = service.file.arguments_of_body(given, &body).map_err(in_body)?;
        Ok(Self { scope, service, arguments, preferences })
    }

    /// Runs it.
    ///
    /// # Errors
    /// Whatever the database says, and where there is no row to answer with.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, service, arguments, preferences } = self;
        let reader = scope.reader();
        let read = match &service.kind {
            ServiceKind::Read(resource) => {
                Some(reader.service_row(&service.file, resource, Arc::clone(&arguments)).await?)
            }
            ServiceKind::Fixed => Some(service.file.fixed_answer(&arguments)),
            ServiceKind::Write(_) => None,
        };
        let answers = ServiceAnswers {
            service: Arc::clone(service),
            base: format!("{}{}", scope.origin, scope.mount.path),
            preferences,
        };
        let Some(answer) = read else {
            let once = scope.once(&answers, service.name())?;
            let dry_run = preferences.rollback();
            let written = reader.run_service(service, arguments, dry_run, once).await?;
            scope.trace().fetched(Instant::now());
            let reply = answers.of_written(written)?;
            return Ok(match service.file.writes_by_get {
                true => reply.with_text(CACHE_CONTROL, "no-store"),
                false => reply,
            });
        };
        if !service.file.is_fixed() {
            scope.trace().fetched(Instant::now());
        }
        if service.file.method == "GET" {
            let etag = Etag::of(service.name(), &answer.body);
            let mut reply = declared::success(&service.file, answer);
            if reply.status != StatusCode::OK {
                return Ok(reply);
            }
            reply.etag = Some(format!("\"{etag}\""));
            reply.varies = true;
            return scope.conditional(reply);
        }
        Ok(answers.reply(answer))
    }
}

/// How a service is answered.
#[derive(Clone)]
pub(crate) struct ServiceAnswers {
    pub(crate) service: Arc<ServiceResource>,
    /// The address of the mount.
    pub(crate) base: String,
    pub(crate) preferences: Preferences,
}

impl Answers<ServiceAnswer> for ServiceAnswers {
    fn reply(&self, answer: ServiceAnswer) -> Reply {
        let Self { service, base, preferences } = self;
        let location = answer.location.clone();
        let mut reply = declared::success(&service.file, answer);
        if let Some(location) = location {
            let address = format!("{base}{location}");
            reply = reply.with_text(LOCATION, &address);
        }
        preferences.applied(reply, None)
    }

    /// Who may run it may see what it answers.
    fn withheld(&self, _: &StoredAnswer) -> Result<Option<Reply>, Error> {
        Ok(None)
    }
}
