//! Migrations: what a database lacks of what collections declare and migration files add, as steps in their order, and
//! their execution beside the requests of a running server. A migration that was interrupted leaves nothing that the next
//! one does not continue or undo: steps are found by comparing, never remembered.

pub mod additions;
pub mod names;
pub mod prepared;
mod scanner;
pub mod trial;

use std::time::Duration;

use duet_model::{CollectionTable, Result};
use duet_sql::{Dialect, IndexStatement, Totals, collection_index_statements};

pub use additions::{Addition, DeclaredObjects};
pub use prepared::MadeObjects;
pub use trial::{StepTrial, TriedPlan};

/// What a database lacks of what is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// What differs and stays, in whole sentences.
    pub notes: Vec<String>,
}

/// One change of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// To what.
    pub object: Object,
    /// The name of the object.
    pub name: String,
    /// The schema of its table; empty on SQLite.
    pub schema: String,
    /// Its table; for a table its own name, for an extension nothing.
    pub table: String,
    /// Why, where the action does not say.
    pub reason: Option<String>,
    /// The statements.
    pub statements: Vec<MigrationStatement>,
    /// The rows of the table, as far as known.
    pub rows: Option<u64>,
    /// The bytes of the table without its indexes.
    pub bytes: Option<u64>,
    /// What waits while it runs.
    pub blocks: Blocks,
}

/// What is done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is absent.
    Create,
    /// Its definition has changed.
    Replace,
    /// An interrupted migration has left it.
    Finish,
    /// It is no longer declared.
    Drop,
    /// Its statistics are computed.
    Analyze,
}

impl Action {
    /// The word for it in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Finish => "finish",
            Self::Drop => "drop",
            Self::Analyze => "analyze",
        }
    }
}

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// An extension of PostgreSQL.
    Extension,
    /// A table.
    Table,
    /// A column.
    Column,
    /// A column with a foreign key.
    Reference,
    /// An index.
    Index,
    /// Statistics of several values together.
    Statistics,
    /// The number of documents by values, and the triggers that keep it.
    Totals,
}

impl Object {
    /// The word for it in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extension => "extension",
            Self::Table => "table",
            Self::Column => "column",
            Self::Reference => "reference",
            Self::Index => "index",
            Self::Statistics => "statistics",
            Self::Totals => "totals",
        }
    }
}

/// What waits while a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Nothing.
    Nothing,
    /// Requests of the table, for a moment that does not depend on its size.
    Briefly,
    /// Writes.
    Writes,
    /// Reads and writes of the table.
    Everything,
}

impl Blocks {
    /// The words for it in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Briefly => "briefly",
            Self::Writes => "writes",
            Self::Everything => "everything",
        }
    }
}

/// A statement of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatement {
    /// Its text.
    pub sql: String,
    /// Whether it needs a lock that requests wait for: it is given up after a short time, and tried again.
    pub locks: bool,
}

impl MigrationStatement {
    /// One that requests do not notice.
    pub fn online(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), locks: false }
    }

    /// One that needs a lock that requests wait for.
    pub fn locking(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), locks: true }
    }
}

/// How a plan is made and carried out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether indexes that are no longer declared are dropped.
    pub drops: bool,
    /// How long a statement waits for a lock that requests wait for behind it.
    pub lock_timeout: Duration,
    /// How often such a statement is tried.
    pub attempts: u32,
    /// Which indexes there are to be.
    pub indexes: Indexes,
}

/// Which indexes a database is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexes {
    /// All that are declared.
    Declared,
    /// Those of references alone, which belong to keys: the declared ones are dropped. What is declared unique
    /// is not checked then.
    OfReferences,
}

impl Indexes {
    /// The statements of the indexes that a table is to have.
    pub fn wanted(
        self,
        dialect: &dyn Dialect,
        table: &CollectionTable,
        online: bool,
    ) -> Vec<IndexStatement> {
        match self {
            Self::Declared => collection_index_statements(dialect, table, online),
            Self::OfReferences => {
                let of_references = CollectionTable { indexes: Vec::new(), ..table.clone() };
                collection_index_statements(dialect, &of_references, online)
            }
        }
    }

    /// The names of declared indexes that it is not to have.
    pub fn unwanted(self, dialect: &dyn Dialect, table: &CollectionTable) -> Vec<String> {
        let wanted = self.wanted(dialect, table, false);
        let all = collection_index_statements(dialect, table, false).into_iter();
        let names = all.map(|index| index.name);
        names.filter(|name| wanted.iter().all(|index| index.name != *name)).collect()
    }

    /// The totals that it is to have, of those that are declared.
    pub fn totals(self, declared: &[Totals]) -> &[Totals] {
        match self {
            Self::Declared => declared,
            Self::OfReferences => &[],
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            drops: true,
            lock_timeout: Duration::from_secs(1),
            attempts: 60,
            indexes: Indexes::Declared,
        }
    }
}

/// What happens while a plan is carried out.
#[derive(Debug)]
pub enum MigrationEvent<'p> {
    /// The plan that is carried out.
    Planned(&'p Plan),
    /// A step begins: its number from 1.
    Step(usize, &'p Step),
    /// A statement begins: the number of the step, and that of the statement in it, from 1.
    Statement(usize, usize),
    /// A statement did not get its lock in time and is tried again: the attempts so far.
    Locked(u32),
}

/// Receives progress; an error ends the migration there.
pub type Observer<'o> = &'o mut dyn FnMut(&MigrationEvent<'_>) -> Result<()>;

/// The sentence about a second migration.
pub const IN_PROGRESS: &str = "Another migration of this database is running.";
