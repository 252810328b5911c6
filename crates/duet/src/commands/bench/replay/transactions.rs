//! `duet bench replay transactions`: on each store a throwaway database with payment transactions, and every
//! variant in every round, on a server of its own.

use duet_bench::run::{Plan, Prepared};
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_model::{Error, Result};
use duet_report::replay::{Load, Replay, ReplayPage, Size, Variant};
use duet_workloads::built_in::{Request, Target};
use duet_workloads::generate::load::refill;
use duet_workloads::journal;
use duet_workloads::txn::{self, BATCH_ROWS, COMMIT, TIMED};

use super::spread::Spread;
use super::stores::{self, Throwaway, plan};
use crate::args::Store;
use crate::command_error::CommandError;
use crate::commands::bench::run::series::Series;
use crate::commands::bench::started::host;
use crate::commands::bench::started::served::{Served, wrong};
use crate::report::Outcome;

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
    let Load::Transactions { full, quick: short } = replay.load() else {
        return Err(
            Error::internal(std::io::Error::other("the report's workload is unknown")).into()
        );
    };
    let size = if quick { short } else { full };
    stores::run(replay, on, quick, size, |store, _| Stage::set(store), series)
}

/// A database for the data, alive until the report ends.
struct Stage {
    database: DatabaseAddress,
    throwaway: Throwaway,
}

impl Stage {
    fn set(store: Store) -> Outcome<Self> {
        let throwaway = Throwaway::new(store)?;
        let database = match store {
            Store::Sqlite => throwaway.database("txn"),
            Store::Postgres => throwaway.database("postgres"),
        };
        Ok(Self { database, throwaway })
    }

    /// Loads the data in place of those of the last run.
    fn reset(&self, size: &Size) -> Result<()> {
        // Numbers of rows are far below 2⁵³.
        refill(&self.database, &txn::Entry, size.rows as f64)
    }

    fn serve(&self, variant: &Variant) -> Outcome<Served> {
        let mut flags = vec!["--workers", variant.label("workers")];
        if is_of_layers(variant) {
            flags.extend(TIMED);
        }
        if variant.label("instances") != "1" {
            flags.extend(["--instances", variant.label("instances")]);
        }
        let folder = self.throwaway.folder().join("journal").display().to_string();
        if variant.label("commit") == "ingest" {
            journal::prepare(&self.database)?;
            flags.extend(["--journal", &folder]);
        }
        let application = txn::app_toml(&self.database);
        match &self.database {
            DatabaseAddress::Postgres(url) => Served::start(url, &application, &flags),
            DatabaseAddress::Sqlite { path, synchronous } => {
                flags.extend(["--sqlite-synchronous", synchronous]);
                Served::start(&format!("sqlite:{}", path.display()), &application, &flags)
            }
        }
    }
}

impl stores::Stage for Stage {
    fn store(&self) -> Store {
        self.throwaway.store
    }

    /// With a server of its own.
    fn prepared(&self, variant: &Variant, size: &Size, round: u32) -> Outcome<(Plan, Prepared)> {
        let plan = plan(users(variant)?, size, round);
        // No run reads what another one created.
        self.reset(size)?;
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
        if !variant.label("commit").is_empty() {
            request.given.insert(COMMIT.name, variant.label("commit"));
        }
        let mut prepared = host::prepare(&txn::Entry, &request)?;
        if variant.label("instances") != "1" {
            let url = served.mount("tcp").parse().map_err(wrong)?;
            let inner = prepared.proof.take();
            prepared.proof = Some(Box::new(Spread::new(url, served.authorization(), inner)));
        }
        prepared.keep(served);
        Ok((plan, prepared))
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

fn users(variant: &Variant) -> Outcome<u32> {
    let clients = variant.label("clients");
    let wrong = |_| CommandError::refusal(format!("{clients:?} is not a number of clients."));
    clients.parse().map_err(wrong)
}
