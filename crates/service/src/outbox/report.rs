//! What the operator is told of webhooks.

/// The webhooks of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookReport {
    /// Each endpoint.
    pub endpoints: Vec<EndpointReport>,
    /// What the database lacks, so that changes are not recorded or not sent; in words for the operator.
    pub lacking: Vec<String>,
}

/// One endpoint. What is counted in the database is as of the last look, and up to a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointReport {
    /// Its name.
    pub name: String,
    /// Since when it is disabled, in milliseconds since 1970.
    pub disabled_at: Option<u64>,
    /// Why it is disabled.
    pub reason: Option<String>,
    /// When it accepted an event last, in milliseconds since 1970.
    pub accepted_at: Option<u64>,
    /// Events that wait.
    pub waiting: u64,
    /// When the oldest of these was recorded, in milliseconds since 1970.
    pub oldest_at: Option<u64>,
    /// Events whose attempts are used up.
    pub dead: u64,
    /// Attempts of this process that the endpoint has accepted.
    pub accepted: u64,
    /// Attempts of this process that have failed.
    pub failed: u64,
    /// Why the last of those has failed.
    pub last_failure: Option<String>,
}
