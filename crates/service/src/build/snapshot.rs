//! The snapshot: catalog and resources of one moment, immutable, swapped whole.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use duet_auth::{Policy, Privilege};
use duet_collection::Collection;
use duet_duality::{DefinitionFile, Options, View};
use duet_model::catalog::{RelationName, ViewKeys};
use duet_model::{Catalog, Code, DocumentStyle, Error, Result, Shape};
use duet_sql::{Dialect, view_endpoint};
use duet_text::name;
use foldhash::fast::RandomState;

use super::ad_hoc::ad_hoc;
use super::declared_keys;
use super::kept::{Entry, OutdatedLinks, OutdatedWays, Places};
use super::links::{self, Links};
use super::mistake_list::Mistakes;
use super::mistakes::{self, Mistake};
use super::mount::{self, DefinedBy, DefinedRelations, Mount, OwnRelations};
use super::naming::{self, DeclaredResources, NamedRelations, RESERVED};
use super::remarks::{self, LinkRemarks, Remark, ServedRelation};
use super::row_functions;
use super::row_media::RowMedia;
use super::spread;
use super::table_shape::table_shape;
use super::view_keys;
use crate::definition::{self, Application, Mounts, ViewFile};
use crate::path::{below, shown_path};
use crate::resources::collection_shape::{COLLECTION_PAGE, collection_shape};
use crate::resources::expandable::{ServedKeys, ServedShape, expandables};
use crate::resources::key_ways;
use crate::resources::related_documents::{Documents, RelatedNode, WithRelated};
use crate::resources::resource::{Resource, ResourceKind, kind_of};
use crate::resources::routine::{self, RoutineResource};
use crate::resources::service_resource::{self, BuiltService, DescribedServices};
use crate::services::{AssignedMember, RouteTree, WriteRun};

/// Everything that is served, as of one state of the schema.
#[derive(Debug)]
pub struct Snapshot {
    /// Grows with every snapshot of the process.
    pub generation: u64,
    /// What was to be served.
    pub application: Arc<Application>,
    /// The mounts; those with longer paths first, so that the first match is the right one.
    pub mounts: Vec<Mount>,
    /// What could not be served, and why, in words for the operator.
    pub notes: Vec<String>,
    /// What clients may miss, in words for the operator.
    pub remarks: Vec<Remark>,
    /// The collections whose tables are not in the database; requests for them get 503.
    pub without_table: Vec<MissingTable>,
    /// Whether the database takes no writes, because it is a standby.
    pub standby: bool,
    /// What the database says of the services' statements.
    pub(crate) services: Arc<DescribedServices>,
}

/// A collection, or a list over several, that has no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTable {
    /// Its name.
    pub collection: String,
    /// The table, qualified by its schema.
    pub table: String,
}

impl Snapshot {
    /// The mount that a path lies below, and the rest of the path without the slash between.
    pub fn route<'p>(&self, path: &'p str) -> Option<(&Mount, &'p str)> {
        self.mounts.iter().find_map(|mount| Some((mount, below(&mount.path, path)?)))
    }

    /// All resources, mount by mount.
    pub fn resources(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.mounts.iter().flat_map(Mount::resources)
    }

    /// Whether the items of a resource are kept in memory from its start.
    pub(crate) fn keeps_items(&self) -> bool {
        self.resources().any(|resource| resource.rowstore_declared > 0)
    }

    /// Builds everything from a catalog. A view that does not compile is an error, unless the `previous` snapshot had the
    /// same file: then it is the schema that has changed, and the view is left out with a note, and answers 503 until the
    /// schema fits again.
    pub(crate) fn build(
        previous: Option<&Self>,
        catalog: &Catalog,
        application: &Arc<Application>,
        dialect: &dyn Dialect,
        standby: bool,
        services: Arc<DescribedServices>,
    ) -> Result<Self> {
        let generation = previous.map_or(1, |previous| previous.generation + 1);
        let (mut notes, mut without_table) = (catalog.notes.clone(), Vec::new());
        let declared = declared_mounts(application, catalog, &mut notes);
        let grants = declared.iter().flat_map(|(_, mount)| mount.grants());
        let pairs = grants.map(|(path, _, privilege)| (path, std::slice::from_ref(privilege)));
        let policy = Policy::compile(pairs.collect::<Vec<(&str, &[Privilege])>>());
        let policy = match (policy, previous) {
            (Err(error), Some(_)) => return Err(definition::mistaken(vec![error])),
            (policy, _) => policy?,
        };
        let (mut mounts, mut remarks) = (Vec::new(), Vec::new());
        let keeps = previous.is_some_and(|previous| previous.is_kept_by(application, standby));
        let mut places = Places::beside(previous.iter().flat_map(|before| before.resources()));
        let mut mistakes = Mistakes::default();
        let mounts_before = previous.iter().flat_map(|previous| &previous.mounts);
        let before: HashMap<&str, &Mount> =
            mounts_before.map(|mount| (mount.path.as_str(), mount)).collect();
        for (name, mount) in &declared {
            let settled = naming::settled(mount, catalog);
            let part = |path| Part::new(path, before.get(path).copied(), keeps);
            let declared = DeclaredResources::of(&settled, application.profile());
            let schema = schema_of(&settled, catalog, dialect);
            let keyed = declared_keys::with(catalog, &settled, &declared, &schema);
            let keyed = match application.profile().keys_views() {
                true => row_functions::with(view_keys::with(keyed, &schema), &settled, &schema),
                false => keyed,
            };
            let mut builder = Builder {
                catalog: &keyed,
                mount: &settled,
                declared,
                policy: &policy,
                application,
                dialect,
                standby,
                notes: &mut notes,
                remarks: &mut remarks,
                without_table: &mut without_table,
                parts: mount.paths().map(part).collect(),
                defined: BTreeMap::new(),
                named: Vec::new(),
                services: &services,
            };
            let known = before.get(mount.path.as_str()).map(|mount| mount.defined.clone());
            let known = previous.map(|_| known.unwrap_or_default());
            let same = previous.is_some_and(|previous| previous.application.declares(mount));
            builder.build(known.as_ref(), same, &mut mistakes);
            builder.expandables(same, &mut mistakes);
            mounts.extend(builder.finish(name, &mut places));
        }
        mistakes.into_result(previous.is_some())?;
        mounts.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.path.cmp(&b.path)));
        let application = Arc::clone(application);
        Ok(Self {
            generation,
            application,
            mounts,
            notes,
            remarks,
            without_table,
            standby,
            services,
        })
    }
}

