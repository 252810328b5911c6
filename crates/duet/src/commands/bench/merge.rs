//! `duet bench merge`: the results of several machines as one.

use std::path::PathBuf;

use duet_bench::result::merge;
use duet_bench::run::RESULT;
use duet_model::{Code, Error, Result};

use super::read;
use crate::args;
use crate::report::{Outcome, print, warn};

pub(super) fn run(arguments: &args::BenchMerge) -> Outcome {
    let paths = whole(&arguments.results)?;
    let all = merge(&read(&paths)?)?;
    all.write(&arguments.out)?;
    all.warnings.iter().for_each(|text| warn(text));
    print(&format!(
        "{} results, {} users, {} transactions in {} s: {}\n",
        paths.len(),
        all.load.users,
        all.totals.completed,
        all.window.measured_s,
        arguments.out.display()
    ))
}

/// A folder that is no run stands for the runs in it, in the order of their names.
fn whole(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut whole = Vec::new();
    for path in paths {
        if !path.is_dir() || path.join(RESULT).exists() {
            whole.push(path.clone());
            continue;
        }
        let unreadable = |error: std::io::Error| {
            let message = format!("{} cannot be read: {error}.", path.display());
            Error::new(Code::Setting, message)
        };
        let before = whole.len();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let run = entry.map_err(unreadable)?.path();
            if run.join(RESULT).exists() {
                whole.push(run);
            }
        }
        whole[before..].sort();
        if whole.len() == before {
            let message = format!("There is no result in {}.", path.display());
            return Err(Error::new(Code::Setting, message));
        }
    }
    Ok(whole)
}
