//! Row filters and generated members of view definitions, printed again as SQL.

use duet_model::{BinaryOp, Column, NodeId, RowExpr, Shape, Type, Value};

use crate::Writer;

/// Prints an expression over a row of `node`, in parentheses where it has parts.
pub(crate) fn write(writer: &mut Writer<'_>, shape: &Shape, node: NodeId, expr: &RowExpr) {
    Printer { shape, node }.any(writer, expr);
}

/// Prints a generated member as it is selected: decimals in a form that both stores give.
pub(crate) fn select(
    writer: &mut Writer<'_>,
    shape: &Shape,
    node: NodeId,
    expr: &RowExpr,
    ty: &Type,
) {
    let (generated, selected) = (writer.dialect.generated(ty), writer.dialect.selected(ty));
    writer.text(selected.0);
    writer.text(generated.0);
    write(writer, shape, node, expr);
    writer.text(generated.1);
    writer.text(selected.1);
}

struct Printer<'a> {
    shape: &'a Shape,
    node: NodeId,
}

impl<'a> Printer<'a> {
    fn any(&self, writer: &mut Writer<'_>, expr: &RowExpr) {
        match expr {
            RowExpr::Column(column) => writer.column(self.node, &self.column(*column).name),
            RowExpr::Literal(value) => literal(writer, value, None),
            RowExpr::Binary(op, left, right) => self.binary(writer, *op, left, right),
            RowExpr::Not(operand) | RowExpr::Negate(operand) => {
                writer.text(if matches!(expr, RowExpr::Not(_)) { "(NOT " } else { "(- " });
                self.any(writer, operand);
                writer.text(")");
            }
            RowExpr::IsNull { operand, negated } => {
                writer.text("(");
                self.any(writer, operand);
                writer.text(if *negated { " IS NOT NULL)" } else { " IS NULL)" });
            }
            RowExpr::In { operand, list, negated } => {
                let lead = self.lead(std::iter::once(&**operand).chain(list));
                writer.text("(");
                self.compared(writer, operand, lead);
                writer.text(if *negated { " NOT IN (" } else { " IN (" });
                writer.list(list, ", ", |writer, item| self.compared(writer, item, lead));
                writer.text("))");
            }
            RowExpr::Between { operand, low, high, negated } => {
                let lead = self.lead([&**operand, &**low, &**high]);
                writer.text("(");
                self.compared(writer, operand, lead);
                writer.text(if *negated { " NOT BETWEEN " } else { " BETWEEN " });
                self.compared(writer, low, lead);
                writer.text(" AND ");
                self.compared(writer, high, lead);
                writer.text(")");
            }
            RowExpr::Like { operand, pattern, negated } => {
                let [before, between, after] = writer.dialect.like(false);
                writer.text(if *negated { "(NOT (" } else { "((" });
                writer.text(before);
                self.any(writer, operand);
                writer.text(between);
                self.any(writer, pattern);
                writer.text(after);
                writer.text("))");
            }
            RowExpr::Function(name, arguments) => self.function(writer, name, arguments),
            RowExpr::Case { branches, otherwise } => self.case(writer, branches, otherwise),
        }
    }