impl Snapshot {
    /// Whether its resources may be taken over, as far as their relations are the same.
    fn is_kept_by(&self, application: &Arc<Application>, standby: bool) -> bool {
        let same =
            || Arc::ptr_eq(&self.application, application) || self.application == *application;
        self.standby == standby && same()
    }

    /// Whether both serve the same, by the same statements.
    pub(crate) fn serves_same(&self, other: &Self) -> bool {
        let both = self.mounts.iter().zip(&other.mounts);
        self.standby == other.standby
            && self.mounts.len() == other.mounts.len()
            && both.into_iter().all(|(a, b)| a.serves_same(b))
    }
}

/// The mounts of an application over a database, each with its name.
pub(crate) fn declared_mounts(
    application: &Application,
    catalog: &Catalog,
    notes: &mut Vec<String>,
) -> Vec<(String, definition::Mount)> {
    match &application.mounts {
        Mounts::Declared(mount) => {
            vec![(application.name.clone(), definition::Mount::clone(mount))]
        }
        Mounts::AdHoc => ad_hoc(catalog, None, notes),
        Mounts::AdHocBelow(name) => ad_hoc(catalog, Some(name), notes),
    }
}

/// A mount's schema, in the database's spelling.
pub(crate) fn schema_of(
    mount: &definition::Mount,
    catalog: &Catalog,
    dialect: &dyn Dialect,
) -> String {
    if let Some(only) = dialect.only_schema() {
        return only.to_owned();
    }
    let wanted = mount.schema.as_deref();
    if let Some(exact) = wanted.filter(|wanted| !catalog.relations_of(wanted).is_empty()) {
        return exact.to_owned();
    }
    let mut schemas = catalog.relations.iter().map(|relation| relation.schema.as_str());
    let found = match wanted {
        Some(wanted) => schemas.find(|schema| schema.eq_ignore_ascii_case(wanted)),
        None => schemas.clone().find(|schema| *schema == "public").or_else(|| schemas.next()),
    };
    found.or(wanted).unwrap_or("public").to_owned()
}

struct Builder<'a> {
    catalog: &'a Catalog,
    mount: &'a definition::Mount,
    declared: DeclaredResources<'a>,
    policy: &'a Policy,
    application: &'a Application,
    dialect: &'a dyn Dialect,
    standby: bool,
    notes: &'a mut Vec<String>,
    remarks: &'a mut Vec<Remark>,
    without_table: &'a mut Vec<MissingTable>,
    parts: Vec<Part<'a>>,
    defined: DefinedRelations,
    named: NamedRelations,
    services: &'a DescribedServices,
}

/// What is served below one of the paths.
struct Part<'a> {
    path: &'a str,
    /// What was served there before.
    previous: Option<&'a Mount>,
    /// The same where resources of relations that are the same are taken over from it.
    kept: Option<&'a Mount>,
    resources: Vec<Entry>,
    /// The names of resources that were added.
    taken: HashSet<String, RandomState>,
    routines: HashMap<String, Arc<RoutineResource>, RandomState>,
    functions: HashMap<String, Vec<Arc<RoutineResource>>, RandomState>,
    services: Vec<BuiltService>,
    /// The places of services by their methods and paths, without the names of parameters.
    service_paths: HashMap<(String, Vec<Option<String>>), usize, RandomState>,
    broken: HashMap<String, Error, RandomState>,
    link_remarks: LinkRemarks,
    has_partition_keys: bool,
}

