//! The parsed command line. [`crate::settings`] resolves it.

mod advise;
mod application_flags;
mod bench;
mod collection;
mod copy;
mod credentials;
mod help;
mod hint;
mod import;
mod infer;
mod init;
mod journal;
#[cfg(test)]
mod manual_tests;
mod migrate;
mod operator;
mod prepare;
mod service;
mod setting_flags;
mod shell;
mod tenant;
mod webhook;
mod wrong_values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use duet_auth::{DbRole, Operation};
use duet_model::tenant::TenantName;

pub(crate) use advise::Advise;
pub(crate) use application_flags::ApplicationFlags;
pub(crate) use bench::agent::BenchAgent;
pub(crate) use bench::charbench::{help as charbench_help, translate};
pub(crate) use bench::import::BenchImport;
pub(crate) use bench::jmeter_line::of_jmeter;
pub(crate) use bench::load::Load;
pub(crate) use bench::measure::{BenchMeasure, Measurement};
pub(crate) use bench::results::{BenchCompare, BenchMerge, BenchReport};
pub(crate) use bench::run::BenchRun;
pub(crate) use bench::series::{BenchFindMax, SeriesOptions, is_service, is_target, refuse_all};
pub(crate) use bench::torture::BenchTorture;
pub(crate) use bench::trust::{BenchSelftest, BenchValidate};
pub(crate) use bench::workloads::{TIMEOUT, names as workload_names, owners as owners_of_flag};
pub(crate) use bench::{Bench, BenchCommand, BenchReplay, Store};
pub(crate) use collection::{Collection, CollectionAction};
pub(crate) use copy::{CopiedTables, Copy, Verification};
pub(crate) use help::command;
pub(crate) use hint::parse;
pub(crate) use import::{Import, ImportSystem};
pub(crate) use infer::{Infer, InferStore};
pub(crate) use init::Init;
pub(crate) use journal::{Journal, JournalAction, JournalOf};
pub(crate) use migrate::Migrate;
pub(crate) use operator::{
    AdminServer, AnyServer, Changes, Mcp, Rowstore, RowstoreAction, Status, Token, Types,
};
pub(crate) use prepare::Prepare;
pub(crate) use service::{Service, ServiceAction};
pub(crate) use setting_flags::SettingFlags;
pub(crate) use shell::{Completions, Man};
pub(crate) use tenant::{Tenant, TenantAction, TenantPlace};
pub(crate) use webhook::{Webhook, WebhookAction, WebhookOf};

use crate::settings::Value;

/// The version, and the profile that it was built with: figures are those of `dist`.
const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (profile ", env!("DUET_BUILD_PROFILE"), ")");

/// Turns a relational database into a fast, secured REST service.
///
/// Tables and duality views of a SQLite file or a PostgreSQL database are served as JSON behind
/// OAuth2. `duet demo` shows it with samples; `duet serve DATABASE` does it with any database;
/// `duet bench` load-tests databases and HTTP APIs.
#[derive(Debug, Parser)]
#[command(name = "duet", version = VERSION, max_term_width = 100, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  duet demo                                     the samples, at once
  duet serve music.sqlite                       any SQLite file
  duet serve postgres://me@db/shop              any PostgreSQL database
  duet init music.sqlite                        an app.toml for it, to edit
  duet serve shop/                              an application with views and privileges
  duet serve shop/ music.sqlite                 several in one process
  duet client add reports --role duet.read --state duet-state.json
  duet bench run rest                           load-test the sample

Errors: exit code 1; a wrong command line: 2.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    Serve(Serve),
    Init(Init),
    Infer(Infer),
    Import(Import),
    /// List the built-in applications
    Apps,
    Load(Load),
    Client(Client),
    Token(Token),
    Mcp(Mcp),
    Types(Types),
    Changes(Changes),
    Service(Service),
    Prepare(Box<Prepare>),
    Collection(Collection),
    Migrate(Migrate),
    Copy(Copy),
    Advise(Advise),
    Tenant(Tenant),
    Indexes(Indexes),
    Status(Status),
    Rowstore(Rowstore),
    Journal(Journal),
    Webhook(Webhook),
    Check(Check),
    Explain(Explain),
    Bench(Bench),
    Completions(Completions),
    Man(Man),
}

