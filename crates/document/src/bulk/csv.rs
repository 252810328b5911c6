//! CSV (RFC 4180), in chunks: records of fields, each with the line it begins on and whether a
//! field stood in quotes.
//!
//! The state machine is from the `csv-core` crate. This module adds facts that it does not report: whether
//! an empty field was quoted, on which line a record begins, and whether a quote is never closed.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use duet_model::Code;

use super::{Fault, Lines, MarkSkipper};

/// Fields of a record, at most: more columns than any table has.
const FIELDS: usize = 32_767;

/// Room behind the largest record, so that it never depends on the end of a chunk whether there is
/// enough.
const SPARE: usize = 2;

/// What ends a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed, a carriage return or both together.
    #[default]
    Any,
    /// A line feed; a carriage return before it belongs to the field.
    Feed,
    /// A carriage return.
    Return,
}

impl LineEnd {
    fn is(self, byte: u8) -> bool {
        match self {
            Self::Any => matches!(byte, b'\n' | b'\r'),
            Self::Feed => byte == b'\n',
            Self::Return => byte == b'\r',
        }
    }
}

/// How the CSV is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvForm {
    /// The field separator.
    pub delimiter: u8,
    /// What encloses fields, doubled inside of them; `None` where nothing does.
    pub quote: Option<u8>,
    /// What ends a record.
    pub line_end: LineEnd,
}

impl Default for CsvForm {
    fn default() -> Self {
        Self { delimiter: b',', quote: Some(b'"'), line_end: LineEnd::Any }
    }
}

/// Cuts CSV into records. Lines without anything on them are skipped.
#[derive(Debug)]
pub struct CsvReader {
    reader: Reader,
    form: CsvForm,
    limit: usize,
    mark: MarkSkipper,
    lines: Lines,
    /// The unquoted, concatenated fields of the current record.
    bytes: Vec<u8>,
    /// How many of those bytes are in use.
    used: usize,
    fields: Vec<FieldEnd>,
    /// The line on which the current record begins.
    line: u64,
    within: Within,
}

#[derive(Clone, Copy, Debug)]
struct FieldEnd {
    end: usize,
    quoted: bool,
}

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Before a record.
    Nothing,
    /// At the start of a field.
    Record,
    /// In a field without quotes.
    Bare,
    /// In a field that began with a quote; whether the quotes so far are an odd number.
    Quoted(bool),
}

/// A record's fields.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    bytes: &'a [u8],
    ends: &'a [FieldEnd],
}

impl<'a> Fields<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a field, and whether it was quoted.
    pub fn get(&self, index: usize) -> Option<(&'a [u8], bool)> {
        let end = self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before].end);
        Some((self.bytes.get(start..end.end)?, end.quoted))
    }
}

impl CsvReader {
    /// A reader with this limit for records, in bytes.
    pub fn new(form: CsvForm, limit: usize) -> Self {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(form.delimiter);
        match form.quote {
            Some(quote) => builder.quote(quote),
            None => builder.quoting(false),
        };
        builder.terminator(match form.line_end {
            LineEnd::Any => Terminator::CRLF,
            LineEnd::Feed => Terminator::Any(b'\n'),
            LineEnd::Return => Terminator::Any(b'\r'),
        });
        let mut reader = builder.build();
        // A line end at the start is nothing, and keeps the machine from looking for a byte order
        // mark: it would find one only where that is not cut in two.
        reader.read_field(if form.line_end == LineEnd::Return { b"\r" } else { b"\n" }, &mut [0]);
        Self {
            reader,
            form,
            limit,
            mark: MarkSkipper::default(),
            lines: Lines::new(),
            bytes: vec![0; limit.saturating_add(SPARE).min(1_024)],
            used: 0,
            fields: Vec::new(),
            line: 1,
            within: Within::Nothing,
        }
    }

