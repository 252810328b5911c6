//! The one table of settings. Flags, environment variables, keys of `app.toml`, `--help` and the
//! reference page all follow from it.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use duet_auth::jwt::{Algorithm, Pointer};
use duet_auth::{DbRole, Open};
use duet_db::sqlite::Synchronous;
use duet_http::ProxyHeaders;
use duet_model::Result;

use super::Sources;
use super::origin::{Origin, Sourced};
use super::value::{AccessLog, BodyDepth, ByteSize, KeysUrl, Listen, Memory, PerAddress, Value};

/// What a setting is about; the order of the help and of the reference page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Where and how it listens.
    Serving,
    /// The database.
    Database,
    /// The access rules.
    Security,
    /// Pages of other sites.
    Browsers,
    /// Another issuer of tokens.
    Issuer,
    /// What is written about requests.
    Logging,
    /// Limits on pages and filters.
    Reading,
    /// Limits and rules of writes.
    Writing,
    /// Limits on requests and connections.
    Requests,
}

impl Group {
    /// All of them, in order.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 9] = [
        Self::Serving,
        Self::Database,
        Self::Security,
        Self::Browsers,
        Self::Issuer,
        Self::Logging,
        Self::Reading,
        Self::Writing,
        Self::Requests,
    ];

    /// The heading in the help and on the reference page.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Serving => "Serving",
            Self::Database => "Database",
            Self::Security => "Security",
            Self::Browsers => "Pages of other sites (CORS)",
            Self::Issuer => "Tokens of another issuer",
            Self::Logging => "Logging",
            Self::Reading => "Limits of reads",
            Self::Writing => "Writes",
            Self::Requests => "Limits of requests",
        }
    }

    /// The table of `app.toml` it stands in.
    pub(crate) fn section(self) -> &'static str {
        match self {
            Self::Serving
            | Self::Database
            | Self::Security
            | Self::Browsers
            | Self::Issuer
            | Self::Logging => "settings",
            Self::Reading | Self::Writing | Self::Requests => "limits",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// The name, as in `app.toml`.
    pub(crate) name: &'static str,
    /// What it is about.
    pub(crate) group: Group,
    /// The name of its type.
    pub(crate) kind: &'static str,
    /// What stands for the value in the help.
    pub(crate) placeholder: &'static str,
    /// The words it may have, if only some.
    pub(crate) words: &'static [&'static str],
    /// Whether it may be given several times.
    pub(crate) several: bool,
    /// The default, as text.
    pub(crate) default: &'static str,
    /// What it does, in one line and perhaps more after it.
    pub(crate) doc: &'static str,
    /// Reads it from texts, to see whether they are right.
    pub(crate) check: fn(&[String]) -> Result<(), String>,
}

impl Setting {
    /// Its flag without the dashes: `db-connections`.
    pub(crate) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Its environment variable: `DUET_DB_CONNECTIONS`.
    pub(crate) fn variable(&self) -> String {
        format!("DUET_{}", self.name.to_uppercase())
    }

    /// Its variables, the first that is set counts: Duet's own, then the one of a server that Duet replaces.
    pub(crate) fn variables(&self) -> impl Iterator<Item = String> + use<> {
        let replaced = (self.name == "workers").then(|| "REST_WORKERS".to_owned());
        std::iter::once(self.variable()).chain(replaced)
    }

    /// Its place in `app.toml`: `settings.db_connections`.
    #[cfg(test)]
    pub(crate) fn key(&self) -> String {
        format!("{}.{}", self.group.section(), self.name)
    }

    /// Whether it is a switch, given as a flag without a value.
    pub(crate) fn is_switch(&self) -> bool {
        self.kind == <bool as Value>::TYPE
    }

    /// Whether it is a path, which a file gives relative to its own folder.
    pub(crate) fn is_path(&self) -> bool {
        self.kind == <Option<PathBuf> as Value>::TYPE
    }
}

