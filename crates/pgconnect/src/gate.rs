//! A say in what is buffered: the driver keeps a whole message of the server in memory before its caller learns how
//! long it is, so a gate is asked about each large row before its bytes are read.

use std::sync::Arc;

use tokio_postgres::error::DbError;

/// A gate is asked about rows of more than so many bytes.
pub const LARGE_ROW: usize = 256 << 10;

/// The place in the source that errors of gates name. Servers name functions of their own, and no SQL can set it.
const ROUTINE: &str = "duet_pgconnect::RowGate";

/// Decides about the large rows of one connection.
pub trait RowGate: Send + Sync {
    /// Admits a row of so many bytes, more than [`LARGE_ROW`], as [`Row::raw_size_bytes`] counts them. Called when its
    /// length has arrived and before its bytes are read.
    ///
    /// # Errors
    /// Where the row is refused. Its statement ends with this error, as if the server had reported it, and the
    /// connection ends behind it.
    ///
    /// [`Row::raw_size_bytes`]: tokio_postgres::Row::raw_size_bytes
    fn admit(&self, bytes: usize) -> Result<(), Refusal>;
}

/// The gate of a connection, shared with whoever reads its rows.
pub type Gate = Arc<dyn RowGate>;

/// Why a row is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The SQLSTATE of the statement's error: five letters or digits.
    pub state: &'static str,
    /// Its message.
    pub message: String,
}

impl Refusal {
    /// The error of a gate, where this is one: no server and no statement can make it.
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
