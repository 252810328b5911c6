//! `duet bench replay rowstore`: throwaway databases, a server on each, and a process for every run.

use std::cell::OnceCell;
use std::io;
use std::process::Command;

use duet_bench::facts as bench_facts;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::throwaway::{self, Options};
use duet_bench::workload::{Failed, cannot};
use duet_model::Error;
use duet_report::replay::{self, Load, Quick, Replay, ReplayMeasurement, ReplayPage, Runs};
use duet_verdict::outcome::Outcome::Other;
use duet_verdict::text::counted;
use duet_workloads::generate::load::fill;
use duet_workloads::lookup::{
    self, Endpoint, MeasureSize, SERVED_ALONE, TABLES, Variant, app_toml, fill_memory, line,
    measure, serve_cold,
};

use super::variants::facts;
use crate::args::Store;
use crate::command_error::CommandError;
use crate::commands::bench::run::series::Series;
use crate::commands::bench::started::served::Served;
use crate::commands::bench::started::spinners::Spinners;
use crate::commands::bench::started::undo::Folder;
use crate::report::{Outcome, print};

/// Measures the access paths of one store, or of both, and judges the report. The measurements are
/// saved in the folder as `runs.txt`, a line per run.
///
/// # Errors
/// If a database or a server does not start, or a run fails.
pub(in crate::commands::bench) fn run(
    replay: &Replay,
    on: Option<Store>,
    quick: bool,
    series: &Series,
) -> Outcome<ReplayPage> {
    let size = size(replay, quick);
    let stage = Stage::set(on, size)?;
    let mut all = Vec::new();
    for variant in replay.variants() {
        let Some(table) = TABLES.into_iter().find(|table| *table == variant.label("table")) else {
            let message = format!("There is no table {:?} to read.", variant.label("table"));
            return Err(CommandError::refusal(message));
        };
        if is_wanted(&variant, on, quick) {
            let endpoint = match &variant.missing {
                None => Some(stage.endpoint(&variant, table)?),
                Some(_) => None,
            };
            let path = variant.label("path").to_owned();
            let is_awake = variant.label("processors") == "awake";
            let read = endpoint.map(|endpoint| Variant { path, table, endpoint, is_awake });
            all.push((variant, read));
        }
    }
    let mut measured = runs(all, size, series)?;
    let options = crate::runtime::runtime()?.block_on(lookup::environment(&stage.databases()));
    let options = options.map_err(|failed| cannot("The databases cannot be queried", &failed))?;
    let is_optimized = !cfg!(debug_assertions);
    measured.facts.extend(facts([
        ("runs", size.runs.to_string()),
        ("databases", options.databases.join(", ")),
        ("build", if is_optimized { "optimized" } else { "not optimized" }.into()),
    ]));
    measured.facts.extend(TABLES.map(|table| (format!("plan.{table}"), kept(table, &options))));
    let flags = [("quick", size != self::size(replay, false)), ("not_optimized", !is_optimized)];
    let flags = flags.into_iter().filter(|(_, is_so)| *is_so);
    measured.facts.extend(flags.map(|(name, _)| (name.to_owned(), "yes".to_owned())));
    Ok(replay.page(&measured))
}

/// One run, in its own process.
///
/// # Errors
/// If its input is malformed.
pub(in crate::commands::bench) fn once() -> Outcome {
    Ok(serve_cold(io::stdin(), &mut io::stdout().lock())?)
}

/// Reads of each run, and runs of each variant.
fn size(replay: &Replay, quick: bool) -> Quick {
    match replay.load() {
        Load::Lookup { quick: short, .. } if quick => *short,
        Load::Lookup { runs, .. } => Quick { reads: replay.reads(), runs: *runs },
        _ => Quick { reads: replay.reads(), runs: 1 },
    }
}

/// Whether a measurement includes a variant; some measure one store alone.
fn is_wanted(variant: &replay::Variant, on: Option<Store>, quick: bool) -> bool {
    let is_in_quick = match variant.label("quick") {
        "yes" => true,
        "alone" => on.is_some(),
        _ => false,
    };
    (is_in_quick || !quick) && on.is_none_or(|store| name(store) == variant.label("store"))
}

/// How a table is stored and read, from each database's query plan.
fn kept(table: &str, environment: &lookup::Environment) -> String {
    let plans = environment.plans.iter().filter(|(_, name, _)| *name == table);
    let words: Vec<String> = plans
        .map(|(store, _, plan)| match table == "t3" && *store == "SQLite" {
            true => "SQLite: as t1, in the memory of the process that reads, filled before the clock starts; so it \
                     cannot be served"
                .to_owned(),
            false => format!("{store}: {plan}"),
        })
        .collect();
    words.join("; ")
}

/// A variant of the report, and its endpoint here if there is one.
type Planned = (replay::Variant, Option<Variant>);

