//! Conditions on text: whole values, patterns, words and order; and on columns that take numbers too.

use duet_model::key::untyped_number;
use duet_model::{Compare, Expr, Folding, Result, TextTest, Type, Value};
use duet_text::decimal;
use duet_text::lexemes::QueryWord;
use duet_text::{Fold, TextQuery, TextTerm, text_query};

use super::condition::{Condition, Meaning};
use super::mask;
use super::modifiers::{ComparedAs, Masking};
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
        let compared = predicate::compare(condition.field, operator, &condition.operand(&text));
        return if is_exact(condition, operator) {
            exactly(condition, operator, &text)
        } else {
            compared
        };
    }
    // The blanks that pad a `char(n)` are no part of its text.
    let text = match condition.field.ty {
        Type::Char => text.trim_end_matches(' '),
        _ => &text,
    };
    let text = Expr::operand(Value::Text(mask::folded(text, fold)), &Type::Text);
    Ok(Expr::Compare(operator, folded(condition, fold), Box::new(text)))
}

/// Whether an equality is that of the characters, which a column's own collation may not compare.
fn is_exact(condition: &Condition<'_>, operator: Compare) -> bool {
    let is_loose = condition.field.loose && condition.modifiers.is_exact();
    is_loose && matches!(operator, Compare::Eq | Compare::Ne)
}

/// Equality of the characters. The column's own, which an index may serve, holds where it does.
fn exactly(condition: &Condition<'_>, operator: Compare, text: &str) -> Result<Expr> {
    let equal = predicate::compare(condition.field, Compare::Eq, &condition.operand(text))?;
    let same = like(condition, duet_text::like::escape(text), None);
    // Below an array each condition would be one of some element.
    let both = if condition.field.repeated { same } else { Expr::And(vec![equal, same]) };
    Ok(if operator == Compare::Ne { condition.negated(both) } else { both })
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
    let words = words::read(term, fold, condition.masks(), false)?;
    let (limits, at) = (condition.limits, term.at.0);
    let test = match condition.field.folding {
        Folding::ByRelation => table_words(condition.meaning, words, limits, at)?,
        _ => words::lexemes(condition.meaning, words, limits, at)?,
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
    limits: &Limits,
    at: usize,
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

/// The expression of a condition on a column that takes any value, which SQLite compares by storage class: numbers are less
/// than texts.
///
/// A term of CQL has no type, with quotes or without. One that is a number is compared with the numbers by value and with
/// the texts as text, so that it finds what either would; `/number` and `/string` choose one of them.
pub(super) fn untyped(condition: &Condition<'_>) -> Result<Expr> {
    let masking = condition.modifiers.masking;
    let is_whole = match masking {
        Masking::Masked => !mask::is_masked(&condition.term.text),
        Masking::Unmasked => true,
        Masking::Substring | Masking::Regexp => false,
    };
    match condition.meaning {
        Meaning::Within => untyped_within(condition),
        Meaning::Phrase | Meaning::All | Meaning::Any => expression(condition),
        Meaning::Order(operator) => compared(condition, operator),
        Meaning::Differs if is_whole => compared(condition, Compare::Ne),
        // The text of a number is equal to the term: numbers are left out.
        _ if is_whole && condition.modifiers.kind == Some(ComparedAs::Text) => {
            let is_text = with(condition, Compare::Gte, Value::Text(String::new()));
            Ok(both(condition, expression(condition)?, is_text))
        }
        _ if is_whole => compared(condition, Compare::Eq),
        _ => expression(condition),
    }
}

/// The number of a term, where it is compared as one.
fn number(condition: &Condition<'_>, term: &str) -> Result<Option<Value>> {
    let number = untyped_number(term);
    match condition.modifiers.kind {
        Some(ComparedAs::Number) if number.is_none() => {
            Err(condition.misfit(&format!("must be {}", decimal::expected(term))))
        }
        Some(ComparedAs::Text) => Ok(None),
        _ => Ok(number),
    }
}

/// A comparison of numbers by value and of texts as text.
fn compared(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    let Some(number) = number(condition, &condition.literal())? else {
        return expression(condition);
    };
    let with = |operator, value| with(condition, operator, value);
    let first_text = || Value::Text(String::new());
    let numbers = with(operator, number);
    // Texts are greater than numbers, and bytes greater than texts.
    let numbers = match operator {
        Compare::Gt | Compare::Gte => both(condition, numbers, with(Compare::Lt, first_text())),
        _ => numbers,
    };
    if condition.modifiers.kind == Some(ComparedAs::Number) {
        return Ok(numbers);
    }
    let texts = expression(condition)?;
    Ok(match operator {
        Compare::Ne => both(condition, numbers, texts),
        Compare::Lt | Compare::Lte => {
            let texts = both(condition, with(Compare::Gte, first_text()), texts);
            Expr::Or(vec![numbers, texts])
        }
        _ => Expr::Or(vec![numbers, texts]),
    })
}

/// Between two values: numbers between two numbers, and texts between the two texts.
fn untyped_within(condition: &Condition<'_>) -> Result<Expr> {
    let ends = condition.bounds()?;
    let [low, high] = [number(condition, &ends[0])?, number(condition, &ends[1])?];
    let between = |ends: [Value; 2]| {
        let [low, high] = ends.map(|end| Some(Box::new(Expr::operand(end, &Type::Dynamic))));
        Expr::Between(Box::new(condition.field.value.clone()), low, high)
    };
    let texts = match condition.fold(false, false) {
        Some(_) => within(condition)?,
        None => between(ends.map(Value::Text)),
    };
    Ok(match low.zip(high) {
        Some((low, high)) if condition.modifiers.kind == Some(ComparedAs::Number) => {
            between([low, high])
        }
        Some((low, high)) => Expr::Or(vec![between([low, high]), texts]),
        None => texts,
    })
}

fn with(condition: &Condition<'_>, operator: Compare, value: Value) -> Expr {
    let operand = Expr::operand(value, &Type::Dynamic);
    Expr::compare(operator, condition.field.value.clone(), operand)
}

/// Both hold; below an array, of the same row.
fn both(condition: &Condition<'_>, one: Expr, other: Expr) -> Expr {
    let both = Expr::And(vec![one, other]);
    if condition.field.repeated { Expr::SameRow(Box::new(both)) } else { both }
}
