//! What supervisor and instances say to each other: JSON, a line each.
//!
//! Instances may be of a newer binary than the supervisor: unknown members are ignored, and
//! [`PROTOCOL`] changes with what older ones would misread.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of these messages.
pub(crate) const PROTOCOL: u32 = 3;

/// The first message to an instance; the sockets come with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    pub(crate) protocol: u32,
    /// The number of the instance, from 1. An instance that replaces another one has its number.
    pub number: usize,
    /// Whether it is the one that reports to people what is served.
    pub announces: bool,
    /// Into how many parts a limit on all instances together is divided: as many as there may be,
    /// and one more, because a new instance is ready before the old one ends.
    pub parts: usize,
    /// Rows of the table of turns, and the first of this instance.
    pub(crate) rows: usize,
    pub(crate) first_row: usize,
    /// Workers of each instance.
    pub workers: usize,
    /// What the program hands to every instance.
    pub payload: Value,
}

/// How busy an instance is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Load {
    /// Requests that wait for the database.
    pub waiting: u64,
    /// Requests that the database is busy with.
    pub running: u64,
}

/// What one process asks the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Read everything again that may have changed; asked one after the other.
    Reload,
    /// Change what is kept in memory as a query says; asked one after the other.
    Rowstore(String),
    /// Know that a session of a browser has ended; asked one after the other.
    EndedSession(String),
    /// Report about this subject.
    Report(String),
}

/// To an instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ToInstance {
    Hello(Box<Hello>),
    /// Answer with `Alive`, through every worker.
    Ping,
    Ask {
        id: u64,
        question: Question,
    },
    /// The answer to a question of the instance.
    Answer {
        id: u64,
        body: Value,
    },
    /// Accept no more, and end when the connections have.
    Retire,
}

/// From an instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ToSupervisor {
    /// Requests are answered.
    Ready {
        payload: Value,
    },
    Alive {
        load: Load,
    },
    Answer {
        id: u64,
        body: Value,
    },
    /// A question to all other instances, or about all of them.
    Ask {
        id: u64,
        question: Question,
    },
}
