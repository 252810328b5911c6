//! `duet changes`: live changes on a terminal.

use clap::Args;
use duet_bench::targets::http::Url;

use super::any_server::CallerFlags;

/// Follow the changes of a resource of a running server
///
/// Prints a line of JSON for each document that the query selects, and then for each that enters, changes or leaves. A lost
/// connection is opened again: what has changed meanwhile follows, and nothing is repeated. It ends where the server
/// refuses, such as when the token has expired.
#[derive(Debug, Args)]
pub(crate) struct Changes {
    /// The path of a collection or an item, such as `/ords/hr/team/` or `/ords/hr/team/7`
    #[arg(value_name = "RESOURCE")]
    pub(crate) resource: String,
    /// The server: `http://host:port`, `https://…` or `unix:PATH:/`
    #[arg(
        long,
        value_name = "URL",
        env = "DUET_URL",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080"
    )]
    pub(crate) url: Url,
    /// Follow the documents of this filter, as JSON
    #[arg(long, value_name = "FILTER", conflicts_with = "query")]
    pub(crate) q: Option<String>,
    /// The same as CQL
    #[arg(long, value_name = "CQL")]
    pub(crate) query: Option<String>,
    /// Only these members of each document
    #[arg(long, value_name = "NAMES")]
    pub(crate) fields: Option<String>,
    /// Go on behind this event: the `id` of the last line of an earlier run
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) caller: CallerFlags,
}
