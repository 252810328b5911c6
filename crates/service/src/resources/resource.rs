//! Resources: everything that is served is one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use duet_auth::ResourceAccess;
use duet_collection::Collection;
use duet_document::PlainRow;
use duet_filter::FieldIndex;
use duet_model::catalog::Withheld;
use duet_model::commit_class::CommitPolicy;
use duet_model::{Code, Error, ProfileRef, Relation, RelationKind, Result, Shape};
use duet_sql::Dialect;
use duet_text::json::body::Body;

use super::expandable::Expandable;
use super::related_documents::RelatedNode;
use super::representation::Representation;
use super::row_rules::Rules;
use super::writable::Writable;
use crate::cache::slot::Slot;
use crate::definition::{RequestClass, UnindexedPolicy};
use crate::services::{AssignedMember, ServiceFile};

/// What a resource is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A table.
    Table,
    /// A view of the database.
    View,
    /// A duality view.
    DualityView,
    /// A service that reads.
    Service,
    /// A collection of JSON documents.
    Collection,
}

/// What is done to documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// One is added.
    Insert,
    /// One is changed.
    Update,
    /// One is removed.
    Delete,
}

/// A name, a shape and its permitted operations.
#[derive(Debug)]
pub struct Resource {
    /// The name in the path.
    pub name: String,
    /// What it is made of.
    pub kind: ResourceKind,
    /// The shape of its whole document.
    pub shape: Arc<Shape>,
    /// The fields that filters and orders may name, once a request has asked for them.
    fields: OnceLock<FieldIndex>,
    /// The access rules.
    pub access: ResourceAccess,
    /// Items in a page where the request does not say.
    pub page_size: u64,
    /// Whether clients receive what triggers say when they refuse a change.
    pub raised_messages: bool,
    /// What is done with filters that no index serves.
    pub unindexed: UnindexedPolicy,
    /// The class of its requests.
    pub class: RequestClass,
    /// The commit classes of its writes.
    pub commit: CommitPolicy,
    /// The comment on the table or view.
    pub comment: Option<String>,
    /// Its place in the metrics.
    pub index: usize,
    /// The foreign keys that `expand=` may follow.
    pub expandables: Vec<Expandable>,
    /// What there is to say of their names.
    pub(crate) notes_of_expandables: Vec<String>,
    /// Its items in memory.
    pub rowstore: Arc<Slot>,
    /// Bytes that the application declares for them.
    pub(crate) rowstore_declared: u64,
    /// Whether they are loaded into memory before they are requested.
    pub(crate) rowstore_eager: bool,
    /// Its own limit of items that are served while the database is down.
    pub(crate) serve_stale: Option<Duration>,
    pub(crate) whole: Arc<Representation>,
    /// The same for lists, where searches may name related documents.
    pub(crate) search: Option<Arc<Representation>>,
    /// The data for writing, once a request has asked for it; `None` if it is read-only or has no key.
    writable: OnceLock<Option<Writable>>,
    dialect: Arc<dyn Dialect>,
    projections: Mutex<Projections>,
    /// What a new row can be compared with alone.
    rules: OnceLock<Rules>,
    /// The file of the service that it is, if it is one.
    pub service: Option<Arc<ServiceFile>>,
    /// The collection that it is, or whose documents are at the top of the duality view that it is.
    pub collection: Option<Arc<Collection>>,
    /// Of a duality view that shows documents of collections: the collection of each node that has one.
    pub(crate) documents: Vec<Option<Arc<Collection>>>,
    /// The members that services assign to new documents.
    pub(crate) assigned: Vec<AssignedMember>,
    /// Of a duality view whose writes become events: whose they are in the outbox.
    pub(crate) view_endpoint: Option<String>,
}

/// Compiled `fields=` and `expand=` lists, the oldest forgotten first.
#[derive(Debug, Default)]
struct Projections {
    by_fields: BTreeMap<String, Arc<Representation>>,
    oldest: VecDeque<String>,
}

impl Projections {
    /// Keeps one more, and forgets the oldest where there would be more than `most`.
    fn keep(&mut self, parameters: String, made: &Arc<Representation>, most: usize) {
        if self.oldest.len() >= most.max(1)
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.by_fields.remove(&oldest);
        }
        self.oldest.push_back(parameters.clone());
        self.by_fields.insert(parameters, Arc::clone(made));
    }
}

impl Resource {
    /// The profile that the documents of a collection are for; that of all other resources is Duet's own.
    pub fn collection_profile(&self) -> ProfileRef {
        let collection = self.collection.as_ref();
        collection.map_or_else(ProfileRef::default, |own| own.declaration().search.profile)
    }

