//! Points of a collection's documents: those in a box, and the order by the distance from another point.

use duet_model::shape::Field;
use duet_model::{
    Area, Code, Direction, Error, Expr, OrderBy, PairKind, Point, RangeRelation, Result, TextTest,
    Type, Value,
};
use duet_text::error::Place;
use duet_text::json::{Json, JsonKind};
use duet_text::problem::{fault, quoted};

use crate::operand::misfit;

/// The condition of an operator on a point.
pub(crate) fn condition(field: &Field, relation: RangeRelation, json: &Json<'_>) -> Result<Expr> {
    if relation != RangeRelation::Within {
        let mut error = misfit(field, json.at, "has no points that could be in it");
        error.code = Code::FilterUnsupported;
        return Err(error.hint("Points are searched by `$within` with a box."));
    }
    let JsonKind::List(numbers) = &json.kind else {
        let problem = format!(
            "is searched in a box, such as [4.7,52.3,5.1,52.5], not in {}",
            json.kind.noun()
        );
        return Err(misfit(field, json.at, &problem));
    };
    let numbers: Vec<&str> = numbers.iter().map(number).collect();
    in_area(field, &numbers, json.at)
}

/// A number as it is written, or a text that is none.
fn number<'j>(json: &'j Json<'_>) -> &'j str {
    match &json.kind {
        JsonKind::Number(number) => number,
        JsonKind::Text(text) => text,
        _ => "",
    }
}

/// The condition that a point is in a box, given by the least and the greatest coordinates.
///
/// # Errors
/// At a place of the filter, where these are no four numbers that are a box.
pub(crate) fn in_area(field: &Field, numbers: &[&str], at: usize) -> Result<Expr> {
    let corner = |x: &str, y: &str| {
        Point::of(x, y).ok_or_else(|| {
            misfit(
                field,
                at,
                &format!("has numbers as coordinates, unlike {}", quoted(&format!("{x} {y}"))),
            )
        })
    };
    let [x, y, to_x, to_y] = numbers else {
        let message = "A box has four numbers: the least x and y, and the greatest x and y.";
        return Err(fault(Code::FilterOperand, at, message));
    };
    let area = Area::between(corner(x, y)?, corner(to_x, to_y)?).ok_or_else(|| {
        let message = format!("A box cannot end at {to_x} {to_y}, before it begins at {x} {y}.");
        fault(Code::FilterOperand, at, message)
            .hint("Give the least x and y first, then the greatest x and y.")
    })?;
    Ok(Expr::Search(Box::new(field.value.clone()), TextTest::InArea(area)))
}

/// The point of `x y` or `x,y`.
pub(crate) fn read(text: &str) -> Option<Point> {
    let numbers: Vec<&str> = text.split([' ', ',']).filter(|number| !number.is_empty()).collect();
    of_numbers(&numbers)
}

/// The point of `[x, y]`.
pub(crate) fn read_json(json: &Json<'_>) -> Option<Point> {
    match &json.kind {
        JsonKind::List(numbers) => of_numbers(&numbers.iter().map(number).collect::<Vec<_>>()),
        JsonKind::Text(text) => read(text),
        _ => None,
    }
}

fn of_numbers(numbers: &[&str]) -> Option<Point> {
    match numbers {
        [x, y] => Point::of(x, y),
        _ => None,
    }
}

/// The order by the distance from a point, the nearest first.
///
/// # Errors
/// At a place of the filter, where the field is no point, or there is no point to begin at.
pub(crate) fn order(
    field: &Field,
    from: Option<Point>,
    direction: Direction,
    at: usize,
) -> Result<OrderBy> {
    let is_point = matches!(&field.ty, Type::Pair(pair) if pair.kind == PairKind::Point);
    if !is_point || field.repeated {
        let message = format!("{} is no point of the document itself.", quoted(&field.path));
        let error = Error::new(Code::FilterUnsupported, message).at(Place::Offset(at));
        return Err(error.hint(
            "Declare point = [{ name = …, x = …, y = … }] in the collection's [indexes], and name that.",
        ));
    }
    let Some(from) = from else {
        let message = "The nearest are those of a point: two numbers, as in nearest=\"4.9 52.4\" or \
                       {\"$nearest\":[4.9,52.4]}.";
        return Err(fault(Code::FilterOperand, at, message));
    };
    let from = Expr::operand(Value::Text(from.to_string()), &Type::Text);
    Ok(OrderBy {
        value: Expr::Function("point_distance", vec![field.value.clone(), from]),
        ty: Type::Float { bits: 64 },
        direction,
        nulls_first: false,
    })
}
