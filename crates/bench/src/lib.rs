//! Load tests of databases and HTTP APIs: load models, runs, recorder, observer, results on disk.
//!
//! The engine runs every [`Workload`](workload::Workload). It includes the workloads for REST
//! resources and for a user's own file. Other crates add theirs by implementing
//! [`Configured`](workload::Configured).
//!
//! It uses network protocols alone: HTTP to services, SQL over plain connections to databases. It
//! measures times from the intended start, keeps whole histograms, checks every response and
//! compares its counts with the server's. It prints nothing: callers do.

pub mod console;
pub mod facts;
pub mod live;
pub mod load;
pub mod observe;
pub mod record;
pub mod result;
pub mod run;
pub mod selftest;
pub mod targets;
pub mod workload;

/// A PostgreSQL server for runs without a target.
pub use duet_throwaway as throwaway;
