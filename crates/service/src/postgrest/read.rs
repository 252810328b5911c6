//! Reads the rows of a request.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_auth::ReadRight;
use duet_document::{
    Codec, Datum, Etag, FetchedRows, Format, Links, PageFrame, PageTail, TextBuffer,
};
use duet_filter::postgrest::Request;
use duet_model::catalog::MediaAggregate;
use duet_model::profiles::PostgrestGap;
use duet_model::{Page, Result, Type, Value};
use duet_sql::{Dialect, Estimate, pages_by_row_number};
use duet_store::{CountOf, PageRead};

use super::tree::{Ground, Tree};
use super::zone::{ZonedForm, zoned};
use crate::build::mount::Mount;
use crate::documents::Document;
use crate::hosting::context::RequestContext;
use crate::queries::page;
use crate::queries::selection::{PageSlice, Selection};
use crate::read::large_page::PageSurround;
use crate::read::large_page::{self, LargePage};
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;
use crate::resources::routine::RoutineResource;

/// A request for rows of a table.
#[derive(Clone, Copy)]
pub struct TableQuery<'q> {
    /// Proof that the caller may read the table.
    pub right: ReadRight<'q>,
    /// The mount, whose resources may be embedded.
    pub mount: &'q Mount,
    /// Whether the caller may read all of another resource.
    pub readable: &'q dyn Fn(&Resource) -> bool,
    /// Whether the caller may run a function, which computes fields and related rows.
    pub runnable: &'q dyn Fn(&RoutineResource) -> bool,
    /// What the query string says.
    pub request: &'q Request,
    /// How many rows are skipped.
    pub offset: u64,
    /// How many there are at most.
    pub limit: u64,
    /// How all rows that the filter selects are counted.
    pub count: TableCount,
    /// Whether values may be computed of many rows.
    pub aggregates: bool,
    /// The form of the rows.
    pub form: TableForm,
    /// The values of parameters, where the rows are what a function gives: they stand in its order, unless another one
    /// is asked for.
    pub arguments: Option<&'q Arc<[Value]>>,
    /// The aggregate that makes the answer of them.
    pub aggregate: Option<&'q MediaAggregate>,
    /// Whether the request names the time zone of moments, which the settings of its transaction have.
    pub zoned: bool,
}

/// How rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableCount {
    /// Not at all.
    Nothing,
    /// One by one.
    Exact,
    /// By the estimate of the database.
    Planned,
    /// One by one as far as a page may have rows, and estimated beyond.
    Estimated,
}

/// The form of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableForm {
    /// An array of objects.
    Json,
    /// Lines of cells, with one of names before them.
    Csv,
    /// An array of the values of the only column.
    Values,
    /// The only value, as it is.
    Raw,
}

/// Rows as a JSON array, or as lines.
#[derive(Debug)]
pub struct TableRows {
    /// The array, or the lines.
    pub document: Document,
    /// How many there are in it.
    pub rows: u64,
    /// How many the filter selects, where that was asked for.
    pub total: Option<u64>,
}

pub(super) const NO_LINKS: Links<'static> =
    Links { collection: "", described_by: "", writable: false, plain: true };

