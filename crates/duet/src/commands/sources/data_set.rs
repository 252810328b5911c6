//! `duet bench load DATASET`: loads a data set of the bench into a database, or checks one.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use duet_client::ConnectOptions;
use duet_workloads::generate::load::{self, DataLoadOptions, Figures, LoadError, LoadProgress};
use duet_workloads::generate::validate::{self, DataCheck};
use duet_workloads::generate::{DataSet, DataSource, SEED};

use crate::args;
use crate::columns::grouped;
use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};

/// The width of a full bar.
const BAR: u64 = 24;

pub(in crate::commands) fn run(named: &'static dyn DataSource, arguments: &args::Load) -> Outcome {
    if arguments.profile.is_some() {
        let message = format!("`--profile` is for applications; {} is a data set.", named.name());
        return Err(CommandError::refusal(message));
    }
    let database = DatabaseUrl::read(&arguments.database, Path::new(""))?;
    if arguments.validate {
        return check(named, &database);
    }
    let target = target(&database)?;
    let set = data_set(named, arguments)?;
    let threads = arguments.threads.map_or_else(DataLoadOptions::usual_threads, usize::from);
    let options = DataLoadOptions { threads, replace: arguments.replace };
    let mut loaded = load::load(&target, named, &set, options, &show);
    if arguments.repair && matches!(loaded, Err(LoadError::Incomplete)) {
        loaded =
            load::load(&target, named, &set, DataLoadOptions { threads, replace: true }, &show);
    }
    match loaded.map_err(|error| failed(named, &error))? {
        load::LoadOutcome::Loaded(figures) => print(&summary(&set, &figures)),
        load::LoadOutcome::AlreadyThere => print(&format!(
            "{} is already loaded, at scale {} with seed {}: nothing to do.\n",
            set.name, set.scale, set.seed
        )),
    }
}

/// Checks a data set in a database.
///
/// # Errors
/// The failed checks, or that the database cannot be read.
pub(in crate::commands) fn validate(named: &'static dyn DataSource, database: &str) -> Outcome {
    check(named, &DatabaseUrl::read(database, Path::new(""))?)
}

fn data_set(named: &'static dyn DataSource, arguments: &args::Load) -> Outcome<DataSet> {
    let scale = arguments.scale.unwrap_or(named.usual_scale());
    if !named.takes(scale) {
        let message = format!("{} cannot be generated at scale {scale}.", named.name());
        return Err(CommandError::refusal(message).hint(named.scales()));
    }
    let given = &arguments.own.given;
    let is_foreign = |name: &&str| !named.flags().iter().any(|flag| flag.name == *name);
    if let Some(flag) = given.names().find(is_foreign) {
        let message = format!("`--{flag}` is for {}.", args::owners_of_flag(flag));
        return Err(CommandError::refusal(message));
    }
    Ok(named.make(scale, arguments.seed.unwrap_or(SEED), given))
}

fn target(database: &DatabaseUrl) -> Outcome<ConnectOptions> {
    warn_of(database)?;
    Ok(ConnectOptions::of(database.plain()?)?)
}

fn failed(named: &'static dyn DataSource, error: &LoadError) -> CommandError {
    match error {
        LoadError::Database(failure) => {
            let message = format!("{} could not be loaded or checked.", named.name());
            CommandError::server(message).cause(&failure.message)
        }
        _ => CommandError::refusal(error.to_string())
            .hint("`--replace` drops it first, with what depends on it."),
    }
}

fn check(named: &'static dyn DataSource, database: &DatabaseUrl) -> Outcome {
    let target = target(database)?;
    if let Some(path) = database.path()
        && !path.exists()
    {
        let message = format!("There is no database {}.", path.display());
        return Err(CommandError::file(message));
    }
    let checks = validate::validate(&target, named).map_err(|error| failed(named, &error))?;
    let text = verdict(&checks);
    match checks.iter().all(|check| check.passed) {
        true => print(&text),
        false => Err(CommandError::failed(text)),
    }
}

/// What failed, and how many passed.
fn verdict(checks: &[DataCheck]) -> String {
    let mut text = String::new();
    for check in checks.iter().filter(|check| !check.passed) {
        text.push_str(&format!("FAILED {}: {}\n", check.name, check.found));
    }
    let passed = checks.iter().filter(|check| check.passed).count();
    text.push_str(&format!("{passed} of {} checks passed.\n", checks.len()));
    text
}

/// A progress bar on a terminal; elsewhere a line at the end of each table. A closed output is
/// ignored.
fn show(progress: &LoadProgress) {
    let mut out = std::io::stderr().lock();
    let is_whole = progress.done == progress.total;
    let _ = match out.is_terminal() {
        true => {
            let end = if progress.all_done == progress.all_total { "\n" } else { "" };
            write!(out, "\r\x1b[K{}{end}", bar(progress))
        }
        false if is_whole => writeln!(out, "{}", line(progress)),
        false => Ok(()),
    };
    let _ = out.flush();
}

fn bar(progress: &LoadProgress) -> String {
    let filled = BAR * progress.all_done / progress.all_total.max(1);
    let signs: String = (0..BAR).map(|at| if at < filled { '█' } else { '░' }).collect();
    let percent = 100 * progress.all_done / progress.all_total.max(1);
    format!("{signs} {percent:>3} %  {}", line(progress))
}

fn line(progress: &LoadProgress) -> String {
    format!(
        "{}: {} of {} rows, {} rows/s",
        progress.table,
        grouped(progress.done),
        grouped(progress.total),
        grouped(progress.rate() as u64)
    )
}

/// The rows of each table, and the figures with which the well-known wizards end.
fn summary(set: &DataSet, figures: &Figures) -> String {
    let mut text = format!("Loaded {}, scale {}, seed {}:\n", set.name, set.scale, set.seed);
    let tables = figures.tables.iter();
    let width = tables.clone().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, rows) in tables {
        text.push_str(&format!("  {name:<width$}  {:>13}\n", grouped(*rows)));
    }
    let seconds = |time: std::time::Duration| format!("{:.2} s", time.as_secs_f64());
    for (name, value) in [
        ("Connection time", seconds(figures.connection)),
        ("Data generation time", seconds(figures.generation)),
        ("DDL time", seconds(figures.ddl)),
        ("Total time", seconds(figures.total)),
        ("Rows generated", grouped(figures.rows)),
        ("Rows inserted per second", grouped(figures.rate() as u64)),
        ("Commits", grouped(figures.commits)),
        ("Batches", grouped(figures.batches)),
    ] {
        text.push_str(&format!("{name:<24}  {value:>13}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn progress_as_text() {
        let progress = LoadProgress {
            table: "orders",
            done: 1_000,
            total: 4_000,
            all_done: 5_000,
            all_total: 10_000,
            elapsed: Duration::from_secs(1),
        };
        assert_eq!(line(&progress), "orders: 1,000 of 4,000 rows, 5,000 rows/s");
        assert!(bar(&progress).starts_with("████████████░░░░░░░░░░░░  50 %  orders: "));
    }
}
