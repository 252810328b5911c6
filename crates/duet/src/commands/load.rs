//! `duet load`: loads an application's tables and data into a database.

use std::path::Path;
use std::time::{Duration, Instant};

use duet_store::setup::load::LoadedRows;
use duet_workloads::registry;

use super::sources::application_data::{self, DataOptions};
use super::sources::{applications, data_set, provision};
use crate::args;
use crate::columns::grouped;
use crate::command_error::CommandError;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print, renamed};

pub(super) fn run(arguments: &args::Load) -> Outcome {
    if let Some((_, set)) = registry::data(&arguments.app) {
        let name = set.name();
        renamed(&format!("duet load {name}"), &format!("`duet bench load {name}`"));
        return run_data_set(arguments);
    }
    provision::run(arguments)?;
    let scale = of_application(arguments)?;
    let application = applications::application(&arguments.app)?;
    let database = DatabaseUrl::read(&arguments.database, Path::new(""))?;
    let begun = Instant::now();
    let profile = arguments.profile.as_deref();
    let wanted = DataOptions { scale, profile, replace: arguments.replace };
    let loaded = application_data::into(&application, &database, &wanted)?;
    print(&summary(&application.definition.name, &loaded, begun.elapsed()))
}

/// `duet bench load`: loads or checks a data set.
pub(super) fn run_data_set(arguments: &args::Load) -> Outcome {
    let Some((_, set)) = registry::data(&arguments.app) else {
        let message = format!("There is no data set {:?}.", arguments.app);
        let hint = format!(
            "There are {}. `duet load {}` loads an application.",
            registry::data_names(),
            arguments.app
        );
        return Err(CommandError::usage(message).hint(hint));
    };
    provision::run(arguments)?;
    data_set::run(set, arguments)
}

/// The scale of an application; options of data sets are errors.
fn of_application(arguments: &args::Load) -> Outcome<Option<u32>> {
    let args::Load { repair, seed, threads, validate, own, .. } = arguments;
    let own = own.given.names().next().map(|name| format!("--{name}"));
    let given = [
        ("--repair", *repair),
        ("--seed", seed.is_some()),
        ("--threads", threads.is_some()),
        (own.as_deref().unwrap_or_default(), own.is_some()),
        ("--validate", *validate),
    ];
    if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let message = format!("`{flag}` is for the data sets: {}.", registry::data_names());
        return Err(CommandError::usage(message));
    }
    match arguments.scale {
        None => Ok(None),
        // Whole, and small enough to fit.
        Some(scale) if scale.fract() == 0.0 && scale <= 1e6 => Ok(Some(scale as u32)),
        Some(scale) => {
            let message = format!("An application cannot be loaded at scale {scale}.");
            let hint = "Its scale is a whole number from 1 to 1000000.";
            Err(CommandError::usage(message).hint(hint))
        }
    }
}

/// The loaded tables, and the speed.
fn summary(name: &str, loaded: &LoadedRows, took: Duration) -> String {
    let total: u64 = loaded.iter().map(|(_, rows)| rows).sum();
    let width = loaded.iter().map(|(table, _)| table.len()).max().unwrap_or(0).max(5);
    let mut text = format!("Loaded {name}:\n");
    for (table, rows) in loaded {
        text.push_str(&format!("  {table:<width$}  {:>11}\n", grouped(*rows)));
    }
    let seconds = took.as_secs_f64();
    // Whole rows per second are exact enough.
    let rate = (total as f64 / seconds.max(0.001)) as u64;
    text.push_str(&format!(
        "  {:<width$}  {:>11} rows in {seconds:.2} s, {} rows/s\n",
        "total",
        grouped(total),
        grouped(rate)
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary() {
        let loaded = vec![("team".to_owned(), 100_000), ("driver".to_owned(), 200_000)];
        let expected = "\
Loaded x:
  team        100,000
  driver      200,000
  total       300,000 rows in 1.50 s, 200,000 rows/s
";
        assert_eq!(summary("x", &loaded, Duration::from_millis(1_500)), expected);
    }
}
