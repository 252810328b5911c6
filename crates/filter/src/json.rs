//! Tests of values inside JSON columns: from the operators of a filter, and against a stored text.

use std::collections::HashSet;

use duet_model::shape::Field;
use duet_model::{
    Code, Compare, Error, Expr, JsonPredicate, JsonScalar, JsonTest, Result, Type, Value,
    joined_texts,
};
use duet_text::decimal::Decimal;
use duet_text::effort::{Effort, Interruption, WORD};
use duet_text::json::{Json, JsonKind, read_stored};
use duet_text::problem::fault;
use duet_text::value_along;
use duet_text::{ArrayPosition, JsonStep, like};

use crate::limits::Limits;
use crate::operand::misfit_inside;
use crate::operator;
use crate::operator_row::Test;
use crate::regex;
use crate::text_search::Pattern;

/// How deep stored JSON is read; deeper values satisfy no test.
pub(crate) const DEPTH: usize = 1_000;

/// A predicate, whose operands are compiled once for all rows.
pub struct Matcher {
    predicate: JsonPredicate,
    operands: Operands,
}

/// What a predicate compares values with, in the form in which that takes one step a value.
enum Operands {
    /// As they are.
    Plain,
    /// The pattern of `LIKE`.
    Like(like::Pattern),
    /// The regular expression; none that is not valid matches.
    Regex(Option<Box<regex::Matcher>>),
    /// The values of a list.
    Set(Scalars),
}

/// Strings, numbers and booleans to be looked up.
#[derive(Default)]
struct Scalars {
    texts: HashSet<String>,
    numbers: HashSet<Decimal>,
    bools: [bool; 2],
}

impl Scalars {
    fn of(operands: &[JsonScalar]) -> Self {
        let mut set = Self::default();
        for operand in operands {
            match operand {
                JsonScalar::Text(text) => {
                    set.texts.insert(text.clone());
                }
                JsonScalar::Number(number) => set.numbers.extend(Decimal::parse(number)),
                JsonScalar::Bool(value) => set.bools[usize::from(*value)] = true,
            }
        }
        set
    }

    fn has(&self, value: &JsonKind<'_>) -> bool {
        match value {
            JsonKind::Text(text) => self.texts.contains(&**text),
            JsonKind::Number(number) => {
                Decimal::parse(number).is_some_and(|number| self.numbers.contains(&number))
            }
            JsonKind::Bool(value) => self.bools[usize::from(*value)],
            JsonKind::Null | JsonKind::List(_) | JsonKind::Object(_) => false,
        }
    }
}

impl Matcher {
    /// Compiles a predicate.
    pub fn new(predicate: JsonPredicate) -> Self {
        let operands = match &predicate.test {
            JsonTest::Regex(pattern) => Operands::Regex(regex::compile(pattern).map(Box::new)),
            JsonTest::Like(pattern) => Operands::Like(like::Pattern::new(pattern, false)),
            JsonTest::In(operands) => Operands::Set(Scalars::of(operands)),
            _ => Operands::Plain,
        };
        Self { predicate, operands }
    }

