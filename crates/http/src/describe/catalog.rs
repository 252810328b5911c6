//! `metadata-catalog/` and `open-api-catalog/`: what the caller may read and write, described.

use std::sync::Arc;

use duet_auth::{Operation, Principal};
use duet_model::catalog::Argument;
use duet_model::commit_class::CommitPolicy;
use duet_model::key::percent_decode;
use duet_model::{Code, Error, Operations, Place, Result, Type, steps};
use duet_service::declared_parameters;
use duet_service::query::{Parameters, UnknownParameters};
use duet_service::services::ServiceResult;
use duet_service::{
    Mount, Resource, ResourceKind, RoutineResource, Service, ServiceKind, ServiceResource, Snapshot,
};
use hyper::header::HeaderName;

use super::descriptions::{Descriptions, Key};
use crate::answer::reply::Reply;
use crate::describe::metadata::{self, PageRequest};
use crate::describe::swagger::{self, DescribedFunction, DescribedTable, Reference};
use crate::describe::{
    DescribedResource, DescribedRoutine, DescribedService, FilterLimits, RelatedRows, Site,
    document, openapi,
};
use crate::offload::Offload;

/// A routine with the arguments that a caller gives, by their names.
type Routine<'a> = (&'a RoutineResource, Vec<(String, &'a Argument)>);

/// A service that is no collection, with the columns of its result.
type Called<'a> = (&'a ServiceResource, Vec<(String, Type)>);

/// Which catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Catalog {
    /// `metadata-catalog/`.
    Metadata,
    /// `open-api-catalog/`.
    OpenApi,
    /// That of PostgREST at the mount.
    Swagger,
}

/// What a catalog request is about; owned, because a description is written on another thread.
#[derive(Clone, Debug)]
pub(crate) struct CatalogRequest {
    pub(crate) service: Arc<Service>,
    pub(crate) snapshot: Arc<Snapshot>,
    /// The mount's place in the snapshot.
    pub(crate) mount: usize,
    pub(crate) principal: Arc<Principal>,
    pub(crate) catalog: Catalog,
    /// The path below the catalog.
    pub(crate) tail: String,
    pub(crate) query: Option<String>,
    /// The header with API keys.
    pub(crate) api_key_header: Option<HeaderName>,
}

impl CatalogRequest {
    /// The description for a client that sees the address `base`: kept from before, or written
    /// beside the event loop.
    ///
    /// # Errors
    /// Where the caller may read nothing of this name, or a parameter of the catalog's page is
    /// wrong.
    pub(crate) async fn answer(
        self,
        base: &str,
        descriptions: &Descriptions,
        offload: &Offload,
    ) -> Result<Reply> {
        self.check()?;
        let tail = self.tail.trim_end_matches('/');
        let with_query = self.catalog == Catalog::Metadata && tail.is_empty();
        let key = Key {
            application: self.service.name().to_owned(),
            generation: self.snapshot.generation,
            mount: self.mount().path.clone(),
            path: format!("{:?}/{tail}", self.catalog),
            roles: self.principal.roles().clone(),
        };
        let is_kept = self.query.is_none() || !with_query;
        let placeholder = descriptions.placeholder().to_owned();
        let write = move || match self.catalog {
            Catalog::Metadata => self.metadata(&placeholder),
            Catalog::OpenApi => self.open_api(&placeholder),
            Catalog::Swagger => Ok(self.swagger()),
        };
        let description = match is_kept {
            true => descriptions.get(key, offload, write).await?,
            // There are too many of them to keep.
            false => descriptions.write(offload, write).await?,
        };
        let (pieces, etag) = description.for_client(base);
        let mut reply = Reply::pieces(pieces);
        reply.etag = Some(etag);
        reply.varies = true;
        Ok(reply)
    }

    /// Whether there is something to describe, so that nothing else takes a thread.
    fn check(&self) -> Result<()> {
        let tail = self.tail.trim_end_matches('/');
        let (name, rest) = tail.split_once('/').unwrap_or((tail, ""));
        match (self.catalog, rest) {
            _ if tail.is_empty() => Ok(()),
            (_, "") if self.routine(name)?.is_some() => Ok(()),
            (Catalog::OpenApi, "") if !self.called(name)?.is_empty() => Ok(()),
            (_, "") | (Catalog::Metadata, "item" | "schema") => self.resource(name).map(drop),
            _ => Err(no_entry()),
        }
    }

