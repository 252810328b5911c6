//! Load generators on several hosts: a run hands the processes of its layout to agents, which run them.
//!
//! A run and its agents trust each other by certificates of one authority of their own (mutual TLS 1.3). All processes
//! begin at one moment: the run reads the agents' monotonic clocks before, and again after, and the result says how
//! certain that is. Seconds and totals arrive whole, so a merged result is as fine as that of one machine. An agent's
//! operator says which targets its workers may connect to; the workers themselves keep to it
//! ([`duet_client::confinement`]).

mod agent;
pub mod certificates;
mod clock;
mod fleet;
mod identity;
mod message;

pub use agent::{Agent, AgentOptions};
pub use fleet::{AgentAddress, Fleet, PORT};
pub use identity::Identity;
