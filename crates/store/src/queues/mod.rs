//! The queues in front of a store.

pub mod admit;
pub mod classes;