/// Serve all sample applications, each from its own SQLite file
///
/// The files are created in a temporary folder and removed at the end, unless --keep names a
/// folder. A client for the run is created and printed.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Keep the databases in this folder; existing ones are served as they are
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// List at the start all that is served and how programs get a token, and what clients may miss
    #[arg(long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

/// What `duet` alone says: the commands that people begin with.
pub(crate) const FIRST_COMMANDS: &str = "\
Duet turns a relational database into a REST service, and measures both.

  duet demo                          the samples, at once
  duet serve music.sqlite            a SQLite file; or postgres://me@db/shop
  duet init music.sqlite             an app.toml for it, to edit
  duet client add reports --state duet-state.json --role duet.read
                                     a client that may read
  duet bench run rest                a load test of the sample

`duet --help` lists all commands.";

/// List the indexes of a database, with their sizes and how often each was used
///
/// PostgreSQL counts uses since its statistics were last reset; SQLite does not count.
#[derive(Debug, Args)]
pub(crate) struct Indexes {
    /// The database: `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or a path
    #[arg(env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: String,
    /// Those of this table only
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,
}

/// Serve databases and applications, any number in one process
///
/// For a database, every table and view of every schema is served under `/api/{schema}/`, or under
/// `/api/{database}/{schema}/` beside other applications. An application names its database; a
/// built-in one gets a SQLite file for the run. Without any SOURCE, `app.toml` in the current
/// folder is served. With --config or --app, SOURCE is the application's database.
///
/// SIGHUP reloads the applications, the schemas, the clients and the certificate; SIGINT and
/// SIGTERM stop after the responses of requests in flight, a second one at once. With --instances,
/// SIGUSR2 replaces one process after the other, also by a new binary.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// An application: its folder, its `app.toml` or the name of a built-in one; or a database:
    /// `postgres://…`, `host=… dbname=…`, `sqlite:PATH` or the path of a SQLite file [env:
    /// DUET_DATABASE]
    ///
    /// PostgreSQL's URLs accept libpq's parameters: sslmode, service, target_session_attrs and so
    /// on; the PG* variables, the service file and .pgpass complete them.
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<String>,
    #[command(flatten)]
    pub(crate) named: ApplicationFlags,
    /// The database of the application, instead of the one that it names
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// List at the start what clients may miss: views and tables without keys, columns without foreign
    /// keys, routines that are not served; otherwise they are counted
    #[arg(long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

