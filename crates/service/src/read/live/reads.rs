//! The reads of a topic: documents by key, the documents of a query, and rows on the way from a change to its
//! documents; all under the identity of its subscribers, and from the server that takes the writes.

use std::sync::Arc;

use duet_auth::Identity;
use duet_document::{Codec, FetchedRows, Program};
use duet_model::dependents::RowQuery;
use duet_model::{
    ColumnRef, Compare, Expr, LevelColumn, Page, ReadPlan, Result, Shape, Value, key,
};
use duet_rowstore::KeyBytes;
use duet_store::CountOf;
use futures_util::future::try_join_all;

use crate::hosting::context::WorkerHandle;
use crate::live::document::ReadDocument;
use crate::live::interests::{ColumnValue, json_of};
use crate::read::pages::no_items;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// Rows of one table on the way to documents at most; where there are more, any document may be concerned.
const MOST_LINKS: usize = 10_000;

/// The way of a topic to the rows.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) worker: WorkerHandle,
    pub(crate) identity: Option<Arc<Identity>>,
    pub(crate) resource: Arc<Resource>,
    /// What is read of each document.
    pub(crate) representation: Arc<Representation>,
}

impl Reader {
    /// Reads documents by their keys, with the values of these columns; `None` where there is none.
    pub(crate) async fn by_keys(
        &self,
        keys: &[Vec<Value>],
        columns: &[usize],
    ) -> Result<Vec<Option<ReadDocument>>> {
        let Some((read, program)) = self.representation.item() else {
            return Err(no_items(&self.resource));
        };
        let handle = self.worker.acting(self.identity.as_ref()).handle();
        let reads = keys.iter().map(|key| handle.by_key(read, key.clone()));
        let answers = try_join_all(reads).await?;
        let wanted = self.wanted(&read.plan, columns);
        let document = |answer: &duet_store::Answer| {
            answer.row.map(|row| self.document(program, &answer.fetched, row, &wanted)).transpose()
        };
        answers.iter().map(document).collect()
    }

    /// Whether the documents that are read by key have the value of a column.
    pub(crate) fn reads_column(&self, column: usize) -> bool {
        let level = self.representation.item().map(|(read, _)| &read.plan.levels[0]);
        level.is_some_and(|level| level.position(&root_column(column)).is_some())
    }

    /// Where the columns are in the rows, with their codecs.
    fn wanted(&self, plan: &ReadPlan, columns: &[usize]) -> Vec<(usize, usize, Codec)> {
        let of = |&column: &usize| {
            let position = plan.levels[0].position(&root_column(column))?;
            let ty = &self.resource.shape.root().table.columns[column].ty;
            Some((column, position, Codec::of(ty)))
        };
        columns.iter().filter_map(of).collect()
    }

    /// Reads the documents of a query.
    pub(crate) async fn page(
        &self,
        representation: &Representation,
        page: Page,
    ) -> Result<Vec<ReadDocument>> {
        let context = self.worker.acting(self.identity.as_ref());
        let read = Arc::new(representation.read_page(page, context.dialect(), CountOf::Nothing));
        let (answer, _) = context.handle().page(&read).await?;
        let rows = 0..answer.fetched.roots().len();
        let program = representation.page();
        rows.map(|row| self.document(program, &answer.fetched, row, &[])).collect()
    }

    fn document(
        &self,
        program: &Program,
        fetched: &FetchedRows,
        row: usize,
        wanted: &[(usize, usize, Codec)],
    ) -> Result<ReadDocument> {
        let roots = fetched.roots();
        let mut text = Vec::with_capacity(256);
        let etag = program.write_item_text(fetched, row, &mut text)?;
        text.push(b'}');
        let mut key = Vec::with_capacity(16);
        program.write_key(roots, row, &mut key);
        let key = String::from_utf8_lossy(&key).into_owned();
        let id = KeyBytes::of(&key::parse_key(&self.resource.shape, &key)?);
        let value = |(column, position, codec): &(usize, usize, Codec)| ColumnValue {
            column: *column,
            json: json_of(codec, roots.get(row, *position)),
        };
        let values = wanted.iter().map(value).collect();
        Ok(ReadDocument { id, key: key.into_boxed_str(), etag, text, values })
    }

    /// The condition that a document has one of these keys.
    pub(crate) fn has_key(&self, keys: &[&[Value]]) -> Expr {
        let shape = &self.resource.shape;
        let parts = keys.iter().map(|key| {
            let part = |(&column, value): (&usize, &Value)| equal(shape, column, value.clone());
            Expr::And(shape.key.iter().zip(*key).map(part).collect())
        });
        Expr::Or(parts.collect())
    }

    /// The rows that a change leads to: the wanted values of each; `None` where there are too many.
    pub(crate) async fn linked(&self, query: &RowQuery<'_>) -> Result<Option<Vec<Vec<Value>>>> {
        let context = self.worker.acting(self.identity.as_ref());
        let shape = Shape::of_relation(query.table);
        let part = |(column, value): &(usize, Value)| equal(&shape, *column, value.clone());
        let filter = Expr::And(query.known.iter().map(part).collect());
        let page = Page {
            filter,
            order: Vec::new(),
            by_row_number: false,
            after: None,
            offset: 0,
            limit: MOST_LINKS as u64,
            arguments: Arc::default(),
        };
        let representation = Representation::new(shape, &query.table.name, context.dialect());
        let read = representation.read_page(page, context.dialect(), CountOf::Nothing);
        let plan = &read.plan;
        let places: Option<Vec<usize>> = query
            .wanted
            .iter()
            .map(|column| plan.levels[0].position(&root_column(*column)))
            .collect();
        let Some(places) = places else { return Ok(None) };
        let codecs: Vec<Codec> =
            query.wanted.iter().map(|column| Codec::of(&query.table.columns[*column].ty)).collect();
        let (answer, _) = context.handle().page(&Arc::new(read)).await?;
        let roots = answer.fetched.roots();
        if roots.len() > MOST_LINKS {
            return Ok(None);
        }
        let row = |row: usize| {
            let cells = places.iter().zip(&codecs);
            cells.map(|(place, codec)| codec.value(roots.get(row, *place))).collect()
        };
        Ok(Some((0..roots.len()).map(row).collect()))
    }
}

fn root_column(column: usize) -> LevelColumn {
    LevelColumn::Column(ColumnRef { node: 0, column })
}

fn equal(shape: &Shape, column: usize, value: Value) -> Expr {
    let ty = &shape.root().table.columns[column].ty;
    Expr::compare(Compare::Eq, ColumnRef { node: 0, column }, Expr::operand(value, ty))
}