    fn mount(&self) -> &Mount {
        &self.snapshot.mounts[self.mount]
    }

    fn site<'a>(&'a self, base: &'a str, license: Option<&'a str>) -> Site<'a> {
        let limits = self.service.limits().filter;
        Site {
            base,
            mount: &self.mount().path,
            application: &self.mount().name,
            license,
            version: env!("CARGO_PKG_VERSION"),
            token_path: "/oauth/token",
            api_key_header: self.api_key_header.as_ref().map(HeaderName::as_str),
            limits: FilterLimits {
                bytes: limits.bytes,
                depth: limits.depth,
                nodes: limits.nodes,
                list: limits.list,
            },
            transactions: self.tail.trim_end_matches('/').is_empty(),
            ords_statuses: self.service.write_limits().ords_statuses,
            profile: self.service.profile(),
        }
    }

    /// The resources that the caller may read.
    fn readable(&self) -> impl Iterator<Item = &Resource> {
        let principal = &self.principal;
        let listed = self.mount().resources().iter().filter(|one| is_collection(one));
        listed.map(AsRef::as_ref).filter(move |resource: &&Resource| {
            resource.access.reaches(principal, Operation::Read).is_allowed()
        })
    }

    /// What may be expanded of a resource, as far as the caller may read it.
    fn expandable<'a>(&self, resource: &'a Resource) -> Vec<RelatedRows<'a>> {
        let readable = |name: &str| {
            steps::step();
            let found = self.mount().resource(name).ok();
            found.is_some_and(|other| {
                other.access.allows(&self.principal, Operation::Read, "").is_allowed()
            })
        };
        let ways = resource.expandables.iter().filter(|way| readable(&way.resource));
        ways.map(|way| RelatedRows { name: &way.name, many: way.many, resource: &way.resource })
            .collect()
    }

    /// The resources that the caller may read, each with its expandable rows.
    fn all(&self) -> Vec<(&Resource, Vec<RelatedRows<'_>>)> {
        self.readable().map(|resource| (resource, self.expandable(resource))).collect()
    }

    fn described<'d>(
        &self,
        resource: &'d Resource,
        expand: &'d [RelatedRows<'d>],
    ) -> DescribedResource<'d> {
        DescribedResource {
            name: &resource.name,
            comment: resource.comment.as_deref(),
            shape: &resource.shape,
            operations: self.operations(resource),
            page_size: resource.page_size,
            max_page_size: self.service.limits().max_page_size,
            has_items: resource.has_items(),
            kind: resource.kind,
            expand,
            service: resource.service.as_deref(),
            commit: Some(&resource.commit).filter(|policy| **policy != CommitPolicy::default()),
            protected: self.service.auth().open() == duet_auth::Open::No,
            reads_journal: self.service.reads_journal(resource),
            acknowledges_rows: self.service.acknowledges_rows(resource),
        }
    }

    /// What the resource and the caller's rights allow.
    fn operations(&self, resource: &Resource) -> Operations {
        let may = |operation| resource.access.reaches(&self.principal, operation).is_allowed();
        Operations {
            insert: resource.takes_inserts() && may(Operation::Insert),
            update: resource.takes_updates() && may(Operation::Update),
            delete: resource.takes_deletes() && may(Operation::Delete),
        }
    }

    /// The routines that the caller may run, with their arguments.
    fn routines(&self) -> Vec<Routine<'_>> {
        let all = self.mount().routines().into_iter().map(AsRef::as_ref);
        let may_run = |routine: &&RoutineResource| {
            routine.access.reaches(&self.principal, Operation::Execute).is_allowed()
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
            style: routine.style,
            protected: self.service.auth().open() != duet_auth::Open::All,
        }
    }

    /// The routine of this name, which is percent-encoded, if the caller may run it.
    fn routine(&self, name: &str) -> Result<Option<Routine<'_>>> {
        let name = percent_decode(name)?;
        let found = self.mount().routine(&name).map(AsRef::as_ref).filter(|routine| {
            routine.access.reaches(&self.principal, Operation::Execute).is_allowed()
        });
        Ok(found.map(|routine| (routine, routine.inputs().collect())))
    }

    /// The resource of this name, which is percent-encoded.
    fn resource(&self, name: &str) -> Result<&Resource> {
        let name = percent_decode(name)?;
        let found = self.mount().resource(&name).ok().filter(|resource| {
            is_collection(resource)
                && resource.access.reaches(&self.principal, Operation::Read).is_allowed()
        });
        found.map(AsRef::as_ref).ok_or_else(no_entry)
    }

    /// The same with its expandable rows.
    fn one(&self, name: &str) -> Result<(&Resource, Vec<RelatedRows<'_>>)> {
        self.resource(name).map(|resource| (resource, self.expandable(resource)))
    }

    /// The services that the caller may call and that are no collections, by name.
    fn services(&self) -> Vec<Called<'_>> {
        let is_called = |service: &&ServiceResource| match &service.kind {
            ServiceKind::Read(resource) => !is_collection(resource),
            ServiceKind::Write(_) => true,
            // Its answer is not of the form that `result` says.
            ServiceKind::Fixed => false,
        };
        let all = self.mount().services().iter().map(AsRef::as_ref).filter(is_called);
        let allowed = all.filter(|service: &&ServiceResource| {
            service.access.reaches(&self.principal, service.operation()).is_allowed()
        });
        let mut found: Vec<Called<'_>> =
            allowed.map(|service| (service, service.members())).collect();
        found.sort_by_key(|(service, _)| service.name());
        found
    }

    fn described_service<'d>(
        &self,
        service: &'d ServiceResource,
        members: &'d [(String, Type)],
    ) -> DescribedService<'d> {
        let auth = self.service.auth().open();
        DescribedService {
            name: service.name(),
            file: &service.file,
            members,
            protected: match service.file.reads() {
                true => auth == duet_auth::Open::No,
                false => auth != duet_auth::Open::All,
            },
        }
    }

    /// The services of this name, which is percent-encoded.
    fn called(&self, name: &str) -> Result<Vec<Called<'_>>> {
        let name = percent_decode(name)?;
        Ok(self.services().into_iter().filter(|(service, _)| service.name() == name).collect())
    }

    /// `metadata-catalog/…`.
    fn metadata(&self, base: &str) -> Result<String> {
        let site = self.site(base, None);
        let tail = self.tail.trim_end_matches('/');
        Ok(match tail.split_once('/') {
            None if tail.is_empty() => self.page(&site)?,
            None => match self.routine(tail)? {
                Some((routine, arguments)) => {
                    metadata::routine_entry(&site, &self.described_routine(routine, &arguments))
                }
                None => match (self.one(tail), self.called(tail)?.first()) {
                    (Err(_), Some((service, members))) => {
                        metadata::service_entry(&site, &self.described_service(service, members))
                    }
                    (found, _) => {
                        let (resource, expand) = found?;
                        metadata::entry(&site, &self.described(resource, &expand))
                    }
                },
            },
            Some((name, "item")) => {
                let (resource, expand) = self.one(name)?;
                metadata::item_entry(&site, &self.described(resource, &expand))
            }
            Some((name, "schema")) => {
                let (resource, expand) = self.one(name)?;
                document::schema(&site, &self.described(resource, &expand))
            }
            Some(_) => return Err(no_entry()),
        })
    }

    fn page(&self, site: &Site<'_>) -> Result<String> {
        let query = self.query.as_deref();
        let others = UnknownParameters::of(self.service.profile());
        let parameters = Parameters::read(query, &declared_parameters::OF_CATALOGS, others)?;
        let limit = parameters.number("limit")?;
        if limit == Some(0) {
            return Err(Error::new(Code::BadParameter, "`limit` must be at least 1.")
                .at(Place::Parameter("limit".to_owned())));
        }
        let limits = self.service.limits();
        let page = PageRequest {
            limit: limit.unwrap_or(limits.page_size).min(limits.max_page_size),
            limit_given: limit.is_some(),
            offset: parameters.number("offset")?.unwrap_or(0),
            query,
        };
        let all: Vec<_> = self.readable().map(|resource| self.described(resource, &[])).collect();
        let routines = self.routines();
        let routines: Vec<_> = routines
            .iter()
            .map(|(one, arguments)| self.described_routine(one, arguments))
            .collect();
        let services = self.services();
        let services: Vec<_> = services
            .iter()
            .map(|(service, members)| self.described_service(service, members))
            .collect();
        Ok(metadata::catalog(site, &all, &routines, &services, &page))
    }

    /// `open-api-catalog/…`.
    fn open_api(&self, base: &str) -> Result<String> {
        let license = self.service.license();
        let site = self.site(base, license.as_deref());
        let tail = self.tail.trim_end_matches('/');
        let (resources, routines, services) = match tail {
            "" => (self.all(), self.routines(), self.services()),
            name => match (self.routine(name)?, self.called(name)?) {
                (Some(routine), called) => (Vec::new(), vec![routine], called),
                (None, called) if called.is_empty() => {
                    (vec![self.one(name)?], Vec::new(), Vec::new())
                }
                (None, called) => (self.one(name).into_iter().collect(), Vec::new(), called),
            },
        };
        let described: Vec<_> =
            resources.iter().map(|(resource, expand)| self.described(resource, expand)).collect();
        let routines: Vec<_> = routines
            .iter()
            .map(|(one, arguments)| self.described_routine(one, arguments))
            .collect();
        let services: Vec<_> = services
            .iter()
            .map(|(service, members)| self.described_service(service, members))
            .collect();
        Ok(openapi::document(&site, &described, &routines, &services))
    }
}

