//! Reads items and pages: from the request to the bytes of the response.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::Identity;
use duet_db::{
    Answer, Client, CountOf, Handle, PageRead, RequestClass, RowCount, SlowestStatement, WriteTimes,
};
use duet_document::{
    Codec, Datum, DocumentText, Fetched, ItemMeasure, Links, Page as PageFrame, PageTail, RowSet,
    TextBuffer,
};
use duet_model::commit_class::CommitClass;
use duet_model::key::parse_key;
use duet_model::{Code, Error, ReadPlan, Result, Root, Shape, Type, Value};

use crate::expand::{Expansion, too_many_rows};
use crate::explain::{self, Explanation};
use crate::large_page::{self, LargePage};
use crate::marker;
use crate::page::{self, PageQuery};
use crate::resource::Resource;
use crate::rowstore::{CacheLookup, CacheStatus, Keeper};
use crate::service::Service;
use crate::snapshot::Snapshot;

/// A worker's hold on the service; stays on its thread.
#[derive(Debug)]
pub struct WorkerHandle {
    service: Arc<Service>,
    /// Shared by tenants of one PostgreSQL database.
    handle: Rc<Handle>,
    generation: Cell<u64>,
}

impl Service {
    /// Attaches the calling thread, which runs a local task set.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub fn attach(self: &Arc<Self>) -> Result<WorkerHandle> {
        Ok(WorkerHandle::new(Arc::clone(self), self.store().attach()?))
    }
}

impl WorkerHandle {
    /// Reads what the first request would otherwise wait for.
    pub(crate) fn learn_schema(&self) -> Result<()> {
        self.handle.learn_schema()
    }
}

/// A request for an item.
#[derive(Clone, Copy, Debug)]
pub struct ItemQuery<'a> {
    /// The key: the path segment, still percent-encoded.
    pub key: &'a str,
    /// Which members.
    pub fields: Option<&'a str>,
    /// Which related rows.
    pub expansion: Option<&'a Expansion>,
    /// Whether it must come from the database.
    pub fresh: bool,
}

/// What the links of a page are made of, once the page is read.
#[derive(Clone, Copy, Debug)]
pub struct PageEnd<'p> {
    /// Its metadata.
    pub frame: &'p PageFrame,
    /// Whether there are more items.
    pub has_more: bool,
    /// The marker of the last one.
    pub marker: &'p str,
    /// Whether it is of groups, which are no items of the resource.
    pub of_groups: bool,
}

/// An item, and where it came from.
#[derive(Debug)]
pub struct ItemDocument {
    /// The item.
    pub document: Document<DocumentText>,
    /// Where it came from; `None` where the resource has no rowstore.
    pub source: Option<CacheStatus>,
    /// How far one from memory may be behind the database, where that is known.
    pub age: Option<Duration>,
}

/// An answer: its text is whole, or that of an item, which may be given piece by piece.
#[derive(Debug)]
pub struct Document<T = TextBuffer> {
    /// The JSON text.
    pub body: T,
    /// The value of the `ETag` header, quotes included.
    pub etag: String,
    /// When the rows had arrived, for timings; `None` where none came from the store.
    pub fetched_at: Option<Instant>,
}

/// A page as an answer.
#[derive(Debug)]
pub struct PageDocument {
    /// The page.
    pub document: Document,
    /// Whether to say that no index serves the filter.
    pub unindexed: bool,
}

impl WorkerHandle {
    pub(crate) fn new(service: Arc<Service>, handle: Handle) -> Self {
        Self { service, handle: Rc::new(handle), generation: Cell::new(0) }
    }

    /// The hold on a tenant's service: by the same connections, where it is in the same database.
    ///
    /// # Errors
    /// Where a SQLite file cannot be opened.
    pub fn of_tenant(&self, service: &Arc<Service>) -> Result<Self> {
        if !service.store().is_same(self.service.store()) {
            return service.attach();
        }
        // What others have prepared stays.
        let generation = Cell::new(service.snapshot().generation);
        Ok(Self { service: Arc::clone(service), handle: Rc::clone(&self.handle), generation })
    }

