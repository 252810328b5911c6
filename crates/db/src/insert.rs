//! Inserts of single rows that share a statement: the fast path of a `POST` to a table.

use std::sync::atomic::{AtomicU64, Ordering};

use duet_document::{Codec, RowSet};
use duet_model::{Error, ReadPlan, Result, Value};
use duet_sql::{Dialect, Parameter, Statement, insert_rows_statement};

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
    /// The codecs of what comes back.
    pub codecs: Vec<Codec>,
    columns: Vec<usize>,
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
        let statement = insert_rows_statement(dialect, &plan, columns)?;
        let codecs = plan.levels[0].columns.iter().map(|column| read::codec(&plan, column));
        let codecs = codecs.collect();
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Some(Self { id, statement, codecs, columns: columns.to_vec(), plan })
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