impl<'a> Part<'a> {
    fn new(path: &'a str, previous: Option<&'a Mount>, keeps: bool) -> Self {
        let (routines, broken) = (HashMap::default(), HashMap::default());
        Self {
            path,
            previous,
            kept: previous.filter(|_| keeps),
            resources: Vec::new(),
            taken: HashSet::default(),
            routines,
            functions: HashMap::default(),
            services: Vec::new(),
            service_paths: HashMap::default(),
            broken,
            link_remarks: LinkRemarks::default(),
            has_partition_keys: false,
        }
    }

    /// What clients may miss of its tables and views.
    fn remarks(&mut self, catalog: &Catalog) -> Vec<Remark> {
        let is_own =
            |entry: &&Entry| matches!(entry.kind, ResourceKind::Table | ResourceKind::View);
        let own: Vec<&Entry> = self.resources.iter().filter(is_own).collect();
        let served = own.iter().map(|entry| ServedRelation {
            name: &entry.name,
            shape: &entry.shape,
            is_table: entry.kind == ResourceKind::Table,
        });
        let served: Vec<_> = served.collect();
        // Those of partitions are of two tables, and few.
        let before = self.kept.filter(|_| catalog.partition_keys.is_empty());
        let before = before.filter(|before| !before.has_partition_keys);
        self.has_partition_keys = !catalog.partition_keys.is_empty();
        let outdated = OutdatedLinks::of(&self.resources, before);
        let known = |at: usize| {
            let entry = own.get(at).filter(|entry| !outdated.has(entry))?;
            let known = before?.link_remarks.get(&entry.name);
            Some(known.map_or_else(|| Arc::from([]), Arc::clone))
        };
        let (mut remarks, links) = remarks::of_relations(&served, &catalog.partition_keys, &known);
        let lacking = self.resources.iter().map(|one| (one.name.as_str(), one.lacking()));
        remarks.extend(remarks::of_rights(lacking));
        self.link_remarks = links;
        remarks
    }

    /// The names of everything below it, or that was until the schema changed.
    fn names(&self) -> impl Iterator<Item = &str> {
        let resources = self.resources.iter().map(|resource| resource.name.as_str());
        let services = self.services.iter().map(|service| service.file.path.first());
        // A service at the mount itself has no name.
        let services = services.filter(|name| !name.is_empty());
        let others = self.routines.keys().chain(self.broken.keys()).map(String::as_str);
        resources.chain(services).chain(others)
    }

    /// Finds the ways out of each of its tables, where they may not be those before.
    fn expandables(&mut self, resources: &DeclaredResources<'_>, notes: &mut Vec<String>) {
        let outdated = OutdatedWays::of(&self.resources, self.kept);
        let is_table = |(_, entry): &(usize, &Entry)| entry.kind == ResourceKind::Table;
        let tables: Vec<_> = self.resources.iter().enumerate().filter(is_table).collect();
        let served: Vec<ServedShape<'_>> = tables
            .iter()
            .map(|(_, resource)| ServedShape { name: &resource.name, shape: &resource.shape })
            .collect();
        let none = BTreeMap::new();
        let keys = OnceCell::new();
        let mut found = Vec::new();
        for (at, (place, entry)) in tables.iter().enumerate() {
            if !outdated.has(entry) {
                notes.extend_from_slice(&entry.notes_of_expandables);
                continue;
            }
            let declared = resources.about(&entry.shape.root().table);
            let declared = declared.map_or(&none, |resource| &resource.expand);
            let before = self.previous.and_then(|previous| previous.resource(&entry.name).ok());
            let before = before.map_or(&[][..], |resource| &resource.expandables);
            let mut own = Vec::new();
            let keys = keys.get_or_init(|| ServedKeys::of(&served));
            let ways = expandables(at, keys, declared, before, &mut own);
            notes.extend_from_slice(&own);
            let is_new = (&ways, &own) != (&entry.expandables, &entry.notes_of_expandables);
            found.extend(is_new.then_some((*place, ways, own)));
        }
        for (place, ways, own) in found {
            self.resources[place].change(|resource| {
                resource.expandables = ways;
                resource.notes_of_expandables = own;
            });
        }
    }

    /// The finished mount.
    fn finish(
        self,
        name: String,
        relations: OwnRelations,
        keyed: &[ViewKeys],
        row_media: RowMedia,
        places: &mut Places,
    ) -> Mount {
        let Self { path, previous, mut resources, routines, functions, .. } = self;
        let (mut services, broken) = (self.services, self.broken);
        services.sort_by(|a, b| a.file.path.segments.cmp(&b.file.path.segments));
        resources.sort_by(|a, b| a.name.cmp(&b.name));
        for entry in &mut resources {
            let Entry::Made(made) = entry else { continue };
            let before = previous.and_then(|previous| previous.resources.get(&made.name));
            made.index = places.of(before);
        }
        let listed: Vec<_> = resources.into_iter().map(Entry::finished).collect();
        let read = |built: &BuiltService| {
            let is_its = |one: &&Arc<Resource>| {
                one.service.as_ref().is_some_and(|file| Arc::ptr_eq(file, &built.file))
            };
            listed.iter().find(is_its).map(Arc::clone)
        };
        let services = services.into_iter().map(|built| {
            let resource = read(&built);
            Arc::new(built.served(resource))
        });
        let services: Vec<_> = services.collect();
        let key_ways = key_ways::of_views(&listed, keyed);
        let given_rows = mount::given_rows(&functions, &listed);
        Mount {
            name,
            path: path.to_owned(),
            resources: listed.iter().map(|r| (r.name.clone(), Arc::clone(r))).collect(),
            listed,
            routines,
            functions,
            service_routes: RouteTree::of(services.iter().map(|service| &service.file.path)),
            services,
            broken,
            defined: relations.defined,
            named: relations.named,
            link_remarks: self.link_remarks,
            has_partition_keys: self.has_partition_keys,
            key_ways,
            given_rows,
            row_media,
        }
    }
}

