//! What SQLite says of a connection by its C interface alone: its change counter, for which a statement would be compiled
//! again each time, and whether references are broken that a commit checks.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

use rusqlite::{Connection, ffi};

use crate::file::File;

/// What a connection last saw.
#[derive(Debug, Default)]
pub(crate) struct Version(Cell<u32>);

impl Version {
    /// Duet's counter of changes as of the connection's snapshot. SQLite tells a connection that
    /// the file has changed since it last looked; every such notice moves the counter.
    pub(crate) fn as_of(&self, file: &File, connection: &Connection) -> u64 {
        let version = data_version(connection);
        let known = self.0.replace(version);
        file.changes(known != 0 && known != version)
    }
}

/// `SQLITE_FCNTL_DATA_VERSION`: changes when the file was changed by anybody.
#[expect(unsafe_code, reason = "rusqlite has no safe call for it")]
fn data_version(connection: &Connection) -> u32 {
    let mut version: u32 = 0;
    // SAFETY: the handle is that of an open connection, used on its own thread; a null name means
    // `main`; the operation writes one 32-bit number to the pointer.
    let result: c_int = unsafe {
        ffi::sqlite3_file_control(
            connection.handle(),
            ptr::null(),
            ffi::SQLITE_FCNTL_DATA_VERSION,
            ptr::from_mut(&mut version).cast(),
        )
    };
    if result == ffi::SQLITE_OK { version } else { 0 }
}

/// Whether a commit would be refused now, because a row refers to one that is missing.
#[expect(unsafe_code, reason = "rusqlite has no safe call for it")]
pub(crate) fn has_broken_references(connection: &Connection) -> bool {
    let (mut broken, mut unused): (c_int, c_int) = (0, 0);
    // SAFETY: the handle is that of an open connection, used on its own thread; the call writes one int to each pointer.
    let result: c_int = unsafe {
        ffi::sqlite3_db_status(
            connection.handle(),
            ffi::SQLITE_DBSTATUS_DEFERRED_FKS,
            ptr::from_mut(&mut broken),
            ptr::from_mut(&mut unused),
            0,
        )
    };
    result == ffi::SQLITE_OK && broken != 0
}

/// Switches off SQLite's count of the memory it uses: it takes a lock that all threads share.
/// Has an effect only before the first connection.
#[expect(unsafe_code, reason = "rusqlite has no safe call for it")]
pub(crate) fn without_memory_statistics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: this option takes one int. After the library is initialized the call is refused
        // without effect.
        let _ = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0 as c_int) };
    });
}
