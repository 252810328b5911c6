//! `duet types`: TypeScript types of an application.

use std::path::PathBuf;

use clap::Args;

use super::any_server::AnyServer;

/// Write the TypeScript types of an application
///
/// For each table, view and collection: its document as it is read, inserted, replaced and changed, its pages and its filters, and
/// a map of all by their paths. They are made from the OpenAPI documents of a running server (--url), as the client may read
/// them, or of a server that is started for SOURCE and ended again.
#[derive(Debug, Args)]
pub(crate) struct Types {
    #[command(flatten)]
    pub(crate) server: AnyServer,
    /// The mount to describe, if there are several
    #[arg(long, value_name = "PATH")]
    pub(crate) mount: Option<String>,
    /// Write them to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
