//! Feeds arbitrary text to the splitter of a service's statements. Run with `cargo +nightly fuzz run statements`, with
//! the services of `golden/services` as a first corpus. Checked: no panic, every piece is the text at its place, in
//! order, and only a semicolon or a statement without content is left out; a mistake is inside the text.
#![no_main]

use std::sync::LazyLock;

use duet_model::{Piece, QueryParameter, Type};
use duet_sql::statements;
use libfuzzer_sys::fuzz_target;

/// Positions count from here, as behind a header.
const BASE: usize = 7;

static PARAMETERS: LazyLock<Vec<QueryParameter>> = LazyLock::new(|| {
    let parameter = |name: &str| QueryParameter {
        name: name.to_owned(),
        ty: Type::Text,
        declared: "text".to_owned(),
    };
    ["id", "a", "ä"].map(parameter).into()
});

fuzz_target!(|text: &str| {
    match statements(text, BASE, &PARAMETERS) {
        Ok(found) => {
            let mut end = 0;
            for pieces in &found {
                assert!(!pieces.is_empty(), "{text}");
                let first = end;
                for piece in pieces {
                    let (at, written) = written(piece);
                    let at = at - BASE;
                    assert!(text[at..].starts_with(&written), "{text}\n{piece:?}");
                    // Pieces of one statement leave nothing out.
                    assert!(at == end || (end == first && at > end), "{text}\n{piece:?}");
                    end = at + written.len();
                }
                assert!(text[end..].is_empty() || text[end..].starts_with(';'), "{text}");
            }
        }
        Err(mistake) => {
            let span = mistake.span.start - BASE..mistake.span.end - BASE;
            assert!(text.get(span).is_some(), "{text}\n{mistake:?}");
        }
    }
});

/// The place of a piece, and how it is written.
fn written(piece: &Piece) -> (usize, String) {
    match piece {
        Piece::Text { text, at } => (*at, text.clone()),
        Piece::Parameter { index, at } => (*at, format!(":{}", PARAMETERS[*index].name)),
    }
}
