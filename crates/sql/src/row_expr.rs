//! Row filters and generated members of view definitions, printed again as SQL.

use duet_model::{BinaryOp, NodeId, RowExpr, Shape, Type, Value};

use crate::Writer;

/// Prints an expression over a row of `node`, in parentheses.
pub(crate) fn write(writer: &mut Writer<'_>, shape: &Shape, node: NodeId, expr: &RowExpr) {
    let inner = |writer: &mut Writer<'_>, expr: &RowExpr| write(writer, shape, node, expr);
    match expr {
        RowExpr::Column(column) => {
            writer.column(node, &shape.nodes[node].table.columns[*column].name);
        }
        RowExpr::Literal(value) => literal(writer, value),
        RowExpr::Binary(op, left, right) => {
            writer.text("(");
            inner(writer, left);
            if *op == BinaryOp::Divide {
                let divisible = writer.dialect.divisible();
                writer.text(divisible);
            }
            writer.text(operator(*op));
            inner(writer, right);
            writer.text(")");
        }
        RowExpr::Not(operand) | RowExpr::Negate(operand) => {
            writer.text(if matches!(expr, RowExpr::Not(_)) { "(NOT " } else { "(- " });
            inner(writer, operand);
            writer.text(")");
        }
        RowExpr::IsNull { operand, negated } => {
            writer.text("(");
            inner(writer, operand);
            writer.text(if *negated { " IS NOT NULL)" } else { " IS NULL)" });
        }
        RowExpr::In { operand, list, negated } => {
            writer.text("(");
            inner(writer, operand);
            writer.text(if *negated { " NOT IN (" } else { " IN (" });
            writer.list(list, ", ", |writer, item| inner(writer, item));
            writer.text("))");
        }
        RowExpr::Between { operand, low, high, negated } => {
            writer.text("(");
            inner(writer, operand);
            let between = if *negated { " NOT BETWEEN " } else { " BETWEEN " };
            pair(writer, [between, " AND "], [low, high], inner);
            writer.text(")");
        }
        RowExpr::Like { operand, pattern, negated } => {
            writer.text(if *negated { "(NOT (" } else { "((" });
            let [before, between, after] = writer.dialect.like(false);
            writer.text(before);
            inner(writer, operand);
            writer.text(between);
            inner(writer, pattern);
            writer.text(after);
            writer.text("))");
        }
        RowExpr::Function(name, arguments) => {
            writer.text(name);
            writer.text("(");
            writer.list(arguments, ", ", |writer, item| inner(writer, item));
            writer.text(")");
        }
        RowExpr::Case { branches, otherwise } => {
            writer.text("(CASE");
            for (condition, result) in branches {
                pair(writer, [" WHEN ", " THEN "], [condition, result], inner);
            }
            if let Some(otherwise) = otherwise {
                writer.text(" ELSE ");
                inner(writer, otherwise);
            }
            writer.text(" END)");
        }
    }
}

/// Two operands, each behind its keyword.
fn pair(
    writer: &mut Writer<'_>,
    keywords: [&'static str; 2],
    operands: [&RowExpr; 2],
    inner: impl Fn(&mut Writer<'_>, &RowExpr),
) {
    for (keyword, operand) in keywords.into_iter().zip(operands) {
        writer.text(keyword);
        inner(writer, operand);
    }
}

/// A literal of a definition: text is bound, so that no quoting rule of an engine matters.
fn literal(writer: &mut Writer<'_>, value: &Value) {
    match value {
        Value::Null => writer.text("NULL"),
        Value::Bool(value) => {
            let truth = writer.dialect.truth(*value);
            writer.text(truth);
        }
        Value::Int(_) => writer.bind(value.clone(), &Type::Integer { bits: 64 }, "int8"),
        Value::Float(_) => writer.bind(value.clone(), &Type::Float { bits: 64 }, "float8"),
        Value::Text(_) => writer.bind(value.clone(), &Type::Text, "text"),
        Value::Bytes(_) => writer.bind(value.clone(), &Type::Binary, "bytea"),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => " = ",
        BinaryOp::Ne => " <> ",
        BinaryOp::Lt => " < ",
        BinaryOp::Lte => " <= ",
        BinaryOp::Gt => " > ",
        BinaryOp::Gte => " >= ",
        BinaryOp::And => " AND ",
        BinaryOp::Or => " OR ",
        BinaryOp::Add => " + ",
        BinaryOp::Subtract => " - ",
        BinaryOp::Multiply => " * ",
        BinaryOp::Divide => " / ",
        BinaryOp::Concat => " || ",
    }
}
