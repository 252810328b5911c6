//! `duet bench compare`: compares results with the first of them.

use std::path::{Path, PathBuf};

use duet_bench::whole_file;
use duet_report::ci::{junit, markdown};
use duet_verdict::compare::{Comparison, Ending, compare};
use duet_verdict::judge::Rules;

use super::files::read;
use crate::args;
use crate::command_error::CommandError;
use crate::commands::bench::ending::{NO_VERDICT, end_comparison};
use crate::commands::bench::next::{next, report};
use crate::report::{Outcome, print};

pub(in crate::commands::bench) fn run(arguments: &args::BenchCompare) -> Outcome {
    let results = read(&arguments.results)?;
    let rules = Rules { most_failed: arguments.errors / 100.0, ..arguments.verdicts.rules() };
    let comparison = compare(&results, &rules, arguments.anyway)?;
    print(&if arguments.json { comparison.to_json() } else { text(arguments, &comparison) })?;
    if let Some(folder) = &arguments.ci {
        write_for_pipelines(folder, &comparison)?;
    }
    let ending = comparison.ending();
    end_comparison(ending, arguments.strict, || match ending {
        Ending::Unsound => unsound(&comparison),
        _ => undecided(&comparison),
    })
}

/// Writes the files of --ci.
fn write_for_pipelines(folder: &Path, comparison: &Comparison) -> Outcome {
    let files = [("compare.xml", junit(comparison)), ("compare.md", markdown(comparison))];
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        files.iter().try_for_each(|(name, text)| whole_file::write(&folder.join(name), text))
    });
    written.map_err(|error| {
        let message = format!("The comparison cannot be written to {}: {error}.", folder.display());
        CommandError::file(message)
    })
}

/// What is wrong with the first run in doubt.
fn unsound(comparison: &Comparison) -> String {
    let mut problems = comparison.against.iter().flat_map(|against| &against.problems);
    format!("error: {}\n", problems.next().map_or("", String::as_str))
}

/// Why --strict fails.
fn undecided(comparison: &Comparison) -> String {
    let missing = comparison.against.iter().flat_map(|against| &against.missing).next();
    match missing {
        Some(missing) => format!("error: no verdict: {}\n", missing.why),
        None => NO_VERDICT.to_owned(),
    }
}

fn text(arguments: &args::BenchCompare, comparison: &Comparison) -> String {
    let paths: Vec<&Path> = arguments.results.iter().map(PathBuf::as_path).collect();
    format!("{}{}", comparison.text(), next(&[report(&paths)]))
}
