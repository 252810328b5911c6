//! Conditions on fields whose values are no text: numbers, dates, Booleans, UUIDs, labels.

use duet_model::{Code, Compare, Expr, Result, Type};
use duet_text::json::{Json, JsonKind};

use super::condition::{Condition, Meaning};
use super::mask;
use crate::operator_row::Test;
use crate::predicate;
use crate::text_search::liked;

/// The expression of a condition on such a field.
pub(super) fn expression(condition: &Condition<'_>) -> Result<Expr> {
    match condition.meaning {
        Meaning::Any | Meaning::All => values(condition),
        Meaning::Order(operator) => compare(condition, operator, &condition.literal()),
        Meaning::Differs => whole(condition, Compare::Ne),
        _ => whole(condition, Compare::Eq),
    }
}

/// Equality with the whole term.
fn whole(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    let term = &condition.term.text;
    let text = condition.literal();
    // What a type of PostgreSQL without a form here reads, such as `tsvector`, the database knows.
    if text.is_empty() && !matches!(condition.field.ty, Type::Native(_)) {
        return none(condition, operator);
    }
    if condition.masks() && mask::is_masked(term) {
        return masked(condition, operator);
    }
    compare(condition, operator, &text)
}

fn compare(condition: &Condition<'_>, operator: Compare, text: &str) -> Result<Expr> {
    let compared = predicate::compare(condition.field, operator, &condition.operand(text));
    match (compared, operator) {
        // No UUID is equal to such a text.
        (Err(error), Compare::Eq | Compare::Ne)
            if condition.field.ty == Type::Uuid && error.code == Code::FilterOperand =>
        {
            none(condition, operator)
        }
        (compared, _) => compared,
    }
}

/// Equality with what no value of the type is.
fn none(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    match operator {
        Compare::Ne => condition.defined(),
        _ => Ok(Expr::In(Box::new(condition.field.value.clone()), Vec::new())),
    }
}

/// A masked term: of types with a text form.
fn masked(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    if !condition.field.ty.is_text() {
        return Err(condition.misfit("cannot be compared with a masked term").hint(
            "Compare with a range, as in total within \"1 2\", or put a backslash before `*`.",
        ));
    }
    let mut pattern = mask::pattern(&condition.term.text, None);
    if condition.field.ty == Type::Uuid {
        pattern = pattern.to_lowercase();
    }
    let like = liked(condition.field, pattern, false);
    Ok(if operator == Compare::Ne { condition.negated(like) } else { like })
}

/// One of the values in the term, or all of them.
fn values(condition: &Condition<'_>) -> Result<Expr> {
    let values = condition.values()?;
    if condition.meaning == Meaning::All {
        let each = values.iter().map(|value| compare(condition, Compare::Eq, value));
        return Ok(Expr::And(each.collect::<Result<_>>()?));
    }
    let list = values.iter().map(|value| condition.operand(value)).collect();
    let list = Json { at: condition.term.at.0, kind: JsonKind::List(list) };
    predicate::test(Test::In, condition.field, &list, condition.limits)
}

/// A condition on labels of an enum: those that match are looked up.
pub(super) fn of_labels(condition: &Condition<'_>, labels: &[String]) -> Result<Expr> {
    let terms: Vec<String> = match condition.meaning {
        Meaning::Order(operator) => return compare(condition, operator, &condition.literal()),
        Meaning::Any | Meaning::All => {
            let terms = condition.term.text.split_whitespace();
            condition.limits.check_list(terms.clone().count(), condition.term.at.0)?;
            terms.map(str::to_owned).collect()
        }
        _ => vec![condition.term.text.clone()],
    };
    let fold = condition.modifiers.fold(true, true);
    let pattern = |term: &String| match condition.masks() {
        true => mask::pattern(term, fold),
        false => duet_text::like::escape(&mask::folded(&mask::literal(term), fold)),
    };
    let patterns: Vec<String> = terms.iter().map(pattern).collect();
    let holds = |label: &String| {
        let label = mask::folded(label, fold);
        let mut each = patterns.iter().map(|it| duet_text::like::matches(it, &label, false));
        match condition.meaning {
            Meaning::All => each.all(|holds| holds),
            Meaning::Differs => each.all(|holds| !holds),
            _ => each.any(|holds| holds),
        }
    };
    let found: Vec<_> = labels.iter().filter(|label| holds(label)).collect();
    let list = found.into_iter().map(|label| condition.operand(label)).collect();
    let list = Json { at: condition.term.at.0, kind: JsonKind::List(list) };
    predicate::test(Test::In, condition.field, &list, condition.limits)
}
