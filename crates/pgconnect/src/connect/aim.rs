//! The input of one attempt to connect.

use std::sync::Arc;

use super::hearer::Hearer;
use crate::ConnectionSettings;
use crate::hosts::{Endpoint, Host};
use crate::session::Session;
use crate::streams::duplex::Wrap;
use crate::streams::gate::Gate;
use crate::streams::handover::Handover;

/// The layers between the socket of a connection and the driver.
#[derive(Clone, Default)]
pub(crate) struct Between<'a> {
    /// The wrapper of the socket, below TLS.
    pub(crate) wrap: Option<Wrap<'a>>,
    /// The gate for large rows, above TLS.
    pub(crate) gate: Option<Gate>,
    /// Takes the stream from the driver, above TLS, for a replication connection.
    pub(crate) handover: Option<Handover>,
    /// Hears notifications; without it, they are dropped.
    pub(crate) hearer: Option<Hearer>,
}

/// An attempt.
pub(crate) struct Attempt<'a> {
    pub(crate) settings: &'a Arc<ConnectionSettings>,
    pub(crate) host: &'a Host,
    /// Its position in the list.
    pub(crate) position: usize,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) wanted: Session,
    pub(crate) between: &'a Between<'a>,
}
