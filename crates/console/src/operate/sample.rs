//! Lines of the text format of Prometheus.

use std::collections::BTreeMap;

/// A line of the text format of Prometheus.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) value: f64,
}

impl Sample {
    /// Reads a line; `None` for comments and what is no sample.
    pub(super) fn of(line: &str) -> Option<Self> {
        let (head, value) = line.rsplit_once(' ')?;
        let value = value.parse().ok()?;
        let (name, labels) = head.split_once('{').unwrap_or((head, ""));
        if line.starts_with('#') {
            return None;
        }
        Some(Self { name: name.to_owned(), labels: labels_of(labels.trim_end_matches('}')), value })
    }

    pub(super) fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

/// Labels such as `a="1",b="2"`; in values `\"`, `\\` and `\n` are escaped.
fn labels_of(text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once("=\"") {
        let (mut value, mut escaped, mut end) = (String::new(), false, after.len());
        for (at, sign) in after.char_indices() {
            match (escaped, sign) {
                (false, '\\') => escaped = true,
                (false, '"') => {
                    end = at + 1;
                    break;
                }
                (true, 'n') => (value, escaped) = (value + "\n", false),
                _ => {
                    value.push(sign);
                    escaped = false;
                }
            }
        }
        labels.insert(name.trim_start_matches(',').to_owned(), value);
        rest = &after[end..];
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_with_their_labels() {
        let sample = Sample::of(r#"a_total{x="1,\"2\"\\",y="\n"} 1.5"#).unwrap();
        assert_eq!((sample.label("x"), sample.label("y"), sample.value), ("1,\"2\"\\", "\n", 1.5));
        assert_eq!(Sample::of("# HELP a b 1"), None);
        assert_eq!(Sample::of("a"), None);
    }
}
