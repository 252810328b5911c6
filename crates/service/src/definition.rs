//! The definition of an application, as plain data. The binary reads it from `app.toml`;
//! an ad-hoc `serve DATABASE` makes it up.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use duet_auth::Privilege;
pub use duet_collection::{
    Collection, Declaration, DeclaredIndex, JoinedList, LineOutcome, LinePlace,
    Mistake as CollectionMistake, Moment, RMB_KEYS, Reference, RmbKey, RmbLevel, RmbLine,
    RmbSchema, RmbTable, files_of_schema, schema_of_files, sql_statements,
};
pub use duet_model::ProfileRef;
use duet_model::commit_class::CommitPolicy;
use duet_model::{Code, Error, Result};
pub use duet_store::RequestClass;
use duet_text::json::JsonLimits;

pub use crate::outbox::declaration::{Webhook, WebhookLimits};
pub use duet_auth::WebhookKey;

pub use crate::services::{
    Answers, BodyTemplate, COUNT, DeclaredAnswer, JsonTemplate, OF_ERRORS, OUTCOMES, PathTemplate,
    RESULT, SERVICE_METHODS, SERVICE_RESULTS, SERVICE_TYPES, Segment, ServiceFile, ServiceOutcome,
    ServiceParameter, ServiceResult, ServiceRoutine, Template, TemplatePiece, ValueLimits,
};

/// An application over one database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Application {
    /// Its name, for messages and the ready file.
    pub name: String,
    /// What is served where.
    pub mounts: Mounts,
    /// Limits of pages and filters.
    pub limits: ReadLimits,
    /// Limits of writes.
    pub write_limits: WriteLimits,
    /// Limits of webhooks, from the next start.
    pub webhook_limits: WebhookLimits,
    /// The profile by which it answers, where a setting says so.
    pub answers_as: Option<ProfileRef>,
}

/// Where an application comes from, so that a reload can read it again.
pub trait Origin: fmt::Debug + Send + Sync {
    /// Reads it as it is now. It may block, so a reload calls it on a thread of its own.
    ///
    /// # Errors
    /// [`duet_model::Code::Application`], with every mistake as the cause.
    fn read(&self) -> Result<Reread>;

    /// Reads it as if one of its files had this text, or was a new one. It may block.
    ///
    /// # Errors
    /// All mistakes, each in its file.
    fn draft(&self, file: &str, text: &str)
    -> std::result::Result<Application, Vec<DesignMistake>>;

    /// The text of one of its files as it is stored now; `None` where there is no such file. It may block.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn stored(&self, file: &str) -> Result<Option<String>>;

    /// Stores a file. It may block.
    ///
    /// # Errors
    /// Where it cannot be written, such as in an application that is built in.
    fn store(&self, file: &str, text: &str) -> Result<()>;
}

/// A mistake of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignMistake {
    /// The file that has it; the text that is being designed where it has no name.
    pub file: String,
    /// Its permanent code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What was probably meant.
    pub hint: Option<String>,
    /// The bytes of the text that are at fault.
    pub bytes: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The mistake for people, with its line and a mark below the place.
    pub rendered: String,
}

/// An application that was read again.
#[derive(Clone, Debug, PartialEq)]
pub struct Reread {
    /// The application.
    pub application: Application,
    /// What has changed but counts from the next start only, in words for the operator.
    pub notes: Vec<String>,
}

/// The mounts of an application.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Mounts {
    /// Every schema of the database under `/api/{schema}`, all its tables and views.
    #[default]
    AdHoc,
    /// The same under `/api/{name}/{schema}`, where the process has other applications.
    AdHocBelow(String),
    /// What an `app.toml` describes, below one path or several.
    Declared(Box<Mount>),
}

impl Mounts {
    /// The profile by which it is declared to answer.
    pub fn profile(&self) -> ProfileRef {
        match self {
            Self::Declared(mount) => mount.profile,
            Self::AdHoc | Self::AdHocBelow(_) => ProfileRef::default(),
        }
    }

    /// Whether functions of the database learn of the request, and set headers and status of its answer.
    pub fn request_settings(&self) -> bool {
        matches!(self, Self::Declared(mount) if mount.request_settings)
    }

    /// Whether requests in PostgREST's grammar may compute values of many rows.
    pub fn aggregates(&self) -> bool {
        matches!(self, Self::Declared(mount) if mount.aggregates)
    }

    /// The licence of its descriptions, where it is stated.
    pub fn license(&self) -> Option<&str> {
        match self {
            Self::Declared(mount) => mount.license.as_deref(),
            Self::AdHoc | Self::AdHocBelow(_) => None,
        }
    }