impl RequestContext<'_> {
    /// Reads rows of a table as PostgREST does.
    ///
    /// # Errors
    /// Those of PostgREST for what the request names, and what the database says.
    pub async fn table_rows(
        &self,
        resource: &Resource,
        query: TableQuery<'_>,
    ) -> Result<TableRows> {
        let limit = query.limit.min(self.service().limits().max_page_size);
        let (representation, page) = self.planned_rows(resource, limit, query)?;
        let has_embeds = representation.shape.nodes.len() > 1;
        let count = match query.count {
            TableCount::Nothing => CountOf::Nothing,
            TableCount::Planned if plans_estimates(self.dialect()) => CountOf::Estimate,
            _ if self.frame().is_some() => CountOf::All,
            TableCount::Exact => CountOf::All,
            TableCount::Planned => CountOf::UpTo(0),
            TableCount::Estimated => CountOf::UpTo(self.service().limits().max_page_size),
        };
        let dialect = self.service().store().dialect();
        let read = Arc::new(representation.read_page(page, dialect, count));
        if query.arguments.is_some() {
            check_levels(&read, &resource.name)?;
        }
        if let Some(aggregate) = query.aggregate {
            return self.aggregated_rows(read, aggregate).await;
        }
        if self.frame().is_some() {
            return self.read_framed(read, representation, limit, query.form).await;
        }
        let (answer, counted) = self.rows_of_page(&read, limit).await?;
        let fetched_at = Some(Instant::now());
        if has_embeds {
            self.check_arrays(&answer.fetched)?;
        }
        let found = answer.fetched.roots().len() as u64;
        let total = counted.map(|counted| counted.rows);
        let total_of_page = total.map(|total| (total, true));
        let frame = PageFrame { limit, offset: query.offset, total: total_of_page };
        if query.form != TableForm::Json {
            let (body, etag) = array_text(&representation, &answer.fetched, limit, query.form)?;
            let document = Document { body, etag, fetched_at };
            return Ok(TableRows { document, rows: found.min(limit), total });
        }
        let is_large = answer.fetched.size() > large_page::AT_ONCE;
        let no_links = |_: bool| String::new();
        let (body, written) = match Rc::try_unwrap(answer.fetched) {
            Ok(fetched) if is_large => {
                let addresses = [String::new(), String::new()];
                let page = LargePage {
                    representation,
                    fetched,
                    frame,
                    addresses,
                    writable: false,
                    plain: true,
                    page_links: String::new(),
                    bare: true,
                };
                page.written().await?
            }
            fetched => {
                let fetched = fetched.map_or_else(|shared| shared, Rc::new);
                let tail = PageTail { links: &no_links };
                let surround =
                    PageSurround { frame: &frame, bare: true, links: &NO_LINKS, tail: &tail };
                large_page::write(&representation, &fetched, &surround)?
            }
        };
        let document = Document { body, etag: written.header(), fetched_at };
        Ok(TableRows { document, rows: found.min(limit), total })
    }

    /// What a query reads of a resource, and the page of it.
    pub(super) fn planned_rows(
        &self,
        resource: &Resource,
        limit: u64,
        query: TableQuery<'_>,
    ) -> Result<(Arc<Representation>, Page)> {
        let limits = self.service().limits();
        let ground = Ground {
            mount: query.mount,
            request: query.request,
            readable: query.readable,
            runnable: query.runnable,
            limits: &limits.filter,
            most: limits.expand_relations,
            aggregates: query.aggregates,
            zoned: query.zoned,
        };
        let tree = ground.tree(resource)?;
        self.planned(resource, tree, query.offset, limit, query)
    }

    /// The representation of a tree, and the page of it. What depends on `select` alone is kept compiled.
    fn planned(
        &self,
        resource: &Resource,
        tree: Tree,
        offset: u64,
        limit: u64,
        query: TableQuery<'_>,
    ) -> Result<(Arc<Representation>, Page)> {
        let dialect = self.service().store().dialect();
        let Tree { shape, filter, order, is_own, is_grouped } = tree;
        // What an aggregate makes of moments is its own affair.
        let shape = match query.zoned && query.aggregate.is_none() {
            true if query.form == TableForm::Csv => zoned(shape, ZonedForm::Text)?,
            true => zoned(shape, ZonedForm::Json)?,
            false => shape,
        };
        let selection = Selection::of_expr(query.right, resource, filter)?;
        let by_row_number = !is_grouped && pages_by_row_number(dialect, &shape);
        let in_own_order = query.arguments.is_some() && order.is_empty();
        let order = match in_own_order || is_grouped {
            true => order,
            false => page::total_order(&shape, &resource.shape, order),
        };
        let name = format!("{}?select", resource.name);
        let representation = match is_own || query.zoned {
            true => Arc::new(Representation::new(shape, &name, dialect)),
            false => {
                let key = format!("?select={:?}", query.request.select);
                let keep = self.service().limits().projections;
                let made = || Ok(Representation::new(shape.clone(), &name, dialect));
                let known = resource.projection(key, keep, made)?;
                // What it embeds may have changed since it was kept.
                match known.shape.same_but_estimates(&shape) {
                    true => known,
                    false => Arc::new(Representation::new(shape, &name, dialect)),
                }
            }
        };
        let arguments = query.arguments.map_or_else(Arc::default, Arc::clone);
        let part = PageSlice { by_row_number, after: None, offset, limit, arguments };
        Ok((representation, selection.ordered(order).page(part)))
    }
}

