//! A mount: one path, and the resources served below it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use duet_auth::{Operation, Principal};
use duet_model::catalog::{MediaAggregate, RelationName};
use duet_model::{Code, Error, Result};
use foldhash::fast::RandomState;

use super::links::Links;
use super::naming::NamedRelation;
use super::remarks::LinkRemarks;
use super::row_media::RowMedia;
use crate::resources::key_ways::{KeyWay, KeyWays};
use crate::resources::resource::{Resource, ResourceKind};
use crate::resources::routine::RoutineResource;
use crate::resources::service_resource::ServiceResource;
use crate::services::{PathValues, RouteTree};

/// One path and the resources served below it.
#[derive(Debug)]
pub struct Mount {
    /// A short name: the application's, or the schema's.
    pub name: String,
    /// The path, such as `/ords/hr`.
    pub path: String,
    /// The resources by name.
    pub(crate) resources: HashMap<String, Arc<Resource>, RandomState>,
    /// The same, ordered by name.
    pub(crate) listed: Vec<Arc<Resource>>,
    /// Functions and procedures by name.
    pub(crate) routines: HashMap<String, Arc<RoutineResource>, RandomState>,
    /// The functions by their names, where those of one name are told apart by their arguments.
    pub(crate) functions: HashMap<String, Vec<Arc<RoutineResource>>, RandomState>,
    /// Services, those with more literal paths first.
    pub(crate) services: Vec<Arc<ServiceResource>>,
    /// Their places by their paths.
    pub(crate) service_routes: RouteTree,
    /// Views whose definition no longer fits the schema, and what to answer for them.
    pub(crate) broken: HashMap<String, Error, RandomState>,
    /// What each file of definitions gave.
    pub(crate) defined: DefinedRelations,
    /// The relations with their names, where it is the first of those that are declared together.
    pub(crate) named: Vec<Arc<NamedRelation>>,
    /// The remarks on the links of its tables.
    pub(crate) link_remarks: LinkRemarks,
    /// Whether some of these are on foreign keys that partitions alone have.
    pub(crate) has_partition_keys: bool,
    /// The ways by the keys of the tables that views read, in profiles that follow them.
    pub(crate) key_ways: KeyWays,
    /// The tables and views whose rows functions give, with the names of their resources.
    pub(crate) given_rows: HashMap<RelationName, String, RandomState>,
    /// The aggregates whose results are answers.
    pub(crate) row_media: RowMedia,
}

impl Mount {
    /// The resource of this name.
    ///
    /// # Errors
    /// [`Code::NotServed`], or the reason why a view cannot be served at the moment.
    pub fn resource(&self, name: &str) -> Result<&Arc<Resource>> {
        self.resources
            .get(name)
            .ok_or_else(|| self.broken.get(name).cloned().unwrap_or_else(not_served))
    }

    /// The function or procedure of this name.
    pub fn routine(&self, name: &str) -> Option<&Arc<RoutineResource>> {
        self.routines.get(name)
    }

    /// Whether both serve the same, by the same statements.
    pub(crate) fn serves_same(&self, other: &Self) -> bool {
        let resources = self.listed.iter().zip(&other.listed);
        let (routines, others) = (self.routines(), other.routines());
        let mut described = routines.iter().zip(&others);
        (&self.name, &self.path, &self.broken) == (&other.name, &other.path, &other.broken)
            && self.listed.len() == other.listed.len()
            && routines.len() == others.len()
            && resources.into_iter().all(|(a, b)| Arc::ptr_eq(a, b) || a.serves_same(b))
            && described.all(|(a, b)| a.serves_same(b))
            && self.key_ways == other.key_ways
            && self.row_media == other.row_media
            && self.functions.len() == other.functions.len()
            && self.functions.iter().all(|(name, all)| serve_same(all, other.functions(name)))
            && self.services.len() == other.services.len()
            && self.services.iter().zip(&other.services).all(|(a, b)| a.serves_same(b))
    }

    /// The ways of a resource by the keys of the tables that views read.
    pub(crate) fn key_ways(&self, resource: &str) -> &[KeyWay] {
        self.key_ways.get(resource).map_or(&[], Vec::as_slice)
    }

    /// The resource of a table or view whose rows a function gives, whatever its name is.
    pub(crate) fn given_rows(&self, of: &RelationName) -> Option<&Arc<Resource>> {
        self.resources.get(self.given_rows.get(of)?)
    }

    /// Whether aggregates answer with media types of their own.
    pub fn has_row_media(&self) -> bool {
        !self.row_media.is_empty()
    }

    /// The aggregate that answers with a media type (in lower case) for rows of a resource; `whole` says that nothing of
    /// them is selected.
    pub fn row_media(
        &self,
        resource: &Resource,
        media: &str,
        whole: bool,
    ) -> Option<&MediaAggregate> {
        self.row_media.find(resource, media, whole)
    }

