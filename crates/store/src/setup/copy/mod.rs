//! Copies of whole databases from one kind of store to another: what the one has, as values, and what the other does
//! with it. Statements are standard SQL here: what has no such form is a [`Remainder`].

pub mod remainder;

use std::fmt::Debug;

use async_trait::async_trait;
use duet_document::RowSet;
use duet_model::catalog::{Check, UniqueKey};
use duet_model::{Result, Type};

use self::remainder::Remainder;
use super::load::LoadSource;

/// What a database has, as far as another store can have it.
#[derive(Clone, Debug, Default)]
pub struct Original {
    /// Its tables by name.
    pub tables: Vec<CopiedTable>,
    /// What is in none of them.
    pub remainders: Vec<Remainder>,
}

/// A table without its rows.
#[derive(Clone, Debug)]
pub struct CopiedTable {
    /// Its name.
    pub name: String,
    /// Its columns that are stored, in their order.
    pub columns: Vec<CopiedColumn>,
    /// Positions of the primary key's columns, in key order; empty without one.
    pub primary_key: Vec<usize>,
    /// Other keys.
    pub unique_keys: Vec<UniqueKey>,
    /// References to other tables, and to itself.
    pub references: Vec<CopiedReference>,
    /// Conditions of every row, in standard SQL.
    pub checks: Vec<Check>,
    /// Indexes that belong to no key.
    pub indexes: Vec<CopiedIndex>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct CopiedColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The numbers of digits of a decimal as they were declared, such as `10,2`; empty where there are none.
    pub digits: String,
    /// Whether it is NOT NULL.
    pub not_null: bool,
    /// The value of rows that give none.
    pub default: Option<CopiedDefault>,
    /// Whether rows that give none are numbered.
    pub is_identity: bool,
    /// The highest number that was ever given, where that is known; 0 otherwise.
    pub last_number: i64,
}

/// The value of a column where a row gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopiedDefault {
    /// A literal of standard SQL.
    Literal(String),
    /// Date and time in UTC, in whole seconds.
    Moment,
    /// The date in UTC.
    Date,
    /// The time of day in UTC, in whole seconds.
    Time,
}

/// A foreign key.
#[derive(Clone, Debug)]
pub struct CopiedReference {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The table that it refers to.
    pub table: String,
    /// Names of that table's columns.
    pub targets: Vec<String>,
    /// What happens when the target is deleted, in words of SQL: `NO ACTION`, `CASCADE`.
    pub on_delete: String,
    /// The same when its key is changed.
    pub on_update: String,
    /// Whether it is checked at the end of a transaction.
    pub is_deferred: bool,
}

/// An index.
#[derive(Clone, Debug)]
pub struct CopiedIndex {
    /// Its name.
    pub name: String,
    /// Whether no two rows have the same values.
    pub is_unique: bool,
    /// Positions of its columns, each with whether it is descending.
    pub columns: Vec<(usize, bool)>,
    /// Which rows it is of, in standard SQL; `None`: all.
    pub condition: Option<String>,
}

/// Rows of a table with values that the other store would refuse, or read as something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// How many rows.
    pub rows: u64,
    /// How one of them is found, such as `id = 7`.
    pub example: String,
    /// What is wrong with them, behind "5 rows".
    pub why: &'static str,
}

/// A database that is read whole, in one snapshot. While it is open nothing else writes it, as far as the store can
/// see to that.
pub trait CopySource: Debug {
    /// What it has, but for tables of these names, which are made otherwise.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn original(&self, without: &[String]) -> Result<Original>;

    /// Values that do not have the form of their column's type.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn misfits(&self, table: &CopiedTable) -> Result<Vec<Misfit>>;

    /// Whether there is a table of this name.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn has_table(&self, name: &str) -> Result<bool>;

    /// Begins to read columns of a table, behind so many rows in the order of its key.
    ///
    /// # Errors
    /// If the table cannot be read.
    fn rows<'s>(
        &'s self,
        table: &str,
        columns: &[String],
        behind: u64,
    ) -> Result<Box<dyn CopiedRows + 's>>;
}