    /// What names the tenant of a request, where each has a database of its own.
    pub fn tenants(&self) -> Option<TenantChoice> {
        match self {
            Self::Declared(mount) => mount.tenants,
            Self::AdHoc | Self::AdHocBelow(_) => None,
        }
    }

    /// The login beside the token endpoint.
    pub fn login(&self) -> Option<&Login> {
        match self {
            Self::Declared(mount) => mount.login.as_ref(),
            Self::AdHoc | Self::AdHocBelow(_) => None,
        }
    }

    /// The tenant that requests must name.
    pub fn tenant(&self) -> Option<&str> {
        match self {
            Self::Declared(mount) => mount.tenant.as_deref(),
            Self::AdHoc | Self::AdHocBelow(_) => None,
        }
    }
}

/// A login of clients that do not know the token endpoint: `POST` of a JSON body with id and secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The path, from the root.
    pub path: String,
    /// The member of the body with the client's id.
    pub client: String,
    /// The member with its secret.
    pub secret: String,
    /// The header that has the token, in the answer and in requests; in lower case.
    pub header: String,
    /// The status of success.
    pub status: u16,
}

/// What is served of one schema, below one path or several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mount {
    /// The path, with a slash at its beginning and none at its end: `/ords/hr`. Everything that
    /// names no other path is served below this one.
    pub path: String,
    /// Further paths, for resources and privileges that name them.
    pub further: Vec<String>,
    /// The schema whose tables are served; the database's default where there is none
    /// (`public` on PostgreSQL, `main` on SQLite).
    pub schema: Option<String>,
    /// Whether tables and views that no resource names are served too.
    pub all_tables: bool,
    /// Aliases, keys and exclusions, by the name a table is served under.
    pub resources: Vec<Resource>,
    /// Files with definitions of duality views.
    pub views: Vec<ViewFile>,
    /// Files with services.
    pub services: Vec<Arc<ServiceFile>>,
    /// Collections of JSON documents.
    pub collections: Vec<Arc<Collection>>,
    /// Lists over several collections.
    pub lists: Vec<Arc<JoinedList>>,
    /// The files that declare the collections.
    pub collection_files: Vec<CollectionFile>,
    /// The system as which it answers.
    pub profile: ProfileRef,
    /// The licence that descriptions state: an SPDX identifier, or a name.
    pub license: Option<String>,
    /// The tenant that requests name where the profile needs one.
    pub tenant: Option<String>,
    /// What names the tenant of a request, where each tenant has a schema or a file of its own.
    pub tenants: Option<TenantChoice>,
    /// Routines that are served though they run with their owner's rights or belong to an extension,
    /// by name.
    pub routines: Vec<String>,
    /// Whether clients receive what triggers, functions and procedures raise, of all resources.
    pub raised_messages: bool,
    /// Whether functions of the database learn of the request, and set headers and status of its answer.
    pub request_settings: bool,
    /// Whether requests in PostgREST's grammar may compute values of many rows.
    pub aggregates: bool,
    /// The login beside the token endpoint.
    pub login: Option<Login>,
    /// The webhooks.
    pub webhooks: Vec<Webhook>,
    /// The access rules.
    pub privileges: Vec<Privilege>,
    /// The paths that privileges name, by the privilege's position; others are about the first path.
    pub privilege_mounts: BTreeMap<usize, Vec<String>>,
    /// Positions in its file, for messages.
    pub places: Places,
}

impl Mount {
    /// All paths, the first one first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.path).chain(&self.further).map(String::as_str)
    }

    /// Each privilege with its position and each path that it is about.
    pub(crate) fn grants(&self) -> impl Iterator<Item = (&str, usize, &Privilege)> {
        self.privileges.iter().enumerate().flat_map(|(index, privilege)| {
            let named = self.privilege_mounts.get(&index);
            let paths = named.map_or(std::slice::from_ref(&self.path), Vec::as_slice);
            paths.iter().map(move |path| (path.as_str(), index, privilege))
        })
    }
}

/// What names the tenant of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TenantChoice {
    /// The token alone; a header may repeat it.
    Token,
    /// The token, else the header: callers whose token has no tenant may reach each.
    Header,
}

