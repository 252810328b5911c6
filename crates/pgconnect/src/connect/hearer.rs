//! What hears the notifications of a connection.

use std::sync::Arc;

/// Hears what the server sends by `NOTIFY`: the channel, and the payload.
pub type Hearer = Arc<dyn Fn(&str, &str) + Send + Sync>;
