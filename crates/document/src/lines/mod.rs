//! Documents line by line: the formats of a stream. A format is a file with its media types and its writer, and a line in
//! `formats!`.

mod csv;
mod ndjson;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use duet_model::{ReadPlan, Result};

use crate::fetched::FetchedRows;
use crate::program::Program;

/// What a format is called.
#[derive(Clone, Copy, Debug)]
pub struct StreamMedia {
    /// The media type in `Accept`, in lower case and without parameters.
    pub name: &'static str,
    /// Further names that are taken for it.
    pub aliases: &'static [&'static str],
    /// The media type with the parameters of the response.
    pub content_type: &'static str,
    /// What OpenAPI says of it.
    pub text: &'static str,
}

/// A writer of one plan's documents in a format.
trait DocumentLines: Debug + Send + Sync {
    /// Appends what comes before the first document.
    fn write_head(&self, out: &mut Vec<u8>);

    /// Appends the lines of a root row. `page` is the writer of the same documents in a page; `scratch` is for what is
    /// written on the way.
    fn write_row(
        &self,
        page: &Program,
        fetched: &FetchedRows,
        row: usize,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()>;
}

macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $module:ident;)*) => {
        /// The form of a stream.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format { $($(#[$doc])* $format,)* }

        impl Format {
            /// All of them, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$format,)*];

            /// Its media types.
            pub const fn media(self) -> StreamMedia {
                match self { $(Self::$format => $module::MEDIA,)* }
            }

            /// Compiles the writer of a page plan's documents.
            pub fn compile(self, plan: &ReadPlan) -> LineWriter {
                LineWriter(match self { $(Self::$format => Arc::new($module::compile(plan)),)* })
            }
        }
    };
}

formats! {
    /// A JSON document per line.
    Ndjson = ndjson;
    /// RFC 4180, with a line of names.
    Csv = csv;
}

/// A compiled writer of one plan's documents as lines. Built by [`Format::compile`].
#[derive(Clone, Debug)]
pub struct LineWriter(Arc<dyn DocumentLines>);

impl LineWriter {
    /// Appends what comes before the first document.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        self.0.write_head(out);
    }

    /// Appends the lines of some root rows. `page` is the writer of the same documents in a page; `scratch` is for
    /// what is written on the way.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write(
        &self,
        page: &Program,
        fetched: &FetchedRows,
        mut rows: Range<usize>,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        rows.try_for_each(|row| self.0.write_row(page, fetched, row, scratch, out))
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