impl TenantChoice {
    /// Both with their names in `app.toml`.
    pub const NAMES: [(&'static str, Self); 2] = [("token", Self::Token), ("header", Self::Header)];
}

/// How one table or view is served.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// The name it is served under.
    pub name: String,
    /// The table or view, `name` or `schema.name`, in the database's spelling or without case.
    pub table: String,
    /// The path of its mount; the first one by default.
    pub mount: Option<String>,
    /// The columns that identify a row, where the database declares no key; names as served.
    pub key: Vec<String>,
    /// Column aliases: the database's name to the served name.
    pub columns: BTreeMap<String, String>,
    /// Columns that are not served.
    pub hidden: Vec<String>,
    /// Not served by itself; duality views may still use it.
    pub excluded: bool,
    /// Names of foreign keys for `expand=`: the name to the key's columns, or to `table.columns`
    /// for a key of another table that leads here.
    pub expand: BTreeMap<String, String>,
    /// Items in a page where the request does not say.
    pub page_size: Option<u64>,
    /// Whether clients receive what triggers, functions and procedures raise.
    pub raised_messages: bool,
    /// Bytes of memory for its items; none keep none.
    pub rowstore: u64,
    /// Whether its items are loaded into memory before they are requested.
    pub rowstore_populate: bool,
    /// How old an item may be that is served while the database is down; zero: none is. Without it,
    /// [`ReadLimits::serve_stale`] counts.
    pub serve_stale: Option<Duration>,
    /// What is done with filters that no index serves.
    pub unindexed: UnindexedPolicy,
    /// The class of its requests.
    pub class: RequestClass,
    /// The commit classes of its writes.
    pub commit: CommitPolicy,
    /// The members of new documents that services assign where a request leaves them out, with the services' names.
    pub assign: BTreeMap<String, String>,
}

/// The classes of requests with their names in `app.toml`.
pub const CLASSES: [(&str, RequestClass); 2] =
    [("interactive", RequestClass::Interactive), ("batch", RequestClass::Batch)];

/// What is done with filters that no index serves, which read every row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnindexedPolicy {
    /// They are answered.
    #[default]
    Allow,
    /// They are answered, with a header that says so.
    Warn,
    /// They are refused with DUET-2011.
    Refuse,
}

impl UnindexedPolicy {
    /// All of them with their names in `app.toml`.
    pub const NAMES: [(&'static str, Self); 3] =
        [("allow", Self::Allow), ("warn", Self::Warn), ("refuse", Self::Refuse)];
}

/// A file with definitions of duality views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewFile {
    /// The file's name, for messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The file that declares a collection, and the one with its JSON Schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionFile {
    /// The collection's name.
    pub collection: String,
    /// The file's name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The name of the JSON Schema's file, and its text.
    pub schema: (String, String),
}

/// Limits of pages and filters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadLimits {
    /// Items in a page where the request does not say.
    pub page_size: u64,
    /// Documents of a list of a collection that are counted exactly where the request does not say; more are
    /// estimated.
    pub exact_total: u64,
    /// Items in a page at most; a larger `limit` is lowered to it, and the page says so.
    pub max_page_size: u64,
    /// Limits of the filter.
    pub filter: duet_filter::Limits,
    /// How many different `fields=` lists are kept compiled per resource.
    pub projections: usize,
    /// Rows of a stream at most.
    pub stream_rows: u64,
    /// How many levels `expand=` may go.
    pub expand_depth: usize,
    /// How many related tables it may name.
    pub expand_relations: usize,
    /// Rows of an expanded array at most.
    pub expand_rows: usize,
    /// How long an item is served from memory where commits of others are not captured; `None` until it
    /// changes, where no other program writes.
    pub rowstore_max_age: Option<Duration>,
    /// How late commits of others may be known before items are read from the database.
    pub rowstore_max_lag: Duration,
    /// How old an item from memory may be that is served while the database is down; `None`: none is.
    pub serve_stale: Option<Duration>,
    /// Limits of queries whose changes are followed.
    pub live: LiveLimits,
}

/// Limits of queries whose changes are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveLimits {
    /// Documents that a query may select.
    pub documents: u64,
    /// Queries of a resource under one identity that every change is compared with.
    pub unindexed: usize,
    /// Bytes of the last events of a query that are kept.
    pub log_bytes: usize,
    /// The same of all queries of the application together.
    pub memory: u64,
    /// How long a query without subscribers is followed.
    pub retention: Duration,
}

impl Default for LiveLimits {
    fn default() -> Self {
        Self {
            documents: 10_000,
            unindexed: 100,
            log_bytes: 64 << 10,
            memory: 64 << 20,
            retention: Duration::from_secs(60),
        }
    }
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            page_size: 25,
            exact_total: 10_000,
            max_page_size: 10_000,
            filter: duet_filter::Limits::default(),
            projections: 64,
            stream_rows: u64::MAX,
            expand_depth: 3,
            expand_relations: 8,
            expand_rows: 1_000,
            rowstore_max_age: Some(Duration::from_secs(1)),
            rowstore_max_lag: Duration::from_secs(1),
            serve_stale: None,
            live: LiveLimits::default(),
        }
    }
}

