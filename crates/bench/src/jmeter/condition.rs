//! Conditions of plans, in JavaScript, JEXL and Groovy, as far as they compare texts and numbers.

use super::Problem;
use super::text::text;
use crate::workload::file::functions::{closing, divided};

/// A language of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    JavaScript,
    Jexl,
    Groovy,
}

/// The functions whose argument is a condition.
const WRAPPERS: [(&str, Language); 4] = [
    ("__jexl3", Language::Jexl),
    ("__jexl2", Language::Jexl),
    ("__groovy", Language::Groovy),
    ("__javaScript", Language::JavaScript),
];
/// Words of JEXL for operators.
const WORDS: [(&str, &str); 9] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("eq", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
];
/// Operators, longer ones first.
const OPERATORS: [&str; 13] =
    ["===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")"];
/// Those that compare.
const COMPARISONS: [&str; 8] = ["===", "!==", "==", "!=", "<=", ">=", "<", ">"];
/// The methods and casts that make numbers of texts.
const TO_NUMBERS: [&str; 5] =
    [".toInteger()", ".toLong()", ".toDouble()", " as int", " as Integer"];
/// A text that JavaScript takes for a number.
const NUMBER: &str = "\\s*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?\\s*";

/// A part of a condition.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Value(Operand),
    Operator(&'static str),
    /// A comparison that a method makes.
    Condition(String),
}

/// What is compared.
#[derive(Clone, Debug, PartialEq)]
struct Operand {
    kind: Kind,
    /// The text of a workload file, without quotes.
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A text in quotes, or a value of `vars` or `props`.
    Text,
    Number,
    Truth,
    /// A placeholder without quotes, whose value stands in the condition as it is.
    Bare,
    /// A text that a method makes a number of.
    Converted,
}

/// The condition of a workload file.
///
/// # Errors
/// Where it does more than compare, and where its language compares otherwise.
pub(super) fn condition(given: &str, line: usize) -> Result<String, Problem> {
    let (inner, language) = unwrapped(given.trim());
    let inner = inner.trim().trim_end_matches(';');
    if inner.is_empty() {
        return Ok("\"\"".into());
    }
    let mut rest = inner;
    let mut tokens: Vec<Token> = Vec::new();
    while !rest.is_empty() {
        let Some((token, behind)) = token(rest, language, line)? else {
            let message = format!(
                "The condition {given:?} is not taken from {rest:?} on: it compares texts and numbers, joined by &&, || and !."
            );
            return Err(Problem::new(line, message));
        };
        tokens.push(token);
        rest = behind.trim_start();
    }
    written(&tokens, language)
        .map_err(|why| Problem::new(line, format!("The condition {given:?} is not taken: {why}.")))
}

/// Whether a text is a call of a function that computes a condition.
pub(super) fn is_wrapped(given: &str) -> bool {
    unwrapped(given.trim()).0 != given.trim()
}

/// The condition within `${__jexl3(…)}`, and its language. A plain one is JavaScript.
fn unwrapped(given: &str) -> (String, Language) {
    let inside =
        given.strip_prefix("${").filter(|inside| closing(inside) == Some(inside.len() - 1));
    let inside = inside.map(|inside| &inside[..inside.len() - 1]);
    let call = inside.and_then(|inside| inside.trim().split_once('('));
    let wrapper = call.and_then(|(name, rest)| {
        let (_, language) = WRAPPERS.iter().find(|(known, _)| *known == name)?;
        let rest = rest.trim_end().strip_suffix(')').unwrap_or(rest);
        // The second argument only names a variable.
        Some((divided(rest).into_iter().next().unwrap_or_default(), *language))
    });
    wrapper.unwrap_or_else(|| (given.to_owned(), Language::JavaScript))
}

