//! Texts at several paths of a document, joined by blanks: what an index of several members has. It is what
//! FOLIO's raml-module-builder makes of `multiFieldNames` by `concat_space_sql`.

use duet_text::json::{Json, JsonKind};

/// The function of a document and a list of paths that [`Expr::Function`](crate::Expr::Function) names: the texts at the
/// paths, joined by blanks. The paths are separated by commas; `[*]` means all elements of an array, of which
/// only texts count. What is missing adds nothing; where all is, the result is the empty text.
pub const JOINED: &str = "joined";

/// Every element of an array, in a path.
const EACH: &str = "[*]";

/// One of the paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinedPath {
    /// A single member, by its steps.
    Member(Vec<String>),
    /// The elements of an array, by its steps, or a member of each.
    Elements(Vec<String>, Option<String>),
}

/// The paths of a list.
///
/// ```
/// use duet_model::{JoinedPath, joined_paths};
///
/// let found: Vec<_> = joined_paths("title, a.people[*].name,tags[*]").collect();
/// let steps = |path: &str| path.split('.').map(str::to_owned).collect();
/// assert_eq!(
///     found,
///     [
///         JoinedPath::Member(steps("title")),
///         JoinedPath::Elements(steps("a.people"), Some("name".to_owned())),
///         JoinedPath::Elements(steps("tags"), None),
///     ]
/// );
/// ```
pub fn joined_paths(paths: &str) -> impl Iterator<Item = JoinedPath> + '_ {
    let steps = |path: &str| path.split('.').map(str::to_owned).collect();
    paths.split(',').map(str::trim).map(move |path| match path.split_once(EACH) {
        None => JoinedPath::Member(steps(path)),
        Some((array, rest)) => {
            let member = rest.strip_prefix('.').map(str::to_owned);
            JoinedPath::Elements(steps(array), member)
        }
    })
}

/// The texts at paths of a document, joined by blanks. `text` gives the text of a single value.
pub fn joined_texts(
    document: &Json<'_>,
    paths: &str,
    text: &dyn Fn(&Json<'_>) -> Option<String>,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    for path in joined_paths(paths) {
        match path {
            JoinedPath::Member(steps) => parts.extend(reached(document, &steps).and_then(text)),
            JoinedPath::Elements(steps, member) => {
                let Some(array) = reached(document, &steps) else { continue };
                let elements = match &array.kind {
                    JsonKind::List(elements) => elements.as_slice(),
                    _ => std::slice::from_ref(array),
                };
                let values = elements.iter().filter_map(|element| match &member {
                    Some(name) => element.get(name),
                    None => Some(element),
                });
                parts.extend(values.filter_map(|value| match &value.kind {
                    JsonKind::Text(text) => Some(text.to_string()),
                    _ => None,
                }));
            }
        }
    }
    parts.join(" ")
}

fn reached<'d, 't>(document: &'d Json<'t>, steps: &[String]) -> Option<&'d Json<'t>> {
    steps.iter().try_fold(document, |at, step| at.get(step))
}

#[cfg(test)]
mod tests {
    use duet_text::json::{STORED, read};

    use super::*;

    #[test]
    fn missing_values_add_nothing() {
        let document = r#"{"a": "x  y", "n": 7, "o": {"b": ""}, "l": ["p", null, 3, "q\"r"],
            "m": [{"c": "1"}, {}, {"c": ["2"]}, {"c": "3"}], "s": {"c": "one"}}"#;
        let document = read(document, &STORED, 8).unwrap();
        let text = |value: &Json<'_>| match &value.kind {
            JsonKind::Text(text) => Some(text.to_string()),
            JsonKind::Number(number) => Some((*number).to_owned()),
            _ => None,
        };
        for (paths, expected) in [
            ("a,n", "x  y 7"),
            ("lost,o.b,n", " 7"),
            ("l[*], m[*].c", "p q\"r 1 3"),
            ("s[*].c,lost[*].c", "one"),
            ("lost", ""),
        ] {
            assert_eq!(joined_texts(&document, paths, &text), expected, "{paths}");
        }
    }
}
