//! The paths of JSON extractors: members, `[*]`, `[n]`, and `..name`.

use serde_json::Value;

/// A path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    /// A member at any depth.
    Below(String),
    Every,
    At(usize),
}

impl JsonPath {
    /// Reads a path; `None` where it has filters, functions or slices.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        rest = rest.strip_prefix('$').unwrap_or(rest);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let (index, behind) = inside.split_once(']')?;
                let name = |quote| index.strip_prefix(quote)?.strip_suffix(quote);
                steps.push(match (index, name('\'').or_else(|| name('"'))) {
                    ("*", _) => Step::Every,
                    (_, Some(name)) => Step::Member(name.to_owned()),
                    (index, None) => Step::At(index.parse().ok()?),
                });
                rest = behind;
                continue;
            }
            let (below, name) = match (rest.strip_prefix(".."), rest.strip_prefix('.')) {
                (Some(name), _) => (true, name),
                (None, Some(name)) => (false, name),
                // JMeter takes a path without `$.` too.
                (None, None) if steps.is_empty() => (false, rest),
                (None, None) => return None,
            };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, behind) = name.split_at(end);
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-@".contains(&byte);
            steps.push(match name {
                "*" if !below => Step::Every,
                name if name.is_empty() && behind.starts_with('[') && !below => {
                    rest = behind;
                    continue;
                }
                name if !name.is_empty() && name.bytes().all(is_plain) => match below {
                    true => Step::Below(name.to_owned()),
                    false => Step::Member(name.to_owned()),
                },
                _ => return None,
            });
            rest = behind;
        }
        Some(Self(steps))
    }

    /// The values at the path, as texts.
    pub(super) fn find(&self, document: &Value) -> Vec<String> {
        let mut found = vec![document];
        for step in &self.0 {
            found = found.into_iter().flat_map(|value| step.from(value)).collect();
        }
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        found.into_iter().map(text).collect()
    }
}

impl Step {
    fn from<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Member(name), value) => value.get(name).into_iter().collect(),
            (Self::At(index), value) => value.get(index).into_iter().collect(),
            (Self::Every, Value::Array(elements)) => elements.iter().collect(),
            (Self::Every, Value::Object(members)) => members.values().collect(),
            (Self::Every, _) => Vec::new(),
            (Self::Below(name), value) => {
                let mut found: Vec<&Value> = value.get(name).into_iter().collect();
                let inside: Vec<&Value> = match value {
                    Value::Array(elements) => elements.iter().collect(),
                    Value::Object(members) => members.values().collect(),
                    _ => Vec::new(),
                };
                found.extend(inside.into_iter().flat_map(|inner| self.from(inner)));
                found
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_values() {
        let document = serde_json::json!({ "id": 7, "list": [{ "id": "a" }, { "id": "b" }] });
        let find = |path: &str| JsonPath::read(path).unwrap().find(&document);
        assert_eq!(find("$.list[*].id"), ["a", "b"]);
        assert_eq!(find(".list[1].id"), ["b"]);
        assert_eq!(
            (find("id"), find(".id"), find("$['id']")),
            (vec!["7".into()], vec!["7".into()], vec!["7".into()])
        );
        assert_eq!(find("$..id"), ["7", "a", "b"]);
        assert!(find("$.none").is_empty());
        for wrong in ["$.list[?(@.id)]", "$.a.length()", "$.list[0:1]"] {
            assert_eq!(JsonPath::read(wrong), None, "{wrong}");
        }
    }
}
