//! A connection that was made, and its prepared statements.
//!
//! An insert that is its own transaction has the session's `synchronous_commit` set for its class,
//! where the last few on the connection were of that class. It is set back before anything else
//! runs there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_document::Codec;
use duet_model::commit_class::CommitClass;
use duet_pgconnect::Canceller;
use duet_store::commits::{Changes, Commits};
use duet_store::memory::arriving::Arriving;
use duet_store::memory::row_limit::RowLimit;
use foldhash::fast::RandomState;
use tokio_postgres::{Client, Statement};

use crate::connection::columns;
use crate::connection::sent_commit::{Ended, SentCommit};
use crate::connection::stop::Stop;

/// How many statements a connection keeps prepared.
const STATEMENTS: usize = 500;

/// What statements may do outside of a transaction block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Autocommit {
    /// They read: the default of each connection, since a view may call a function that writes.
    ReadOnly,
    /// They write, and are committed when they end.
    Write,
    /// The same, answered before the log is synced.
    WriteAsync,
    /// The same, answered when it is synced, whatever the server, the database or the user has set.
    WriteSync,
}

impl Autocommit {
    /// That of writes of a commit class.
    pub(crate) fn of(commit: CommitClass) -> Self {
        match commit {
            CommitClass::Async => Self::WriteAsync,
            CommitClass::Sync => Self::WriteSync,
            CommitClass::Group | CommitClass::Ingest | CommitClass::Memory => Self::Write,
        }
    }

    /// Whether commits wait for the log as they do on a connection that has just been made.
    pub(crate) fn syncs_as_usual(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Write)
    }

    fn sql(self) -> &'static str {
        match self {
            Self::ReadOnly => "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            Self::Write => {
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE"
            }
            Self::WriteAsync => {
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE; \
                 SET synchronous_commit TO off"
            }
            Self::WriteSync => {
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE; \
                 SELECT pg_catalog.set_config('synchronous_commit', 'on', false) \
                 WHERE pg_catalog.current_setting('synchronous_commit') = 'off'"
            }
        }
    }
}

/// A connection to the server that has just been made.
#[derive(Debug)]
pub(crate) struct NewConnection {
    pub(crate) client: Client,
    pub(crate) canceller: Canceller,
    /// When it will have ended.
    pub(crate) ended: Ended,
}

/// A connection that was made.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    /// When the connection will have ended.
    pub(crate) ended: Ended,
    /// When it was made.
    pub(crate) made: Instant,
    /// Stops what runs on it.
    pub(crate) canceller: Canceller,
    /// The large rows on their way through it.
    pub(crate) arriving: Arc<Arriving>,
    /// What each transaction sets for itself: nothing stays on a connection that a pooler lends to others.
    local: Option<Rc<str>>,
    statements: RefCell<HashMap<String, Statement, RandomState>>,
    /// Unknown while it is being set.
    autocommit: Cell<Option<Autocommit>>,
    /// Whether code of the database may have set something that lasts.
    ran_code: Cell<bool>,
}

/// Takes back whatever code of the database has left on a connection, its limits first: they hold for the rest.
const AS_MADE: &str = "RESET statement_timeout; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; \
    CLOSE ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP";

/// A request on a connection that others use too. Dropped without [`Use::done`], it has left before its rows had arrived.
pub(crate) struct Use<'l>(Option<&'l Arriving>);

impl Use<'_> {
    /// All rows have arrived.
    pub(crate) fn done(mut self) {
        self.0 = None;
    }
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        if let Some(arriving) = self.0 {
            arriving.abandon();
        }
    }
}

impl Live {
    /// A connection that keeps no statement yet.
    pub(crate) fn new(
        made: NewConnection,
        arriving: Arc<Arriving>,
        local: Option<Rc<str>>,
    ) -> Self {
        let NewConnection { client, canceller, ended } = made;
        let statements = RefCell::default();
        let autocommit = Cell::new(Some(Autocommit::ReadOnly));
        let made = Instant::now();
        let ran_code = Cell::new(false);
        Self { client, ended, made, canceller, arriving, local, statements, autocommit, ran_code }
    }

    /// What each transaction on it sets for itself. Then a statement needs a transaction that says so.
    pub(crate) fn local(&self) -> Option<&str> {
        self.local.as_deref()
    }

    /// A request uses the connection beside others.
    pub(crate) fn shared(&self) -> Use<'_> {
        Use(Some(&self.arriving))
    }

    /// The limit on the rows of an answer, for rows that arrive on this connection.
    pub(crate) fn limited(&self, rows: &RowLimit) -> RowLimit {
        self.arriving.keep(false);
        rows.through(&self.arriving)
    }

    /// The same for rows that a change returns which is being committed; see [`RowLimit::kept`]. Until the connection
    /// is given back, none is refused.
    pub(crate) fn kept(&self, rows: &RowLimit) -> RowLimit {
        self.arriving.keep(true);
        rows.through(&self.arriving).kept()
    }

    /// What statements may do outside of a transaction block, where that is known.
    pub(crate) fn autocommit(&self) -> Option<Autocommit> {
        self.autocommit.get()
    }

    /// Sets it for the statements that follow.
    pub(crate) async fn set_autocommit(
        &self,
        autocommit: Autocommit,
    ) -> Result<(), tokio_postgres::Error> {
        // Where this future is dropped, it is set again.
        let was_usual = self.autocommit.take().is_some_and(Autocommit::syncs_as_usual);
        let reset = if was_usual { "" } else { "RESET synchronous_commit; " };
        self.client.batch_execute(&format!("{reset}{}", autocommit.sql())).await?;
        self.autocommit.set(Some(autocommit));
        Ok(())
    }

    /// Before `COMMIT` is sent with these changes. What code of the database has set for its session, a routine or a
    /// trigger, must not reach other clients.
    pub(crate) fn sends_commit(&self, commits: &Arc<Commits>, changes: Changes) -> SentCommit {
        // Behind a pooler each transaction sets what matters, and the session is not this one's.
        if changes.ran_code() && self.local.is_none() {
            self.ran_code.set(true);
        }
        SentCommit::new(commits, changes, &self.ended)
    }

    /// Whether nothing lasts on it but what was set when it was made.
    pub(crate) fn is_as_made(&self) -> bool {
        !self.ran_code.get()
    }

    /// Makes its session that of a new connection, on which this is set.
    pub(crate) async fn make_as_new(&self, session: &str) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute(&format!("{AS_MADE}; {session}")).await?;
        self.autocommit.set(Some(Autocommit::ReadOnly));
        self.ran_code.set(false);
        Ok(())
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
