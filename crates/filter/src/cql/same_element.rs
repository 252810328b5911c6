//! `prox/unit=element`: two conditions that one element of an array satisfies, or one row below an array.

use duet_model::{Code, Expr, FieldRef, Result, Scope, SearchRules};
use duet_text::problem::fault;

use super::modifiers::without_set;
use super::tree::Boolean;

/// Both conditions, of one element.
pub(super) fn expression(
    boolean: &Boolean,
    left: Expr,
    right: Expr,
    rules: &SearchRules,
) -> Result<Expr> {
    check(boolean)?;
    let nodes = left.nodes().union(&right.nodes()).copied().collect::<Vec<_>>();
    if nodes.len() == 1 && nodes[0] != 0 {
        return Ok(Expr::SameRow(Box::new(left.and(right))));
    }
    if nodes == [0]
        && let Some((array, left)) = of_element(&left, rules)
        && let Some((other, right)) = of_element(&right, rules)
        && array == other
    {
        return Ok(Expr::AnyElement(array, Box::new(left.and(right))));
    }
    let message = "`prox/unit=element` joins conditions on fields of the elements of one array.";
    Err(fault(Code::FilterUnsupported, boolean.at.0, message)
        .hint("Put both conditions into parentheses where others come before them."))
}

fn check(boolean: &Boolean) -> Result<()> {
    let is = |name: &str, text: &str| {
        boolean.modifiers.iter().any(|modifier| {
            let value = modifier.value.as_ref();
            without_set(&modifier.name, "cql.") == name
                && value.is_some_and(|(_, value)| value.text.eq_ignore_ascii_case(text))
        })
    };
    let known = |name: &str| matches!(without_set(name, "cql."), "unit" | "distance");
    let others = boolean.modifiers.iter().any(|modifier| !known(&modifier.name));
    let has_distance = boolean.modifiers.iter().any(|it| it.name.ends_with("distance"));
    if is("unit", "element") && !others && (!has_distance || is("distance", "0")) {
        return Ok(());
    }
    let message = "`prox` is supported as `prox/unit=element` only.";
    Err(fault(Code::FilterUnsupported, boolean.at.0, message).hint(
        "It joins conditions on one element of an array; for words near each other use `adj`.",
    ))
}

/// A condition on values in an array of a document, as one on its element, with the array; `None` for others, and
/// where it is about several arrays.
fn of_element(expr: &Expr, rules: &SearchRules) -> Option<(FieldRef, Expr)> {
    match expr {
        Expr::AnyElement(array, holds) => Some((array.clone(), (**holds).clone())),
        Expr::Json(field, test) => {
            let around: Vec<String> =
                rules.array_around(&field.path)?.split('.').map(str::to_owned).collect();
            let path = field.path[around.len()..].to_vec();
            let element = FieldRef { scope: Scope::Element, column: 0, path };
            let array = FieldRef { path: around, ..field.clone() };
            Some((array, Expr::Json(element, test.clone())))
        }
        Expr::Not(inner) => of_element(inner, rules).map(|(array, inner)| (array, inner.negated())),
        Expr::NotTrue(inner) => {
            let (array, inner) = of_element(inner, rules)?;
            Some((array, Expr::NotTrue(Box::new(inner))))
        }
        Expr::And(parts) => of_parts(parts, rules).map(|(array, parts)| (array, Expr::And(parts))),
        Expr::Or(parts) => of_parts(parts, rules).map(|(array, parts)| (array, Expr::Or(parts))),
        _ => None,
    }
}

fn of_parts(parts: &[Expr], rules: &SearchRules) -> Option<(FieldRef, Vec<Expr>)> {
    let parts: Option<Vec<_>> = parts.iter().map(|part| of_element(part, rules)).collect();
    let mut parts = parts?.into_iter();
    let (array, first) = parts.next()?;
    let mut moved = vec![first];
    for (other, part) in parts {
        if other != array {
            return None;
        }
        moved.push(part);
    }
    Some((array, moved))
}
