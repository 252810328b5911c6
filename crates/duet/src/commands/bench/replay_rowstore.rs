//! `duet bench replay rowstore`: throwaway databases, a server on each, and a process for every run.

use std::io;
use std::process::Command;

use duet_bench::facts;
use duet_bench::targets::sql::Database;
use duet_bench::throwaway::{self, Options};
use duet_bench::workload::cannot;
use duet_model::{Code, Error, Result};
use duet_report::replay::Page;
use duet_report::replay::rowstore::{self, Environment, Measured, PATHS, Path, Side, Size};
use duet_workloads::generate::load::fill;
use duet_workloads::lookup::{self, Endpoint, TABLES, Variant, line, measure, serve_cold};

use super::series::Series;
use super::served::Served;
use super::undo::Folder;
use crate::args::Store;
use crate::report::{Outcome, print};

/// Measures the paths of a store, or of both, and judges the report. What was measured is kept in the
/// folder as `runs.txt`, a line per run.
///
/// # Errors
/// Where a database or a server does not start, or a run fails.
pub(super) fn run(on: Option<Store>, quick: bool, series: &Series) -> Outcome<Page> {
    let size = if quick { Size::QUICK } else { Size::FULL };
    let stage = Stage::set(on, size)?;
    let paths = PATHS.iter().filter(|path| path.is_wanted(on.map(name), quick));
    let mut variants = Vec::new();
    for path in paths {
        for table in TABLES.into_iter().filter(|table| path.misses(table).is_none()) {
            let variant =
                Variant { path: path.name, table, endpoint: stage.endpoint(path, table)? };
            variants.push((path, variant));
        }
    }
    let measured = runs(&variants, size, series)?;
    let databases = stage.databases();
    let asked = super::super::runtime()?.block_on(lookup::environment(&databases));
    let asked = asked.map_err(|failed| cannot("The databases cannot be asked", &failed))?;
    let lookup::Environment { databases, plans } = asked;
    let environment = Environment { databases, plans, is_optimized: !cfg!(debug_assertions) };
    Ok(rowstore::page(&measured, &environment).map_err(Error::internal)?)
}

/// One run, in the process that was started for it.
///
/// # Errors
/// Where it is not told what to do.
pub(super) fn once() -> Outcome {
    Ok(serve_cold(io::stdin(), &mut io::stdout().lock())?)
}

fn runs(variants: &[(&'static Path, Variant)], size: Size, series: &Series) -> Outcome<Measured> {
    let program = std::env::current_exe().map_err(Error::internal)?;
    let worker = || {
        let mut command = Command::new(&program);
        command.args(["bench", "lookup-once"]);
        command
    };
    let (started, host) = (facts::now(), facts::host());
    let mut lines = String::new();
    let mut told = Ok(());
    let all: Vec<Variant> = variants.iter().map(|(_, variant)| variant.clone()).collect();
    let stop = series.stop();
    let rounds = measure(&all, size.keys, size.runs, worker, &stop, |variant, run, took| {
        let line = format!("{}\n", line(variant, run, size.keys, took));
        if told.is_ok() {
            told = print(&line);
        }
        lines.push_str(&line);
    });
    told?;
    series.write("runs.txt", &lines)?;
    let rounds = rounds.map_err(|failed| cannot("The tables cannot be measured", &failed))?;
    let of = |((path, variant), seconds): (&(&'static Path, Variant), Vec<f64>)| rowstore::Series {
        path,
        table: variant.table,
        seconds,
    };
    let runs = variants.iter().zip(rounds.seconds).map(of).collect();
    Ok(Measured { size, series: runs, started, host, interrupted: rounds.interrupted })
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
    fn set(on: Option<Store>, size: Size) -> Result<Self> {
        let folder = Folder::new()?;
        let mut stage =
            Self { sqlite: None, postgres: None, folder, server: None, rows: size.keys };
        // Numbers of keys are far below 2⁵³.
        let rows = size.keys as f64;
        if on != Some(Store::Postgres) {
            let path = stage.file();
            fill(&Database::sqlite(&path), &lookup::Entry, rows)?;
            let database = format!("sqlite:{}", path.display());
            stage.sqlite = Some(Served::start(&database, definition(Store::Sqlite), &[])?);
        }
        if on != Some(Store::Sqlite) {
            let server = stage.server.insert(postgres()?);
            let url = server.url("postgres");
            fill(&Database::Postgres(url.clone()), &lookup::Entry, rows)?;
            stage.postgres = Some(Served::start(&url, definition(Store::Postgres), &[])?);
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
    fn endpoint(&self, path: &Path, table: &str) -> Result<Endpoint> {
        let absent = || Error::internal(io::Error::other("the path's store does not run"));
        if path.side == Side::Service {
            let served = match path.store {
                "sqlite" => &self.sqlite,
                _ => &self.postgres,
            };
            let served = served.as_ref().ok_or_else(absent)?;
            let mount = served.mount(path.transport);
            return Ok(Endpoint::Http { mount, authorization: served.authorization() });
        }
        let server = || self.server.as_ref().ok_or_else(absent);
        Ok(match path.transport {
            "tcp" => Endpoint::Postgres(server()?.tcp_url("postgres")),
            "unix" => Endpoint::Postgres(server()?.url("postgres")),
            _ if table == "t3" => Endpoint::Memory(self.rows),
            _ => Endpoint::Sqlite(self.file()),
        })
    }
}

fn postgres() -> Result<throwaway::Server> {
    throwaway::Server::try_start(Options::new().tcp()).map_err(|error| {
        Error::new(Code::Setting, "No throwaway PostgreSQL server can be started.")
            .cause(error.to_string())
            .hint("Install the distribution's package `postgresql`, or measure `--on sqlite`.")
    })
}

/// The application that is served. On PostgreSQL, `t3` has an index and no key: it is given one.
fn definition(store: Store) -> &'static str {
    match store {
        Store::Sqlite => {
            "name = \"lookup\"\nmount = \"/lookup\"\ntables = \"listed\"\n\
             [resources.t1]\n[resources.t2]\n"
        }
        Store::Postgres => {
            "name = \"lookup\"\nmount = \"/lookup\"\nschema = \"lookup\"\ntables = \"listed\"\n\
             [resources.t1]\n[resources.t2]\n[resources.t3]\nkey = [\"key\"]\n"
        }
    }
}
