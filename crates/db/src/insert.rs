//! Inserts of single rows that share a transaction: the fast path of a `POST` to a table.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use duet_document::{Codec, RowSet};
use duet_model::{Error, ReadPlan, Relation, Result, Value};
use duet_sql::{Dialect, Parameter, Statement, insert_row_returning, insert_rows_matched};

use crate::admit::hash_values;
use crate::read;
use crate::write::{Call, Ending, Session, Write};

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
    /// Inserts the rows of several requests, where each can be matched to what comes back; see
    /// [`insert_rows_matched`].
    pub matched: Option<Statement>,
    /// The codecs of what comes back.
    pub codecs: Vec<Codec>,
    columns: Vec<usize>,
    /// What a row may have to wait for: a seed, and the positions of the values.
    touched: Vec<(u64, Vec<usize>)>,
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
        let matched = insert_rows_matched(dialect, &plan, columns);
        let codecs = plan.levels[0].columns.iter().map(|column| read::codec(&plan, column));
        let codecs = codecs.collect();
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let touched = touched(&plan.shape.root().table, columns);
        Some(Self { id, statement, matched, codecs, columns: columns.to_vec(), touched, plan })
    }

    /// Whether a row has a value for each column.
    ///
    /// # Errors
    /// Where it has not: a bug.
    pub(crate) fn check(&self, row: &[Value]) -> Result<()> {
        if row.len() == self.columns.len() {
            return Ok(());
        }
        Err(Error::internal("a row has more or fewer values than its insert"))
    }

    /// Names what a row may have to wait for: the rows that it refers to, and those that may have the
    /// same unique values.
    pub(crate) fn touches(&self, row: &[Value], key: &mut dyn FnMut(u64)) {
        for (seed, positions) in &self.touched {
            let mut values = positions.iter().filter_map(|position| row.get(*position));
            // NULL refers to nothing, and is equal to nothing.
            if !values.clone().any(Value::is_null) {
                key(hash_values(*seed, &mut values));
            }
        }
    }

    /// The insert of one row, where the statement takes one.
    pub(crate) fn call(&self, row: Vec<Value>) -> Call {
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
        Call { statement, codecs: self.codecs.clone() }
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

/// The insert of one row, on its own.
pub(crate) struct InsertOne(pub(crate) Call);

impl Write for InsertOne {
    /// None where something of the database has kept it out without an error.
    type Output = Option<RowSet>;

    async fn run<S: Session>(&self, session: &mut S) -> Result<Ending<Self::Output>> {
        let done = session.run(std::slice::from_ref(&self.0)).await?;
        Ok(Ending::Commit(done.into_iter().next().map(|done| done.rows)))
    }
}
