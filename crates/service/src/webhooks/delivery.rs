//! What is sent, and what comes of it; whatever speaks HTTP is a [`Courier`].

use std::time::Duration;

use futures_util::future::LocalBoxFuture;

/// An attempt to send an event.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Where to.
    pub url: String,
    /// The id of the event, the same in every attempt.
    pub id: String,
    /// When the attempt was made, in seconds since 1970.
    pub timestamp: u64,
    /// The signatures.
    pub signature: String,
    /// The body: JSON.
    pub body: String,
    /// How long it may take.
    pub timeout: Duration,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryAnswer {
    /// The endpoint has answered.
    Answered {
        /// The status.
        status: u16,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// There is no answer; why.
    Failed(String),
}

impl DeliveryAnswer {
    /// The status, if the endpoint has answered.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Answered { status, .. } => Some(*status),
            Self::Failed(_) => None,
        }
    }

    /// How long the endpoint wants to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Answered { retry_after, .. } => *retry_after,
            Self::Failed(_) => None,
        }
    }

    /// Whether the event was accepted.
    pub fn is_accepted(&self) -> bool {
        matches!(self.status(), Some(200..=299))
    }

    /// Whether the endpoint wants no more events.
    pub(super) fn is_gone(&self) -> bool {
        self.status() == Some(410)
    }

    /// Whether the endpoint is overloaded, so that it gets nothing for a while.
    pub(super) fn throttles(&self) -> bool {
        matches!(self.status(), Some(429 | 502 | 504)) || self.retry_after().is_some()
    }

    /// In words, for logs and the operator.
    pub fn words(&self) -> String {
        match self {
            Self::Answered { status: status @ 300..=399, .. } => {
                format!("status {status}: redirects are not followed")
            }
            Self::Answered { status, .. } => format!("status {status}"),
            Self::Failed(why) => why.clone(),
        }
    }
}

/// Sends events.
pub trait Courier {
    /// Makes an attempt.
    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> LocalBoxFuture<'a, DeliveryAnswer>;
}
