//! Rows as text that is equal on both stores, and their hash.

use std::fmt::Write as _;

use duet_bench::facts::fingerprint;
use duet_client::Rows;
use duet_model::Value;
use duet_verdict::result::Answer;

/// The number of rows, and their hash in order. Ratios count with six decimal places.
pub fn answer_of(rows: &Rows) -> Answer {
    let mut text = String::new();
    for row in &rows.rows {
        row.iter().for_each(|value| write_value(value, &mut text));
        text.push('\x1E');
    }
    Answer { rows: rows.rows.len() as u64, hash: fingerprint(text.as_bytes()) }
}

/// A value between separators that no value contains; NULL has its own marker.
fn write_value(value: &Value, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => write!(text, "\x00"),
        Value::Float(number) => {
            let rounded = format!("{number:.6}");
            let is_zero = rounded == "-0.000000";
            write!(text, "{}", if is_zero { "0.000000" } else { &rounded })
        }
        other => write!(text, "{other}"),
    };
    text.push('\x1F');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(row: &[Value]) -> String {
        answer_of(&Rows { columns: Vec::new(), rows: vec![row.to_vec()] }).hash
    }

    #[test]
    fn six_places_count() {
        let third = hash(&[Value::Float(1.0 / 3.0)]);
        assert_eq!(third, hash(&[Value::Float(0.333_333_331)]));
        assert_ne!(third, hash(&[Value::Float(0.333_334)]));
        assert_eq!(hash(&[Value::Float(-1e-9)]), hash(&[Value::Float(0.0)]));
    }

    #[test]
    fn values_rows_and_nulls_have_different_hashes() {
        let text = |text: &str| Value::Text(text.into());
        assert_ne!(hash(&[text("ab"), text("c")]), hash(&[text("a"), text("bc")]));
        assert_ne!(hash(&[Value::Null]), hash(&[text("")]));
        let none = answer_of(&Rows::default());
        assert_eq!((none.rows, none.hash.as_str()), (0, "cbf29ce484222325"));
    }
}
