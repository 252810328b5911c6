//! `sortBy`: texts without case and accents, or with `/number` the order of PostgreSQL's `jsonb`. What has no value
//! comes last, and first where the order descends.

use duet_model::{
    Code, Direction, Expr, FieldRef, JsonScalar, JsonTest, OrderBy, Result, Type, Value,
};
use duet_text::Fold;
use duet_text::problem::fault;

use super::super::modifiers::unsupported;
use super::super::tree::SortKey;
use super::modifiers::KNOWN;
use super::target::{SearchedValue, folded};
use crate::fields::FieldIndex;
use crate::limits::Limits;
use crate::orders::order;

/// The terms of an order. A term that comes again is left out: it can no longer change the order.
pub(in super::super) fn read(
    keys: &[SortKey],
    fields: &FieldIndex,
    limits: &Limits,
) -> Result<Vec<OrderBy>> {
    let mut all: Vec<OrderBy> = Vec::new();
    for key in keys {
        for next in terms(key, fields)? {
            order::add(&mut all, next, limits, key.index.at.0)?;
        }
    }
    Ok(all)
}

/// What the modifiers of a key say.
struct Modifiers {
    descending: bool,
    number: bool,
    case: Option<bool>,
    accents: Option<bool>,
}

fn modifiers(key: &SortKey) -> Result<Modifiers> {
    let mut read = Modifiers { descending: false, number: false, case: None, accents: None };
    for modifier in &key.modifiers {
        match modifier.name.as_str() {
            _ if modifier.value.is_some() => return Err(unsupported(modifier, KNOWN)),
            "sort.ascending" => read.descending = false,
            "sort.descending" => read.descending = true,
            "number" => read.number = true,
            "string" | "masked" => {}
            "ignorecase" => read.case = Some(true),
            "respectcase" => read.case = Some(false),
            "ignoreaccents" => read.accents = Some(true),
            "respectaccents" => read.accents = Some(false),
            _ => return Err(unsupported(modifier, KNOWN)),
        }
    }
    Ok(read)
}

fn terms(key: &SortKey, fields: &FieldIndex) -> Result<Vec<OrderBy>> {
    let Modifiers { descending, number, case, accents } = modifiers(key)?;
    let target = SearchedValue::find_for_order(fields, &key.index.text);
    if let Some(message) = target.without_order(fields) {
        return Err(fault(Code::FilterUnsupported, key.index.at.0, message));
    }
    let direction = if descending { Direction::Descending } else { Direction::Ascending };
    let by = |value, ty| OrderBy { value, ty, direction, nulls_first: descending };
    if let Some(field) = target.id() {
        return Ok(vec![by(field.value.clone(), Type::Uuid)]);
    }
    if let Some(field) = target.typed(Type::is_number).filter(|_| number) {
        return Ok(vec![by(field.value.clone(), field.ty.clone())]);
    }
    match &target.inside {
        Some(inside) if number => {
            Ok(by_jsonb(inside, &target.text).map(|(value, ty)| by(value, ty)).into())
        }
        _ => {
            let declared = target.order_fold().map_or((false, false), Fold::ignores);
            let fold = Fold::of(case.unwrap_or(declared.0), accents.unwrap_or(declared.1));
            let labels = target.labelled().map(|(_, labels)| labels);
            let fold = fold.filter(|fold| !labels.is_some_and(|labels| keeps_order(labels, *fold)));
            Ok(vec![by(folded(target.text.clone(), fold), Type::Text)])
        }
    }
}

/// Whether texts have the same order as they are: then an index of them serves.
fn keeps_order(labels: &[String], fold: Fold) -> bool {
    let mut ordered: Vec<&String> = labels.iter().collect();
    ordered.sort();
    ordered.windows(2).all(|pair| fold.apply(pair[0]) < fold.apply(pair[1]))
}

/// The order of `jsonb` values: `null`, strings, numbers, Booleans, then all others.
fn by_jsonb(inside: &FieldRef, text: &Expr) -> [(Expr, Type); 3] {
    let test = |test| Expr::Json(inside.clone(), test);
    let is_null = |value: &Expr| Expr::IsNull(Box::new(value.clone()));
    let number = Expr::Function("number", vec![text.clone()]);
    let is_text = test(JsonTest::Like("%".to_owned()));
    let is_boolean = test(JsonTest::In([false, true].map(JsonScalar::Bool).into()));
    let kinds = [
        (test(JsonTest::IsNull).and(is_null(text)), 0),
        (is_text.clone(), 1),
        (is_boolean.clone(), 3),
        (is_null(&number).negated(), 2),
        (is_null(text).negated(), 4),
    ];
    let place = |place| Expr::Literal(Value::Int(place));
    let kinds = kinds.map(|(kind, at)| (kind, place(at)));
    // Strings of digits are not ordered as numbers, and equal numbers may be different texts.
    let numbers = vec![(is_text.clone(), Expr::Literal(Value::Null))];
    let texts = vec![(is_text, text.clone()), (is_boolean, text.clone())];
    let case = |branches, otherwise: Option<Expr>| Expr::Case {
        branches,
        otherwise: otherwise.map(Box::new),
    };
    [
        (case(kinds.into(), None), Type::Integer { bits: 32 }),
        (case(numbers, Some(number)), Type::Decimal { scale: None }),
        (case(texts, None), Type::Text),
    ]
}
