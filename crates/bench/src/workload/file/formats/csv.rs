//! Reads a file of values: CSV (RFC 4180) with a header line.

use std::path::Path;

use csv_core::{ReadRecordResult, Reader};
use duet_client::confinement;
use duet_model::Value;

use super::super::definition::CsvLayout;
use super::super::names::is_name;
use super::super::problem::Problem;

/// The most values of a file: each process keeps them in memory.
const MOST: usize = 20_000_000;

/// Returns the column names and the rows. Whole numbers become numbers, an empty field NULL.
pub(in crate::workload::file) fn read(
    path: &Path,
    key: &str,
) -> Result<(Vec<String>, Vec<Vec<Value>>), Problem> {
    let bytes = confinement::read(path).map_err(|error| {
        Problem::new(key, format!("{} cannot be read: {error}.", path.display()))
    })?;
    let wrong = |message: String| Problem::new(key, format!("{}: {message}", path.display()));
    let mut records = records(&bytes).map_err(wrong)?.into_iter();
    let columns = records.next().unwrap_or_default();
    if columns.is_empty() || columns.iter().any(|name| !is_name(name)) {
        let message = "the first line must name the columns, by letters, digits, `_` and `-`.";
        return Err(wrong(message.into()));
    }
    if let Some(name) = repeated(&columns) {
        return Err(wrong(format!("two columns are called {name:?}.")));
    }
    let mut rows = Vec::new();
    for (number, record) in records.enumerate() {
        if record.len() != columns.len() {
            let (found, wanted) = (record.len(), columns.len());
            return Err(wrong(format!("row {} has {found} fields, not {wanted}.", number + 1)));
        }
        rows.push(record.into_iter().map(value).collect());
    }
    match rows.is_empty() {
        true => Err(wrong("there are no rows below the names.".into())),
        false => Ok((columns, rows)),
    }
}

/// A name that is there twice.
fn repeated(names: &[String]) -> Option<&String> {
    names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)).map(|(_, name)| name)
}

/// Returns the names and the rows of a file of another form. All values are texts; empty lines are passed over.
pub(in crate::workload::file) fn plain(
    path: &Path,
    layout: &CsvLayout,
    key: &str,
) -> Result<(Vec<String>, Vec<Vec<Value>>), Problem> {
    let text = confinement::read(path).map_err(|error| {
        Problem::new(key, format!("{} cannot be read: {error}.", path.display()))
    })?;
    if layout.separator.is_empty() {
        return Err(Problem::new(key, "`separator` has at least one character."));
    }
    let text = String::from_utf8_lossy(&text);
    let (columns, rows) = lines(&text, layout);
    let rows: Vec<Vec<Value>> =
        rows.into_iter().map(|row| row.into_iter().map(Value::Text).collect()).collect();
    if columns.is_empty() || rows.is_empty() {
        let message = format!("{} has no columns or no rows.", path.display());
        return Err(Problem::new(key, message));
    }
    // In JMeter the last of them counts.
    if let Some(name) = repeated(&columns).filter(|_| !layout.jmeter) {
        let message = format!("{}: two columns are called {name:?}.", path.display());
        return Err(Problem::new(key, message));
    }
    Ok((columns, rows))
}

/// The names and the rows of a text.
pub(crate) fn lines(text: &str, layout: &CsvLayout) -> (Vec<String>, Vec<Vec<String>>) {
    let text = text.trim_start_matches('\u{feff}');
    let mut rows = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, behind) = next_line(rest, layout.quotes);
        rest = behind;
        match line.is_empty() {
            true if layout.jmeter => rows.push(Vec::new()),
            true => {}
            false => rows.push(fields(line, &layout.separator, layout.quotes)),
        }
    }
    let mut columns = layout.columns.clone();
    if columns.is_empty() && !rows.is_empty() {
        columns = rows.remove(0);
    } else if layout.skip_first && !rows.is_empty() {
        rows.remove(0);
    }
    (columns, rows)
}

/// The next line of a text without its end, and what follows. A line break in quotes ends none.
fn next_line(text: &str, quotes: bool) -> (&str, &str) {
    let mut inside = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if quotes => inside = !inside,
            b'\n' if !inside => {
                let line = &text[..at];
                return (line.strip_suffix('\r').unwrap_or(line), &text[at + 1..]);
            }
            _ => {}
        }
    }
    (text, "")
}

