//! `duet bench replay orders`: on each store two throwaway databases with orders, one without the declared indexes
//! and one with them, each with a server that lives as long as the replay.

use duet_bench::run::{Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_model::Error;
use duet_report::replay::{Load, Replay, ReplayPage, Size, Variant};
use duet_workloads::built_in::{Request, Target};
use duet_workloads::orders;

use super::stores::{self, Throwaway, plan};
use crate::args::Store;
use crate::command_error::CommandError;
use crate::commands::bench::run::series::Series;
use crate::commands::bench::started::host;
use crate::commands::bench::started::own_server::{load, run_duet};
use crate::commands::bench::started::served::{Served, wrong};
use crate::report::Outcome;

/// The built-in application, and its orders at scale 1.
const APPLICATION: &str = "orders";
const ORDERS: u64 = 1_000;

/// Measures every variant in every round, and judges the report.
///
/// # Errors
/// If a database or a server does not start, or a run fails.
pub(in crate::commands::bench) fn run(
    replay: &Replay,
    on: Option<Store>,
    quick: bool,
    series: &mut Series,
) -> Outcome<ReplayPage> {
    let Load::Orders { full, quick: short } = replay.load() else {
        return Err(
            Error::internal(std::io::Error::other("the report's workload is unknown")).into()
        );
    };
    let size = if quick { short } else { full };
    stores::run(replay, on, quick, size, Stage::set, series)
}

/// Two servers over the same data.
struct Stage {
    indexed: Served,
    non_indexed: Served,
    throwaway: Throwaway,
}

impl Stage {
    fn set(store: Store, size: &Size) -> Outcome<Self> {
        let throwaway = Throwaway::new(store)?;
        if let Some(server) = throwaway.server() {
            for name in ["indexed", "non_indexed"] {
                let made = server.existing("postgres").try_exec(&format!("CREATE DATABASE {name}"));
                made.map_err(|message| {
                    CommandError::machine("A database cannot be made.").cause(message)
                })?;
            }
        }
        let indexed = serve(&throwaway, "indexed", size)?;
        let non_indexed = serve(&throwaway, "non_indexed", size)?;
        Ok(Self { indexed, non_indexed, throwaway })
    }
}

/// Loads a database and serves it.
fn serve(throwaway: &Throwaway, name: &str, size: &Size) -> Outcome<Served> {
    let (database, flags) = match throwaway.database(name) {
        DatabaseAddress::Postgres(url) => (url, Vec::new()),
        DatabaseAddress::Sqlite { path, synchronous } => {
            (format!("sqlite:{}", path.display()), vec!["--sqlite-synchronous".into(), synchronous])
        }
    };
    let scale = u32::try_from(size.rows / ORDERS).map_err(Error::internal)?;
    load(APPLICATION, &database, Some(scale), throwaway.folder())?;
    if name == "non_indexed" {
        let prepare =
            ["collection", "prepare", APPLICATION, "--no-indexes", "--database", &database];
        run_duet(&prepare, throwaway.folder(), "The indexes could not be dropped.")?;
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    Served::start_built_in(&database, APPLICATION, &flags)
}

impl stores::Stage for Stage {
    fn store(&self) -> Store {
        self.throwaway.store
    }

    fn prepared(&self, variant: &Variant, size: &Size, round: u32) -> Outcome<(Plan, Prepared)> {
        let served = match variant.label("indexes") {
            "indexed" => &self.indexed,
            _ => &self.non_indexed,
        };
        let plan = plan(1, size, round);
        let mount: Url = served.mount("tcp").parse().map_err(wrong)?;
        let mut request = Request::new(APPLICATION, plan.clone());
        request.target = Some(Target::Service(mount));
        request.access = served.access();
        request.wanted.mix = vec![(variant.label("op").to_owned(), 1.0)];
        Ok((plan, host::prepare(&orders::Entry, &request)?))
    }
}
