//! Registering the functions of a connection: each counts its work, and ends where the interrupt says so.

use std::sync::Arc;

use duet_text::effort::{Effort, WORD};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags, SqlFnOutput};
use rusqlite::types::ValueRef;

use super::interrupt::{Interrupt, interrupted};

/// The flags of functions that a condition or an order calls.
const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_DIRECTONLY);
/// The flags of those that indexes of collections and their conditions call too.
const INDEXED: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// What a function gives; an error ends its statement.
pub(super) type Ended<T> = rusqlite::Result<T>;

/// A connection that gets functions, and what says when their work is over.
pub(super) struct Register<'c> {
    connection: &'c Connection,
    interrupt: &'c Arc<Interrupt>,
}

impl<'c> Register<'c> {
    /// For a connection, whose work ends where the interrupt says so.
    pub(super) fn new(connection: &'c Connection, interrupt: &'c Arc<Interrupt>) -> Self {
        Self { connection, interrupt }
    }

    /// Adds a function that conditions and orders call.
    pub(super) fn add<T: SqlFnOutput>(
        &self,
        name: &str,
        arguments: i32,
        run: impl Fn(&Context<'_>, &Effort<'_>) -> Ended<T> + Send + 'static,
    ) -> rusqlite::Result<()> {
        self.add_with(FLAGS, name, arguments, run)
    }

    /// Adds a function that indexes call too.
    pub(super) fn add_indexed<T: SqlFnOutput>(
        &self,
        name: &str,
        arguments: i32,
        run: impl Fn(&Context<'_>, &Effort<'_>) -> Ended<T> + Send + 'static,
    ) -> rusqlite::Result<()> {
        self.add_with(INDEXED, name, arguments, run)
    }

    fn add_with<T: SqlFnOutput>(
        &self,
        flags: FunctionFlags,
        name: &str,
        arguments: i32,
        run: impl Fn(&Context<'_>, &Effort<'_>) -> Ended<T> + Send + 'static,
    ) -> rusqlite::Result<()> {
        let interrupt = Arc::clone(self.interrupt);
        self.connection.create_scalar_function(name, arguments, flags, move |context| {
            interrupt.within(|effort| run(context, effort))
        })
    }
}

/// The second argument, read once per statement.
pub(super) fn once<T: Send + Sync + 'static>(
    context: &Context<'_>,
    read: impl Fn(&str) -> Option<T>,
) -> Ended<Arc<T>> {
    context.get_or_create_aux(1, |argument| match argument {
        ValueRef::Text(text) => {
            let read = std::str::from_utf8(text).ok().and_then(read);
            read.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })
}

/// An argument, whose bytes are counted.
pub(super) fn argument<'c>(
    context: &'c Context<'_>,
    index: usize,
    effort: &Effort<'_>,
) -> Ended<ValueRef<'c>> {
    let value = context.get_raw(index);
    let bytes = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
    };
    effort.spend(WORD + bytes).map_err(interrupted)?;
    Ok(value)
}