fn value(text: String) -> Value {
    match text.parse::<i64>() {
        // A number in another form, such as 007, remains text.
        Ok(number) if number.to_string() == text => Value::Int(number),
        _ if text.is_empty() => Value::Null,
        _ => Value::Text(text),
    }
}

fn records(bytes: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8.".to_owned())?;
    let mut input = text.trim_start_matches('\u{feff}').as_bytes();
    // All of a record's bytes fit, because a record is no longer than the remaining input.
    let mut output = vec![0; input.len() + 1];
    let mut ends = vec![0; 1024];
    let mut reader = Reader::new();
    let (mut records, mut count) = (Vec::new(), 0);
    loop {
        let (result, read, written, fields) = reader.read_record(input, &mut output, &mut ends);
        input = &input[read..];
        match result {
            ReadRecordResult::Record => {
                count += fields;
                if count > MOST {
                    return Err(format!("it has more than {MOST} values."));
                }
                records.push(cut(&output, &ends[..fields]));
            }
            // The end of the input is known after one more empty read.
            ReadRecordResult::InputEmpty => {
                let (rest, places) = (&mut output[written..], &mut ends[fields..]);
                let (last, _, _, more) = reader.read_record(&[], rest, places);
                if matches!(last, ReadRecordResult::Record) {
                    records.push(cut(&output, &ends[..fields + more]));
                }
                return Ok(records);
            }
            ReadRecordResult::End => return Ok(records),
            ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                return Err("a row has more than 1024 fields.".into());
            }
        }
    }
}

fn cut(output: &[u8], ends: &[usize]) -> Vec<String> {
    let mut from = 0;
    let field = |end: &usize| {
        let text = String::from_utf8_lossy(&output[from..*end]).into_owned();
        from = *end;
        text
    };
    ends.iter().map(field).collect()
}

/// The fields of a line; the delimiter is not empty.
pub(crate) fn fields(line: &str, delimiter: &str, quoted: bool) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut inside, mut rest) = (false, line.trim_end_matches('\r'));
    while let Some(next) = rest.chars().next() {
        let Some(field) = fields.last_mut() else { break };
        let mut length = next.len_utf8();
        match next {
            '"' if quoted && inside && rest.starts_with("\"\"") => {
                field.push(next);
                length = 2;
            }
            '"' if quoted && (inside || field.is_empty()) => inside = !inside,
            _ if !inside && rest.starts_with(delimiter) => {
                fields.push(String::new());
                length = delimiter.len();
            }
            _ => field.push(next),
        }
        rest = &rest[length..];
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<(Vec<String>, Vec<Vec<Value>>), String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path(), "k").map_err(|problem| problem.message)
    }

    #[test]
    fn rows_have_types() {
        let (columns, rows) = of("\u{feff}id,name\r\n7,\"a \"\"b\"\",\nc\"\n007,").unwrap();
        assert_eq!(columns, ["id", "name"]);
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(
            rows,
            [vec![Value::Int(7), text("a \"b\",\nc")], vec![text("007"), Value::Null]]
        );
    }

    #[test]
    fn wrong_files() {
        for (text, words) in [
            ("", "must name the columns"),
            ("a b\n1", "must name the columns"),
            ("a,b\n", "no rows"),
            ("a,b,a\n1,2,3\n", "two columns are called \"a\""),
            ("a,b\n1\n", "row 1 has 1 fields, not 2"),
        ] {
            let message = of(text).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn lines_have_fields() {
        assert_eq!(fields("a,b,,c\r", ",", false), ["a", "b", "", "c"]);
        assert_eq!(fields("\"a,b\",\"c\"\"d\"", ",", true), ["a,b", "c\"d"]);
        assert_eq!(fields("\"a", ",", false), ["\"a"]);
        assert_eq!(fields("1||2||||3|||é", "||", false), ["1", "2", "", "3", "|é"]);
        assert_eq!(fields("\"1||2\"||3", "||", true), ["1||2", "3"]);
    }
}
