//! What the rest of a service knows of webhooks: how they are declared, what wakes their sender, and what it reports.

pub(crate) mod declaration;
pub(crate) mod report;
pub(crate) mod view_events;
pub(crate) mod wake;