    /// The functions of this name, where they are told apart by their arguments.
    pub(crate) fn functions(&self, name: &str) -> &[Arc<RoutineResource>] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// The name of its schema in messages; `public` where the store has only one.
    pub fn schema_name(&self) -> &str {
        let first = self.listed.iter().find_map(|one| match &*one.shape.root().table.schema {
            "" | "main" => None,
            schema => Some(schema),
        });
        first.unwrap_or("public")
    }

    /// The first function of this name, where they are told apart by their arguments.
    pub fn first_function(&self, name: &str) -> Option<&Arc<RoutineResource>> {
        self.functions(name).first()
    }

    /// The names of such functions that the caller may run.
    pub(crate) fn function_names(&self, who: &Principal) -> impl Iterator<Item = &str> {
        let may =
            |own: &Arc<RoutineResource>| own.access.reaches(who, Operation::Execute).is_allowed();
        let usable = self.functions.iter().filter(move |(_, all)| all.iter().any(may));
        usable.map(|(name, _)| name.as_str())
    }

    /// The first of such functions of each name that the caller may run, by name.
    pub fn functions_of(&self, who: &Principal) -> Vec<&RoutineResource> {
        let may =
            |own: &&Arc<RoutineResource>| own.access.reaches(who, Operation::Execute).is_allowed();
        let first = self.functions.values().filter_map(|all| all.iter().find(may));
        let mut found: Vec<&RoutineResource> = first.map(AsRef::as_ref).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// All functions and procedures, by name.
    pub fn routines(&self) -> Vec<&Arc<RoutineResource>> {
        let mut routines: Vec<_> = self.routines.values().collect();
        routines.sort_by(|a, b| a.name.cmp(&b.name));
        routines
    }

    /// All services.
    pub fn services(&self) -> &[Arc<ServiceResource>] {
        &self.services
    }

    /// The services of a path below the mount with the values of its parameters: those of the most literal
    /// template that matches.
    pub fn services_at(&self, path: &str) -> Vec<(&Arc<ServiceResource>, PathValues<'_>)> {
        let services = self.service_routes.at(path).iter().map(|place| &self.services[*place]);
        services.filter_map(|service| Some((service, service.file.path.matches(path)?))).collect()
    }

    /// The names that everything below belongs to: those of resources and routines, also of those that were
    /// served until the schema changed.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.listed.iter().filter(|resource| resource.is_served_by_name());
        let resources = named.map(|resource| resource.name.as_str());
        let others = self.routines.keys().chain(self.broken.keys());
        resources.chain(others.map(String::as_str))
    }

    /// All resources, by name.
    pub fn resources(&self) -> &[Arc<Resource>] {
        &self.listed
    }
}

/// Whether functions of one name are called and answered alike.
fn serve_same(some: &[Arc<RoutineResource>], others: &[Arc<RoutineResource>]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(a, b)| a.serves_same(b))
}

/// The error for a path that leads nowhere. It names nothing that exists: a client without a token
/// learns nothing from it.
fn not_served() -> Error {
    Error::new(
        Code::NotServed,
        "Nothing is served at this path. `metadata-catalog/` below the mount lists what is.",
    )
}

/// What each file of definitions gave when it last compiled.
pub(crate) type DefinedRelations = BTreeMap<String, DefinedBy>;

/// Relations that the files of a mount define; the first of its parts has them.
#[derive(Default)]
pub(super) struct OwnRelations {
    pub(super) defined: DefinedRelations,
    pub(super) named: Vec<Arc<NamedRelation>>,
}

/// What a file of definitions gave.
#[derive(Clone, Debug)]
pub(crate) struct DefinedBy {
    /// The file's text.
    pub(crate) text: String,
    /// The names of its views.
    pub(crate) views: Vec<String>,
    /// The foreign keys that there were.
    pub(crate) links: Arc<Links>,
}

/// The tables and views whose rows functions give, with the names of their resources.
pub(crate) fn given_rows(
    functions: &HashMap<String, Vec<Arc<RoutineResource>>, RandomState>,
    resources: &[Arc<Resource>],
) -> HashMap<RelationName, String, RandomState> {
    let given = functions.values().flatten().filter_map(|own| own.routine.rows_of.as_ref());
    let given: HashSet<&RelationName, RandomState> = given.collect();
    let named = |resource: &Arc<Resource>| {
        let table = &resource.shape.root().table;
        let name = RelationName { schema: table.schema.clone(), name: table.name.clone() };
        given.contains(&name).then(|| (name, resource.name.clone()))
    };
    let rows = |kind| matches!(kind, ResourceKind::Table | ResourceKind::View);
    resources.iter().filter(|one| !given.is_empty() && rows(one.kind)).filter_map(named).collect()
}