fn runs(planned: Vec<Planned>, size: Quick, series: &Series) -> Outcome<ReplayMeasurement> {
    let program = std::env::current_exe().map_err(Error::internal)?;
    let worker = || {
        let mut command = Command::new(&program);
        command.args(["bench", "lookup-once"]);
        command
    };
    let (started, host) = (bench_facts::now(), bench_facts::host());
    let mut lines = String::new();
    let mut printed = Ok(());
    let all: Vec<Variant> = planned.iter().filter_map(|(_, variant)| variant.clone()).collect();
    let stop = series.stop();
    let size_of_runs = MeasureSize { keys: size.reads, runs: size.runs };
    let cannot_measure = |failed| cannot("The tables cannot be measured", &failed);
    fill_memory(&all, size.reads, worker).map_err(cannot_measure)?;
    let spinners = OnceCell::new();
    let keep_awake = || {
        let started = Spinners::shared();
        let started =
            started.map_err(|error| Failed::new(Other, Error::from(error).to_string()))?;
        spinners.get_or_init(|| started.describe());
        Ok(started)
    };
    // A line for each round; those of the runs are in the file.
    let mut told = 0;
    let rounds = measure(&all, size_of_runs, worker, keep_awake, &stop, |variant, run, took| {
        lines.push_str(&format!("{}\n", line(variant, run, size.reads, took)));
        if told < run && printed.is_ok() {
            told = run;
            let each = counted(all.len() as u64, "variant");
            printed = print(&format!(
                "round {run} of {}: {each}, {} reads each\n",
                size.runs, size.reads
            ));
        }
    });
    printed?;
    series.write("runs.txt", &lines)?;
    let rounds = rounds.map_err(cannot_measure)?;
    let mut seconds = rounds.seconds.into_iter();
    let of = |(variant, read): Planned| {
        let seconds = read.and_then(|_| seconds.next()).unwrap_or_default();
        replay::Series { variant, runs: Runs::Seconds(seconds) }
    };
    let all = planned.into_iter().map(of).collect();
    let mut facts = facts([("started", started)]);
    facts.extend(spinners.into_inner().map(|words| ("spinners".to_owned(), words)));
    if rounds.interrupted {
        facts.insert("interrupted".into(), "yes".into());
    }
    Ok(ReplayMeasurement { series: all, reads: size.reads, host: Some(host), facts })
}

fn name(store: Store) -> &'static str {
    match store {
        Store::Sqlite => "sqlite",
        Store::Postgres => "postgres",
    }
}

/// Databases and servers; dropping it ends and removes them all, servers first.
struct Stage {
    sqlite: Option<Served>,
    postgres: Option<Served>,
    folder: Folder,
    server: Option<throwaway::Server>,
    rows: u64,
}

impl Stage {
    fn set(on: Option<Store>, size: Quick) -> Outcome<Self> {
        let folder = Folder::new()?;
        let mut stage =
            Self { sqlite: None, postgres: None, folder, server: None, rows: size.reads };
        // Numbers of keys are far below 2⁵³.
        let rows = size.reads as f64;
        if on != Some(Store::Postgres) {
            let path = stage.file();
            fill(&DatabaseAddress::sqlite(&path), &lookup::Entry, rows)?;
            let database = format!("sqlite:{}", path.display());
            let application = app_toml(&DatabaseAddress::sqlite(&path));
            stage.sqlite = Some(Served::start(&database, &application, &SERVED_ALONE)?);
        }
        if on != Some(Store::Sqlite) {
            let server = stage.server.insert(postgres()?);
            let url = server.url("postgres");
            let database = DatabaseAddress::Postgres(url.clone());
            fill(&database, &lookup::Entry, rows)?;
            stage.postgres = Some(Served::start(&url, &app_toml(&database), &SERVED_ALONE)?);
        }
        Ok(stage)
    }

    /// The SQLite file.
    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("lookup.sqlite")
    }

    /// The databases themselves.
    fn databases(&self) -> Vec<Endpoint> {
        let sqlite = self.sqlite.as_ref().map(|_| Endpoint::Sqlite(self.file()));
        let postgres =
            self.server.as_ref().map(|server| Endpoint::Postgres(server.url("postgres")));
        postgres.into_iter().chain(sqlite).collect()
    }

    /// The endpoint of a table for a path.
    fn endpoint(&self, variant: &replay::Variant, table: &str) -> Outcome<Endpoint> {
        let absent = || Error::internal(io::Error::other("the path's store does not run"));
        let server = || self.server.as_ref().ok_or_else(absent);
        let is_sqlite = variant.label("store") == "sqlite";
        Ok(match (variant.label("side"), variant.label("transport")) {
            ("service", "in process") if is_sqlite => {
                Endpoint::Process(DatabaseAddress::sqlite(self.file()))
            }
            ("service", "in process") => {
                Endpoint::Process(DatabaseAddress::Postgres(server()?.url("postgres")))
            }
            ("service", transport) => {
                let served = if is_sqlite { &self.sqlite } else { &self.postgres };
                let served = served.as_ref().ok_or_else(absent)?;
                let mount = served.mount(transport);
                Endpoint::Http { mount, authorization: served.authorization() }
            }
            (_, "tcp") => Endpoint::Postgres(server()?.tcp_url("postgres")),
            (_, "unix") => Endpoint::Postgres(server()?.url("postgres")),
            (_, "in process") if !is_sqlite => Endpoint::Loop(server()?.url("postgres")),
            _ if table == "t3" => Endpoint::Memory(self.rows),
            _ => Endpoint::Sqlite(self.file()),
        })
    }
}

fn postgres() -> Outcome<throwaway::Server> {
    throwaway::Server::try_start(Options::new().tcp()).map_err(|error| {
        CommandError::machine("No throwaway PostgreSQL server can be started.")
            .cause(error.to_string())
            .hint("Install the distribution's package `postgresql`, or measure `--on sqlite`.")
    })
}
