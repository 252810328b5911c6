//! An observer that keeps what it sees, so that tests assert on what happened and wait for it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use duet_http::{Event, Exchange, Observer, Stages};
use duet_model::Code;
use duet_service::SlowestStatement;

use super::{PATIENCE, Setup};

/// An event, as far as tests look at it.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Answered(SeenExchange),
    StreamSent(usize),
    StreamBroken(SeenExchange),
    StreamEnded(SeenExchange),
    /// Any other event, as it prints itself.
    Other(String),
}

/// A request and its response.
#[derive(Clone, Debug)]
pub(crate) struct SeenExchange {
    pub(crate) id: String,
    pub(crate) request: String,
    pub(crate) application: String,
    pub(crate) resource: Option<String>,
    pub(crate) client: (String, String),
    pub(crate) status: u16,
    pub(crate) code: Option<Code>,
    pub(crate) bytes: usize,
    pub(crate) stages: Stages,
    pub(crate) statement: Option<String>,
    pub(crate) is_stream: bool,
}

impl SeenExchange {
    fn of(exchange: &Exchange<'_>) -> Self {
        Self {
            id: exchange.id.to_string(),
            request: format!("{} {}", exchange.method, exchange.target.shown()),
            application: exchange.application.to_owned(),
            resource: exchange.resource.map(|served| format!("{}/{}", served.mount, served.name)),
            client: (exchange.client.to_owned(), exchange.client_name.to_owned()),
            status: exchange.status,
            code: exchange.code(),
            bytes: exchange.bytes,
            stages: exchange.stages,
            statement: exchange.slowest.and_then(SlowestStatement::get).map(|(_, text)| text),
            is_stream: exchange.is_stream,
        }
    }
}

/// Keeps every event.
#[derive(Debug, Default)]
pub(crate) struct Witness {
    seen: Mutex<Vec<Seen>>,
    more: Condvar,
}

impl Observer for Witness {
    fn observe(&self, event: &Event<'_>) {
        let seen = match event {
            Event::Answered(exchange) => Seen::Answered(SeenExchange::of(exchange)),
            Event::StreamSent(bytes) => Seen::StreamSent(*bytes),
            Event::StreamBroken(exchange) => Seen::StreamBroken(SeenExchange::of(exchange)),
            Event::StreamEnded(exchange) => Seen::StreamEnded(SeenExchange::of(exchange)),
            other => Seen::Other(format!("{other:?}")),
        };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        self.more.notify_all();
    }
}

impl Witness {
    /// Watches a server to be.
    pub(crate) fn of(setup: &mut Setup) -> Arc<Self> {
        let witness = Arc::new(Self::default());
        let observer = Arc::clone(&witness);
        setup.options.observer = Some(observer);
        witness
    }

    /// What has happened so far.
    pub(crate) fn all(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until as many events as this, of those that are picked, have happened; they are given back.
    #[track_caller]
    pub(crate) fn wait_for<T>(&self, count: usize, pick: impl Fn(&Seen) -> Option<T>) -> Vec<T> {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.lock().unwrap();
        loop {
            let picked: Vec<T> = seen.iter().filter_map(&pick).collect();
            if picked.len() >= count {
                return picked;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "in vain: {seen:#?}");
            seen = self.more.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// The one request with this method and target.
    #[track_caller]
    pub(crate) fn answered(&self, request: &str) -> SeenExchange {
        let is_it = |seen: &Seen| match seen {
            Seen::Answered(exchange) if exchange.request == request => Some(exchange.clone()),
            _ => None,
        };
        let mut found = self.wait_for(1, is_it);
        assert_eq!(found.len(), 1, "{found:#?}");
        found.remove(0)
    }

    /// Waits for events that print themselves so, and gives them back.
    #[track_caller]
    pub(crate) fn others(&self, count: usize, start: &str) -> Vec<String> {
        self.wait_for(count, |seen| match seen {
            Seen::Other(text) if text.starts_with(start) => Some(text.clone()),
            _ => None,
        })
    }
}
