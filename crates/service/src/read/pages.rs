//! Reads items and pages: from the request to the bytes of the response.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_document::{
    Codec, Datum, DocumentText, Etag, FetchedRows, ItemMeasure, Links, PageFrame, PageTail, RowSet,
    TextBuffer,
};
use duet_model::key::parse_key;
use duet_model::{
    Code, ColumnRef, Error, LevelColumn, Page, ReadPlan, Result, Root, Shape, Type, Value,
};
use duet_store::{Answer, CountOf, PageRead, RowCount};

use super::large_page::{self, LargePage};
use crate::cache::slot::{CacheLookup, Keeper};
use crate::documents::{CacheStatus, Document, ItemDocument};
use crate::hosting::context::RequestContext;
use crate::parameters::declared::FACETS;
use crate::queries::expand::{Expansion, too_many_rows};
use crate::queries::facets::{self, Facet, FacetPath};
use crate::queries::marker;
use crate::queries::page::{self, PageQuery};
use crate::read::large_page::PageSurround;
use crate::resources::raised;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

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

/// A page as an answer.
#[derive(Debug)]
pub struct PageDocument {
    /// The page.
    pub document: Document,
    /// Whether to say that no index serves the filter.
    pub unindexed: bool,
}

impl RequestContext<'_> {
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
        let alone = query.fresh
            || query.expansion.is_some()
            || self.identity().is_some()
            || self.needs_position();
        let looked = match alone {
            true => resource.rowstore.bypass(),
            false => {
                let now = self.arrived().unwrap_or_else(Instant::now);
                resource.rowstore.look(query.fields, &key, now)
            }
        };
        let with_key = resource.finds_by_several_keys();
        let (keeper, source) = match looked {
            CacheLookup::Found(kept) => {
                return kept.document(links, with_key).ok_or_else(|| no_such_item(resource));
            }
            CacheLookup::Unknown(keeper) => (Some(keeper), Some(CacheStatus::Miss)),
            CacheLookup::Bypassed => (None, Some(CacheStatus::Bypass)),
            CacheLookup::Off => (None, None),
        };
        let may_be_stale = !alone && resource.rowstore.currency().serves_stale();
        let known_key = may_be_stale.then(|| key.clone());
        match self.stored_item(resource, query, key, links, keeper.as_ref()).await {
            Ok(item) => Ok(ItemDocument { source, ..item }),
            Err(error) if is_database_down(&error) => {
                let stale = known_key.and_then(|key| {
                    let stale = resource.rowstore.stale(query.fields, &key, Instant::now())?;
                    stale.document(links, with_key)
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
    ) -> Result<ItemDocument> {
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
        // What is kept in memory is as new as the primary, whose changes it follows.
        let handle = || if keeper.is_some() { self.at_primary().handle() } else { self.handle() };
        let answer = handle().by_key(read, key).await;
        let answer = answer.map_err(|error| {
            raised::shown(malformed_key(&resource.shape, error), resource.raised_messages)
        })?;
        let fetched_at = Some(Instant::now());
        let Some(row) = answer.row else {
            keeper.iter().for_each(|keeper| keeper.keep_absence());
            return Err(no_such_item(resource));
        };
        if query.expansion.is_some() {
            self.check_arrays(&answer.fetched)?;
        }
        let stored_key = read.plan.by_ordinal.then(|| {
            let mut key = Vec::new();
            program.write_key(answer.fetched.roots(), row, &mut key);
            key
        });
        let item = |body, etag| {
            let document = Document { body, etag, fetched_at };
            ItemDocument { document, source: None, age: None, stored_key }
        };
        if let Some(mut measure) = ItemMeasure::new(program, &answer.fetched, row) {
            while !measure.go_on()? {
                tokio::task::yield_now().await;
            }
            let (written, pieces) = measure.finish(links);
            let body = DocumentText::Pieces(Box::new(pieces));
            return Ok(item(body, written.header()));
        }
        // Other rows may be those of other requests.
        let (fetched, rows) = (&answer.fetched, row..row + 1);
        let mut body = TextBuffer::new(program, fetched, rows, Some(links), 512)?;
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
        Ok(item(DocumentText::Whole(body), written.header()))
    }

    /// The rows of a page, with its total where the read has a count. A page without items is its total alone: the row
    /// behind it is not asked for, as planners follow the page's order to it, whatever index the filter has.
    pub(crate) async fn rows_of_page(
        &self,
        read: &Arc<PageRead>,
        limit: u64,
    ) -> Result<(Answer, Option<RowCount>)> {
        // Totals are counted as the server's own user: what a role sees is a page of the role.
        if limit > 0 || self.identity().is_some() {
            return self.handle().page(read).await;
        }
        let rows = RowSet::new(read.plan.levels[0].columns.len());
        let answer = Answer { fetched: Rc::new(FetchedRows::of_root(rows, 0)), row: None };
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
        let estimate = match self.identity() {
            None => page::estimate(resource, query, &planned, limits.exact_total),
            Some(_) => None,
        };
        // Groups are counted, as no planner knows how many there are.
        let of_documents = resource.collection.is_some() && planned.grouped.is_none();
        let filtered = of_documents && self.identity().is_none();
        let count = page::count_of(query, estimate.is_some(), filtered, limits.exact_total);
        let page::PlannedPage { representation, page, grouped } = planned;
        let of_groups = grouped.is_some();
        let has_facets = !query.facets.is_empty();
        let listed = has_facets.then(|| ListedPage::of(&representation, &page));
        let (limit, offset) = (page.limit, page.offset);
        let read = Arc::new(representation.read_page(page, dialect, count));
        let (answer, counted) = self.rows_of_page(&read, limit).await.map_err(|error| {
            let parameters = &read.statements[0].parameters;
            let error = page::in_filter(error, query.filter, &limits.filter, parameters);
            raised::shown(error, resource.raised_messages)
        })?;
        let fetched_at = Some(Instant::now());
        if query.expansion.is_some() {
            self.check_arrays(&answer.fetched)?;
        }
        let total = estimate.map(|rows| (rows, false)).or(counted.map(|it| (it.rows, it.exact)));
        let shown = answer.fetched.roots().len();
        let total = match limit {
            0 => total,
            _ => total.map(|(total, exact)| page::in_agreement(total, exact, offset, shown)),
        };
        let frame = PageFrame { limit, offset, total };
        let marker = end_of_page(&read.plan, &answer, limit);
        let links_of = |has_more: bool| {
            page_links(&PageEnd { frame: &frame, has_more, marker: &marker, of_groups })
        };
        let is_large = answer.fetched.size() > large_page::AT_ONCE;
        // Those of a batch may share their rows; such are small.
        let (mut body, written) = match Rc::try_unwrap(answer.fetched) {
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
                let tail = PageTail { links: &links_of };
                let surround = PageSurround { frame: &frame, bare: query.bare, links, tail: &tail };
                large_page::write(&representation, &fetched, &surround)?
            }
        };
        let etag = match listed {
            None => written.header(),
            Some(listed) => {
                let (facets, most) = (query.facets, limits.max_page_size);
                Box::pin(self.add_facets(&listed, facets, most, total, &mut body.text)).await?
            }
        };
        Ok(PageDocument { document: Document { body, etag, fetched_at }, unindexed })
    }

    /// Adds facets to a list, and returns its etag, which is that of the counts too.
    async fn add_facets(
        &self,
        listed: &ListedPage,
        facets: &[Facet],
        most: u64,
        total: Option<(u64, bool)>,
        text: &mut Vec<u8>,
    ) -> Result<String> {
        let facets = self.facets(listed, facets, most).await?;
        write_result_info(total, &facets, text);
        let digits = Etag::of(FACETS.name, text).digits();
        Ok(format!("\"{}\"", String::from_utf8_lossy(&digits)))
    }

    /// The facets of a list, each as JSON.
    async fn facets(
        &self,
        listed: &ListedPage,
        facets: &[Facet],
        most: u64,
    ) -> Result<Vec<String>> {
        let ListedPage { shape, page } = listed;
        let Some(column) = shape.document().map(|document| document.column) else {
            return Err(Error::internal("facets of a list without documents"));
        };
        let dialect = self.service().store().dialect();
        let mut written = Vec::with_capacity(facets.len());
        for facet in facets {
            let (found, page) = facets::read(shape, column, page, facet, most);
            let representation = Representation::new(found, FACETS.name, dialect);
            let read = Arc::new(representation.read_page(page, dialect, CountOf::Nothing));
            let (answer, _) = self.handle().page(&read).await?;
            let limit = usize::try_from(facet.values.min(most)).unwrap_or(usize::MAX);
            written.push(facet_text(facet, &read.plan, answer.fetched.roots(), limit));
        }
        Ok(written)
    }
}

/// A page, whose list has facets.
struct ListedPage {
    shape: Arc<Shape>,
    page: Page,
}

impl ListedPage {
    fn of(representation: &Representation, page: &Page) -> Box<Self> {
        Box::new(Self { shape: Arc::clone(&representation.shape), page: page.clone() })
    }
}

/// A facet as RMB writes it: `{"facetValues":[{"count":2,"value":"x"}],"type":"status"}`.
fn facet_text(facet: &Facet, plan: &ReadPlan, rows: &RowSet, limit: usize) -> String {
    let position = |column| {
        let wanted = LevelColumn::Column(ColumnRef { node: 0, column });
        plan.levels[0].position(&wanted).unwrap_or_default()
    };
    let (value, count) = (position(0), position(1));
    let mut out = b"{\"facetValues\":[".to_vec();
    for row in 0..rows.len().min(limit) {
        out.extend_from_slice(if row > 0 { b",{\"count\":" } else { b"{\"count\":" });
        Codec::Integer.write(rows.get(row, count), &mut out);
        out.extend_from_slice(b",\"value\":");
        match (&facet.path, rows.get(row, value)) {
            // The value is JSON text already.
            (FacetPath::Elements(_), Datum::Text(text)) => out.extend_from_slice(text),
            (_, value) => Codec::Text.write(value, &mut out),
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"],\"type\":");
    Codec::Text.write(Datum::Text(facet.name().as_bytes()), &mut out);
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}

/// Puts `resultInfo` at the end of a list.
fn write_result_info(total: Option<(u64, bool)>, facets: &[String], out: &mut Vec<u8>) {
    if out.pop() != Some(b'}') {
        return;
    }
    let total = total.map_or(String::new(), |(rows, _)| format!("\"totalRecords\":{rows},"));
    let facets = facets.join(",");
    let info = format!(",\"resultInfo\":{{{total}\"facets\":[{facets}],\"diagnostics\":[]}}}}");
    out.extend_from_slice(info.as_bytes());
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
    /// Refuses arrays that are longer than an expansion may bring.
    pub(crate) fn check_arrays(&self, fetched: &FetchedRows) -> Result<()> {
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
