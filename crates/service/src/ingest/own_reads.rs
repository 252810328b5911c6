//! The reads of what the database knows of a journal by its id.

use std::sync::Arc;

use duet_model::{ReadPlan, Relation, Shape};
use duet_sql::{Dialect, journal_heads, journal_marks};
use duet_store::KeyedRead;

/// The reads of what the database knows of a journal by its id.
#[derive(Debug)]
pub(crate) struct OwnReads {
    pub(crate) mark: Arc<KeyedRead>,
    pub(crate) key: Arc<KeyedRead>,
}

impl OwnReads {
    pub(crate) fn of(dialect: &dyn Dialect) -> Self {
        let read = |relation: Relation| {
            let shape = Shape::of_relation(&relation.into());
            Arc::new(KeyedRead::new(ReadPlan::by_keys(Arc::new(shape)), dialect))
        };
        Self { mark: read(journal_marks(dialect)), key: read(journal_heads(dialect)) }
    }
}
