//! Connecting: the attempts at the hosts in order, and why one failed.

mod aim;
mod attempt;
pub(crate) mod canceller;
pub(crate) mod connected;
pub(crate) mod connector;
mod failure;
mod handshake;
pub(crate) mod hearer;
mod socket;
pub(crate) mod transport;
