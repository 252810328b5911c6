//! `duet bench merge`: the results of several machines as one.

use duet_bench::result::merge;

use super::read;
use crate::args;
use crate::report::{Outcome, print, warn};

pub(super) fn run(arguments: &args::BenchMerge) -> Outcome {
    let all = merge(&read(&arguments.results)?)?;
    all.write(&arguments.out)?;
    all.warnings.iter().for_each(|text| warn(text));
    print(&format!(
        "{} results, {} users, {} transactions in {} s: {}\n",
        arguments.results.len(),
        all.load.users,
        all.totals.completed,
        all.window.measured_s,
        arguments.out.display()
    ))
}
