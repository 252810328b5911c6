//! The addresses of resources for links. They are kept for the address under which the last client saw the
//! server: most clients see the same one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use duet_service::write::Addresses;
use duet_service::{Mount, Resource};
use foldhash::fast::RandomState;

use crate::describe::names::segment;
use crate::message::origin::Origin;

/// The addresses of the resources of all applications, as seen under one origin.
#[derive(Debug, Default)]
pub(crate) struct AddressCache(RefCell<CachedAddresses>);

#[derive(Debug, Default)]
struct CachedAddresses {
    origin: Option<Origin<'static>>,
    applications: HashMap<(usize, u64), Vec<Option<Arc<Addresses>>>, RandomState>,
}

/// How many generations are kept, of all applications and their tenants.
const GENERATIONS: usize = 2_000;

impl AddressCache {
    /// The addresses of a resource of an application, in a generation of its catalog.
    pub(crate) fn of(
        &self,
        origin: &Origin<'_>,
        application: usize,
        generation: u64,
        mount: &Mount,
        resource: &Resource,
    ) -> Arc<Addresses> {
        let mut kept = self.0.borrow_mut();
        if kept.origin.as_ref() != Some(origin) {
            *kept =
                CachedAddresses { origin: Some(origin.to_owned()), ..CachedAddresses::default() };
        }
        let applications = &mut kept.applications;
        if applications.len() >= GENERATIONS
            && !applications.contains_key(&(application, generation))
        {
            applications.clear();
        }
        let resources = applications.entry((application, generation)).or_default();
        if resources.len() <= resource.index {
            resources.resize(resource.index + 1, None);
        }
        let written = || Arc::new(addresses(origin, mount, resource));
        Arc::clone(resources[resource.index].get_or_insert_with(written))
    }
}

/// The addresses of a resource, as seen under an origin.
pub(crate) fn addresses(origin: &Origin<'_>, mount: &Mount, resource: &Resource) -> Addresses {
    let (name, path) = (segment(&resource.name), &mount.path);
    Addresses {
        collection: format!("{origin}{path}/{name}/"),
        described_by: format!("{origin}{path}/metadata-catalog/{name}/"),
    }
}
