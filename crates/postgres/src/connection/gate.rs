//! The gate of a connection: how [`Arriving`] refuses a row before the driver reads it, and how the refusal comes back
//! as the error of the row's statement.

use std::sync::Arc;

use duet_model::{Code, Error};
use duet_pgconnect::{Gate, LARGE_ROW, Refusal, RowGate};
use duet_store::memory::arriving::{Arriving, LEASED_ROW};

// Both sides mean the same rows.
const _: () = assert!(LEASED_ROW == LARGE_ROW);

/// `program_limit_exceeded`: the row is more than an answer may hold.
const TOO_LARGE: &str = "54000";

/// `out_of_memory`: too little memory is free.
const NO_ROOM: &str = "53200";

/// The gate of the connection that these rows arrive on.
pub(crate) fn gate(arriving: &Arc<Arriving>) -> Gate {
    Arc::new(RowsGate(Arc::clone(arriving)))
}

/// Rows arrive through their leases.
struct RowsGate(Arc<Arriving>);

impl RowGate for RowsGate {
    fn admit(&self, bytes: usize) -> Result<(), Refusal> {
        self.0.admit(bytes).map_err(|error| {
            let state = if error.code == Code::AnswerTooLarge { TOO_LARGE } else { NO_ROOM };
            Refusal { state, message: error.message }
        })
    }

    fn completed(&self) {
        self.0.completed();
    }
}

/// The error with which a gate has refused a row, where it is one.
pub(crate) fn refused(error: &tokio_postgres::Error) -> Option<Error> {
    let db_error = Refusal::find(error)?;
    let message = db_error.message();
    Some(match db_error.code().code() {
        TOO_LARGE => Error::new(Code::AnswerTooLarge, message),
        _ => Error::new(Code::MemoryLimit, message).retry_after(1),
    })
}
