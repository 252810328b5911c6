//! `duet bench replay transactions`: on each store a throwaway database with payment transactions, and every
//! variant in every round, on a server of its own.

use std::time::Duration;

use duet_bench::run::{Phases, Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::Database;
use duet_bench::throwaway::Server;
use duet_model::{Code, Error, Result};
use duet_report::replay::{Load, Measured, Page, Replay, Runs, Series as OfVariant, Size, Variant};
use duet_workloads::built_in::{Request, Target};
use duet_workloads::generate::load::refill;
use duet_workloads::txn::{self, BATCH_ROWS, TIMED};

use super::host;
use super::own_server::postgres;
use super::replay::{facts, planned};
use super::series::Series;
use super::served::{Served, wrong};
use super::undo::Folder;
use crate::args::{Store, TIMEOUT};
use crate::report::{Outcome, print};

/// Measures every variant in every round, and judges the report.
///
/// # Errors
/// If a database or a server does not start, or a run fails.
pub(super) fn run(
    replay: &Replay,
    on: Option<Store>,
    quick: bool,
    series: &mut Series,
) -> Outcome<Page> {
    let Load::Transactions { full, quick: short } = replay.load() else {
        return Err(
            Error::internal(std::io::Error::other("the report's workload is unknown")).into()
        );
    };
    let size = if quick { short } else { full };
    let stores = match on {
        Some(store) => vec![store],
        None => vec![Store::Sqlite, Store::Postgres],
    };
    let mut all = planned(replay, "where", "");
    let is_wanted = |variant: &Variant| {
        let is_on = stores.iter().any(|store| label(*store) == variant.label("store"));
        is_on && (!quick || variant.label("quick") == "yes")
    };
    all.retain(|it| is_wanted(&it.variant));
    for it in &mut all {
        let server = format!("Duet on {}", it.variant.label("store"));
        it.variant.labels.insert("where".into(), server);
    }
    let stages = stores.iter().map(|store| Stage::set(*store));
    let stages = stages.collect::<Outcome<Vec<Stage>>>()?;
    rounds(replay, &stages, size, &mut all, series)?;
    let mut facts = facts([("rows", size.rows.to_string())]);
    let flags = [("quick", quick), ("not_optimized", cfg!(debug_assertions))];
    let flags = flags.into_iter().filter(|(_, is_so)| *is_so);
    facts.extend(flags.map(|(name, _)| (name.to_owned(), "yes".to_owned())));
    Ok(replay.page(&Measured { series: all, facts, ..Measured::default() }))
}

/// Store by store; every other round goes backwards, so that neighbours are pairs of runs.
fn rounds(
    replay: &Replay,
    stages: &[Stage],
    size: &Size,
    all: &mut [OfVariant],
    series: &mut Series,
) -> Outcome {
    for round in 1..=size.rounds {
        print(&format!("round {round} of {}\n", size.rounds))?;
        for stage in stages {
            let is_here = |at: &usize| all[*at].variant.label("store") == label(stage.store);
            let mut places: Vec<usize> = (0..all.len()).filter(is_here).collect();
            if round % 2 == 0 {
                places.reverse();
            }
            for at in places {
                if series.is_over() {
                    return Ok(());
                }
                let variant = &all[at].variant;
                let plan = plan(variant, size, round)?;
                // No run reads what another one created.
                stage.reset(size)?;
                let mut prepared = stage.prepared(variant, &plan)?;
                let result = series.run(&replay.name(variant), &plan, &mut prepared)?;
                // An interrupted run compares nothing.
                if let (Runs::Results(results), false) = (&mut all[at].runs, series.is_over()) {
                    results.push(result);
                }
            }
        }
    }
    Ok(())
}

/// A store's name in the report's labels.
fn label(store: Store) -> &'static str {
    match store {
        Store::Sqlite => "SQLite",
        Store::Postgres => "PostgreSQL",
    }
}

/// A database for the data, alive until the report ends.
struct Stage {
    store: Store,
    database: Database,
    _postgres: Option<Server>,
    _folder: Folder,
}

impl Stage {
    fn set(store: Store) -> Outcome<Self> {
        let folder = Folder::new()?;
        let postgres = match store {
            Store::Sqlite => None,
            Store::Postgres => Some(postgres()?),
        };
        let database = match &postgres {
            Some(server) => Database::Postgres(server.url("postgres")),
            // As on PostgreSQL, each commit waits for the disk.
            None => Database::Sqlite {
                path: folder.path().join("txn.sqlite"),
                synchronous: "full".to_owned(),
            },
        };
        Ok(Self { store, database, _postgres: postgres, _folder: folder })
    }

    /// Loads the data in place of those of the last run.
    fn reset(&self, size: &Size) -> Result<()> {
        // Numbers of rows are far below 2⁵³.
        refill(&self.database, &txn::Entry, size.rows as f64)
    }

    /// A run of a variant, with a server of its own.
    fn prepared(&self, variant: &Variant, plan: &Plan) -> Outcome<Prepared> {
        let served = self.serve(variant)?;
        let mount: Url = served.mount("tcp").parse().map_err(wrong)?;
        let mut request = Request::new("txn", plan.clone());
        request.target = Some(Target::Database(self.database.clone()));
        request.service = Some(txn::resource(mount));
        request.access = served.access();
        request.wanted.mix = mix(variant);
        if !variant.label("size").is_empty() {
            request.given.insert(BATCH_ROWS.name, variant.label("size"));
        }
        let mut prepared = host::prepare(&txn::Entry, &request)?;
        prepared.keep(served);
        Ok(prepared)
    }

    fn serve(&self, variant: &Variant) -> Result<Served> {
        let mut flags = vec!["--workers", variant.label("workers")];
        if is_of_layers(variant) {
            flags.extend(TIMED);
        }
        let application = txn::app_toml(&self.database);
        match &self.database {
            Database::Postgres(url) => Served::start(url, &application, &flags),
            Database::Sqlite { path, synchronous } => {
                flags.extend(["--sqlite-synchronous", synchronous]);
                Served::start(&format!("sqlite:{}", path.display()), &application, &flags)
            }
        }
    }
}

/// Whether a variant is `CREATE` beside the same `INSERT` by SQL.
fn is_of_layers(variant: &Variant) -> bool {
    variant.label("op") == "LAYERS"
}

/// The types of a variant's runs.
fn mix(variant: &Variant) -> Vec<(String, f64)> {
    let kinds = match is_of_layers(variant) {
        true => vec!["CREATE", "SQL"],
        false => vec![variant.label("op")],
    };
    kinds.into_iter().map(|kind| (kind.to_owned(), 1.0)).collect()
}

fn plan(variant: &Variant, size: &Size, round: u32) -> Result<Plan> {
    let clients = variant.label("clients");
    let wrong = |_| Error::new(Code::Setting, format!("{clients:?} is not a number of clients."));
    let users: u32 = clients.parse().map_err(wrong)?;
    Ok(Plan {
        phases: Phases {
            warm_up: Duration::from_secs(size.warm_up),
            measure: Some(Duration::from_secs(size.seconds)),
            ..Phases::default()
        },
        seed: u64::from(round),
        timeout: TIMEOUT,
        ..Plan::closed(1, users)
    })
}