    /// The service.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// Acts under an identity of the database; without one, as Duet's own user. There is no other
    /// way to rows, so nothing can forget whom it serves.
    pub fn acting<'a>(&'a self, identity: Option<&'a Arc<Identity>>) -> RequestContext<'a> {
        RequestContext {
            worker: self,
            identity,
            client: Client::default(),
            arrived: None,
            limit: None,
            class: RequestClass::default(),
            slowest: None,
            times: None,
            user: None,
            commit: CommitClass::default(),
        }
    }

    /// The snapshot to serve a request from; taken once per request and kept to its end.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = self.service.snapshot();
        if self.generation.replace(snapshot.generation) != snapshot.generation {
            self.handle.forget();
        }
        snapshot
    }
}

/// A worker for one caller: all reads and writes are limited to the identity's rights.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext<'a> {
    worker: &'a WorkerHandle,
    identity: Option<&'a Arc<Identity>>,
    client: Client,
    arrived: Option<Instant>,
    limit: Option<Duration>,
    class: RequestClass,
    slowest: Option<&'a SlowestStatement>,
    times: Option<&'a Arc<WriteTimes>>,
    user: Option<&'a str>,
    commit: CommitClass,
}

impl<'a> RequestContext<'a> {
    /// The same on behalf of a client, with which others share the database fairly.
    #[must_use]
    pub fn for_client(self, client: Client) -> Self {
        Self { client, ..self }
    }

    /// The same for this user, whom documents of collections with `metadata` name as their author.
    #[must_use]
    pub fn for_user(self, user: Option<&'a str>) -> Self {
        Self { user, ..self }
    }

    /// The same for a request that arrived at this moment, from which its deadline counts; else it
    /// counts from when the store is reached, separately for each use.
    #[must_use]
    pub fn since(self, arrived: Instant) -> Self {
        Self { arrived: Some(arrived), ..self }
    }

    /// The same for a caller that has set a limit for the whole request; it shortens the server's own
    /// and never extends them.
    #[must_use]
    pub fn limited(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }

    /// The same for a request of this class.
    #[must_use]
    pub fn in_class(self, class: RequestClass) -> Self {
        Self { class, ..self }
    }

    /// The same, whose slowest statement is noted.
    #[must_use]
    pub fn timed_by(self, slowest: &'a SlowestStatement) -> Self {
        Self { slowest: Some(slowest), ..self }
    }

    /// The same, whose writes note the moments between their steps, where that is wanted.
    #[must_use]
    pub fn marked_in(self, times: Option<&'a Arc<WriteTimes>>) -> Self {
        Self { times, ..self }
    }

    /// The same, whose writes are of this commit class.
    #[must_use]
    pub fn committing(self, commit: CommitClass) -> Self {
        Self { commit, ..self }
    }

