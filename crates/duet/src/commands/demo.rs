//! `duet demo`: the sample from a SQLite file of its own.

use std::path::PathBuf;

use duet_model::{Code, Error, Result};
use tempfile::TempDir;

use super::{load, serve, source};
use crate::application::{Application, Location, built_in, process_environment};
use crate::args;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;

pub(super) fn run(arguments: &args::Demo) -> Outcome {
    let application = sample()?;
    let (path, _temporary) = place(arguments, &application)?;
    let database = DatabaseUrl::Sqlite(path.clone());
    if !path.exists() {
        load::into(&application, &database, None, false)?;
    }
    let resolved = source::with_settings(Some(application), database, &arguments.settings)?;
    serve::serve(resolved)
}

/// The built-in application that shows what Duet does.
fn sample() -> Outcome<Application> {
    for (name, _) in built_in() {
        let application = Location::built_in(name)?.read(&process_environment)?;
        if application.load.demo {
            return Ok(application);
        }
    }
    Err(Error::new(Code::Setting, "No application is built in for the demo.").into())
}

/// The database's file; a temporary folder lives as long as the second value.
fn place(arguments: &args::Demo, application: &Application) -> Result<(PathBuf, Option<TempDir>)> {
    let name = format!("{}.sqlite", application.definition.name);
    let cannot = |error: std::io::Error| {
        Error::new(Code::Setting, format!("The demo's folder cannot be made: {error}."))
    };
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder).map_err(cannot)?;
        return Ok((folder.join(name), None));
    }
    let folder = tempfile::Builder::new().prefix("duet-demo-").tempdir().map_err(cannot)?;
    Ok((folder.path().join(name), Some(folder)))
}
