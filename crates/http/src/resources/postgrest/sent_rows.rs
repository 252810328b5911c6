//! Bodies in other media types than JSON, as the JSON that they mean: CSV with a line of names, and forms.

use csv_core::{ReadRecordResult, Reader};
use duet_model::Error;
use duet_model::profiles::PostgrestCode;
use serde_json::{Map, Value};

use super::arguments::pairs;

/// The lines of a CSV body as an array of objects: `NULL` is null, everything else a text.
///
/// # Errors
/// [`PostgrestCode::Body`] where a line has another number of fields than the first one.
pub(super) fn of_csv(text: &str) -> Result<String, Error> {
    let mut records = records(text).into_iter();
    let names = records.next().unwrap_or_default();
    let row = |record: Vec<String>| {
        if record.len() != names.len() {
            return Err(PostgrestCode::Body.error("All lines must have same number of fields"));
        }
        let value = |field: String| match field.as_str() {
            "NULL" => Value::Null,
            _ => Value::String(field),
        };
        let members = names.iter().cloned().zip(record.into_iter().map(value));
        Ok(Value::Object(members.collect::<Map<_, _>>()))
    };
    let rows: Result<Vec<Value>, Error> = records.map(row).collect();
    Ok(Value::Array(rows?).to_string())
}

/// The fields of a form as an object of texts.
///
/// # Errors
/// [`PostgrestCode::Grammar`] for what is not percent-encoded.
pub(super) fn of_form(text: &str) -> Result<String, Error> {
    let members = pairs(text)?.into_iter().map(|(name, text)| (name, Value::String(text)));
    Ok(Value::Object(members.collect::<Map<_, _>>()).to_string())
}

/// The fields of each line.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = Reader::new();
    let (mut input, mut records) = (text.as_bytes(), Vec::new());
    // A field is never longer than the text, and there are at most as many as bytes.
    let (mut fields, mut ends) = (vec![0; text.len() + 1], vec![0; text.len() + 1]);
    let (mut written, mut ended) = (0, 0);
    loop {
        let (result, read, more, ends_more) =
            reader.read_record(input, &mut fields[written..], &mut ends[ended..]);
        input = &input[read..];
        (written, ended) = (written + more, ended + ends_more);
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::Record => {
                let mut from = 0;
                let record = ends[..ended].iter().map(|&end| {
                    let field = String::from_utf8_lossy(&fields[from..end]).into_owned();
                    from = end;
                    field
                });
                records.push(record.collect());
                (written, ended) = (0, 0);
            }
            _ => return records,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_objects() {
        let json = of_csv("a,\"b c\"\n1,\nNULL,\"x,\"\"y\"\"\"\n").unwrap();
        assert_eq!(json, r#"[{"a":"1","b c":""},{"a":null,"b c":"x,\"y\""}]"#);
        assert_eq!(of_csv("a,b\n").unwrap(), "[]");
        assert_eq!(of_csv("").unwrap(), "[]");
        assert!(of_csv("a,b\n1\n").is_err());
        assert_eq!(of_form("a=1&b=x+y").unwrap(), r#"{"a":"1","b":"x y"}"#);
    }
}