/// Limits and rules of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLimits {
    /// Objects and arrays inside each other in a body.
    pub depth: usize,
    /// Values of every kind in a body.
    pub nodes: usize,
    /// Documents that one request may change by a filter.
    pub documents: usize,
    /// Operations in one transaction.
    pub operations: usize,
    /// Bytes of one row of a bulk load.
    pub row_bytes: usize,
    /// Bytes of a bulk load that are kept in memory while its rest arrives.
    pub load_memory: usize,
    /// Whether a change without an etag is refused (428).
    pub require_etag: bool,
    /// Whether errors are answered as ORDS does: 400 for 409, 200 for a bulk load that was stopped,
    /// and `message` for `detail`.
    pub ords_statuses: bool,
    /// Idempotency keys.
    pub keys: KeyLimits,
}

impl Default for WriteLimits {
    fn default() -> Self {
        Self {
            depth: 64,
            nodes: 200_000,
            documents: 1_000,
            operations: 1_000,
            row_bytes: 16 << 20,
            load_memory: 8 << 20,
            require_etag: false,
            ords_statuses: false,
            keys: KeyLimits::default(),
        }
    }
}

/// The limits of idempotency keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimits {
    /// How long a key is remembered.
    pub ttl: Duration,
    /// The longest key, in bytes.
    pub key_bytes: usize,
    /// The largest answer that is stored, in bytes.
    pub answer_bytes: usize,
}

impl Default for KeyLimits {
    fn default() -> Self {
        Self { ttl: Duration::from_secs(24 * 3600), key_bytes: 255, answer_bytes: 1 << 20 }
    }
}

impl WriteLimits {
    /// The bounds of a body with documents at this depth.
    pub fn bounds(&self, around: usize) -> JsonLimits {
        JsonLimits { depth: self.depth + around, nodes: self.nodes }
    }
}

/// The error of a reload that found these mistakes.
pub fn mistaken(mistakes: Vec<Error>) -> Error {
    let message = "The application's files hold mistakes, so nothing of them was taken over. Correct each of `errors`; `duet check` explains them.";
    Error::new(Code::Application, message).because_of(mistakes)
}

impl Application {
    /// The profile by which it answers: that of the setting, except where the declared one gives way to none.
    pub fn profile(&self) -> ProfileRef {
        let declared = self.mounts.profile();
        self.answers_as.filter(|_| declared.is_a_setting()).unwrap_or(declared)
    }

    /// The application without what is served: what remains where each tenant has a database of its own, and
    /// none is named.
    #[must_use]
    pub fn without_resources(&self) -> Self {
        let Mounts::Declared(mount) = &self.mounts else { return self.clone() };
        let empty = Mount {
            path: mount.path.clone(),
            further: mount.further.clone(),
            profile: mount.profile,
            tenants: mount.tenants,
            login: mount.login.clone(),
            // No schema of the database has this name, and no file.
            schema: Some(String::new()),
            places: mount.places.clone(),
            ..Mount::default()
        };
        Self { mounts: Mounts::Declared(Box::new(empty)), ..self.clone() }
    }

    /// Whether a mount is declared in just this way.
    pub(crate) fn declares(&self, mount: &Mount) -> bool {
        matches!(&self.mounts, Mounts::Declared(own) if **own == *mount)
    }
}

/// The positions of the keys and values of an application's file, for messages.
#[derive(Clone, Default)]
pub struct Places {
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Keys by their path, such as `resources`, `album`, `columns`, `Title`; in bytes.
    pub keys: BTreeMap<Vec<String>, Range<usize>>,
    /// Values by their path; elements of an array by their number from 0.
    pub values: BTreeMap<Vec<String>, Range<usize>>,
}

impl fmt::Debug for Places {
    /// The text may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places").field("file", &self.file).finish_non_exhaustive()
    }
}

impl PartialEq for Places {
    /// Positions do not affect the served resources.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_decides_unless_it_answers_as_rmb() {
        let named = |name| ProfileRef::named(name).unwrap();
        let (native, ords, rmb) = (named("native"), named("ords"), named("rmb"));
        for (set, declared, expected) in [
            (None, native, native),
            (None, ords, ords),
            (Some(ords), native, ords),
            (Some(native), ords, native),
            (Some(ords), rmb, rmb),
        ] {
            let mount = Mount { profile: declared, ..Mount::default() };
            let mounts = Mounts::Declared(Box::new(mount));
            let application = Application { mounts, answers_as: set, ..Application::default() };
            assert_eq!(application.profile(), expected, "{set:?} {declared:?}");
        }
        let ad_hoc = Application { answers_as: Some(ords), ..Application::default() };
        assert_eq!(ad_hoc.profile(), ords);
    }
}