impl<'a> Builder<'a> {
    /// `known` is the state of the files in the previous snapshot; `None` for the first one. `same` says
    /// that the mount is declared as it was then: what no longer fits has changed in the schema.
    fn build(&mut self, known: Option<&DefinedRelations>, same: bool, mistakes: &mut Mistakes) {
        let schema = self.schema();
        // Where nothing can name a table of another schema, only its own are looked at.
        let of_schema = self.is_whole_schema().then(|| self.catalog.of_schema(&schema));
        let catalog = of_schema.as_ref().unwrap_or(self.catalog);
        let before = self.parts[0].kept.map_or(&[][..], |before| &before.named);
        let (named, relations) =
            naming::name_relations(catalog, &schema, &self.declared, before, self.notes);
        self.named = relations;
        self.views(&named, &schema, known, mistakes);
        self.services(same, mistakes);
        self.collections(&named, &schema);
        self.assigned(mistakes);
        self.tables(&named, &schema);
        self.routines(&named, &schema);
        let catalog = self.catalog;
        self.remarks.extend(self.parts.iter_mut().flat_map(|part| part.remarks(catalog)));
        // Names that a wrong file would have defined are not known.
        if mistakes.rendered.is_empty() {
            self.check_names(&named, &schema, same, mistakes);
        }
    }

    /// Whether it serves the tables, views and routines of a schema, and nothing that the application defines.
    fn is_whole_schema(&self) -> bool {
        let mount = self.mount;
        mount.resources.is_empty() && mount.views.is_empty() && mount.collections.is_empty()
    }

    /// The mount's schema, in the database's spelling.
    fn schema(&self) -> String {
        schema_of(self.mount, self.catalog, self.dialect)
    }

    /// The finished mounts. The first has the resources of definition files; others are called by their path too.
    fn finish(self, name: &str, places: &mut Places) -> Vec<Mount> {
        let keys_views = self.application.profile().keys_views();
        let keyed = if keys_views { &self.catalog.view_keys[..] } else { &[] };
        let row_media = match self.application.profile().overloads_functions() {
            true => RowMedia::of(self.catalog, &self.schema(), self.mount),
            false => RowMedia::default(),
        };
        let Self { mount, parts, defined, named, .. } = self;
        let named = named.into_iter().map(|(named, _)| named).collect();
        let mut of_first = OwnRelations { defined, named };
        let parts = parts.into_iter().map(|part| {
            let name = match part.path == mount.path {
                true => name.to_owned(),
                false => format!("{name}{}", shown_path(part.path)),
            };
            part.finish(name, std::mem::take(&mut of_first), keyed, row_media.clone(), places)
        });
        parts.collect()
    }

