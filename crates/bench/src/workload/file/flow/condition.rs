//! Conditions of steps: `"${status}" == "open" && ${n} < 5`.

use std::cmp::Ordering;

use duet_model::Value;

use super::super::functions::closing;
use super::super::names::Names;
use super::super::problem::Problem;
use super::super::template::{Template, TextPosition};
use crate::pattern::Pattern;

/// How deeply parentheses may be nested.
const MOST_NESTED: usize = 32;

/// A condition.
#[derive(Debug)]
pub(in super::super) enum Condition {
    Either(Vec<Condition>),
    Both(Vec<Condition>),
    Not(Box<Condition>),
    Compared(Operand, Comparison, Operand),
    /// A text that is `true`.
    Text(Template),
}

/// A side of a comparison.
#[derive(Debug)]
pub(in super::super) struct Operand {
    text: Template,
    /// A text in quotes is a text, whatever its characters are.
    is_quoted: bool,
}

/// How two sides are compared: as numbers where both are and neither is in quotes, otherwise as texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Contains,
    Matches,
}

/// The words of comparisons; longer ones first.
const WORDS: [(&str, Comparison); 8] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::MoreOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::More),
    ("contains ", Comparison::Contains),
    ("matches ", Comparison::Matches),
];

impl Condition {
    /// Compiles a condition.
    pub(super) fn compile(text: &str, names: &Names, key: &str) -> Result<Self, Problem> {
        let mut reader = Reader { rest: text.trim(), names, key, depth: 0 };
        let condition = reader.either()?;
        match reader.rest.is_empty() {
            true => Ok(condition),
            false => Err(reader.wrong()),
        }
    }

    /// Whether it holds with these values.
    pub(in super::super) fn holds(&self, values: &[Value]) -> bool {
        match self {
            Self::Either(parts) => parts.iter().any(|part| part.holds(values)),
            Self::Both(parts) => parts.iter().all(|part| part.holds(values)),
            Self::Not(part) => !part.holds(values),
            Self::Text(text) => {
                text.text(values).is_ok_and(|text| text.trim().eq_ignore_ascii_case("true"))
            }
            Self::Compared(one, how, other) => {
                let are_texts = one.is_quoted || other.is_quoted;
                match (one.text.text(values), other.text.text(values)) {
                    (Ok(one), Ok(other)) => how.holds(&one, &other, are_texts),
                    _ => false,
                }
            }
        }
    }
}

/// How two numbers are ordered, whole ones exactly; `None` where a text is no number.
fn order_of_numbers(one: &str, other: &str) -> Option<Ordering> {
    let [one, other] = [one, other].map(str::trim);
    if let (Ok(one), Ok(other)) = (one.parse::<i128>(), other.parse::<i128>()) {
        return Some(one.cmp(&other));
    }
    number(one)?.partial_cmp(&number(other)?)
}

/// A number in digits: `inf` and `nan` are words.
fn number(text: &str) -> Option<f64> {
    let is_number = !text.contains(|next: char| next.is_alphabetic() && !"eE".contains(next));
    text.parse().ok().filter(|_| is_number)
}

impl Comparison {
    fn holds(self, one: &str, other: &str, are_texts: bool) -> bool {
        let numbers = if are_texts { None } else { order_of_numbers(one, other) };
        let order = numbers.unwrap_or_else(|| one.cmp(other));
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => !order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::More => order.is_gt(),
            Self::MoreOrEqual => order.is_ge(),
            Self::Contains => one.contains(other),
            Self::Matches => {
                Pattern::whole(other).is_ok_and(|pattern| pattern.is_match(one) == Ok(true))
            }
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a Names,
    key: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn either(&mut self) -> Result<Condition, Problem> {
        let mut parts = vec![self.both()?];
        while self.take("||") {
            parts.push(self.both()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Either(parts) })
    }

    fn both(&mut self) -> Result<Condition, Problem> {
        let mut parts = vec![self.one()?];
        while self.take("&&") {
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Both(parts) })
    }

