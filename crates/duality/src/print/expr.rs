//! Row expressions back to text, with as few parentheses as the parser needs.

use duet_model::{BinaryOp, Relation, RowExpr, Value};

use super::quoted;
use crate::lexer::is_plain_name;
use crate::names;

/// How tight an operator binds; the parser's numbers.
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
pub(super) fn print(expr: &RowExpr, table: &Relation) -> String {
    let mut out = String::new();
    write(&mut out, expr, table);
    out
}

fn power(expr: &RowExpr) -> u8 {
    match expr {
        RowExpr::Column(_)
        | RowExpr::Literal(_)
        | RowExpr::Function(..)
        | RowExpr::Case { .. }
        | RowExpr::Negate(_) => ATOM,
        RowExpr::Binary(op, ..) => binary(*op).1,
        RowExpr::Not(_) => NOT,
        RowExpr::IsNull { .. }
        | RowExpr::In { .. }
        | RowExpr::Between { .. }
        | RowExpr::Like { .. } => COMPARISON,
    }
}

fn binary(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => (" OR ", 1),
        BinaryOp::And => (" AND ", 2),
        BinaryOp::Eq => (" = ", COMPARISON),
        BinaryOp::Ne => (" <> ", COMPARISON),
        BinaryOp::Lt => (" < ", COMPARISON),
        BinaryOp::Lte => (" <= ", COMPARISON),
        BinaryOp::Gt => (" > ", COMPARISON),
        BinaryOp::Gte => (" >= ", COMPARISON),
        BinaryOp::Concat => (" || ", OPERAND),
        BinaryOp::Add => (" + ", 6),
        BinaryOp::Subtract => (" - ", 6),
        BinaryOp::Multiply => (" * ", 7),
        BinaryOp::Divide => (" / ", 7),
    }
}

/// Prints with parentheses where the expression binds less tight than its place needs.
fn part(out: &mut String, expr: &RowExpr, table: &Relation, least: u8) {
    if power(expr) >= least {
        return write(out, expr, table);
    }
    out.push('(');
    write(out, expr, table);
    out.push(')');
}

fn list(out: &mut String, items: &[RowExpr], table: &Relation) {
    out.push('(');
    for (position, item) in items.iter().enumerate() {
        out.push_str(if position > 0 { ", " } else { "" });
        write(out, item, table);
    }
    out.push(')');
}

fn write(out: &mut String, expr: &RowExpr, table: &Relation) {
    let not = |negated: &bool| if *negated { " NOT" } else { "" };
    match expr {
        RowExpr::Column(column) => out.push_str(&column_name(names::of(table, *column))),
        RowExpr::Literal(value) => out.push_str(&literal(value)),
        RowExpr::Binary(op, left, right) => {
            let (text, power) = binary(*op);
            part(out, left, table, power);
            out.push_str(text);
            part(out, right, table, power + 1);
        }
        RowExpr::Not(operand) => {
            out.push_str("NOT ");
            part(out, operand, table, NOT);
        }
        RowExpr::Negate(operand) => {
            out.push_str("-(");
            write(out, operand, table);
            out.push(')');
        }
        RowExpr::IsNull { operand, negated } => {
            part(out, operand, table, COMPARISON);
            out.push_str(if *negated { " IS NOT NULL" } else { " IS NULL" });
        }
        RowExpr::In { operand, list: items, negated } => {
            part(out, operand, table, COMPARISON);
            out.push_str(not(negated));
            out.push_str(" IN ");
            list(out, items, table);
        }
        RowExpr::Between { operand, low, high, negated } => {
            part(out, operand, table, COMPARISON);
            out.push_str(not(negated));
            out.push_str(" BETWEEN ");
            part(out, low, table, OPERAND);
            out.push_str(" AND ");
            part(out, high, table, OPERAND);
        }
        RowExpr::Like { operand, pattern, negated } => {
            part(out, operand, table, COMPARISON);
            out.push_str(not(negated));
            out.push_str(" LIKE ");
            part(out, pattern, table, OPERAND);
        }
        RowExpr::Function(name, arguments) => {
            out.push_str(name);
            list(out, arguments, table);
        }
        RowExpr::Case { branches, otherwise } => {
            case(out, branches, otherwise.as_deref(), table);
        }
    }
}

fn case(
    out: &mut String,
    branches: &[(RowExpr, RowExpr)],
    otherwise: Option<&RowExpr>,
    table: &Relation,
) {
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
