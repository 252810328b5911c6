//! Documents line by line: the formats of a stream, each with its writer in a separate file.
//!
//! A new form is such a file, a variant of [`Format`] with its arms here, and a row of media types in `http`.

mod csv;
mod ndjson;

use std::ops::Range;

use duet_model::{ReadPlan, Result};

use crate::fetched::Fetched;
use crate::program::Program;
use csv::Csv;

/// The form of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON document per line.
    Ndjson,
    /// RFC 4180, with a line of names.
    Csv,
}

/// A compiled writer of one plan's documents as lines. Built by [`Format::compile`].
#[derive(Clone, Debug)]
pub struct LineWriter(FormatWriter);

#[derive(Clone, Debug)]
enum FormatWriter {
    Ndjson,
    Csv(Box<Csv>),
}

impl Format {
    /// All of them, in their order.
    pub const ALL: [Self; 2] = [Self::Ndjson, Self::Csv];

    /// Compiles the writer of a page plan's documents.
    pub fn compile(self, plan: &ReadPlan) -> LineWriter {
        LineWriter(match self {
            Self::Ndjson => FormatWriter::Ndjson,
            Self::Csv => FormatWriter::Csv(Box::new(Csv::compile(plan))),
        })
    }
}

impl LineWriter {
    /// Appends what comes before the first document.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        match &self.0 {
            FormatWriter::Ndjson => {}
            FormatWriter::Csv(csv) => csv.write_header(out),
        }
    }

    /// Appends the lines of some root rows. `page` is the writer of the same documents in a page; `scratch` is for
    /// what is written on the way.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write(
        &self,
        page: &Program,
        (fetched, mut rows): (&Fetched, Range<usize>),
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match &self.0 {
            FormatWriter::Ndjson => rows.try_for_each(|row| page.write_line(fetched, row, out)),
            FormatWriter::Csv(csv) => {
                rows.try_for_each(|row| csv.write_row(fetched, row, scratch, out))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_listed_in_the_order_of_their_numbers() {
        let numbers: Vec<_> = Format::ALL.iter().map(|format| *format as usize).collect();
        assert_eq!(numbers, (0..Format::ALL.len()).collect::<Vec<_>>());
    }
}
