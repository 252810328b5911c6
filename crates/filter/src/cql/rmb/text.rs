//! Conditions on texts: whole values, masked ones, words and their order.

use duet_model::{Compare, Expr, Result, Type, Value};
use duet_text::Fold;
use duet_text::decimal::Decimal;
use duet_text::json::{Json, Kind};

use super::super::condition::Meaning;
use super::super::{mask, words};
use super::field_search::FieldSearch;
use super::target::{SearchedValue, defined, folded, negated};
use crate::predicate;

/// The expression of a condition on a text.
pub(super) fn expression(search: &FieldSearch<'_>) -> Result<Expr> {
    if let Some(typed) = of_type(search)? {
        return Ok(typed);
    }
    let target = &search.target;
    match search.meaning {
        Meaning::Differs if search.masks() => Ok(negated(target, of_value(search, &target.text))),
        Meaning::Order(operator) => {
            let fold = target.fold.filter(|_| target.is_indexed);
            Ok(compared(operator, target.text.clone(), fold, &search.literal()))
        }
        meaning if search.is_words() => of_words(search, &target.text, meaning),
        _ => Ok(of_value(search, &target.text)),
    }
}

impl FieldSearch<'_> {
    pub(super) fn masks(&self) -> bool {
        mask::is_masked(&self.term.text)
    }

    pub(super) fn literal(&self) -> String {
        mask::literal(&self.term.text)
    }
}

/// A comparison of a text, or of a value as that of the collection folds it, with the term.
pub(super) fn of_value(search: &FieldSearch<'_>, text: &Expr) -> Expr {
    let fold = search.target.fold;
    let operator = if search.meaning == Meaning::Differs { Compare::Ne } else { Compare::Eq };
    if !search.masks() {
        return compared(operator, text.clone(), fold, &search.literal());
    }
    let pattern = mask::pattern(&search.term.text, fold);
    Expr::Like {
        operand: Box::new(folded(text.clone(), fold)),
        pattern: Box::new(operand(pattern)),
        ignore_case: false,
    }
}

fn operand(text: String) -> Expr {
    Expr::operand(Value::Text(text), &Type::Text)
}

fn compared(operator: Compare, text: Expr, fold: Option<Fold>, term: &str) -> Expr {
    Expr::compare(operator, folded(text, fold), operand(mask::folded(term, fold)))
}

/// A search of a text for words. The empty term finds every text, one without words none.
pub(super) fn of_words(search: &FieldSearch<'_>, text: &Expr, meaning: Meaning) -> Result<Expr> {
    let term = search.term;
    if term.text.trim().is_empty() {
        return Ok(defined(text.clone()));
    }
    // As declared indexes of words have them.
    let fold = Some(Fold::Both);
    let words = words::read(term, fold, (true, true))?;
    let test = words::lexemes(meaning, words, (search.limits, term.at.0))?;
    let text = Box::new(folded(text.clone(), fold));
    Ok(test.map_or(Expr::Or(Vec::new()), |test| Expr::Search(text, test)))
}

/// A comparison by the type of the schema that means the same as that of the texts, and that an index serves.
fn of_type(search: &FieldSearch<'_>) -> Result<Option<Expr>> {
    let literal = search.literal();
    let is_equality = matches!(search.meaning, Meaning::Exact | Meaning::Differs);
    let is_plain = !search.masks();
    let compared = |field, operator| {
        let term = Json { at: search.term.at.0, kind: Kind::Text(literal.as_str().into()) };
        predicate::compare(field, operator, &term)
    };
    let lower = Fold::Both.apply(&literal);
    if let Some(field) = search.target.typed(|ty| *ty == Type::Boolean)
        && is_plain
        && matches!(lower.as_str(), "true" | "false")
        && (is_equality || search.meaning == Meaning::Phrase)
    {
        let term = Json { at: search.term.at.0, kind: Kind::Text(lower.as_str().into()) };
        let operator = if search.meaning == Meaning::Differs { Compare::Ne } else { Compare::Eq };
        return predicate::compare(field, operator, &term).map(Some);
    }
    // Equal texts of numbers are equal numbers.
    if let Some(field) = search.target.typed(Type::is_number)
        && is_plain
        && search.meaning == Meaning::Exact
        && Decimal::parse(&literal).is_some()
    {
        let both = compared(field, Compare::Eq)?.and(of_value(search, &search.target.text));
        return Ok(Some(one_row(&search.target, both)));
    }
    Ok(None)
}

/// Conditions that one row has to satisfy together.
pub(super) fn one_row(target: &SearchedValue<'_>, expr: Expr) -> Expr {
    if target.is_related() { Expr::SameRow(Box::new(expr)) } else { expr }
}
