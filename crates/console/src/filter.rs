//! The filter of a grid: what the form and the headers of columns make of the `q` in the address.

use serde_json::{Map, Value, json};

use crate::cql;
pub use crate::cql::ColumnKind;

/// The comparisons of the form: what people read, the operator, and whether it takes a value.
pub const OPERATORS: [(&str, &str, bool); 10] = [
    ("is", "$eq", true),
    ("is not", "$ne", true),
    ("is less than", "$lt", true),
    ("is at most", "$lte", true),
    ("is greater than", "$gt", true),
    ("is at least", "$gte", true),
    ("contains", "$instr", true),
    ("begins with", "$startsWith", true),
    ("is NULL", "$null", false),
    ("is not NULL", "$notnull", false),
];

/// How a column is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the least.
    Ascending,
    /// From the greatest.
    Descending,
}

/// A filter as the address has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter(Map<String, Value>);

impl Filter {
    /// Reads `q`; what is no object is `None`: the API says what is wrong with it.
    pub fn of(q: &str) -> Option<Self> {
        if q.is_empty() {
            return Some(Self::default());
        }
        serde_json::from_str(q).ok().map(Self)
    }

    /// The same with one more condition. `number` says whether values of the column are numbers: then a text that is one
    /// is sent as one.
    ///
    /// ```
    /// use duet_console::filter::Filter;
    /// let filter = Filter::of(r#"{"name":"a"}"#).unwrap();
    /// assert_eq!(filter.with("points", "$gt", "3", true).q(), r#"{"name":"a","points":{"$gt":3}}"#);
    /// ```
    pub fn with(mut self, column: &str, operator: &str, value: &str, number: bool) -> Self {
        let takes = OPERATORS.iter().find(|(_, name, _)| *name == operator);
        let Some((_, operator, takes)) = takes else { return self };
        let operand = match (takes, number.then(|| serde_json::from_str(value).ok()).flatten()) {
            (false, _) => Value::Null,
            (true, Some(Value::Number(number))) => Value::Number(number),
            (true, _) => value.into(),
        };
        let test = json!({ *operator: operand });
        // A name that is an operator too is quoted in `q` by a dollar in front.
        let column = if column.starts_with('$') { format!("${column}") } else { column.to_owned() };
        let both = match self.0.remove(&column) {
            None => test,
            Some(Value::Array(mut tests)) => {
                tests.push(test);
                Value::Array(tests)
            }
            Some(before @ Value::Object(_)) => json!([before, test]),
            Some(equal) => json!([{ "$eq": equal }, test]),
        };
        self.0.insert(column, both);
        self
    }

    /// How a column is ordered, if it is the one that comes first.
    pub fn order_of(&self, column: &str) -> Option<Order> {
        let (first, direction) = self.0.get("$orderby")?.as_object()?.iter().next()?;
        let descends = match direction {
            Value::String(word) => word.eq_ignore_ascii_case("desc"),
            other => other.as_i64() == Some(-1),
        };
        let order = if descends { Order::Descending } else { Order::Ascending };
        (first == column).then_some(order)
    }

    /// The same, ordered by one column; as the database likes where there is none.
    pub fn ordered(mut self, by: Option<(&str, Order)>) -> Self {
        self.0.remove("$orderby");
        if let Some((column, order)) = by {
            let direction = if order == Order::Ascending { "ASC" } else { "DESC" };
            self.0.insert("$orderby".to_owned(), json!({ column: direction }));
        }
        self
    }

    /// The conditions one by one, as people read them, each with the filter that remains without it.
    pub fn terms(&self) -> Vec<(String, Self)> {
        let conditions = self.0.iter().filter(|(name, _)| *name != "$orderby");
        let without = |name: &String| {
            let mut left = self.0.clone();
            left.remove(name);
            Self(left)
        };
        conditions.map(|(name, test)| (said(name, test), without(name))).collect()
    }

    /// The same in CQL, for the parameter `query`; `None` where the form could not have made it. `kind_of` gives the kind of a
    /// column.
    pub fn cql(&self, kind_of: &dyn Fn(&str) -> ColumnKind) -> Option<String> {
        cql::written(&self.0, kind_of)
    }

    /// The text of `q`; empty without any condition or order.
    pub fn q(&self) -> String {
        if self.0.is_empty() { String::new() } else { Value::Object(self.0.clone()).to_string() }
    }
}

/// A condition in words; the expression itself where the form could not have made it.
fn said(name: &str, test: &Value) -> String {
    let of_form = |test: &Value| {
        let (operator, operand) = test.as_object().filter(|it| it.len() == 1)?.iter().next()?;
        let (words, _, takes) = OPERATORS.iter().find(|(_, known, _)| known == operator)?;
        Some(if *takes { format!("{words} {operand}") } else { (*words).to_owned() })
    };
    let words = match test {
        Value::Array(tests) => {
            let all: Option<Vec<String>> = tests.iter().map(of_form).collect();
            all.map(|all| all.join(" and "))
        }
        Value::Object(_) => of_form(test),
        plain => Some(format!("is {plain}")),
    };
    words.map_or_else(|| json!({ name: test }).to_string(), |words| format!("{name} {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_one_column_hold_together() {
        let filter = Filter::default().with("n", "$gt", "1", true).with("n", "$lt", "x", true);
        assert_eq!(filter.q(), r#"{"n":[{"$gt":1},{"$lt":"x"}]}"#);
        let filter = filter.with("n", "$null", "ignored", false).with("n", "$where", "1", false);
        assert_eq!(filter.q(), r#"{"n":[{"$gt":1},{"$lt":"x"},{"$null":null}]}"#);
        let [(words, left)] = &filter.terms()[..] else { panic!("{filter:?}") };
        assert_eq!(words, "n is greater than 1 and is less than \"x\" and is NULL");
        assert_eq!(left.q(), "");
        assert_eq!(
            Filter::of(r#"{"a":1}"#).unwrap().with("a", "$ne", "2", true).q(),
            r#"{"a":[{"$eq":1},{"$ne":2}]}"#
        );
    }

    #[test]
    fn an_order_replaces_the_one_before() {
        let filter = Filter::of(r#"{"$orderby":{"a":"desc","b":1}}"#).unwrap();
        assert_eq!(filter.order_of("a"), Some(Order::Descending));
        assert_eq!(filter.order_of("b"), None);
        let filter = filter.ordered(Some(("b", Order::Ascending)));
        assert_eq!(filter.q(), r#"{"$orderby":{"b":"ASC"}}"#);
        assert!(filter.terms().is_empty());
        assert_eq!(filter.ordered(None).q(), "");
        assert_eq!(Filter::of("[1]"), None);
        let odd = Filter::of(r#"{"$or":[{"a":1}]}"#).unwrap();
        assert_eq!(odd.terms()[0].0, r#"{"$or":[{"a":1}]}"#);
    }
}
