//! Inserts of single rows that share a transaction: the fast path of a `POST` to a table.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_document::{Codec, FetchedRows, RowSet};
use duet_model::catalog::TableRef;
use duet_model::commit::{Image, RowChange, set_value};
use duet_model::{ColumnRef, Error, LevelColumn, ReadPlan, Relation, Result, Value};
use duet_sql::{
    Dialect, Parameter, ReturnedLists, Statement, insert_lists_returning, insert_row_returning,
    insert_rows_by_key, insert_rows_matched, insert_together, takes_lists,
};

use crate::commits::Action;
use crate::queues::admit::hash_values;
use crate::read::{self, Answer};
use crate::write::call::Call;
use crate::write::row_write::{KnownRow, RowWrite, Writes, is_linking};

/// The insert of rows with values for the same columns of one table, compiled. Workers keep their
/// queues by its `id`.
#[derive(Debug)]
pub struct InsertBatch {
    /// Distinguishes this insert from every other of the process.
    pub id: u64,
    /// What is read of a row that was inserted.
    pub plan: ReadPlan,
    /// The statement; its parameters are parts of a row.
    pub statement: Statement,
    /// Inserts the rows of several requests, if each can be matched to a returned row.
    pub matched: Option<MatchedInsert>,
    /// The same as lists of values, where rows are on several machines; then there is no other statement for many.
    pub lists: Option<ReturnedLists>,
    /// The same for [`TOGETHER`](duet_sql::TOGETHER) rows at once, where the store returns them in their order.
    pub together: Option<Statement>,
    /// The codecs of the returned columns.
    pub codecs: Vec<Codec>,
    columns: Vec<usize>,
    /// The linking columns that come back, and their positions.
    links: Vec<(usize, usize)>,
    /// What a row may have to wait for: a seed, and the positions of the values.
    touched: Vec<(u64, Vec<usize>)>,
}

/// A statement that inserts the rows of several requests.
#[derive(Clone, Debug)]
pub struct MatchedInsert {
    /// The statement; its parameters are arrays of parts of rows.
    pub statement: Statement,
    /// How a row that comes back is matched to its request.
    pub by: MatchedBy,
}

/// How rows that come back are matched to requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// The value of the key that the request has given; see [`insert_rows_by_key`].
    Key,
    /// The position of the request, which is the first column; see [`insert_rows_matched`].
    Position,
}

impl MatchedBy {
    /// The number of columns that come back before those of the row.
    pub fn columns_before(self) -> usize {
        usize::from(self == Self::Position)
    }
}

impl MatchedInsert {
    fn new(plan: &ReadPlan, columns: &[usize], dialect: &dyn Dialect) -> Option<Self> {
        let by_key = insert_rows_by_key(dialect, plan, columns)
            .map(|statement| Self { statement, by: MatchedBy::Key });
        by_key.or_else(|| {
            let statement = insert_rows_matched(dialect, plan, columns)?;
            Some(Self { statement, by: MatchedBy::Position })
        })
    }
}