/// The tokens as the condition of a workload file; otherwise why they are none.
fn written(tokens: &[Token], language: Language) -> Result<String, String> {
    let mut out = Vec::new();
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let is_compared = |at: usize| matches!(rest.get(at), Some(Token::Operator(word)) if COMPARISONS.contains(word));
        rest = match rest {
            [Token::Value(one), Token::Operator(word), Token::Value(other), behind @ ..]
                if COMPARISONS.contains(word) =>
            {
                let is_alone = !tokens
                    .iter()
                    .any(|one| matches!(one, Token::Operator(word) if ["||", "!"].contains(word)));
                out.push(compared(one, word, other, language, is_alone)?);
                behind
            }
            [Token::Value(one), behind @ ..] if tokens.len() == 1 || one.kind != Kind::Text => {
                out.push(side(one)?);
                behind
            }
            [Token::Value(one), ..] => {
                return Err(format!("{:?} is a text where a comparison is expected", one.text));
            }
            [Token::Operator("!"), Token::Value(_), ..] if is_compared(2) => {
                return Err("`!` before a comparison needs parentheses around it".to_owned());
            }
            _ if is_compared(0) => {
                return Err("a comparison has a text or a number on each side".to_owned());
            }
            [Token::Operator(word), behind @ ..] => {
                out.push((*word).to_owned());
                behind
            }
            [Token::Condition(condition), behind @ ..] => {
                out.push(condition.clone());
                behind
            }
            [] => return Err(format!("{first:?} is not expected")),
        };
    }
    Ok(out.join(" "))
}

/// A side of a comparison: texts in quotes, numbers without.
fn side(one: &Operand) -> Result<String, String> {
    match one.kind {
        Kind::Text => {
            quote(&one.text).ok_or_else(|| format!("{:?} has both kinds of quotes", one.text))
        }
        _ => Ok(one.text.clone()),
    }
}

/// A comparison. Its language decides what a text and a number are to each other.
fn compared(
    one: &Operand,
    word: &'static str,
    other: &Operand,
    language: Language,
    is_alone: bool,
) -> Result<String, String> {
    let is_strict = ["===", "!=="].contains(&word);
    if is_strict && language != Language::JavaScript {
        return Err(format!(
            "`{word}` is not compared here as in its language; write `==` or `!=`"
        ));
    }
    let plain = match word {
        "===" => "==",
        "!==" => "!=",
        word => word,
    };
    let texts = [one, other].map(|side| side.kind == Kind::Text);
    if texts[0] == texts[1] {
        return Ok(format!("{} {plain} {}", side(one)?, side(other)?));
    }
    let (text, number) = if texts[0] { (one, other) } else { (other, one) };
    if is_strict && number.kind == Kind::Number {
        return Ok((plain == "!=").to_string());
    }
    let is_taken = match language {
        Language::JavaScript => true,
        // What is no number is an error of the whole condition in JEXL, which is then false.
        Language::Jexl => is_alone && !text.text.is_empty(),
        Language::Groovy => false,
    };
    if !is_taken || number.kind != Kind::Number {
        return Err(format!(
            "{:?} in quotes is compared with {}, which is none; put both into quotes, or neither",
            text.text, number.text
        ));
    }
    let turned = match plain {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        same => same,
    };
    with_number(text, if texts[0] { plain } else { turned }, &number.text, language)
}

/// A text that is compared with a number, as which it is then taken: what is none is unequal, and an empty text is 0 in
/// JavaScript.
fn with_number(
    text: &Operand,
    word: &str,
    number: &str,
    language: Language,
) -> Result<String, String> {
    let quoted = side(text)?;
    let is_unequal = word == "!=" && language == Language::JavaScript;
    // A text without placeholders may be no number, which only texts can be compared with.
    if !text.text.contains("${") && text.text.trim().parse::<f64>().is_err() {
        let is_empty = text.text.trim().is_empty() && language == Language::JavaScript;
        return Ok(match is_empty {
            true => format!("0 {word} {number}"),
            false => is_unequal.to_string(),
        });
    }
    let mut condition = format!("{quoted} matches \"{NUMBER}\" && {} {word} {number}", text.text);
    if language == Language::JavaScript {
        condition += &format!(" || {quoted} matches \"\\s*\" && 0 {word} {number}");
    }
    if is_unequal {
        condition += &format!(" || ! ( {quoted} matches \"{NUMBER}|\\s*\" )");
    }
    Ok(format!("( {condition} )"))
}

