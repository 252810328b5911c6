//! Rows that a person gives: a text of CSV, of a spreadsheet, of JSON. They are sent on to a bulk load with the columns
//! that were chosen, under the names of members; values stay as they are written.

use bytes::Bytes;
use duet_document::bulk::{CsvForm, CsvReader};
use serde_json::{Map, Value};

/// The first values of a column that are shown.
const SHOWN: usize = 3;
/// Characters of each.
const CHARACTERS: usize = 40;

/// Rows that were given.
pub(super) enum Upload<'t> {
    /// CSV with this delimiter; where each record begins.
    Csv { text: &'t [u8], delimiter: u8, names: Vec<String>, lines: Vec<u64> },
    /// JSON objects, each with its line; of an array, its number.
    Json { items: Vec<Map<String, Value>>, lines: Vec<u64>, is_array: bool },
}

/// A bulk load: its media type, the parameter that its form needs, and the body.
pub(super) struct Load {
    pub(super) media: &'static str,
    pub(super) parameter: String,
    pub(super) body: Bytes,
}

impl<'t> Upload<'t> {
    /// Reads what was given.
    ///
    /// # Errors
    /// What cannot be read, for people.
    pub(super) fn of(text: &'t [u8]) -> Result<Self, String> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        match text.trim_ascii_start().first() {
            None => Err("There are no rows. Choose a file, or paste rows.".to_owned()),
            Some(b'[') => Self::array(text),
            Some(b'{') => Self::lines(text),
            Some(_) => Self::csv(text),
        }
    }

    fn csv(text: &'t [u8]) -> Result<Self, String> {
        let first = text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let count =
            |sign: u8| first.unwrap_or_default().iter().filter(|byte| **byte == sign).count();
        // Of those that are as many the first one: what spreadsheets copy has tabs.
        let delimiter =
            *[b',', b';', b'\t'].iter().max_by_key(|sign| count(**sign)).unwrap_or(&b',');
        let (mut names, mut lines, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        records(text, delimiter, |line, fields| {
            if names.is_empty() {
                names = fields
                    .iter()
                    .map(|(field, _)| String::from_utf8_lossy(field).into_owned())
                    .collect();
            } else {
                if fields.len() != names.len() {
                    wrong.push(format!("line {line} has {}", fields.len()));
                }
                lines.push(line);
            }
        })?;
        match &wrong[..] {
            [] => Ok(Self::Csv { text, delimiter, names, lines }),
            [..] => {
                let more = wrong.len().saturating_sub(5);
                wrong.truncate(5);
                let more = if more > 0 { format!(" and {more} more lines") } else { String::new() };
                let columns = names.len();
                Err(format!(
                    "The first line names {columns} columns, but {}{more}. Correct them, or put fields with a delimiter in quotes.",
                    wrong.join(", ")
                ))
            }
        }
    }

    fn array(text: &'t [u8]) -> Result<Self, String> {
        let all: Vec<Value> =
            serde_json::from_slice(text).map_err(|error| format!("This is not JSON: {error}."))?;
        let items: Option<Vec<_>> = all.into_iter().map(object).collect();
        let items = items.ok_or("The array must have objects alone.")?;
        let lines = (1..=items.len() as u64).collect();
        Ok(Self::Json { items, lines, is_array: true })
    }

    fn lines(text: &'t [u8]) -> Result<Self, String> {
        let (mut items, mut lines) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let item = serde_json::from_slice(line).ok().and_then(object);
            items.push(item.ok_or_else(|| format!("Line {number} is no JSON object."))?);
            lines.push(number);
        }
        Ok(Self::Json { items, lines, is_array: false })
    }

    /// What it was read as, in words.
    pub(super) fn form(&self) -> &'static str {
        match self {
            Self::Csv { delimiter: b'\t', .. } => "text with tabs",
            Self::Csv { delimiter: b';', .. } => "CSV with semicolons",
            Self::Csv { .. } => "CSV",
            Self::Json { is_array: true, .. } => "a JSON array",
            Self::Json { .. } => "NDJSON",
        }
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Csv { lines, .. } | Self::Json { lines, .. } => lines.len(),
        }
    }

    /// Where a row is, by its number from 1.
    pub(super) fn place(&self, row: u64) -> String {
        let (Self::Csv { lines, .. } | Self::Json { lines, .. }) = self;
        let at = usize::try_from(row).ok().and_then(|row| lines.get(row.checked_sub(1)?));
        match (self, at) {
            (Self::Json { is_array: true, .. }, _) | (_, None) => format!("row {row}"),
            (_, Some(line)) => format!("line {line}"),
        }
    }

    /// The columns, each with its first values.
    pub(super) fn columns(&self) -> Vec<(String, Vec<String>)> {
        match self {
            Self::Csv { text, delimiter, names, .. } => {
                let mut columns: Vec<_> =
                    names.iter().map(|name| (name.clone(), Vec::new())).collect();
                let mut rows = 0;
                // Read already.
                let _ = records(text, *delimiter, |_, fields| {
                    rows += 1;
                    if (2..=SHOWN + 1).contains(&rows) {
                        for ((_, values), (field, _)) in columns.iter_mut().zip(fields) {
                            values.push(cut(&String::from_utf8_lossy(field)));
                        }
                    }
                });
                columns
            }
            Self::Json { items, .. } => {
                let mut columns: Vec<(String, Vec<String>)> = Vec::new();
                let mut known = std::collections::HashMap::new();
                for (name, value) in items.iter().flatten() {
                    let at = *known.entry(name).or_insert_with(|| {
                        columns.push((name.clone(), Vec::new()));
                        columns.len() - 1
                    });
                    if columns[at].1.len() < SHOWN {
                        columns[at].1.push(cut(&value.to_string()));
                    }
                }
                columns
            }
        }
    }

    /// The load of the columns that have a member, in the order of the columns.
    pub(super) fn load(&self, members: &[Option<String>]) -> Load {
        match self {
            Self::Csv { text, delimiter, .. } => {
                let body = selected(text, *delimiter, members);
                let name = if *delimiter == b'\t' {
                    "tab".to_owned()
                } else {
                    char::from(*delimiter).to_string()
                };
                Load { media: "text/csv", parameter: name, body: body.into() }
            }
            Self::Json { items, .. } => {
                let columns = self.columns();
                let renamed: std::collections::HashMap<&str, &str> = columns
                    .iter()
                    .zip(members)
                    .filter_map(|((name, _), member)| Some((name.as_str(), member.as_deref()?)))
                    .collect();
                let mut body = String::new();
                for item in items {
                    let kept = item.iter().filter_map(|(name, value)| {
                        Some(((*renamed.get(name.as_str())?).to_owned(), value.clone()))
                    });
                    body.push_str(&Value::Object(kept.collect()).to_string());
                    body.push('\n');
                }
                Load { media: "application/x-ndjson", parameter: String::new(), body: body.into() }
            }
        }
    }
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Gives each record with its line: its fields, and whether each is in quotes.
fn records(
    text: &[u8],
    delimiter: u8,
    mut each: impl FnMut(u64, &[(&[u8], bool)]),
) -> Result<(), String> {
    let form = CsvForm { delimiter, ..CsvForm::default() };
    let mut reader = CsvReader::new(form, text.len());
    let mut rest = text;
    let mut give = |fields: duet_document::bulk::Fields<'_>| {
        let all: Vec<_> = (0..fields.len()).filter_map(|at| fields.get(at)).collect();
        each(fields.line, &all);
    };
    while let Some(fields) = reader.next(&mut rest).map_err(|fault| fault.message)? {
        give(fields);
    }
    if let Some(fields) = reader.finish().map_err(|fault| fault.message)? {
        give(fields);
    }
    Ok(())
}

