//! `duet demo`: the samples, each with its own SQLite file.

use super::serve;
use super::sources::applications::{self, Made, Served, UnresolvedSource};
use super::sources::demo_folder::DemoFolder;
use crate::application::{Application, Location, built_in, process_environment};
use crate::args;
use crate::command_error::CommandError;
use crate::report::Outcome;
use crate::serving::Detail;

pub(super) fn run(arguments: &args::Demo) -> Outcome {
    let detail = if arguments.verbose { Detail::All } else { Detail::First };
    serve::serve(|made| samples_in_folder(arguments, made), detail)
}

/// The samples with their databases: in the folder to keep, in that of the run, or in a new one.
fn samples_in_folder(arguments: &args::Demo, made: Option<Made>) -> Outcome<Served> {
    let (folder, made) = match &arguments.keep {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| {
                CommandError::file(format!("The demo's folder cannot be made: {error}."))
            })?;
            (folder.clone(), None)
        }
        None => {
            let made = match made {
                Some(made) => made,
                None => Made::Here(DemoFolder::make()?),
            };
            (made.path().to_owned(), Some(made))
        }
    };
    let mut parts = Vec::new();
    for application in samples()? {
        let database = applications::loaded_in(&folder, &application)?;
        parts.push(UnresolvedSource::of(application, database));
    }
    applications::served(parts, &arguments.settings, made)
}

/// The built-in applications but those that are left out; the demo's first one comes first.
fn samples() -> Outcome<Vec<Application>> {
    let mut samples = Vec::new();
    for (name, _) in built_in() {
        samples.push(Location::built_in(name)?.read(&process_environment)?);
    }
    samples.retain(|application: &Application| application.load.demo != Some(false));
    samples.sort_by_key(|application| application.load.demo != Some(true));
    Ok(samples)
}
