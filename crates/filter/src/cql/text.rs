//! Conditions on text: whole values, patterns, words and order.

use duet_model::lexemes::QueryWord;
use duet_model::{
    Compare, Expr, Fold, Folding, Result, TextQuery, TextTerm, TextTest, Type, Value, text_query,
};

use super::condition::{Condition, Meaning};
use super::mask;
use super::modifiers::Masking;
use super::words;
use crate::limits::Limits;
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

/// Between two texts that are folded, as an order of them is.
pub(super) fn within(condition: &Condition<'_>) -> Result<Expr> {
    let fold = condition.fold(false, false);
    let ends = condition.bounds()?;
    let ends = ends.map(|end| {
        let end = Value::Text(mask::folded(&end, fold));
        Some(Box::new(Expr::operand(end, &Type::Text)))
    });
    let [low, high] = ends;
    Ok(Expr::Between(folded(condition, fold), low, high))
}

/// A search for words. A full-text index decides about case and accents; without one both are ignored,
/// by the rules of Duet: those of a database depend on its locale.
fn words(condition: &Condition<'_>) -> Result<Expr> {
    let fold = match condition.modifiers.accents() {
        None | Some(false) if condition.has_words => None,
        Some(false) => Some(Fold::Case),
        _ => Some(Fold::Both),
    };
    let term = condition.term;
    let words = words::read(term, fold, (condition.masks(), false))?;
    let limits = (condition.limits, term.at.0);
    let test = match condition.field.folding {
        Folding::ByRelation => table_words(condition.meaning, words, limits)?,
        _ => words::lexemes(condition.meaning, words, limits)?,
    };
    let Some(test) = test else {
        return Err(condition
            .misfit("is searched for words, of which this term has none")
            .hint("Compare whole values with `==`."));
    };
    Ok(Expr::Search(folded(condition, fold), test))
}

/// The search of a column for words, which are runs of letters and digits there.
fn table_words(
    meaning: Meaning,
    words: Vec<QueryWord>,
    (limits, at): (&Limits, usize),
) -> Result<Option<TextTest>> {
    let terms = words.into_iter().map(|word| TextTerm {
        negated: false,
        words: text_query::words(&word.text),
        prefix: word.prefix,
    });
    let terms: Vec<_> = terms.filter(|term| !term.words.is_empty()).collect();
    if terms.is_empty() {
        return Ok(None);
    }
    let any = match meaning {
        Meaning::Phrase => vec![vec![phrase(terms)]],
        Meaning::Any => terms.into_iter().map(|term| vec![term]).collect(),
        _ => vec![terms],
    };
    let query = TextQuery { any };
    limits.check_words(query.size(), at)?;
    Ok(Some(TextTest::Words(query)))
}

/// The terms as one phrase; only its last word can be a beginning.
fn phrase(terms: Vec<TextTerm>) -> TextTerm {
    let prefix = terms.last().is_some_and(|term| term.prefix);
    let words = terms.into_iter().flat_map(|term| term.words).collect();
    TextTerm { negated: false, words, prefix }
}
