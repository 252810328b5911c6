//! Conditions on text: whole values, patterns, words and order.

use duet_model::problem::fault;
use duet_model::{Code, Compare, Expr, Fold, Result, TextQuery, TextTerm, TextTest, Type, Value};

use super::condition::{Condition, Meaning};
use super::mask::{self, Piece};
use super::modifiers::Masking;
use crate::predicate;

/// The expression of a condition on a text column or value.
pub(super) fn expression(condition: &Condition<'_>) -> Result<Expr> {
    match condition.meaning {
        Meaning::Phrase | Meaning::All | Meaning::Any => words(condition),
        Meaning::Differs => value(condition, Compare::Ne),
        Meaning::Order(operator) => order(condition, operator),
        _ => value(condition, Compare::Eq),
    }
}

/// The whole value, or a part of it or a pattern where a modifier says so.
fn value(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    let term = &condition.term.text;
    let fold = condition.fold(true, true);
    let test = match condition.modifiers.masking {
        Masking::Masked if mask::is_masked(term) => {
            like(condition, mask::pattern(term, fold), fold)
        }
        Masking::Masked | Masking::Unmasked => return equal(condition, operator, fold),
        Masking::Substring => {
            let part = mask::folded(&condition.literal(), fold);
            Expr::Search(folded(condition, fold), TextTest::Contains(part))
        }
        Masking::Regexp => {
            // Expressions have case and accents of their own.
            let fold = condition.modifiers.fold(false, false);
            let pattern = mask::folded(&term.replace("\\\\", "\\"), fold);
            let pattern = condition.limits.check_regex(&pattern, condition.term.at.0)?;
            Expr::Search(folded(condition, fold), TextTest::Regex(pattern))
        }
    };
    Ok(if operator == Compare::Ne { condition.negated(test) } else { test })
}

/// Equality with the term, of folded texts if any.
fn equal(condition: &Condition<'_>, operator: Compare, fold: Option<Fold>) -> Result<Expr> {
    let text = condition.literal();
    if fold.is_none() {
        return predicate::compare(condition.field, operator, &condition.operand(&text));
    }
    let text = Expr::operand(Value::Text(mask::folded(&text, fold)), &Type::Text);
    Ok(Expr::Compare(operator, folded(condition, fold), Box::new(text)))
}

fn like(condition: &Condition<'_>, pattern: String, fold: Option<Fold>) -> Expr {
    let pattern = Box::new(Expr::operand(Value::Text(pattern), &Type::Text));
    Expr::Like { operand: folded(condition, fold), pattern, ignore_case: false }
}

/// The field's value, folded.
fn folded(condition: &Condition<'_>, fold: Option<Fold>) -> Box<Expr> {
    let value = condition.field.value.clone();
    Box::new(match fold {
        Some(fold) => Expr::Function(fold.name(), vec![value]),
        None => value,
    })
}

/// The order of the database, as in `q`; of folded texts where a modifier says so.
fn order(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    equal(condition, operator, condition.fold(false, false))
}

/// A search for words. A full-text index decides about case and accents; without one both are ignored,
/// by the rules of Duet: those of a database depend on its locale.
fn words(condition: &Condition<'_>) -> Result<Expr> {
    let fold = match condition.modifiers.accents() {
        None | Some(false) if condition.has_words => None,
        Some(false) => Some(Fold::Case),
        _ => Some(Fold::Both),
    };
    let mut terms = Vec::new();
    for word in condition.term.text.split_whitespace() {
        terms.extend(word_term(condition, word, fold)?);
    }
    let query = match condition.meaning {
        Meaning::Phrase => phrase(terms).map(|term| vec![vec![term]]),
        Meaning::Any => (!terms.is_empty()).then(|| terms.into_iter().map(|it| vec![it]).collect()),
        _ => (!terms.is_empty()).then(|| vec![terms]),
    };
    let Some(any) = query else {
        return Err(condition
            .misfit("is searched for words, of which this term has none")
            .hint("Compare whole values with `==`."));
    };
    let query = TextQuery { any };
    condition.limits.check_words(query.size(), condition.term.at.0)?;
    Ok(Expr::Search(folded(condition, fold), TextTest::Words(query)))
}

/// A word of the term: words of letters and digits, which follow each other. `None` for a `*` alone and
/// for punctuation.
fn word_term(
    condition: &Condition<'_>,
    word: &str,
    fold: Option<Fold>,
) -> Result<Option<TextTerm>> {
    let mut pieces = mask::pieces(word);
    let masks = condition.masks();
    let prefix = masks && pieces.last() == Some(&Piece::Any);
    if prefix {
        pieces.pop();
    }
    let wrong = pieces.iter().find(|piece| masks && !matches!(piece, Piece::Char(_)));
    if let Some(wrong) = wrong {
        let message = match wrong {
            Piece::Anchor => "`^` is not supported in words.",
            _ => "In words, only a `*` at the end masks characters.",
        };
        return Err(fault(Code::FilterUnsupported, condition.term.at.0, message)
            .hint("To compare the whole value with a pattern, use `==`, as in title == *yak*."));
    }
    let text = mask::folded(&mask::literal(word), fold);
    let words = duet_model::text_query::words(&text);
    Ok((!words.is_empty()).then_some(TextTerm { negated: false, words, prefix }))
}

/// The terms as one phrase; only its last word can be a beginning.
fn phrase(terms: Vec<TextTerm>) -> Option<TextTerm> {
    let prefix = terms.last()?.prefix;
    let words = terms.into_iter().flat_map(|term| term.words).collect();
    Some(TextTerm { negated: false, words, prefix })
}
