//! Load tests of databases and HTTP APIs: load models, runs, recorder, observer, results on disk.
//!
//! The engine runs every [`Workload`](workload::Workload). It includes the workloads for REST
//! resources and for a user's own file. Other crates add theirs by implementing
//! [`Configured`](workload::Configured).
//!
//! It uses network protocols alone: HTTP to services, SQL over plain connections to databases. It
//! measures times from the intended start, keeps whole histograms, checks every response and
//! compares its counts with the server's. It prints nothing: callers do.
//!
//! ```
//! use std::time::Duration;
//!
//! use duet_bench::load::{Arrivals, LoadProfile};
//!
//! // An open load of 200 a second plans its arrivals, however long responses take.
//! let mut arrivals = Arrivals::new(LoadProfile::constant(200.0), 0, 1, None);
//! let moments: Vec<Duration> = std::iter::from_fn(|| arrivals.next_moment()).take(3).collect();
//! assert_eq!(moments, [0, 5, 10].map(Duration::from_millis));
//! ```

pub mod agents;
mod clock;
pub mod console;
pub mod facts;
pub mod import;
pub mod jmeter;
pub mod live;
pub mod load;
pub mod observe;
mod pattern;
pub mod record;
pub mod result_files;
pub mod run;
pub mod sample_files;
pub mod secrets;
pub mod selftest;
pub mod swingbench;
pub mod targets;
pub mod telemetry;
pub mod torture;
pub mod whole_file;
pub mod workload;
mod xml;

/// A PostgreSQL server for runs without a target.
pub use duet_throwaway as throwaway;
