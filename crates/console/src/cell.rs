//! A value as a cell shows it: NULL, an empty text and the text "NULL" differ, and long values are cut here, not in the
//! browser.

use serde_json::Value;

/// How many characters a cell shows.
const MOST: usize = 200;

/// A value of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What it is: `null`, `empty`, `number`, `flag`, `json` or `text`. It chooses the style.
    pub kind: &'static str,
    /// What is shown.
    pub text: String,
    /// How many characters are left out.
    pub cut: usize,
    /// The page of the row that it refers to.
    pub href: Option<String>,
    /// What that row is called.
    pub label: Option<String>,
}

impl Cell {
    /// The cell of a value; `None` is a member that the item does not have.
    ///
    /// ```
    /// use duet_console::cell::Cell;
    /// use serde_json::json;
    /// assert_eq!(Cell::of(Some(&json!(null))).kind, "null");
    /// assert_eq!(Cell::of(Some(&json!(""))).kind, "empty");
    /// assert_eq!(Cell::of(Some(&json!("NULL"))).kind, "text");
    /// ```
    pub fn of(value: Option<&Value>) -> Self {
        let (kind, whole) = match value {
            None => ("absent", String::new()),
            Some(Value::Null) => ("null", "NULL".to_owned()),
            Some(Value::String(text)) if text.is_empty() => ("empty", "empty".to_owned()),
            Some(Value::String(text)) => ("text", text.clone()),
            Some(Value::Number(number)) => ("number", number.to_string()),
            Some(Value::Bool(flag)) => ("flag", flag.to_string()),
            Some(json) => ("json", json.to_string()),
        };
        let cut = whole.chars().count().saturating_sub(MOST);
        let text = if cut > 0 { whole.chars().take(MOST).collect() } else { whole };
        Self { kind, text, cut, ..Self::default() }
    }

    /// The same, which leads to the page of another row and shows what that is called.
    pub fn leading(self, href: Option<String>, label: Option<String>) -> Self {
        Self { href, label, ..self }
    }
}

/// What a row is called: its first text that is not long, as people would name it.
pub fn label_of(row: &Value) -> Option<String> {
    let members = row.as_object()?;
    let short = |value: &Value| {
        value.as_str().filter(|text| !text.is_empty() && text.len() <= 80).map(str::to_owned)
    };
    members.iter().filter(|(name, _)| *name != "links").find_map(|(_, value)| short(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        let cell = Cell::of(Some(&json!("é".repeat(250))));
        assert_eq!((cell.text.chars().count(), cell.cut, cell.kind), (200, 50, "text"));
        let cell = Cell::of(Some(&json!({"a": [1, null]})));
        assert_eq!((&*cell.text, cell.cut, cell.kind), ("{\"a\":[1,null]}", 0, "json"));
        assert_eq!(Cell::of(None).kind, "absent");
        assert_eq!(Cell::of(Some(&json!(false))).text, "false");
    }

    #[test]
    fn rows_are_called_by_their_first_text() {
        assert_eq!(
            label_of(&json!({"id": 1, "name": "Red Bull", "links": []})),
            Some("Red Bull".into())
        );
        assert_eq!(label_of(&json!({"id": 1, "note": ""})), None);
    }
}
