//! The inserts of a table's rows, prepared: where rows of several requests share a statement.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use duet_model::{ReadPlan, Shape};
use duet_sql::Dialect;
use duet_store::InsertBatch;
use foldhash::fast::RandomState;

/// How many choices of columns are kept ready; beyond it rows are inserted one by one.
const KEPT: usize = 256;

/// The inserts of a table's rows by the columns that have values; `None` where they may not share a
/// statement.
#[derive(Debug, Default)]
pub(crate) struct Inserts(Mutex<HashMap<Vec<usize>, Option<Arc<InsertBatch>>, RandomState>>);

impl Inserts {
    /// The insert of rows with values of these columns.
    pub(crate) fn of(
        &self,
        shape: &Arc<Shape>,
        columns: &[usize],
        dialect: &dyn Dialect,
    ) -> Option<Arc<InsertBatch>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(insert) = known.get(columns) {
            return insert.clone();
        }
        if known.len() >= KEPT {
            return None;
        }
        let plan = ReadPlan::by_keys(Arc::clone(shape));
        let insert = InsertBatch::new(plan, columns, dialect).map(Arc::new);
        known.insert(columns.to_vec(), insert.clone());
        insert
    }
}
