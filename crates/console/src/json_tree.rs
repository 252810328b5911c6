//! A JSON value as a tree that opens and closes: bounded in depth and in the number of its nodes, its texts cut.

use serde_json::Value;

use crate::cell::Cell;

/// Nodes that are shown at most.
const MOST_NODES: usize = 500;
/// Levels that are shown at most; what is deeper is a text.
const DEEPEST: usize = 16;
/// Levels that are open at first.
const OPEN: usize = 2;

/// A tree as its page writes it, from the beginning to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonTree {
    /// What is written.
    pub marks: Vec<TreeMark>,
    /// Whether there are more nodes than these.
    pub is_cut: bool,
}

/// A step of writing a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeMark {
    /// An object or an array begins: its name, what it is, and whether it is open.
    Begin(String, String, bool),
    /// A value with its name.
    Leaf(String, Cell),
    /// The object or array ends, with so many members that are not shown.
    End(usize),
}

impl JsonTree {
    /// The tree of an object or an array; `None` for what has no members.
    ///
    /// ```
    /// use duet_console::json_tree::JsonTree;
    /// use serde_json::json;
    /// assert_eq!(JsonTree::of("data", &json!({"a": [1, null]})).unwrap().marks.len(), 6);
    /// assert_eq!(JsonTree::of("data", &json!("a")), None);
    /// ```
    pub fn of(name: &str, value: &Value) -> Option<Self> {
        let has_members = match value {
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
            _ => false,
        };
        let mut tree = Self::default();
        let mut left = MOST_NODES;
        has_members.then(|| {
            tree.add(name, value, 0, &mut left);
            tree
        })
    }

    fn add(&mut self, name: &str, value: &Value, depth: usize, left: &mut usize) {
        *left = left.saturating_sub(1);
        let words =
            |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        match value {
            Value::Object(members) if depth < DEEPEST && !members.is_empty() => {
                self.begin(name, words(members.len(), "member"), depth);
                let each = members.iter().map(|(name, value)| (name.as_str(), value));
                self.members(each, depth, left);
            }
            Value::Array(items) if depth < DEEPEST && !items.is_empty() => {
                self.begin(name, words(items.len(), "element"), depth);
                let names: Vec<String> =
                    (0..items.len().min(MOST_NODES)).map(|at| at.to_string()).collect();
                let known = names.iter().map(String::as_str).chain(std::iter::repeat(""));
                self.members(known.zip(items), depth, left);
            }
            other => self.marks.push(TreeMark::Leaf(name.to_owned(), leaf(other))),
        }
    }

    fn begin(&mut self, name: &str, words: String, depth: usize) {
        self.marks.push(TreeMark::Begin(name.to_owned(), words, depth < OPEN));
    }

    fn members<'v>(
        &mut self,
        members: impl Iterator<Item = (&'v str, &'v Value)>,
        depth: usize,
        left: &mut usize,
    ) {
        let mut hidden = 0;
        for (name, value) in members {
            match *left {
                0 => hidden += 1,
                _ => self.add(name, value, depth + 1, left),
            }
        }
        self.is_cut |= hidden > 0;
        self.marks.push(TreeMark::End(hidden));
    }
}

/// A value as it is shown: texts with their quotes, so that `null`, an empty text and the text "null" differ.
fn leaf(value: &Value) -> Cell {
    let kind = Cell::of(Some(value)).kind;
    match value {
        Value::String(text) => {
            // Of a text of megabytes only its beginning is looked at more than once.
            let end = text.char_indices().nth(200).map_or(text.len(), |(at, _)| at);
            let cut = text[end..].chars().count();
            Cell {
                kind: "text",
                text: Value::from(&text[..end]).to_string(),
                cut,
                ..Cell::default()
            }
        }
        Value::Null => Cell { kind, text: "null".to_owned(), ..Cell::default() },
        other => Cell::of(Some(other)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tree_is_bounded() {
        let size = |count: usize| {
            let value = json!({ "list": (0..count).collect::<Vec<_>>(), "after": "x" });
            JsonTree::of("", &value).unwrap()
        };
        let (one, two) = (size(2 * MOST_NODES), size(4 * MOST_NODES));
        assert_eq!((one.marks.len(), one.is_cut), (two.marks.len(), true));
        assert!(!size(10).is_cut);
        let deep = (0..10 * DEEPEST).fold(json!(1), |inner, _| json!([inner]));
        let tree = JsonTree::of("", &deep).unwrap();
        let begins = tree.marks.iter().filter(|it| matches!(it, TreeMark::Begin(..))).count();
        let ends = tree.marks.iter().filter(|it| matches!(it, TreeMark::End(_))).count();
        assert_eq!((begins, ends), (DEEPEST, DEEPEST));
    }

    #[test]
    fn null_and_texts_differ() {
        let tree = JsonTree::of("", &json!([null, "", "null", "é".repeat(300)])).unwrap();
        let leaves: Vec<(&str, usize)> = tree
            .marks
            .iter()
            .filter_map(|it| match it {
                TreeMark::Leaf(_, cell) => Some((cell.text.as_str(), cell.cut)),
                _ => None,
            })
            .collect();
        assert_eq!(leaves[..3], [("null", 0), ("\"\"", 0), ("\"null\"", 0)]);
        assert_eq!(leaves[3].1, 100);
    }
}
