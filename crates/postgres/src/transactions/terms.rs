//! Whose write it is, and what its commit waits for.

use std::sync::Arc;

use duet_auth::Identity;
use duet_model::commit_class::CommitClass;

/// What holds for all of a write, whatever it does.
#[derive(Clone, Copy)]
pub(crate) struct WriteTerms<'w> {
    /// With an identity, it runs under its role and claims.
    pub(crate) identity: Option<&'w Arc<Identity>>,
    pub(crate) commit: CommitClass,
}
