//! Catalogs of a mount, and their documents.

use std::sync::Arc;

use duet_service::Service;

use super::only_read;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::describe::catalog::CatalogRequest;
use crate::features::definition::Feature;
use crate::features::target::{Route, Target};
use crate::request::routed::Place;
use crate::request::scope::Scope;

/// Catalogs of a mount, and their documents.
pub(crate) struct Catalog;

impl Feature for Catalog {
    const NAME: &'static str = "catalog";

    type Plan<'r> = CatalogPlan<'r>;

    fn takes(route: &Route<'_>) -> bool {
        matches!(route, Route::Mount(Place::Catalog(..)))
    }

    async fn plan(target: Target<'_>) -> Result<Self::Plan<'_>, Refusal> {
        let (scope, Place::Catalog(catalog, tail)) = target.place()? else {
            return Err(Service::nothing_here().into());
        };
        if let Some(refused) = scope.reject_anonymous() {
            return Err(refused);
        }
        // What is kept of descriptions is kept by roles, and those of a link say nothing of what it may read.
        if scope.who.link().is_some() {
            return Err(Refusal::forbidden(scope.who, "read the catalog", &[]));
        }
        if let Some(options) = only_read(scope)? {
            return Ok(CatalogPlan::Known(Box::new(options)));
        }
        scope.check_accept()?;
        let request = CatalogRequest {
            service: Arc::clone(scope.service()),
            snapshot: Arc::clone(scope.snapshot),
            mount: scope.mount_number(),
            principal: Arc::clone(scope.who),
            catalog: *catalog,
            tail: (*tail).to_owned(),
            query: scope.request.uri().query().map(str::to_owned),
            api_key_header: scope.worker.shared.options.api_key_header.clone(),
        };
        Ok(CatalogPlan::Describe(request, scope))
    }

    async fn answer(plan: Self::Plan<'_>) -> Result<Reply, Refusal> {
        match plan {
            CatalogPlan::Known(reply) => Ok(*reply),
            CatalogPlan::Describe(request, scope) => {
                let (shared, base) = (&scope.worker.shared, scope.origin.to_string());
                let kept = (&shared.descriptions, &shared.offload);
                scope.conditional(Box::pin(request.answer(&base, kept)).await?)
            }
        }
    }
}

/// What a request for a catalog will do.
pub(crate) enum CatalogPlan<'r> {
    /// What is known without the catalog.
    Known(Box<Reply>),
    Describe(CatalogRequest, &'r Scope<'r>),
}
