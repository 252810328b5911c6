//! By which rules the number of an expression is calculated.

use duet_model::{Arithmetic, Expr, Type, Value};
use duet_text::arithmetic::NumberRules;

use super::expr::Printer;

impl Printer<'_> {
    /// The rules of a number; those of whole numbers for what is none, such as `NULL`.
    pub(crate) fn number_rules(self, expr: &Expr) -> NumberRules {
        match expr {
            Expr::Field(field) if field.path.is_empty() => {
                of_type(self.shape.column_type(field.column_at(self.node)))
            }
            Expr::Extracted(_, ty) | Expr::Operand(_, ty) => of_type(ty),
            Expr::Literal(Value::Float(_)) => NumberRules::Decimal,
            Expr::Arithmetic(Arithmetic::Divide, ..) => NumberRules::Decimal,
            Expr::Arithmetic(Arithmetic::Concat, ..) => NumberRules::Whole,
            Expr::Arithmetic(_, left, right) => self.common_rules([&**left, &**right]),
            Expr::Negate(operand) => self.number_rules(operand),
            Expr::Function("round", arguments) => match &arguments[..] {
                [of] if self.number_rules(of) != NumberRules::Decimal => NumberRules::Float,
                _ => NumberRules::Decimal,
            },
            Expr::Function("number", _) => NumberRules::Decimal,
            Expr::Function("abs" | "coalesce" | "nullif", arguments) => {
                self.common_rules(arguments)
            }
            Expr::Case { branches, otherwise } => {
                let results = branches.iter().map(|(_, result)| result);
                self.common_rules(results.chain(otherwise.as_deref()))
            }
            Expr::Aggregate(..) => {
                let aggregate = self.shape.aggregate(self.node, expr);
                aggregate.map_or(NumberRules::Whole, |aggregate| of_type(&aggregate.ty))
            }
            _ => NumberRules::Whole,
        }
    }

    /// The rules of numbers that are calculated with each other, or of which one is chosen.
    pub(crate) fn common_rules<'e>(
        self,
        operands: impl IntoIterator<Item = &'e Expr>,
    ) -> NumberRules {
        let rules = operands.into_iter().map(|operand| self.number_rules(operand));
        rules.max().unwrap_or(NumberRules::Whole)
    }
}

fn of_type(ty: &Type) -> NumberRules {
    match ty {
        Type::Decimal { .. } => NumberRules::Decimal,
        Type::Float { .. } => NumberRules::Float,
        _ => NumberRules::Whole,
    }
}
