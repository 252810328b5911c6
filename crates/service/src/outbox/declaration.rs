//! Webhooks as an application declares them.

use std::time::Duration;

use duet_auth::WebhookKey;
use duet_sql::RowEvent;

/// An endpoint, and what is sent to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Webhook {
    /// Its name, which no other endpoint of the database has.
    pub name: String,
    /// Where events are sent.
    pub url: String,
    /// The names of the resources whose rows it is about.
    pub resources: Vec<String>,
    /// What it is told of them.
    pub events: Vec<RowEvent>,
    /// Whether events have the document, where that is not too large.
    pub document: bool,
    /// The keys that sign, at least one.
    pub keys: Vec<WebhookKey>,
    /// How often an event is sent at most.
    pub attempts: usize,
}

/// The limits of webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookLimits {
    /// Events of one endpoint that wait or are dead letters; with more it is disabled.
    pub events: usize,
    /// Events that are sent at once.
    pub deliveries: usize,
    /// The longest body, in bytes; a document that is larger is left out.
    pub body: usize,
    /// How long an attempt may take.
    pub timeout: Duration,
    /// How long events that were delivered are kept.
    pub retention: Duration,
    /// How long events of views are kept.
    pub view_events: Duration,
    /// How often the outbox is looked at where no commit of this process says that there is something new.
    pub poll: Duration,
}

impl Default for WebhookLimits {
    fn default() -> Self {
        Self {
            events: 1_000_000,
            deliveries: 16,
            body: 20_000,
            timeout: Duration::from_secs(20),
            retention: Duration::from_secs(7 * 24 * 3600),
            view_events: Duration::from_secs(7 * 24 * 3600),
            poll: Duration::from_secs(5),
        }
    }
}
