//! Prints an expression as a `q`, and in a short form for the tables of cases.

use duet_model::{Compare, Expr, JsonPredicate, TextTest, Value};
use serde_json::{Value as Json, json};

use crate::FieldIndex;

fn path<'f>(fields: &'f FieldIndex, value: &Expr) -> &'f str {
    &fields.fields().iter().find(|known| known.value == *value).unwrap().path
}

fn operand(value: &Expr) -> &Value {
    match value {
        Expr::Operand(value, _) => value,
        other => panic!("no operand is {other:?}"),
    }
}

fn json(value: &Expr) -> Json {
    match operand(value) {
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
    let test = |field: &Expr, name: &str, operand: Json| {
        let path = path(fields, field);
        json!({ path: { name: operand } })
    };
    let list = |parts: &[Expr]| Json::Array(parts.iter().map(|part| q(part, fields)).collect());
    match expr {
        Expr::And(parts) => json!({ "$and": list(parts) }),
        Expr::Or(parts) => json!({ "$or": list(parts) }),
        Expr::Not(inner) => json!({ "$not": q(inner, fields) }),
        Expr::Compare(operator, field, value) => test(field, compare_name(*operator), json(value)),
        Expr::In(field, values) => test(field, "$in", values.iter().map(json).collect()),
        Expr::Between(field, low, high) => {
            let end = |end: &Option<Box<Expr>>| end.as_deref().map_or(Json::Null, json);
            test(field, "$between", json!([end(low), end(high)]))
        }
        Expr::Like { operand, pattern, ignore_case } => {
            test(operand, if *ignore_case { "$ilike" } else { "$like" }, json(pattern))
        }
        Expr::Search(field, TextTest::Contains(part)) => test(field, "$instr", json!(part)),
        Expr::Search(field, TextTest::Regex(pattern)) => test(field, "$regex", json!(pattern)),
        Expr::IsNull(field) => test(field, "$null", Json::Null),
        // Random expressions have nothing else.
        other => panic!("no condition of a filter: {other:?}"),
    }
}

/// A short form: `points > 1 & !(name is null)`.
pub(crate) fn short(expr: &Expr, fields: &FieldIndex) -> String {
    let join = |parts: &[Expr], sign: &str| {
        let parts: Vec<_> = parts.iter().map(|part| short(part, fields)).collect();
        format!("({})", parts.join(sign))
    };
    let value = |value: &Expr| match value {
        Expr::Literal(value) => value.to_string(),
        value => match operand(value) {
            Value::Text(text) => format!("'{text}'"),
            other => other.to_string(),
        },
    };
    let path = |field: &Expr| match field {
        Expr::Function(name, arguments) => format!("{name}({})", path(fields, &arguments[0])),
        Expr::Field(_) => path(fields, field).to_owned(),
        condition => format!("({})", short(condition, fields)),
    };
    match expr {
        Expr::And(parts) => join(parts, " & "),
        Expr::Or(parts) => join(parts, " | "),
        Expr::Not(inner) => format!("!{}", short(inner, fields)),
        Expr::NotTrue(inner) => format!("!true {}", short(inner, fields)),
        Expr::SameRow(inner) => format!("one {}", short(inner, fields)),
        Expr::Compare(operator, field, operand) => {
            format!("{} {} {}", path(field), compare_name(*operator), value(operand))
        }
        Expr::In(field, values) => {
            let values: Vec<_> = values.iter().map(value).collect();
            format!("{} in {}", path(field), values.join(","))
        }
        Expr::Between(field, low, high) => {
            let end = |end: &Option<Box<Expr>>| end.as_deref().map_or(String::new(), value);
            format!("{} in {}..{}", path(field), end(low), end(high))
        }
        Expr::Like { operand, pattern, ignore_case } => {
            let sign = if *ignore_case { "~~" } else { "~" };
            format!("{} {sign}{}", path(operand), value(pattern))
        }
        Expr::Search(field, TextTest::Contains(part)) => format!("{} has '{part}'", path(field)),
        Expr::Search(field, TextTest::Words(query)) => {
            format!("{} words {}", path(field), query.canonical())
        }
        Expr::Search(field, TextTest::Lexemes(query)) => {
            format!("{} words {}", path(field), query.shown())
        }
        Expr::Search(field, TextTest::Regex(pattern)) => {
            format!("{} matches '{pattern}'", path(field))
        }
        Expr::IsNull(field) => format!("{} null", path(field)),
        Expr::Json(field, test) => {
            let column = Expr::from(duet_model::FieldRef { path: Vec::new(), ..field.clone() });
            format!("{} holds {}", path(&column), JsonPredicate::encode(&field.path, test))
        }
        other => panic!("no condition of a filter: {other:?}"),
    }
}
