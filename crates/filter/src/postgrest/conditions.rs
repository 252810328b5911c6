//! Conditions of a query string: `id=not.in.(1,2)`, `or=(a.lt.1,not.and(b.is.null,c.eq.2))`.

use duet_model::{Code, Result};
use duet_text::problem::fault;

use super::column_path::ColumnPath;
use super::cursor::Cursor;
use super::operators::{NativeOperator, OperatorKind, OperatorRow};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A test of one column.
    Test(Test),
    /// Conditions of which all hold.
    And(Vec<Condition>),
    /// Conditions of which one holds.
    Or(Vec<Condition>),
    /// The negation of one.
    Not(Box<Condition>),
}

/// A test of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The parameter that it is in.
    pub parameter: String,
    /// What is tested.
    pub path: ColumnPath,
    /// The operator.
    pub operator: &'static OperatorRow,
    /// The configuration of a search for words.
    pub configuration: Option<String>,
    /// What it is compared with.
    pub operand: OperatorArgument,
}

/// What an operator takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorArgument {
    /// A value.
    Value(String),
    /// A list of values: that of `in`.
    List(Vec<String>),
    /// Values, of which any or all are meant.
    Quantified(Quantifier, Vec<String>),
}

/// Which of several values are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Any of them.
    Any,
    /// All of them.
    All,
}

/// Where the value of a test ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// With the parameter.
    Parameter,
    /// Before a comma or a parenthesis.
    Element,
}

/// The test of a parameter: `not.eq.7` of a column.
///
/// # Errors
/// [`PostgrestCode::Grammar`](duet_model::profiles::PostgrestCode) with line and column.
pub(super) fn test(parameter: &str, path: ColumnPath, value: &str) -> Result<Condition> {
    let mut cursor = Cursor::new(parameter, "filter", value);
    read_test(&mut cursor, parameter, path, Ending::Parameter)
}

/// The conditions of a parameter `and` or `or`, in parentheses.
///
/// # Errors
/// As [`test()`], and where they are nested deeper than `depth`.
pub(super) fn logic(parameter: &str, name: &str, value: &str, depth: usize) -> Result<Condition> {
    let mut cursor = Cursor::new(parameter, "logic tree", value).behind(name);
    let conditions = group(&mut cursor, parameter, depth)?;
    cursor.skip_closing();
    match cursor.is_end() {
        true => Ok(joined(name, conditions)),
        false => Err(cursor.expected("end of input")),
    }
}

fn joined(name: &str, conditions: Vec<Condition>) -> Condition {
    if name == "or" { Condition::Or(conditions) } else { Condition::And(conditions) }
}

