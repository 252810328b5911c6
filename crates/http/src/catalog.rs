//! `metadata-catalog/` and `open-api-catalog/`: what the caller may read and write, described.

use duet_auth::{Operation, Principal};
use duet_model::catalog::Argument;
use duet_model::key::percent_decode;
use duet_model::{Code, Error, Operations, Place, Result};
use duet_service::{Mount, Resource, ResourceKind, RoutineResource, Service};

use crate::describe::metadata::{self, PageRequest};
use crate::describe::{
    Described, DescribedRoutine, Expandable, FilterLimits, Kind, Site, document, openapi,
};
use crate::query::Parameters;
use crate::reply::Reply;

/// A routine with the arguments that a caller gives, by their names.
type Routine<'a> = (&'a RoutineResource, Vec<(String, &'a Argument)>);

/// What a catalog request is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatalogRequest<'a> {
    pub(crate) service: &'a Service,
    pub(crate) mount: &'a Mount,
    pub(crate) principal: &'a Principal,
    /// Scheme and authority as the client sees them.
    pub(crate) base: &'a str,
    /// The path below the catalog.
    pub(crate) tail: &'a str,
    pub(crate) query: Option<&'a str>,
}

impl<'a> CatalogRequest<'a> {
    fn site(&self) -> Site<'a> {
        let limits = self.service.limits().filter;
        Site {
            base: self.base,
            mount: &self.mount.path,
            application: &self.mount.name,
            version: env!("CARGO_PKG_VERSION"),
            token_path: "/oauth/token",
            limits: FilterLimits {
                bytes: limits.bytes,
                depth: limits.depth,
                nodes: limits.nodes,
                list: limits.list,
            },
            transactions: self.tail.trim_end_matches('/').is_empty(),
        }
    }

    /// The resources that the caller may read.
    fn readable(&self) -> impl Iterator<Item = &'a Resource> {
        let principal = self.principal;
        self.mount.resources().iter().map(AsRef::as_ref).filter(move |resource| {
            resource.access.reaches(principal, Operation::Read).is_allowed()
        })
    }

    /// What may be expanded of a resource, as far as the caller may read it.
    fn expandable(&self, resource: &'a Resource) -> Vec<Expandable<'a>> {
        let readable = |name: &str| {
            let found = self.mount.resource(name).ok();
            found.is_some_and(|other| {
                other.access.allows(self.principal, Operation::Read, "").is_allowed()
            })
        };
        let ways = resource.expandables.iter().filter(|way| readable(&way.resource));
        ways.map(|way| Expandable { name: &way.name, many: way.many, resource: &way.resource })
            .collect()
    }

    /// The resources that the caller may read, each with what may be expanded of it.
    fn all(&self) -> Vec<(&'a Resource, Vec<Expandable<'a>>)> {
        self.readable().map(|resource| (resource, self.expandable(resource))).collect()
    }

    fn described<'d>(&self, resource: &'d Resource, expand: &'d [Expandable<'d>]) -> Described<'d>
    where
        'a: 'd,
    {
        Described {
            name: &resource.name,
            comment: resource.comment.as_deref(),
            shape: &resource.shape,
            operations: self.operations(resource),
            page_size: resource.page_size,
            max_page_size: self.service.limits().max_page_size,
            has_items: resource.has_items(),
            kind: match resource.kind {
                ResourceKind::Table => Kind::Table,
                ResourceKind::View => Kind::View,
                ResourceKind::DualityView => Kind::DualityView,
            },
            expand,
            protected: self.service.auth().open() == duet_auth::Open::No,
        }
    }

    /// What the resource and the caller's rights allow.
    fn operations(&self, resource: &Resource) -> Operations {
        let root = resource.shape.root().operations;
        let may = |operation| resource.access.reaches(self.principal, operation).is_allowed();
        let writable = resource.is_writable();
        Operations {
            insert: resource.takes_inserts() && may(Operation::Insert),
            update: writable && may(Operation::Update),
            delete: writable && root.delete && may(Operation::Delete),
        }
    }

    /// The routines that the caller may run, with their arguments.
    fn routines(&self) -> Vec<Routine<'a>> {
        let all = self.mount.routines().into_iter().map(AsRef::as_ref);
        let may_run = |routine: &&RoutineResource| {
            routine.access.reaches(self.principal, Operation::Execute).is_allowed()
        };
        all.filter(may_run).map(|routine| (routine, routine.inputs().collect())).collect()
    }

    fn described_routine<'d>(
        &self,
        routine: &'d RoutineResource,
        arguments: &'d [(String, &'d Argument)],
    ) -> DescribedRoutine<'d> {
        DescribedRoutine {
            name: &routine.name,
            comment: routine.routine.comment.as_deref(),
            kind: routine.routine.kind,
            arguments,
            answer: &routine.answer,
            protected: self.service.auth().open() != duet_auth::Open::All,
        }
    }

    /// The routine of this name, which is percent-encoded, if the caller may run it.
    fn routine(&self, name: &str) -> Result<Option<Routine<'a>>> {
        let name = percent_decode(name)?;
        Ok(self.routines().into_iter().find(|(routine, _)| routine.name == name))
    }

    /// The resource of this name, which is percent-encoded.
    fn one(&self, name: &str) -> Result<(&'a Resource, Vec<Expandable<'a>>)> {
        let name = percent_decode(name)?;
        let found = self.readable().find(|resource| resource.name == name);
        found
            .map(|resource| (resource, self.expandable(resource)))
            .ok_or_else(|| Error::new(Code::NotServed, "The catalog has no entry of this name."))
    }
}

