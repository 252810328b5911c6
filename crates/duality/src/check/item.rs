//! Item methods, of paths and of filters by example: what each makes of a value, and of which types.

use duet_model::{Arithmetic, Compare, Expr, Type, Value};

use super::types::{Family, family, signed};
use crate::ast::ItemMethod;

/// A value and its type.
pub(super) type TypedValue = (Expr, Type);

/// Applies a method to a value.
///
/// # Errors
/// What the method needs, where the value is of another type.
pub(super) fn apply(method: ItemMethod, value: Expr, ty: &Type) -> Result<TypedValue, String> {
    let of = family(ty);
    let function = |name, ty| Ok((Expr::Function(name, vec![value.clone()]), ty));
    match (method, of) {
        (ItemMethod::Type, _) => type_of(value, ty),
        (ItemMethod::Upper, Family::Text) => function("upper", Type::Text),
        (ItemMethod::Lower, Family::Text) => function("lower", Type::Text),
        (ItemMethod::Length, Family::Text) => function("length", Type::Integer { bits: 32 }),
        (ItemMethod::Abs, Family::Number) => function("abs", signed(ty.clone())),
        (ItemMethod::Number, Family::Text) => function("number", Type::Decimal { scale: None }),
        (ItemMethod::Ceiling | ItemMethod::Floor, Family::Number)
            if !matches!(ty, Type::Integer { .. }) =>
        {
            Ok(rounded(method, &value, ty))
        }
        (ItemMethod::Text, _) if matches!(ty, Type::Integer { .. }) => {
            let empty = Box::new(Expr::Literal(Value::Text(String::new())));
            Ok((Expr::Arithmetic(Arithmetic::Concat, Box::new(value), empty), Type::Text))
        }
        (ItemMethod::Number | ItemMethod::Ceiling | ItemMethod::Floor, Family::Number)
        | (ItemMethod::Text, Family::Text)
        | (ItemMethod::Boolean, Family::Boolean)
        | (ItemMethod::Date, Family::Date) => Ok((value, ty.clone())),
        (ItemMethod::Upper | ItemMethod::Lower | ItemMethod::Length, _) => {
            Err(format!("expected text, found {}", ty.name()))
        }
        (ItemMethod::Abs | ItemMethod::Ceiling | ItemMethod::Floor, _) => {
            Err(format!("expected a number, found {}", ty.name()))
        }
        (ItemMethod::Number, _) => Err(format!("{} cannot be read as a number", ty.name())),
        (ItemMethod::Text, _) => {
            Err(format!("only text and whole numbers are text, not {}", ty.name()))
        }
        (ItemMethod::Boolean, _) => Err(format!("expected a boolean, found {}", ty.name())),
        (ItemMethod::Date, _) => Err(format!("expected a date or time, found {}", ty.name())),
    }
}

/// The name of a value's type in JSON, as Oracle names it; `null` where there is no value.
fn type_of(value: Expr, ty: &Type) -> Result<TypedValue, String> {
    // The value of a path into JSON may be of any type, and is read as text.
    if matches!(value, Expr::Extracted(..) | Expr::Function("json_value", _)) || *ty == Type::Json {
        return Err(
            "type() is for columns and generated members, not for values inside JSON".into()
        );
    }
    let name = match (family(ty), ty) {
        (Family::Number, _) => "number",
        (Family::Boolean, _) => "boolean",
        (_, Type::Date) => "date",
        (_, Type::Timestamp | Type::TimestampTz) => "timestamp",
        _ => "string",
    };
    let text = |text: &str| Expr::Literal(Value::Text(text.to_owned()));
    let branches = vec![(Expr::IsNull(Box::new(value)), text("null"))];
    Ok((Expr::Case { branches, otherwise: Some(Box::new(text(name))) }, Type::Text))
}

/// The next whole number above or below: the rounded one, or the one beside it. Both stores round, and they differ
/// only at halves, where either result leads to the same.
fn rounded(method: ItemMethod, value: &Expr, ty: &Type) -> TypedValue {
    let round = || Expr::Function("round", vec![value.clone()]);
    let (beyond, step) = match method {
        ItemMethod::Ceiling => (Compare::Lt, Arithmetic::Add),
        _ => (Compare::Gt, Arithmetic::Subtract),
    };
    let one = Box::new(Expr::Literal(Value::Int(1)));
    let corrected = Expr::Arithmetic(step, Box::new(round()), one);
    let condition = Expr::compare(beyond, round(), value.clone());
    let otherwise = Some(Box::new(round()));
    let ty = match ty {
        Type::Float { .. } => Type::Float { bits: 64 },
        _ => Type::Decimal { scale: None },
    };
    (Expr::Case { branches: vec![(condition, corrected)], otherwise }, ty)
}