    /// Whether a stored JSON text satisfies the predicate; text that is not JSON satisfies none. Each value is looked at
    /// once.
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    pub fn holds(&self, stored: &str, effort: &Effort<'_>) -> Result<bool, Interruption> {
        let Some(root) = read_stored(stored, DEPTH, effort)? else { return Ok(false) };
        let values = reached(&root, &self.predicate.path, effort)?;
        match self.predicate.test {
            JsonTest::Exists => return Ok(!values.is_empty()),
            JsonTest::Size(operator, size) => {
                let is_of_size = |value: &&Json<'_>| match &value.kind {
                    JsonKind::List(list) => operator.holds((list.len() as u64).cmp(&size)),
                    _ => false,
                };
                return Ok(values.iter().any(is_of_size));
            }
            _ => {}
        }
        for value in values.into_iter().flat_map(unwrapped) {
            if self.satisfies(&value.kind, effort)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn satisfies(&self, value: &JsonKind<'_>, effort: &Effort<'_>) -> Result<bool, Interruption> {
        effort.spend(WORD)?;
        match (&self.operands, value) {
            (Operands::Like(pattern), JsonKind::Text(text)) => pattern.matches(text, effort),
            (Operands::Regex(Some(pattern)), JsonKind::Text(text)) => pattern.matches(text, effort),
            (Operands::Like(_) | Operands::Regex(_), _) => Ok(false),
            (Operands::Set(set), value) => Ok(set.has(value)),
            (Operands::Plain, value) => Ok(satisfies(&self.predicate.test, value)),
        }
    }
}

/// The values that a path leads to, each step in one pass.
fn reached<'v, 't>(
    root: &'v Json<'t>,
    path: &[String],
    effort: &Effort<'_>,
) -> Result<Vec<&'v Json<'t>>, Interruption> {
    let mut values = vec![root];
    for step in path {
        let mut next = Vec::new();
        for value in values.into_iter().flat_map(unwrapped) {
            let members =
                if let JsonKind::Object(members) = &value.kind { members.len() } else { 0 };
            effort.spend(WORD + members)?;
            next.extend(member(value, step));
        }
        values = next;
    }
    Ok(values)
}

/// The elements of an array; anything else is itself.
fn unwrapped<'v, 't>(value: &'v Json<'t>) -> Vec<&'v Json<'t>> {
    match &value.kind {
        JsonKind::List(elements) => elements.iter().collect(),
        _ => vec![value],
    }
}

/// The member of an object: of two of one name the last, as in `jsonb`.
pub(crate) fn member<'v, 't>(value: &'v Json<'t>, name: &str) -> Option<&'v Json<'t>> {
    let JsonKind::Object(members) = &value.kind else { return None };
    members.iter().rev().find(|member| member.name == name).map(|member| &member.value)
}

/// The value at a path of a stored JSON text as a value of a type; NULL if there is none of this type. A step
/// leads to a member of an object and nowhere else.
pub(crate) fn extracted(stored: &str, path: &[String], ty: &Type) -> Value {
    extracted_within(stored, path, ty, &Effort::unlimited()).unwrap_or(Value::Null)
}

fn extracted_within(
    stored: &str,
    path: &[String],
    ty: &Type,
    effort: &Effort<'_>,
) -> Result<Value, Interruption> {
    let Some(root) = read_stored(stored, DEPTH, effort)? else { return Ok(Value::Null) };
    let found = path.iter().try_fold(&root, |value: &Json<'_>, step| member(value, step));
    Ok(match (found.map(|value| &value.kind), ty) {
        (Some(JsonKind::Bool(value)), Type::Boolean) => Value::Bool(*value),
        (Some(JsonKind::Number(number)), ty) if ty.is_number() => Value::Text((*number).to_owned()),
        (Some(JsonKind::Text(text)), ty) if *ty != Type::Boolean && !ty.is_number() => {
            Value::Text(text.to_string())
        }
        (None | Some(JsonKind::Null), _) => Value::Null,
        (Some(_), Type::Json) => found.and_then(shown).map_or(Value::Null, Value::Text),
        _ => Value::Null,
    })
}

/// The text of a string without quotes, that of another value in the form of `jsonb`; `None` for `null`.
fn shown(value: &Json<'_>) -> Option<String> {
    match &value.kind {
        JsonKind::Null => None,
        JsonKind::Text(text) => Some(text.to_string()),
        _ => {
            let mut text = String::new();
            value.write(&mut text);
            Some(spaced(&text))
        }
    }
}

/// A JSON text without white space in the form of PostgreSQL's `jsonb`: a blank behind each comma and colon.
pub fn spaced(json: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::with_capacity(json.len()), false, false);
    for char in json.chars() {
        out.push(char);
        if inside {
            inside = escaped || char != '"';
            escaped = !escaped && char == '\\';
        } else if char == '"' {
            inside = true;
        } else if matches!(char, ',' | ':') {
            out.push(' ');
        }
    }
    out
}

/// Whether a text is a number that both stores read: an optional sign, digits with or without a point, an exponent of
/// at most three digits.
pub fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !whole.is_empty() || mantissa.len() > 1;
    let fits = (1..=3).contains(&exponent.len()) && text.len() <= NUMBER;
    fits && has_digits && [whole, fraction, exponent].into_iter().all(are_digits)
}

/// The bytes of a text at most that is read as a number.
const NUMBER: usize = 1_000;

/// The text of the value at a path of a stored JSON text, as `->>` of PostgreSQL gives it: that of a string without
/// quotes, that of another value in the form of `jsonb`; `None` for `null` and where there is none.
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn text_at(
    stored: &str,
    path: &[String],
    effort: &Effort<'_>,
) -> Result<Option<String>, Interruption> {
    Ok(match extracted_within(stored, path, &Type::Json, effort)? {
        Value::Text(text) => Some(text),
        _ => None,
    })
}

