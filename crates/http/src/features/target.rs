//! What a request is for, as features see it: its route, and what planning needs beside it.

use std::sync::Arc;

use duet_auth::Operation;
use duet_model::Error;
use duet_service::write::OwnedLinks;
use duet_service::{Resource, Right};
use hyper::Method;

use crate::answer::refusal::Refusal;
use crate::message::media::{EVENT_STREAM, JSON, ResponseFormat};
use crate::message::methods::Methods;
use crate::message::subpath::is_batch;
use crate::observe::trace::Trace;
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::routed::{Destination, Place, RoutedRequest};
use crate::request::scope::Scope;
use crate::request::site::Site;
use crate::resources::batchload::is_load;
use crate::resources::{search, write};
use crate::services::service;

/// The route of a request.
#[derive(Clone, Copy)]
pub(crate) enum Route<'t> {
    /// Nothing is served there.
    Nowhere,
    /// A part of the server that belongs to no resource.
    Site(Site<'t>),
    /// A place below a mount that is no resource.
    Mount(&'t Place<'t>),
    /// A resource.
    Resource(&'t ResourceRoute<'t>),
}

/// The route of a request for a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceRoute<'t> {
    pub(crate) method: &'t Method,
    /// The path below the resource.
    pub(crate) tail: &'t str,
    pub(crate) query: Option<&'t str>,
    /// Whether the resource takes the method there.
    pub(crate) offered: bool,
    /// Whether the body says what to read.
    pub(crate) by_body: bool,
    /// Whether the method writes.
    pub(crate) writes: bool,
    /// The form that the client wants a collection in; `None` where it takes none of them.
    pub(crate) form: Option<ResponseFormat>,
}

impl<'t> ResourceRoute<'t> {
    /// The route of a request with a method, a path below a resource and a query. `form` is asked where there is a
    /// choice.
    pub(crate) fn of(
        method: &'t Method,
        tail: &'t str,
        query: Option<&'t str>,
        offered: bool,
        form: impl FnOnce() -> Option<ResponseFormat>,
    ) -> Self {
        let by_body = search::asks_by_body(method, tail);
        let writes = !by_body && write::is_write(method);
        let mut route = Self {
            method,
            tail,
            query,
            offered,
            by_body,
            writes,
            form: Some(ResponseFormat::Json),
        };
        if route.has_forms() {
            route.form = form();
        }
        route
    }

    /// Whether what is read there has several forms.
    fn has_forms(&self) -> bool {
        !self.writes && (self.by_body || self.tail.is_empty())
    }

    /// Whether it is a batch of writes.
    pub(crate) fn is_batch(&self) -> bool {
        self.writes && self.offered && is_batch(self.tail)
    }

    /// Whether it is a bulk load.
    pub(crate) fn is_load(&self) -> bool {
        self.offered && is_load(self.method, self.tail)
    }

    /// The item that the path below the resource is of; empty for all of them.
    fn place(&self) -> &'t str {
        if self.by_body || self.is_batch() { "" } else { self.tail }
    }

    fn operation(&self) -> Operation {
        if self.writes && self.offered { write::operation(self.method) } else { Operation::Read }
    }
}

/// What a request is for.
pub(crate) struct Target<'r> {
    authenticated: &'r AuthenticatedRequest<'r>,
    to: &'r Destination<'r>,
    resource: Option<ResourceTarget<'r>>,
}

impl<'r> Target<'r> {
    /// The target of a request.
    pub(crate) fn of(routed: &'r RoutedRequest<'r>) -> Self {
        let (authenticated, to) = (routed.authenticated(), routed.destination());
        let resource = match to {
            Destination::Below(scope, Place::Resource(resource, tail)) => {
                Some(ResourceTarget::of(scope, resource, tail))
            }
            _ => None,
        };
        Self { authenticated, to, resource }
    }

