//! Predicates on values inside a JSON column: a path of member names, and a test of the value.
//!
//! A path step on an array applies to each of its elements; an array at the end of the path is replaced
//! by its elements. A predicate holds if any reached value satisfies the test; without a value it is
//! false, never unknown. Values of different JSON types do not compare: numbers compare by value,
//! strings by code point.

use std::borrow::Cow;
use std::cmp::Ordering;

use duet_text::decimal::Decimal;
use duet_text::json::{FILTER, Json, JsonKind, read};

use super::compare::Compare;

/// A string, number or boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonScalar {
    /// `true` or `false`.
    Bool(bool),
    /// A number in JSON notation, which [`Decimal::parse`] accepts.
    Number(String),
    /// A string.
    Text(String),
}

/// A test of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonTest {
    /// A value exists, including `null` and empty arrays.
    Exists,
    /// It is `null`, which is not the same as missing.
    IsNull,
    /// It is not `null`.
    NotNull,
    /// It has the operand's type and satisfies the comparison. Booleans support only (in)equality.
    Compare(Compare, JsonScalar),
    /// It is one of these.
    In(Vec<JsonScalar>),
    /// It lies between these, inclusive; one bound may be missing.
    Between(Option<JsonScalar>, Option<JsonScalar>),
    /// It is a string that matches the pattern of `LIKE`, case-sensitive.
    Like(String),
    /// It is a string that contains this, case-sensitive.
    Contains(String),
    /// It is a string in which this regular expression, in the common syntax of both stores, matches.
    Regex(String),
    /// It is an array, and its number of elements compares so with this one.
    Size(Compare, u64),
}

impl JsonTest {
    /// Whether it compares strings with a pattern, place by place.
    pub fn matches_pattern(&self) -> bool {
        matches!(self, JsonTest::Like(_) | JsonTest::Contains(_) | JsonTest::Regex(_))
    }

    /// Whether it asks for values that are equal to given ones.
    pub fn is_equality(&self) -> bool {
        matches!(self, Self::Compare(Compare::Eq, _) | Self::In(_))
    }
}

/// A test of the values at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonPredicate {
    /// Member names, outermost first; empty: the column's value itself.
    pub path: Vec<String>,
    /// The test.
    pub test: JsonTest,
}

impl JsonScalar {
    /// Compares a JSON value with it; `None` if the types differ.
    pub fn compare(&self, value: &JsonKind<'_>) -> Option<Ordering> {
        match (value, self) {
            (JsonKind::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            (JsonKind::Number(a), Self::Number(b)) => {
                Some(Decimal::parse(a)?.cmp(&Decimal::parse(b)?))
            }
            (JsonKind::Text(a), Self::Text(b)) => Some((**a).cmp(b.as_str())),
            _ => None,
        }
    }

    /// The value as JSON.
    pub fn json(&self) -> Json<'_> {
        Json::new(match self {
            Self::Bool(value) => JsonKind::Bool(*value),
            Self::Number(number) => JsonKind::Number(number),
            Self::Text(text) => JsonKind::Text(Cow::Borrowed(text)),
        })
    }

    /// The scalar of a JSON value; `None` for other values.
    pub fn of(value: &JsonKind<'_>) -> Option<Self> {
        match value {
            JsonKind::Bool(value) => Some(Self::Bool(*value)),
            JsonKind::Number(number) => {
                Decimal::parse(number).map(|_| Self::Number((*number).to_owned()))
            }
            JsonKind::Text(text) => Some(Self::Text(text.clone().into_owned())),
            JsonKind::Null | JsonKind::List(_) | JsonKind::Object(_) => None,
        }
    }
}

const OPERATORS: [(&str, Compare); 6] = [
    ("eq", Compare::Eq),
    ("ne", Compare::Ne),
    ("lt", Compare::Lt),
    ("lte", Compare::Lte),
    ("gt", Compare::Gt),
    ("gte", Compare::Gte),
];

const SIZES: [(&str, Compare); 6] = [
    ("size eq", Compare::Eq),
    ("size ne", Compare::Ne),
    ("size lt", Compare::Lt),
    ("size lte", Compare::Lte),
    ("size gt", Compare::Gt),
    ("size gte", Compare::Gte),
];