/// The JSON that steps lead to in a stored text, as PostgreSQL's `->` has it, or its text, as `->>`.
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn inside_along(
    stored: &str,
    steps: &[JsonStep],
    as_text: bool,
    effort: &Effort<'_>,
) -> Result<Option<String>, Interruption> {
    let Some(root) = read_stored(stored, DEPTH, effort)? else { return Ok(None) };
    let Some(value) = value_along(&root, steps) else { return Ok(None) };
    Ok(match &value.kind {
        JsonKind::Null if as_text => None,
        JsonKind::Text(text) if as_text => Some(text.clone().into_owned()),
        _ => {
            let mut json = String::new();
            value.write(&mut json);
            Some(json)
        }
    })
}

/// The text, as [`text_at`] gives it, of the only value that steps of a path in lax mode lead to; `None` for `null`,
/// and where there is none or several of them.
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn text_along(
    stored: &str,
    steps: &[JsonStep],
    effort: &Effort<'_>,
) -> Result<Option<String>, Interruption> {
    let Some(root) = read_stored(stored, DEPTH, effort)? else { return Ok(None) };
    let mut values = vec![&root];
    for step in steps {
        effort.spend(WORD * values.len())?;
        values = match step {
            JsonStep::Member(name) => {
                let mut next = Vec::new();
                for value in values {
                    next.extend(reached(value, std::slice::from_ref(name), effort)?);
                }
                next
            }
            JsonStep::Element(position) => {
                values.into_iter().filter_map(|value| element(value, *position)).collect()
            }
            JsonStep::Size => {
                let [value] = values[..] else { return Ok(None) };
                let size = match &value.kind {
                    JsonKind::List(elements) => elements.len(),
                    _ => 1,
                };
                return Ok(Some(size.to_string()));
            }
        };
    }
    Ok(match values[..] {
        [value] => shown(value),
        _ => None,
    })
}

/// The texts at paths of a stored JSON text, joined by blanks: [`joined_texts`].
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn joined(
    stored: &str,
    paths: &str,
    effort: &Effort<'_>,
) -> Result<Option<String>, Interruption> {
    let root = read_stored(stored, DEPTH, effort)?;
    Ok(root.map(|root| joined_texts(&root, paths, &shown)))
}

/// The element at a position; a value that is no array is its own only one.
fn element<'v, 't>(value: &'v Json<'t>, position: ArrayPosition) -> Option<&'v Json<'t>> {
    let all = match &value.kind {
        JsonKind::List(elements) => elements.as_slice(),
        _ => std::slice::from_ref(value),
    };
    match position {
        ArrayPosition::Start(before) => all.get(before as usize),
        ArrayPosition::End(behind) => all.iter().rev().nth(behind as usize),
    }
}

fn satisfies(test: &JsonTest, value: &JsonKind<'_>) -> bool {
    let text =
        |matches: &dyn Fn(&str) -> bool| matches!(value, JsonKind::Text(text) if matches(text));
    let order = |operand: &JsonScalar| operand.compare(value);
    match test {
        JsonTest::Exists => true,
        // A matcher looks at whole arrays, and has these compiled.
        JsonTest::Regex(_) | JsonTest::Like(_) | JsonTest::In(_) | JsonTest::Size(..) => false,
        JsonTest::IsNull => *value == JsonKind::Null,
        JsonTest::NotNull => *value != JsonKind::Null,
        JsonTest::Compare(operator, operand) => {
            order(operand).is_some_and(|order| operator.holds(order))
        }
        JsonTest::Between(low, high) => {
            let above =
                low.as_ref().is_none_or(|low| order(low).is_some_and(std::cmp::Ordering::is_ge));
            let below =
                high.as_ref().is_none_or(|high| order(high).is_some_and(std::cmp::Ordering::is_le));
            above && below
        }
        JsonTest::Contains(part) => text(&|text| text.contains(part.as_str())),
    }
}

