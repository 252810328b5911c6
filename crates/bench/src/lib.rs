//! Load tests of databases and HTTP APIs: load models, runs, recorder, observer, results on the disk.
//!
//! The engine runs every [`Workload`](workload::Workload). REST resources and a user's own file are part of it;
//! others implement [`Configured`](workload::Configured), and it does not know them.
//!
//! It speaks only the wire: HTTP to services, SQL over plain connections to databases. It times from
//! the intended start, keeps whole histograms, checks every answer and holds its counts against the
//! server's own. It prints nothing: what a terminal shows is written by who calls it.

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

/// A PostgreSQL server for runs that have no target.
pub use duet_throwaway as throwaway;
