//! The flags of commands that read an application.

use std::path::PathBuf;

use clap::Args;

/// The application by a flag, so that the argument is its database.
#[derive(Debug, Default, Args)]
pub(crate) struct ApplicationFlags {
    /// The application to serve: its `app.toml` or its folder [env: DUET_CONFIG]
    #[arg(long, value_name = "APP.TOML", conflicts_with = "app")]
    pub(crate) config: Option<PathBuf>,
    /// A built-in application to serve; `duet apps` lists them [env: DUET_APP]
    #[arg(long, value_name = "NAME")]
    pub(crate) app: Option<String>,
}

impl ApplicationFlags {
    /// Whether one of the flags was given.
    pub(crate) fn is_given(&self) -> bool {
        self.config.is_some() || self.app.is_some()
    }
}
