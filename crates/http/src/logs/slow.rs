//! The slow log: requests that took long, with the statement that took longest.

use std::time::Duration;

use duet_service::SlowestStatement;

use crate::observe::event::{Event, Exchange};

/// Logs requests that take this long.
#[derive(Debug)]
pub(crate) struct SlowLog(pub(crate) Duration);

impl SlowLog {
    pub(crate) fn observe(&self, event: &Event<'_>) {
        if let Event::Answered(exchange) = event
            && self.is_slow(exchange)
        {
            log(exchange);
        }
    }

    /// The duration of bulk loads depends on their clients, and requests outside of applications have no
    /// statements.
    fn is_slow(&self, exchange: &Exchange<'_>) -> bool {
        exchange.duration >= self.0 && !exchange.is_load && !exchange.application.is_empty()
    }
}

fn log(exchange: &Exchange<'_>) {
    let Exchange { id, application, .. } = exchange;
    let resource = exchange.resource.map(|resource| resource.name);
    let millis = exchange.duration.as_millis();
    let slowest = exchange.slowest.and_then(SlowestStatement::get);
    let (statement_millis, statement) =
        slowest.map(|(took, text)| (took.as_millis(), text)).unzip();
    let statement = statement.as_deref();
    tracing::warn!(
        request = %id, application, resource, millis, statement_millis, statement, "slow request"
    );
}
