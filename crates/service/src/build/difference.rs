//! What a snapshot serves otherwise than the one before it: resources, services, functions and procedures that were added,
//! removed or changed, by their paths.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::mount::Mount;
use super::snapshot::Snapshot;
use crate::resources::resource::Resource;
use crate::resources::routine::RoutineResource;
use crate::resources::service_resource::ServiceResource;

/// Names in each list at most; more are counted.
const MOST_NAMES: usize = 50;

/// What a snapshot serves otherwise than the one before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotDifference {
    /// What is served since, by path.
    pub added: ChangedNames,
    /// What is not served any more.
    pub removed: ChangedNames,
    /// What is served in another form.
    pub changed: ChangedNames,
}

/// Paths, the first ones where there are many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedNames {
    /// The paths, in order; those of services with their method.
    pub names: Vec<String>,
    /// How many there are.
    pub count: usize,
}

impl ChangedNames {
    fn add(&mut self, name: &str) {
        self.count += 1;
        if self.names.len() < MOST_NAMES {
            self.names.push(name.to_owned());
        }
    }
}

/// Something that is served.
enum ServedThing<'s> {
    Resource(&'s Arc<Resource>),
    Routine(&'s Arc<RoutineResource>),
    Service(&'s Arc<ServiceResource>),
}

impl ServedThing<'_> {
    fn serves_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Resource(one), Self::Resource(other)) => {
                Arc::ptr_eq(one, other) || one.serves_same(other)
            }
            (Self::Routine(one), Self::Routine(other)) => one.serves_same(other),
            (Self::Service(one), Self::Service(other)) => one.serves_same(other),
            _ => false,
        }
    }
}

/// Everything of a snapshot by its path.
fn served(snapshot: &Snapshot) -> BTreeMap<String, ServedThing<'_>> {
    snapshot.mounts.iter().flat_map(served_below).collect()
}

fn served_below(mount: &Mount) -> impl Iterator<Item = (String, ServedThing<'_>)> {
    let below = |name: &str| format!("{}/{name}", mount.path);
    let own = mount.resources().iter().filter(|resource| resource.is_served_by_name());
    let resources = own.map(move |it| (below(&it.name), ServedThing::Resource(it)));
    let routines = mount.routines.values();
    let routines = routines.map(move |it| (below(&it.name), ServedThing::Routine(it)));
    let services = mount.services().iter().map(move |it| {
        let name = format!("{} {}{}", it.file.method, mount.path, it.file.path);
        (name, ServedThing::Service(it))
    });
    resources.chain(routines).chain(services)
}

impl SnapshotDifference {
    /// What `now` serves otherwise than `before`.
    pub(crate) fn between(before: &Snapshot, now: &Snapshot) -> Self {
        let (before, now) = (served(before), served(now));
        let mut difference = Self::default();
        for (name, thing) in &now {
            match before.get(name) {
                None => difference.added.add(name),
                Some(known) if !thing.serves_same(known) => difference.changed.add(name),
                Some(_) => {}
            }
        }
        before.keys().filter(|name| !now.contains_key(*name)).for_each(|name| {
            difference.removed.add(name);
        });
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_counted() {
        let mut names = ChangedNames::default();
        (0..2 * MOST_NAMES).for_each(|number| names.add(&number.to_string()));
        assert_eq!((names.names.len(), names.count), (MOST_NAMES, 2 * MOST_NAMES));
    }
}
