//! The schema of an application in the statements of its services, written `{schema}`: so that they need no search path, which
//! is state of a connection, and serve an application in whatever schema it is.

use std::sync::Arc;

use duet_model::{Piece, ServiceQuery};
use duet_sql::Dialect;

use crate::services::ServiceFile;

/// What statements write for the schema.
const PLACEHOLDER: &str = "{schema}";

/// The schema where an application names none.
const DEFAULT: &str = "public";

/// The file with the schema in its statements; the same one where none names it.
pub(crate) fn with_schema(
    file: &Arc<ServiceFile>,
    schema: Option<&str>,
    dialect: &dyn Dialect,
) -> Arc<ServiceFile> {
    let names_it =
        |piece: &Piece| matches!(piece, Piece::Text { text, .. } if text.contains(PLACEHOLDER));
    if !file.statements.iter().flat_map(|query| &query.pieces).any(names_it) {
        return Arc::clone(file);
    }
    let schema = dialect.only_schema().or(schema).unwrap_or(DEFAULT);
    let quoted = format!("\"{}\"", schema.replace('"', "\"\""));
    let mut file = ServiceFile::clone(file);
    for query in &mut file.statements {
        let pieces = query.pieces.iter().flat_map(|piece| filled(piece, &quoted)).collect();
        *query = ServiceQuery { pieces, parameters: query.parameters.clone() };
    }
    Arc::new(file)
}

/// A piece as several, each with its position in the file, so that mistakes keep their places.
fn filled(piece: &Piece, schema: &str) -> Vec<Piece> {
    let Piece::Text { text, at } = piece else { return vec![piece.clone()] };
    let mut pieces = Vec::new();
    let mut at = *at;
    for (number, part) in text.split(PLACEHOLDER).enumerate() {
        if number > 0 {
            pieces.push(Piece::Text { text: schema.to_owned(), at });
            at += PLACEHOLDER.len();
        }
        pieces.push(Piece::Text { text: part.to_owned(), at });
        at += part.len();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_places() {
        let piece = Piece::Text { text: "SELECT 1 FROM {schema}.t, {schema}.u".into(), at: 10 };
        let text = |text: &str, at| Piece::Text { text: text.into(), at };
        let expected = [
            text("SELECT 1 FROM ", 10),
            text("\"a\"", 24),
            text(".t, ", 32),
            text("\"a\"", 36),
            text(".u", 44),
        ];
        assert_eq!(filled(&piece, "\"a\""), expected);
    }
}