/// Add, list, rotate and remove clients; renew the key of their tokens
///
/// A running server notices a change within two seconds.
#[derive(Debug, Args)]
pub(crate) struct Client {
    #[command(subcommand)]
    pub(crate) action: ClientAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientAction {
    /// Add a client; its secret is shown once
    Add {
        /// A name of your choice
        name: String,
        /// A role it has; may be repeated. Built in are duet.read, duet.write, duet.execute and
        /// duet.admin
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
        /// The role of the PostgreSQL database under which all its requests run
        #[arg(long, value_name = "ROLE")]
        db_role: Option<DbRole>,
        /// The tenant that its tokens belong to, for applications with `tenants`: they reach no other
        #[arg(long, value_name = "TENANT")]
        tenant: Option<TenantName>,
        /// The client's id, if it is already fixed elsewhere; by default a random one
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// A file with the client's secret, `-` for standard input; by default a random one
        ///
        /// A trailing line break does not count. The secret has at least 16 characters.
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
        /// Add an API key: requests send it as it is, in the header `X-API-Key` or as a bearer token
        #[arg(long, conflicts_with_all = ["id", "secret_file"])]
        key: bool,
        /// How long the API key is valid, such as `90d`; without it, until it is removed
        #[arg(
            long,
            value_name = "DURATION",
            requires = "key",
            value_parser = <std::time::Duration as Value>::read
        )]
        expires: Option<std::time::Duration>,
        /// The PostgreSQL role of `duet serve`: it is granted what it needs of the clients
        #[arg(long, value_name = "ROLE", requires = "in_database")]
        server_role: Option<String>,
        #[command(flatten)]
        place: ClientPlace,
    },
    /// Add a link: an address that carries the right to one resource or item; it is shown once
    ///
    /// Requests by it have the rights of the client that it acts for, there alone, by these operations, until it expires or is
    /// used up. It ends with that client, and by `duet client remove`.
    Link {
        /// A name of your choice
        name: String,
        /// The path of the resource or item, such as `/api/public/team/301`
        path: String,
        /// The id or name of the client that it acts for
        #[arg(long = "for", value_name = "CLIENT")]
        of: String,
        /// What it allows: read, insert, update, delete or execute; may be repeated
        #[arg(long = "allow", value_name = "OPERATION", default_value = "read", value_parser = operation)]
        operations: Vec<Operation>,
        /// How long it is valid, such as `7d`
        #[arg(long, value_name = "DURATION", value_parser = <std::time::Duration as Value>::read)]
        expires: std::time::Duration,
        /// How many requests it is good for; without it, any number
        #[arg(long, value_name = "N")]
        uses: Option<u32>,
        #[command(flatten)]
        place: ClientPlace,
    },
    /// List the clients
    List {
        #[command(flatten)]
        place: ClientPlace,
    },
    /// Give a client a new secret; its tokens become invalid
    Rotate {
        /// The client's id or name
        id: String,
        #[command(flatten)]
        place: ClientPlace,
    },
    /// Create a new key that seals tokens; tokens of the old one stay valid for a while
    RotateKey {
        /// How long tokens of the old key stay valid; `0s` ends them at once
        #[arg(
            long,
            value_name = "DURATION",
            default_value = "61m",
            value_parser = <std::time::Duration as Value>::read
        )]
        overlap: std::time::Duration,
        #[command(flatten)]
        place: ClientPlace,
    },
    /// Remove a client; its tokens become invalid
    Remove {
        /// The client's id or name
        id: String,
        #[command(flatten)]
        place: ClientPlace,
    },
}

/// An operation by its name.
fn operation(name: &str) -> Result<Operation, String> {
    Operation::of_name(name)
        .ok_or_else(|| format!("there is {}", Operation::ALL.map(Operation::as_str).join(", ")))
}

/// The location of the clients, and the format of the output.
#[derive(Debug, Args)]
pub(crate) struct ClientPlace {
    /// The state file; `add` creates it [env: DUET_STATE]
    #[arg(long, value_name = "PATH")]
    pub(crate) state: Option<PathBuf>,
    /// Keep clients in the schema `duet` of this PostgreSQL database; `add` creates it
    #[arg(long, value_name = "URL", conflicts_with = "state")]
    pub(crate) in_database: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check an application and explain every mistake in it
///
/// With a database, resources, columns and views are checked against its tables too.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The `app.toml`, its folder, or the name of a built-in application
    #[arg(value_name = "SOURCE", default_value = "app.toml")]
    pub(crate) app: String,
    /// The database to check against; by default the application's own, if it is reachable
    #[arg(long, value_name = "URL", env = "DUET_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
    /// The tenant to check, of an application with `tenants`; may be repeated. By default all of them
    #[arg(long = "tenant", value_name = "TENANT")]
    pub(crate) tenants: Vec<TenantName>,
    /// Fail on notes too: tables, routines and names that are not served as one may expect
    #[arg(long)]
    pub(crate) strict: bool,
    /// Propose how this engine distributes the tables over machines: print the SQL, with what each resource promises then
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<DistributingEngine>,
}

