//! Answers of bounded size: an agent's conversation has a limited number of tokens, and a table does not.

use serde_json::Value;

/// Bytes of a token, about.
const TOKEN_BYTES: usize = 4;

/// Bytes of an answer beside its values.
const AROUND: usize = 800;

/// Of a value that is too long: the longest text and the most elements of an array, first gently.
const CUTS: [Cut; 4] = [
    Cut { chars: 2_000, elements: 200 },
    Cut { chars: 200, elements: 50 },
    Cut { chars: 80, elements: 10 },
    Cut { chars: 20, elements: 2 },
];

/// How much of a value is left.
#[derive(Clone, Copy, Debug)]
struct Cut {
    chars: usize,
    elements: usize,
}

/// The most bytes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(usize);

/// Values that fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FittedItems {
    /// They.
    pub items: Vec<Value>,
    /// How many at the end were left out.
    pub left_out: usize,
    /// Whether the first one is cut, because it alone was too long.
    pub is_cut: bool,
}

impl Budget {
    /// That of so many tokens.
    pub fn of_tokens(tokens: usize) -> Self {
        Self(tokens.saturating_mul(TOKEN_BYTES))
    }

    /// The most bytes of a whole answer.
    pub fn bytes(self) -> usize {
        self.0
    }

    fn of_values(self) -> usize {
        self.0.saturating_sub(AROUND).max(TOKEN_BYTES)
    }

    /// As many of the items as fit; of the first one at least a part.
    ///
    /// ```
    /// use duet_mcp::Budget;
    /// let items = vec![serde_json::json!("x".repeat(1_000)); 10];
    /// let fitted = Budget::of_tokens(1_000).items(items);
    /// assert_eq!((fitted.items.len(), fitted.left_out, fitted.is_cut), (3, 7, false));
    /// ```
    pub fn items(self, items: Vec<Value>) -> FittedItems {
        let (all, mut used) = (items.len(), 0);
        let mut fitted = FittedItems::default();
        for item in items {
            used += size(&item) + 1;
            if used > self.of_values() {
                if fitted.items.is_empty() {
                    fitted.items.push(self.value(item).0);
                    fitted.is_cut = true;
                }
                break;
            }
            fitted.items.push(item);
        }
        fitted.left_out = all - fitted.items.len();
        fitted
    }

    /// The value, with long texts and arrays cut where it does not fit; whether that was so.
    pub fn value(self, value: Value) -> (Value, bool) {
        let most = self.of_values();
        if size(&value) <= most {
            return (value, false);
        }
        let cut = CUTS.iter().map(|cut| shortened(&value, *cut)).find(|it| size(it) <= most);
        (cut.unwrap_or_else(|| outlined(&value, most)), true)
    }
}

fn size(value: &Value) -> usize {
    serde_json::to_string(value).map_or(usize::MAX / 2, |text| text.len())
}

/// The value with the beginning of its long texts and arrays. The parser bounds the depth.
fn shortened(value: &Value, cut: Cut) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(cut.chars) {
            Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()).into(),
            None => value.clone(),
        },
        Value::Array(list) => {
            let mut out: Vec<Value> =
                list.iter().take(cut.elements).map(|it| shortened(it, cut)).collect();
            if list.len() > cut.elements {
                out.push(format!("… ({} elements)", list.len()).into());
            }
            out.into()
        }
        Value::Object(members) => {
            let each = members.iter().map(|(name, it)| (name.clone(), shortened(it, cut)));
            Value::Object(each.collect())
        }
        other => other.clone(),
    }
}

/// The names of the members, each with its size, as far as they fit.
fn outlined(value: &Value, most: usize) -> Value {
    let shown = |it: &Value| Value::from(format!("({} bytes)", size(it)));
    let Value::Object(members) = value else { return shown(value) };
    let (mut used, mut out) = (0, serde_json::Map::new());
    for (name, it) in members {
        // A name is escaped at most twice as long, and a size takes few digits.
        used += name.len() * 2 + 30;
        if used > most {
            break;
        }
        out.insert(name.clone(), shown(it));
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_comes_the_answer_is_bounded() {
        let budget = Budget::of_tokens(500);
        let wide: serde_json::Map<String, Value> =
            (0..5_000).map(|number| (format!("a_member_{number}"), json!(number))).collect();
        for value in [
            json!({ "text": "ä".repeat(100_000) }),
            json!(vec![json!({ "a": "b".repeat(500) }); 500]),
            json!({ "list": vec![vec!["x".repeat(90); 90]; 90] }),
            Value::Object(wide),
        ] {
            let (fitted, is_cut) = budget.value(value.clone());
            assert!(is_cut && size(&fitted) <= budget.of_values(), "{}", size(&fitted));
            let items = budget.items(vec![value.clone(), value]);
            assert!(items.is_cut && items.left_out == 1 && items.items.len() == 1);
        }
        let small = json!({ "a": [1, "b"] });
        assert_eq!(budget.value(small.clone()), (small, false));
    }

    /// The work is that of what there is: no item is looked at twice.
    #[test]
    fn what_does_not_fit_is_not_looked_at() {
        let items = vec![json!("x".repeat(100)); 10_000];
        let fitted = Budget::of_tokens(1_000).items(items);
        assert_eq!(fitted.items.len() + fitted.left_out, 10_000);
        assert!(fitted.items.len() < 40);
    }
}