impl CatalogRequest {
    /// OpenAPI 2 of the tables, views and functions that the caller may use.
    fn swagger(&self) -> String {
        let mount = self.mount();
        let is_rows =
            |one: &&Resource| matches!(one.kind, ResourceKind::Table | ResourceKind::View);
        let tables: Vec<_> = self
            .readable()
            .filter(is_rows)
            .map(|resource| DescribedTable {
                resource,
                operations: self.table_operations(resource),
                references: self.references(resource),
            })
            .collect();
        let functions = mount.functions_of(&self.principal);
        let functions: Vec<_> = functions.into_iter().map(DescribedFunction::of).collect();
        swagger::document(&mount.path, &mount.name, &tables, &functions)
    }

    /// The writes of a table, those of rows without a key too.
    fn table_operations(&self, resource: &Resource) -> Operations {
        let may = |operation| resource.access.reaches(&self.principal, operation).is_allowed();
        let Operations { insert, update, delete } = self.operations(resource);
        Operations {
            insert,
            update: update || resource.updates_unkeyed() && may(Operation::Update),
            delete: delete || resource.deletes_unkeyed() && may(Operation::Delete),
        }
    }

    /// The foreign keys of one column, to tables that the caller may read.
    fn references<'a>(&'a self, resource: &'a Resource) -> Vec<Reference<'a>> {
        let reference = |way: &'a duet_service::Expandable| {
            let (&[column], &[target]) = (&way.own_columns[..], &way.other_columns[..]) else {
                return None;
            };
            let other = self.mount().resource(&way.resource).ok().filter(|_| !way.many)?;
            let may = other.access.allows(&self.principal, Operation::Read, "");
            let target = other.shape.root().table.columns[target].served_name();
            may.is_allowed().then_some(Reference { column, table: &other.name, target })
        };
        resource.expandables.iter().filter_map(reference).collect()
    }
}

/// Whether a resource has pages: all but services that read a single row, a document or a count.
fn is_collection(resource: &Resource) -> bool {
    resource.service.as_ref().is_none_or(|file| file.result == ServiceResult::Rows)
}

fn no_entry() -> Error {
    Error::new(Code::NotServed, "The catalog has no entry of this name.")
}

#[cfg(test)]
#[path = "tests/catalog_costs.rs"]
mod costs;
