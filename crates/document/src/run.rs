//! Runs a program over a row: writes the text of one document, whole or in pieces.
//!
//! A run keeps its place between two pieces: the step, the arrays around it and, within a large
//! cell, how much of it has been written. So a document of any size is written with the memory of
//! one piece.

use duet_model::{Code, Error, Result};

use crate::cells::codec::Codec;
use crate::cells::json::write_string;
use crate::cells::large_cell::LargeCell;
use crate::cells::numeric::write_integer;
use crate::cells::rows::Datum;
use crate::cells::stored;
use crate::fetched::FetchedRows;
use crate::program::{Program, Step};

/// The state of writing one document.
pub(crate) struct Run<'a> {
    program: &'a Program,
    fetched: &'a FetchedRows,
    place: RunPosition,
    /// Where unchecked bytes begin and end in the output, in pairs.
    pub(crate) marks: Vec<usize>,
    /// The first flex column that holds no object, and its content.
    unfit: Option<(usize, &'static str)>,
}

/// The position of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunPosition {
    element: Element,
    /// The arrays that the element is in, from the outermost.
    arrays: Vec<Array>,
    /// The cell of which a part has been written.
    cell: Option<LargeCell>,
    /// Whether a member was written since [`Step::Begin`].
    begun: bool,
}

/// Steps to do for a row: those of the document or of an array's element.
#[derive(Clone, Copy, Debug)]
struct Element {
    at: usize,
    to: usize,
    level: usize,
    row: usize,
}

/// An array whose elements are being written.
#[derive(Clone, Copy, Debug)]
struct Array {
    /// The first step of an element.
    from: usize,
    /// Which of the children is next.
    next: usize,
    level: usize,
    /// What goes on behind it.
    around: Element,
}

/// Why the steps of an element were left.
enum Stop {
    /// They are done.
    End,
    /// The next one is an array of this level, whose steps end here.
    Array { level: usize, end: usize },
    /// The output has as many bytes as it may.
    Full,
}

impl RunPosition {
    /// Before the first of these steps, for a row of the root.
    pub(crate) fn new(from: usize, to: usize, row: usize) -> Self {
        let element = Element { at: from, to, level: 0, row };
        Self { element, arrays: Vec::new(), cell: None, begun: false }
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(program: &'a Program, fetched: &'a FetchedRows, place: RunPosition) -> Self {
        Self { program, fetched, place, marks: Vec::new(), unfit: None }
    }

    /// Where it is now.
    pub(crate) fn into_place(self) -> RunPosition {
        self.place
    }

    /// Refuses a document with a flex column that holds no object: leaving out its content would
    /// hide data, and the next write would remove them.
    ///
    /// # Errors
    /// [`Code::FlexNoObject`]
    pub(crate) fn check(&self, row: usize) -> Result<()> {
        let Some((flex, what)) = self.unfit else { return Ok(()) };
        let mut key = Vec::new();
        self.program.write_key(self.fetched.roots(), row, &mut key);
        let (column, resource) = (&self.program.flexes[flex].name, &self.program.resource);
        let message = format!(
            "The flex column {column} of {resource} holds {what} in the document with the key {:?}; \
             it must hold a JSON object or NULL.",
            String::from_utf8_lossy(&key)
        );
        Err(Error::new(Code::FlexNoObject, message)
            .hint("Correct the row in the database, and add a CHECK constraint to the column."))
    }

    /// Writes all that is left.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) {
        self.go_on::<false>(usize::MAX, out);
    }

    /// Writes until the output has about this many bytes; returns whether it reached the end. Beyond
    /// the limit only undivided parts are written: a literal, or a large cell of a rare type.
    pub(crate) fn write_until(&mut self, bytes: usize, out: &mut Vec<u8>) -> bool {
        self.go_on::<true>(bytes, out)
    }

