//! Conditions on values inside JSON columns, as `q` has them: values compare with values of their JSON
//! type, strings by code point.
//!
//! A term does not say whether it is a string or a number; unless a modifier does, it is compared as each
//! that it can be.

use duet_model::{Compare, Expr, JsonScalar, JsonTest, Result};
use duet_text::decimal::Decimal;

use super::condition::{Condition, Meaning};
use super::mask;
use super::modifiers::{ComparedAs, Masking};

/// The expression of a condition on a value inside JSON.
pub(super) fn expression(condition: &Condition<'_>) -> Result<Expr> {
    match condition.meaning {
        Meaning::Exact => whole(condition),
        Meaning::Differs => {
            let found = whole(condition)?;
            Ok(Expr::And(vec![test(condition, JsonTest::NotNull), found.negated()]))
        }
        Meaning::Order(operator) => order(condition, operator),
        Meaning::Within => within(condition),
        Meaning::Any => {
            let values = condition.values()?;
            let scalars = values.iter().map(|value| scalars(condition, value));
            let scalars: Vec<_> = scalars.collect::<Result<_>>()?;
            Ok(test(condition, JsonTest::In(scalars.concat())))
        }
        Meaning::All => {
            let values = condition.values()?;
            let each = values.iter().map(|value| equal(condition, value));
            Ok(Expr::And(each.collect::<Result<_>>()?))
        }
        Meaning::Phrase => Err(condition
            .unsupported("has no words that could be looked for")
            .hint("Compare the whole value with `==`; `*` masks a part of it.")),
        Meaning::Encloses => {
            Err(condition.unsupported("holds no ranges that could enclose a value"))
        }
    }
}

fn test(condition: &Condition<'_>, test: JsonTest) -> Expr {
    let field = condition.field.json();
    field.map_or_else(Expr::all, |field| Expr::Json(field.clone(), test))
}

/// The value, or a pattern or part of it.
fn whole(condition: &Condition<'_>) -> Result<Expr> {
    let term = &condition.term.text;
    let made = match condition.modifiers.masking {
        Masking::Masked if mask::is_masked(term) => JsonTest::Like(mask::pattern(term, None)),
        Masking::Masked | Masking::Unmasked => return equal(condition, &condition.literal()),
        Masking::Substring => JsonTest::Contains(condition.literal()),
        Masking::Regexp => {
            let pattern = term.replace("\\\\", "\\");
            JsonTest::Regex(condition.limits.check_regex(&pattern, condition.term.at.0)?)
        }
    };
    Ok(test(condition, made))
}

fn equal(condition: &Condition<'_>, text: &str) -> Result<Expr> {
    let mut scalars = scalars(condition, text)?;
    let made = match scalars.len() {
        1 => JsonTest::Compare(Compare::Eq, scalars.remove(0)),
        _ => JsonTest::In(scalars),
    };
    Ok(test(condition, made))
}

/// What a term can be inside JSON.
fn scalars(condition: &Condition<'_>, text: &str) -> Result<Vec<JsonScalar>> {
    let kind = condition.modifiers.kind;
    let string = JsonScalar::Text(text.to_owned());
    let number = is_json_number(text).then(|| JsonScalar::Number(text.to_owned()));
    let boolean = match text {
        "true" => Some(JsonScalar::Bool(true)),
        "false" => Some(JsonScalar::Bool(false)),
        _ => None,
    };
    match (kind, number) {
        (Some(ComparedAs::Number), Some(number)) => Ok(vec![number]),
        (Some(ComparedAs::Number), None) => Err(condition.misfit("is compared with a number")),
        (Some(_), _) => Ok(vec![string]),
        (None, number) => Ok([string].into_iter().chain(number).chain(boolean).collect()),
    }
}

/// Whether a text is a number as JSON writes it.
fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let whole = unsigned.split(['.', 'e', 'E']).next().unwrap_or("");
    let begins_well = whole == "0" || whole.starts_with(|c: char| matches!(c, '1'..='9'));
    let fraction = unsigned.split(['e', 'E']).next().unwrap_or("").split_once('.');
    let has_digits = fraction.is_none_or(|(_, digits)| !digits.is_empty());
    begins_well && has_digits && Decimal::parse(text).is_some()
}

/// The comparisons that a term can be, without those with booleans, which have no order.
fn any_of(
    condition: &Condition<'_>,
    texts: &[&str],
    make: &dyn Fn(Vec<JsonScalar>) -> JsonTest,
) -> Result<Expr> {
    let kinds: Vec<Vec<JsonScalar>> =
        texts.iter().map(|text| scalars(condition, text)).collect::<Result<_>>()?;
    let of_kind = |is_it: fn(&JsonScalar) -> bool| {
        let found = kinds.iter().map(|scalars| scalars.iter().find(|it| is_it(it)).cloned());
        found.collect::<Option<Vec<_>>>()
    };
    let strings = of_kind(|scalar| matches!(scalar, JsonScalar::Text(_)));
    let numbers = of_kind(|scalar| matches!(scalar, JsonScalar::Number(_)));
    let tests = [strings, numbers].into_iter().flatten();
    let mut tests: Vec<_> = tests.map(|scalars| test(condition, make(scalars))).collect();
    Ok(if tests.len() == 1 { tests.remove(0) } else { Expr::Or(tests) })
}

fn order(condition: &Condition<'_>, operator: Compare) -> Result<Expr> {
    any_of(condition, &[&condition.literal()], &|mut scalars| {
        JsonTest::Compare(operator, scalars.remove(0))
    })
}

fn within(condition: &Condition<'_>) -> Result<Expr> {
    let [low, high] = condition.bounds()?;
    any_of(condition, &[&low, &high], &|mut scalars| {
        let low = scalars.remove(0);
        JsonTest::Between(Some(low), scalars.pop())
    })
}