macro_rules! settings {
    ($( $group:ident: $( $(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:literal; )+ )+) => {
        /// All settings, each with where it comes from.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct Settings {
            $($( $(#[doc = $doc])+ pub(crate) $name: Sourced<$type>, )+)+
        }

        /// The table itself.
        pub(crate) const TABLE: &[Setting] = &[$($(
            Setting {
                name: stringify!($name),
                group: Group::$group,
                kind: <$type as Value>::TYPE,
                placeholder: <$type as Value>::PLACEHOLDER,
                words: <$type as Value>::WORDS,
                several: <$type as Value>::SEVERAL,
                default: $default,
                doc: concat!($($doc, "\n"),+),
                check: |texts| <$type as Value>::read_all(texts).map(drop),
            },
        )+)+];

        impl Settings {
            /// Takes every setting from where it was given.
            ///
            /// # Errors
            /// `Setting` for the first value that cannot be read.
            pub(super) fn from_sources(sources: &Sources<'_>) -> Result<Self> {
                Ok(Self { $($( $name: sources.take(stringify!($name))?, )+)+ })
            }

            /// The settings whose value differs, with where the new one comes from.
            fn differing<'a>(&'a self, other: &Self) -> Vec<(&'static str, &'a Origin)> {
                let mut names = Vec::new();
                $($( if self.$name.value != other.$name.value {
                    names.push((stringify!($name), &self.$name.origin));
                } )+)+
                names
            }
        }
    };
}

/// Settings that a reload brings into force; the others count from the next start.
const RELOADED: [&str; 21] = [
    "page_size",
    "max_page_size",
    "filter_bytes",
    "filter_depth",
    "filter_nodes",
    "filter_list",
    "filter_regex",
    "projections",
    "expand_depth",
    "expand_relations",
    "expand_rows",
    "rowstore_max_age",
    "stream_rows",
    "load_row_bytes",
    "load_memory",
    "body_depth",
    "body_nodes",
    "max_changed",
    "max_operations",
    "require_etag",
    "ords_statuses",
];

impl Settings {
    /// The settings that differ from those of the start and that only a start brings into force,
    /// with where the new value comes from.
    pub(crate) fn changed_since(
        &self,
        start: &Self,
    ) -> impl Iterator<Item = (&'static str, &Origin)> {
        self.differing(start).into_iter().filter(|(name, _)| !RELOADED.contains(name))
    }
}

settings! {
    Serving:
    /// Where to listen; may be given several times. A port alone is of this machine, `127.0.0.1`;
    /// `:8080` takes all its addresses; port 0 is any free one.
    listen: Vec<Listen> = "127.0.0.1:8080";
    /// The certificate of the TCP addresses, in PEM with those between it and the authority: they
    /// then speak https alone. Read again when it or the key changes, or at SIGHUP.
    tls_cert: Option<PathBuf> = "";
    /// The private key of the certificate, in PEM, not encrypted.
    tls_key: Option<PathBuf> = "";
    /// Threads that serve requests, each with its own event loop. More pay only on machines
    /// whose processors the database leaves idle. `REST_WORKERS` is read where `DUET_WORKERS` is not set.
    workers: NonZeroUsize = "1";
    /// Proxies whose headers name the client's address and the scheme and host of links.
    trusted_proxies: Vec<IpAddr> = "";
    /// The headers that trusted proxies set: `X-Forwarded-For`, `-Proto`, `-Host` and `-Port`, or
    /// `Forwarded` (RFC 7239). The others are ignored, because clients may have sent them.
    proxy_headers: ProxyHeaders = "x-forwarded";
    /// Written once requests are answered: a JSON file with URLs, mounts and the client that was
    /// made for the run. Only its owner can read it.
    ready_file: Option<PathBuf> = "";
    /// Serve `{mount}/_/constant/{bytes}`, an answer without a database, for measurements.
    trial_endpoints: bool = "false";

    Database:
    /// Connections to the database at most, all workers together; each is made when it is first
    /// needed.
    db_connections: NonZeroUsize = "20";
    /// Switch a SQLite file to write-ahead logging, so that readers and writers do not wait for
    /// each other. Without it a file keeps its journal mode.
    wal: bool = "false";
    /// How often to look whether the schema has changed. SIGHUP and the admin route look at once.
    schema_poll: Duration = "1s";

    Security:
    /// The file with clients and keys, mode 0600. Without it, clients in the schema `duet` of the
    /// database are used, and where there are none, one is made for the run.
    state: Option<PathBuf> = "";
    /// What everybody may do without a token, for trials: nothing, read, or all but administer.
    open: Open = "no";
    /// The database role under which requests without a token run; without it, they run as Duet's own
    /// user.
    anonymous_db_role: Option<DbRole> = "";
    /// How long an access token is good, 30 days at most.
    token_lifetime: Duration = "1h";
    /// Wrong tokens that one peer may send at once before it gets 429.
    bad_token_burst: u32 = "50";
    /// Wrong tokens per minute that one peer may go on sending.
    bad_token_rate: u32 = "60";
    /// Failed requests for a token that one peer may send at once, or that may be sent at once for
    /// one client id, before further ones get 429. The right secret always passes.
    token_burst: u32 = "100";
    /// Failed requests for a token per minute that may go on, per peer and per client id.
    token_rate: u32 = "120";

    Browsers:
    /// Origins whose pages may read answers in a browser, such as `https://shop.example`, or `*`
    /// for all. Without them, CORS is off.
    cors_origins: Vec<String> = "";
    /// Methods that such pages may use.
    cors_methods: Vec<String> = "GET,HEAD,QUERY,POST,PUT,PATCH,DELETE";
    /// Headers that their requests may have.
    cors_headers: Vec<String> = "Accept,Authorization,Content-Type,If-Match,If-None-Match,Prefer";
    /// Headers of an answer that they may read.
    cors_exposed: Vec<String> = "ETag,Location,Content-Location,Retry-After";
    /// How long a browser may remember the answer to its question beforehand.
    cors_max_age: Duration = "10m";
    /// Let browsers send cookies and client certificates along; not with `*`.
    cors_credentials: bool = "false";

    Issuer:
    /// What `iss` says in the tokens of another issuer, exactly. With it, signed JWTs are
    /// taken beside Duet's own tokens.
    jwt_issuer: Option<String> = "";
    /// Audiences: one of these must be in the tokens' `aud`.
    jwt_audience: Vec<String> = "";
    /// Where the issuer's keys are, a JWK Set: `https`, or `http` on this machine.
    jwt_keys_url: Option<KeysUrl> = "";
    /// A file with the issuer's keys, a JWK Set, instead of an address. Read again when it changes.
    jwt_keys_file: Option<PathBuf> = "";
    /// A file with the secret for HS256, 32 bytes or more, mode 0600. Read again when it changes.
    jwt_secret_file: Option<PathBuf> = "";
    /// The algorithms that are taken. HS256 needs a secret file.
    jwt_algorithms: Vec<Algorithm> = "RS256,ES256,EdDSA";
    /// Where in the claims the roles are, such as `/roles` or `/realm_access/roles`. Without it, the
    /// words of `scope` or `scp` are the roles.
    jwt_roles: Option<Pointer> = "";
    /// Where in the claims the name of a database role is, such as `/db_role`. With it, everything of a
    /// token runs under that role, and a token without one of `jwt_db_roles` is refused.
    jwt_db_role: Option<Pointer> = "";
    /// The database roles that tokens may name.
    jwt_db_roles: Vec<DbRole> = "";
    /// How far the issuer's clock may be off, 60 seconds at most.
    jwt_skew: Duration = "60s";
    /// The age since `iat` at which a token ends, whatever its `exp` says.
    jwt_max_age: Option<Duration> = "off";
    /// How often the keys are fetched again; a token with an unknown key asks for them too.
    jwt_refresh: Duration = "10m";
    /// Length of a token of another issuer.
    jwt_bytes: ByteSize = "8KiB";

    Logging:
    /// A line per request on standard output, for people or as JSON.
    access_log: AccessLog = "off";
    /// Requests that take longer are logged with the statement that took longest.
    slow_log: Option<Duration> = "1s";
    /// Answer with a `Server-Timing` header that shows the time of each step.
    server_timing: bool = "false";

    Reading:
    /// Items in a page where the request gives no `limit`.
    page_size: NonZeroUsize = "25";
    /// Items in a page at most; a larger `limit` is lowered to it, and the page says so.
    max_page_size: NonZeroUsize = "10000";
    /// Length of a filter.
    filter_bytes: ByteSize = "1MiB";
    /// Objects and arrays inside each other in a filter, 128 at most.
    filter_depth: NonZeroUsize = "32";
    /// Conditions, operators and order terms in a filter.
    filter_nodes: NonZeroUsize = "1000";
    /// Values in one `$in` or `$nin`.
    filter_list: NonZeroUsize = "10000";
    /// Characters of all `$regex` patterns in a filter, repetitions written out; 1000 at most.
    filter_regex: NonZeroUsize = "256";
    /// Different `fields=` lists that are kept ready per resource.
    projections: NonZeroUsize = "64";
    /// How long an item of a resource with `rowstore` is served from memory, so that what other programs
    /// and applications write is seen. Writes through the application are seen at once. `off` where no
    /// one else writes to the database: an item is then served until it changes.
    rowstore_max_age: Option<Duration> = "1s";
    /// Bytes of rows that one answer may hold.
    answer_bytes: ByteSize = "64MiB";
    /// Streams of NDJSON or CSV at once, all workers together; each has a database connection of
    /// its own, besides `db_connections`.
    streams: NonZeroUsize = "4";
    /// How long a stream may take, the time that its client takes included.
    stream_timeout: Duration = "1h";
    /// Rows of a stream at most; one that would have more is broken off. `off` allows any number.
    stream_rows: Option<NonZeroUsize> = "off";
    /// Levels that `expand` may go.
    expand_depth: NonZeroUsize = "3";
    /// Related tables that `expand` may name.
    expand_relations: NonZeroUsize = "8";
    /// Rows of an expanded array at most; a longer one is refused.
    expand_rows: NonZeroUsize = "1000";
    /// Documents that one statement may read by key.
    batch: NonZeroUsize = "256";

    Writing:
    /// Refuse changes and removals that give no etag, in `If-Match` or `_metadata.etag`, with 428.
    require_etag: bool = "false";
    /// Answer errors as ORDS does: 400 instead of 409, 200 for a bulk load that was stopped, and the
    /// text of an error as `message` instead of `detail`.
    ords_statuses: bool = "false";
    /// Objects and arrays inside each other in a body, 128 at most.
    body_depth: BodyDepth = "64";
    /// Values in a body: objects, arrays, strings, numbers and words together.
    body_nodes: NonZeroUsize = "200000";
    /// Documents that one request may change by a filter.
    max_changed: NonZeroUsize = "1000";
    /// Operations in one transaction, and documents in an array that is posted.
    max_operations: NonZeroUsize = "1000";
    /// How long a write waits for rows, or a file, that another client has locked before it gets 503.
    /// On PostgreSQL it is the limit for all attempts and all locks of a write together: one that waits
    /// longer than 50ms for a lock gives its connection back and tries again on one of those for writes
    /// that wait, where each further lock is waited for only for what is left. A single new row that
    /// meets several locks waits for each of them.
    lock_timeout: Duration = "5s";
    /// When SQLite waits for the disk: `full` before every answer, `extra` for the folder too, which
    /// makes a difference without write-ahead logging only; `normal` and `off` less. What each may
    /// lose with the power stands in `docs/writing.md`.
    sqlite_synchronous: Synchronous = "extra";
    /// Length of SQLite's write-ahead log above which writes wait a moment for readers, so that it can
    /// begin again. From a quarter of it on it is copied into the file while writes go on, and begins
    /// again where no read needs it. A long read, also one of another program, lets it grow.
    sqlite_wal_bytes: ByteSize = "16MiB";
    /// Free space on the disk of a SQLite file with less of which `/health/ready` answers 503.
    sqlite_disk_reserve: ByteSize = "64MiB";

    Requests:
    /// How long a statement may run before it is stopped and the request gets 504.
    statement_timeout: Duration = "30s";
    /// How long a request may wait for a database connection before it gets 503.
    queue_timeout: Duration = "5s";
    /// Requests that may wait for the database, per worker; more get 503.
    queue_length: NonZeroUsize = "20000";
    /// Open client connections, all workers together. When there are as many, a new one closes the
    /// longest-idle connection of the address that has the most; where none is idle, it gets 503.
    /// They hold 12 KiB of `memory` each (with TLS 28 KiB) and at most half of it, so where `memory`
    /// is small, fewer may be open.
    max_connections: NonZeroUsize = "10000";
    /// Open connections of one IPv4 address or /64 network of IPv6; further ones get 503. `half` is
    /// half of `max_connections`. Loopback addresses, `trusted_proxies` and Unix sockets have no such
    /// limit, and their connections are not closed for others.
    max_connections_per_address: PerAddress = "half";
    /// Length of the request line's target.
    uri_bytes: ByteSize = "128KiB";
    /// Length of a request's first line and headers together.
    header_bytes: ByteSize = "192KiB";
    /// Bytes of requests and responses that are held at a time: bodies being read, rows being
    /// fetched, answers that clients have not taken yet, kept descriptions. Further requests get 503.
    /// `auto` is a quarter of the memory that the process may use (the limit of its control group,
    /// else the machine's), 64 MiB at least, and 512 MiB where neither can be read.
    memory: Memory = "auto";
    /// Threads that read request bodies above 64 KiB and write descriptions beside the event loops;
    /// further ones queue.
    parse_threads: NonZeroUsize = "2";
    /// Length of a request body.
    body_bytes: ByteSize = "16MiB";
    /// Length of the body of a bulk load.
    load_bytes: ByteSize = "1024GiB";
    /// How long a bulk load may take, with its body.
    load_timeout: Duration = "1h";
    /// Length of one row of a bulk load.
    load_row_bytes: ByteSize = "16MiB";
    /// Bytes of a load in one transaction into SQLite that are kept in memory until its body has
    /// arrived; what is beyond goes to a temporary file in `TMPDIR`.
    load_memory: ByteSize = "8MiB";
    /// Bulk loads at once; more get 503. On PostgreSQL each has a database connection of its own,
    /// besides `db_connections`.
    loads: NonZeroUsize = "2";
    /// How long a client may take to send its headers, how long a connection may be idle, and how
    /// long nothing may come of the body of a bulk load.
    header_timeout: Duration = "30s";
    /// How long a stop still takes connections, while `/health/ready` is 503 and every response
    /// closes its connection: as long as a load balancer takes to notice.
    drain_delay: Duration = "0s";
    /// How long a stop waits for requests under way.
    drain_timeout: Duration = "30s";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_right_and_every_name_is_there_once() {
        let mut names: Vec<_> = TABLE.iter().map(|setting| setting.name).collect();
        for setting in TABLE {
            let texts = [setting.default.to_owned()];
            assert_eq!((setting.check)(&texts), Ok(()), "{}", setting.name);
            assert!(setting.doc.trim_end().ends_with('.'), "{}", setting.name);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }

    #[test]
    fn settings_that_a_reload_takes_are_settings() {
        for name in RELOADED {
            assert!(TABLE.iter().any(|setting| setting.name == name), "{name}");
        }
    }

    #[test]
    fn names_follow_from_one() {
        let setting = TABLE.iter().find(|setting| setting.name == "db_connections").unwrap();
        assert_eq!(setting.flag(), "db-connections");
        assert_eq!(setting.variable(), "DUET_DB_CONNECTIONS");
        assert_eq!(setting.key(), "settings.db_connections");
    }
}
