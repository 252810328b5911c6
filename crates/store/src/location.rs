//! Where a database is, and what commands do with one of any store before it is served.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use duet_model::tenant::TenantName;
use duet_model::{Code, CollectionTable, Error, Result};
use duet_sql::Dialect;
use futures_util::future::{LocalBoxFuture, ready};

use crate::commits::captured;
use crate::database::SharedStore;
use crate::files;
use crate::limits::{Capture, Limits};
use crate::setup::copy::{CopySource, CopyTarget};
use crate::setup::indexes::IndexEntry;
use crate::setup::load::{Load, LoadedRows};
use crate::setup::migrate::{
    DeclaredObjects, Indexes, MadeObjects, Observer, Options, Plan, TriedPlan,
};
use crate::setup::own_part::OwnPart;
use crate::setup::state::StateTable;
use crate::setup::tenants::SchemaState;
use crate::standbys::StandbyOptions;

/// The result of something that may take a while.
pub type Pending<'a, T> = LocalBoxFuture<'a, Result<T>>;

/// How a kind of store is found by the text that names a database.
#[derive(Clone, Copy)]
pub struct StoreEntry {
    /// The beginnings of its URLs, with all punctuation.
    pub schemes: &'static [&'static str],
    /// How its databases are named, for the message about a text that names none.
    pub forms: &'static [&'static str],
    /// Whether it is the store of a text without a scheme, seen from a folder. The first one of the list takes it.
    pub takes: fn(&str, &Path) -> bool,
    /// The store's SQL, for scripts that are written without a connection.
    pub dialect: &'static dyn Dialect,
    /// The database that a text names.
    pub locate: fn(&str, &Path) -> Result<Arc<dyn Location>>,
    /// The database in a file that exists or will be made, where databases of the store are files.
    pub file: Option<fn(PathBuf) -> Arc<dyn Location>>,
}

/// How a client reaches a database that does not go through its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainTarget {
    /// By a connection string as libpq reads it. It may hold a password.
    Libpq(String),
    /// By opening a file of SQLite.
    File(PathBuf),
}

/// How many connections a server allows a user, over all programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionAllowance {
    /// As many.
    pub connections: usize,
    /// What says so: the settings of the server and the role.
    pub why: String,
}

/// What a store is opened with. A store takes what concerns it.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// What it may use, and how long things may take.
    pub limits: Limits,
    /// How files are written.
    pub files: files::Options,
    /// The standbys that answer reads.
    pub standbys: StandbyOptions,
}

/// A database of a store, which may not exist yet. The defaults are those of a store that has no such thing, and
/// refuse what is then asked for.
pub trait Location: Debug + Send + Sync {
    /// The name of the store, as files of applications have it: the scheme of its URLs.
    fn store(&self) -> &'static str;

    /// What messages call the store, such as `SQLite`.
    fn title(&self) -> &'static str;

    /// What messages call the database; no secrets.
    ///
    /// # Errors
    /// `Setting` if the text names no database after all.
    fn describe(&self) -> Result<String>;

    /// The name of the database: that of the file without its extension, or of a database of the server.
    ///
    /// # Errors
    /// As [`Location::describe`].
    fn name(&self) -> Result<String>;

    /// The file, where databases of the store are files.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// Another file of the store.
    fn at_file(&self, _path: PathBuf) -> Option<Arc<dyn Location>> {
        None
    }

    /// The connection string, where databases of the store are on servers. It may hold a password.
    fn connection_string(&self) -> Option<&str> {
        None
    }

    /// What is to be said of the connection string before it is used.
    ///
    /// # Errors
    /// As [`Location::describe`].
    fn warnings(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// The store's SQL, for scripts that are written without a connection.
    fn dialect(&self) -> &'static dyn Dialect;

    /// The schema of tables that name none, where there are several.
    fn default_schema(&self) -> Option<&'static str> {
        None
    }

    /// Opens the database.
    ///
    /// # Errors
    /// If it does not exist or cannot be reached, or the limits are more than it gives.
    fn open(&self, options: OpenOptions) -> Pending<'_, SharedStore>;