fn group(cursor: &mut Cursor<'_>, parameter: &str, depth: usize) -> Result<Vec<Condition>> {
    let Some(depth) = depth.checked_sub(1) else {
        let message = "The conditions of the filter are nested too deeply.";
        return Err(fault(Code::FilterLimit, 0, message).at(cursor.place()));
    };
    cursor.expect("(")?;
    let mut conditions = Vec::new();
    loop {
        cursor.skip_blanks();
        conditions.push(element(cursor, parameter, depth)?);
        cursor.skip_blanks();
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect(")")?;
    Ok(conditions)
}

fn element(cursor: &mut Cursor<'_>, parameter: &str, depth: usize) -> Result<Condition> {
    for (negated, name) in [(false, "and"), (false, "or"), (true, "and"), (true, "or")] {
        let words = format!("{}{name}", if negated { "not." } else { "" });
        let rest = cursor.rest();
        let Some(behind) = rest.strip_prefix(&words) else { continue };
        if !behind.trim_start_matches(' ').starts_with('(') {
            continue;
        }
        cursor.eat(&words);
        cursor.skip_blanks();
        let inner = joined(name, group(cursor, parameter, depth)?);
        return Ok(if negated { Condition::Not(Box::new(inner)) } else { inner });
    }
    if cursor.peek() == Some(')') {
        return Err(cursor.expected(
            "field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)",
        ));
    }
    let path = cursor.column_path()?;
    cursor.expect(".")?;
    read_test(cursor, parameter, path, Ending::Element)
}

fn read_test(
    cursor: &mut Cursor<'_>,
    parameter: &str,
    path: ColumnPath,
    ending: Ending,
) -> Result<Condition> {
    let negated = cursor.eat("not.");
    let before = *cursor;
    let name = cursor.take_while(|char| char.is_ascii_alphanumeric() || char == '_');
    let Some(operator) = OperatorRow::named(name) else {
        let not = if negated { "" } else { "\"not\" or " };
        return Err(before.expected(&format!("{not}operator (eq, gt, ...)")));
    };
    let modifier = match cursor.eat("(") {
        true => {
            let word = cursor.take_while(|char| char != ')');
            cursor.expect(")")?;
            Some(word)
        }
        false => None,
    };
    cursor.expect(".")?;
    let quantifier = match modifier {
        None => None,
        Some("any") if operator.quantified => Some(Quantifier::Any),
        Some("all") if operator.quantified => Some(Quantifier::All),
        Some(word) if is_of_words(operator) && !word.is_empty() => None,
        Some(_) => return Err(before.expected("an operator that takes this modifier")),
    };
    let operand = match (operator.kind, quantifier) {
        (OperatorKind::In, _) => OperatorArgument::List(list(cursor)?),
        (_, Some(quantifier)) => OperatorArgument::Quantified(quantifier, array(cursor, ending)?),
        (_, None) => OperatorArgument::Value(value(cursor, ending)?),
    };
    if ending == Ending::Parameter && !cursor.is_end() {
        return Err(cursor.expected("end of input"));
    }
    let parameter = parameter.to_owned();
    let configuration = modifier.filter(|_| is_of_words(operator)).map(str::to_owned);
    let test = Condition::Test(Test { parameter, path, operator, configuration, operand });
    Ok(if negated { Condition::Not(Box::new(test)) } else { test })
}

/// Whether an operator searches for words, by a configuration that may be given in parentheses.
fn is_of_words(operator: &OperatorRow) -> bool {
    matches!(operator.kind, OperatorKind::Native(NativeOperator::Words(_)))
}

/// A single value: that of a parameter is all of it.
fn value(cursor: &mut Cursor<'_>, ending: Ending) -> Result<String> {
    if ending == Ending::Parameter {
        return Ok(cursor.take_while(|_| true).to_owned());
    }
    match cursor.peek() {
        Some('"') => cursor.quoted(),
        Some('{') => {
            let inside = cursor.take_while(|char| char != '}');
            cursor.expect("}")?;
            Ok(format!("{inside}}}"))
        }
        _ => Ok(cursor.take_while(|char| char != ',' && char != ')').to_owned()),
    }
}

/// The list of `in`: `(a,"b c")`. Blanks alone are no value.
fn list(cursor: &mut Cursor<'_>) -> Result<Vec<String>> {
    cursor.expect("(")?;
    let values = elements(cursor, ')')?;
    cursor.expect(")")?;
    Ok(values)
}

/// The values of `(any)` and `(all)`: `{a,"b c"}`.
fn array(cursor: &mut Cursor<'_>, ending: Ending) -> Result<Vec<String>> {
    let is_quoted = ending == Ending::Element && cursor.peek() == Some('"');
    if is_quoted {
        let text = cursor.quoted()?;
        return braces(&mut Cursor::new("", "array", &text));
    }
    braces(cursor)
}

fn braces(cursor: &mut Cursor<'_>) -> Result<Vec<String>> {
    cursor.expect("{")?;
    let values = elements(cursor, '}')?;
    cursor.expect("}")?;
    Ok(values)
}

fn elements(cursor: &mut Cursor<'_>, end: char) -> Result<Vec<String>> {
    let mut values = Vec::new();
    if cursor.rest().trim_start_matches(' ').starts_with(end) {
        cursor.skip_blanks();
        return Ok(values);
    }
    // PostgreSQL passes over the blanks around an element of an array.
    let is_array = end == '}';
    loop {
        if is_array {
            cursor.skip_blanks();
        }
        let before = *cursor;
        values.push(match quoted_element(cursor, end) {
            Some(text) => text,
            None => {
                let text = cursor.take_while(|char| char != ',' && char != end);
                if is_array && text.trim_end_matches(' ').eq_ignore_ascii_case("null") {
                    return Err(before.expected("a value that is not NULL"));
                }
                if is_array { text.trim_end_matches(' ') } else { text }.to_owned()
            }
        });
        if !cursor.eat(",") {
            return Ok(values);
        }
    }
}

/// A value in quotes, if it is all up to the next comma or the end; otherwise the quotes are part of it.
fn quoted_element(cursor: &mut Cursor<'_>, end: char) -> Option<String> {
    let mut ahead = *cursor;
    let text = (ahead.peek() == Some('"')).then(|| ahead.quoted().ok()).flatten()?;
    if end == '}' {
        ahead.skip_blanks();
    }
    let is_whole = ahead.peek().is_none_or(|char| char == ',' || char == end);
    is_whole.then(|| {
        *cursor = ahead;
        text
    })
}
