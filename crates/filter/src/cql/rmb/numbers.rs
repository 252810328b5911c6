//! Comparisons with `/number`: of numbers, and of texts that are numbers.

use duet_model::{Code, Compare, Expr, Result, Type, Value};
use duet_text::decimal::Decimal;
use duet_text::json::{Json, JsonKind};
use duet_text::problem::{fault, quoted};

use super::super::condition::Meaning;
use super::field_search::FieldSearch;
use crate::json::is_number;
use crate::predicate;

/// The comparison of a value with a number.
pub(super) fn expression(search: &FieldSearch<'_>) -> Result<Expr> {
    let operator = match search.meaning {
        Meaning::Order(operator) => operator,
        Meaning::Differs => Compare::Ne,
        _ => Compare::Eq,
    };
    let text = search.literal();
    let number = Decimal::parse(&text).filter(|_| is_number(&text));
    let Some(number) = number else {
        let message = format!("`/number` compares with a number, which {} is not.", quoted(&text));
        return Err(fault(Code::FilterOperand, search.term.at.0, message));
    };
    if let Some(field) = search.target.typed(Type::is_number) {
        let term = Json { at: search.term.at.0, kind: JsonKind::Text(text.as_str().into()) };
        return predicate::compare(field, operator, &term);
    }
    let value = Expr::Function("number", vec![search.target.text.clone()]);
    let ty = Type::Decimal { scale: None };
    Ok(Expr::compare(operator, value, Expr::operand(Value::Text(number.to_string()), &ty)))
}
