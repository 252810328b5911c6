//! Row expressions back to text, with as few parentheses as the parser needs.

use duet_model::{Arithmetic, Compare, Expr, Relation, Value};

use super::quoted;
use crate::lexer::is_plain_name;
use crate::names;

/// How tight an operator binds; the parser's numbers.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const OPERAND: u8 = 5;
const ATOM: u8 = 9;

/// Words that would be read as something else than a column.
const KEYWORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "is",
    "in",
    "between",
    "like",
    "escape",
    "case",
    "when",
    "then",
    "else",
    "end",
    "with",
    "where",
    "from",
    "select",
    "exists",
    "any",
    "all",
    "some",
    "over",
    "null",
    "true",
    "false",
    "date",
    "time",
    "timestamp",
];

/// Prints an expression over a row of `table`.
pub(super) fn print(expr: &Expr, table: &Relation) -> String {
    let mut out = String::new();
    write(&mut out, expr, table);
    out
}

fn power(expr: &Expr) -> u8 {
    match expr {
        Expr::Or(_) => OR,
        Expr::And(_) => AND,
        Expr::Not(operand) if is_test(operand) => COMPARISON,
        Expr::Not(_) => NOT,
        Expr::Compare(..) => COMPARISON,
        Expr::Arithmetic(operator, ..) => arithmetic(*operator).1,
        condition if is_test(condition) => COMPARISON,
        _ => ATOM,
    }
}

/// Whether it is a test with a special syntax for its negation.
fn is_test(expr: &Expr) -> bool {
    matches!(expr, Expr::IsNull(_) | Expr::In(..) | Expr::Between(..) | Expr::Like { .. })
}

fn comparison(operator: Compare) -> &'static str {
    match operator {
        Compare::Eq => " = ",
        Compare::Ne => " <> ",
        Compare::Lt => " < ",
        Compare::Lte => " <= ",
        Compare::Gt => " > ",
        Compare::Gte => " >= ",
    }
}

fn arithmetic(operator: Arithmetic) -> (&'static str, u8) {
    match operator {
        Arithmetic::Concat => (" || ", OPERAND),
        Arithmetic::Add => (" + ", 6),
        Arithmetic::Subtract => (" - ", 6),
        Arithmetic::Multiply => (" * ", 7),
        Arithmetic::Divide => (" / ", 7),
    }
}

/// Prints with parentheses where the expression binds less tight than its place needs.
fn part(out: &mut String, expr: &Expr, table: &Relation, least: u8) {
    if power(expr) >= least {
        return write(out, expr, table);
    }
    out.push('(');
    write(out, expr, table);
    out.push(')');
}

fn list(out: &mut String, items: &[Expr], table: &Relation) {
    out.push('(');
    for (position, item) in items.iter().enumerate() {
        out.push_str(if position > 0 { ", " } else { "" });
        write(out, item, table);
    }
    out.push(')');
}

fn write(out: &mut String, expr: &Expr, table: &Relation) {
    match expr {
        Expr::And(parts) => joined(out, parts, table, (" AND ", AND)),
        Expr::Or(parts) => joined(out, parts, table, (" OR ", OR)),
        Expr::Not(operand) if is_test(operand) => test(out, operand, table, true),
        Expr::Not(operand) => {
            out.push_str("NOT ");
            part(out, operand, table, NOT);
        }
        Expr::Field(field) => out.push_str(&column_name(names::of(table, field.column))),
        Expr::Literal(value) | Expr::Operand(value, _) => out.push_str(&literal(value)),
        Expr::Compare(operator, left, right) => {
            binary(out, (left, right), table, (comparison(*operator), COMPARISON));
        }
        Expr::Arithmetic(operator, left, right) => {
            binary(out, (left, right), table, arithmetic(*operator));
        }
        Expr::Negate(operand) => {
            out.push_str("-(");
            write(out, operand, table);
            out.push(')');
        }
        Expr::Function(name, arguments) => {
            out.push_str(name);
            list(out, arguments, table);
        }
        Expr::Case { branches, otherwise } => {
            case(out, branches, otherwise.as_deref(), table);
        }
        other => test(out, other, table, false),
    }
}

fn joined(out: &mut String, parts: &[Expr], table: &Relation, (word, power): (&str, u8)) {
    for (position, operand) in parts.iter().enumerate() {
        out.push_str(if position > 0 { word } else { "" });
        part(out, operand, table, power + 1);
    }
}

fn binary(
    out: &mut String,
    (left, right): (&Expr, &Expr),
    table: &Relation,
    (sign, power): (&str, u8),
) {
    part(out, left, table, power);
    out.push_str(sign);
    part(out, right, table, power + 1);
}

/// A test or its opposite.
fn test(out: &mut String, expr: &Expr, table: &Relation, negated: bool) {
    let not = if negated { " NOT" } else { "" };
    match expr {
        Expr::IsNull(operand) => {
            part(out, operand, table, COMPARISON);
            out.push_str(if negated { " IS NOT NULL" } else { " IS NULL" });
        }
        Expr::In(operand, items) => {
            part(out, operand, table, COMPARISON);
            out.push_str(not);
            out.push_str(" IN ");
            list(out, items, table);
        }
        Expr::Between(operand, low, high) => {
            part(out, operand, table, COMPARISON);
            out.push_str(not);
            for (word, end) in [(" BETWEEN ", low), (" AND ", high)] {
                out.push_str(word);
                let open = Expr::Literal(Value::Null);
                part(out, end.as_deref().unwrap_or(&open), table, OPERAND);
            }
        }
        Expr::Like { operand, pattern, .. } => {
            part(out, operand, table, COMPARISON);
            out.push_str(not);
            out.push_str(" LIKE ");
            part(out, pattern, table, OPERAND);
        }
        // Definitions have no other tests.
        _ => {}
    }
}

fn case(out: &mut String, branches: &[(Expr, Expr)], otherwise: Option<&Expr>, table: &Relation) {
    out.push_str("CASE");
    for (condition, result) in branches {
        out.push_str(" WHEN ");
        write(out, condition, table);
        out.push_str(" THEN ");
        write(out, result, table);
    }
    if let Some(otherwise) = otherwise {
        out.push_str(" ELSE ");
        write(out, otherwise, table);
    }
    out.push_str(" END");
}

fn column_name(name: &str) -> String {
    let keyword = KEYWORDS.iter().any(|keyword| name.eq_ignore_ascii_case(keyword));
    if is_plain_name(name) && !keyword { name.to_owned() } else { quoted(name) }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(true) => "TRUE".to_owned(),
        Value::Bool(false) => "FALSE".to_owned(),
        Value::Int(value) => value.to_string(),
        // The debug form always has a point or an exponent, so that it is read as the same kind.
        Value::Float(value) => format!("{value:?}"),
        Value::Text(_) | Value::Bytes(_) => {
            format!("'{}'", value.to_string().replace('\'', "''"))
        }
    }
}
