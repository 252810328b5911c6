//! Commits: what a transaction has changed, when it is answered, and which documents show it.

pub mod commit;
pub mod commit_class;
pub mod dependents;
