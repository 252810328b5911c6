//! What a load answers.

use std::fmt::Write as _;

use duet_document::bulk::{RefusedRow, RowPosition};
use duet_document::write_string;
use duet_model::Error;

/// How many refused rows a report lists; the others are only counted.
const LISTED: usize = 1_000;

/// The outcome of a load.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    /// Rows that were read, those that were refused included.
    pub read: u64,
    /// Rows that were refused.
    pub refused: u64,
    /// The first of them, in order.
    pub listed: Vec<RefusedRow>,
    /// The last row up to which everything that was not refused is in the database; the default
    /// where nothing was committed.
    pub committed: RowPosition,
    /// Why it was stopped, and on which line, where it did not run to its end.
    pub stopped: Option<(u64, Error)>,
    /// Whether all of it was undone, as the request asked.
    pub dry_run: bool,
}

impl LoadReport {
    /// Adds refused rows of one batch.
    pub(super) fn refuse(&mut self, mut rows: Vec<RefusedRow>) {
        rows.sort_by_key(|row| row.place);
        self.refused += rows.len() as u64;
        rows.truncate(LISTED.saturating_sub(self.listed.len()));
        self.listed.append(&mut rows);
    }

    fn unlisted(&self) -> u64 {
        self.refused - self.listed.len() as u64
    }

    /// Whether any row was: those up to the last committed one may all have been refused.
    fn has_committed(&self) -> bool {
        self.committed.row > 0 && self.refused < self.read
    }

    /// The report as lines of text, in the form of ORDS.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for RefusedRow { place, field, code, message } in &self.listed {
            let field = field.as_ref().map_or(String::new(), |field| format!(" {field}:"));
            let code = code.as_str();
            line(&mut out, &format!("#ERROR Line {}:{field} {code} {message}", place.line));
        }
        if self.unlisted() > 0 {
            line(&mut out, &format!("#ERROR {} more rows in error", thousands(self.unlisted())));
        }
        if let Some((at, error)) = &self.stopped {
            line(&mut out, &format!("#ERROR Stopped at line {at}: {error}"));
        }
        line(&mut out, &format!("#INFO Number of rows processed: {}", thousands(self.read)));
        line(&mut out, &format!("#INFO Number of rows in error: {}", thousands(self.refused)));
        if self.dry_run {
            line(&mut out, "#INFO Dry run: no rows committed");
        } else if !self.has_committed() {
            line(&mut out, "#INFO No rows committed");
        } else {
            let row = thousands(self.committed.row);
            line(&mut out, &format!("#INFO Last row processed in final committed batch: {row}"));
        }
        match (&self.stopped, self.refused) {
            (Some(_), _) if !self.has_committed() => {
                line(&mut out, "ERROR: Stopped, nothing was committed");
            }
            (Some(_), _) => {
                let last = self.committed.line;
                line(&mut out, &format!("ERROR: Stopped, committed up to line {last}"));
            }
            (None, 0) => line(&mut out, "SUCCESS: Processed without errors"),
            (None, _) => line(&mut out, "WARNING: Processed with errors"),
        }
        out
    }

    /// The same lines as comments of SQL.
    pub fn sql(&self) -> String {
        let commented = |line: &str| format!("--{}\n", line.trim_start_matches('#'));
        self.text().lines().map(commented).collect()
    }

    /// The report as a JSON object.
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let outcome = match (&self.stopped, self.refused) {
            (Some(_), _) => "stopped",
            (None, 0) => "success",
            (None, _) => "warning",
        };
        let committed = if self.has_committed() { self.committed } else { RowPosition::default() };
        let text = format!(
            "{{\"outcome\":\"{outcome}\",\"rowsProcessed\":{},\"rowsInError\":{},\"lastCommittedRow\":{},\"lastCommittedLine\":{}",
            self.read, self.refused, committed.row, committed.line
        );
        out.extend_from_slice(text.as_bytes());
        if self.dry_run {
            out.extend_from_slice(b",\"dryRun\":true");
        }
        if let Some((at, error)) = &self.stopped {
            out.extend_from_slice(format!(",\"stopped\":{{\"line\":{at},\"code\":").as_bytes());
            write_string(error.code.as_str().as_bytes(), &mut out);
            out.extend_from_slice(b",\"message\":");
            write_string(error.message.as_bytes(), &mut out);
            out.push(b'}');
        }
        out.extend_from_slice(b",\"errors\":[");
        for (index, refused) in self.listed.iter().enumerate() {
            out.extend_from_slice(if index > 0 { b"," } else { b"" });
            write_refused(refused, &mut out);
        }
        out.extend_from_slice(format!("],\"errorsNotListed\":{}}}", self.unlisted()).as_bytes());
        out
    }
}

