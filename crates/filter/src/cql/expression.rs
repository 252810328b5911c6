//! A condition becomes an expression, by the type of its field.

use duet_model::{Code, Error, Expr, PairKind, RangeRelation, Result, TextTest, Type};
use duet_text::json::{Json, JsonKind};
use duet_text::problem::fault;

use super::condition::{Condition, Meaning};
use super::modifiers::ComparedAs;
use super::{inside, moments, text, typed};
use crate::operator_row::Test;
use crate::{points, predicate, ranges};

/// The expression of a condition; that a value is another one is about one of several rows.
pub(super) fn of(condition: &Condition<'_>) -> Result<Expr> {
    let made = of_row(condition)?;
    let has_parts = condition.meaning == Meaning::Differs && matches!(made, Expr::And(_));
    let is_of_rows = condition.field.repeated && made.nodes().iter().any(|node| *node != 0);
    Ok(if has_parts && is_of_rows { Expr::SameRow(Box::new(made)) } else { made })
}

fn of_row(condition: &Condition<'_>) -> Result<Expr> {
    let field = condition.field;
    if condition.is_loose() && condition.term.text.trim().is_empty() {
        return condition.defined();
    }
    if condition.does_not_fit() {
        return Err(condition.unsupported("does not take this modifier").hint(
            "`/number` is for numbers, `/isoDate` for dates, `/substring` and `/regexp` for text, \
             `/partial` for ranges that a collection declares.",
        ));
    }
    if field.json().is_some() {
        return inside::expression(condition);
    }
    if let Type::Pair(pair) = &field.ty {
        return of_pair(condition, pair.kind);
    }
    if condition.modifiers.kind == Some(ComparedAs::Date) && condition.is_of_document() {
        return moments::expression(condition);
    }
    match (condition.meaning, &field.ty) {
        (Meaning::Encloses, _) => encloses(condition),
        (_, Type::Dynamic) => text::untyped(condition),
        (Meaning::Within, Type::Text) if condition.fold(false, false).is_some() => {
            text::within(condition)
        }
        (Meaning::Within, _) => {
            let [low, high] = condition.bounds()?;
            let list = vec![condition.operand(&low), condition.operand(&high)];
            let list = Json { at: condition.term.at.0, kind: JsonKind::List(list) };
            predicate::test(Test::Between, field, &list, condition.limits)
        }
        (_, Type::Text | Type::Char | Type::Other) => text::expression(condition),
        (_, Type::Enum(labels)) => typed::of_labels(condition, labels),
        _ => typed::expression(condition),
    }
}

fn encloses(condition: &Condition<'_>) -> Result<Expr> {
    if !condition.field.ranges {
        return Err(condition.unsupported("holds no ranges that could enclose a value").hint(
            "`encloses` is for ranges that a collection declares and for range columns of PostgreSQL; for values in \
             a range use `within`.",
        ));
    }
    let range = enclosing(&condition.literal());
    Ok(Expr::Search(
        Box::new(condition.field.value.clone()),
        TextTest::Range(RangeRelation::Overlaps, range),
    ))
}

/// The range of one value, as PostgreSQL reads it.
pub(super) fn enclosing(value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\"\"");
    format!("[\"{value}\",\"{value}\"]")
}

/// The end of a range that is open.
const OPEN: &str = "*";

/// A condition on what two members of a document are together: ranges by `within` and `encloses`, where `/partial` means
/// that a common part is enough, and points by `within` and a box.
fn of_pair(condition: &Condition<'_>, kind: PairKind) -> Result<Expr> {
    let (values, at) = (condition.values()?, condition.term.at.0);
    match (condition.meaning, kind) {
        (Meaning::Within, PairKind::Point) if !condition.modifiers.partial => {
            let numbers: Vec<&str> = values.iter().map(String::as_str).collect();
            points::in_area(condition.field, &numbers, at)
        }
        (Meaning::Within | Meaning::Encloses, PairKind::Numbers | PairKind::Moments) => {
            let relation = match condition.meaning {
                _ if condition.modifiers.partial => RangeRelation::Overlaps,
                Meaning::Within => RangeRelation::Within,
                _ => RangeRelation::Encloses,
            };
            let [low, high] = match values.as_slice() {
                [low, high] => [low, high],
                // A value alone is the range of it.
                [value] if condition.meaning == Meaning::Encloses && value != OPEN => {
                    [value, value]
                }
                _ => return Err(two_ends(condition)),
            };
            let end = |text: &String| match text.as_str() {
                OPEN => Ok(None),
                text => ranges::end(condition.field, kind, text, at).map(Some),
            };
            ranges::tested(condition.field, relation, [end(low)?, end(high)?], at)
        }
        (_, PairKind::Point) => {
            Err(condition.unsupported("is searched by `within` and a box").hint(
                "As in place within \"4.7 52.3 5.1 52.5\": the least x and y, then the greatest.",
            ))
        }
        _ => Err(condition
            .unsupported("is searched by `within` and `encloses`")
            .hint("`/partial` finds ranges with a common part, as in within/partial.")),
    }
}

fn two_ends(condition: &Condition<'_>) -> Error {
    let message =
        "A range has two ends, as in within \"2024-01-01 2024-12-31\"; `*` is an open one.";
    fault(Code::FilterOperand, condition.term.at.0, message)
}
