//! What differs between a sample and what is read back.

use std::collections::HashSet;

use duet_model::row_tree::pointer;
use duet_text::decimal::Decimal;
use serde_json::{Map, Value};

use super::input::noun;

/// Members that the server adds at the top of a document.
const ADDED: [&str; 2] = ["_metadata", "links"];

/// The differences, each with its JSON pointer. A missing member is the same as `null`, and as a list or
/// an object without content where the sample has none; `invented` members of what was read do not
/// count. Numbers are compared by their value.
pub(super) fn differences(
    sample: &Map<String, Value>,
    read: &Map<String, Value>,
    invented: &HashSet<String>,
) -> Vec<(String, String)> {
    let mut read = read.clone();
    ADDED.iter().filter(|name| !sample.contains_key(**name)).for_each(|name| {
        read.remove(*name);
    });
    let mut found = Vec::new();
    let comparison = Comparison { invented };
    comparison.objects(sample, &read, "", &mut found);
    found
}

struct Comparison<'i> {
    invented: &'i HashSet<String>,
}

impl Comparison<'_> {
    fn objects(
        &self,
        sample: &Map<String, Value>,
        read: &Map<String, Value>,
        at: &str,
        found: &mut Vec<(String, String)>,
    ) {
        for (name, value) in sample {
            let at = pointer(at, name);
            match read.get(name) {
                Some(read) => self.values(value, read, &at, found),
                None if value.is_null() => {}
                None => found.push((at, format!("{} is missing", shown(value)))),
            }
        }
        for (name, value) in read {
            let is_new = !sample.contains_key(name) && !self.invented.contains(name);
            if is_new && !self.is_empty(value) {
                let what = format!("{} is there, and not in the sample", shown(value));
                found.push((pointer(at, name), what));
            }
        }
    }

    fn values(&self, sample: &Value, read: &Value, at: &str, found: &mut Vec<(String, String)>) {
        match (sample, read) {
            (Value::Null, read) if self.is_empty(read) => {}
            (Value::Object(sample), Value::Object(read)) => self.objects(sample, read, at, found),
            (Value::Array(sample), Value::Array(read)) if sample.len() == read.len() => {
                for (index, (sample, read)) in sample.iter().zip(read).enumerate() {
                    self.values(sample, read, &pointer(at, &index.to_string()), found);
                }
            }
            (Value::Number(a), Value::Number(b)) if same_number(&a.to_string(), &b.to_string()) => {
            }
            (sample, read) if sample == read => {}
            (sample, read) => {
                found.push((at.to_owned(), format!("{} became {}", shown(sample), shown(read))));
            }
        }
    }

    /// Whether a value is what a place without content is read as.
    fn is_empty(&self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(elements) => elements.is_empty(),
            Value::Object(members) => members
                .iter()
                .all(|(name, value)| self.invented.contains(name) || self.is_empty(value)),
            _ => false,
        }
    }
}

fn same_number(a: &str, b: &str) -> bool {
    match (Decimal::parse(a), Decimal::parse(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// A value in a message: a short scalar as it is, others by their type and size.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(elements) => format!("an array of {}", elements.len()),
        Value::Object(members) => format!("an object of {}", members.len()),
        scalar => {
            let text = scalar.to_string();
            if text.len() <= 60 {
                text
            } else {
                format!("{} of {} bytes", noun(scalar), text.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_counts_as_a_difference() {
        let invented = HashSet::from(["_id".to_owned()]);
        for (sample, read, expected) in [
            (json!({"a": 1.50}), json!({"a": 1.5, "_id": 3, "links": []}), vec![]),
            (json!({"a": null}), json!({"a": {}, "b": null, "c": [], "d": {"e": null}}), vec![]),
            (json!({"a": "1"}), json!({"a": "2"}), vec![("/a", "\"1\" became \"2\"")]),
            (
                json!({"a": [1]}),
                json!({"a": [1, 2]}),
                vec![("/a", "an array of 1 became an array of 2")],
            ),
            (json!({"a": {"b/c": 1}}), json!({"a": {}}), vec![("/a/b~1c", "1 is missing")]),
            (json!({"a": []}), json!({}), vec![("/a", "an array of 0 is missing")]),
            (
                json!({}),
                json!({"x": [0]}),
                vec![("/x", "an array of 1 is there, and not in the sample")],
            ),
            (
                json!({"a": [{"n": 1}, {"n": 2}]}),
                json!({"a": [{"n": 1, "_id": 1}, {"n": 3, "_id": 2}]}),
                vec![("/a/1/n", "2 became 3")],
            ),
        ] {
            let (sample, read) = (sample.as_object().unwrap(), read.as_object().unwrap());
            let found = differences(sample, read, &invented);
            let found: Vec<(&str, &str)> =
                found.iter().map(|(at, what)| (at.as_str(), what.as_str())).collect();
            assert_eq!(found, expected);
        }
    }
}