fn write_refused(refused: &RefusedRow, out: &mut Vec<u8>) {
    let RowPosition { row, line } = refused.place;
    out.extend_from_slice(format!("{{\"row\":{row},\"line\":{line},\"field\":").as_bytes());
    match &refused.field {
        Some(field) => write_string(field.as_bytes(), out),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"code\":");
    write_string(refused.code.as_str().as_bytes(), out);
    out.extend_from_slice(b",\"message\":");
    write_string(refused.message.as_bytes(), out);
    out.push(b'}');
}

/// One line: text of a client must not add others.
fn line(out: &mut String, text: &str) {
    out.extend(
        text.chars().map(|char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char }),
    );
    out.push('\n');
}

/// A number with commas between its thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        // Writing to a String cannot fail.
        let _ = out.write_char(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use duet_model::Code;

    use super::*;

    fn refused(row: u64) -> RefusedRow {
        let message = "`n` is INTEGER and must be a whole number, not `x`.".to_owned();
        RefusedRow {
            place: RowPosition { row, line: row + 1 },
            field: Some("n".into()),
            code: Code::MemberValue,
            message,
        }
    }

    #[test]
    fn success_as_ords_has_it() {
        let report = LoadReport {
            read: 2_097_148,
            committed: RowPosition { row: 2_097_148, line: 2_097_149 },
            ..LoadReport::default()
        };
        let expected = "#INFO Number of rows processed: 2,097,148\n\
                        #INFO Number of rows in error: 0\n\
                        #INFO Last row processed in final committed batch: 2,097,148\n\
                        SUCCESS: Processed without errors\n";
        assert_eq!(report.text(), expected);
        assert_eq!(
            String::from_utf8(report.json()).unwrap(),
            "{\"outcome\":\"success\",\"rowsProcessed\":2097148,\"rowsInError\":0,\
             \"lastCommittedRow\":2097148,\"lastCommittedLine\":2097149,\"errors\":[],\
             \"errorsNotListed\":0}"
        );
    }

    #[test]
    fn refused_rows_are_listed_up_to_a_limit() {
        let mut report = LoadReport { read: 2_000, ..LoadReport::default() };
        report.refuse(vec![refused(7), refused(3)]);
        report.committed = RowPosition { row: 2_000, line: 2_001 };
        assert_eq!(
            report.text(),
            "#ERROR Line 4: n: DUET-7005 `n` is INTEGER and must be a whole number, not `x`.\n\
             #ERROR Line 8: n: DUET-7005 `n` is INTEGER and must be a whole number, not `x`.\n\
             #INFO Number of rows processed: 2,000\n\
             #INFO Number of rows in error: 2\n\
             #INFO Last row processed in final committed batch: 2,000\n\
             WARNING: Processed with errors\n"
        );
        report.refuse((10..2_000).map(refused).collect());
        assert_eq!(report.listed.len(), LISTED);
        assert!(report.text().contains("#ERROR 992 more rows in error\n"));
        assert!(String::from_utf8(report.json()).unwrap().ends_with(",\"errorsNotListed\":992}"));
    }

    #[test]
    fn stopped() {
        let error = Error::new(Code::LoadStopped, "More than 0 rows were refused.");
        let mut report = LoadReport { read: 3, stopped: Some((4, error)), ..LoadReport::default() };
        assert_eq!(
            report.text(),
            "#ERROR Stopped at line 4: DUET-7205: More than 0 rows were refused.\n\
             #INFO Number of rows processed: 3\n\
             #INFO Number of rows in error: 0\n\
             #INFO No rows committed\n\
             ERROR: Stopped, nothing was committed\n"
        );
        report.committed = RowPosition { row: 2, line: 3 };
        assert!(report.text().ends_with("ERROR: Stopped, committed up to line 3\n"));
    }

    #[test]
    fn no_line_can_be_forged() {
        let mut out = String::new();
        line(&mut out, "a\nSUCCESS\u{7f}");
        assert_eq!(out, "a\u{fffd}SUCCESS\u{fffd}\n");
    }

    #[test]
    fn commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
