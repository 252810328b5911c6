//! Prints an expression as a `q`, and in a short form for the tables of cases.

use duet_model::{Compare, Expr, FieldRef, Value};
use serde_json::{Value as Json, json};

use crate::FieldIndex;

fn path(fields: &FieldIndex, field: FieldRef) -> &str {
    &fields.fields().iter().find(|known| known.field == field).unwrap().path
}

fn json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Text(value) => json!(value),
        other => panic!("no operand is {other:?}"),
    }
}

fn compare_name(operator: Compare) -> &'static str {
    match operator {
        Compare::Eq => "$eq",
        Compare::Ne => "$ne",
        Compare::Lt => "$lt",
        Compare::Lte => "$lte",
        Compare::Gt => "$gt",
        Compare::Gte => "$gte",
    }
}

/// The `q` that means the expression.
pub(crate) fn q(expr: &Expr, fields: &FieldIndex) -> Json {
    let test = |field: &FieldRef, name: &str, operand: Json| json!({ path(fields, *field): { name: operand } });
    let list = |parts: &[Expr]| Json::Array(parts.iter().map(|part| q(part, fields)).collect());
    match expr {
        Expr::And(parts) => json!({ "$and": list(parts) }),
        Expr::Or(parts) => json!({ "$or": list(parts) }),
        Expr::Not(inner) => json!({ "$not": q(inner, fields) }),
        Expr::Compare(field, operator, value) => test(field, compare_name(*operator), json(value)),
        Expr::In(field, values) => test(field, "$in", values.iter().map(json).collect()),
        Expr::Between(field, low, high) => {
            let end = |end: &Option<Value>| end.as_ref().map_or(Json::Null, json);
            test(field, "$between", json!([end(low), end(high)]))
        }
        Expr::Like { field, pattern, ignore_case } => {
            test(field, if *ignore_case { "$ilike" } else { "$like" }, json!(pattern))
        }
        Expr::Contains(field, part) => test(field, "$instr", json!(part)),
        Expr::Regex(field, pattern) => test(field, "$regex", json!(pattern)),
        Expr::IsNull(field) => test(field, "$null", Json::Null),
        // Random expressions have none.
        Expr::Json(field, predicate) => test(field, "$inside", json!(predicate.encode())),
    }
}

/// A short form: `points > 1 & !(name is null)`.
pub(crate) fn short(expr: &Expr, fields: &FieldIndex) -> String {
    let join = |parts: &[Expr], sign: &str| {
        let parts: Vec<_> = parts.iter().map(|part| short(part, fields)).collect();
        format!("({})", parts.join(sign))
    };
    let value = |value: &Value| match value {
        Value::Text(text) => format!("'{text}'"),
        other => other.to_string(),
    };
    let path = |field: &FieldRef| path(fields, *field);
    match expr {
        Expr::And(parts) => join(parts, " & "),
        Expr::Or(parts) => join(parts, " | "),
        Expr::Not(inner) => format!("!{}", short(inner, fields)),
        Expr::Compare(field, operator, operand) => {
            format!("{} {} {}", path(field), compare_name(*operator), value(operand))
        }
        Expr::In(field, values) => {
            let values: Vec<_> = values.iter().map(value).collect();
            format!("{} in {}", path(field), values.join(","))
        }
        Expr::Between(field, low, high) => {
            let end = |end: &Option<Value>| end.as_ref().map_or(String::new(), value);
            format!("{} in {}..{}", path(field), end(low), end(high))
        }
        Expr::Like { field, pattern, ignore_case } => {
            format!("{} {}'{pattern}'", path(field), if *ignore_case { "~~" } else { "~" })
        }
        Expr::Contains(field, part) => format!("{} has '{part}'", path(field)),
        Expr::Regex(field, pattern) => format!("{} matches '{pattern}'", path(field)),
        Expr::IsNull(field) => format!("{} null", path(field)),
        Expr::Json(field, predicate) => format!("{} holds {}", path(field), predicate.encode()),
    }
}