/// `metadata-catalog/…`.
pub(crate) fn metadata(request: &CatalogRequest<'_>) -> Result<Reply> {
    let site = request.site();
    let tail = request.tail.trim_end_matches('/');
    let text = match tail.split_once('/') {
        None if tail.is_empty() => page(request, &site)?,
        None => match request.routine(tail)? {
            Some((routine, arguments)) => {
                metadata::routine_entry(&site, &request.described_routine(routine, &arguments))
            }
            None => {
                let (resource, expand) = request.one(tail)?;
                metadata::entry(&site, &request.described(resource, &expand))
            }
        },
        Some((name, "item")) => {
            let (resource, expand) = request.one(name)?;
            metadata::item_entry(&site, &request.described(resource, &expand))
        }
        Some((name, "schema")) => {
            let (resource, expand) = request.one(name)?;
            document::schema(&site, &request.described(resource, &expand))
        }
        Some(_) => {
            return Err(Error::new(Code::NotServed, "The catalog has no entry of this name."));
        }
    };
    Ok(tagged(text))
}

fn page(request: &CatalogRequest<'_>, site: &Site<'_>) -> Result<String> {
    let parameters = Parameters::parse(request.query, &["limit", "offset"])?;
    let limit = parameters.number("limit")?;
    if limit == Some(0) {
        return Err(Error::new(Code::BadParameter, "`limit` must be at least 1.")
            .at(Place::Parameter("limit".to_owned())));
    }
    let limits = request.service.limits();
    let page = PageRequest {
        limit: limit.unwrap_or(limits.page_size).min(limits.max_page_size),
        limit_given: limit.is_some(),
        offset: parameters.number("offset")?.unwrap_or(0),
        query: request.query,
    };
    let all: Vec<_> = request.readable().map(|resource| request.described(resource, &[])).collect();
    let routines = request.routines();
    let routines: Vec<_> =
        routines.iter().map(|(one, arguments)| request.described_routine(one, arguments)).collect();
    Ok(metadata::catalog(site, &all, &routines, &page))
}

/// `open-api-catalog/…`.
pub(crate) fn open_api(request: &CatalogRequest<'_>) -> Result<Reply> {
    let site = request.site();
    let tail = request.tail.trim_end_matches('/');
    let (resources, routines) = match tail {
        "" => (request.all(), request.routines()),
        name => match request.routine(name)? {
            Some(routine) => (Vec::new(), vec![routine]),
            None => (vec![request.one(name)?], Vec::new()),
        },
    };
    let described: Vec<_> =
        resources.iter().map(|(resource, expand)| request.described(resource, expand)).collect();
    let routines: Vec<_> =
        routines.iter().map(|(one, arguments)| request.described_routine(one, arguments)).collect();
    Ok(tagged(openapi::document(&site, &described, &routines)))
}

fn tagged(text: String) -> Reply {
    let mut reply = Reply::json(text.into_bytes());
    let etag = duet_document::Etag::of("catalog", &reply.body);
    reply.etag = Some(format!("\"{etag}\""));
    reply.varies = true;
    reply
}