    /// Most documents are written at once, so the steps are compiled without a bound too.
    fn go_on<const BOUNDED: bool>(&mut self, bytes: usize, out: &mut Vec<u8>) -> bool {
        loop {
            match self.steps::<BOUNDED>(bytes, out) {
                Stop::Full => return false,
                Stop::Array { level, end } => self.enter(level, end, out),
                Stop::End if !self.leave(out) => return true,
                Stop::End => {}
            }
        }
    }

    /// Does the steps of an element up to its end or its next array.
    fn steps<const BOUNDED: bool>(&mut self, bytes: usize, out: &mut Vec<u8>) -> Stop {
        let Element { mut at, to, level, row } = self.place.element;
        let program = self.program;
        let cells = self.fetched.levels[level].rows.row(row);
        while at < to {
            if BOUNDED && out.len() >= bytes {
                self.place.element.at = at;
                return Stop::Full;
            }
            match &program.steps[at] {
                Step::Literal { start, end } => {
                    out.extend_from_slice(&program.literals[*start..*end]);
                }
                Step::Value { column, codec } => match (codec, cells.get(*column)) {
                    (codec, cell) if BOUNDED && LargeCell::is(codec, cell) => {
                        let mut rest = self.place.cell.take().unwrap_or_default();
                        if !rest.write_until(bytes, codec, cell, out) {
                            (self.place.element.at, self.place.cell) = (at, Some(rest));
                            return Stop::Full;
                        }
                    }
                    (Codec::Text, Datum::Text(text)) => write_string(text, out),
                    (Codec::Integer, Datum::Int(value)) => write_integer(value, out),
                    (codec, cell) => codec.write(cell, out),
                },
                Step::Unchecked | Step::Checked => self.marks.push(out.len()),
                Step::Object { presence, otherwise, null } => {
                    if cells.get(*presence).is_null() {
                        out.extend_from_slice(if *null { b"null" } else { b"{}" });
                        at = *otherwise;
                        continue;
                    }
                }
                Step::Array { level, end } => {
                    self.place.element.at = at;
                    return Stop::Array { level: *level, end: *end };
                }
                Step::Present { column, otherwise } => {
                    if cells.get(*column).is_null() {
                        at = *otherwise;
                        continue;
                    }
                }
                Step::Begin => self.place.begun = false,
                Step::Separate => {
                    if std::mem::replace(&mut self.place.begun, true) {
                        out.push(b',');
                    }
                }
                Step::Document { column } => stored::write_open(cells.get(*column), out),
                Step::Flex { column, flex, begun } => {
                    let (flex_column, cell) = (&program.flexes[*flex], cells.get(*column));
                    let first = flex_column.first && !(*begun && self.place.begun);
                    if let Err(what) = flex_column.write(cell, first, out) {
                        self.unfit.get_or_insert((*flex, what));
                    }
                }
            }
            at += 1;
        }
        self.place.element.at = at;
        Stop::End
    }

    /// Begins the array at the current step.
    fn enter(&mut self, level: usize, end: usize, out: &mut Vec<u8>) {
        out.push(b'[');
        let Element { at, .. } = self.place.element;
        let around = Element { at: end, ..self.place.element };
        self.place.arrays.push(Array { from: at + 1, next: 0, level, around });
        self.next_element(out);
    }

    /// Goes on behind an element that is done; false behind the last step of all.
    fn leave(&mut self, out: &mut Vec<u8>) -> bool {
        !self.place.arrays.is_empty() && {
            self.next_element(out);
            true
        }
    }

    /// Begins the next element of the innermost array, or ends the array.
    fn next_element(&mut self, out: &mut Vec<u8>) {
        let Some(array) = self.place.arrays.last_mut() else { return };
        let Array { from, next, level, around } = *array;
        let Some(row) = self.fetched.levels[level].child(around.row, next) else {
            out.push(b']');
            self.place.element = around;
            self.place.arrays.pop();
            return;
        };
        if next > 0 {
            out.push(b',');
        }
        array.next += 1;
        self.place.element = Element { at: from, to: around.at, level, row };
    }
}