impl JsonPredicate {
    /// Encodes a predicate as JSON text: operator, path, operands. [`Self::decode`] reads
    /// it.
    pub fn encode(path: &[String], test: &JsonTest) -> String {
        let text = |text: &str| Json::new(JsonKind::Text(Cow::Owned(text.to_owned())));
        let end = |end: &'_ Option<JsonScalar>| match end {
            Some(end) => end.clone(),
            None => JsonScalar::Bool(true),
        };
        let (name, operands): (&str, Vec<JsonScalar>) = match test {
            JsonTest::Exists => ("exists", Vec::new()),
            JsonTest::IsNull => ("null", Vec::new()),
            JsonTest::NotNull => ("notnull", Vec::new()),
            JsonTest::Compare(operator, operand) => {
                let known = OPERATORS.iter().find(|(_, known)| known == operator);
                (known.map_or("eq", |(name, _)| name), vec![operand.clone()])
            }
            JsonTest::In(operands) => ("in", operands.clone()),
            JsonTest::Between(low, high) => ("between", vec![end(low), end(high)]),
            JsonTest::Like(pattern) => ("like", vec![JsonScalar::Text(pattern.clone())]),
            JsonTest::Contains(part) => ("contains", vec![JsonScalar::Text(part.clone())]),
            JsonTest::Regex(pattern) => ("regex", vec![JsonScalar::Text(pattern.clone())]),
            JsonTest::Size(operator, size) => {
                let known = SIZES.iter().find(|(_, known)| known == operator);
                let size = JsonScalar::Number(size.to_string());
                (known.map_or("size eq", |(name, _)| name), vec![size])
            }
        };
        let path = path.iter().map(|step| text(step)).collect();
        let mut parts = vec![text(name), Json::new(JsonKind::List(path))];
        parts.extend(operands.iter().map(JsonScalar::json));
        let mut out = String::new();
        Json::new(JsonKind::List(parts)).write(&mut out);
        out
    }

    /// Decodes the output of [`Self::encode`]; `None` for any other text.
    pub fn decode(text: &str) -> Option<Self> {
        let JsonKind::List(parts) = read(text, &FILTER, 4).ok()?.kind else { return None };
        let [name, path, operands @ ..] = parts.as_slice() else { return None };
        let (JsonKind::Text(name), JsonKind::List(path)) = (&name.kind, &path.kind) else {
            return None;
        };
        let step = |step: &Json<'_>| match &step.kind {
            JsonKind::Text(step) => Some(step.clone().into_owned()),
            _ => None,
        };
        let operands: Vec<JsonScalar> =
            operands.iter().map(|operand| JsonScalar::of(&operand.kind)).collect::<Option<_>>()?;
        let end = |end: &JsonScalar| Some(end.clone()).filter(|end| *end != JsonScalar::Bool(true));
        let test = match (&**name, operands.as_slice()) {
            ("exists", []) => JsonTest::Exists,
            ("null", []) => JsonTest::IsNull,
            ("notnull", []) => JsonTest::NotNull,
            ("in", _) => JsonTest::In(operands),
            ("between", [low, high]) => JsonTest::Between(end(low), end(high)),
            ("like", [JsonScalar::Text(pattern)]) => JsonTest::Like(pattern.clone()),
            ("contains", [JsonScalar::Text(part)]) => JsonTest::Contains(part.clone()),
            ("regex", [JsonScalar::Text(pattern)]) => JsonTest::Regex(pattern.clone()),
            (name, [JsonScalar::Number(size)]) if name.starts_with("size ") => {
                let (_, operator) = SIZES.iter().find(|(known, _)| *known == name)?;
                JsonTest::Size(*operator, size.parse().ok()?)
            }
            (name, [operand]) => {
                let (_, operator) = OPERATORS.iter().find(|(known, _)| *known == name)?;
                JsonTest::Compare(*operator, operand.clone())
            }
            _ => return None,
        };
        Some(Self { path: path.iter().map(step).collect::<Option<_>>()?, test })
    }
}