/// An engine that distributes tables over machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DistributingEngine {
    /// Citus 13, an extension of PostgreSQL.
    Citus,
}

/// Show the plan and the SQL of a request
///
/// Only the schema is read.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The method, such as GET
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    /// The path with its query, such as '/api/main/orders/?q={"total":{"$gt":10}}'; a whole URL
    /// works too
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// The database or the application, as `duet serve` takes it [env: DUET_DATABASE]
    #[arg(value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// The tenant whose database it is, of an application with `tenants`
    #[arg(long, value_name = "TENANT")]
    pub(crate) tenant: Option<TenantName>,
    #[command(flatten)]
    pub(crate) named: ApplicationFlags,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn typed_as_in_the_manual() {
        for line in [
            "duet demo --listen 127.0.0.1:0 --keep here --open read",
            "duet demo --open=all",
            "duet serve sqlite:a.db --listen unix:/run/d --listen [::1]:80 --workers 2",
            "duet serve shop/app.toml",
            "duet serve shop --database postgres:///d",
            "duet serve shop/ music.sqlite chinook postgres:///d --listen 8080",
            "duet serve --config app.toml --db-connections 4 --state s --ready-file r --wal",
            "duet serve x.db --wal=false --trial-endpoints",
            "duet apps",
            "duet init a.db",
            "duet infer orders.json customers/ --into shop --for postgres --no-check",
            "duet init postgres:///d shop --schema sales",
            "duet load car-racing --database sqlite:a.db --scale 10000 --replace",
            "duet bench load soe --database sqlite:a.db --scale 0.1 --seed 7 --threads 2 --replace",
            "duet bench load retail --database sqlite:a.db --inventory",
            "duet bench load lookup --database sqlite:a.db --validate",
            "duet bench load soe --database postgres:///soe --create postgres:///postgres --wait 60s",
            "duet bench load soe --database sqlite:a.db --repair",
            "duet client add me --role duet.read --role a --state s --json",
            "duet client add me --id fixed --secret-file - --state s",
            "duet client list --in-database postgres:///d",
            "duet client rotate me --state s",
            "duet client rotate-key --state s --overlap 25h --json",
            "duet client remove me --state s",
            "duet token --from ready.json",
            "duet token --client a:b --url http://h:1",
            "duet completions zsh",
            "duet man pages",
            "duet check",
            "duet check app.toml --database x.db",
            "duet advise shop/ --database x.db --log a.log --log b.log --rows 5 --gain 2 --json",
            "duet migrate shop/ --database x.db --dry-run --no-drop --lock-timeout 500ms --json",
            "duet explain GET /api/main/t/ x.db",
            "duet bench report a.json b.json --out r.html --threshold 5 --drift 0",
            "duet bench report a.json --as swingbench",
            "duet bench compare a.json b.json c.json --strict --json --anyway",
            "duet bench merge a.json b.json --out all.json",
        ] {
            if let Err(error) = Cli::try_parse_from(line.split(' ')) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn mistyped() {
        for line in [
            "duet",
            "duet sirve",
            "duet serve --wal=maybe",
            "duet serve --no-such-flag",
            "duet load app",
            "duet load app --database x --scale 0",
            "duet bench load soe --database x --scale nan",
            "duet bench load soe --database x --validate --replace",
            "duet bench load soe --database x --threads 0",
            "duet bench load soe --database x --wait soon",
            "duet bench load soe --database x --repair --replace",
            "duet client add",
            "duet client list --state s --in-database d",
            "duet client rotate-key --overlap soon",
            "duet serve x --config a --app b",
            "duet bench report",
            "duet bench report a.json --as pdf",
            "duet bench compare a.json",
            "duet bench compare a.json b.json --threshold -1",
            "duet bench merge a.json b.json",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }
}
