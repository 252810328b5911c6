//! A request of a known caller, and what its path leads to.

use std::sync::Arc;

use duet_model::key::percent_decode;
use duet_model::{Code, Error};
use duet_service::services::{PathValues, ServiceFile};
use duet_service::{Resource, RoutineResource, ServiceKind, ServiceResource, Snapshot, placements};

use super::authenticated::AuthenticatedRequest;
use super::designed::{DesignedResource, DesignedSnapshot, InnerRequest};
use super::scope::Scope;
use super::site::Site;
use super::table_path::TablePath;
use crate::answer::refusal::Refusal;
use crate::describe::catalog::Catalog;
use crate::message::subpath::{BATCH, LIST_BATCH, TRANSACTION, is_batch};
use crate::observe::trace::{CalledResource, TracedResource};

/// A request and its destination.
pub(crate) struct RoutedRequest<'a> {
    authenticated: &'a AuthenticatedRequest<'a>,
    to: Destination<'a>,
}

/// Where a path leads.
#[expect(
    clippy::large_enum_variant,
    reason = "one for each request, never stored; a box would be an allocation"
)]
pub(crate) enum Destination<'a> {
    Nowhere,
    /// A part of the server that belongs to no resource.
    Site(Site<'a>),
    /// Something below a mount.
    Below(Scope<'a>, Place<'a>),
}

