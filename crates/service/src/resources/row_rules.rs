//! The rules of a table that a row can be compared with alone: required values, lengths, simple checks.

use duet_model::catalog::GeneratedValue;
use duet_model::{Code, Column, Error, Relation, Result, RowAction, Shape, Type, Value};
use duet_sql::Dialect;
use duet_text::error::Violation;
use serde_json::{Map, Number};

use super::checks;
use super::violation::{About, named};

/// A new row: its columns, in their order in the table, and their values.
pub(crate) type NewRow = Vec<(usize, Value)>;

/// The rules of a table.
#[derive(Debug)]
pub(crate) struct Rules(Vec<ColumnRules>);

/// The rules of a column.
#[derive(Debug)]
struct ColumnRules {
    /// Whether a row must bring a value, because the database makes none.
    required: bool,
    /// Whether NULL is refused.
    not_null: bool,
    /// How many characters a text may have.
    characters: Option<usize>,
    /// Keywords of JSON Schema that say the same as checks of the table.
    keywords: Map<String, serde_json::Value>,
}

impl Rules {
    /// Those of a table. Where triggers may change a new row first, its values have none.
    pub(crate) fn of(table: &Relation, dialect: &dyn Dialect) -> Self {
        let rules = |column: &Column| {
            if !table.batchable {
                let keywords = Map::new();
                return ColumnRules {
                    required: false,
                    not_null: false,
                    characters: None,
                    keywords,
                };
            }
            let is_generated = column.generated != GeneratedValue::No;
            ColumnRules {
                required: column.not_null && column.default.is_none() && !is_generated,
                not_null: column.not_null && !is_generated,
                characters: dialect.most_characters(&column.declared),
                keywords: checks::keywords(table, column),
            }
        };
        Self(table.columns.iter().map(rules).collect())
    }

    /// Compares a new row with them.
    ///
    /// # Errors
    /// As the database would report the first rule that is broken.
    pub(crate) fn check(&self, shape: &Shape, row: &NewRow) -> Result<()> {
        let table = &shape.root().table;
        let broken = |code, column: usize| {
            let violation = Violation {
                schema: Some(table.schema.clone()),
                table: Some(table.name.clone()),
                columns: vec![table.columns[column].name.clone()],
                ..Violation::default()
            };
            let mut error = Error::new(code, "A value breaks a rule of its table.");
            error.violation = Some(Box::new(violation));
            let set = row.iter().map(|(column, value)| (*column, Some(value))).collect();
            let about = About { node: 0, pointer: "", action: RowAction::Insert, set };
            Err(named(error, shape, Some(&about)))
        };
        for (at, rules) in self.0.iter().enumerate() {
            let value = row.iter().find(|(column, _)| *column == at).map(|(_, value)| value);
            match value {
                None if rules.required => return broken(Code::NotNullViolation, at),
                Some(Value::Null) if rules.not_null => return broken(Code::NotNullViolation, at),
                None | Some(Value::Null) => {}
                Some(value) => {
                    if rules.is_too_long(value) {
                        return broken(Code::ValueOutOfRange, at);
                    }
                    if rules.breaks_check(value, &table.columns[at].ty) {
                        return broken(Code::CheckViolation, at);
                    }
                }
            }
        }
        Ok(())
    }
}

impl ColumnRules {
    /// Spaces at the end do not count: PostgreSQL cuts them off.
    fn is_too_long(&self, value: &Value) -> bool {
        let (Some(most), Value::Text(text)) = (self.characters, value) else { return false };
        text.len() > most && text.trim_end_matches(' ').chars().count() > most
    }

    /// Whether a value certainly breaks a check; in doubt the database decides.
    fn breaks_check(&self, value: &Value, ty: &Type) -> bool {
        self.keywords.iter().any(|(name, bound)| match (ty, value) {
            (Type::Text, Value::Text(text)) => breaks_text(text, name, bound),
            (_, Value::Int(value)) => breaks_number(*value as f64, name, bound),
            (_, Value::Float(value)) => breaks_number(*value, name, bound),
            (Type::Decimal { .. }, Value::Text(text)) => {
                text.parse().is_ok_and(|value| breaks_number(value, name, bound))
            }
            _ => false,
        })
    }
}

fn breaks_text(text: &str, name: &str, bound: &serde_json::Value) -> bool {
    let length = || text.chars().count() as u64;
    match name {
        "minLength" => bound.as_u64().is_some_and(|least| length() < least),
        "maxLength" => bound.as_u64().is_some_and(|most| length() > most),
        // Texts of a fixed length may be compared without the spaces at their end.
        "enum" => bound.as_array().is_some_and(|all| {
            let is_it = |one: &serde_json::Value| {
                one.as_str().is_some_and(|one| one.trim_end() == text.trim_end())
            };
            !all.iter().any(is_it)
        }),
        _ => false,
    }
}

fn breaks_number(value: f64, name: &str, bound: &serde_json::Value) -> bool {
    // Decimals have more digits than this: near the bound the database decides.
    let near = |bound: f64| (value - bound).abs() <= 1e-9 * bound.abs().max(1.0);
    let beyond = |is_beyond: fn(f64, f64) -> bool| {
        let bound = bound.as_number().and_then(Number::as_f64);
        bound.is_some_and(|bound| is_beyond(value, bound) && !near(bound))
    };
    match name {
        "minimum" => beyond(|value, bound| value < bound),
        "exclusiveMinimum" => beyond(|value, bound| value < bound) || is_equal(value, bound),
        "maximum" => beyond(|value, bound| value > bound),
        "exclusiveMaximum" => beyond(|value, bound| value > bound) || is_equal(value, bound),
        "enum" => bound.as_array().is_some_and(|all| {
            let each = all.iter().filter_map(serde_json::Value::as_f64);
            all.iter().all(serde_json::Value::is_number) && !each.into_iter().any(near)
        }),
        _ => false,
    }
}

/// Whether a whole number is the bound itself.
fn is_equal(value: f64, bound: &serde_json::Value) -> bool {
    let small = value.fract() == 0.0 && value.abs() < 1e15;
    small && bound.as_i64().is_some_and(|bound| bound as f64 == value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_certain_violations_count() {
        for (value, name, bound, breaks) in [
            (1.0, "minimum", json!(1), false),
            (0.9, "minimum", json!(1), true),
            (0.999_999_999_999, "minimum", json!(1), false),
            (1.0, "exclusiveMinimum", json!(1), true),
            (1.1, "exclusiveMinimum", json!(1), false),
            (5.0, "maximum", json!(4), true),
            (4.0, "exclusiveMaximum", json!(4), true),
            (3.0, "enum", json!([1, 3]), false),
            (2.0, "enum", json!([1, 3]), true),
            (2.0, "enum", json!([1, "x"]), false),
            (2.0, "pattern", json!("x"), false),
        ] {
            assert_eq!(breaks_number(value, name, &bound), breaks, "{value} {name} {bound}");
        }
        for (text, name, bound, breaks) in [
            ("ab", "maxLength", json!(2), false),
            ("äöü", "maxLength", json!(2), true),
            ("", "minLength", json!(1), true),
            ("new ", "enum", json!(["new"]), false),
            ("old", "enum", json!(["new"]), true),
            ("old", "pattern", json!("new"), false),
        ] {
            assert_eq!(breaks_text(text, name, &bound), breaks, "{text} {name} {bound}");
        }
    }
}
