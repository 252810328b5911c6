//! Webhooks: what changes in a table is sent to endpoints by HTTP, at least once.
//!
//! Triggers add events to an outbox in the transaction of each change, whoever makes it ([`watch`]). A task of each
//! process takes those that are due ([`sender`]), has a [`Courier`] send them, and notes what came of it ([`events`]).
//! Of each key and endpoint, one event is under way: the next is sent when the one before was accepted, or has used up
//! its attempts. An event is sent again until then, by the [`schedule`].

mod delivery;
mod events;
mod letter;
mod schedule;
mod sender;
mod watch;

pub use crate::outbox::declaration::{Webhook, WebhookLimits};
pub use crate::outbox::report::{EndpointReport, WebhookReport};
pub use crate::outbox::wake::Outbox;
pub use delivery::{Courier, Delivery, DeliveryAnswer};
pub use duet_auth::{WebhookKey, webhook_signatures};
pub use duet_sql::{EventFilter, RowEvent};
pub use events::{EndpointState, OutboxEvent};
pub use schedule::ATTEMPTS;
pub use watch::{PreparedWatches, WatchState};