    pub(crate) fn new(
        kind: ResourceKind,
        shape: Shape,
        access: ResourceAccess,
        page_size: u64,
        dialect: &dyn Dialect,
    ) -> Self {
        let name = shape.name.clone();
        let whole = Arc::new(Representation::new(shape, &name, dialect));
        let shape = Arc::clone(&whole.shape);
        Self {
            kind,
            fields: OnceLock::new(),
            access,
            page_size,
            raised_messages: false,
            unindexed: UnindexedPolicy::default(),
            class: RequestClass::default(),
            commit: CommitPolicy::default(),
            comment: shape.root().table.comment.clone(),
            index: 0,
            writable: OnceLock::new(),
            dialect: dialect.shared(),
            expandables: Vec::new(),
            notes_of_expandables: Vec::new(),
            rowstore: Arc::default(),
            rowstore_declared: 0,
            rowstore_eager: false,
            serve_stale: None,
            shape,
            whole,
            search: None,
            name,
            projections: Mutex::default(),
            rules: OnceLock::new(),
            service: None,
            collection: None,
            documents: Vec::new(),
            assigned: Vec::new(),
            view_endpoint: None,
        }
    }

    /// The same resource without what was compiled for requests, and without items in memory; to be changed.
    pub(crate) fn anew(&self) -> Self {
        Self {
            name: self.name.clone(),
            kind: self.kind,
            shape: Arc::clone(&self.shape),
            fields: OnceLock::new(),
            access: self.access.clone(),
            page_size: self.page_size,
            raised_messages: self.raised_messages,
            unindexed: self.unindexed,
            class: self.class,
            commit: self.commit.clone(),
            comment: self.comment.clone(),
            index: self.index,
            expandables: self.expandables.clone(),
            notes_of_expandables: self.notes_of_expandables.clone(),
            rowstore: Arc::default(),
            rowstore_declared: self.rowstore_declared,
            rowstore_eager: self.rowstore_eager,
            serve_stale: self.serve_stale,
            whole: Arc::clone(&self.whole),
            search: self.search.clone(),
            writable: OnceLock::new(),
            dialect: Arc::clone(&self.dialect),
            projections: Mutex::default(),
            rules: OnceLock::new(),
            service: self.service.clone(),
            collection: self.collection.clone(),
            documents: self.documents.clone(),
            assigned: self.assigned.clone(),
            view_endpoint: self.view_endpoint.clone(),
        }
    }

    /// Whether its store writes moments in the time zone of a transaction.
    pub fn has_time_zones(&self) -> bool {
        self.dialect.has_native_tests()
    }

    /// The dialect of its store.
    pub(crate) fn dialect(&self) -> &dyn Dialect {
        &*self.dialect
    }

    /// The rules of the table that a new row can be compared with alone.
    pub(crate) fn rules(&self, dialect: &dyn Dialect) -> &Rules {
        self.rules.get_or_init(|| Rules::of(&self.shape.root().table, dialect))
    }

    /// Takes the shape for searches, and who may search the related documents in it.
    pub(crate) fn search_by(
        &mut self,
        shape: Shape,
        nodes: Vec<RelatedNode>,
        dialect: &dyn Dialect,
    ) {
        let mut made = Representation::new(shape, &self.name, dialect);
        made.fields = Some(FieldIndex::new(&made.shape));
        made.related = nodes;
        self.search = Some(Arc::new(made));
    }

    /// The representation of lists of whole documents.
    pub(crate) fn listed(&self) -> &Arc<Representation> {
        self.search.as_ref().unwrap_or(&self.whole)
    }

    /// Whether both are served in the same way, by the same statements, within one application.
    pub(crate) fn serves_same(&self, other: &Self) -> bool {
        self.has_same_items(other) && self.same_search(other)
    }

    /// The same, but for lists.
    fn has_same_items(&self, other: &Self) -> bool {
        (&self.name, self.kind, self.page_size, &self.comment)
            == (&other.name, other.kind, other.page_size, &other.comment)
            && self.expandables == other.expandables
            && self.collection == other.collection
            && self.documents == other.documents
            && self.assigned == other.assigned
            && self.shape.same_but_estimates(&other.shape)
    }

