//! The applications of one process: each a service of its own, found by the path of a request.

use std::sync::Arc;

use duet_model::{Code, Error, Result};
use duet_store::SharedStore;

use super::auth::Auth;
use super::context::WorkerHandle;
use super::routes::{KeptPath, Routes};
use super::service::{ReloadedSnapshot, Service};
use super::tenants::{TenantLimits, TenantSource, Tenants};
use crate::definition::{Application, Origin, TenantChoice};

/// The applications of one process, in the order in which they were named.
#[derive(Debug)]
pub struct Applications {
    services: Vec<Arc<Service>>,
    routes: Arc<Routes>,
    /// The tenants of each, where it has tenants.
    tenants: Vec<Option<Arc<Tenants>>>,
    /// The clients of the paths that belong to no application: `/metrics`, `/admin`, `/oauth/token`.
    auth: Arc<Auth>,
}

/// What a reload did to one application.
#[derive(Debug)]
pub struct ApplicationReload {
    /// The application's name.
    pub name: String,
    /// What was reloaded, or why nothing was: the application before then stays in force.
    pub outcome: Result<ReloadedSnapshot>,
}

impl From<Arc<Service>> for Applications {
    /// A process with one application, whose clients are those of the process too.
    fn from(service: Arc<Service>) -> Self {
        let (routes, auth) = (Arc::clone(service.routes()), Arc::clone(service.auth()));
        Self { services: vec![service], tenants: vec![None], routes, auth }
    }
}

impl Applications {
    /// No application yet; `auth` are the clients of the process itself.
    pub fn new(auth: impl Into<Arc<Auth>>) -> Self {
        let (services, tenants) = (Vec::new(), Vec::new());
        Self { services, tenants, routes: Arc::default(), auth: auth.into() }
    }

    /// Opens an application and adds it.
    ///
    /// # Errors
    /// As [`Service::open_from`], and where its name or a mount is another application's.
    pub async fn open(
        &mut self,
        store: SharedStore,
        application: Application,
        origin: Option<Arc<dyn Origin>>,
        auth: impl Into<Arc<Auth>>,
    ) -> Result<()> {
        let name = &application.name;
        if self.services.iter().any(|service| service.name() == name) {
            let message = format!("Two applications are named {name:?}.");
            let hint = "Give one of them another `name` in its app.toml.";
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        let routes = Arc::clone(&self.routes);
        let service = Service::open_among(routes, store, application, origin, auth.into()).await?;
        self.services.push(service);
        self.tenants.push(None);
        Ok(())
    }

    /// Gives the application that was added last its tenants. What it serves itself is nothing: its service has
    /// the paths and the clients.
    pub fn add_tenants(
        &mut self,
        choice: TenantChoice,
        source: Arc<dyn TenantSource>,
        limits: TenantLimits,
    ) {
        let Some(service) = self.services.last() else { return };
        let tenants = Tenants::new(choice, source, service.auth(), limits);
        if let Some(last) = self.tenants.last_mut() {
            *last = Some(Arc::new(tenants));
        }
    }

    /// The tenants of an application, where it has any.
    #[inline]
    pub fn tenants(&self, application: usize) -> Option<&Arc<Tenants>> {
        self.tenants.get(application)?.as_ref()
    }

    /// All applications with tenants, with their numbers.
    pub fn all_tenants(&self) -> impl Iterator<Item = (usize, &Arc<Tenants>)> {
        let each = self.tenants.iter().enumerate();
        each.filter_map(|(number, tenants)| Some((number, tenants.as_ref()?)))
    }

    /// All of them; a route's number is an index into this.
    pub fn services(&self) -> &[Arc<Service>] {
        &self.services
    }

    /// Attaches the calling thread, which runs a local task set, to all of them.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub fn attach(&self) -> Result<Vec<WorkerHandle>> {
        let attach = |service: &Arc<Service>| {
            let handle = service.attach()?;
            handle.learn_schema()?;
            Ok(handle)
        };
        self.services.iter().map(attach).collect()
    }

    /// Keeps a path for the process itself.
    ///
    /// # Errors
    /// Where an application serves something there.
    pub fn keep(&self, path: KeptPath) -> Result<()> {
        self.routes.keep(path)
    }

    /// The clients of the process itself.
    pub fn auth(&self) -> &Arc<Auth> {
        &self.auth
    }

    /// The clients of the process and of its applications, each source once.
    pub fn auths(&self) -> Vec<&Arc<Auth>> {
        let mut auths = vec![&self.auth];
        for auth in self.services.iter().map(|service| service.auth()) {
            if !auths.iter().any(|known| Arc::ptr_eq(known, auth)) {
                auths.push(auth);
            }
        }
        auths
    }

    /// The number of the application that a path belongs to: the one with the longest mount that
    /// the path lies below. With a single application it is that one, whatever the path.
    #[inline]
    pub fn find(&self, path: &str) -> Option<usize> {
        match self.services.len() {
            1 => Some(0),
            _ => self.routes.find(path),
        }
    }

    /// Reloads all applications, one after the other. A mistake in one of them keeps none of the
    /// others from being reloaded.
    pub async fn reload(&self) -> Vec<ApplicationReload> {
        let mut reloads = Vec::with_capacity(self.services.len());
        for service in &self.services {
            let outcome = service.reload().await;
            reloads.push(ApplicationReload { name: service.name().to_owned(), outcome });
        }
        for (_, tenants) in self.all_tenants() {
            for tenant in tenants.open_ones() {
                let name = format!("{}/{}", tenant.service().name(), tenant.name());
                let outcome = tenant.service().reload().await;
                reloads.push(ApplicationReload { name, outcome });
            }
        }
        reloads
    }
}
