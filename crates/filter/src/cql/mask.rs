//! Masking: `*`, `?` and `^` in terms, and the patterns that they become.

use duet_text::{Fold, like};

/// A part of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// This character.
    Char(char),
    /// `*`: any text.
    Any,
    /// `?`: any one character.
    One,
    /// `^`: the beginning or the end.
    Anchor,
}

/// The parts of a term.
pub(super) fn pieces(term: &str) -> Vec<Piece> {
    let mut chars = term.chars();
    let mut pieces = Vec::with_capacity(term.len());
    while let Some(char) = chars.next() {
        pieces.push(match char {
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            '*' => Piece::Any,
            '?' => Piece::One,
            '^' => Piece::Anchor,
            char => Piece::Char(char),
        });
    }
    pieces
}

/// The text of a term in which nothing is masked.
pub(super) fn literal(term: &str) -> String {
    let text = pieces(term).into_iter().map(|piece| match piece {
        Piece::Char(char) => char,
        Piece::Any => '*',
        Piece::One => '?',
        Piece::Anchor => '^',
    });
    text.collect()
}

/// Whether a term has `*` or `?`.
pub(super) fn is_masked(term: &str) -> bool {
    pieces(term).iter().any(|piece| matches!(piece, Piece::Any | Piece::One))
}

/// The `LIKE` pattern of a term; `^` is the character itself. Its characters are folded.
pub(super) fn pattern(term: &str, fold: Option<Fold>) -> String {
    let mut pattern = String::with_capacity(term.len());
    let mut text = String::new();
    for piece in pieces(term) {
        let wildcard = match piece {
            Piece::Char(char) => {
                text.push(char);
                continue;
            }
            Piece::Anchor => {
                text.push('^');
                continue;
            }
            Piece::Any => '%',
            Piece::One => '_',
        };
        pattern.push_str(&like::escape(&folded(&text, fold)));
        pattern.push(wildcard);
        text.clear();
    }
    pattern.push_str(&like::escape(&folded(&text, fold)));
    pattern
}

/// A text in the form in which it is compared.
pub(super) fn folded(text: &str, fold: Option<Fold>) -> String {
    fold.map_or_else(|| text.to_owned(), |fold| fold.apply(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (term, expected) in [
            ("Ab*", "ab%"),
            ("?É^", "_e^"),
            (r"50%_\*", r"50\%\_*"),
            (r"a\\b\?", r"a\\b?"),
            ("", ""),
        ] {
            assert_eq!(pattern(term, Some(Fold::Both)), expected, "{term}");
        }
        assert_eq!(pattern("Ab*", None), "Ab%");
        assert_eq!(literal(r"a\*b*?^\\"), r"a*b*?^\");
        assert!(is_masked("a*") && is_masked("?") && !is_masked(r"\*\?^"));
    }
}
