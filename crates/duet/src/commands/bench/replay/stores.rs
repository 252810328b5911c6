//! Replays whose variants run on each store: which variants, in what order, and the facts of the page.

use std::time::Duration;

use duet_bench::run::{Phases, Plan, Prepared};
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::throwaway::Server;
use duet_report::replay::{
    Replay, ReplayMeasurement, ReplayPage, Runs, Series as OfVariant, Size, Variant,
};

use super::variants::{facts, planned};
use crate::args::{Store, TIMEOUT};
use crate::commands::bench::run::series::Series;
use crate::commands::bench::started::own_server::postgres;
use crate::commands::bench::started::undo::Folder;
use crate::report::{Outcome, print};

/// Databases of one store, on which its variants run.
pub(in crate::commands::bench) trait Stage {
    /// The store.
    fn store(&self) -> Store;

    /// A run of a variant with its plan.
    ///
    /// # Errors
    /// If its database or its server is not ready.
    fn prepared(&self, variant: &Variant, size: &Size, round: u32) -> Outcome<(Plan, Prepared)>;
}

/// A throwaway database of a store: its server, or the folder of its files.
pub(in crate::commands::bench) struct Throwaway {
    pub(in crate::commands::bench) store: Store,
    postgres: Option<Server>,
    folder: Folder,
}

impl Throwaway {
    /// # Errors
    /// If PostgreSQL does not start, or no folder can be made.
    pub(in crate::commands::bench) fn new(store: Store) -> Outcome<Self> {
        let postgres = match store {
            Store::Sqlite => None,
            Store::Postgres => Some(postgres()?),
        };
        Ok(Self { store, postgres, folder: Folder::new()? })
    }

    /// The database of this name, which on PostgreSQL must be there; a new server has `postgres`.
    pub(in crate::commands::bench) fn database(&self, name: &str) -> DatabaseAddress {
        match &self.postgres {
            Some(server) => DatabaseAddress::Postgres(server.url(name)),
            // As on PostgreSQL, each commit waits for the disk.
            None => DatabaseAddress::Sqlite {
                path: self.folder.path().join(format!("{name}.sqlite")),
                synchronous: "full".to_owned(),
            },
        }
    }

    /// The server of PostgreSQL.
    pub(in crate::commands::bench) fn server(&self) -> Option<&Server> {
        self.postgres.as_ref()
    }

    /// A folder for temporary files.
    pub(in crate::commands::bench) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

/// Measures every variant in every round on the stages that `set` makes, and judges the report.
///
/// # Errors
/// If a stage cannot be set, or a run fails.
pub(in crate::commands::bench) fn run<S: Stage>(
    replay: &Replay,
    on: Option<Store>,
    quick: bool,
    size: &Size,
    set: impl Fn(Store, &Size) -> Outcome<S>,
    series: &mut Series,
) -> Outcome<ReplayPage> {
    let stores = match on {
        Some(store) => vec![store],
        None => vec![Store::Sqlite, Store::Postgres],
    };
    let mut all = planned(replay, "where", "");
    let is_wanted = |variant: &Variant| {
        let is_on = stores.iter().any(|store| label(*store) == variant.label("store"));
        is_on && (!quick || variant.label("quick") != "no")
    };
    all.retain(|it| is_wanted(&it.variant));
    for it in &mut all {
        let server = format!("Duet on {}", it.variant.label("store"));
        it.variant.labels.insert("where".into(), server);
    }
    let stages = stores.iter().map(|store| set(*store, size));
    let stages = stages.collect::<Outcome<Vec<S>>>()?;
    rounds(replay, &stages, size, &mut all, series)?;
    let mut facts = facts([("rows", size.rows.to_string())]);
    let flags = [("quick", quick), ("not_optimized", cfg!(debug_assertions))];
    let flags = flags.into_iter().filter(|(_, is_so)| *is_so);
    facts.extend(flags.map(|(name, _)| (name.to_owned(), "yes".to_owned())));
    Ok(replay.page(&ReplayMeasurement { series: all, facts, ..ReplayMeasurement::default() }))
}

/// Store by store; every other round goes backwards, so that neighbours are pairs of runs.
fn rounds<S: Stage>(
    replay: &Replay,
    stages: &[S],
    size: &Size,
    all: &mut [OfVariant],
    series: &mut Series,
) -> Outcome {
    for round in 1..=size.rounds {
        print(&format!("round {round} of {}\n", size.rounds))?;
        for stage in stages {
            let is_here = |at: &usize| all[*at].variant.label("store") == label(stage.store());
            let mut places: Vec<usize> = (0..all.len()).filter(is_here).collect();
            if round % 2 == 0 {
                places.reverse();
            }
            for at in places {
                if series.is_over() {
                    return Ok(());
                }
                let variant = &all[at].variant;
                let (plan, mut prepared) = stage.prepared(variant, size, round)?;
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

/// The plan of a run of this round.
pub(in crate::commands::bench) fn plan(users: u32, size: &Size, round: u32) -> Plan {
    Plan {
        phases: Phases {
            warm_up: Duration::from_secs(size.warm_up),
            measure: Some(Duration::from_secs(size.seconds)),
            ..Phases::default()
        },
        seed: u64::from(round),
        timeout: TIMEOUT,
        ..Plan::closed(1, users)
    }
}
