//! Texts at several paths of a document, joined by blanks: in PostgreSQL by functions that every installation has and that
//! are immutable, so that an index of the same expression serves.
//!
//! The text of an array of texts is what `jsonb` prints: `["a", "b\"c"]`. Escapes are replaced by signs that no such text
//! has, then the brackets and the quotes between elements go, then the signs become what was escaped.

use duet_model::{JoinedPath, joined_paths};

/// A piece of the SQL text of [joined texts](crate::JsonSyntax::joined_texts).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinedPiece {
    /// SQL text.
    Text(&'static str),
    /// The document.
    Document,
    /// A text of the declaration, in quotes.
    Quoted(String),
}

/// Before the value of a single member, and behind it.
const MEMBER: [&str; 2] = ["coalesce(' ' || (", "::text[]), '')"];

/// Before the array of elements, and behind it.
const ELEMENTS: [&str; 2] = [
    "coalesce(' ' || replace(replace(replace(left(substr(\
     replace(replace(replace(replace(replace(replace(replace(nullif(jsonb_path_query_array(",
    r#"::jsonpath)::text, '[]'), '\\', chr(1)), '\"', chr(2)), '\n', chr(10)), '\t', chr(9)), '\r', chr(13)), '\b', chr(8)), '\f', chr(12)), 3), -2), '", "', ' '), chr(2), '"'), chr(1), '\'), '')"#,
];

/// The pieces for PostgreSQL.
pub(crate) fn postgres(
    paths: &str,
    member_path: &dyn Fn(&[String]) -> Option<String>,
) -> Vec<JoinedPiece> {
    use JoinedPiece::{Document, Quoted, Text};
    let mut pieces = vec![Text("(substr(''")];
    for path in joined_paths(paths) {
        pieces.push(Text(" || "));
        match &path {
            JoinedPath::Member(steps) => match member_path(steps) {
                Some(path) => pieces.extend([
                    Text(MEMBER[0]),
                    Document,
                    Text(" #>> "),
                    Quoted(path),
                    Text(MEMBER[1]),
                ]),
                None => pieces.push(Text("''")),
            },
            JoinedPath::Elements(steps, member) => {
                pieces.extend([
                    Text(ELEMENTS[0]),
                    Document,
                    Text(", "),
                    Quoted(json_path(steps, member.as_deref())),
                    Text(ELEMENTS[1]),
                ]);
            }
        }
    }
    pieces.push(Text(", 2) COLLATE \"C\")"));
    pieces
}

/// The texts among the elements of an array, or among a member of each.
fn json_path(steps: &[String], member: Option<&str>) -> String {
    let quoted = |step: &str| format!(".\"{}\"", step.replace('\\', "\\\\").replace('"', "\\\""));
    let before: String = steps.iter().map(|step| quoted(step)).collect();
    let member = member.map(quoted).unwrap_or_default();
    format!("${before}[*]{member} ? (@.type() == \"string\")")
}
