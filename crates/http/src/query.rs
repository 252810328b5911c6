//! Query strings are read by the service, where `explain` reads them too.

pub(crate) use duet_service::query::{PageMembers, PageParameters, Parameters};
