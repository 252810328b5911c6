//! `duet import`: applications made of other systems' files.

mod application;
mod data;
mod documents;
mod files;
#[cfg(test)]
mod manual_tests;
mod module;
mod names;
mod new_files;
mod postgrest;
mod raml;
mod report;
mod schema_lines;
mod yaml;

use std::path::{Path, PathBuf};

use crate::args::ImportSystem;
use crate::command_error::{CommandError, ExitStatus};
use crate::report::{Outcome, print};
use files::ModuleFiles;
use module::Module;
use new_files::NewFiles;
use report::Report;

pub(super) fn run(system: &ImportSystem) -> Outcome {
    let (module, into, tenant, paths) = match system {
        ImportSystem::Rmb { module, into, tenant, paths } => (module, into, tenant, paths),
        ImportSystem::Postgrest { conf } => return of_postgrest(conf),
    };
    let files = ModuleFiles::list(module)?;
    let name = module_name(module)?;
    let into = into.clone().unwrap_or_else(|| PathBuf::from(&name));
    let mut report = Report::default();
    let read = Module::read(&files, name, paths, &mut report)?;
    let mut written = NewFiles::new(&into);
    let made = application::write(&read, &files, &mut written, tenant, &mut report)?;
    documents::write(&read, &files, &mut written, &made, &mut report)?;
    written.write("report.md", &report.markdown(&read.name))?;
    written.keep();
    let refused = report.refused();
    let shown = into.display();
    let refused = match refused.is_empty() {
        true => String::new(),
        false => format!("Refused:\n{refused}"),
    };
    print(&format!(
        "{}: {} collections in {shown}. {}\n{refused}The report has every line: {shown}/report.md. Next: \
         `duet load {shown} --database URL`, then `duet serve {shown} --database URL`.\n",
        read.name,
        read.collections.len(),
        report.summary()
    ))
}

/// Prints the report of a configuration; what is not taken of it is in the exit code.
fn of_postgrest(conf: &Path) -> Outcome {
    let postgrest::ConfReport { text, not_taken } = postgrest::report(conf)?;
    print(&text)?;
    match not_taken {
        0 => Ok(()),
        1 => Err(CommandError::Ended(ExitStatus::Usage, "error: one line is not taken\n".into())),
        some => Err(CommandError::Ended(
            ExitStatus::Usage,
            format!("error: {some} lines are not taken\n"),
        )),
    }
}

/// The name of a folder.
fn module_name(module: &Path) -> Outcome<String> {
    let whole =
        std::fs::canonicalize(module).map_err(|error| CommandError::unreadable(module, error))?;
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(name.unwrap_or_else(|| "module".to_owned()))
}