/// Whether the planner of a store estimates, as PostgREST's does; where rows are sampled, a number that a page implies is
/// the better estimate.
fn plans_estimates(dialect: &dyn Dialect) -> bool {
    matches!(dialect.estimate(), Estimate::Plan(_))
}

/// Refuses to read rows of a function once more, for arrays of what is related to them.
fn check_levels(read: &PageRead, name: &str) -> Result<()> {
    match read.plan.levels.iter().skip(1).any(|level| level.path.first() == Some(&0)) {
        true => Err(PostgrestGap::ArrayOfCall.refusal(name)),
        false => Ok(()),
    }
}

/// The rows in a form that is written at once, and its etag.
pub(super) fn array_text(
    representation: &Representation,
    fetched: &FetchedRows,
    limit: u64,
    form: TableForm,
) -> Result<(TextBuffer, String)> {
    match form {
        TableForm::Csv => {
            let body = csv(representation, fetched, limit)?;
            let etag = format!("\"{}\"", Etag::of("csv", &body.text));
            Ok((body, etag))
        }
        TableForm::Values => {
            let body = values(representation, fetched, limit)?;
            let etag = format!("\"{}\"", Etag::of("values", &body.text));
            Ok((body, etag))
        }
        TableForm::Raw => {
            let body = raw(representation, fetched)?;
            let etag = format!("\"{}\"", Etag::of("raw", &body.text));
            Ok((body, etag))
        }
        TableForm::Json => {
            let frame = PageFrame { limit, offset: 0, total: None };
            let tail = PageTail { links: &|_| String::new() };
            let surround =
                PageSurround { frame: &frame, bare: true, links: &NO_LINKS, tail: &tail };
            let (body, written) = large_page::write(representation, fetched, &surround)?;
            Ok((body, written.header()))
        }
    }
}

/// The values of the only column, as an array.
fn values(
    representation: &Representation,
    fetched: &FetchedRows,
    limit: u64,
) -> Result<TextBuffer> {
    let program = representation.page();
    let rows = fetched.roots().len().min(usize::try_from(limit).unwrap_or(usize::MAX));
    let mut body = TextBuffer::new(program, fetched, 0..rows, None, 4_096)?;
    let shape = &representation.shape;
    let codec = shape.root().table.columns.first();
    let codec = codec.map_or(Codec::Text, |column| Codec::in_style(&column.ty, shape.style));
    body.text.push(b'[');
    for row in 0..rows {
        if row > 0 {
            body.text.push(b',');
        }
        codec.write(fetched.roots().get(row, 0), &mut body.text);
    }
    body.text.push(b']');
    Ok(body)
}

/// The only value as it is: a text without quotes, and bytes.
fn raw(representation: &Representation, fetched: &FetchedRows) -> Result<TextBuffer> {
    let rows = fetched.roots().len().min(1);
    let mut body = TextBuffer::new(representation.page(), fetched, 0..rows, None, 4_096)?;
    let shape = &representation.shape;
    let column = shape.root().table.columns.first().filter(|_| rows == 1);
    let Some(column) = column else { return Ok(body) };
    match (fetched.roots().get(0, 0), &column.ty) {
        (Datum::Null, _) => {}
        (Datum::Text(value) | Datum::Blob(value) | Datum::Wire(value), ty) if *ty != Type::Json => {
            body.text.extend_from_slice(value);
        }
        (value, ty) => Codec::in_style(ty, shape.style).write(value, &mut body.text),
    }
    Ok(body)
}

/// The rows as lines that `\n` parts, with one of names before them.
pub(super) fn csv(
    representation: &Representation,
    fetched: &FetchedRows,
    limit: u64,
) -> Result<TextBuffer> {
    const END: &[u8] = b"\r\n";
    let lines = representation.lines(Format::Csv);
    let program = representation.page();
    let rows = fetched.roots().len().min(usize::try_from(limit).unwrap_or(usize::MAX));
    let mut body = TextBuffer::new(program, fetched, 0..rows, None, 4_096)?;
    let mut line = Vec::new();
    lines.write_head(&mut line);
    body.text.extend_from_slice(line.strip_suffix(END).unwrap_or(&line));
    let mut scratch = Vec::new();
    for row in 0..rows {
        line.clear();
        lines.write(program, fetched, row..row + 1, &mut scratch, &mut line)?;
        body.text.push(b'\n');
        body.text.extend_from_slice(line.strip_suffix(END).unwrap_or(&line));
    }
    Ok(body)
}
