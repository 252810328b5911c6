//! `duet completions` and `duet man`, generated from the command line's definition.

use crate::args::{Completions, Man, command};
use crate::command_error::CommandError;
use crate::report::{Outcome, print};

pub(super) fn completions(arguments: &Completions) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "duet", &mut script);
    print(&String::from_utf8_lossy(&script))
}

pub(super) fn man(arguments: &Man) -> Outcome {
    let folder = &arguments.folder;
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command(), folder));
    written.map_err(|error| CommandError::unwritable(folder, error))?;
    print(&format!("The manual pages are in {}.\n", folder.display()))
}
