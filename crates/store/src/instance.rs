//! What a database says of itself at one moment: sessions, who blocks whom, and counters, for the operator who watches it.
//! Only what the role of the server may read; what it may not is said.

/// The state of a database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceView {
    /// Sessions of others and of this server; none where the database has no such thing.
    pub sessions: Vec<SessionView>,
    /// What only grows, by name: the growth between two looks is a rate.
    pub counters: Vec<(&'static str, f64)>,
    /// What is as it is now, by name.
    pub gauges: Vec<(&'static str, f64)>,
    /// What cannot be read, and what to do, in words.
    pub unread: Vec<String>,
}

/// A session of the database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionView {
    /// The number of its process.
    pub process: i32,
    /// Its user.
    pub user: String,
    /// What it calls itself.
    pub program: String,
    /// What it does, such as `active` or `idle in transaction`; `None` where that may not be read.
    pub state: Option<String>,
    /// What it waits for, such as `Lock: transactionid`.
    pub wait: Option<String>,
    /// The processes that it waits for.
    pub blocked_by: Vec<i32>,
    /// Seconds since its state began.
    pub seconds: f64,
    /// The first word of its statement: the rest may hold values.
    pub verb: Option<String>,
}

/// The most sessions that are listed: those that are blocked, or work, come first.
pub const SESSIONS: usize = 200;
