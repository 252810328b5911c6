//! Conditions on texts: whole values, masked ones, words and their order.

use duet_model::{Compare, Expr, Result, Type, Value};
use duet_text::Fold;
use duet_text::decimal::Decimal;
use duet_text::json::{Json, JsonKind};

use super::super::condition::Meaning;
use super::super::tree::Symbol;
use super::super::{mask, words};
use super::field_search::FieldSearch;
use super::target::{ComparedText, SearchedBy, SearchedValue, defined, folded, negated};
use crate::predicate;

/// The expression of a condition on a text.
pub(super) fn expression(search: &FieldSearch<'_>) -> Result<Expr> {
    if let Some(typed) = of_type(search)? {
        return Ok(typed);
    }
    let target = &search.target;
    match search.meaning {
        Meaning::Order(operator) => {
            let compared = search.compared(SearchedBy::Order)?;
            let term = mask::folded(&search.literal(), compared.term);
            Ok(comparison(operator, folded(compared.text.clone(), compared.value), term))
        }
        meaning if search.is_words() => {
            let compared = search.compared(SearchedBy::Words)?;
            of_words(search, &compared, meaning)
        }
        meaning => {
            let compared = search.compared(SearchedBy::Whole)?;
            let found = of_value(search, &compared);
            let is_negated = meaning == Meaning::Differs && search.masks();
            Ok(if is_negated { negated(target, found) } else { found })
        }
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

/// A comparison of a text with the term.
pub(super) fn of_value(search: &FieldSearch<'_>, compared: &ComparedText<'_>) -> Expr {
    let operator = if search.meaning == Meaning::Differs { Compare::Ne } else { Compare::Eq };
    let text = folded(compared.text.clone(), compared.value);
    if !search.masks() {
        return comparison(operator, text, mask::folded(&search.literal(), compared.term));
    }
    let pattern = mask::pattern(&search.term.text, compared.term);
    Expr::Like { operand: Box::new(text), pattern: Box::new(operand(pattern)), ignore_case: false }
}

fn operand(text: String) -> Expr {
    Expr::operand(Value::Text(text), &Type::Text)
}

fn comparison(operator: Compare, text: Expr, term: String) -> Expr {
    Expr::compare(operator, text, operand(term))
}

/// The words of a term: without the stars that stand alone behind blanks, and without blanks around it.
pub(super) fn cleaned(term: &str) -> String {
    let mut text = String::with_capacity(term.len());
    for char in term.chars() {
        if char == '*' && text.ends_with(' ') {
            text.truncate(text.trim_end_matches(' ').len());
        } else {
            text.push(char);
        }
    }
    text.trim_matches(|char| char <= ' ').to_owned()
}

/// A search of a text for words. The empty term finds every text of a member, one without words none.
pub(super) fn of_words(
    search: &FieldSearch<'_>,
    compared: &ComparedText<'_>,
    meaning: Meaning,
) -> Result<Expr> {
    let term = Symbol::new(cleaned(&search.term.text), search.term.at.0);
    if term.text.is_empty() {
        return Ok(defined(compared.member.clone()));
    }
    let words = words::read(&term, compared.term, true, true)?;
    let test = words::lexemes(meaning, words, search.limits, term.at.0)?;
    let text = Box::new(folded(compared.text.clone(), compared.value));
    Ok(test.map_or(Expr::Or(Vec::new()), |test| Expr::Search(text, test)))
}

/// A comparison by the type of the schema that means the same as that of the texts, and that an index serves.
fn of_type(search: &FieldSearch<'_>) -> Result<Option<Expr>> {
    let literal = search.literal();
    let is_equality = matches!(search.meaning, Meaning::Exact | Meaning::Differs);
    let is_plain = !search.masks();
    let typed = |field, operator| {
        let term = Json { at: search.term.at.0, kind: JsonKind::Text(literal.as_str().into()) };
        predicate::compare(field, operator, &term)
    };
    let words = search.meaning == Meaning::Phrase;
    let by = if words { SearchedBy::Words } else { SearchedBy::Whole };
    let whole = search.target.compared_by(by);
    // Words are compared in lower case.
    let lower = match whole.term.filter(|_| !words) {
        None if words => Fold::Both.apply(&literal),
        fold => mask::folded(&literal, fold),
    };
    if let Some(field) = search.target.typed(|ty| *ty == Type::Boolean)
        && is_plain
        && matches!(lower.as_str(), "true" | "false")
        && (is_equality || search.meaning == Meaning::Phrase)
    {
        let term = Json { at: search.term.at.0, kind: JsonKind::Text(lower.as_str().into()) };
        let operator = if search.meaning == Meaning::Differs { Compare::Ne } else { Compare::Eq };
        return predicate::compare(field, operator, &term).map(Some);
    }
    // Equal texts of numbers are equal numbers.
    if let Some(field) = search.target.typed(Type::is_number)
        && is_plain
        && search.meaning == Meaning::Exact
        && Decimal::parse(&literal).is_some()
    {
        let both = typed(field, Compare::Eq)?.and(of_value(search, &whole));
        return Ok(Some(one_row(&search.target, both)));
    }
    Ok(None)
}

/// Conditions that one row has to satisfy together.
pub(super) fn one_row(target: &SearchedValue<'_>, expr: Expr) -> Expr {
    if target.is_related() { Expr::SameRow(Box::new(expr)) } else { expr }
}
