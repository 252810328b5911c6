//! `duet load`: loads an application's tables and data into a database.

use std::path::Path;
use std::time::{Duration, Instant};

use duet_db::collections;
use duet_db::load::{self, Load, LoadSource, Loaded};
use duet_model::{Code, Error, Result};
use duet_service::definition::Mounts;
use duet_sql::{Dialect, Postgres, Sqlite};
use duet_workloads::registry;
use tempfile::TempDir;

use super::database::postgres_settings;
use super::{collection, data_set, provision, source};
use crate::application::problem::SourceText;
use crate::application::{Application, StorePlan};
use crate::args;
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print};

/// The placeholder of the scale in scripts.
const SCALE: &str = "{scale}";

pub(super) fn run(arguments: &args::Load) -> Outcome {
    provision::run(arguments)?;
    if let Some((_, set)) = registry::data(&arguments.app) {
        return data_set::run(set, arguments);
    }
    let scale = of_application(arguments)?;
    let application = source::application(&arguments.app)?;
    let database = DatabaseUrl::read(&arguments.database, Path::new(""))?;
    let begun = Instant::now();
    let profile = arguments.profile.as_deref();
    let wanted = DataOptions { scale, profile, replace: arguments.replace };
    let loaded = into(&application, &database, &wanted)?;
    print(&summary(&application.definition.name, &loaded, begun.elapsed()))
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
        return Err(Error::new(Code::Setting, message));
    }
    match arguments.scale {
        None => Ok(None),
        // Whole, and small enough to fit.
        Some(scale) if scale.fract() == 0.0 && scale <= 1e6 => Ok(Some(scale as u32)),
        Some(scale) => {
            let message = format!("An application cannot be loaded at scale {scale}.");
            let hint = "Its scale is a whole number from 1 to 1000000.";
            Err(Error::new(Code::Setting, message).hint(hint))
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
    let tables = collection::tables(application, None);
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

fn dialect_of(database: &DatabaseUrl) -> &'static dyn Dialect {
    match database {
        DatabaseUrl::Sqlite(_) => &Sqlite,
        // Indexes are compared with what each server prints: those of one without ICU are its own.
        DatabaseUrl::Postgres(_) => &Postgres { icu: true },
    }
}

/// The scripts that make the tables of the application's collections, and their indexes.
fn of_collections(application: &Application, database: &DatabaseUrl) -> [Vec<LoadSource>; 2] {
    let tables = collection::tables(application, None);
    if tables.is_empty() {
        return [Vec::new(), Vec::new()];
    }
    let [tables, indexes] = collections::scripts(dialect_of(database), tables);
    let source = |name: &str, text| vec![LoadSource::Script { name: name.to_owned(), text }];
    [source("collections", tables), source("indexes of collections", indexes)]
}

/// The application's own scripts for its tables: those for the store, by the end of the name
/// (`NAME.sqlite.sql`), and those for any.
pub(super) fn prepare_scripts(
    application: &Application,
    database: &DatabaseUrl,
) -> Vec<LoadSource> {
    let other = match database {
        DatabaseUrl::Sqlite(_) => ".postgres.sql",
        DatabaseUrl::Postgres(_) => ".sqlite.sql",
    };
    let scripts = application.prepare.iter().filter(|script| !script.name.ends_with(other));
    let script =
        |one: &SourceText| LoadSource::Script { name: one.name.clone(), text: one.text.clone() };
    scripts.map(script).collect()
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

/// Scripts at a scale.
fn scaled(application: &Application, names: &[String], scale: u32) -> Result<Vec<LoadSource>> {
    let source = |name: &String| {
        let text = script(application, name)?.replace(SCALE, &scale.to_string());
        Ok(LoadSource::Script { name: name.clone(), text })
    };
    names.iter().map(source).collect()
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

fn script(application: &Application, name: &str) -> Result<String> {
    application.folder.read_text(name).map_err(|error| unreadable(name, &error))
}

fn unreadable(name: &str, error: &std::io::Error) -> Error {
    Error::new(Code::Setting, format!("{name} cannot be read: {error}."))
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