/// A place below a mount.
pub(crate) enum Place<'a> {
    /// The mount itself.
    Index,
    /// A catalog, and the path below it.
    Catalog(Catalog, &'a str),
    Transaction,
    /// Beside a collection: a list of its documents, written in one transaction.
    ListWrite(&'a Arc<Resource>),
    /// The path below `_/`.
    Special(&'a str),
    /// A resource, and the path below it.
    Resource(&'a Arc<Resource>, &'a str),
    /// A routine, and the path below it.
    Routine(&'a Arc<RoutineResource>, &'a str),
    /// Services, and the values in their path.
    Services(Vec<(&'a Arc<ServiceResource>, PathValues<'a>)>),
    /// A batch of a service that writes, and the values in its path.
    ServiceBatch(&'a Arc<ServiceResource>, PathValues<'a>),
    /// In a profile whose paths name tables and functions and nothing else.
    Table(TablePath<'a>),
    /// A name that nothing is served under, and why.
    Unknown(Box<(String, Error)>),
}

impl<'a> RoutedRequest<'a> {
    /// Follows the path of a request, for an application by the snapshot that is in force.
    ///
    /// # Errors
    /// Where the path cannot be read, and as [`Scope::of`].
    pub(crate) fn of(
        authenticated: &'a AuthenticatedRequest<'a>,
        snapshot: Option<&'a Arc<Snapshot>>,
    ) -> Result<Self, Refusal> {
        let trace = &authenticated.arrived().trace;
        trace.is_about(None);
        let to = match (authenticated.site(), snapshot) {
            (Site::Nowhere | Site::Absent, _) => Destination::Nowhere,
            (Site::Application(number), Some(snapshot)) => {
                match Scope::of(authenticated, number, snapshot)? {
                    Some((scope, tail)) => {
                        let place = Place::of(&scope, tail)?;
                        Destination::Below(scope, place)
                    }
                    None => {
                        trace.is_of(None);
                        Destination::Nowhere
                    }
                }
            }
            (site, _) => Destination::Site(site),
        };
        if let Destination::Below(scope, place) = &to {
            trace.is_about(place.called().and_then(|resource| traced(scope, resource)));
        }
        Ok(Self { authenticated, to })
    }

    pub(crate) fn authenticated(&self) -> &'a AuthenticatedRequest<'a> {
        self.authenticated
    }

    /// A refusal that names the tables of the resource, where it is one because of how these are distributed.
    pub(crate) fn name_tables(&self, refused: Refusal) -> Refusal {
        let Destination::Below(scope, place) = &self.to else {
            return refused;
        };
        let error = *refused.error;
        let of_service = |error, service: &ServiceFile| {
            placements::named_by_service(error, service, scope.mount.resources())
        };
        let named = match place {
            Place::Resource(resource, _) | Place::ListWrite(resource) => match &resource.service {
                Some(service) => of_service(error, service),
                None => placements::named(error, resource),
            },
            Place::Services(services) => {
                services.iter().fold(error, |error, (service, _)| of_service(error, &service.file))
            }
            Place::ServiceBatch(service, _) => of_service(error, &service.file),
            Place::Routine(routine, _) => placements::named_by_routine(error, routine),
            _ => error,
        };
        Refusal { error: Box::new(named), ..refused }
    }

    pub(crate) fn destination(&self) -> &Destination<'a> {
        &self.to
    }
}

/// The resource of a request, for its record. What is designed has no figures of its own.
fn traced(scope: &Scope<'_>, resource: CalledResource) -> Option<TracedResource> {
    let is_designed = DesignedResource::of(scope.request).is_some()
        || DesignedSnapshot::of(scope.request).is_some();
    let (snapshot, mount) = (Arc::clone(scope.snapshot), scope.mount_number());
    (!is_designed).then_some(TracedResource { snapshot, mount, resource })
}

impl<'a> Place<'a> {
    /// The resource that is called. The services of one path are counted together.
    fn called(&self) -> Option<CalledResource> {
        match self {
            Self::Resource(resource, _) | Self::ListWrite(resource) => {
                Some(CalledResource::Rows(Arc::clone(resource)))
            }
            Self::Table(TablePath::Table(resource)) => {
                Some(CalledResource::Rows(Arc::clone(resource)))
            }
            Self::Table(TablePath::Function(path)) => {
                path.first.map(|first| CalledResource::Routine(Arc::clone(first)))
            }
            Self::Routine(routine, _) => Some(CalledResource::Routine(Arc::clone(routine))),
            Self::Services(services) => {
                services.first().map(|(service, _)| CalledResource::Service(Arc::clone(service)))
            }
            Self::ServiceBatch(service, _) => Some(CalledResource::Service(Arc::clone(service))),
            _ => None,
        }
    }

    /// The services of this path; `None` if a resource or routine is served there.
    fn services(scope: &Scope<'a>, tail: &'a str) -> Option<Self> {
        let services = scope.mount.services_at(tail);
        let method = match scope.request.method().as_str() {
            "HEAD" => "GET",
            method => method,
        };
        let is_asked =
            |(service, _): &(&Arc<ServiceResource>, PathValues<'_>)| service.file.method == method;
        let Some((service, _)) = services.iter().find(|service| is_asked(service)) else {
            let (first, rest) = tail.split_once('/').unwrap_or((tail, ""));
            let rest = without_slash(rest);
            // Items and routines have nothing below them.
            let is_item = !rest.contains('/') || is_batch(rest);
            let is_other = is_item
                && scope.mount.resource(first).is_ok_and(|other| other.is_served_by_name())
                || rest.is_empty() && scope.mount.routine(first).is_some();
            return (!services.is_empty() && !is_other).then_some(Self::Services(services));
        };
        // Rows at a plain path are those of a resource, which has more below it.
        let is_resource =
            matches!(&service.kind, ServiceKind::Read(resource) if resource.is_served_by_name());
        (!is_resource).then_some(Self::Services(services))
    }

    /// The batch of a service that writes with the method of the request.
    fn service_batch(scope: &Scope<'a>, tail: &'a str) -> Option<Self> {
        let tail = tail.strip_suffix('/').unwrap_or(tail);
        let path = tail.strip_suffix(BATCH)?.strip_suffix('/')?;
        let method = scope.request.method().as_str();
        let services = scope.mount.services_at(path).into_iter();
        let writes = |(service, _): &(&Arc<ServiceResource>, PathValues<'_>)| {
            matches!(service.kind, ServiceKind::Write(_))
        };
        let mut found: Vec<_> = services.filter(writes).collect();
        match found.iter().position(|(service, _)| service.file.method == method) {
            Some(at) => {
                let (service, given) = found.swap_remove(at);
                Some(Self::ServiceBatch(service, given))
            }
            // For OPTIONS and methods that are not allowed; a table of this name has its own batches.
            None => {
                let is_other =
                    scope.mount.resource(path).is_ok_and(|other| other.is_served_by_name());
                (!found.is_empty() && !is_other).then_some(Self::Services(found))
            }
        }
    }

    fn of(scope: &Scope<'a>, tail: &'a str) -> Result<Self, Refusal> {
        if let Some(designed) = DesignedResource::of(scope.request) {
            check_rights(scope, &designed.0)?;
            let (_, rest) = tail.split_once('/').unwrap_or((tail, ""));
            return Ok(Self::Resource(&designed.0, without_slash(rest)));
        }
        let profile = scope.snapshot.application.profile();
        if profile.has_table_paths() && !InnerRequest::is(scope.request) {
            return Ok(Self::Table(TablePath::of(scope.mount, tail)?));
        }
        if !scope.mount.services().is_empty()
            && let Some(services) = Self::services(scope, tail)
        {
            return Ok(services);
        }
        if let Some(batch) = Self::service_batch(scope, tail) {
            return Ok(batch);
        }
        let (first, rest) = tail.split_once('/').unwrap_or((tail, ""));
        Ok(match first {
            "" if rest.is_empty() => Self::Index,
            "metadata-catalog" => Self::Catalog(Catalog::Metadata, rest),
            "open-api-catalog" => Self::Catalog(Catalog::OpenApi, rest),
            "_" if rest == TRANSACTION => Self::Transaction,
            "_" => Self::Special(rest),
            _ => {
                let name = percent_decode(first)?;
                match scope.mount.resource(&name).and_then(by_name) {
                    // An item's address with a slash behind it is the same.
                    Ok(resource) => Self::Resource(resource, without_slash(rest)),
                    Err(error) => match (scope.mount.routine(&name), list_of(scope, &name)) {
                        (Some(routine), _) => Self::Routine(routine, rest),
                        (None, Some(list)) if rest.is_empty() => Self::ListWrite(list),
                        _ => Self::Unknown(Box::new((name, error))),
                    },
                }
            }
        })
    }
}

/// Refuses a caller that lacks a right to a table of a view that is designed.
fn check_rights(scope: &Scope<'_>, view: &Resource) -> Result<(), Refusal> {
    let writes = !scope.request.method().is_safe();
    let lacking = scope.mount.lacking_rights(scope.who, &view.shape, writes);
    if lacking.is_empty() {
        return Ok(());
    }
    let message = format!("No resource of this mount lets the client {}.", lacking.join(", or "));
    Err(Error::new(Code::Forbidden, message).into())
}

/// The collection whose lists of writes have this name, in a profile that has such.
fn list_of<'a>(scope: &Scope<'a>, name: &str) -> Option<&'a Arc<Resource>> {
    let resource = scope.mount.resource(name.strip_suffix(LIST_BATCH)?).ok()?;
    let profile = resource.shape.style.profile;
    (profile.has_list_writes() && resource.collection.is_some()).then_some(resource)
}

/// A resource that is found by its name.
fn by_name(resource: &Arc<Resource>) -> duet_model::Result<&Arc<Resource>> {
    match resource.is_served_by_name() {
        true => Ok(resource),
        false => Err(duet_service::Service::nothing_here()),
    }
}

/// A path below a resource without the slash at its end.
fn without_slash(rest: &str) -> &str {
    rest.strip_suffix('/').filter(|tail| !tail.is_empty()).unwrap_or(rest)
}
