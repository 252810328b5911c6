//! `duet bench report`: writes results as a page, or exports one of them.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use duet_bench::run::holds_run;
use duet_bench::whole_file::WholeFile;
use duet_report::html::html;
use duet_verdict::result::RunResult;

use super::files::read;
use super::series_folder::with_runs;
use crate::args;
use crate::command_error::CommandError;
use crate::commands::bench::next::{compare, next, report as page};
use crate::report::{Outcome, print};

pub(in crate::commands::bench) fn run(arguments: &args::BenchReport) -> Outcome {
    let results = read(&with_runs(&arguments.results)?)?;
    if let (Some(form), false) = (arguments.form, results.len() == 1) {
        let message = format!("The form {} holds one result.", form.name());
        let hint = "Give one, or merge them first: duet bench merge.";
        return Err(CommandError::usage(message).hint(hint));
    }
    let page = match arguments.form {
        None => html(&results, &arguments.verdicts.rules())?,
        Some(_) => String::new(),
    };
    let Some(path) = &arguments.out else {
        write(arguments, &results, &page, &mut BufWriter::new(io::stdout().lock()))?;
        return Ok(());
    };
    let written = WholeFile::begin(path).and_then(|mut file| {
        write(arguments, &results, &page, &mut file)?;
        file.finish()
    });
    written.map_err(|error| {
        let message = format!("The report cannot be written to {}: {error}.", path.display());
        CommandError::file(message)
    })?;
    print(&format!("{}\n{}", path.display(), next(&following(arguments))))
}

/// Suggests the page after an export; otherwise a comparison, which takes results of single runs.
fn following(arguments: &args::BenchReport) -> Vec<String> {
    let paths: Vec<&Path> = arguments.results.iter().map(PathBuf::as_path).collect();
    let is_series = |path: &&Path| path.is_dir() && !holds_run(path);
    match (arguments.form, &*paths) {
        (None, paths) if paths.iter().any(is_series) => Vec::new(),
        (Some(_), paths) => vec![page(paths)],
        (None, [one]) => vec![compare(&[Path::new("BEFORE"), one])],
        (None, paths) => vec![compare(paths)],
    }
}

/// Exports the one result, or writes the page.
fn write(
    arguments: &args::BenchReport,
    results: &[RunResult],
    page: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    match (arguments.form, results) {
        (Some(form), [result]) => form.write(result, out)?,
        _ => out.write_all(page.as_bytes())?,
    }
    out.flush()
}