    /// The service.
    pub fn service(&self) -> &'a Arc<Service> {
        &self.worker.service
    }

    /// The hold on the store.
    pub(crate) fn handle(&self) -> duet_db::RoleHandle<'a> {
        let acting = self.worker.handle.acting(self.identity).for_client(self.client);
        let acting = acting.limited(self.limit).in_class(self.class).committing(self.commit);
        let acting = match self.arrived {
            Some(arrived) => acting.since(arrived),
            None => acting,
        };
        let acting = match self.slowest {
            Some(slowest) => acting.timed_by(slowest),
            None => acting,
        };
        match self.times {
            Some(times) => acting.marked_in(times),
            None => acting,
        }
    }

    /// The role and claims; none where it is Duet's own user who acts.
    /// The dialect of the store.
    pub(crate) fn dialect(&self) -> &dyn duet_sql::Dialect {
        self.service().store().dialect()
    }

    pub(crate) fn identity(&self) -> Option<&'a Arc<Identity>> {
        self.identity
    }

    /// Reads an item.
    ///
    /// # Errors
    /// [`Code::NoSuchItem`] if there is none, and the errors of the key, `fields` or the database
    /// say.
    pub async fn item(
        &self,
        resource: &Resource,
        query: ItemQuery<'_>,
        links: &Links<'_>,
    ) -> Result<ItemDocument> {
        if resource.shape.key.is_empty() {
            return Err(no_items(resource));
        }
        let key = parse_key(&resource.shape, query.key)?;
        // Answers under a role or with claims, and those with rows of other resources, are for this caller alone.
        let alone = query.fresh || query.expansion.is_some() || self.identity.is_some();
        let looked = match alone {
            true => resource.rowstore.bypass(),
            false => {
                let now = self.arrived.unwrap_or_else(Instant::now);
                resource.rowstore.look(query.fields, &key, now)
            }
        };
        let (keeper, source) = match looked {
            CacheLookup::Found(kept) => {
                return kept.document(links).ok_or_else(|| no_such_item(resource));
            }
            CacheLookup::Unknown(keeper) => (Some(keeper), Some(CacheStatus::Miss)),
            CacheLookup::Bypassed => (None, Some(CacheStatus::Bypass)),
            CacheLookup::Off => (None, None),
        };
        let may_be_stale = !alone && resource.rowstore.currency().serves_stale();
        let known_key = may_be_stale.then(|| key.clone());
        match self.stored_item(resource, query, key, links, keeper.as_ref()).await {
            Ok(document) => Ok(ItemDocument { document, source, age: None }),
            Err(error) if is_database_down(&error) => {
                let stale = known_key.and_then(|key| {
                    resource.rowstore.stale(query.fields, &key, Instant::now())?.document(links)
                });
                stale.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads an item from the store, and has it kept in memory where that is wanted.
    pub(crate) async fn stored_item(
        &self,
        resource: &Resource,
        query: ItemQuery<'_>,
        key: Vec<Value>,
        links: &Links<'_>,
        keeper: Option<&Keeper>,
    ) -> Result<Document<DocumentText>> {
        let representation = match (query.fields, query.expansion) {
            (None, None) => Arc::clone(&resource.whole),
            (fields, expansion) => resource.representation(
                fields,
                expansion,
                self.service().store().dialect(),
                self.service().limits().projections,
            )?,
        };
        let Some((read, program)) = representation.item() else { return Err(no_items(resource)) };
        let answer = self.handle().by_key(read, key).await;
        let answer = answer.map_err(|error| malformed_key(&resource.shape, error))?;
        let fetched_at = Some(Instant::now());
        let Some(row) = answer.row else {
            keeper.iter().for_each(|keeper| keeper.keep_absence());
            return Err(no_such_item(resource));
        };
        if query.expansion.is_some() {
            self.check_arrays(&answer.fetched)?;
        }
        if let Some(mut measure) = ItemMeasure::new(program, &answer.fetched, row) {
            while !measure.go_on()? {
                tokio::task::yield_now().await;
            }
            let (written, pieces) = measure.finish(links);
            let body = DocumentText::Pieces(Box::new(pieces));
            return Ok(Document { body, etag: written.header(), fetched_at });
        }
        // Other rows may be those of other requests.
        let rows = (&*answer.fetched, row..row + 1);
        let mut body = TextBuffer::new(program, rows, Some(links), 512)?;
        let written = program.write_item_text(&answer.fetched, row, &mut body.text)?;
        let text_end = body.text.len();
        let mut key_at = 0..0;
        links.write(
            |out| {
                let start = out.len();
                program.write_key(answer.fetched.roots(), row, out);
                key_at = start..out.len();
            },
            &mut body.text,
        );
        if let Some(keeper) = keeper {
            keeper.keep(&written, &body.text[key_at], &body.text[..text_end]);
        }
        Ok(Document { body: DocumentText::Whole(body), etag: written.header(), fetched_at })
    }

    /// What a page would do, and how many documents its filter selects by the planner's estimate. Nothing is read but
    /// that estimate.
    ///
    /// # Errors
    /// As [`Self::page`].
    pub async fn explain_page(
        &self,
        resource: &Resource,
        query: &PageQuery<'_>,
    ) -> Result<(Explanation, Option<u64>)> {
        let limits = self.service().limits();
        let dialect = self.service().store().dialect();
        let planned = page::plan(resource, query, &limits, dialect)?;
        let is_grouped = planned.grouped.is_some();
        let page::Planned { representation, page, .. } = planned;
        let read = Arc::new(representation.read_page(page, dialect, CountOf::UpTo(0)));
        // The estimate is of all rows, for every caller.
        let total = match self.identity {
            None if !is_grouped => self.handle().total(&read).await?,
            _ => None,
        };
        Ok((explain::page_read(resource, &read, dialect), total.map(|total| total.rows)))
    }

    /// The rows of a page, with its total where the read has a count. A page without items is its total alone: the row
    /// behind it is not asked for, as planners follow the page's order to it, whatever index the filter has.
    async fn rows_of_page(
        &self,
        read: &Arc<PageRead>,
        limit: u64,
    ) -> Result<(Answer, Option<RowCount>)> {
        // Totals are counted as the server's own user: what a role sees is a page of the role.
        if limit > 0 || self.identity.is_some() {
            return self.handle().page(read).await;
        }
        let rows = RowSet::new(read.plan.levels[0].columns.len());
        let answer = Answer { fetched: Rc::new(Fetched::of_root(rows, 0)), row: None };
        let counted = match read.count {
            CountOf::Nothing => None,
            _ => self.handle().total(read).await?,
        };
        Ok((answer, counted))
    }

    /// Reads a page. `page_links` makes the page's links, as JSON; for a bare page it is called too, and its text is
    /// not used.
    ///
    /// # Errors
    /// Whatever the filter, the other parameters or the database say.
    pub async fn page(
        &self,
        resource: &Resource,
        query: &PageQuery<'_>,
        links: &Links<'_>,
        page_links: &dyn Fn(&PageEnd<'_>) -> String,
    ) -> Result<PageDocument> {
        let limits = self.service().limits();
        let dialect = self.service().store().dialect();
        let planned = page::plan(resource, query, &limits, dialect)?;
        let unindexed = planned.check_index(resource, dialect)?;
        // The estimate is of all rows, for every caller: under a role only those are counted that it sees.
        let estimate = match self.identity {
            None => page::estimate(resource, query, &planned, limits.exact_total),
            Some(_) => None,
        };
        // Groups are counted, as no planner knows how many there are.
        let of_documents = resource.collection.is_some() && planned.grouped.is_none();
        let filtered = of_documents && self.identity.is_none();
        let count = page::count_of(query, (estimate.is_some(), filtered), limits.exact_total);
        let page::Planned { representation, page, grouped } = planned;
        let of_groups = grouped.is_some();
        let (limit, offset) = (page.limit, page.offset);
        let read = Arc::new(representation.read_page(page, dialect, count));
        let (answer, counted) = self.rows_of_page(&read, limit).await.map_err(|error| {
            let filter = (query.filter, &limits.filter);
            page::in_filter(error, filter, &read.statements[0].parameters)
        })?;
        let fetched_at = Some(Instant::now());
        if query.expansion.is_some() {
            self.check_arrays(&answer.fetched)?;
        }
        let total = estimate.map(|rows| (rows, false));
        let total = total.or(counted.map(|counted| (counted.rows, counted.exact)));
        let shown = answer.fetched.roots().len();
        let total = match limit {
            0 => total,
            _ => total.map(|total| page::in_agreement(total, offset, shown)),
        };
        let frame = PageFrame { limit, offset, total };
        let marker = end_of_page(&read.plan, &answer, limit);
        let links_of = |has_more: bool| {
            page_links(&PageEnd { frame: &frame, has_more, marker: &marker, of_groups })
        };
        let is_large = answer.fetched.size() > large_page::AT_ONCE;
        // Those of a batch may share their rows; such are small.
        let (body, written) = match Rc::try_unwrap(answer.fetched) {
            Ok(fetched) if is_large => {
                let has_more = fetched.roots().len() as u64 > limit;
                let page = LargePage {
                    representation,
                    fetched,
                    frame,
                    addresses: [links.collection, links.described_by].map(str::to_owned),
                    writable: links.writable,
                    plain: links.plain,
                    page_links: links_of(has_more),
                    bare: query.bare,
                };
                page.written().await?
            }
            fetched => {
                let fetched = fetched.map_or_else(|shared| shared, Rc::new);
                let (frame, tail) = ((&frame, query.bare), PageTail { links: &links_of });
                large_page::write(&representation, &fetched, frame, (links, &tail))?
            }
        };
        let document = Document { body, etag: written.header(), fetched_at };
        Ok(PageDocument { document, unindexed })
    }
}

/// Whether a read failed because the database cannot be reached or does not answer.
fn is_database_down(error: &Error) -> bool {
    matches!(error.code, Code::DatabaseUnavailable | Code::Timeout)
}

pub(crate) fn no_items(resource: &Resource) -> Error {
    Error::new(
        Code::NotServed,
        format!(
            "{} has no key, so it has pages but no items. Declare `key` for it in app.toml.",
            resource.name
        ),
    )
}

/// The error of a read by key: a key that the database cannot read as a value of its type is no key.
pub(crate) fn malformed_key(shape: &Shape, error: Error) -> Error {
    let columns = &shape.root().table.columns;
    // Elements of arrays are cast by the statement, so that no parameter is named.
    let has_array = || shape.key.iter().any(|&at| matches!(columns[at].ty, Type::Array(_)));
    if error.code != Code::ValueOutOfRange || (error.parameter.is_none() && !has_array()) {
        return error;
    }
    let message = format!("The key of {} must be a value of its type.", shape.name);
    let mut malformed = Error::new(Code::BadKey, message);
    malformed.cause = error.cause;
    malformed
}

pub(crate) fn no_such_item(resource: &Resource) -> Error {
    Error::new(Code::NoSuchItem, format!("There is no item with this key in {}.", resource.name))
}

impl RequestContext<'_> {
    /// The user that a document of this resource names as its author, if it names one.
    pub(crate) fn author(&self, resource: &Resource) -> Option<Arc<str>> {
        let collection = resource.collection.as_ref()?;
        self.user.filter(|_| collection.declaration().metadata).map(Arc::from)
    }

    /// Refuses arrays that are longer than an expansion may bring.
    pub(crate) fn check_arrays(&self, fetched: &Fetched) -> Result<()> {
        let most = self.service().limits().expand_rows;
        if fetched.longest_array() > most { Err(too_many_rows(most)) } else { Ok(()) }
    }
}

/// The marker of the last row that is shown, as `after` takes it.
pub(crate) fn end_of_page(plan: &ReadPlan, answer: &Answer, limit: u64) -> String {
    let rows: &RowSet = answer.fetched.roots();
    let shown = rows.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
    let (Some(last), Root::Page(page)) = (shown.checked_sub(1), &plan.root) else {
        return String::new();
    };
    if plan.order.len() < page.order.len() {
        return String::new();
    }
    let mut out = Vec::new();
    let terms = page.order.iter().map(|term| Codec::of(&term.ty));
    // What there is behind the terms is the row's number: a key without NULL does without.
    let no_key = plan.key.iter().any(|&column| rows.get(last, column) == Datum::Null);
    let codecs = terms.chain(no_key.then_some(Codec::Integer));
    for (index, (&column, codec)) in plan.order.iter().zip(codecs).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        duet_document::write_marker(&codec, rows.get(last, column), &mut out);
    }
    marker::encode(&String::from_utf8(out).unwrap_or_default())
}
