//! Following queries: the topics, what they read, and how requests join them.

mod follow;
mod links;
mod reads;
mod sight;
mod topic;
