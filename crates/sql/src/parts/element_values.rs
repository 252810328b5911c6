//! The values that a path into arrays leads to in a document, as a source of rows on PostgreSQL.
//!
//! A subquery gives the elements of an array, the next one those of an array in each of them; the outermost one gives the
//! values. Steps are those of `->`, which lead to members of objects alone.

use duet_model::ArrayPath;

use super::joined::JoinedPiece::{self, Document, Quoted, Text};

/// What elements are, in the subquery around that of their array.
const ELEMENT: &str = "e.element";

/// The pieces of the source, joined to the tables before it.
pub(crate) fn postgres(path: &ArrayPath) -> Vec<JoinedPiece> {
    let mut source = Vec::new();
    for (at, array) in path.arrays.iter().enumerate() {
        let of = if at == 0 { Document } else { Text(ELEMENT) };
        source = elements(&of, array, source);
    }
    let mut pieces = vec![Text(" CROSS JOIN LATERAL (SELECT (")];
    pieces.extend(member(&Text(ELEMENT), &path.rest));
    pieces.push(Text(")::text COLLATE \"C\" AS value FROM ("));
    pieces.extend(source);
    pieces.push(Text(") AS e) AS of_array"));
    pieces
}

/// The elements of an array, where it is one.
fn elements(of: &JoinedPiece, array: &[String], source: Vec<JoinedPiece>) -> Vec<JoinedPiece> {
    let value = member(of, array);
    let mut pieces = vec![Text("SELECT jsonb_array_elements(CASE jsonb_typeof(")];
    pieces.extend(value.clone());
    pieces.push(Text(") WHEN 'array' THEN "));
    pieces.extend(value);
    pieces.push(Text(" END) AS element"));
    if !source.is_empty() {
        pieces.push(Text(" FROM ("));
        pieces.extend(source);
        pieces.push(Text(") AS e"));
    }
    pieces
}

fn member(of: &JoinedPiece, path: &[String]) -> Vec<JoinedPiece> {
    let steps = path.iter().flat_map(|name| [Text(" -> "), Quoted(name.clone())]);
    std::iter::once(of.clone()).chain(steps).collect()
}