/// Makes the expression of a test of values inside a JSON column.
pub(crate) fn test(test: Test, field: &Field, json: &Json<'_>, limits: &Limits) -> Result<Expr> {
    let not = |expr: Expr| Expr::Not(Box::new(expr));
    let with = |test| inside(field, test);
    let list = || match &json.kind {
        JsonKind::List(list) => Ok(list),
        _ => Err(misfit_inside(field, json.at, "this operator takes an array")),
    };
    Ok(match test {
        Test::Compare(operator) => return compare(field, operator, json),
        // The elements of an array count, wherever a path ends.
        Test::HasElement => return compare(field, Compare::Eq, json),
        Test::Size => return size(field, json),
        Test::Range(relation) => {
            return Err(unsupported(field, relation.operator(), json.at, RANGES_INSTEAD));
        }
        Test::Search(search) => {
            let make = search
                .inside
                .map_err(|instead| unsupported(field, search.name, json.at, instead))?;
            let pattern = Pattern { field, text: text(field, json)?, at: json.at, limits };
            let found = with(make(pattern)?);
            if search.negated { not(found) } else { found }
        }
        Test::Between => {
            let [low, high] = list()?.as_slice() else {
                return Err(misfit_inside(
                    field,
                    json.at,
                    "`$between` takes an array of two values",
                ));
            };
            let end = |end: &Json<'_>| match end.kind {
                JsonKind::Null => Ok(None),
                _ => ordered(field, end).map(Some),
            };
            let (low, high) = (end(low)?, end(high)?);
            if low.is_none() && high.is_none() {
                return Err(misfit_inside(
                    field,
                    json.at,
                    "one end of `$between` may be null, not both",
                ));
            }
            with(JsonTest::Between(low, high))
        }
        Test::In => one_of(field, list()?, json.at, limits)?,
        Test::NotIn => not(one_of(field, list()?, json.at, limits)?),
        Test::Null if is_yes(json) => with(JsonTest::IsNull),
        Test::NotNull if is_yes(json) => with(JsonTest::NotNull),
        Test::Exists if json.kind == JsonKind::Bool(true) => with(JsonTest::Exists),
        Test::Exists if json.kind == JsonKind::Bool(false) => not(with(JsonTest::Exists)),
        Test::Exists => return Err(misfit_inside(field, json.at, "`$exists` takes true or false")),
        Test::Null | Test::NotNull => {
            return Err(misfit_inside(field, json.at, "`$null` and `$notnull` take null"));
        }
    })
}

/// The test of the number of elements: a number, or comparisons with numbers, which all hold.
fn size(field: &Field, json: &Json<'_>) -> Result<Expr> {
    let number = |json: &Json<'_>| match json.kind {
        JsonKind::Number(number) => number.parse::<u32>().ok().map(u64::from),
        _ => None,
    };
    let wrong = |at| {
        misfit_inside(field, at, "`$size` takes a whole number from 0, or comparisons with one")
    };
    let JsonKind::Object(members) = &json.kind else {
        let size = number(json).ok_or_else(|| wrong(json.at))?;
        return Ok(inside(field, JsonTest::Size(Compare::Eq, size)));
    };
    let tests = members.iter().map(|member| {
        let operator = operator::comparison(&member.name).ok_or_else(|| wrong(member.value.at))?;
        let size = number(&member.value).ok_or_else(|| wrong(member.value.at))?;
        Ok(inside(field, JsonTest::Size(operator, size)))
    });
    let mut tests = tests.collect::<Result<Vec<_>>>()?;
    match tests.len() {
        0 => Err(wrong(json.at)),
        1 => Ok(tests.remove(0)),
        _ => Ok(Expr::And(tests)),
    }
}

/// The test of the values at a field, which is inside a JSON column.
fn inside(field: &Field, test: JsonTest) -> Expr {
    field.json().map_or_else(Expr::all, |field| Expr::Json(field.clone(), test))
}

const RANGES_INSTEAD: &str = "Compare both ends, as in {\"from\":{\"$lt\":…},\"to\":{\"$gt\":…}}.";

fn unsupported(field: &Field, operator: &str, at: usize, instead: &str) -> Error {
    let mut error =
        misfit_inside(field, at, &format!("`{operator}` is not offered for values inside JSON"));
    error.code = Code::FilterUnsupported;
    error.hint(instead)
}

fn is_yes(json: &Json<'_>) -> bool {
    matches!(json.kind, JsonKind::Null | JsonKind::Bool(true))
}

/// Compares with one operand; equality with null is the test for `null`.
pub(crate) fn compare(field: &Field, operator: Compare, json: &Json<'_>) -> Result<Expr> {
    let test = match (&json.kind, operator) {
        (JsonKind::Null, Compare::Eq) => JsonTest::IsNull,
        (JsonKind::Null, Compare::Ne) => JsonTest::NotNull,
        (_, Compare::Eq | Compare::Ne) => JsonTest::Compare(operator, scalar(field, json)?),
        _ => JsonTest::Compare(operator, ordered(field, json)?),
    };
    Ok(inside(field, test))
}

