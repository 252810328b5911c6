//! Connecting: the attempts at the hosts in order, and why one failed.

pub(crate) mod aim;
pub(crate) mod attempt;
pub(crate) mod canceller;
pub(crate) mod connected;
pub(crate) mod connector;
pub(crate) mod failure;
pub(crate) mod handshake;
pub(crate) mod socket;
pub(crate) mod transport;
