//! Limits buffered rows: the driver keeps a whole message of the server in memory before its
//! caller learns the length, so a gate decides about each large row before its bytes are read.

use std::sync::Arc;

use tokio_postgres::error::DbError;

/// The size in bytes above which a gate decides about a row.
pub const LARGE_ROW: usize = 256 << 10;

/// The source position of gates' errors. Servers use function names of their own, and no SQL can
/// set it.
const ROUTINE: &str = "duet_pgconnect::RowGate";

/// Decides about the large rows of one connection, and sees its statements end.
pub trait RowGate: Send + Sync {
    /// Admits a row of this many bytes, more than [`LARGE_ROW`], as [`Row::raw_size_bytes`] counts
    /// them. Called after its length has arrived and before its bytes are read.
    ///
    /// # Errors
    /// If the row is rejected. Its statement fails with this error, as if the server had reported
    /// it, and the connection ends.
    ///
    /// [`Row::raw_size_bytes`]: tokio_postgres::Row::raw_size_bytes
    fn admit(&self, bytes: usize) -> Result<(), Refusal>;

    /// The server says that a statement is complete: its message `CommandComplete` arrives.
    fn completed(&self) {}
}

/// The gate of a connection, shared with the reader of its rows.
pub type Gate = Arc<dyn RowGate>;

/// The reason that a row is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The SQLSTATE of the statement's error: five letters or digits.
    pub state: &'static str,
    /// Its message.
    pub message: String,
}

impl Refusal {
    /// The gate's error, if this is one: no server and no statement can produce it.
    pub fn find(error: &tokio_postgres::Error) -> Option<&DbError> {
        error.as_db_error().filter(|said| said.routine() == Some(ROUTINE))
    }

    /// The message of type `ErrorResponse` that the driver reads; see PostgreSQL's manual, "Message Formats".
    pub(crate) fn response(&self) -> Vec<u8> {
        let mut fields = Vec::new();
        let said = [(b'S', "ERROR"), (b'V', "ERROR"), (b'C', self.state), (b'M', &self.message)];
        for (kind, text) in said.into_iter().chain([(b'R', ROUTINE)]) {
            fields.push(kind);
            fields.extend(text.bytes().filter(|byte| *byte != 0));
            fields.push(0);
        }
        fields.push(0);
        let length = u32::try_from(fields.len() + 4).unwrap_or(u32::MAX).to_be_bytes();
        [&b"E"[..], &length, &fields].concat()
    }
}
