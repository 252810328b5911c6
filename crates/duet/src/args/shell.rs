//! `duet completions` and `duet man`: what a package installs beside the program.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print the completion of commands and flags for a shell
///
/// For bash, into ~/.local/share/bash-completion/completions/duet; for zsh, into a file _duet of a
/// folder in $fpath; for fish, into ~/.config/fish/completions/duet.fish.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Write the manual pages of all commands
///
/// `man -l FOLDER/duet.1` shows the first; a package installs them in /usr/share/man/man1.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Where to; the folder is made
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
