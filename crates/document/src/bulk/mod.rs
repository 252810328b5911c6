//! Bulk loads: bytes in chunks of any size become batches of checked rows.
//!
//! Pure and incremental. [`csv`] and [`text`] cut the bytes into records, [`check`] reads a
//! record's fields as values of the table's columns, and an [`Intake`] does both and gathers
//! [`Batch`]es that a store takes as they are. Nothing here holds more than one record and one
//! batch, whatever the length of the body.

mod batch;
mod check;
mod csv;
mod documents;
mod intake;
mod mask;
mod text;

#[cfg(test)]
mod tests;

pub use batch::{Batch, Gather, Group, RefusedRow, RowPosition};
pub use check::{LoadTable, TargetColumn};
pub use csv::{CsvForm, CsvReader, Fields, LineEnd};
pub use documents::{BulkDocument, DocumentIntake, DocumentText};
pub use intake::{Intake, IntakeLimits, RowFormat};
pub use mask::{Mask, Masks};
pub use text::{Layout, TextReader};

use duet_model::Code;

/// What stops a load: the text cannot be cut into records any further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1, on which the record begins that cannot be read.
    pub line: u64,
    /// The permanent code.
    pub code: Code,
    /// What is wrong and what to do.
    pub message: String,
}

impl Fault {
    fn new(line: u64, code: Code, message: impl Into<String>) -> Self {
        Self { line, code, message: message.into() }
    }

    /// A record beyond the limit; where it ends is not known.
    fn too_large(line: u64, limit: usize) -> Self {
        let message = format!(
            "The record that begins on line {line} has more than {limit} bytes. \
             Make it smaller, or look for a quote that is never closed."
        );
        Self::new(line, Code::LoadRecordTooLarge, message)
    }
}

/// Counts lines: a line feed, a carriage return or both together end one.
#[derive(Clone, Copy, Debug)]
struct Lines {
    line: u64,
    after_return: bool,
}

impl Lines {
    fn new() -> Self {
        Self { line: 1, after_return: false }
    }

    fn pass(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' => self.line += 1,
                b'\r' => (self.line, self.after_return) = (self.line + 1, true),
                _ => self.after_return = false,
            }
        }
    }
}

/// The byte order mark (RFC 3629 §6) at the start of a text, which some programs write.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Takes the byte order mark off the start of a text that comes in chunks.
#[derive(Clone, Copy, Debug, Default)]
struct MarkSkipper(usize);

impl MarkSkipper {
    /// Moves `input` behind the mark. `false` where more input must decide; the bytes of a mark
    /// that turns out to be none are not lost, because no text of a load begins with its first
    /// byte otherwise: they come back as the second value.
    fn pass(&mut self, input: &mut &[u8]) -> (bool, &'static [u8]) {
        while self.0 < MARK.len() {
            let Some((&byte, rest)) = input.split_first() else { return (false, b"") };
            if byte != MARK[self.0] {
                let begun = std::mem::replace(&mut self.0, MARK.len());
                return (true, &MARK[..begun]);
            }
            *input = rest;
            self.0 += 1;
        }
        (true, b"")
    }

    /// The pending bytes if the text ends inside a byte order mark.
    fn finish(&mut self) -> &'static [u8] {
        let begun = std::mem::replace(&mut self.0, MARK.len());
        if begun < MARK.len() { &MARK[..begun] } else { b"" }
    }
}