    fn column(&self, column: usize) -> &'a Column {
        &self.shape.nodes[self.node].table.columns[column]
    }

    /// The column whose type the literals beside it have; where dates meet timestamps, a
    /// timestamp.
    fn lead<'e>(&self, operands: impl IntoIterator<Item = &'e RowExpr>) -> Option<&'a Column> {
        let has_time = |ty: &Type| matches!(ty, Type::Timestamp | Type::TimestampTz);
        let columns = operands.into_iter().filter_map(|operand| self.source(operand));
        columns.reduce(
            |lead, next| {
                if has_time(&next.ty) && !has_time(&lead.ty) { next } else { lead }
            },
        )
    }

    /// The column that an expression takes its value from, unchanged.
    fn source(&self, expr: &RowExpr) -> Option<&'a Column> {
        match expr {
            RowExpr::Column(column) => Some(self.column(*column)),
            RowExpr::Function("coalesce" | "nullif", arguments) => self.lead(arguments),
            RowExpr::Case { branches, otherwise } => {
                self.lead(branches.iter().map(|(_, result)| result).chain(otherwise.as_deref()))
            }
            _ => None,
        }
    }

    /// An operand of a comparison, in the form in which the lead's type compares.
    fn compared(&self, writer: &mut Writer<'_>, expr: &RowExpr, lead: Option<&Column>) {
        match (expr, lead) {
            (RowExpr::Literal(value), lead) => literal(writer, value, lead),
            (_, Some(lead)) if self.source(expr).is_some() => {
                let (before, after) = writer.dialect.comparable(&lead.ty);
                writer.text(before);
                self.any(writer, expr);
                writer.text(after);
            }
            _ => self.any(writer, expr),
        }
    }

    fn binary(&self, writer: &mut Writer<'_>, op: BinaryOp, left: &RowExpr, right: &RowExpr) {
        let [before, between, after] = match op {
            BinaryOp::Divide => writer.dialect.divide(),
            _ => ["(", operator(op), ")"],
        };
        let lead = if is_comparison(op) { self.lead([left, right]) } else { None };
        writer.text(before);
        self.compared(writer, left, lead);
        writer.text(between);
        self.compared(writer, right, lead);
        writer.text(after);
    }

    fn function(&self, writer: &mut Writer<'_>, name: &'static str, arguments: &[RowExpr]) {
        // The values that one of these chooses from have one type.
        let chooses = matches!(name, "coalesce" | "nullif");
        let lead = if chooses { self.lead(arguments) } else { None };
        writer.text(name);
        writer.text("(");
        writer.list(arguments, ", ", |writer, argument| self.chosen(writer, argument, lead));
        writer.text(")");
    }

    fn case(
        &self,
        writer: &mut Writer<'_>,
        branches: &[(RowExpr, RowExpr)],
        otherwise: &Option<Box<RowExpr>>,
    ) {
        let results = branches.iter().map(|(_, result)| result);
        let lead = self.lead(results.chain(otherwise.as_deref()));
        writer.text("(CASE");
        for (condition, result) in branches {
            writer.text(" WHEN ");
            self.any(writer, condition);
            writer.text(" THEN ");
            self.chosen(writer, result, lead);
        }
        if let Some(otherwise) = otherwise {
            writer.text(" ELSE ");
            self.chosen(writer, otherwise, lead);
        }
        writer.text(" END)");
    }

    /// A value that stands beside others of its type, as itself.
    fn chosen(&self, writer: &mut Writer<'_>, expr: &RowExpr, lead: Option<&Column>) {
        match (expr, lead) {
            (RowExpr::Literal(Value::Text(text)), Some(lead)) => {
                writer.bind(Value::Text(text.clone()), &lead.ty, &lead.declared);
            }
            _ => self.any(writer, expr),
        }
    }
}

/// A literal of a definition. Numbers are printed, because their type follows from their digits;
/// text is bound, so that no quoting rule of an engine matters.
fn literal(writer: &mut Writer<'_>, value: &Value, lead: Option<&Column>) {
    let text = Type::Text;
    let (ty, declared) = lead.map_or((&text, "text"), |lead| (&lead.ty, lead.declared.as_str()));
    match value {
        Value::Null => writer.text("NULL"),
        Value::Bool(value) => {
            let truth = writer.dialect.truth(*value);
            writer.text(truth);
        }
        Value::Int(value) => writer.int(*value),
        Value::Float(value) => writer.float(*value),
        Value::Text(_) | Value::Bytes(_) => {
            let form = writer.dialect.comparable(ty);
            writer.bind_in(form, value.clone(), ty, declared);
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Gt, Gte, Lt, Lte, Ne};
    matches!(op, Eq | Ne | Lt | Lte | Gt | Gte)
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
