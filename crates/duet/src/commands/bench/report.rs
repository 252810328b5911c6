//! `duet bench report`: results as a page, or one of them in another program's form.

use std::fs;

use duet_bench::report::html;
use duet_model::{Code, Error};

use super::read;
use crate::args;
use crate::report::{Outcome, print};

pub(super) fn run(arguments: &args::BenchReport) -> Outcome {
    let results = read(&arguments.results)?;
    let text = match (arguments.form, &*results) {
        (None, results) => html(results, &arguments.verdicts.rules())?,
        (Some(form), [result]) => form.write(result),
        (Some(form), _) => {
            let message = format!("The form {} holds one result.", form.name());
            let hint = "Give one, or merge them first: duet bench merge.";
            return Err(Error::new(Code::Setting, message).hint(hint).into());
        }
    };
    let Some(path) = &arguments.out else { return print(&text) };
    fs::write(path, text).map_err(|error| {
        let message = format!("The report cannot be written to {}: {error}.", path.display());
        Error::new(Code::Setting, message)
    })?;
    print(&format!("{}\n", path.display()))
}
