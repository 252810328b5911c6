//! What running the statements of a service that writes needs.

use std::sync::Arc;

use duet_document::{Codec, Datum, RowSet};
use duet_model::{Column, Value};
use duet_sql::{Dialect, query_statement};
use duet_store::{Call, Writes};

use super::file::ServiceFile;

/// What running the statements of a service that writes needs.
#[derive(Clone, Debug)]
pub struct WriteRun {
    /// The columns that the last statement gives.
    pub(crate) columns: Vec<Column>,
    /// What each statement changes.
    pub(crate) writes: Vec<Writes>,
}

impl PartialEq for WriteRun {
    /// What the statements change follows from the file and the catalog.
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns
    }
}

impl WriteRun {
    /// The statements, with these arguments.
    pub(crate) fn calls(
        &self,
        dialect: &dyn Dialect,
        file: &ServiceFile,
        arguments: &Arc<[Value]>,
    ) -> Vec<Call> {
        let last = file.statements.len().saturating_sub(1);
        let call = |(at, query)| {
            let returned = if at == last { self.columns.as_slice() } else { &[] };
            let statement = query_statement(dialect, query, arguments, returned);
            let writes = self.writes.get(at).cloned().unwrap_or(Writes::Everything);
            Call { statement, codecs: codecs(returned), writes }
        };
        file.statements.iter().enumerate().map(call).collect()
    }
}

/// The codecs of columns.
pub(crate) fn codecs(columns: &[Column]) -> Vec<Codec> {
    columns.iter().map(|column| Codec::of(&column.ty)).collect()
}

/// A value of the first row as text.
pub(crate) fn text_of(rows: &RowSet, column: usize, codecs: &[Codec]) -> String {
    if let Datum::Text(text) = rows.get(0, column) {
        return String::from_utf8_lossy(text).into_owned();
    }
    let mut out = Vec::new();
    codecs[column].write(rows.get(0, column), &mut out);
    String::from_utf8_lossy(&out).trim_matches('"').to_owned()
}
