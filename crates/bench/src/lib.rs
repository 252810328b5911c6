//! What a database and the services on it can bear: workloads, load models, recorder, results.
//!
//! It speaks only the wire: HTTP to services, SQL over plain connections to databases. It times from
//! the intended start, keeps whole histograms, checks every answer and holds its counts against the
//! server's own. It prints nothing: what a terminal shows is written by who calls it.

pub mod console;
pub mod facts;
pub mod generate;
pub mod live;
pub mod load;
pub mod lookup;
pub mod observe;
pub mod record;
pub mod result;
pub mod retail;
pub mod run;
pub mod selftest;
pub mod soe;
pub mod targets;
pub mod workload;

/// A PostgreSQL server for runs that have no target.
pub use duet_throwaway as throwaway;
