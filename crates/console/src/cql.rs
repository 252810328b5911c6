//! The filter of a grid as CQL: the same rows by the parameter `query`.

use serde_json::{Map, Value};

/// What a column's values are, as CQL compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts, for which CQL ignores case and accents unless a modifier says otherwise.
    Text,
    /// Other values with an order: numbers, dates.
    Plain,
    /// What CQL does not compare in the same way.
    Other,
}

/// Modifiers by which texts are compared as `q` compares them.
const EXACT: &str = "/respectCase/respectAccents";

/// Comparisons of the form: the operator of `q`, the relation, and the modifiers for texts.
const RELATIONS: [(&str, &str, &str); 8] = [
    ("$eq", "==", EXACT),
    ("$ne", "<>", EXACT),
    ("$lt", "<", ""),
    ("$lte", "<=", ""),
    ("$gt", ">", ""),
    ("$gte", ">=", ""),
    ("$instr", "==/substring", EXACT),
    ("$startsWith", "==", EXACT),
];

/// Words of CQL, which names may be.
const WORDS: [&str; 5] = ["and", "or", "not", "prox", "sortby"];

/// The conditions of a filter, those that hold and those whose opposite does.
#[derive(Default)]
struct Conditions {
    positive: Vec<String>,
    negative: Vec<String>,
}

/// A filter in CQL.
pub(crate) fn written(
    filter: &Map<String, Value>,
    kind_of: &dyn Fn(&str) -> ColumnKind,
) -> Option<String> {
    let mut conditions = Conditions::default();
    for (name, test) in filter.iter().filter(|(name, _)| *name != "$orderby") {
        // A name that is an operator too has a dollar in front.
        let column = match name.strip_prefix("$$") {
            Some(rest) => format!("${rest}"),
            None if name.starts_with('$') => return None,
            None => name.clone(),
        };
        conditions.add(&column, test, kind_of(&column))?;
    }
    let order = match filter.get("$orderby") {
        None => String::new(),
        Some(order) => sorted(order)?,
    };
    if conditions.positive.is_empty() {
        if conditions.negative.is_empty() && order.is_empty() {
            return Some(String::new());
        }
        conditions.positive.push("cql.allRecords=1".to_owned());
    }
    let mut text = conditions.positive.join(" and ");
    conditions.negative.iter().for_each(|it| text.push_str(&format!(" not {it}")));
    Some(text + &order)
}

impl Conditions {
    fn add(&mut self, column: &str, test: &Value, kind: ColumnKind) -> Option<()> {
        match test {
            Value::Array(tests) => tests.iter().try_for_each(|it| self.add(column, it, kind)),
            Value::Object(operators) => {
                operators.iter().try_for_each(|(it, operand)| self.one(column, it, operand, kind))
            }
            plain => self.one(column, "$eq", plain, kind),
        }
    }

    fn one(
        &mut self,
        column: &str,
        operator: &str,
        operand: &Value,
        kind: ColumnKind,
    ) -> Option<()> {
        let name = named(column)?;
        if kind == ColumnKind::Other {
            return None;
        }
        match (operator, operand) {
            ("$null", Value::Null) => self.negative.push(format!("{name} = \"\"")),
            ("$notnull", Value::Null) => self.positive.push(format!("{name} = \"\"")),
            _ => {
                let (_, relation, exact) = RELATIONS.iter().find(|(it, ..)| *it == operator)?;
                let of_texts = matches!(operator, "$instr" | "$startsWith");
                if of_texts && kind != ColumnKind::Text {
                    return None;
                }
                let modifiers = if kind == ColumnKind::Text { exact } else { "" };
                let rest = if operator == "$startsWith" { "*" } else { "" };
                let term = term(operand, rest)?;
                self.positive.push(format!("{name} {relation}{modifiers} {term}"));
            }
        }
        Some(())
    }
}

/// A value as a term in which nothing is masked but `rest`.
fn term(operand: &Value, rest: &str) -> Option<String> {
    let text = match operand {
        Value::Number(number) => return Some(number.to_string()),
        Value::String(text) => text,
        _ => return None,
    };
    let mut term = String::with_capacity(text.len() + 2);
    for sign in text.chars() {
        if matches!(sign, '\\' | '*' | '?' | '^' | '"') {
            term.push('\\');
        }
        term.push(sign);
    }
    Some(format!("\"{term}{rest}\""))
}

/// A column's name; `None` where a dot in it would be a path.
fn named(name: &str) -> Option<String> {
    if name.contains(['.', '"', '\\']) {
        return None;
    }
    let is_plain = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
    Some(if is_plain && !is_word { name.to_owned() } else { format!("\"{name}\"") })
}

/// The order, as it follows the conditions.
fn sorted(order: &Value) -> Option<String> {
    let keys = order.as_object()?.iter().map(|(name, direction)| {
        let descends = match direction {
            Value::String(word) if word.eq_ignore_ascii_case("desc") => true,
            Value::String(word) if word.eq_ignore_ascii_case("asc") => false,
            other => match other.as_i64()? {
                -1 => true,
                1 => false,
                _ => return None,
            },
        };
        Some(format!("{}{}", named(name)?, if descends { "/descending" } else { "" }))
    });
    let keys: Option<Vec<String>> = keys.collect();
    keys.filter(|keys| !keys.is_empty()).map(|keys| format!(" sortBy {}", keys.join(" ")))
}

#[cfg(test)]
mod tests {
    use crate::filter::Filter;

    use super::*;

    #[test]
    fn a_form_is_written_as_cql() {
        let kind_of = |name: &str| match name {
            "points" => ColumnKind::Plain,
            "data" => ColumnKind::Other,
            _ => ColumnKind::Text,
        };
        for (q, expected) in [
            ("{}", Some("")),
            (r#"{"points":{"$gte":20}}"#, Some("points >= 20")),
            (r#"{"name":"a*\\"}"#, Some(r#"name ==/respectCase/respectAccents "a\*\\""#)),
            (
                r#"{"name":{"$startsWith":"a\"b?"}}"#,
                Some(r#"name ==/respectCase/respectAccents "a\"b\?*""#),
            ),
            (r#"{"nick":{"$null":null}}"#, Some(r#"cql.allRecords=1 not nick = """#)),
            (
                r#"{"nick":[{"$null":null},{"$ne":"x"}],"points":5}"#,
                Some(r#"nick <>/respectCase/respectAccents "x" and points == 5 not nick = """#),
            ),
            (
                r#"{"$orderby":{"points":"DESC","or":1}}"#,
                Some(r#"cql.allRecords=1 sortBy points/descending "or""#),
            ),
            (r#"{"$or":[{"points":1}]}"#, None),
            (r#"{"data":1}"#, None),
            (r#"{"points":{"$startsWith":"1"}}"#, None),
            (r#"{"a.b":1}"#, None),
        ] {
            let filter = Filter::of(q).unwrap();
            assert_eq!(filter.cql(&kind_of).as_deref(), expected, "{q}");
        }
    }
}