/// Rows of a table as they are read.
pub trait CopiedRows {
    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn next(&mut self) -> Result<Option<RowSet>>;
}

/// Where rows go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyDestination {
    /// The name of the table they come from, by which progress is kept.
    pub from: String,
    /// The schema; `None`: the first of the search path.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Whether it may have rows of other databases already.
    pub is_shared: bool,
    /// Whether it is a table of Duet, which the copy makes where it is missing.
    pub is_own: bool,
}

/// How far the rows of a table are copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyProgress {
    /// So many rows.
    pub rows: u64,
    /// Whether those are all.
    pub is_complete: bool,
}

/// What there is of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyStage {
    /// Nothing.
    None,
    /// It has begun, without tables.
    Begun,
    /// It has made these tables.
    Made(Vec<String>),
    /// All is there; it was perhaps not compared with the original.
    Ended,
}

/// A database that takes a copy. What it has taken stays when the copy is interrupted, and is not taken again. `from` is
/// the name by which it keeps that: another copy has another one.
#[async_trait(?Send)]
pub trait CopyTarget: Debug {
    /// The schema of the tables.
    fn schema(&self) -> &str;

    /// What of the original this store cannot have.
    fn remainders(&self, original: &Original) -> Vec<Remainder>;

    /// The statements that make the tables, and those that follow behind their rows.
    fn statements(&self, original: &Original) -> [Vec<String>; 2];

    /// Whether the copy has begun, and how far it is.
    ///
    /// # Errors
    /// If the database cannot be read.
    async fn begun(&mut self, from: &str) -> Result<CopyStage>;

    /// Those of these tables that are there.
    ///
    /// # Errors
    /// If the database cannot be read.
    async fn existing(&mut self, names: &[String]) -> Result<Vec<String>>;

    /// Notes that a copy begins.
    ///
    /// # Errors
    /// `Setting` if the user may not make the schema `duet`, or a table in it.
    async fn begin(&mut self, from: &str) -> Result<()>;

    /// Makes the tables, all or none, and notes which; what follows behind the rows is tried and undone. Others, which
    /// the application has made itself, lose the rows that it has made with them.
    ///
    /// # Errors
    /// `Setting` if the user may not make one, or the database refuses it.
    async fn make(&mut self, from: &str, original: &Original, others: &[String]) -> Result<()>;

    /// Tries what [`CopyTarget::make`] does behind the first scripts of an application, and its last ones, and undoes
    /// all. Those tables that the scripts have made themselves.
    ///
    /// # Errors
    /// As [`CopyTarget::make`], and `Setting` with the name of a script that the database refuses.
    async fn try_make(
        &mut self,
        original: &Original,
        scripts: &[Vec<LoadSource>; 2],
    ) -> Result<Vec<String>>;

    /// Tries what the copy does with tables that are there behind these scripts, and undoes it: every reason why they
    /// do not take the rows. With a source, its rows are tried too, one table after the other up to the first that is
    /// refused, but for what unique keys and triggers refuse.
    ///
    /// # Errors
    /// As [`CopyTarget::try_make`]; `Setting` where the user may make no temporary tables for rows.
    async fn try_rows(
        &mut self,
        from: &str,
        scripts: &[LoadSource],
        tables: &[CopyDestination],
        rows: Option<&dyn CopySource>,
    ) -> Result<Vec<String>>;

    /// How far a table is, whose foreign keys are set aside until the end.
    ///
    /// # Errors
    /// `Setting` if there is no such table or column.
    async fn progress(&mut self, from: &str, of: &CopyDestination) -> Result<CopyProgress>;

    /// Writes rows, and notes that; without rows, that the table is complete.
    ///
    /// # Errors
    /// `Setting` with the table and the place where a value is refused.
    async fn write(&mut self, from: &str, of: &CopyDestination, rows: &RowSet) -> Result<()>;

    /// Makes keys, references and indexes.
    ///
    /// # Errors
    /// `Setting` with the rule that rows break.
    async fn end(&mut self, from: &str, original: &Original) -> Result<()>;

    /// Forgets the progress of a copy.
    ///
    /// # Errors
    /// If the database cannot be written.
    async fn forget(&mut self, from: &str) -> Result<()>;
}
