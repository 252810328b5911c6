//! The end of a server whose starter has ended: a load test that is killed leaves no server behind.

use std::io;

use duet_model::{Error, Result};
use rustix::process::{Signal, getpid, kill_process};

use crate::settings::ENDS_WITH_INPUT;

/// Has this process stop, as by SIGTERM, when its standard input ends, if its starter has asked for it.
///
/// # Errors
/// If a thread cannot be started.
pub(super) fn watch() -> Result<()> {
    if std::env::var_os(ENDS_WITH_INPUT).is_none() {
        return Ok(());
    }
    let wait = || {
        // A signal that interrupts the reading is no end. What cannot be read has ended.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        // It can only fail where the process is not this one.
        let _ = kill_process(getpid(), Signal::TERM);
    };
    let thread = std::thread::Builder::new().name("starter".to_owned()).spawn(wait);
    thread.map(drop).map_err(Error::internal)
}
