//! Conditions on keys and references, which are UUIDs.

use duet_model::shape::Field;
use duet_model::{Compare, Expr, Result, Type, Value};

use super::super::condition::Meaning;
use super::super::mask::{self, Piece};
use super::field_search::FieldSearch;
use super::target::{self, negated};

/// The form of a UUID; `x` is a digit.
const FORM: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

/// The expression of a condition on a key or reference.
pub(super) fn expression(search: &FieldSearch<'_>, field: &Field) -> Result<Expr> {
    let value = || field.value.clone();
    let operand = |text: String| Expr::operand(Value::Text(text), &Type::Uuid);
    if search.modifiers.are_given {
        return Err(search.refused(
            "Keys and references take no modifiers.".to_owned(),
            "They are UUIDs, which compare as such.",
        ));
    }
    let differs = search.meaning == Meaning::Differs;
    let (equals, nothing) = match differs {
        true => (Compare::Ne, defined(field)),
        false => (Compare::Eq, Expr::Or(Vec::new())),
    };
    let text = search.literal();
    match search.meaning {
        Meaning::Order(operator) => {
            let Some(uuid) = whole(&text) else {
                let hint = "An order needs a whole UUID.";
                return Err(search.refused("The term is no UUID.".to_owned(), hint));
            };
            return Ok(Expr::compare(operator, value(), operand(uuid)));
        }
        Meaning::Phrase | Meaning::Exact | Meaning::Differs if search.is_sign => {}
        _ => {
            return Err(search.refused(
                "Keys and references have no words.".to_owned(),
                "Their relations are =, ==, <>, <, <=, > and >=.",
            ));
        }
    }
    if text.is_empty() {
        return Ok(match search.meaning {
            // Every document has a key.
            Meaning::Phrase if field.path == duet_model::collection::KEY => Expr::all(),
            Meaning::Phrase => defined(field),
            _ => nothing,
        });
    }
    if !search.masks() {
        return Ok(match whole(&text) {
            Some(uuid) => Expr::compare(equals, value(), operand(uuid)),
            None => nothing,
        });
    }
    let begins = beginning(search)?;
    let Some([low, high]) = ends(&begins) else { return Ok(nothing) };
    let ends = [low, high].map(|end| Some(Box::new(operand(end))));
    let [low, high] = ends;
    let between = Expr::Between(Box::new(value()), low, high);
    Ok(if differs { negated(&search.target, between) } else { between })
}

/// A whole UUID with its hyphens: RMB takes no other form.
fn whole(text: &str) -> Option<String> {
    (text.len() == FORM.len()).then(|| ends(text)).flatten().map(|[low, _]| low)
}

/// The reference exists.
fn defined(field: &Field) -> Expr {
    if field.repeated {
        let [low, high] = ["0", "f"].map(|digit| FORM.replace('x', digit));
        let end = |text| Some(Box::new(Expr::operand(Value::Text(text), &Type::Uuid)));
        return Expr::Between(Box::new(field.value.clone()), end(low), end(high));
    }
    target::defined(field.value.clone())
}

/// The beginning of a UUID before the `*` at the end of the term.
fn beginning(search: &FieldSearch<'_>) -> Result<String> {
    let mut pieces = mask::pieces(&search.term.text);
    while pieces.last() == Some(&Piece::Any) {
        pieces.pop();
    }
    let plain = pieces.iter().map(|piece| match piece {
        Piece::Char(char) => Some(*char),
        _ => None,
    });
    plain.collect::<Option<String>>().ok_or_else(|| {
        search.refused(
            "In keys and references, only a `*` at the end masks characters.".to_owned(),
            "Give the beginning of the UUID.",
        )
    })
}

/// The first and the last UUID with this beginning; `None` where there is none.
fn ends(begins: &str) -> Option<[String; 2]> {
    let fits = |(char, form): (char, char)| match form {
        'x' => char.is_ascii_hexdigit(),
        form => char == form,
    };
    if begins.len() > FORM.len() || !begins.chars().zip(FORM.chars()).all(fits) {
        return None;
    }
    let rest = &FORM[begins.len()..];
    Some(["0", "f"].map(|digit| begins.to_ascii_lowercase() + &rest.replace('x', digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_ranges() {
        let [low, high] = ends("1A").unwrap();
        assert_eq!(low, "1a000000-0000-0000-0000-000000000000");
        assert_eq!(high, "1affffff-ffff-ffff-ffff-ffffffffffff");
        assert!(ends("11111111-").is_some() && ends("").is_some());
        for wrong in ["11111111x", "g", "é", &"1".repeat(37)] {
            assert_eq!(ends(wrong), None, "{wrong}");
        }
    }
}
