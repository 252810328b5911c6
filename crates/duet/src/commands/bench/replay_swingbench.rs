//! `duet bench replay swingbench`: throwaway databases with order entry and retail, a server on the first,
//! and every layout, interleaved.

use std::time::Duration;

use duet_bench::run::{Phases, Plan, Prepared};
use duet_bench::targets::sql::Database;
use duet_bench::throwaway::Server;
use duet_bench::workload::cannot;
use duet_db::raw::{Connection, Failure};
use duet_model::Error;
use duet_report::replay::Page;
use duet_report::replay::swingbench::{Data, PRESET, Runs, Variant, page, variants};
use duet_workloads::built_in::{Request, Target};
use duet_workloads::generate::load::fill;
use duet_workloads::registry;
use duet_workloads::retail::LABEL;

use super::host;
use super::own_server::postgres;
use super::series::Series;
use super::undo::Folder;
use crate::args::Store;
use crate::report::{Outcome, print};

/// How much is measured.
struct Size {
    data: Data,
    /// Of a run.
    seconds: u64,
    warm_up: u64,
    rounds: u32,
}

const FULL: Size = Size {
    data: Data { soe: 0.1, retail: 0.1, retail_label: LABEL },
    seconds: 20,
    warm_up: 5,
    rounds: 3,
};
const QUICK: Size = Size {
    data: Data { soe: 0.001, retail: 0.001, retail_label: LABEL },
    seconds: 2,
    warm_up: 0,
    rounds: 1,
};

/// Measures every variant in every round, and judges the report.
///
/// # Errors
/// Where a database or the server does not start, or a run fails.
pub(super) fn run(on: Option<Store>, quick: bool, series: &mut Series) -> Outcome<Page> {
    let size = if quick { QUICK } else { FULL };
    let stage = Stage::set(on.unwrap_or(Store::Sqlite), size.data)?;
    let has_functions = matches!(stage.order_entry, Database::Postgres(_));
    let variants = variants(has_functions).into_iter();
    let mut runs: Vec<Runs> =
        variants.map(|variant| Runs { variant, results: Vec::new() }).collect();
    'rounds: for round in 1..=size.rounds {
        print(&format!("round {round} of {}\n", size.rounds))?;
        for runs in &mut runs {
            if series.is_over() {
                break 'rounds;
            }
            let plan = plan(runs.variant, &size, round);
            let mut prepared = stage.prepared(runs.variant, &plan)?;
            let result = series.run(&runs.variant.name(), &plan, &mut prepared)?;
            // What was cut off compares with nothing.
            if !series.is_over() {
                runs.results.push(result);
            }
        }
    }
    let server = runs.first().and_then(|runs| runs.results.first());
    let server = server.map(|result| result.target.server.clone()).unwrap_or_default();
    Ok(page(&runs, &server, size.data).map_err(Error::internal)?)
}

/// The databases, for as long as the report takes.
struct Stage {
    order_entry: Database,
    retail: Database,
    _postgres: Option<Server>,
    _folder: Folder,
}

impl Stage {
    fn set(on: Store, data: Data) -> Outcome<Self> {
        let folder = Folder::new()?;
        let postgres = match on {
            Store::Sqlite => None,
            Store::Postgres => Some(postgres()?),
        };
        let [order_entry, retail] = match &postgres {
            // Each has a database of its own: vacuum of one would be in the other's count of commits.
            Some(server) => {
                let order_entry = Database::Postgres(server.url("postgres"));
                create(&order_entry, "retail")?;
                [order_entry, Database::Postgres(server.url("retail"))]
            }
            None => ["soe.sqlite", "retail.sqlite"]
                .map(|name| Database::sqlite(folder.path().join(name))),
        };
        print(&format!("loading order entry at scale {}\n", data.soe))?;
        fill(&order_entry, &duet_workloads::soe::Entry, data.soe)?;
        print(&format!("loading retail at scale {}\n", data.retail))?;
        fill(&retail, &duet_workloads::retail::Entry, data.retail)?;
        Ok(Self { order_entry, retail, _postgres: postgres, _folder: folder })
    }

    fn prepared(&self, variant: Variant, plan: &Plan) -> Outcome<Prepared> {
        let no_such = || Error::internal(std::io::Error::other("the report's workload is unknown"));
        let (workload, form) = registry::run(variant.workload).ok_or_else(no_such)?;
        let database = match form.name {
            "retail" => &self.retail,
            _ => &self.order_entry,
        };
        let mut request = Request::new(form.name, plan.clone());
        request.target = Some(Target::Database(database.clone()));
        request.wanted.preset = (form.name != "retail").then(|| PRESET.to_owned());
        // A server of order entry is there for its own runs only: what its sessions have counted is
        // published by their end, and in no other run's ledger.
        Ok(host::prepare(workload, &request)?)
    }
}

/// Makes a database beside one that is there.
fn create(beside: &Database, name: &str) -> Outcome {
    let target = beside.target().map_err(|failed| cannot("The database", &failed))?;
    let made = super::super::runtime()?.block_on(async {
        let mut connection = Connection::open(&target, "duet bench").await?;
        connection.script(&format!("CREATE DATABASE {name}")).await
    });
    let failed = |failure: Failure| cannot("The database cannot be made", &failure.into());
    Ok(made.map_err(failed)?)
}

fn plan(variant: Variant, size: &Size, round: u32) -> Plan {
    Plan {
        phases: Phases {
            warm_up: Duration::from_secs(size.warm_up),
            measure: Some(Duration::from_secs(size.seconds)),
            ..Phases::default()
        },
        seed: u64::from(round),
        timeout: Duration::from_secs(120),
        ..Plan::closed(variant.processes, variant.processes * variant.users)
    }
}