    /// How plain clients connect, such as the bench and what fills its data.
    ///
    /// # Errors
    /// `Setting` if the store has none.
    fn plain(&self) -> Result<PlainTarget> {
        Err(self.lacks("plain connections"))
    }

    /// The server, and how many connections a store opens to it under these limits; `None` where that is bounded by
    /// nothing.
    ///
    /// # Errors
    /// As [`Location::describe`].
    fn connections(&self, _limits: &Limits) -> Result<Option<(String, usize)>> {
        Ok(None)
    }

    /// How many connections the server allows the user; `None` where nothing bounds them, or that is not known within
    /// the time.
    ///
    /// # Errors
    /// Where the server cannot be reached.
    fn allowed_connections(&self, _limit: Duration) -> Pending<'_, Option<ConnectionAllowance>> {
        Box::pin(ready(Ok(None)))
    }

    /// Loads tables and rows, whole or not at all.
    ///
    /// # Errors
    /// If a script fails, or tables of these names exist.
    fn load<'a>(&'a self, _load: &'a Load) -> Pending<'a, LoadedRows> {
        self.refuse("loads by scripts")
    }

    /// Makes tables of Duet's own, unless they exist; `false` where they do.
    ///
    /// # Errors
    /// `Setting` where the database cannot be written or the user may not.
    fn make_own(&self, _part: OwnPart) -> Pending<'_, bool> {
        self.refuse("tables of Duet's own")
    }

    /// Runs the statements of a script of Duet's own in one transaction.
    ///
    /// # Errors
    /// `Setting` where the database cannot be written or the user may not.
    fn run_script<'a>(&'a self, _script: &'a str) -> Pending<'a, ()> {
        self.refuse("scripts of Duet's own")
    }

    /// The name of a table of Duet's own.
    fn own_table(&self, name: &str) -> String {
        format!("duet_{name}")
    }

    /// Whether connections have roles, to which rights are granted.
    fn has_roles(&self) -> bool {
        false
    }

    /// The statements that give a role what it needs to serve with tables of Duet's own.
    fn grants(&self, _part: OwnPart, _role: &str) -> Vec<String> {
        Vec::new()
    }

    /// Grants a role what it needs to serve with tables of Duet's own.
    ///
    /// # Errors
    /// `Setting` where there is no such role, or the user may not grant it.
    fn grant<'a>(&'a self, _part: OwnPart, _role: &'a str) -> Pending<'a, ()> {
        self.refuse("roles")
    }

    /// What the database lacks of what is declared, and what comes of making it, which is tried and undone.
    ///
    /// # Errors
    /// If it cannot be read, or another migration is running.
    fn try_migration(
        &self,
        _declared: DeclaredObjects,
        _options: Options,
    ) -> Pending<'_, TriedPlan> {
        self.refuse("migrations")
    }

    /// Makes what the database lacks of what is declared.
    ///
    /// # Errors
    /// - `Setting` if another migration is running, the user may not change something, or stored values do not fit.
    /// - What the observer answers.
    fn migrate<'a>(
        &'a self,
        _declared: DeclaredObjects,
        _options: Options,
        _observer: Observer<'a>,
    ) -> Pending<'a, Plan> {
        self.refuse("migrations")
    }

    /// The same, which drops nothing and says only what it made.
    ///
    /// # Errors
    /// As [`Location::migrate`].
    fn prepare_collections(
        &self,
        _tables: Vec<CollectionTable>,
        _indexes: Indexes,
    ) -> Pending<'_, MadeObjects> {
        self.refuse("collections")
    }

    /// The indexes of all tables.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn indexes(&self) -> Pending<'_, Vec<IndexEntry>> {
        self.refuse("a list of indexes")
    }

    /// Since when the uses of indexes are counted; `None` where they are not.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn indexes_counted_since(&self) -> Pending<'_, Option<String>> {
        Box::pin(ready(Ok(None)))
    }

    /// Copies some documents of collections from another database of the store, or from a schema of this one.
    ///
    /// # Errors
    /// `Setting` if one of them cannot be read or written.
    fn copy_sample<'a>(
        &'a self,
        _from: &'a dyn Location,
        _schema: Option<&'a str>,
        _tables: Vec<CollectionTable>,
        _rows: u64,
    ) -> Pending<'a, ()> {
        self.refuse("copies of documents")
    }

    /// Drops what [`Location::copy_sample`] has made beside other tables.
    ///
    /// # Errors
    /// `Setting` if the user may not.
    fn drop_sample(&self) -> Pending<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    /// The schema in which copies of documents are, where it is beside others.
    fn sample_schema(&self) -> Option<&'static str> {
        None
    }

    /// Opens the database to read all of it; nothing else writes it meanwhile.
    ///
    /// # Errors
    /// `Setting` where the store has no such copies; others where the database cannot be opened.
    fn copy_source(&self) -> Result<Box<dyn CopySource>> {
        Err(self.lacks("copies to another store"))
    }

    /// Connects to the database to copy another one into it, into a schema, or the first of the search path.
    ///
    /// # Errors
    /// `Setting` where the store takes no such copies; others where the database cannot be reached.
    fn copy_target(&self, _schema: Option<String>) -> Pending<'_, Box<dyn CopyTarget>> {
        self.refuse("copies from another store")
    }

    /// The tenants of an application that share the database, with the numbers of their schemas.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn tenants<'a>(&'a self, _suffix: &'a str) -> Pending<'a, BTreeMap<TenantName, u32>> {
        self.refuse("tenants in one database")
    }

    /// What the schema of a tenant is.
    ///
    /// # Errors
    /// If the database cannot be read.
    fn tenant_state<'a>(
        &'a self,
        _name: &'a TenantName,
        _suffix: &'a str,
    ) -> Pending<'a, SchemaState> {
        self.refuse("tenants in one database")
    }

    /// Drops the schema of a tenant with everything in it; `false` where it is not a tenant's.
    ///
    /// # Errors
    /// `Setting` where the user may not.
    fn drop_tenant<'a>(&'a self, _name: &'a TenantName, _suffix: &'a str) -> Pending<'a, bool> {
        self.refuse("tenants in one database")
    }

    /// The table of clients and keys, which may not exist; `None` where a database cannot hold them.
    ///
    /// # Errors
    /// As [`Location::describe`].
    fn state_table(&self) -> Result<Option<Box<dyn StateTable>>> {
        Ok(None)
    }

    /// Whether a store notices the commits of other programs by itself, so that nothing is to be prepared.
    fn notices_commits(&self) -> bool {
        false
    }

    /// Makes what captures the commits of others.
    ///
    /// # Errors
    /// `Setting` where the user may not.
    fn prepare_changes(&self, _means: Capture) -> Pending<'_, captured::CaptureSetup> {
        self.refuse("capture of others' commits")
    }

    /// Removes what captures the commits of others; the names of what there was.
    ///
    /// # Errors
    /// `Setting` where the user may not.
    fn remove_changes(&self) -> Pending<'_, Vec<&'static str>> {
        self.refuse("capture of others' commits")
    }

    /// Has the database tell the servers that listen of every change of its schema by any program.
    ///
    /// # Errors
    /// `Setting` where the user may not.
    fn announce_schema(&self) -> Pending<'_, ()> {
        self.refuse("announcements of changes of the schema")
    }

    /// The error where the store has no such thing.
    fn lacks(&self, what: &str) -> Error {
        Error::new(Code::Setting, format!("{} has no {what}.", self.title()))
    }
}

/// Refusals of what a store lacks.
trait Refuse {
    fn refuse<'a, T: 'a>(&self, what: &str) -> Pending<'a, T>;
}

impl<L: Location + ?Sized> Refuse for L {
    fn refuse<'a, T: 'a>(&self, what: &str) -> Pending<'a, T> {
        Box::pin(ready(Err(self.lacks(what))))
    }
}
