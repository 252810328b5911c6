//! The command line of `duet webhook`.

use clap::{Args, Subcommand};

use super::application_flags::ApplicationFlags;
use super::setting_flags::SettingFlags;

/// Make what webhooks need in a database, and look after their events
///
/// All but `prepare` and `test` read and write the tables of events in the database; a server may be running meanwhile.
#[derive(Debug, Args)]
pub(crate) struct Webhook {
    #[command(subcommand)]
    pub(crate) action: WebhookAction,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhookAction {
    /// Make the tables of events, and the triggers that fill them
    ///
    /// Triggers on the tables of the watched resources record every change in its own transaction, other programs' changes too.
    /// Connect as the owner of these tables. Needed again when `[[webhook]]` has changed; safe to repeat.
    Prepare {
        #[command(flatten)]
        of: WebhookOf,
        /// The PostgreSQL role of `duet serve`: it is granted what it needs of the tables
        #[arg(long, value_name = "ROLE")]
        server_role: Option<String>,
        /// Print the statements instead of running them
        #[arg(long, conflicts_with = "server_role")]
        print: bool,
    },
    /// List the endpoints, with their events
    List {
        #[command(flatten)]
        of: WebhookOf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the newest events of an endpoint
    Show {
        /// The name of the endpoint
        name: String,
        /// Events in this state alone: `waiting`, `delivered` or `dead`
        #[arg(long, value_name = "STATE", value_parser = state)]
        only: Option<i64>,
        /// The event with this id alone
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// How many at most
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        of: WebhookOf,
    },
    /// Send dead letters again, one event, or all since a moment
    Replay {
        /// The name of the endpoint
        name: String,
        /// The event with this id, delivered or not
        #[arg(long, value_name = "ID", conflicts_with = "since")]
        id: Option<String>,
        /// All events that were recorded in this time, delivered or not, such as `2h`
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        since: Option<std::time::Duration>,
        #[command(flatten)]
        of: WebhookOf,
    },
    /// Remove the dead letters of an endpoint
    Discard {
        /// The name of the endpoint
        name: String,
        #[command(flatten)]
        of: WebhookOf,
    },
    /// Record and send events of an endpoint again
    Enable {
        /// The name of the endpoint
        name: String,
        #[command(flatten)]
        of: WebhookOf,
    },
    /// Send nothing to an endpoint; changes are not recorded for it meanwhile
    Disable {
        /// The name of the endpoint
        name: String,
        #[command(flatten)]
        of: WebhookOf,
    },
    /// Send a trial event to an endpoint, and print what it answers
    ///
    /// The type of the event is `webhook.test`. The database is not asked.
    Test {
        /// The name of the endpoint
        name: String,
        #[command(flatten)]
        of: WebhookOf,
    },
}

/// Whose webhooks.
#[derive(Debug, Args)]
pub(crate) struct WebhookOf {
    /// The application, as `duet serve` takes it [env: DUET_DATABASE]
    #[arg(value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) named: ApplicationFlags,
    /// The database of the application, instead of the one that it names
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

fn state(text: &str) -> Result<i64, String> {
    let states = duet_service::webhooks::OutboxEvent::STATES;
    let found = states.iter().position(|state| *state == text);
    let found = found.and_then(|at| i64::try_from(at).ok());
    found.ok_or_else(|| format!("use {}", states.map(|it| format!("`{it}`")).join(", ")))
}