impl InsertBatch {
    /// Writes the SQL for rows with values for `columns` of the root's table, in this order; what
    /// comes back is level 0 of a plan made by [`ReadPlan::by_keys`].
    ///
    /// `None` where the rows of several requests may not share a statement
    /// ([`batchable`](duet_model::Relation::batchable)), the plan reads more than the row itself,
    /// or no column is given.
    pub fn new(plan: ReadPlan, columns: &[usize], dialect: &dyn Dialect) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if !plan.shape.root().table.batchable {
            return None;
        }
        let statement = insert_row_returning(dialect, &plan, columns)?;
        let lists = insert_lists_returning(dialect, &plan, columns);
        let by_lists = takes_lists(&plan.shape.root().table);
        let matched = if by_lists { None } else { MatchedInsert::new(&plan, columns, dialect) };
        let together = insert_together(dialect, &plan, columns);
        let codecs = plan.levels[0].columns.iter().map(|column| read::codec(&plan, column));
        let codecs = codecs.collect();
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let touched = touched(&plan.shape.root().table, columns);
        let links = links(&plan);
        let columns = columns.to_vec();
        Some(Self {
            id,
            statement,
            matched,
            lists,
            together,
            codecs,
            columns,
            links,
            touched,
            plan,
        })
    }

    /// The statement for many rows that messages show.
    pub fn shown(&self) -> String {
        match (&self.matched, &self.lists) {
            (Some(matched), _) => matched.statement.sql.to_string(),
            (None, Some(lists)) => lists.lists.sql(1),
            (None, None) => String::new(),
        }
    }

    /// The key that a row gives, where rows are matched by it.
    pub fn given_key<'r>(&self, row: &'r [Value]) -> &'r [Value] {
        let key = self.plan.shape.key.first();
        let at = key.and_then(|key| self.columns.iter().position(|column| column == key));
        at.and_then(|at| row.get(at)).map(std::slice::from_ref).unwrap_or_default()
    }

    /// The table.
    pub fn table(&self) -> &TableRef {
        &self.plan.shape.root().table
    }

    /// A row that was inserted with these values, as commit events report it; `None` if it was rejected.
    pub fn change(&self, given: &[Value], rows: &RowSet) -> Option<RowChange> {
        if rows.is_empty() {
            return None;
        }
        let mut after = Image::new();
        for (column, value) in self.columns.iter().zip(given) {
            if is_linking(self.table(), *column) {
                set_value(&mut after, *column, value.clone());
            }
        }
        for &(column, at) in &self.links {
            set_value(&mut after, column, self.codecs[at].value(rows.get(0, at)));
        }
        Some(RowChange { before: None, after: Some(after) })
    }

    /// Whether a row has a value for each column.
    ///
    /// # Errors
    /// Where it has not: a bug.
    pub fn check(&self, row: &[Value]) -> Result<()> {
        if row.len() == self.columns.len() {
            return Ok(());
        }
        Err(Error::internal("a row has more or fewer values than its insert"))
    }

    /// The row returned by an insert as the answer of a read; without a row if the database
    /// has kept it out.
    pub fn answer(&self, set: RowSet) -> Answer {
        let row = (!set.is_empty()).then_some(0);
        let fetched = FetchedRows::of_root(set, 0);
        Answer { fetched: Rc::new(fetched), row }
    }

    /// Names the rows that an insert may wait for: those that it refers to, and those that may have the
    /// same unique values.
    pub fn touches(&self, row: &[Value], key: &mut dyn FnMut(u64)) {
        for (seed, positions) in &self.touched {
            let mut values = positions.iter().filter_map(|position| row.get(*position));
            // NULL refers to nothing, and is equal to nothing.
            if !values.clone().any(Value::is_null) {
                key(hash_values(*seed, &mut values));
            }
        }
    }

    /// The insert of one row, where the statement takes one. `records`: whether commit events need it.
    pub fn call(&self, row: Vec<Value>, records: bool) -> Call {
        let known = records.then(|| {
            let set = self.columns.iter().copied().zip(row.iter().cloned()).collect();
            let returned = self.plan.levels[0].columns.iter().map(column).collect();
            Box::new(KnownRow { set, returned, ..KnownRow::default() })
        });
        let (table, action) = (Arc::clone(self.table()), Action::Insert);
        let writes = Writes::Row(RowWrite { table, action, known });
        let mut values: Vec<Option<Value>> = row.into_iter().map(Some).collect();
        let bound = |parameter: &Parameter| match parameter {
            Parameter::Key { part, ty } => {
                let value = values.get_mut(*part).and_then(Option::take).unwrap_or(Value::Null);
                Parameter::Value { value, ty: ty.clone() }
            }
            Parameter::Value { .. } => parameter.clone(),
        };
        let parameters = self.statement.parameters.iter().map(bound).collect();
        let statement = Statement { sql: self.statement.sql.clone(), parameters };
        Call { statement, codecs: self.codecs.clone(), writes }
    }
}

/// The linking columns of the root's table that level 0 of a plan reads, and their positions.
fn links(plan: &ReadPlan) -> Vec<(usize, usize)> {
    let table = &plan.shape.root().table;
    let each = plan.levels[0].columns.iter().enumerate();
    let links = each.filter_map(|(at, of)| Some((column(of)?, at)));
    links.filter(|(column, _)| is_linking(table, *column)).collect()
}

/// The column of the root's table that is read.
fn column(column: &LevelColumn) -> Option<usize> {
    match column {
        LevelColumn::Column(ColumnRef { node: 0, column }) => Some(*column),
        _ => None,
    }
}

/// The foreign keys and unique keys that rows with values for these columns have whole.
fn touched(table: &Relation, columns: &[usize]) -> Vec<(u64, Vec<usize>)> {
    let positions = |key: &[usize]| -> Option<Vec<usize>> {
        key.iter().map(|column| columns.iter().position(|given| given == column)).collect()
    };
    let seed = |name: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        name(&mut hasher);
        hasher.finish()
    };
    let references = table.foreign_keys.iter().filter_map(|key| {
        let to = (&key.references_schema, &key.references_table, &key.references_columns);
        Some((seed(&|hasher| to.hash(hasher)), positions(&key.columns)?))
    });
    let unique = table.unique_keys.iter().map(|key| &key.columns);
    let unique = unique.chain(Some(&table.primary_key)).filter(|key| !key.is_empty());
    let unique = unique.filter_map(|key| Some((seed(&|hasher| key.hash(hasher)), positions(key)?)));
    references.chain(unique).collect()
}
