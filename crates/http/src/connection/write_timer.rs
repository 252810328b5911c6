//! The time limit of a client that takes nothing: its connection is closed, so that it is free for
//! others.

use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Sleep;

/// The timer of one connection.
#[derive(Debug)]
pub(crate) struct WriteTimer {
    patience: Duration,
    /// Set while the socket takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl WriteTimer {
    /// A limit on how long a socket may take nothing.
    pub(crate) fn new(patience: Duration) -> Self {
        Self { patience, stalled: None }
    }

    /// Passes on the socket's result of a write; an error where it has taken nothing for too long.
    pub(crate) fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<Result<T>>,
    ) -> Poll<Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client takes nothing")))
    }
}
