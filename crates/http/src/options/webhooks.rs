//! Where webhooks may be sent.

use ipnet::IpNet;

/// Where webhooks may be sent; to public addresses by https alone, by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookReach {
    /// Networks that are not public, and are reached all the same.
    pub networks: Vec<IpNet>,
    /// Whether addresses may be `http`.
    pub plain_http: bool,
}
