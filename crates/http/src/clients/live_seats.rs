//! The subscriptions that are open: how many there may be, of all clients and of each, and their end with the server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use duet_model::{Code, Error, Result};
use tokio::sync::watch;

use crate::options::live::LiveOptions;

/// The subscriptions of a process.
#[derive(Debug)]
pub(crate) struct LiveSeats {
    open: Arc<Mutex<OpenSeats>>,
    closing: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct OpenSeats {
    all: usize,
    by_client: HashMap<String, usize>,
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(crate) struct LiveSeat {
    open: Arc<Mutex<OpenSeats>>,
    client: String,
}

fn lock(open: &Mutex<OpenSeats>) -> MutexGuard<'_, OpenSeats> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for LiveSeats {
    fn default() -> Self {
        Self { open: Arc::default(), closing: watch::Sender::new(false) }
    }
}

impl LiveSeats {
    /// A seat for a client.
    ///
    /// # Errors
    /// Where there are as many as there may be.
    pub(crate) fn sit(&self, client: &str, options: &LiveOptions) -> Result<LiveSeat> {
        let mut open = lock(&self.open);
        if open.all >= options.subscriptions {
            let message = format!(
                "The server has {} subscriptions, as many as it may (live_subscriptions).",
                open.all
            );
            return Err(Error::new(Code::LiveLimit, message).retry_after(5));
        }
        let own = open.by_client.get(client).copied().unwrap_or_default();
        if own >= options.of_client {
            let message = format!(
                "The client has {own} subscriptions, as many as it may (live_client_subscriptions)."
            );
            return Err(Error::new(Code::LiveClientLimit, message).retry_after(5));
        }
        open.all += 1;
        open.by_client.insert(client.to_owned(), own + 1);
        Ok(LiveSeat { open: Arc::clone(&self.open), client: client.to_owned() })
    }

    /// Ends all of them.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Says when they end.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }
}

impl Drop for LiveSeat {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.all -= 1;
        if let Some(own) = open.by_client.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                open.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn seats_are_limited_and_given_back() {
        let (seats, heartbeat) = (LiveSeats::default(), Duration::MAX);
        let options = LiveOptions { subscriptions: 3, of_client: 2, heartbeat };
        let first = seats.sit("a", &options).unwrap();
        let second = seats.sit("a", &options).unwrap();
        assert_eq!(seats.sit("a", &options).unwrap_err().code, Code::LiveClientLimit);
        let other = seats.sit("b", &options).unwrap();
        assert_eq!(seats.sit("c", &options).unwrap_err().code, Code::LiveLimit);
        drop(first);
        let third = seats.sit("a", &options).unwrap();
        drop((second, third, other));
        assert!(lock(&seats.open).by_client.is_empty() && lock(&seats.open).all == 0);
    }
}
