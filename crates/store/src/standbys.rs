//! Standbys that answer reads of a database: what they may do, and what is known of them.

use std::fmt;
use std::time::Duration;

/// The standbys of a database, and when a read may go to one of them.
#[derive(Clone, PartialEq, Eq)]
pub struct StandbyOptions {
    /// Their connection strings; they may hold passwords. None: every read goes to the database itself.
    pub urls: Vec<String>,
    /// How long a read waits for a standby that is new enough before it goes to the primary.
    pub position_wait: Duration,
    /// How many clients have the position of their last write remembered; 0 where only the position that a request
    /// brings counts.
    pub clients: usize,
    /// How old what a standby shows may be; one that is later is left until it has caught up.
    pub max_lag: Duration,
    /// How often each server is asked for its position.
    pub beat: Duration,
}

impl Default for StandbyOptions {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            position_wait: Duration::from_millis(50),
            clients: 10_000,
            max_lag: Duration::from_secs(10),
            beat: Duration::from_millis(50),
        }
    }
}

impl fmt::Debug for StandbyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = format_args!("{} connection strings", self.urls.len());
        f.debug_struct("StandbyOptions").field("urls", &secret).finish_non_exhaustive()
    }
}

/// What is known of a standby.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandbyReport {
    /// Its name in answers and metrics; no secrets.
    pub name: String,
    /// The number that links of pages and `Server-Timing` know it by.
    pub mark: u32,
    /// Why no read goes to it now; `None` where reads do.
    pub reason: Option<String>,
    /// How old what it shows is at most; `None` before it was as new as the primary once.
    pub lag: Option<Duration>,
    /// How many bytes of the primary's log it has not replayed, as of the last beat.
    pub lag_bytes: u64,
    /// Reads that it has answered.
    pub reads: u64,
    /// Reads that it did not answer and the primary did.
    pub repeated: u64,
    /// How often it was asked for its position.
    pub beats: u64,
}

/// What is known of reads that might have gone to a standby.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandbysReport {
    /// The standbys, in the order of the settings.
    pub standbys: Vec<StandbyReport>,
    /// Reads that have waited for a standby to become new enough.
    pub waited: u64,
    /// Reads that went to the primary, as no standby was new enough.
    pub at_primary: u64,
    /// How often the primary was asked for its position.
    pub beats: u64,
}
