//! The bytes of a connection on their way between server and driver.

pub(crate) mod duplex;
pub(crate) mod gate;
pub(crate) mod gated;
pub(crate) mod handover;