/// The text with the columns that have a member, under its name. A field stays in quotes or without: that tells an empty
/// text from NULL, and a text from a number.
fn selected(text: &[u8], delimiter: u8, members: &[Option<String>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut is_first = true;
    let quoted = |field: &[u8], out: &mut Vec<u8>| {
        out.push(b'"');
        for byte in field {
            out.push(*byte);
            if *byte == b'"' {
                out.push(b'"');
            }
        }
        out.push(b'"');
    };
    // Read already.
    let _ = records(text, delimiter, |_, fields| {
        let chosen = members
            .iter()
            .zip(fields)
            .filter_map(|(member, field)| Some((member.as_ref()?, field)));
        for (at, (member, (field, in_quotes))) in chosen.enumerate() {
            if at > 0 {
                out.push(delimiter);
            }
            match (is_first, in_quotes) {
                (true, _) => quoted(member.as_bytes(), &mut out),
                (false, true) => quoted(field, &mut out),
                (false, false) => out.extend_from_slice(field),
            }
        }
        is_first = false;
        out.push(b'\n');
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(upload: &Upload<'_>, members: &[Option<&str>]) -> String {
        let members: Vec<_> = members.iter().map(|it| it.map(str::to_owned)).collect();
        String::from_utf8(upload.load(&members).body.to_vec()).unwrap()
    }

    #[test]
    fn csv_keeps_its_quotes_and_loses_columns() {
        let text = "\u{feff}Id;Name;Note\r\n1;\"a;\"\"b\"\"\";\"\"\n\n2;c;\n";
        let upload = Upload::of(text.as_bytes()).unwrap();
        assert_eq!((upload.form(), upload.rows()), ("CSV with semicolons", 2));
        assert_eq!((upload.place(1), upload.place(2)), ("line 2".into(), "line 4".into()));
        assert_eq!(
            chosen(&upload, &[Some("id"), Some("name"), Some("note")]),
            "\"id\";\"name\";\"note\"\n1;\"a;\"\"b\"\"\";\"\"\n2;c;\n"
        );
        assert_eq!(chosen(&upload, &[None, Some("name"), None]), "\"name\"\n\"a;\"\"b\"\"\"\nc\n");
        let columns = upload.columns();
        assert_eq!(columns[1], ("Name".into(), vec!["a;\"b\"".into(), "c".into()]));
    }

    #[test]
    fn json_keeps_its_numbers() {
        let text = "{\"a\": 12345678901234567890.10, \"b\": 1}\n\n{\"b\": null}\n";
        let upload = Upload::of(text.as_bytes()).unwrap();
        assert_eq!((upload.form(), upload.rows(), upload.place(2)), ("NDJSON", 2, "line 3".into()));
        assert_eq!(chosen(&upload, &[Some("x"), None]), "{\"x\":12345678901234567890.10}\n{}\n");
        let upload = Upload::of(b" [{\"a\":1}]").unwrap();
        assert_eq!((upload.form(), upload.place(1)), ("a JSON array", "row 1".into()));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, why) in [
            ("  \n", "There are no rows."),
            ("a,b\n1\n", "The first line names 2 columns, but line 2 has 1."),
            ("a\n\"b\n", "never closed"),
            ("[1]", "objects alone"),
            ("[{]", "not JSON"),
            ("{\"a\":1}\nx\n", "Line 2 is no JSON object."),
        ] {
            let error = Upload::of(text.as_bytes()).err().unwrap();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