    fn same_search(&self, other: &Self) -> bool {
        let shape = |one: &Self| one.search.as_ref().map(|search| Arc::clone(&search.shape));
        match (shape(self), shape(other)) {
            (Some(own), Some(other)) => own.same_but_estimates(&other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    /// Takes how much memory the application declares for its items. Where it was served before in the same
    /// way, its items stay.
    pub(crate) fn remember(&mut self, declared: u64, before: Option<&Self>) {
        self.rowstore_declared = if self.shape.key.is_empty() { 0 } else { declared };
        if let Some(before) = before.filter(|before| self.has_same_items(before)) {
            self.rowstore = Arc::clone(&before.rowstore);
        }
    }

    /// Whether documents may be written at all.
    pub fn is_writable(&self) -> bool {
        self.has_items() && self.shape.is_writable()
    }

    /// The fields that filters and orders may name.
    pub fn fields(&self) -> &FieldIndex {
        self.fields.get_or_init(|| FieldIndex::new(&self.shape))
    }

    /// The data for writing; `None` if it is read-only or has no key.
    pub(crate) fn writable(&self) -> Option<&Writable> {
        let made = || {
            let (read, program) = self.whole.item().filter(|_| self.shape.is_writable())?;
            Some(Writable::new(read, program, &*self.dialect))
        };
        self.writable.get_or_init(made).as_ref()
    }

    /// The new row that a body gives, where nothing has to be decided but its values.
    pub(crate) fn plain_row(&self, body: &Body) -> Option<PlainRow> {
        let writable = self.writable().filter(|_| self.documents.is_empty())?;
        writable.plain.as_ref()?.row(&writable.shape, body)
    }

    /// Whether it is a table, or a view that takes writes, without a key: rows can be inserted and nothing else.
    pub fn inserts_only(&self) -> bool {
        self.is_unkeyed() && self.shape.root().operations.insert
    }

    /// Whether documents may be added.
    pub fn takes_inserts(&self) -> bool {
        self.is_declared(Right::Insert) && !self.withheld().insert
    }

    /// Whether documents may be changed.
    pub fn takes_updates(&self) -> bool {
        self.is_declared(Right::Update) && !self.withheld().update
    }

    /// Whether rows without a key may be changed by a statement that a filter selects them for.
    pub fn updates_unkeyed(&self) -> bool {
        let node = self.shape.root();
        self.is_unkeyed() && node.operations.update && !node.table.withheld.update
    }

    /// Whether rows without a key may be removed by such a statement.
    pub fn deletes_unkeyed(&self) -> bool {
        let node = self.shape.root();
        self.is_unkeyed() && node.operations.delete && !node.table.withheld.delete
    }

    /// Whether it is a table or a view without a key.
    fn is_unkeyed(&self) -> bool {
        let is_table = matches!(self.kind, ResourceKind::Table | ResourceKind::View);
        is_table && self.shape.key.is_empty()
    }

    /// Whether documents may be removed.
    pub fn takes_deletes(&self) -> bool {
        self.is_declared(Right::Delete) && !self.withheld().delete
    }

    /// Whether its definition lets documents be added, changed or removed, whatever the database says to it.
    fn is_declared(&self, right: Right) -> bool {
        let root = self.shape.root().operations;
        match right {
            Right::Insert => root.insert && (self.is_writable() || self.inserts_only()),
            Right::Update => self.is_writable() && (self.kind != ResourceKind::View || root.update),
            Right::Delete => self.is_writable() && root.delete,
        }
    }

    /// What the database withholds of the rows at the top. A row is locked before it is deleted, which takes the right
    /// to update; and a document changes with any of its rows.
    fn withheld(&self) -> Withheld {
        let Withheld { insert, update, delete } = self.shape.root().table.withheld;
        let below = self.shape.nodes[1..].iter();
        let mut writable = below.filter(|node| node.operations.any());
        let all = |withheld: Withheld| withheld.insert && withheld.update && withheld.delete;
        let others = writable.all(|node| all(node.table.withheld));
        Withheld { insert, update: update && others, delete: delete || update }
    }

    /// The refusal of a write that the definition allows and the database's role may not do; `None` where it may, or
    /// the definition forbids it.
    pub fn denied_by_database(&self, right: Right) -> Option<Error> {
        let table = &self.shape.root().table;
        let withheld = self.withheld();
        let missing = match right {
            Right::Insert => withheld.insert.then_some("INSERT"),
            Right::Update => withheld.update.then_some("UPDATE"),
            Right::Delete if table.withheld.delete => Some("DELETE"),
            Right::Delete => {
                withheld.delete.then_some("UPDATE, which locks a row before it is deleted,")
            }
        };
        let missing = missing.filter(|_| self.is_declared(right))?;
        let message = format!(
            "The database grants Duet's role no {missing} on {}.{}. Nothing was changed.",
            table.schema, table.name
        );
        Some(Error::new(Code::RoleDenied, message))
    }

    /// The privileges that the database's role lacks for writes that are declared.
    pub(crate) fn lacking(&self) -> Vec<&'static str> {
        let rights =
            [(Right::Insert, "INSERT"), (Right::Update, "UPDATE"), (Right::Delete, "DELETE")];
        let lacking =
            rights.into_iter().filter(|(right, _)| self.denied_by_database(*right).is_some());
        lacking.map(|(_, privilege)| privilege).collect()
    }

    /// Whether it is found by its name: no service that has another path.
    pub fn is_served_by_name(&self) -> bool {
        self.service.as_ref().is_none_or(|file| file.is_served_by_name())
    }

    /// Whether single items can be requested.
    pub fn has_items(&self) -> bool {
        !self.shape.key.is_empty()
    }

    /// Whether several keys may find the same item: where the database alone knows which are equal.
    pub(crate) fn finds_by_several_keys(&self) -> bool {
        self.whole.item().is_some_and(|(read, _)| read.plan.by_ordinal)
    }

    /// The cached representation for these parameters; compiled if there is none.
    pub(crate) fn projection(
        &self,
        parameters: String,
        most: usize,
        make: impl FnOnce() -> Result<Representation>,
    ) -> Result<Arc<Representation>> {
        if let Some(known) = self.lock().by_fields.get(&parameters) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        self.lock().keep(parameters, &made, most);
        Ok(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Projections> {
        self.projections.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The kind of a resource made of this relation.
pub(crate) fn kind_of(relation: &Relation) -> ResourceKind {
    match relation.kind {
        RelationKind::Table => ResourceKind::Table,
        RelationKind::View | RelationKind::MaterializedView => ResourceKind::View,
    }
}
