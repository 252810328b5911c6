//! Array steps of paths: elements of arrays of rows by their positions, and values inside JSON.

use duet_model::{Expr, FieldRef, Node, NodeId, Type, Value};
use duet_text::{JsonStep, Positions};

use crate::json_path::{self, Elements, NoSteps, Step};

/// Why array steps select nothing; the hint says what does.
pub(super) struct NoElements {
    pub(super) message: String,
    pub(super) hint: String,
}

/// Checks array steps on a value that is no array, which is one in an array of it alone.
///
/// # Errors
/// Where a step selects none of such an array.
pub(super) fn of_one(name: &str, elements: &[Elements]) -> Result<(), NoElements> {
    match elements.iter().all(Elements::select_the_only) {
        true => Ok(()),
        false => Err(NoElements {
            message: format!("{name} is no array"),
            hint: "Leave its position out.".to_owned(),
        }),
    }
}

/// The positions in an array of rows that array steps select; `None` for all.
///
/// # Errors
/// Where a further step selects none, since an element is an object and no array.
pub(super) fn of_rows<'e>(
    name: &str,
    elements: &'e [Elements],
) -> Result<Option<&'e Positions>, NoElements> {
    let Some((first, further)) = elements.split_first() else { return Ok(None) };
    of_one(&format!("an element of `{name}`"), further)?;
    Ok(match first {
        Elements::All => None,
        Elements::Some(positions) => Some(positions),
    })
}

/// The condition of rows of a node that are at positions of the array that it is. The condition of its rows
/// counts, since the array has no others.
pub(super) fn at_positions(node: &Node, place: usize, positions: &Positions) -> Option<Expr> {
    let link = node.link.as_ref().filter(|_| !node.table.identity().is_empty())?;
    let positions = Expr::Literal(Value::Text(positions.to_string()));
    let condition = node.filter.clone().unwrap_or(Expr::Literal(Value::Bool(true)));
    let columns = link.child_columns.iter().map(|&column| FieldRef::row(column).into());
    let arguments = [positions, condition].into_iter().chain(columns).collect();
    Some(Expr::Function("positions", arguments).at_node(place))
}

/// Whether a filter leaves one row at most of those of a node with equal values in these columns.
pub(super) fn leaves_one(filter: Option<&Expr>, node: NodeId, columns: &[usize]) -> bool {
    match filter {
        Some(Expr::And(parts)) => parts.iter().any(|part| leaves_one(Some(part), node, columns)),
        Some(Expr::Function("positions", arguments)) => match &arguments[..] {
            [Expr::Literal(Value::Text(positions)), _, of @ ..] => {
                let is_of = |value: &Expr| {
                    value
                        .whole_column()
                        .is_some_and(|it| it.node == node && columns.contains(&it.column))
                };
                let positions = Positions::parse(positions);
                positions.is_some_and(|it| it.single().is_some()) && of.iter().all(is_of)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The value that steps inside a JSON column lead to, as text.
pub(super) fn inside_column(field: FieldRef, steps: &[JsonStep]) -> Expr {
    // A name of digits would be a position for some functions of the stores.
    let is_plain = |path: &Vec<String>| path.iter().all(|name| name.parse::<i64>().is_err());
    match json_path::names(steps).filter(is_plain) {
        Some(path) => Expr::Extracted(FieldRef { path, ..field }, Type::Json),
        None => {
            let steps = Expr::Literal(Value::Text(JsonStep::encode(steps)));
            Expr::Function("json_value", vec![field.into(), steps])
        }
    }
}

/// The same for the steps behind a member of a path.
///
/// # Errors
/// Where they lead to several values.
pub(super) fn along(
    field: FieldRef,
    name: &str,
    elements: &[Elements],
    rest: &[Step],
) -> Result<Expr, String> {
    match json_path::json_steps(name, elements, rest) {
        Ok(steps) => Ok(inside_column(field, &steps)),
        Err(NoSteps::Several(name)) => Err(json_path::several(&name)),
        Err(NoSteps::Form) => Err(format!("`{}` has no members", name)),
    }
}

/// The number of elements of a value inside JSON; `None` for another value.
pub(super) fn size(value: &Expr, ty: &Type) -> Option<(Expr, Type)> {
    let (field, mut steps) = match value {
        Expr::Field(field) if *ty == Type::Json => (field.clone(), Vec::new()),
        Expr::Extracted(field, _) => {
            let steps = field.path.iter().cloned().map(JsonStep::Member).collect();
            (FieldRef { path: Vec::new(), ..field.clone() }, steps)
        }
        Expr::Function("json_value", arguments) => match &arguments[..] {
            [Expr::Field(field), Expr::Literal(Value::Text(steps))] => {
                (field.clone(), JsonStep::decode(steps)?)
            }
            _ => return None,
        },
        _ => return None,
    };
    steps.push(JsonStep::Size);
    let number = Expr::Function("number", vec![inside_column(field, &steps)]);
    Some((number, Type::Decimal { scale: None }))
}
