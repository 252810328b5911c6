//! `duet bench replay swingbench`: throwaway databases with order entry and retail, a server on the first,
//! and every layout, interleaved.

use std::time::Duration;

use duet_bench::run::{Phases, Plan, Prepared};
use duet_bench::targets::sql::{DatabaseAddress, SESSION};
use duet_bench::throwaway::Server;
use duet_bench::workload::cannot;
use duet_client::{Connection, Failure};
use duet_model::Error;
use duet_report::replay::{Load, Replay, ReplayMeasurement, ReplayPage, Runs, Variant};
use duet_workloads::built_in::{Request, Target};
use duet_workloads::generate::load::fill;
use duet_workloads::registry;
use duet_workloads::retail::LABEL;

use super::variants::{facts, planned};
use crate::args::Store;
use crate::command_error::CommandError;
use crate::commands::bench::run::series::Series;
use crate::commands::bench::started::host;
use crate::commands::bench::started::own_server::postgres;
use crate::commands::bench::started::undo::Folder;
use crate::report::{Outcome, print};

/// The scales of the data.
#[derive(Clone, Copy)]
struct Data {
    soe: f64,
    retail: f64,
}

/// The size of the measurement.
struct Size {
    data: Data,
    /// Of a run.
    seconds: u64,
    warm_up: u64,
    rounds: u32,
}

const FULL: Size =
    Size { data: Data { soe: 0.1, retail: 0.1 }, seconds: 20, warm_up: 5, rounds: 3 };
const QUICK: Size =
    Size { data: Data { soe: 0.001, retail: 0.001 }, seconds: 2, warm_up: 0, rounds: 1 };

/// Measures every variant in every round, and judges the report.
///
/// # Errors
/// If a database or the server does not start, or a run fails.
pub(in crate::commands::bench) fn run(
    replay: &Replay,
    on: Option<Store>,
    quick: bool,
    series: &mut Series,
) -> Outcome<ReplayPage> {
    let size = if quick { QUICK } else { FULL };
    let stage = Stage::set(on.unwrap_or(Store::Sqlite), size.data)?;
    let preset = match replay.load() {
        Load::OrderEntry { preset } => preset.as_str(),
        _ => "",
    };
    let has_functions = matches!(stage.order_entry, DatabaseAddress::Postgres(_));
    let mut all = planned(replay, "where", "");
    all.retain(|it| has_functions || it.variant.label("needs") != "functions");
    let mut server = String::new();
    'rounds: for round in 1..=size.rounds {
        print(&format!("round {round} of {}\n", size.rounds))?;
        for it in &mut all {
            if series.is_over() {
                break 'rounds;
            }
            let layout = Layout::of(&it.variant)?;
            let plan = plan(layout, &size, round);
            let mut prepared = stage.prepared(&it.variant, preset, &plan)?;
            let result = series.run(&replay.name(&it.variant), &plan, &mut prepared)?;
            // An interrupted round compares nothing.
            if let (Runs::Results(results), false) = (&mut it.runs, series.is_over()) {
                server.clone_from(&result.target.server);
                results.push(result);
            }
        }
    }
    // Both databases are on one server, which its runs name.
    for it in &mut all {
        it.variant.labels.insert("where".into(), server.clone());
    }
    let facts = facts([
        ("server", server),
        ("preset", preset.into()),
        ("soe_scale", size.data.soe.to_string()),
        ("retail_scale", size.data.retail.to_string()),
        ("retail_label", LABEL.into()),
    ]);
    Ok(replay.page(&ReplayMeasurement { series: all, facts, ..ReplayMeasurement::default() }))
}

/// Processes, and users of each.
#[derive(Clone, Copy)]
struct Layout {
    processes: u32,
    users: u32,
}

impl Layout {
    /// Of a variant's label, such as `2x8`.
    fn of(variant: &Variant) -> Outcome<Self> {
        let layout = variant.label("layout");
        let parts = layout.split_once('x').and_then(|(processes, users)| {
            Some(Self { processes: processes.parse().ok()?, users: users.parse().ok()? })
        });
        let wrong = || CommandError::refusal(format!("The layout {layout:?} is not NxM."));
        parts.filter(|it| it.processes > 0 && it.users > 0).ok_or_else(wrong)
    }
}

/// The databases, alive until the report ends.
struct Stage {
    order_entry: DatabaseAddress,
    retail: DatabaseAddress,
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
            // Each has its own database: a vacuum of one would count as a commit of the other.
            Some(server) => {
                let order_entry = DatabaseAddress::Postgres(server.url("postgres"));
                create(&order_entry, "retail")?;
                [order_entry, DatabaseAddress::Postgres(server.url("retail"))]
            }
            None => ["soe.sqlite", "retail.sqlite"]
                .map(|name| DatabaseAddress::sqlite(folder.path().join(name))),
        };
        print(&format!("loading order entry at scale {}\n", data.soe))?;
        fill(&order_entry, &duet_workloads::soe::Entry, data.soe)?;
        print(&format!("loading retail at scale {}\n", data.retail))?;
        fill(&retail, &duet_workloads::retail::Entry, data.retail)?;
        Ok(Self { order_entry, retail, _postgres: postgres, _folder: folder })
    }

    fn prepared(&self, variant: &Variant, preset: &str, plan: &Plan) -> Outcome<Prepared> {
        let no_such = || Error::internal(std::io::Error::other("the report's workload is unknown"));
        let (workload, form) = registry::run(variant.label("workload")).ok_or_else(no_such)?;
        let database = match form.name {
            "retail" => &self.retail,
            _ => &self.order_entry,
        };
        let mut request = Request::new(form.name, plan.clone());
        request.target = Some(Target::Database(database.clone()));
        request.wanted.preset = (form.name != "retail").then(|| preset.to_owned());
        // A server of order entry runs during its own runs only: its sessions publish their counts
        // by their end, and so in no other run's ledger.
        Ok(host::prepare(workload, &request)?)
    }
}

/// Creates a database beside an existing one.
fn create(beside: &DatabaseAddress, name: &str) -> Outcome {
    let target = beside.target().map_err(|failed| cannot("The database", &failed))?;
    let made = crate::runtime::runtime()?.block_on(async {
        let mut connection = Connection::open(&target, SESSION).await?;
        connection.script(&format!("CREATE DATABASE {name}")).await
    });
    let failed = |failure: Failure| cannot("The database cannot be made", &failure.into());
    Ok(made.map_err(failed)?)
}

fn plan(layout: Layout, size: &Size, round: u32) -> Plan {
    Plan {
        phases: Phases {
            warm_up: Duration::from_secs(size.warm_up),
            measure: Some(Duration::from_secs(size.seconds)),
            ..Phases::default()
        },
        seed: u64::from(round),
        timeout: Duration::from_secs(120),
        ..Plan::closed(layout.processes, layout.processes * layout.users)
    }
}
