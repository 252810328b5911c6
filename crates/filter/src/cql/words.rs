//! Terms that are searched for as words.

use duet_model::{Code, Result, TextTest};
use duet_text::Fold;
use duet_text::lexemes::{LONGEST, LexemeQuery, Phrase, QueryWord, has_lexeme};
use duet_text::problem::fault;

use super::condition::Meaning;
use super::mask::{self, Piece};
use super::tree::Symbol;
use crate::limits::Limits;

/// The words of a term between white space, folded. Only a `*` at the end of a word masks; one alone is
/// left out, and so is punctuation. Where `anchors`, a `^` is punctuation; otherwise it is refused.
pub(super) fn read(
    term: &Symbol,
    fold: Option<Fold>,
    masks: bool,
    anchors: bool,
) -> Result<Vec<QueryWord>> {
    let mut words = Vec::new();
    for word in term.text.split_whitespace() {
        let mut pieces = mask::pieces(word);
        let prefix = masks && pieces.last() == Some(&Piece::Any);
        if prefix {
            pieces.pop();
        }
        let is_plain = |piece: &Piece| match piece {
            Piece::Char(_) => true,
            Piece::Anchor => anchors,
            Piece::Any | Piece::One => false,
        };
        if let Some(wrong) = pieces.iter().find(|piece| masks && !is_plain(piece)) {
            return Err(misplaced(*wrong, term.at.0));
        }
        let plain = if prefix { &word[..word.len() - 1] } else { word };
        let text = mask::folded(&mask::literal(plain), fold);
        if text.len() > LONGEST {
            let message = format!("A word of a search may have {LONGEST} bytes.");
            return Err(fault(Code::FilterLimit, term.at.0, message));
        }
        if has_lexeme(&text) {
            words.push(QueryWord { text, prefix });
        }
    }
    Ok(words)
}

fn misplaced(piece: Piece, at: usize) -> duet_model::Error {
    let message = match piece {
        Piece::Anchor => "`^` is not supported in words.",
        _ => "In words, only a `*` at the end masks characters.",
    };
    fault(Code::FilterUnsupported, at, message)
        .hint("To compare the whole value with a pattern, use `==`, as in title == *yak*.")
}

/// The search of a document's text for words; `None` where there are none.
pub(super) fn lexemes(
    meaning: Meaning,
    words: Vec<QueryWord>,
    limits: &Limits,
    at: usize,
) -> Result<Option<TextTest>> {
    if words.is_empty() {
        return Ok(None);
    }
    let alone = |word| Phrase(vec![word]);
    let any = match meaning {
        Meaning::Any => words.into_iter().map(|word| vec![alone(word)]).collect(),
        Meaning::All => vec![words.into_iter().map(alone).collect()],
        _ => vec![vec![Phrase(words)]],
    };
    let query = LexemeQuery { any };
    limits.check_words(query.size(), at)?;
    Ok(Some(TextTest::Lexemes(query)))
}