    /// Bytes of the current record.
    pub fn pending(&self) -> usize {
        if self.within == Within::Nothing { 0 } else { self.used }
    }

    /// The next record, cut off the front of `input`; `None` where the input ends before it does.
    ///
    /// # Errors
    /// Where a record is larger than the limit.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Fields<'_>>, Fault> {
        let (decided, held) = self.mark.pass(input);
        if !decided {
            return Ok(None);
        }
        // Less than a field; the state is kept.
        self.read(&mut &*held)?;
        let whole = self.read(input)?;
        Ok(whole.then_some(self.record()))
    }

    /// The last record at the end of the input, if no line end follows it.
    ///
    /// # Errors
    /// Where a quote is never closed.
    pub fn finish(&mut self) -> Result<Option<Fields<'_>>, Fault> {
        let held = self.mark.finish();
        self.read(&mut &*held)?;
        if self.within == Within::Nothing {
            return Ok(None);
        }
        if self.within == Within::Quoted(true) {
            let message = format!(
                "A quote in the record that begins on line {} is never closed. \
                 Close it, or double it where it is part of the text.",
                self.line
            );
            return Err(Fault::new(self.line, Code::LoadSyntax, message));
        }
        let whole = self.step(&mut &b""[..], true)?;
        Ok(whole.then_some(self.record()))
    }

    fn record(&self) -> Fields<'_> {
        Fields { line: self.line, bytes: &self.bytes[..self.used], ends: &self.fields }
    }

    /// Reads further input; returns whether a record is complete.
    fn read(&mut self, input: &mut &[u8]) -> Result<bool, Fault> {
        if self.within == Within::Nothing {
            self.skip_blank(input);
            if input.is_empty() {
                return Ok(false);
            }
            self.begin();
        }
        self.step(input, false)
    }

    /// Line ends before a record. They are those of blank lines, or the second half of one.
    fn skip_blank(&mut self, input: &mut &[u8]) {
        let line_end = self.form.line_end;
        let blank = input.iter().take_while(|byte| line_end.is(**byte)).count();
        let (ends, rest) = input.split_at(blank);
        self.lines.pass(ends);
        *input = rest;
    }

    fn begin(&mut self) {
        self.fields.clear();
        self.used = 0;
        self.lines.after_return = false;
        self.line = self.lines.line;
        self.within = Within::Record;
    }

    /// Runs the machine over the input, or over the end of all input.
    fn step(&mut self, input: &mut &[u8], at_end: bool) -> Result<bool, Fault> {
        while at_end || !input.is_empty() {
            let (result, read, written) =
                self.reader.read_field(input, &mut self.bytes[self.used..]);
            let (taken, rest) = input.split_at(read);
            self.used += written;
            self.look(taken)?;
            *input = rest;
            if self.used > self.limit {
                return Err(Fault::too_large(self.line, self.limit));
            }
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull => {
                    let larger = self.bytes.len() * 2;
                    self.bytes.resize(larger.min(self.limit.saturating_add(SPARE)), 0);
                }
                ReadFieldResult::Field { record_end } => {
                    self.end_field()?;
                    if record_end {
                        self.lines.pass(&taken[taken.len().saturating_sub(1)..]);
                        self.within = Within::Nothing;
                        return Ok(true);
                    }
                }
                ReadFieldResult::End => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Tracks facts that the state machine does not report: quotes, and line ends inside quotes.
    fn look(&mut self, taken: &[u8]) -> Result<(), Fault> {
        let (Some(&first), Some(&last)) = (taken.first(), taken.last()) else { return Ok(()) };
        if self.within == Within::Record {
            let quoted = Some(first) == self.form.quote;
            self.within = if quoted { Within::Quoted(false) } else { Within::Bare };
        }
        if let (Within::Quoted(mut odd), Some(quote)) = (self.within, self.form.quote) {
            for &byte in taken {
                let ends_field = byte == self.form.delimiter || self.form.line_end.is(byte);
                if byte != quote && !odd && !ends_field {
                    return Err(self.stray());
                }
                odd ^= byte == quote;
            }
            self.within = Within::Quoted(odd);
            // Outside of the quotes it ends the record, and is counted there.
            let is_end = !odd && self.form.line_end.is(last);
            self.lines.pass(&taken[..taken.len() - usize::from(is_end)]);
        }
        Ok(())
    }

    /// The fault of text behind a field's closing quote.
    fn stray(&self) -> Fault {
        let message = format!(
            "In the record that begins on line {}, text follows the closing quote of field {}. \
             Put all of the field between the quotes, and double those that are part of it.",
            self.line,
            self.fields.len() + 1
        );
        Fault::new(self.line, Code::LoadSyntax, message)
    }

    fn end_field(&mut self) -> Result<(), Fault> {
        if self.fields.len() >= FIELDS {
            return Err(Fault::too_large(self.line, self.limit));
        }
        let quoted = matches!(self.within, Within::Quoted(_));
        self.fields.push(FieldEnd { end: self.used, quoted });
        self.within = Within::Record;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Read = (u64, Vec<(String, bool)>);

    fn owned(fields: Fields<'_>) -> Read {
        let field = |index| {
            let (bytes, quoted) = fields.get(index).unwrap();
            (String::from_utf8_lossy(bytes).into_owned(), quoted)
        };
        (fields.line, (0..fields.len()).map(field).collect())
    }

    fn read<'c>(
        form: CsvForm,
        chunks: impl IntoIterator<Item = &'c [u8]>,
    ) -> (Vec<Read>, Option<Fault>) {
        let mut reader = CsvReader::new(form, 1 << 16);
        let mut records = Vec::new();
        for mut chunk in chunks {
            loop {
                match reader.next(&mut chunk) {
                    Ok(Some(fields)) => records.push(owned(fields)),
                    Ok(None) => break,
                    Err(fault) => return (records, Some(fault)),
                }
            }
        }
        match reader.finish() {
            Ok(last) => {
                records.extend(last.map(owned));
                (records, None)
            }
            Err(fault) => (records, Some(fault)),
        }
    }

    /// A chunk may end with a byte that looks like a line end but is not one in this form.
    #[test]
    fn lines_do_not_depend_on_chunks() {
        for (line_end, text) in
            [(LineEnd::Feed, "\"a\rb\"\nc\rd\n"), (LineEnd::Return, "\"a\nb\"\rc\nd\r")]
        {
            let form = CsvForm { line_end, ..CsvForm::default() };
            let whole = read(form, [text.as_bytes()]);
            assert_eq!(whole.0.len(), 2);
            for size in 1..text.len() {
                assert_eq!(read(form, text.as_bytes().chunks(size)), whole, "{line_end:?} {size}");
            }
        }
    }

    fn whole(text: &str) -> Vec<Read> {
        let (records, fault) = read(CsvForm::default(), [text.as_bytes()]);
        assert_eq!(fault, None, "{text:?}");
        records
    }

    fn record(line: u64, fields: &[&str]) -> Read {
        let field = |text: &&str| match text.strip_prefix('"') {
            Some(quoted) => (quoted.to_owned(), true),
            None => ((*text).to_owned(), false),
        };
        (line, fields.iter().map(field).collect())
    }

    #[test]
    fn records() {
        let two = vec![record(1, &["a", "b"]), record(2, &["c", "d"])];
        for text in ["a,b\nc,d\n", "a,b\r\nc,d\r\n", "a,b\rc,d", "a,b\nc,d", "\u{feff}a,b\nc,d"] {
            assert_eq!(whole(text), two, "{text:?}");
        }
        assert_eq!(whole(""), []);
        assert_eq!(whole("\r\n\n"), []);
        assert_eq!(whole("\n\na\r\n\r\nb"), [record(3, &["a"]), record(5, &["b"])]);
        assert_eq!(whole("a,,\"\",\n"), [record(1, &["a", "", "\"", ""])]);
        assert_eq!(
            whole("\"x,\"\"y\"\"\r\nz\",1\n2,3"),
            [record(1, &["\"x,\"y\"\r\nz", "1"]), record(3, &["2", "3"])]
        );
        assert_eq!(whole("a\"b,c\n"), [record(1, &["a\"b", "c"])]);
        assert_eq!(whole("\"\""), [record(1, &["\""])]);
    }

    #[test]
    fn other_forms() {
        let form = CsvForm { delimiter: b';', quote: Some(b'\''), line_end: LineEnd::Any };
        let (records, _) = read(form, [&b"'a;b';c,d\n"[..]]);
        assert_eq!(records, [record(1, &["\"a;b", "c,d"])]);
        let form = CsvForm { quote: None, ..CsvForm::default() };
        let (records, _) = read(form, [&b"\"a,b\"\n"[..]]);
        assert_eq!(records[0].1, [("\"a".to_owned(), false), ("b\"".to_owned(), false)]);
        let form = CsvForm { line_end: LineEnd::Feed, ..CsvForm::default() };
        assert_eq!(read(form, [&b"a,b\r\nc"[..]]).0[0], record(1, &["a", "b\r"]));
        let form = CsvForm { line_end: LineEnd::Return, ..CsvForm::default() };
        assert_eq!(read(form, [&b"a\nb\rc"[..]]).0, [record(1, &["a\nb"]), record(2, &["c"])]);
    }

    #[test]
    fn refuses_malformed_csv() {
        let (records, fault) = read(CsvForm::default(), [&b"a\nb,\"c\nd\n"[..]]);
        assert_eq!(records, [record(1, &["a"])]);
        let fault = fault.unwrap();
        assert_eq!((fault.line, fault.code), (2, Code::LoadSyntax));
        for (text, field) in
            [("a\nb,\"c13\"z,d\n", 2), ("a\n\"x\"\"y\" ,b\n", 1), ("a\nb,c,\"\"z", 3)]
        {
            let (records, fault) = read(CsvForm::default(), [text.as_bytes()]);
            let fault = fault.unwrap();
            assert_eq!((records.len(), fault.line, fault.code), (1, 2, Code::LoadSyntax), "{text}");
            assert!(fault.message.contains(&format!("quote of field {field}.")), "{fault:?}");
        }
        let long = format!("a\n{}", "x".repeat(100_000));
        let (_, fault) = read(CsvForm::default(), [long.as_bytes()]);
        assert_eq!(fault.unwrap().code, Code::LoadRecordTooLarge);
        let (_, fault) = read(CsvForm::default(), [",".repeat(40_000).as_bytes()]);
        assert_eq!(fault.unwrap().code, Code::LoadRecordTooLarge);
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(
            text in "\u{feff}?([a-c,;\"é]|\"[a,\r\n]*\"|,|\r|\n|\r\n){0,40}",
            cuts in prop::collection::vec(0_usize..80, 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            let all_at_once = read(CsvForm::default(), [bytes]);
            prop_assert_eq!(&read(CsvForm::default(), chunks), &all_at_once);
            prop_assert_eq!(read(CsvForm::default(), bytes.chunks(1)), all_at_once);
        }

        #[test]
        fn written_records_are_read_back(
            table in prop::collection::vec(prop::collection::vec("[a-c,\"\r\né ]{0,5}", 1..4), 0..6)
        ) {
            let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let line = |record: &Vec<String>| {
                record.iter().map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
            };
            let text: String = table.iter().map(line).collect();
            let fields = |(_, fields): Read| fields.into_iter().map(|(text, _)| text).collect();
            let found: Vec<Vec<String>> = whole(&text).into_iter().map(fields).collect();
            prop_assert_eq!(found, table);
        }
    }
}
