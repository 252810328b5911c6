//! `/isoDate` on texts of documents: dates and times compare as moments, to the nanosecond, whatever their form and offset. A text that
//! is none of them satisfies no condition; one without an offset is in UTC.

use duet_model::{Code, Compare, Expr, Result, Type, Value};
use duet_text::problem::{fault, quoted};
use duet_text::time::moment;

use super::condition::{Condition, Meaning};

/// The expression of a condition on a text that is a date, or a date and time.
pub(super) fn expression(condition: &Condition<'_>) -> Result<Expr> {
    let value = || moment(condition.field.value.clone());
    match condition.meaning {
        Meaning::Order(operator) => {
            Ok(Expr::compare(operator, value(), operand(condition, &condition.literal())?))
        }
        Meaning::Differs => {
            Ok(Expr::compare(Compare::Ne, value(), operand(condition, &condition.literal())?))
        }
        Meaning::Within => {
            let [low, high] = condition.bounds()?;
            let end = |text: &str| operand(condition, text).map(|end| Some(Box::new(end)));
            Ok(Expr::Between(Box::new(value()), end(&low)?, end(&high)?))
        }
        Meaning::Any | Meaning::All => {
            let each = condition.values()?;
            let each = each.iter().map(|text| equal(condition, value(), text));
            let each = each.collect::<Result<_>>()?;
            Ok(if condition.meaning == Meaning::Any { Expr::Or(each) } else { Expr::And(each) })
        }
        Meaning::Exact | Meaning::Phrase => equal(condition, value(), &condition.literal()),
        Meaning::Encloses => {
            Err(condition.unsupported("holds no ranges that could enclose a value"))
        }
    }
}

fn equal(condition: &Condition<'_>, value: Expr, text: &str) -> Result<Expr> {
    Ok(Expr::compare(Compare::Eq, value, operand(condition, text)?))
}

fn moment(text: Expr) -> Expr {
    Expr::Function("moment", vec![text])
}

fn operand(condition: &Condition<'_>, text: &str) -> Result<Expr> {
    if moment::instant_key(text).is_none() {
        let message =
            format!("{} is no date, or date and time, such as 2022-03-20T00:00:00Z.", quoted(text));
        return Err(fault(Code::FilterOperand, condition.term.at.0, message));
    }
    Ok(moment(Expr::operand(Value::Text(text.to_owned()), &Type::Text)))
}