fn one_of(field: &Field, list: &[Json<'_>], at: usize, limits: &Limits) -> Result<Expr> {
    limits.check_list(list.len(), at)?;
    let values = list.iter().filter(|element| !element.is_null());
    let values: Vec<JsonScalar> =
        values.map(|value| scalar(field, value)).collect::<Result<_>>()?;
    let has_null = values.len() < list.len();
    let with = |test| inside(field, test);
    let is_any = with(JsonTest::In(values));
    Ok(if has_null { Expr::Or(vec![is_any, with(JsonTest::IsNull)]) } else { is_any })
}

fn text<'j>(field: &Field, json: &'j Json<'_>) -> Result<&'j str> {
    match &json.kind {
        JsonKind::Text(text) if text.contains('\0') => Err(nul(json.at)),
        JsonKind::Text(text) => Ok(text),
        _ => Err(misfit_inside(field, json.at, "this operator takes a string")),
    }
}

fn nul(at: usize) -> Error {
    fault(Code::NulCharacter, at, "Text cannot contain U+0000.")
}

fn scalar(field: &Field, json: &Json<'_>) -> Result<JsonScalar> {
    if matches!(&json.kind, JsonKind::Text(text) if text.contains('\0')) {
        return Err(nul(json.at));
    }
    JsonScalar::of(&json.kind).ok_or_else(|| {
        misfit_inside(field, json.at, "values inside JSON compare with a string, a number of at most 1,000 characters, or a boolean")
    })
}

fn ordered(field: &Field, json: &Json<'_>) -> Result<JsonScalar> {
    match scalar(field, json)? {
        JsonScalar::Bool(_) => Err(misfit_inside(field, json.at, "booleans have no order")),
        scalar => Ok(scalar),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use duet_text::effort::UNITS_PER_QUESTION;

    use super::*;

    fn along(stored: &str, steps: &[JsonStep]) -> Option<String> {
        text_along(stored, steps, &Effort::unlimited()).unwrap()
    }

    /// Each element is looked up once, however long the list is.
    #[test]
    fn a_list_is_a_set() {
        let scalar = |number: usize| JsonScalar::Number(format!("{number}.0"));
        let of =
            |path: &str, test| Matcher::new(JsonPredicate { path: vec![path.to_owned()], test });
        let elements: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
        let stored = format!(r#"{{"a":[{}],"b":["x",true]}}"#, elements.join(","));
        let asked = Cell::new(0);
        let is_over = || {
            asked.set(asked.get() + 1);
            false
        };
        let absent = JsonTest::In((100_000..110_000).map(scalar).collect());
        assert_eq!(of("a", absent).holds(&stored, &Effort::until(&is_over)), Ok(false));
        let units = asked.get() * UNITS_PER_QUESTION;
        assert!(units < 40 * elements.len(), "{units}");
        for (path, list, expected) in [
            ("a", vec![scalar(5), scalar(100_000)], true),
            ("a", vec![JsonScalar::Text("5".to_owned())], false),
            ("b", vec![JsonScalar::Text("x".to_owned())], true),
            ("b", vec![JsonScalar::Bool(true)], true),
            ("b", vec![JsonScalar::Bool(false)], false),
        ] {
            let test = JsonTest::In(list.clone());
            let held = of(path, test).holds(&stored, &Effort::unlimited());
            assert_eq!(held, Ok(expected), "{path} {list:?}");
        }
        let exists = of("a", JsonTest::Exists);
        assert_eq!(exists.holds(&stored, &Effort::until(&|| true)), Err(Interruption));
    }

    #[test]
    fn steps_lead_to_one_value() {
        let json = r#"{"a":[{"b":1,"c":["x",null]},{"b":2,"c":"y"}],"d":{"b":[true]},"0":"zero","n":[[1,2],[3]]}"#;
        for (steps, expected) in [
            (r#"["a",0,"b"]"#, Some("1")),
            (r#"["a",-1,"c",0]"#, Some("y")),
            (r#"["a",0,"c",-1]"#, None),
            (r#"["a",0,"c"]"#, Some(r#"["x", null]"#)),
            (r#"["a",2,"b"]"#, None),
            // A member of an array is that of its elements: here of both, and of one.
            (r#"["a","b"]"#, None),
            (r#"[0,"d",-1,"b",0]"#, Some("true")),
            (r#"["d",1]"#, None),
            (r#"["0"]"#, Some("zero")),
            (r#"["n",0,1]"#, Some("2")),
            (r#"["n","b"]"#, None),
            (r#"["a",true]"#, Some("2")),
            (r#"["d",true]"#, Some("1")),
            (r#"["e",true]"#, None),
        ] {
            let read = JsonStep::decode(steps).unwrap();
            assert_eq!(along(json, &read).as_deref(), expected, "{steps}");
        }
        assert_eq!(along("no JSON", &[]), None);
    }
}