    fn one(&mut self) -> Result<Condition, Problem> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return Err(self.wrong());
        }
        let is_not = self.rest.starts_with('!') && !self.rest.starts_with("!=");
        let condition = if is_not {
            self.take("!");
            Condition::Not(Box::new(self.one()?))
        } else if self.take("(") {
            let inside = self.either()?;
            if !self.take(")") {
                return Err(self.wrong());
            }
            inside
        } else {
            let one = self.operand()?;
            match WORDS.iter().find(|(word, _)| self.rest.starts_with(word)) {
                None => Condition::Text(one.text),
                Some((word, how)) => {
                    self.take(word);
                    Condition::Compared(one, *how, self.operand()?)
                }
            }
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// A text in quotes, or what is up to a blank or a word of conditions: a number, `true`, `false` or placeholders.
    fn operand(&mut self) -> Result<Operand, Problem> {
        let quote = self.rest.chars().next().filter(|first| ['"', '\''].contains(first));
        let start = usize::from(quote.is_some());
        let mut end = start;
        let text = loop {
            let behind = &self.rest[end..];
            let Some(next) = behind.chars().next() else {
                if quote.is_some() || end == start {
                    return Err(self.wrong());
                }
                break &self.rest[start..end];
            };
            if let Some(inside) = behind.strip_prefix("${") {
                end += 3 + closing(inside).ok_or_else(|| self.wrong())?;
                continue;
            }
            let is_end = match quote {
                Some(quote) => next == quote,
                None => next.is_whitespace() || "=!<>&|()\"'".contains(next),
            };
            if is_end {
                break &self.rest[start..end];
            }
            end += next.len_utf8();
        };
        if quote.is_none() && text.is_empty() {
            return Err(self.wrong());
        }
        let template = Template::compile(text, TextPosition::Plain, self.names, self.key)?;
        let is_word = |text: &str| {
            number(text).is_none()
                && !["true", "false"].iter().any(|known| text.eq_ignore_ascii_case(known))
        };
        if quote.is_none() && template.only_text().is_some_and(is_word) {
            return Err(self.wrong());
        }
        self.rest = self.rest[end + start..].trim_start();
        Ok(Operand { text: template, is_quoted: quote.is_some() })
    }

    fn take(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn wrong(&self) -> Problem {
        let message = format!(
            "This is no condition from {:?} on. Write texts in quotes, compare them by ==, !=, <, <=, >, >=, contains or matches, and join comparisons by &&, || and !.",
            self.rest
        );
        Problem::new(self.key, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold() {
        let mut names = Names::default();
        names.add("a");
        names.add("n");
        let values = [Value::Text("x y".into()), Value::Int(10)];
        for (text, expected) in [
            (r#""${a}" == "x y""#, true),
            ("${a} != 'x'", true),
            ("${n} > 9 && ${n} <= 10.0", true),
            ("${n}<9||${n}==10", true),
            (r#"!("${a}" contains "y") || ${n} matches "1\d""#, true),
            ("true", true),
            // Numbers are compared as such where neither side is in quotes, and texts by code point.
            (r#""${n}" == "10""#, true),
            (r#""${n}" == "10.0""#, false),
            ("${n} == '10.0'", false),
            ("${n} == 10.0", true),
            (r#""007" == "7""#, false),
            ("007 == 7", true),
            (r#""1e3" == "1000""#, false),
            ("1e3 == 1000", true),
            (r#"" 7" == "7""#, false),
            (r#""10" < "9""#, true),
            ("10 < 9", false),
            (r#""10" < 9"#, true),
            ("9007199254740993 == 9007199254740992", false),
            ("${a} < ${n}", false),
            ("TRUE && !false", true),
            ("${a}", false),
            (r#""${a}" == "" "#, false),
        ] {
            let condition = Condition::compile(text, &names, "k").unwrap();
            assert_eq!(condition.holds(&values), expected, "{text}");
        }
        for wrong in ["", "==", "${a} == ", "(true", "true true", "\"x", "${b}", "true &&"] {
            assert!(Condition::compile(wrong, &names, "k").is_err(), "{wrong}");
        }
        for word in ["${a} == x", "y == 1", "open", "inf == 1", "NaN == NaN", "${n} matches 1\\d"] {
            let problem = Condition::compile(word, &names, "k").unwrap_err();
            assert!(problem.message.contains("texts in quotes"), "{word}: {problem}");
        }
        assert!(Condition::compile(&"!".repeat(1_000), &names, "k").is_err());
    }
}
