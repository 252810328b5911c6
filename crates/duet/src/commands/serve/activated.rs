//! Sockets that systemd has opened: socket activation, by the variables `LISTEN_FDS` and `LISTEN_PID`
//! (sd_listen_fds(3)).

use std::os::fd::OwnedFd;
use std::sync::Arc;

use duet_http::{Listen, Socket};
use duet_model::{Error, Result};
use listenfd::ListenFd;

use crate::configuration_error::ConfigurationError;

/// The sockets that were handed over to this process; none without the variables.
///
/// # Errors
/// `Setting` where one of them does not listen for streams.
pub(super) fn sockets() -> Result<Vec<Listen>> {
    let mut handed = ListenFd::from_env();
    (0..handed.len()).map(|index| socket(&mut handed, index)).collect()
}

fn socket(handed: &mut ListenFd, index: usize) -> Result<Listen> {
    let descriptor = match handed.take_tcp_listener(index) {
        Ok(listener) => listener.map(OwnedFd::from),
        Err(_) => {
            let unix = handed.take_unix_listener(index).map_err(|error| {
                let place = 3 + index;
                let message = format!("Descriptor {place} of `LISTEN_FDS` cannot be used: {error}.");
                ConfigurationError::file(message)
                    .hint("Give listening stream sockets, such as those of `ListenStream=` of a systemd socket unit.")
            })?;
            unix.map(OwnedFd::from)
        }
    };
    let descriptor = descriptor.ok_or_else(|| Error::internal("a socket is taken twice"))?;
    Ok(Listen::Open(Arc::new(Socket::inherited(descriptor)?)))
}