    /// Its route.
    pub(crate) fn route(&self) -> Route<'_> {
        match (self.to, &self.resource) {
            (_, Some(resource)) => Route::Resource(&resource.route),
            (Destination::Below(_, place), None) => Route::Mount(place),
            (Destination::Site(site), None) => Route::Site(*site),
            (Destination::Nowhere, None) => Route::Nowhere,
        }
    }

    /// The record of the request.
    pub(crate) fn trace(&self) -> &'r Trace {
        &self.authenticated.arrived().trace
    }

    /// The error where nothing is served.
    pub(crate) fn nothing_here(&self) -> Refusal {
        self.authenticated.nothing_here()
    }

    /// The request for a part of the server.
    ///
    /// # Errors
    /// Where it is for something else.
    pub(crate) fn site(self) -> Result<(&'r AuthenticatedRequest<'r>, Site<'r>), Refusal> {
        match self.to {
            Destination::Site(site) => Ok((self.authenticated, *site)),
            _ => Err(self.nothing_here()),
        }
    }

    /// The place below a mount.
    ///
    /// # Errors
    /// Where the request is for something else.
    pub(crate) fn place(self) -> Result<(&'r Scope<'r>, &'r Place<'r>), Refusal> {
        match self.to {
            Destination::Below(scope, place) => Ok((scope, place)),
            _ => Err(self.nothing_here()),
        }
    }

    /// The resource, for whose class the request counts from now on.
    ///
    /// # Errors
    /// Where the request is for something else.
    pub(crate) fn resource(self) -> Result<ResourceTarget<'r>, Refusal> {
        let Some(resource) = self.resource else { return Err(self.nothing_here()) };
        resource.scope.is_in_class(resource.resource.class);
        Ok(resource)
    }
}

/// A request for a resource.
pub(crate) struct ResourceTarget<'r> {
    pub(crate) scope: &'r Scope<'r>,
    pub(crate) resource: &'r Arc<Resource>,
    pub(crate) route: ResourceRoute<'r>,
    /// The methods that the resource takes at the path.
    pub(crate) methods: Methods,
    /// The media type of its form.
    media: &'static str,
}

impl<'r> ResourceTarget<'r> {
    fn of(scope: &'r Scope<'r>, resource: &'r Arc<Resource>, tail: &'r str) -> Self {
        let (method, query) = (scope.request.method(), scope.request.uri().query());
        let methods = Methods::below(resource, tail);
        let mut media = JSON;
        let mut route =
            ResourceRoute::of(method, tail, query, methods.contains(method.as_str()), || {
                let (form, name) = scope.form().ok()?;
                media = name;
                Some(form)
            });
        if !route.writes && !route.has_forms() && scope.wants_live() {
            (route.form, media) = (Some(ResponseFormat::Live), EVENT_STREAM);
        }
        Self { scope, resource, route, methods, media }
    }

    /// Whether the caller may do this to the resource, wherever the method is offered.
    ///
    /// # Errors
    /// Where not.
    pub(crate) fn admission(&self) -> Result<(), Refusal> {
        let (operation, name) = (self.route.operation(), &self.resource.name);
        self.scope.admit(&self.resource.access, operation, name, self.route.place())
    }

    /// Checks the rights of the caller, and that the resource takes the method.
    ///
    /// # Errors
    /// Where not.
    pub(crate) fn admit(&self) -> Result<(), Refusal> {
        self.admission()?;
        let route = &self.route;
        if route.is_batch() {
            let (operation, name) = (route.operation(), &self.resource.name);
            self.scope.admit(&self.resource.access, operation, name, route.tail)?;
        }
        if !route.by_body && !route.offered {
            self.not_offered()?;
        }
        Ok(())
    }

    /// The same, and that the client takes the form of the answer, which it returns with the links of the resource.
    ///
    /// # Errors
    /// Where not.
    pub(crate) fn open(&self) -> Result<(OwnedLinks, (ResponseFormat, &'static str)), Refusal> {
        self.admit()?;
        let (scope, route) = (self.scope, &self.route);
        let form = match route.form {
            Some(form) if route.has_forms() || form == ResponseFormat::Live => (form, self.media),
            None => scope.form()?,
            Some(form) => {
                scope.check_accept()?;
                (form, self.media)
            }
        };
        let place = route.place();
        let writable = scope.may_edit(self.resource, place, route.writes || !place.is_empty());
        Ok((scope.links(scope.mount, self.resource, writable), form))
    }

    /// Refuses a method that a resource does not take here, with the reason.
    fn not_offered(&self) -> Result<(), Refusal> {
        let (scope, resource, route) = (self.scope, self.resource, &self.route);
        if route.writes {
            scope.check_writes()?;
            denied(resource, route.method, route.tail).map_or(Ok(()), Err)?;
        }
        let methods = self.methods.or(service::methods_beside(scope));
        Err(Refusal::method_of(resource, route.writes, methods))
    }
}

/// The refusal of a write that the definition of a resource allows, and the database to no user.
fn denied(resource: &Resource, method: &Method, tail: &str) -> Option<Error> {
    let is_place = tail.is_empty() || is_batch(tail) || is_load(method, tail);
    let right = match *method {
        Method::POST if is_place => Right::Insert,
        Method::PUT if !tail.is_empty() => Right::Update,
        Method::PATCH => Right::Update,
        Method::DELETE => Right::Delete,
        _ => return None,
    };
    resource.denied_by_database(right)
}
