//! A connection that was made, and its prepared statements.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use duet_document::Codec;
use foldhash::fast::RandomState;
use tokio_postgres::{Client, Statement};

use crate::postgres::columns;
use crate::postgres::sent_commit::Ended;
use crate::postgres::stop::Stop;
use crate::row_limit::RowLimit;

/// How many statements a connection keeps prepared.
const STATEMENTS: usize = 500;

/// A connection that was made.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    /// When the connection will have ended.
    pub(crate) ended: Ended,
    statements: RefCell<HashMap<String, Statement, RandomState>>,
    /// Whether it has carried a large row.
    large_row: Arc<AtomicBool>,
}

impl Live {
    /// A connection that keeps no statement yet.
    pub(crate) fn new((client, ended): (Client, Ended)) -> Self {
        Self { client, ended, statements: RefCell::default(), large_row: Arc::default() }
    }

    /// The limit on the rows of an answer, for rows that arrive on this connection.
    pub(crate) fn limited(&self, rows: &RowLimit) -> RowLimit {
        rows.noting(&self.large_row)
    }

    /// Whether the driver keeps a buffer for it that a large row has needed.
    pub(crate) fn has_large_buffer(&self) -> bool {
        self.large_row.load(Ordering::Relaxed)
    }

    /// Forgets all prepared statements.
    pub(crate) fn forget(&self) {
        self.statements.borrow_mut().clear();
    }

    /// The prepared statement of a text, prepared if it is not yet. Its columns from the one
    /// numbered `first` on must be what these codecs read.
    pub(crate) async fn prepared<'c>(
        &self,
        sql: &str,
        first: usize,
        codecs: impl IntoIterator<Item = &'c Codec>,
    ) -> Result<Statement, Stop> {
        if let Some(statement) = self.statements.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        if !columns::fit(&statement, first, codecs.into_iter()) {
            return Err(Stop::OtherTypes);
        }
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}
