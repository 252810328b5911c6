//! Row expressions back to text, with as few parentheses as the parser needs.

use duet_model::{
    Aggregate, Arithmetic, ColumnRef, Compare, Expr, FieldRef, JsonTest, ListOrder, Node, Relation,
    Shape, Value,
};
use duet_text::JsonStep;

use crate::lexer::is_plain_name;
use crate::names::{self, quoted};

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

/// Prints an expression over a row of a node.
pub(super) fn print(expr: &Expr, node: &Node) -> String {
    let mut out = String::new();
    let (table, aggregates) = (&*node.table, &node.aggregates[..]);
    write(&mut out, expr, Place { table, aggregates, rows: None });
    out
}

/// What the columns of an expression are named after.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The table of the member's row.
    table: &'a Relation,
    /// Its functions over other rows.
    aggregates: &'a [Aggregate],
    /// The rows of a query, where the expression is over them.
    rows: Option<&'a Shape>,
}

impl Place<'_> {
    fn column(self, field: &FieldRef) -> String {
        let Some(rows) = self.rows else {
            return column_name(names::of(self.table, field.column));
        };
        let node = field.column_at(0).node;
        let table = &rows.nodes[node].table;
        format!("r{node}.{}", column_name(names::of(table, field.column)))
    }
}

fn power(expr: &Expr) -> u8 {
    match expr {
        Expr::Or(_) => OR,
        Expr::And(_) => AND,
        Expr::Not(operand) if is_test(operand) => COMPARISON,
        Expr::Not(_) => NOT,
        Expr::Compare(..) => COMPARISON,
        Expr::Arithmetic(operator, ..) => arithmetic(*operator).power,
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

/// What stands between operands, and how tight it binds them.
#[derive(Clone, Copy)]
struct Infix {
    sign: &'static str,
    power: u8,
}

fn arithmetic(operator: Arithmetic) -> Infix {
    let (sign, power) = match operator {
        Arithmetic::Concat => (" || ", OPERAND),
        Arithmetic::Add => (" + ", 6),
        Arithmetic::Subtract => (" - ", 6),
        Arithmetic::Multiply => (" * ", 7),
        Arithmetic::Divide => (" / ", 7),
    };
    Infix { sign, power }
}

/// Prints with parentheses where the expression binds less tight than its place needs.
fn part(out: &mut String, expr: &Expr, at: Place<'_>, least: u8) {
    if power(expr) >= least {
        return write(out, expr, at);
    }
    out.push('(');
    write(out, expr, at);
    out.push(')');
}

fn list(out: &mut String, items: &[Expr], at: Place<'_>) {
    out.push('(');
    for (position, item) in items.iter().enumerate() {
        out.push_str(if position > 0 { ", " } else { "" });
        write(out, item, at);
    }
    out.push(')');
}

fn write(out: &mut String, expr: &Expr, at: Place<'_>) {
    match expr {
        Expr::And(parts) => joined(out, parts, at, Infix { sign: " AND ", power: AND }),
        Expr::Or(parts) => joined(out, parts, at, Infix { sign: " OR ", power: OR }),
        Expr::Not(operand) if is_test(operand) => test(out, operand, at, true),
        Expr::Not(operand) => {
            out.push_str("NOT ");
            part(out, operand, at, NOT);
        }
        Expr::Field(field) => out.push_str(&at.column(field)),
        Expr::Literal(value) | Expr::Operand(value, _) => out.push_str(&literal(value)),
        Expr::Compare(operator, left, right) => {
            let infix = Infix { sign: comparison(*operator), power: COMPARISON };
            binary(out, left, right, at, infix);
        }
        Expr::Arithmetic(operator, left, right) => {
            binary(out, left, right, at, arithmetic(*operator));
        }
        Expr::Negate(operand) => {
            out.push_str("-(");
            write(out, operand, at);
            out.push(')');
        }
        Expr::Search(operand, test) => {
            out.push_str("regexp_like(");
            write(out, operand, at);
            let pattern = test.pattern().unwrap_or_default();
            out.push_str(&format!(", '{}')", pattern.replace('\'', "''")));
        }
        Expr::Function("json_value", arguments) => json_value_at(out, arguments, at),
        Expr::Function(name, arguments) => {
            out.push_str(name);
            list(out, arguments, at);
        }
        Expr::Extracted(field, _) => json_path("json_value", out, field, at),
        Expr::Json(field, JsonTest::Exists) => json_path("json_exists", out, field, at),
        Expr::Aggregate(outer, position) => {
            if let Some(aggregate) = at.aggregates.get(*position) {
                query(out, outer, aggregate, at);
            }
        }
        Expr::Case { branches, otherwise } => {
            case(out, branches, otherwise.as_deref(), at);
        }
        other => test(out, other, at, false),
    }
}

fn joined(out: &mut String, parts: &[Expr], at: Place<'_>, infix: Infix) {
    for (position, operand) in parts.iter().enumerate() {
        out.push_str(if position > 0 { infix.sign } else { "" });
        part(out, operand, at, infix.power + 1);
    }
}

fn binary(out: &mut String, left: &Expr, right: &Expr, at: Place<'_>, infix: Infix) {
    part(out, left, at, infix.power);
    out.push_str(infix.sign);
    part(out, right, at, infix.power + 1);
}

/// A test or its opposite.
fn test(out: &mut String, expr: &Expr, at: Place<'_>, negated: bool) {
    let not = if negated { " NOT" } else { "" };
    match expr {
        Expr::IsNull(operand) => {
            part(out, operand, at, COMPARISON);
            out.push_str(if negated { " IS NOT NULL" } else { " IS NULL" });
        }
        Expr::In(operand, items) => {
            part(out, operand, at, COMPARISON);
            out.push_str(not);
            out.push_str(" IN ");
            list(out, items, at);
        }
        Expr::Between(operand, low, high) => {
            part(out, operand, at, COMPARISON);
            out.push_str(not);
            for (word, end) in [(" BETWEEN ", low), (" AND ", high)] {
                out.push_str(word);
                let open = Expr::Literal(Value::Null);
                part(out, end.as_deref().unwrap_or(&open), at, OPERAND);
            }
        }
        Expr::Like { operand, pattern, .. } => {
            part(out, operand, at, COMPARISON);
            out.push_str(not);
            out.push_str(" LIKE ");
            part(out, pattern, at, OPERAND);
        }
        // Definitions have no other tests.
        _ => {}
    }
}

fn case(out: &mut String, branches: &[(Expr, Expr)], otherwise: Option<&Expr>, at: Place<'_>) {
    out.push_str("CASE");
    for (condition, result) in branches {
        out.push_str(" WHEN ");
        write(out, condition, at);
        out.push_str(" THEN ");
        write(out, result, at);
    }
    if let Some(otherwise) = otherwise {
        out.push_str(" ELSE ");
        write(out, otherwise, at);
    }
    out.push_str(" END");
}

/// `json_value(podium, '$."winner"."name"')`
fn json_path(function: &str, out: &mut String, field: &FieldRef, at: Place<'_>) {
    out.push_str(function);
    out.push('(');
    out.push_str(&at.column(field));
    let path: String = field.path.iter().map(|step| format!(".\"{step}\"")).collect();
    out.push_str(&format!(", '${}')", path.replace('\'', "''")));
}

/// `json_value(podium, '$."places"[0]')`
fn json_value_at(out: &mut String, arguments: &[Expr], at: Place<'_>) {
    let [Expr::Field(column), Expr::Literal(Value::Text(steps))] = arguments else { return };
    let steps = JsonStep::decode(steps).unwrap_or_default();
    let path = steps.iter().map(|step| match step {
        JsonStep::Member(name) => format!(".\"{name}\""),
        JsonStep::Element(position) => format!("[{position}]"),
        JsonStep::Size => ".size()".to_owned(),
    });
    let path = path.collect::<String>().replace('\'', "''");
    out.push_str(&format!("json_value({}, '${path}')", at.column(column)));
}

/// `(SELECT sum(r0.points) FROM driver r0 WHERE r0.team_id = team.team_id)`
fn query(out: &mut String, outer: &[Expr], aggregate: &Aggregate, at: Place<'_>) {
    let rows = &aggregate.rows;
    let inner = Place { table: &rows.root().table, aggregates: &[], rows: Some(rows) };
    out.push_str("(SELECT ");
    call(out, aggregate, inner);
    for (number, node) in rows.nodes.iter().enumerate() {
        out.push_str(if number == 0 { " FROM " } else { " JOIN " });
        out.push_str(&super::table_name(&node.table));
        out.push_str(&format!(" r{number}"));
        let Some(link) = &node.link else { continue };
        let pairs = link.child_columns.iter().zip(&link.parent_columns);
        let equal = pairs.map(|(&child, &parent)| {
            let column = |node, column| inner.column(&ColumnRef { node, column }.into());
            format!("{} = {}", column(number, child), column(link.parent, parent))
        });
        out.push_str(" ON ");
        out.push_str(&equal.collect::<Vec<_>>().join(" AND "));
    }
    out.push_str(" WHERE ");
    let own = super::name(names::of_table(at.table));
    let equal = aggregate.columns.iter().zip(outer).map(|(&column, value)| {
        let mut text = format!("{} = {own}.", inner.column(&ColumnRef { node: 0, column }.into()));
        write(&mut text, value, at);
        text
    });
    out.push_str(&equal.collect::<Vec<_>>().join(" AND "));
    if let Some(filter) = &aggregate.filter {
        out.push_str(" AND ");
        part(out, filter, inner, AND);
    }
    out.push(')');
}

/// The function and its operand.
fn call(out: &mut String, aggregate: &Aggregate, inner: Place<'_>) {
    let name = aggregate.function.name();
    let Some(operand) = &aggregate.operand else { return out.push_str("count(*)") };
    if name.is_empty() {
        return write(out, operand, inner);
    }
    if let Some(list) = &aggregate.list {
        return listagg(out, operand, list, inner);
    }
    out.push_str(name);
    out.push_str(if aggregate.distinct { "(DISTINCT " } else { "(" });
    write(out, operand, inner);
    out.push(')');
}

/// `listagg(r0.name, ', ') WITHIN GROUP (ORDER BY r0.points DESC)`
fn listagg(out: &mut String, operand: &Expr, list: &ListOrder, inner: Place<'_>) {
    out.push_str("listagg(");
    write(out, operand, inner);
    out.push_str(&format!(", '{}') WITHIN GROUP (ORDER BY ", list.separator.replace('\'', "''")));
    for (at, term) in list.terms.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write(out, &term.value, inner);
        out.push_str(if term.descending { " DESC" } else { "" });
    }
    out.push(')');
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
        Value::Text(_) | Value::RawText(_) | Value::Bytes(_) => {
            format!("'{}'", value.to_string().replace('\'', "''"))
        }
    }
}