/// A part of a condition, and what follows it.
fn token(rest: &str, language: Language, line: usize) -> Result<Option<(Token, &str)>, Problem> {
    let operand = |kind: Kind, text: String| Operand { kind, text };
    let Some(first) = rest.chars().next() else { return Ok(None) };
    if ['"', '\''].contains(&first) {
        let Some((inside, behind)) = quoted(rest) else { return Ok(None) };
        return method(operand(Kind::Text, text(inside, line)?), behind, language, line);
    }
    if let Some(inside) = rest.strip_prefix("${") {
        let Some(end) = closing(inside) else { return Ok(None) };
        let value = operand(Kind::Bare, text(&rest[..end + 3], line)?);
        return method(value, &inside[end + 1..], language, line);
    }
    for (start, is_shared) in [("vars.get(", false), ("props.get(", true)] {
        let Some(inside) = rest.strip_prefix(start) else { continue };
        let Some((name, behind)) = quoted(inside.trim_start()) else { return Ok(None) };
        let Some(behind) = behind.trim_start().strip_prefix(')') else { return Ok(None) };
        let value = if is_shared { format!("${{shared({name})}}") } else { format!("${{{name}}}") };
        return method(operand(Kind::Text, value), behind, language, line);
    }
    if let Some(operator) = OPERATORS.iter().find(|word| rest.starts_with(**word)) {
        return Ok(Some((Token::Operator(operator), &rest[operator.len()..])));
    }
    let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && !"._-".contains(char));
    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
    let known = WORDS.iter().find(|(known, _)| *known == word && language == Language::Jexl);
    if let Some((_, becomes)) = known {
        return Ok(Some((Token::Operator(becomes), behind)));
    }
    let kind = match word {
        "true" | "false" => Some(Kind::Truth),
        word => is_number(word).then_some(Kind::Number),
    };
    Ok(kind.map(|kind| (Token::Value(operand(kind, word.to_owned())), behind)))
}

/// Whether a word is a decimal number; one that begins with a needless 0 may be octal.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches('-');
    let mut first = digits.chars();
    let (first, second) = (first.next(), first.next());
    first.is_some_and(|first| first.is_ascii_digit() || first == '.')
        && !(first == Some('0') && second.is_some_and(|second| second.is_ascii_digit()))
        && word.parse::<f64>().is_ok()
}

/// The methods of values that are taken: `.equals(…)`, `.contains(…)`, `.isEmpty()` and `.trim()` of texts, and those that
/// make numbers.
fn method(
    value: Operand,
    rest: &str,
    language: Language,
    line: usize,
) -> Result<Option<(Token, &str)>, Problem> {
    let (trimmed, behind) = match rest.strip_prefix(".trim()") {
        Some(behind) => (true, behind),
        None => (false, rest),
    };
    let number = TO_NUMBERS.iter().find_map(|word| behind.strip_prefix(word));
    if let Some(behind) = number.filter(|_| language == Language::Groovy) {
        let value = Operand { kind: Kind::Converted, ..value };
        return method(value, behind, language, line);
    }
    // Texts are not trimmed here.
    if trimmed {
        return Ok(None);
    }
    let is_text = value.kind == Kind::Text;
    let Some(quoted) = side(&value).ok().filter(|_| is_text) else {
        return Ok((!rest.starts_with('.')).then_some((Token::Value(value), rest)));
    };
    if let Some(behind) = rest.strip_prefix(".isEmpty()") {
        return Ok(Some((Token::Condition(format!("( {quoted} == \"\" )")), behind)));
    }
    for (start, word) in [(".equals(", "=="), (".contains(", "contains")] {
        let Some(inside) = rest.strip_prefix(start) else { continue };
        let other = token(inside.trim_start(), language, line)?;
        let Some((Token::Value(other @ Operand { kind: Kind::Text, .. }), behind)) = other else {
            return Ok(None);
        };
        let (Ok(other), Some(behind)) = (side(&other), behind.trim_start().strip_prefix(')'))
        else {
            return Ok(None);
        };
        return Ok(Some((Token::Condition(format!("( {quoted} {word} {other} )")), behind)));
    }
    Ok((!rest.starts_with('.')).then_some((Token::Value(value), rest)))
}

