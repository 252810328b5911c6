//! `duet load`: loads an application's tables and data into a database.

use std::path::Path;
use std::time::{Duration, Instant};

use duet_db::collections;
use duet_db::load::{self, Load, LoadSource, Loaded};
use duet_model::{Code, Error, Result};
use duet_service::definition::Mounts;
use duet_workloads::registry;
use tempfile::TempDir;

use super::database::postgres_settings;
use super::table_scripts::{
    dialect_of, of_collections, prepare_scripts, scaled, script, tables, unreadable,
};
use super::{data_set, provision, source};
use crate::application::{Application, StorePlan};
use crate::args;
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
    let application = source::application(&arguments.app)?;
    let database = DatabaseUrl::read(&arguments.database, Path::new(""))?;
    let begun = Instant::now();
    let profile = arguments.profile.as_deref();
    let wanted = DataOptions { scale, profile, replace: arguments.replace };
    let loaded = into(&application, &database, &wanted)?;
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
        return Err(Error::new(Code::CommandLine, message).hint(hint).into());
    };
    provision::run(arguments)?;
    data_set::run(set, arguments)
}

/// Which data of an application are loaded, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DataOptions<'a> {
    /// The scale, if it was given.
    pub(super) scale: Option<u32>,
    /// The profile of the data, if it was given.
    pub(super) profile: Option<&'a str>,
    /// Whether tables of the same names are dropped first.
    pub(super) replace: bool,
}

/// The scale of an application; options of data sets are errors.
fn of_application(arguments: &args::Load) -> Result<Option<u32>> {
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
        return Err(Error::new(Code::CommandLine, message));
    }
    match arguments.scale {
        None => Ok(None),
        // Whole, and small enough to fit.
        Some(scale) if scale.fract() == 0.0 && scale <= 1e6 => Ok(Some(scale as u32)),
        Some(scale) => {
            let message = format!("An application cannot be loaded at scale {scale}.");
            let hint = "Its scale is a whole number from 1 to 1000000.";
            Err(Error::new(Code::CommandLine, message).hint(hint))
        }
    }
}

/// Loads an application into a database.
///
/// # Errors
/// If the application has nothing for the store, a table is in the way, or a script fails.
pub(super) fn into(
    application: &Application,
    database: &DatabaseUrl,
    wanted: &DataOptions<'_>,
) -> Result<Loaded> {
    let plan = plan(application, database)?;
    let tables = tables(application, None);
    collections::check_dictionaries(dialect_of(database), &tables)?;
    // Built-in database files must be on disk to be copied from.
    let folder = tempfile::tempdir().map_err(Error::internal)?;
    let [tables, indexes] = of_collections(application, database);
    let load = Load {
        sources: [
            tables,
            prepare_scripts(application, database),
            sources(application, plan, wanted, &folder)?,
            indexes,
        ]
        .concat(),
        tables: plan.tables.clone(),
        functions: plan.functions.clone(),
        schema: schema(application),
        replace: wanted.replace,
    };
    match database {
        DatabaseUrl::Sqlite(path) => load::into_sqlite(path, &load),
        DatabaseUrl::Postgres(url) => {
            let settings = postgres_settings(url)?;
            super::runtime()?.block_on(load::into_postgres(&settings, &load))
        }
    }
}

fn plan<'a>(application: &'a Application, database: &DatabaseUrl) -> Result<&'a StorePlan> {
    let plan = match database {
        DatabaseUrl::Sqlite(_) => &application.load.sqlite,
        DatabaseUrl::Postgres(_) => &application.load.postgres,
    };
    plan.as_ref().ok_or_else(|| {
        let (name, store) = (&application.definition.name, database.store());
        let message = format!("The application {name:?} has nothing to load into {store}.");
        Error::new(Code::Setting, message)
            .hint(format!("Its app.toml would say so in [load.{store}]."))
    })
}

fn schema(application: &Application) -> Option<String> {
    match &application.definition.mounts {
        Mounts::Declared(mount) => mount.schema.clone(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    }
}

fn sources(
    application: &Application,
    plan: &StorePlan,
    wanted: &DataOptions<'_>,
    folder: &TempDir,
) -> Result<Vec<LoadSource>> {
    if let Some(name) = wanted.profile.or(plan.profile.as_deref()) {
        let Some(profile) = plan.profiles.get(name) else {
            return Err(no_profile(application, plan, name));
        };
        return scaled(application, &profile.files, wanted.scale.unwrap_or(profile.scale));
    }
    let mut sources = Vec::new();
    for name in &plan.files {
        sources.push(file(application, name, folder)?);
    }
    let Some(scale) = wanted.scale else { return Ok(sources) };
    if plan.scale.is_empty() {
        let message =
            format!("The application {:?} does not support a scale.", application.definition.name);
        return Err(Error::new(Code::Setting, message).hint("Leave out `--scale`."));
    }
    sources.extend(scaled(application, &plan.scale, scale)?);
    Ok(sources)
}

fn no_profile(application: &Application, plan: &StorePlan, name: &str) -> Error {
    let message =
        format!("The application {:?} has no profile {name:?}.", application.definition.name);
    let known: Vec<&str> = plan.profiles.keys().map(String::as_str).collect();
    let without = plan.profile.as_deref().unwrap_or("its usual data");
    Error::new(Code::Setting, message).hint(match known.is_empty() {
        true => "Leave out `--profile`.".to_owned(),
        false => format!("Profiles: {}; without one, {without}.", known.join(", ")),
    })
}

fn file(application: &Application, name: &str, folder: &TempDir) -> Result<LoadSource> {
    if name.ends_with(".sql") {
        let text = script(application, name)?;
        return Ok(LoadSource::Script { name: name.to_owned(), text });
    }
    let bytes = application.folder.read(name).map_err(|error| unreadable(name, &error))?;
    let path = folder.path().join(name.replace('/', "-"));
    std::fs::write(&path, bytes).map_err(Error::internal)?;
    Ok(LoadSource::Database(path))
}

/// The loaded tables, and the speed.
fn summary(name: &str, loaded: &Loaded, took: Duration) -> String {
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

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

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