    /// What `[resources.NAME]` says.
    fn declared(&self, name: &str) -> Option<&'a definition::Resource> {
        self.declared.named(name)
    }

    /// Whether clients receive what the database raises of a resource.
    fn sends_raised(&self, declared: Option<&definition::Resource>) -> bool {
        self.mount.raised_messages || declared.is_some_and(|declared| declared.raised_messages)
    }

    /// Where something is served: below the mount that it names, else below the first.
    fn part(&mut self, declared: Option<&definition::Resource>) -> &mut Part<'a> {
        self.part_at(declared.and_then(|resource| resource.mount.as_deref()))
    }

    /// What is served below a path, by default the first.
    fn part_at(&mut self, wanted: Option<&str>) -> &mut Part<'a> {
        let index = self.parts.iter().position(|part| Some(part.path) == wanted);
        &mut self.parts[index.unwrap_or(0)]
    }

    fn views(
        &mut self,
        named: &Catalog,
        schema: &str,
        known: Option<&DefinedRelations>,
        mistakes: &mut Mistakes,
    ) {
        let documents = (self.mount.collections.iter()).map(|one| RelationName {
            schema: schema.to_owned(),
            name: one.declaration().table.clone(),
        });
        let options = Options {
            default_schema: Some(schema.to_owned()),
            documents: documents.collect(),
            ..Options::default()
        };
        let links = Arc::new(links::all(named));
        for file in &self.mount.views {
            let source = DefinitionFile::new(file.name.clone(), file.text.clone());
            let diagnostics = match duet_duality::compile(&source, named, &options) {
                Ok(compiled) => {
                    for (name, lack) in duet_duality::forced(&source, named, &options) {
                        let lack = lack.to_error(&source);
                        self.notes.push(format!(
                            "The view {name} (FORCE) is not served until its tables are there: {lack}"
                        ));
                    }
                    self.compiled(file, compiled, Arc::clone(&links));
                    continue;
                }
                Err(diagnostics) => diagnostics,
            };
            let before = known.and_then(|known| known.get(&file.name));
            let Some(before) = before.filter(|before| before.text == file.text) else {
                for found in &diagnostics {
                    mistakes.add(found.to_error(&source), duet_duality::render(found, &source));
                }
                continue;
            };
            let found: Vec<String> =
                diagnostics.iter().map(|found| found.to_error(&source).to_string()).collect();
            self.notes.extend_from_slice(&found);
            let without_new_links = links::only(named, &before.links);
            match duet_duality::compile(&source, &without_new_links, &options) {
                Ok(compiled) => {
                    self.notes.push(format!(
                        "{} is served as before, without the foreign keys that are new. It will not be after the next start: correct it.",
                        file.name
                    ));
                    self.compiled(file, compiled, Arc::clone(&before.links));
                }
                Err(_) => {
                    before.views.iter().for_each(|name| self.break_view(name, &found.join(" ")));
                    self.defined.insert(file.name.clone(), before.clone());
                }
            }
        }
    }

    /// Serves the views of a file, and records the inputs of their compilation.
    fn compiled(&mut self, file: &ViewFile, compiled: Vec<View>, links: Arc<Links>) {
        let views = compiled.iter().map(|view| name::served(&view.shape.name)).collect();
        let text = file.text.clone();
        self.defined.insert(file.name.clone(), DefinedBy { text, views, links });
        compiled.into_iter().for_each(|view| self.view(view.shape));
    }

    /// Remembers what to answer for a view of a file that no longer compiles.
    fn break_view(&mut self, name: &str, why: &str) {
        let declared = self.declared(name);
        self.break_at(declared.and_then(|declared| declared.mount.as_deref()), name, why);
    }

    /// The same for what is served below a path.
    fn break_at(&mut self, mount: Option<&str>, name: &str, why: &str) {
        let error = Error::new(
            Code::ViewOutdated,
            "The definition of this resource does not fit the schema. The server's log and `notes` of /admin/status say why.",
        )
        .retry_after(60)
        .cause(why);
        self.part_at(mount).broken.insert(name.to_owned(), error);
    }

    fn view(&mut self, mut shape: Shape) {
        shape.name = name::served(&shape.name);
        let documents = spread::collections(&mut shape, &self.mount.collections);
        let declared = self.declared(&shape.name);
        let before = self.part(declared).resources.len();
        self.add(ResourceKind::DualityView, shape, declared);
        let Some(Entry::Made(added)) = self.part(declared).resources.get_mut(before) else {
            return;
        };
        if let Some(root) = documents.first() {
            added.collection.clone_from(root);
            if root.is_some() && declared.is_none_or(|declared| declared.page_size.is_none()) {
                added.page_size = COLLECTION_PAGE;
            }
        }
        added.documents = documents;
    }

    /// Finds the services that assign members to new documents.
    fn assigned(&mut self, mistakes: &mut Mistakes) {
        for resource in self.mount.resources.iter().filter(|resource| !resource.assign.is_empty()) {
            let mut found = Vec::new();
            for (member, service) in &resource.assign {
                let built = self.parts[0].services.iter().find(|built| built.file.name == *service);
                let writes =
                    |built: &&BuiltService| built.shape.is_none() && !built.columns.is_empty();
                let fits =
                    |built: &&BuiltService| writes(built) && built.file.parameters.is_empty();
                match built.filter(fits) {
                    Some(built) => found.push(AssignedMember {
                        member: member.clone(),
                        file: Arc::clone(&built.file),
                        run: WriteRun {
                            columns: built.columns.clone(),
                            writes: built.writes.clone(),
                        },
                    }),
                    None => {
                        let message = format!(
                            "`assign` of {:?} names {service:?}, which is no service that writes, gives a row and has no parameters.",
                            resource.name
                        );
                        let error = Error::new(Code::ServiceStatement, &*message);
                        mistakes.add(error, format!("error: {message}\n"));
                    }
                }
            }
            let part = self.part(Some(resource));
            let own = part.resources.iter_mut().find(|own| own.name == resource.name);
            if let Some(Entry::Made(own)) = own {
                own.assigned = found;
            }
        }
    }

    /// Serves the services. A statement that no longer fits is the schema's fault where its file is as it was:
    /// its service then answers 503 until the schema fits again.
    fn services(&mut self, same: bool, mistakes: &mut Mistakes) {
        for service in self.services {
            let (file, path) = (&service.file, self.mount.path.as_str());
            match service_resource::built(service, path, self.policy, self.catalog, self.dialect) {
                Ok(built) => self.service(built, mistakes),
                Err(found) => {
                    let source = service_resource::source(file);
                    if same {
                        let found = found.to_error(&source).to_string();
                        self.break_view(file.path.first(), &found);
                        self.notes.push(found);
                    } else {
                        let rendered = duet_duality::render(&found, &source);
                        mistakes.add(found.to_error(&source), rendered);
                    }
                }
            }
        }
    }

    fn service(&mut self, mut built: BuiltService, mistakes: &mut Mistakes) {
        built.raised_messages = self.sends_raised(None);
        let file = &built.file;
        let part = &mut self.parts[0];
        let path = (file.method.clone(), file.path.texts());
        if let Some(other) = part.service_paths.get(&path).map(|at| &part.services[*at]) {
            let message = format!(
                "{} {} is the path of {} and of {}. Give one of them another path.",
                file.method, file.path, other.file.file, file.file
            );
            let error = Error::new(Code::ServiceStatement, &*message);
            mistakes.add(error, format!("error: {message}\n"));
            return;
        }
        if let Some(shape) = built.shape.clone() {
            let declared = self.declared(&shape.name);
            let before = self.parts[0].resources.len();
            self.add(ResourceKind::Service, shape, declared);
            let Some(Entry::Made(added)) = self.parts[0].resources.get_mut(before) else { return };
            added.service = Some(Arc::clone(&built.file));
            added.class = built.file.class;
        }
        let part = &mut self.parts[0];
        part.service_paths.insert(path, part.services.len());
        part.services.push(built);
    }

    /// Serves the collections and the lists over them. One without its table answers 503.
    fn collections(&mut self, named: &Catalog, schema: &str) {
        let mount = self.mount;
        let table = |one: &Collection| named.relation(schema, &one.declaration().table);
        let documents = Documents { collections: &mount.collections, table: &table };
        for collection in &mount.collections {
            let at = collection.declaration().mount.as_deref();
            if let Some(why) = self.without_dictionary(collection) {
                self.break_at(at, &collection.declaration().name, &why);
                self.notes.push(why);
                continue;
            }
            let (name, of) = (&collection.declaration().name, table(collection));
            let Some(shape) = of.and_then(|table| collection_shape(collection, table)) else {
                self.without_table(at, name, schema, &collection.declaration().table);
                continue;
            };
            let of_rmb = collection.notes().map(|note| format!("{name}: {note}."));
            self.notes.extend(of_rmb);
            let search = documents.search_shape(collection, &shape);
            self.collection(collection, shape, at, search);
        }
        for list in &mount.lists {
            let Some(collection) = list.collection(&mount.collections) else { continue };
            let at = list.mount.as_deref();
            let made = match list.is_alias() {
                true => documents.aliased_shape(list),
                false => documents.joined_shape(list).map(|(shape, search)| (shape, Some(search))),
            };
            match made {
                Some((shape, search)) => self.collection(collection, shape, at, search),
                None => {
                    self.without_table(at, &list.name, schema, &collection.declaration().table);
                }
            }
        }
    }

    /// Why the words of a collection cannot be compared as it declares.
    fn without_dictionary(&self, collection: &Collection) -> Option<String> {
        let declaration = collection.declaration();
        let mut declared = declaration.search.dictionaries.0.iter();
        let (path, name) = declared.find(|(_, name)| !self.dialect.has_dictionary(name))?;
        Some(format!(
            "The collection {:?} declares the dictionary {name:?} for {path:?}, and SQLite has none: leave it out, which means `simple`, or serve it from PostgreSQL.",
            declaration.name
        ))
    }

    fn without_table(&mut self, mount: Option<&str>, name: &str, schema: &str, table: &str) {
        let why = format!(
            "The collection {name:?} has no table {schema}.{table} with `id` and `jsonb`, or lacks one that it refers to: make it with `duet collection prepare`."
        );
        self.break_at(mount, name, &why);
        self.notes.push(why);
        let table = format!("{schema}.{table}");
        self.without_table.push(MissingTable { collection: name.to_owned(), table });
    }

    fn collection(
        &mut self,
        collection: &Arc<Collection>,
        shape: Shape,
        mount: Option<&str>,
        search: Option<WithRelated>,
    ) {
        // A collection that names its mount is not one that is called the same elsewhere.
        let is_there = |declared: &&definition::Resource| {
            mount.is_none() || declared.mount.as_deref() == mount
        };
        let declared = self.declared(&shape.name).filter(is_there);
        let mount = mount.or(declared.and_then(|declared| declared.mount.as_deref()));
        let before = self.part_at(mount).resources.len();
        self.add_at(mount, ResourceKind::Collection, shape, declared);
        let (first, policy, dialect) = (&self.mount.path, self.policy, self.dialect);
        let collections = &self.mount.collections;
        let Some(Entry::Made(added)) = self.part_at(mount).resources.get_mut(before) else {
            return;
        };
        added.collection = Some(Arc::clone(collection));
        if declared.is_none_or(|declared| declared.page_size.is_none()) {
            added.page_size = COLLECTION_PAGE;
        }
        if let Some(WithRelated { shape, nodes }) = search {
            let node = |(node, name): (_, String)| {
                let mut all = collections.iter().map(|one| one.declaration());
                let home = all.find(|one| one.name == name).and_then(|one| one.mount.as_deref());
                let path = home.unwrap_or(first);
                let access = policy.resource_access(path, &name);
                RelatedNode { node, name, access }
            };
            added.search_by(shape, nodes.into_iter().map(node).collect(), dialect);
        }
    }

    fn tables(&mut self, named: &Catalog, schema: &str) {
        let collections = self.mount.collections.iter();
        let collections: HashSet<&str> =
            collections.map(|one| one.declaration().table.as_str()).collect();
        let keys_views = self.application.profile().keys_views();
        let is_known: Vec<bool> = self.named.iter().map(|(_, is_known)| *is_known).collect();
        for (relation, is_known) in named.relations.iter().zip(is_known) {
            let declared = self.declared.about(relation);
            let listed = declared.is_some() || (self.mount.all_tables && relation.schema == schema);
            if relation.schema == schema && collections.contains(relation.name.as_str()) {
                continue;
            }
            if !listed || declared.is_some_and(|resource| resource.excluded) {
                continue;
            }
            let kind = kind_of(relation);
            let keys = self.catalog.keys_of_view(relation).filter(|_| keys_views);
            let before = self.part(declared).kept.filter(|_| is_known);
            match before.and_then(|before| Entry::of_relation(before, kind, relation)) {
                Some(kept) => self.keep(kept, declared),
                None => {
                    let shape = table_shape(relation, declared);
                    self.add(kind, view_keys::written(shape, keys), declared);
                }
            }
        }
    }

    fn add(&mut self, kind: ResourceKind, shape: Shape, declared: Option<&definition::Resource>) {
        let mount = declared.and_then(|resource| resource.mount.as_deref());
        self.add_at(mount, kind, shape, declared);
    }

    /// Serves a shape below a path.
    fn add_at(
        &mut self,
        mount: Option<&str>,
        kind: ResourceKind,
        mut shape: Shape,
        declared: Option<&definition::Resource>,
    ) {
        if !self.takes_name(mount, &shape.name) {
            return;
        }
        let path = self.part_at(mount).path;
        let access = self.policy.resource_access(path, &shape.name);
        let page_size = declared.and_then(|resource| resource.page_size);
        let page_size = page_size.unwrap_or(self.application.limits.page_size);
        if self.standby {
            shape.forbid_writes();
        }
        shape.style = self.style(kind);
        let mut resource = Resource::new(kind, shape, access, page_size, self.dialect);
        if resource.shape.notice.is_some() {
            let below = mount.map_or(String::new(), |path| format!("{}/", path.trim_matches('/')));
            let view = format!("{below}{}", resource.name);
            resource.view_endpoint = Some(view_endpoint(&self.application.name, &view));
        }
        resource.raised_messages = self.sends_raised(declared);
        resource.class = declared.map(|declared| declared.class).unwrap_or_default();
        resource.commit = declared.map(|declared| declared.commit.clone()).unwrap_or_default();
        resource.unindexed = declared.map(|declared| declared.unindexed).unwrap_or_default();
        let known = self.part_at(mount).previous;
        let before = known.and_then(|mount| mount.resource(&resource.name).ok());
        let declared_bytes = declared.map_or(0, |declared| declared.rowstore);
        resource.rowstore_eager = declared.is_some_and(|declared| declared.rowstore_populate);
        resource.serve_stale = declared.and_then(|declared| declared.serve_stale);
        resource.remember(declared_bytes, before.map(|before| &**before));
        self.part_at(mount).resources.push(Entry::Made(Box::new(resource)));
    }

    /// Serves what was served before.
    fn keep(&mut self, kept: Entry, declared: Option<&definition::Resource>) {
        let mount = declared.and_then(|resource| resource.mount.as_deref());
        if self.takes_name(mount, &kept.name) {
            self.part_at(mount).resources.push(kept);
        }
    }

    /// Whether nothing else has this name below a path; then it is taken.
    fn takes_name(&mut self, mount: Option<&str>, name: &str) -> bool {
        if RESERVED.contains(&name) {
            self.notes.push(format!(
                "{name:?} is a reserved name: the table is not served. Give it a name in app.toml."
            ));
            return false;
        }
        let part = self.part_at(mount);
        let path = part.path;
        let is_free = part.taken.insert(name.to_owned());
        if !is_free {
            self.notes.push(format!(
                "{name:?} is already the name of another resource of {path}: the second is not served. Give one of them a name in app.toml."
            ));
        }
        is_free
    }

    /// The form of a resource's documents.
    fn style(&self, kind: ResourceKind) -> DocumentStyle {
        let profile = self.application.profile();
        match kind {
            ResourceKind::DualityView => DocumentStyle::of_views(profile),
            _ => DocumentStyle::of_tables(profile),
        }
    }

    /// Serves the functions of a schema, those of one name too.
    fn functions(&mut self, named: &Catalog, schema: &str) {
        let style = self.style(ResourceKind::Table);
        for routine in routine::functions(named, schema, self.mount) {
            let name = routine::name_of(routine, style.profile);
            let declared = self.declared(&name);
            let access = self.policy.resource_access(self.part(declared).path, &name);
            let raised = self.sends_raised(declared);
            match RoutineResource::new(routine, access, style, raised) {
                Ok(made) => {
                    let functions = &mut self.part(declared).functions;
                    functions.entry(name).or_default().push(Arc::new(made));
                }
                Err(why) => {
                    self.notes.push(format!("{schema}.{name} is not served as a function: {why}."));
                }
            }
        }
    }

    /// Serves the schema's routines, where its tables are served.
    fn routines(&mut self, named: &Catalog, schema: &str) {
        let wanted: HashSet<&str> = self.mount.routines.iter().map(String::as_str).collect();
        let owners = routine::with_owners_rights(named, schema, self.mount);
        self.remarks.extend(remarks::of_owners(schema, &owners));
        let overloads = self.application.profile().overloads_functions();
        if overloads {
            self.functions(named, schema);
        }
        // What is told of functions has been told; only Duet's own pages and agents call the routines then.
        let notes = if overloads { &mut Vec::new() } else { &mut *self.notes };
        for routine in routine::served(named, schema, self.mount, notes) {
            let name = name::served(&routine.name);
            if !self.mount.all_tables && !wanted.contains(name.as_str()) {
                continue;
            }
            let declared = self.declared(&name);
            let part = self.part(declared);
            let taken = RESERVED.contains(&name.as_str()) || part.taken.contains(&name);
            let path = part.path;
            let access = self.policy.resource_access(path, &name);
            let made = match taken {
                true => Err("its name is taken".to_owned()),
                false => {
                    let raised = self.sends_raised(declared);
                    let style = self.style(ResourceKind::Table);
                    RoutineResource::new(routine, access, style, raised)
                }
            };
            match made {
                Ok(made) => drop(self.part(declared).routines.insert(name, Arc::new(made))),
                Err(_) if overloads => {}
                Err(why) => {
                    self.notes.push(format!("{schema}.{name} is not served as a routine: {why}."));
                }
            }
        }
    }

    /// Finds what `expand=` may follow from each table to others that are served below the same path. Names that lead
    /// nowhere are noted where the schema is to blame.
    fn expandables(&mut self, same: bool, mistakes: &mut Mistakes) {
        for part in &mut self.parts {
            part.expandables(&self.declared, self.notes);
            let tables = part.resources.iter().filter(|one| one.kind == ResourceKind::Table);
            for found in mistakes::of_expand(&self.declared, tables.filter(|_| !same)) {
                let places = &self.mount.places;
                mistakes.add(found.to_error(places), found.render(places));
            }
        }
    }

    /// Finds names in the application that match nothing. Where the schema is to blame, they are
    /// noted, and a table of which a column was to be hidden is not served.
    fn check_names(&mut self, named: &Catalog, schema: &str, same: bool, mistakes: &mut Mistakes) {
        let is_view = |resource: &&Entry| {
            matches!(resource.kind, ResourceKind::DualityView | ResourceKind::Collection)
        };
        let max_page_size = self.application.limits.max_page_size;
        let mut others = mistakes::Others { max_page_size, ..mistakes::Others::default() };
        for part in &self.parts {
            let defined = part.resources.iter().filter(is_view).map(|view| view.name.as_str());
            others.views.extend(defined.chain(part.broken.keys().map(String::as_str)));
            others.routines.extend(part.routines.keys().map(String::as_str));
            for service in &part.services {
                others.services.entry(service.file.resource_name()).or_insert(&service.file);
            }
        }
        let mut found = mistakes::of_resources(self.mount, named, schema, &others);
        found.extend(self.unmatched_patterns());
        let profile = self.application.profile();
        found.extend(mistakes::of_mount(self.mount, named, schema, profile, self.dialect));
        for mistake in found {
            let found = mistake.to_error(&self.mount.places);
            if !same {
                mistakes.add(found, mistake.render(&self.mount.places));
                continue;
            }
            let found = found.to_string();
            self.notes.push(found.clone());
            if let Some(name) = &mistake.unsafe_to_serve {
                let declared = self.declared(name);
                self.part(declared).resources.retain(|resource| resource.name != *name);
                self.break_view(name, &found);
            }
        }
    }

    /// The patterns of privileges that match nothing below their path.
    fn unmatched_patterns(&self) -> Vec<Mistake> {
        let mut found = Vec::new();
        for part in &self.parts {
            // A table that is missing is one mistake, and not one for each pattern too.
            let is_here = |resource: &&definition::Resource| {
                resource.mount.as_deref().unwrap_or(&self.mount.path) == part.path
            };
            let declared = self.mount.resources.iter().filter(|one| !one.excluded).filter(is_here);
            let served = part.names().chain(declared.map(|one| one.name.as_str()));
            let served: Vec<&str> = served.collect();
            let items = self.policy.item_patterns(part.path);
            found.extend(mistakes::of_items(self.mount, part.path, items, &part.resources));
            for unmatched in self.policy.unmatched_patterns(part.path, &served) {
                let first = unmatched.pattern.trim_start_matches('/').split('/').next();
                let serves = |other: &&Part<'_>| other.names().any(|name| Some(name) == first);
                let mut others = self.parts.iter().filter(|other| other.path != part.path);
                let elsewhere = others.find(serves).map(|other| other.path);
                found.push(mistakes::of_pattern(self.mount, part.path, &unmatched, elsewhere));
            }
        }
        found
    }
}
