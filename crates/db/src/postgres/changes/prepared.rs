//! What was made in a database for capturing, and the refusals of it.

use duet_model::{Code, Error};

use crate::freshness::Means;
use crate::postgres::sqlstate;

/// The triggers of a table that is captured by triggers.
pub(super) const TRIGGERS: usize = 4;

/// What was made, and what the operator should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// What captures changes from now on.
    pub means: Option<Means>,
    /// Whether it is new.
    pub is_new: bool,
    /// How many tables it captures.
    pub tables: usize,
    /// What is left to do, in whole sentences.
    pub notes: Vec<String>,
}

/// Begins a transaction that writes, whatever the default of the role or of a pooler's connection is.
pub(super) const WRITING: &str = "BEGIN READ WRITE";

pub(super) fn failed(error: &tokio_postgres::Error) -> Error {
    sqlstate::error_of(error)
}

pub(super) fn refused(error: &tokio_postgres::Error) -> Error {
    Error::new(Code::Setting, "The database refuses to prepare the capture of changes.")
        .hint("The user of the connection needs CREATE on the database and must own the tables, and what was made before.")
        .cause(sqlstate::chain(error))
}

impl Prepared {
    /// Notes tables that are not captured.
    pub(super) fn left_out(&mut self, why: &str, tables: &[String]) {
        if !tables.is_empty() {
            self.notes.push(format!("Not captured, because {why}. {}", tables.join(", ")));
        }
    }
}
