//! The table of settings. Flags, environment variables, keys of `app.toml`, `--help` and the
//! reference page are generated from it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use duet_auth::jwt::{Algorithm, Pointer};
use duet_auth::{DbRole, Open};
use duet_http::{IpNet, ProxyHeaders};
use duet_instances::Range;
use duet_model::ProfileRef;
use duet_store::Capture;
use duet_store::files::Synchronous;

use super::origin::{Origin, Sourced};
use super::setting::{Group, Setting};
use super::sources::Sources;
use super::value::{
    AccessLog, Agents, ApiKeyHeader, BodyDepth, ByteSize, Console, KeysUrl, Listen, Memory,
    PerAddress, ReadDatabases, ReadPosition, SchemaPoll, Value,
};
use crate::configuration_error::Result;

macro_rules! settings {
    ($( $group:ident: $( $(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:literal; )+ )+) => {
        /// All settings, each with its source.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct Settings {
            $($( $(#[doc = $doc])+ pub(crate) $name: Sourced<$type>, )+)+
        }

        const NAMES: &[&str] = &[$($( stringify!($name), )+)+];

        /// The table itself.
        pub(crate) const TABLE: &[Setting; NAMES.len()] = &[$($(
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
            /// Resolves every setting.
            ///
            /// # Errors
            /// `Setting` for the first invalid value.
            pub(super) fn from_sources(sources: &Sources<'_>) -> Result<Self> {
                let [$($( $name, )+)+] = TABLE;
                Ok(Self { $($( $name: sources.take($name)?, )+)+ })
            }

            /// The settings whose value differs, with the source of the new one.
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

/// Settings that a reload applies; the others take effect at the next start.
const RELOADED: [&str; 36] = [
    "page_size",
    "exact_total",
    "max_page_size",
    "filter_bytes",
    "filter_depth",
    "filter_nodes",
    "filter_order",
    "filter_list",
    "filter_path",
    "filter_pattern",
    "filter_regex",
    "projections",
    "expand_depth",
    "expand_relations",
    "expand_rows",
    "rowstore_max_age",
    "rowstore_max_lag",
    "serve_stale",
    "live_documents",
    "live_unindexed",
    "live_log_bytes",
    "live_memory",
    "live_retention",
    "stream_rows",
    "load_row_bytes",
    "load_memory",
    "body_depth",
    "body_nodes",
    "max_changed",
    "max_operations",
    "require_etag",
    "ords_statuses",
    "compat",
    "idempotency_ttl",
    "idempotency_key_bytes",
    "idempotency_answer_bytes",
];

#[cfg(test)]
impl Setting {
    /// Whether a reload applies it.
    pub(crate) fn is_reloaded(&self) -> bool {
        RELOADED.contains(&self.name)
    }
}

impl Settings {
    /// The settings that differ from those of the start and take effect only at a start, with the
    /// source of the new value.
    pub(crate) fn changed_since(
        &self,
        start: &Self,
    ) -> impl Iterator<Item = (&'static str, &Origin)> {
        self.differing(start).into_iter().filter(|(name, _)| !RELOADED.contains(name))
    }
}

settings! {
    Serving:
    /// The addresses to listen on; may be given several times. A port alone means `127.0.0.1`,
    /// `:8080` all addresses, port 0 any free port. Sockets of systemd replace the default.
    listen: Vec<Listen> = "127.0.0.1:8080";
    /// The certificate chain of the TCP addresses, in PEM: they then accept https alone. Read again
    /// when it or the key changes, or at SIGHUP.
    tls_cert: Option<PathBuf> = "";
    /// The private key of the certificate, in PEM, unencrypted.
    tls_key: Option<PathBuf> = "";
    /// Threads that serve requests, each with its own event loop. More help only where the database
    /// leaves processors idle. At most as many start as PostgreSQL has connections for, with a
    /// warning. `REST_WORKERS` is read if `DUET_WORKERS` is not set.
    workers: NonZeroUsize = "1";
    /// Serve from several processes, which a supervisor starts, watches and replaces: a number, or
    /// a range such as `2..8`: one is added while requests wait for the database. Without it, one
    /// process serves. See `docs/operations.md`.
    instances: Option<Range> = "";
    /// An instance without a sign of life for so long is ended and started again.
    instance_timeout: Duration = "10s";
    /// An instance that answers no requests so long after its start is ended and started again.
    instance_start_timeout: Duration = "2m";
    /// With a range of instances, one above the least is ended when no request has waited for so
    /// long.
    instance_idle: Duration = "1m";
    /// How many servers answer for the same clients, behind a balancer: limits against guessing and
    /// those of tenants are divided by it, so that they hold for all together. `docs/scaling.md`
    /// lists them.
    servers: NonZeroUsize = "1";
    /// Proxies whose headers name the client's address and the scheme and host of links: addresses,
    /// or whole networks such as `10.1.0.0/16`.
    trusted_proxies: Vec<IpNet> = "";
    /// Networks that are not public and that webhooks may be sent to, such as `10.1.0.0/16`.
    /// Loopback, private, link-local and metadata addresses are otherwise refused, also behind a
    /// name.
    webhook_networks: Vec<IpNet> = "";
    /// Whether webhooks may have `http` addresses, by which anyone in between reads and changes events.
    webhook_http: bool = "false";
    /// The headers that trusted proxies set: `X-Forwarded-For`, `-Proto`, `-Host` and `-Port`, or
    /// `Forwarded` (RFC 7239). The others are ignored: clients may have sent them.
    proxy_headers: ProxyHeaders = "x-forwarded";
    /// A JSON file with URLs, mounts and the client that was created for the run, written once
    /// requests are answered. Only its owner can read it.
    ready_file: Option<PathBuf> = "";
    /// Where the console is: `on` (`/console`), another path, or `off`. By default it is on where
    /// only this machine can connect, and answers to its own names alone.
    console: Console = "auto";
    /// The console changes nothing, whatever rights its clients have: it only reads, in read-only
    /// sessions of the database, and its load tests only read.
    console_read_only: bool = "false";
    /// Clients with `duet.admin` store files of the application from the console, and try the SQL of services before it is
    /// served: any SQL that the server's role may run.
    console_files: bool = "false";
    /// The console's id at the issuer of `jwt_issuer`, where people sign in by OpenID Connect with
    /// PKCE. Register this server's `/console/sign-in/return` there.
    console_login_client: Option<String> = "";
    /// The issuer's authorization endpoint.
    console_login_url: Option<KeysUrl> = "";
    /// The issuer's token endpoint.
    console_login_token_url: Option<KeysUrl> = "";
    /// A file with the console's secret at the issuer, mode 0600, where that wants one.
    console_login_secret_file: Option<PathBuf> = "";
    /// What the sign-in asks the issuer for.
    console_login_scope: Option<String> = "openid";
    /// What agents may do at `/mcp`, by the Model Context Protocol: nothing, `read` in read-only sessions of the database,
    /// or `write` what their client may, after a dry run of each change.
    mcp: Agents = "off";
    /// The most tokens, of four bytes, of an answer to an agent: the rest is left out, and the
    /// answer says so.
    mcp_tokens: NonZeroUsize = "8000";
    /// The folder of the results of load tests from the console (clients with `duet.admin`), made
    /// for the first one. An empty text switches them off.
    load_tests: Option<PathBuf> = "duet-bench";
    /// The most users of such a test.
    load_test_users: NonZeroUsize = "64";
    /// The longest measured time of such a test.
    load_test_duration: Duration = "5m";
    /// Services that such a test may load besides this server: addresses up to the mount, such as
    /// `https://staging.example`. The client's token is sent there.
    load_test_targets: Vec<String> = "";
    /// Serve `{mount}/_/constant/{bytes}`, a response without a database, for measurements.
    trial_endpoints: bool = "false";

    Database:
    /// The most connections to the database, over all workers; each is opened when first needed.
    /// The default is raised to one for each worker of each process. On PostgreSQL a worker may
    /// open two, also where this is less.
    db_connections: NonZeroUsize = "20";
    /// PostgreSQL: streaming standbys that answer reads; connection strings separated by commas.
    /// Each has as many connections as the database. Writes, and what they read, go to the
    /// database.
    read_database: ReadDatabases = "";
    /// Whose writes a read at a standby has seen: `auto` all that its client made through this
    /// process, and those of the position that it sends in `Duet-Position`; `header` only the
    /// latter.
    read_position: ReadPosition = "auto";
    /// How long a read waits for a standby with its client's writes, before it goes to the primary.
    position_wait: Duration = "50ms";
    /// Clients whose last write is remembered for `read_position`. Beyond them, all reads wait for
    /// the writes that were forgotten.
    position_clients: NonZeroUsize = "10000";
    /// The interval at which each server is asked for its position in the log.
    position_beat: Duration = "50ms";
    /// How old what a standby shows may be. One that lags more gets no reads until it has caught
    /// up.
    max_lag: Duration = "10s";
    /// Switch a SQLite file to write-ahead logging, so that readers and writers do not wait for
    /// each other. Without it a file keeps its journal mode.
    wal: bool = "false";
    /// The interval of checks for changes of the schema, and of clients in a database. `auto`:
    /// every 5 s where PostgreSQL tells of changes made through Duet, else every second. SIGHUP and
    /// the admin route check at once.
    schema_poll: SchemaPoll = "auto";

    Security:
    /// The file with clients and keys, mode 0600. Without it, clients in the schema `duet` of the
    /// database are used; if there are none, one is created for the run.
    state: Option<PathBuf> = "";
    /// The id of the client that is created for a run if no other exists; by default random.
    run_client_id: Option<String> = "";
    /// A file with that client's secret, of at least 16 characters; by default random.
    run_client_secret_file: Option<PathBuf> = "";
    /// The rights of everybody without a token, for trials: none, reading, or all but
    /// administration.
    open: Open = "no";
    /// The database role of requests without a token; by default they run as Duet's own user.
    anonymous_db_role: Option<DbRole> = "";
    /// The lifetime of an access token, at most 30 days.
    token_lifetime: Duration = "1h";
    /// The header in which requests without `Authorization` send API keys, which are also taken as
    /// bearer tokens; an empty text takes them as those alone.
    api_key_header: ApiKeyHeader = "X-API-Key";
    /// Wrong tokens that a peer may send in a burst before it gets 429.
    bad_token_burst: u32 = "50";
    /// Wrong tokens per minute that a peer may send continuously.
    bad_token_rate: u32 = "60";
    /// Failed requests for a token in a burst, per peer and per client id, before further ones get
    /// 429. The right secret always passes.
    token_burst: u32 = "100";
    /// Failed requests for a token per minute, continuously, per peer and per client id.
    token_rate: u32 = "120";

    Browsers:
    /// Origins whose pages may read responses in a browser, such as `https://shop.example`, or `*`
    /// for all. Without them, CORS is off.
    cors_origins: Vec<String> = "";
    /// Methods that such pages may use.
    cors_methods: Vec<String> = "GET,HEAD,QUERY,POST,PUT,PATCH,DELETE";
    /// Headers that their requests may have: those that Duet reads, and those that clients of PostgREST
    /// and FOLIO send always.
    cors_headers: Vec<String> =
        "Accept,Accept-Profile,apikey,Authorization,Content-Profile,Content-Type,Duet-Position,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,Prefer,Priority,Range,Range-Unit,Request-Timeout,X-API-Key,X-Client-Info,X-Okapi-Tenant,X-Okapi-Token";
    /// Response headers that they may read.
    cors_exposed: Vec<String> = "ETag,Location,Age,Content-Location,Content-Range,Retry-After,Idempotent-Replayed,Link,Preference-Applied,Warning,X-Cache,X-Total-Count,Duet-Position";
    /// How long a browser may cache the response to a preflight request.
    cors_max_age: Duration = "10m";
    /// Allow browsers to send cookies and client certificates; not with `*`.
    cors_credentials: bool = "false";

    Issuer:
    /// The exact `iss` of an external issuer's tokens. With it, signed JWTs are accepted beside
    /// Duet's own tokens.
    jwt_issuer: Option<String> = "";
    /// Audiences: one of these must be in the tokens' `aud`.
    jwt_audience: Vec<String> = "";
    /// The address of the issuer's keys, a JWK Set: `https`, or `http` on this machine.
    jwt_keys_url: Option<KeysUrl> = "";
    /// A file with the issuer's keys, a JWK Set, instead of an address. Read again when it changes.
    jwt_keys_file: Option<PathBuf> = "";
    /// A file with the secret for HS256, 32 bytes or more, mode 0600. Read again when it changes.
    jwt_secret_file: Option<PathBuf> = "";
    /// The accepted algorithms. HS256 needs a secret file.
    jwt_algorithms: Vec<Algorithm> = "RS256,ES256,EdDSA";
    /// The location of the roles in the claims, such as `/realm_access/roles`. Without it, the
    /// words of `scope` or `scp` are the roles.
    jwt_roles: Option<Pointer> = "";
    /// The location of a database role in the claims, such as `/db_role`. All requests of a token
    /// then run under that role, and a token without one of `jwt_db_roles` is refused.
    jwt_db_role: Option<Pointer> = "";
    /// The database roles that tokens may name.
    jwt_db_roles: Vec<DbRole> = "";
    /// The location of the tenant in the claims, for applications with `tenants`. A token that
    /// names no tenant there reaches none.
    jwt_tenant: Option<Pointer> = "/tenant";
    /// The tolerated difference to the issuer's clock, at most 60 seconds.
    jwt_skew: Duration = "60s";
    /// The age since `iat` at which a token ends, whatever its `exp` says.
    jwt_max_age: Option<Duration> = "off";
    /// The interval of fetching the keys; a token with an unknown key triggers a fetch too.
    jwt_refresh: Duration = "10m";
    /// The longest token of an external issuer.
    jwt_bytes: ByteSize = "8KiB";

    Logging:
    /// A line per request on standard output, for people or as JSON.
    access_log: AccessLog = "off";
    /// Requests that take longer are logged with their slowest statement.
    slow_log: Option<Duration> = "1s";
    /// The last lines of the log that are kept in memory, for `/admin/log` and the console; `off`
    /// keeps none.
    log_lines: Option<NonZeroUsize> = "1000";
    /// Send a `Server-Timing` header with the time of each step.
    server_timing: bool = "false";

    Reading:
    /// Items in a page of a request without `limit`.
    page_size: NonZeroUsize = "25";
    /// Documents of a collection's list that are counted exactly; the total of more is estimated, unless the
    /// request says `totalRecords=exact`.
    exact_total: NonZeroUsize = "10000";
    /// The most items in a page; a larger `limit` is lowered to it, as the page says.
    max_page_size: NonZeroUsize = "10000";
    /// The longest filter.
    filter_bytes: ByteSize = "1MiB";
    /// The deepest nesting of a filter, at most 128.
    filter_depth: NonZeroUsize = "32";
    /// The most conditions, operators and order terms in a filter.
    filter_nodes: NonZeroUsize = "1000";
    /// The most terms in the order of a filter; at most 128.
    filter_order: NonZeroUsize = "32";
    /// The most values in one `$in` or `$nin`.
    filter_list: NonZeroUsize = "10000";
    /// The most names in one path inside JSON; at most 128.
    filter_path: NonZeroUsize = "32";
    /// The most characters in one pattern of `$like` and the other searches of text; at most 50000.
    filter_pattern: NonZeroUsize = "1000";
    /// The most characters of all `$regex` patterns in a filter, with repetitions expanded; at most
    /// 1000.
    filter_regex: NonZeroUsize = "256";
    /// Distinct `fields=` lists that are cached per resource.
    projections: NonZeroUsize = "64";
    /// How long an item of a resource with `rowstore` is served from memory where commits of other
    /// programs are not captured. Writes through the application are visible at once. Use `off` if
    /// nothing else writes to the database.
    rowstore_max_age: Option<Duration> = "1s";
    /// How commits of other programs to PostgreSQL are captured for items in memory: `stream` by
    /// logical decoding, `table` by a table that triggers fill, `auto` by the first of both that
    /// `duet rowstore prepare` has prepared, `off` not at all.
    rowstore_capture: Capture = "auto";
    /// How late captured commits may be known. Where it takes longer, items are read from the database.
    rowstore_max_lag: Duration = "1s";
    /// How old an item from memory may be that is served while the database cannot be reached, with
    /// `Age` and `Warning`. `serve_stale` of a resource takes precedence.
    serve_stale: Option<Duration> = "off";
    /// The most documents that the query of a subscription selects; one with more is refused, or
    /// ends.
    live_documents: NonZeroUsize = "10000";
    /// The most followed filters of a resource, for one role and claims, without a condition `=` on
    /// a column of the resource: every change is compared with these. Further ones get 503.
    live_unindexed: NonZeroUsize = "100";
    /// Bytes of the last events of each followed query, kept for subscribers that are slow or come
    /// back.
    live_log_bytes: ByteSize = "64KiB";
    /// The same of all followed queries of an application together.
    live_memory: ByteSize = "64MiB";
    /// How long a query is followed after its last subscriber has gone, so that one that comes back
    /// goes on where it was.
    live_retention: Duration = "1m";
    /// The most bytes of rows in one response; of items by `ids`, of their JSON.
    answer_bytes: ByteSize = "64MiB";
    /// Concurrent streams of NDJSON or CSV, over all workers; each has a database connection
    /// besides `db_connections`.
    streams: NonZeroUsize = "4";
    /// The timeout of a stream, including the time that its client takes.
    stream_timeout: Duration = "1h";
    /// The most rows of a stream; one with more is aborted. `off` allows any number.
    stream_rows: Option<NonZeroUsize> = "off";
    /// The most levels of `expand`.
    expand_depth: NonZeroUsize = "3";
    /// The most related tables in `expand`.
    expand_relations: NonZeroUsize = "8";
    /// The most rows of an expanded array; a longer one is rejected.
    expand_rows: NonZeroUsize = "1000";
    /// The most documents that one statement reads by key.
    batch: NonZeroUsize = "256";

    Writing:
    /// The system as which applications answer: `ords` (Oracle REST Data Services, see
    /// `docs/ords.md`), `postgrest` (see `docs/postgrest.md`) or `native`. Without it, `compat` of
    /// app.toml decides. Applications with `compat = "rmb"` keep that.
    compat: Option<ProfileRef> = "";
    /// Reject changes and removals without an etag, in `If-Match` or `_metadata.etag`, with 428.
    require_etag: bool = "false";
    /// Send errors like ORDS: 400 instead of 409, 200 for a bulk load that was stopped, and an
    /// error's text as `message` instead of `detail`.
    ords_statuses: bool = "false";
    /// The deepest nesting of a body.
    body_depth: BodyDepth = "64";
    /// The most values in a body: objects, arrays, strings, numbers and words together.
    body_nodes: NonZeroUsize = "200000";
    /// The most documents that one request changes by a filter.
    max_changed: NonZeroUsize = "1000";
    /// The most operations in a transaction, and documents in a posted array.
    max_operations: NonZeroUsize = "1000";
    /// How long the answer to a request with `Idempotency-Key` is kept and repeated. `duet service
    /// prepare` makes the table.
    idempotency_ttl: Duration = "24h";
    /// The longest `Idempotency-Key`, in bytes.
    idempotency_key_bytes: NonZeroUsize = "255";
    /// The largest answer that is kept with a key; a write with a larger one is undone.
    idempotency_answer_bytes: ByteSize = "1MiB";
    /// The folder of the journal, which acknowledges new rows before they are in the database if a
    /// request says `Prefer: respond-async`. `duet journal prepare` makes its tables. Default: the
    /// SQLite file with `.ingest` behind its name; for PostgreSQL beside the file of `state`,
    /// without one there is no journal. Several applications each have a folder in it.
    journal: Option<PathBuf> = "";
    /// The most bytes of rows in the journal that are not in the database yet; further rows get 503.
    journal_bytes: ByteSize = "256MiB";
    /// How often a row of the journal is tried alone that takes too long, or in which a trigger raises a
    /// serialization failure, each time while the database answers otherwise, before it becomes a dead
    /// letter; 0: for ever.
    journal_tries: u32 = "20";
    /// Events for one webhook that wait or are dead letters; with more it is disabled, as the log
    /// says.
    webhook_events: NonZeroUsize = "1000000";
    /// Events that each process sends to webhooks at once; of several webhooks one takes half at
    /// most.
    webhook_deliveries: NonZeroUsize = "16";
    /// The longest body of a webhook; a document that makes it longer is left out.
    webhook_body_bytes: ByteSize = "20kB";
    /// How long a webhook's endpoint may take to answer.
    webhook_timeout: Duration = "20s";
    /// How long delivered events are kept, to be sent again.
    webhook_retention: Duration = "7d";
    /// How long events of views with NOTIFY are kept; the newest one of each view stays.
    view_event_retention: Duration = "7d";
    /// How often events are looked for that other programs caused or that are to be sent again;
    /// those of this process are sent at once.
    webhook_poll: Duration = "5s";
    /// How long a write waits for rows, or a file, that another client has locked, before it gets
    /// 503. On PostgreSQL it limits all attempts and locks of a write together: one that waits
    /// longer than 50ms for a lock returns its connection and retries on one for waiting writes. A
    /// single new row that meets several locks waits for each of them.
    lock_timeout: Duration = "5s";
    /// When SQLite waits for the disk: `full` before every response, `extra` for the folder too,
    /// which matters only without write-ahead logging; `normal` and `off` less. `docs/writing.md`
    /// says what a power failure may lose.
    sqlite_synchronous: Synchronous = "extra";
    /// The size of SQLite's write-ahead log above which writes wait a moment for readers, so that
    /// the log can restart. A long read, also of another program, lets it grow.
    sqlite_wal_bytes: ByteSize = "16MiB";
    /// The free disk space of a SQLite file below which `/health/ready` is 503.
    sqlite_disk_reserve: ByteSize = "64MiB";

    Requests:
    /// Tenants of an application that are open at once; for another, the one unused for longest is
    /// closed. On PostgreSQL they share the connections of `db_connections`.
    open_tenants: NonZeroUsize = "1000";
    /// Requests of a tenant at once; further ones get 429. Tenants take turns at the database,
    /// however many clients they have.
    tenant_requests: NonZeroUsize = "1000";
    /// Requests of a tenant per second; further ones get 429. `off` allows any number.
    tenant_rate: Option<NonZeroUsize> = "off";
    /// The timeout of a statement, which is then cancelled, and the request gets 504. All statements of a page
    /// share it.
    statement_timeout: Duration = "30s";
    /// How long reading the schema may take. Beyond it, a start fails; a reload gets 504, and what
    /// was served before stays.
    schema_timeout: Duration = "2m";
    /// How long a request may wait for a database connection before it gets 503.
    queue_timeout: Duration = "5s";
    /// Requests that may queue for the database, per worker; further ones get 503.
    queue_length: NonZeroUsize = "20000";
    /// Interactive requests at the database at once, waiting or running, over all workers; further
    /// ones get 503.
    interactive_requests: NonZeroUsize = "20000";
    /// Batch requests that run at once, over all workers; further ones wait. On PostgreSQL they
    /// hold at most half of the connections for pages and for writes.
    batch_requests: NonZeroUsize = "4";
    /// Batch requests that may wait; further ones get 503.
    batch_queue: NonZeroUsize = "1000";
    /// The most client connections, over all workers. At the limit, a new one closes the
    /// longest-idle one of the address with the most; if none is idle, it gets 503. Each takes 12
    /// KiB of `memory` (with TLS 28 KiB), all at most half of it, so a small `memory` lowers the
    /// limit.
    max_connections: NonZeroUsize = "10000";
    /// The most connections of one IPv4 address or /64 network of IPv6; further ones get 503.
    /// `half` means half of `max_connections`. Loopback addresses, `trusted_proxies` and Unix
    /// sockets have no such limit, and their connections are not closed for others.
    max_connections_per_address: PerAddress = "half";
    /// The most subscriptions of live changes (see `docs/live.md`); further ones get 503. Each is a
    /// connection, or a stream of one, and counts toward `max_connections`.
    live_subscriptions: NonZeroUsize = "10000";
    /// Those of one client, or of one address without a client; further ones get 429.
    live_client_subscriptions: NonZeroUsize = "1000";
    /// A silent subscription gets a comment so often.
    live_heartbeat: Duration = "15s";
    /// The longest path and query, at most 63KiB. Over HTTP/2 a target above 64 KiB, with scheme and
    /// host, ends the stream without an answer.
    uri_bytes: ByteSize = "63KiB";
    /// The longest request head, first line and headers; with HTTP/2, the list of headers.
    header_bytes: ByteSize = "192KiB";
    /// Memory for requests and responses: bodies, rows, responses that clients have not received
    /// yet, cached descriptions. Further requests get 503. `auto` is a quarter of what the process
    /// may use (the limit of its control group, else the machine's memory), at least 64 MiB, and
    /// 512 MiB if neither can be read.
    memory: Memory = "auto";
    /// Threads that parse request bodies above 64 KiB and write descriptions beside the event
    /// loops; further ones queue.
    parse_threads: NonZeroUsize = "2";
    /// Responses with more bytes, and streams of any length, are compressed by zstd or gzip if
    /// `Accept-Encoding` takes it; `off` compresses none.
    compress_above: Option<ByteSize> = "4KiB";
    /// The longest request body.
    body_bytes: ByteSize = "16MiB";
    /// The longest body of a bulk load.
    load_bytes: ByteSize = "1024GiB";
    /// The timeout of a bulk load, with its body.
    load_timeout: Duration = "1h";
    /// The longest row of a bulk load.
    load_row_bytes: ByteSize = "16MiB";
    /// Memory for the body of a single-transaction load into SQLite; the rest goes to a temporary
    /// file in `TMPDIR`.
    load_memory: ByteSize = "8MiB";
    /// Concurrent bulk loads, shared between clients: one alone gets three quarters of them, and
    /// never the last of several. Further ones wait up to `queue_timeout`, then get 503. On
    /// PostgreSQL each has a database connection besides `db_connections`.
    loads: NonZeroUsize = "3";
    /// The timeout of a client's headers, of an idle connection, and of a stalled body of a bulk
    /// load.
    header_timeout: Duration = "30s";
    /// TLS handshakes under way; one more ends the oldest. A handshake also ends after
    /// `header_timeout`.
    tls_handshakes: NonZeroUsize = "500";
    /// Whether HTTP/2 is served too: to clients that ask for it in the TLS handshake (ALPN), and
    /// without TLS to those that begin with it (prior knowledge).
    http2: bool = "true";
    /// Concurrent requests of an HTTP/2 connection; its client opens further ones later.
    http2_streams: NonZeroUsize = "100";
    /// Those of an HTTP/2 connection on which no request has authenticated yet; further ones wait. An
    /// open server counts every caller as authenticated.
    http2_streams_unauthenticated: NonZeroUsize = "8";
    /// Memory, as part of `memory`, for all connections on which no request has authenticated,
    /// beside one small request of each; at most half of `memory`.
    memory_unauthenticated: ByteSize = "16MiB";
    /// Requests of an HTTP/2 connection that its client may cancel within a minute; one more closes
    /// it.
    http2_resets: NonZeroUsize = "200";
    /// How long a stopping server still accepts connections, while `/health/ready` is 503 and every
    /// response closes its connection, so that a load balancer notices.
    drain_delay: Duration = "0s";
    /// How long a stopping server waits for requests in flight.
    drain_timeout: Duration = "30s";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_valid_and_every_name_is_unique() {
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