/// A text in quotes, and what follows it. Placeholders may have quotes of their own.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let mut end = 1;
    loop {
        let behind = &text[end..];
        if let Some(inside) = behind.strip_prefix("${") {
            end += 3 + closing(inside)?;
            continue;
        }
        let next = behind.chars().next()?;
        if next == quote {
            return Some((&text[1..end], &text[end + 1..]));
        }
        end += next.len_utf8();
    }
}

/// A text in quotes that it does not have.
pub(super) fn quote(text: &str) -> Option<String> {
    let quote = ['"', '\''].into_iter().find(|quote| !text.contains(*quote))?;
    Some(format!("{quote}{text}{quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_those_of_workload_files() {
        let condition = |text: &str| condition(text, 3).unwrap();
        for (given, expected) in [
            ("\"${a}\" == \"x\"", "\"${a}\" == \"x\""),
            ("${__jexl3(\"${a}\" == 'x' && ${n} < 5,)}", "\"${a}\" == \"x\" && ${n} < 5"),
            ("${__groovy(vars.get(\"a\").equals(\"x\"))}", "( \"${a}\" == \"x\" )"),
            ("${__groovy(vars.get('n').toInteger() >= 3)}", "${n} >= 3"),
            ("${__groovy(vars.get('n').trim() as int == 3)}", "${n} == 3"),
            // Texts are compared as texts.
            ("\"007\" == \"7\"", "\"007\" == \"7\""),
            ("${__jexl3(\"10\" lt \"9\")}", "\"10\" < \"9\""),
            // In JavaScript a number is never the same as a text.
            ("1 === \"1\"", "false"),
            ("'1' !== 1", "true"),
            ("\"x\" == 1 || 'x' != 1 || \"\" < 1", "false || true || 0 < 1"),
            ("${__jexl3(${n} gt 3 or not ${a})}", "${n} > 3 || ! ${a}"),
            ("${JMeterThread.last_sample_ok}", "${last_ok()}"),
            ("!(${__P(x)} === 1.5)", "! ( ${shared(x,1)} == 1.5 )"),
            ("true", "true"),
            ("", "\"\""),
        ] {
            assert_eq!(condition(given), expected, "{given}");
        }
    }

    #[test]
    fn other_conditions_are_refused() {
        for wrong in [
            "${__groovy(new Random().nextInt() > 1)}",
            "vars.get(\"a\").matches(\"x\")",
            "vars.get(\"a\") == null",
            "${n} + 1 == 2",
            "\"open",
            // Groovy compares a number with the code of a character.
            "${__groovy(1 == '1')}",
            "${__groovy(vars.get(\"n\") > 3)}",
            "${__groovy(1 === 1)}",
            "${__groovy(vars.get(\"a\").trim() == \"x\")}",
            "${__groovy(vars.get(\"a\").equals(1))}",
            "${__jexl3(\"${a}\" == 1 || \"${a}\" == \"x\")}",
            "${a} == \"x\"",
            "!\"a\" == \"b\"",
            "\"a\" && true",
            "1 < 2 < 3",
            "\"a\" == \"a\" and true",
            "010 == 8",
            "Infinity == 1",
            "(1) == 1",
        ] {
            let problem = condition(wrong, 3).unwrap_err();
            assert!(problem.line == 3 && problem.message.contains("not taken"), "{problem}");
        }
    }
}
