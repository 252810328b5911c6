//! `duet bench replay swingbench`: a throwaway database with order entry, and every layout in turns.

use std::path::Path;
use std::time::Duration;

use duet_bench::generate::Named;
use duet_bench::replay::Page;
use duet_bench::replay::swingbench::{Runs, VARIANTS, Variant, page};
use duet_bench::run::{Phases, Plan};
use duet_bench::soe::{Options, Side};
use duet_bench::targets::sql::Database;
use duet_bench::throwaway::Server;
use duet_model::Error;

use super::own_server::postgres;
use super::replay::STOPPED;
use super::session::{Telling, Told, conduct, stop_on_ctrl_c};
use super::signals;
use super::soe::prepared;
use super::sql_target::{SqlTarget, fill, sqlite};
use super::undo::Folder;
use crate::args::Store;
use crate::report::{Outcome, print};

/// Scale of the data, length of a run, warm-up and rounds.
const FULL: (f64, u64, u64, usize) = (0.1, 20, 5, 3);
const QUICK: (f64, u64, u64, usize) = (0.001, 1, 0, 1);

/// Measures every variant in every round, and judges the report.
///
/// # Errors
/// Where the database does not start, or a run fails.
pub(super) fn run(on: Option<Store>, quick: bool, folder: &Path) -> Outcome<Page> {
    let (scale, seconds, warm_up, rounds) = if quick { QUICK } else { FULL };
    let stage = Stage::set(on.unwrap_or(Store::Sqlite), scale)?;
    let stop = stop_on_ctrl_c();
    let mut runs: Vec<Runs> =
        VARIANTS.iter().map(|variant| Runs { variant: *variant, results: Vec::new() }).collect();
    for round in 1..=rounds {
        for runs in &mut runs {
            let Variant { workload, processes, users } = runs.variant;
            let name = format!("{workload}-{processes}x{users}-{round}");
            print(&format!("round {round} of {rounds}: {workload} as {processes}x{users}\n"))?;
            let telling = Telling {
                name: &name,
                show: &[],
                told: Told::Nothing,
                folder: folder.join(&name),
                shared: false,
                thresholds: &[],
            };
            let side = if workload == "soe-client" { Side::Client } else { Side::Server };
            let mut prepared = prepared(stage.target()?, &Options::of(side))?;
            let plan = plan(runs.variant, seconds, warm_up, round);
            runs.results.push(conduct(&telling, &plan, &mut prepared, &stop)?);
            if let Some(ended) = signals::ended(STOPPED) {
                return Err(ended);
            }
        }
    }
    let server = runs.first().and_then(|runs| runs.results.first());
    let server = server.map(|result| result.target.server.clone()).unwrap_or_default();
    let data = format!("order entry at scale {scale}");
    Ok(page(&runs, &server, &data).map_err(Error::internal)?)
}

/// The database, for as long as the report takes.
struct Stage {
    database: Database,
    _postgres: Option<Server>,
    _folder: Folder,
}

impl Stage {
    fn set(on: Store, scale: f64) -> Outcome<Self> {
        let folder = Folder::new()?;
        let postgres = match on {
            Store::Sqlite => None,
            Store::Postgres => Some(postgres()?),
        };
        let database = match &postgres {
            Some(server) => Database::Postgres(server.url("postgres")),
            None => sqlite(&folder.path().join("soe.sqlite")),
        };
        print(&format!("loading order entry at scale {scale}\n"))?;
        fill(&database, Named::Soe, scale)?;
        Ok(Self { database, _postgres: postgres, _folder: folder })
    }

    fn target(&self) -> Outcome<SqlTarget> {
        Ok(SqlTarget { database: self.database.clone(), folder: None })
    }
}

fn plan(variant: Variant, seconds: u64, warm_up: u64, round: usize) -> Plan {
    Plan {
        phases: Phases {
            warm_up: Duration::from_secs(warm_up),
            measure: Some(Duration::from_secs(seconds)),
            ..Phases::default()
        },
        seed: round as u64,
        timeout: Duration::from_secs(120),
        ..Plan::closed(variant.processes, variant.processes * variant.users)
    }
}
