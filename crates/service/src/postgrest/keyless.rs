//! New rows of tables without a key, whose columns are answered as the inserts return them.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Codec, FetchedRows, RowSet};
use duet_model::profiles::PostgrestGap;
use duet_model::{Expr, LevelColumn, Page, Place, Result, Shape, Value};
use duet_store::{CountOf, Ending, Session, SharedStore, Write};
use duet_text::json::body::Body;

use super::read::{TableForm, array_text};
use super::summary::{WriteSummary, named_key, not_singular, unless_kept};
use super::tree::Tree;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;
use crate::write::client_error;
use crate::write::keyless;
use crate::write::mode::{WriteMode, ending};

/// The insert of rows that no key finds again.
pub(super) struct KeylessJob {
    pub(super) store: SharedStore,
    pub(super) resource: Arc<Resource>,
    pub(super) rows: Vec<Body>,
    pub(super) returned: Option<ReturnedRows>,
    /// Whether the key of the only row is answered, where rows are not.
    pub(super) names_key: bool,
    pub(super) singular: bool,
    pub(super) mode: WriteMode,
}

/// How new rows are answered.
pub(super) struct ReturnedRows {
    representation: Arc<Representation>,
    /// The columns of the table that it is written from.
    pub(super) columns: Vec<usize>,
    form: TableForm,
}

impl ReturnedRows {
    /// By what a request selects.
    ///
    /// # Errors
    /// Where that is more than columns of the table.
    pub(super) fn of(resource: &Resource, tree: Tree, form: TableForm) -> Result<Self> {
        let name = format!("{}?select", resource.name);
        let dialect = resource.dialect();
        let representation = Arc::new(Representation::new(tree.shape, &name, dialect));
        let page = Page {
            filter: Expr::all(),
            order: Vec::new(),
            by_row_number: false,
            after: None,
            offset: 0,
            limit: 1,
            arguments: Arc::default(),
        };
        let plan = representation.read_page(page, dialect, CountOf::Nothing).plan;
        let column = |column: &LevelColumn| match column {
            LevelColumn::Column(field) if field.node == 0 => Some(field.column),
            _ => None,
        };
        let columns: Option<Vec<usize>> = plan.levels[0].columns.iter().map(column).collect();
        match columns.filter(|_| plan.levels.len() == 1) {
            Some(columns) => Ok(Self { representation, columns, form }),
            None => {
                let place = Place::Parameter("select".to_owned());
                Err(PostgrestGap::ReturnedWithoutKey.refusal(&resource.name).at(place))
            }
        }
    }

    /// Rows that came back together, as they are answered.
    pub(super) fn whole(&self, rows: &FetchedRows, number: u64) -> Result<Vec<u8>> {
        Ok(array_text(&self.representation, rows, number, self.form)?.0.text)
    }

    /// Rows that came back one by one, as they are answered.
    fn text(&self, rows: Vec<RowSet>) -> Result<Vec<u8>> {
        let Self { representation, form, .. } = self;
        let none = FetchedRows::of_root(RowSet::default(), 0);
        if rows.is_empty() {
            return Ok(array_text(representation, &none, 1, *form)?.0.text);
        }
        let mut text = Vec::new();
        for row in rows {
            let (one, _) = array_text(representation, &FetchedRows::of_root(row, 0), 1, *form)?;
            let one = one.text;
            match (*form, text.is_empty()) {
                (_, true) => text = one,
                // The line of names is there already.
                (TableForm::Csv, false) => {
                    let line = one.iter().position(|byte| *byte == b'\n').unwrap_or(one.len());
                    text.extend_from_slice(&one[line..]);
                }
                (_, false) => {
                    text.pop();
                    text.push(b',');
                    text.extend_from_slice(one.get(1..).unwrap_or_default());
                }
            }
        }
        Ok(text)
    }
}

#[async_trait(?Send)]
impl Write for KeylessJob {
    type Output = WriteSummary;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<WriteSummary>> {
        let written = self.written(session).await;
        written
            .map(|written| ending(self.mode, written))
            .map_err(|error| client_error(error, &self.resource, true))
    }
}

impl KeylessJob {
    async fn written(&self, session: &mut dyn Session) -> Result<WriteSummary> {
        // Without an answer the caller needs no right to read.
        let shape = &self.resource.shape;
        let columns = match &self.returned {
            Some(returned) => &returned.columns[..],
            None if self.names_key => &shape.key[..],
            None => &[],
        };
        let mut sets = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let dialect = self.store.dialect();
            let returned = keyless::returning(session, &self.resource, row, dialect, columns);
            sets.extend(unless_kept(returned.await)?);
        }
        let rows = sets.len() as u64;
        if self.singular && rows != 1 {
            return Err(not_singular(rows));
        }
        let key = match &sets[..] {
            [only] if self.names_key && self.returned.is_none() => {
                named_key(shape, &key_of(shape, only))
            }
            _ => Vec::new(),
        };
        let body = self.returned.as_ref().map(|returned| returned.text(sets)).transpose()?;
        Ok(WriteSummary { rows, inserted: rows, body, key })
    }
}

/// The key that came back.
fn key_of(shape: &Shape, row: &RowSet) -> Vec<Value> {
    let columns = &shape.root().table.columns;
    let value =
        |(at, column): (usize, &usize)| Codec::of(&columns[*column].ty).value(row.get(0, at));
    shape.key.iter().enumerate().map(value).collect()
}
