//! `$orderby`: the terms of an order.

use duet_model::{Code, Comparability, Direction, OrderBy, Result, Type};
use duet_text::error::Place;

use super::ranking::Rank;
use crate::fields::FieldIndex;
use crate::limit_table::ORDER;
use crate::limits::{Counter, Limits};
use crate::operand::misfit;
use crate::operator::field_name;
use crate::points;
use duet_text::json::{Json, JsonKind, JsonMember};
use duet_text::problem::fault;

/// Reads an object of fields and directions, or an array of such objects. A field that comes
/// again is left out: it can no longer change the order.
pub(crate) fn read(
    json: &Json<'_>,
    fields: &FieldIndex,
    nodes: &mut Counter,
    limits: &Limits,
) -> Result<Vec<OrderBy>> {
    let objects = match &json.kind {
        JsonKind::List(elements) => elements.as_slice(),
        _ => std::slice::from_ref(json),
    };
    let mut order: Vec<OrderBy> = Vec::new();
    for object in objects {
        let JsonKind::Object(members) = &object.kind else {
            let message = format!(
                "`$orderby` takes an object such as {{\"name\":\"ASC\"}}, or an array of them, \
                 not {}.",
                object.kind.noun()
            );
            return Err(fault(Code::FilterGrammar, object.at, message));
        };
        for member in members {
            let next = term(member, fields, &mut *nodes, limits)?;
            add(&mut order, next, limits, member.at)?;
        }
    }
    Ok(order)
}

/// Adds a term, unless there are too many. One of a value that is there already is left out.
pub(crate) fn add(
    order: &mut Vec<OrderBy>,
    next: OrderBy,
    limits: &Limits,
    at: usize,
) -> Result<()> {
    if order.iter().any(|known| known.value == next.value) {
        return Ok(());
    }
    let value = limits.checked(next.value, at)?;
    order.push(OrderBy { value, ..next });
    limits.check(&ORDER, order.len(), at)
}

fn term(
    member: &JsonMember<'_>,
    fields: &FieldIndex,
    nodes: &mut Counter,
    limits: &Limits,
) -> Result<OrderBy> {
    nodes.count(member.at)?;
    if let Some(rank) = ranked(&member.value) {
        let name = field_name(&member.name).unwrap_or(&member.name);
        return rank.order(name, member.at, Direction::Ascending, fields, limits);
    }
    // Nothing but fields has a place here: a further `$` is allowed, as in conditions.
    let name = field_name(&member.name).unwrap_or(&member.name);
    let term = by(name, member.at, Direction::Ascending, fields)?;
    let direction = direction(&member.value)?;
    let nulls_first =
        fields.style().profile.null_is_greatest() && direction == Direction::Descending;
    Ok(OrderBy { direction, nulls_first, ..term })
}

/// The order of `{"$similar": text}`, `{"$relevant": words}` and `{"$nearest": [x, y]}`.
fn ranked<'j>(json: &'j Json<'_>) -> Option<Rank<'j>> {
    let JsonKind::Object(members) = &json.kind else { return None };
    match members.as_slice() {
        [JsonMember { name, value, .. }] if name == "$nearest" => {
            Some(Rank::Nearest(points::read_json(value)))
        }
        [JsonMember { name, value: Json { kind: JsonKind::Text(text), .. }, .. }] => {
            Rank::named(name.strip_prefix('$')?, text)
        }
        _ => None,
    }
}

/// The term of a field, which is named at a place of the filter.
pub(crate) fn by(
    path: &str,
    at: usize,
    direction: Direction,
    fields: &FieldIndex,
) -> Result<OrderBy> {
    let inside = match fields.find(path) {
        None => fields.inside(path),
        Some(_) => None,
    };
    let known = || fields.resolve(path);
    let field = match &inside {
        Some(field) => field,
        None => known().map_err(|error| error.at(Place::Offset(at)))?,
    };
    let problem = match field.ty {
        _ if field.repeated => "lies below an array, so it has no single value to order by",
        Type::Array(_) | Type::Pair(_) => "has no order",
        Type::Json if field.json().is_none() => "has no order",
        Type::Native(ref native) if native.comparison < Comparability::Order => {
            let mut error = misfit(field, at, "has no order in the database");
            error.code = Code::FilterUnsupported;
            return Err(error.hint("Order by another field."));
        }
        _ => {
            let (value, ty) = (field.value.clone(), field.ty.clone());
            return Ok(OrderBy { value, ty, direction, nulls_first: false });
        }
    };
    let mut error = misfit(field, at, problem);
    error.code = Code::FilterUnsupported;
    Err(error.hint("Order by a field of the document itself or of an object in it."))
}

fn direction(json: &Json<'_>) -> Result<Direction> {
    let text = match &json.kind {
        JsonKind::Text(text) => text,
        JsonKind::Number(number) => *number,
        _ => "",
    };
    match text.to_ascii_uppercase().as_str() {
        "ASC" | "1" => Ok(Direction::Ascending),
        "DESC" | "-1" => Ok(Direction::Descending),
        _ => {
            let message = "A direction is \"ASC\", \"DESC\", 1 or -1, {\"$similar\": text}, \
                           {\"$relevant\": words} or {\"$nearest\": [x, y]}.";
            Err(fault(Code::FilterOperand, json.at, message))
        }
    }
}
