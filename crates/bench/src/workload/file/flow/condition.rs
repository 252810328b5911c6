//! Conditions of steps: `"${status}" == "open" && ${n} < 5`.

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
    Compared(Template, Comparison, Template),
    /// A text that is `true`.
    Text(Template),
}

/// How two texts are compared: as numbers where both are.
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
            Self::Compared(one, how, other) => match (one.text(values), other.text(values)) {
                (Ok(one), Ok(other)) => how.holds(&one, &other),
                _ => false,
            },
        }
    }
}

impl Comparison {
    fn holds(self, one: &str, other: &str) -> bool {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let order = match (number(one), number(other)) {
            (Some(one), Some(other)) => one.partial_cmp(&other),
            _ => Some(one.cmp(other)),
        };
        match self {
            Self::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
            Self::Unequal => !order.is_some_and(std::cmp::Ordering::is_eq),
            Self::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Self::LessOrEqual => order.is_some_and(std::cmp::Ordering::is_le),
            Self::More => order.is_some_and(std::cmp::Ordering::is_gt),
            Self::MoreOrEqual => order.is_some_and(std::cmp::Ordering::is_ge),
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
                None => Condition::Text(one),
                Some((word, how)) => {
                    self.take(word);
                    Condition::Compared(one, *how, self.operand()?)
                }
            }
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// A text in quotes, or one up to a blank or a word of conditions.
    fn operand(&mut self) -> Result<Template, Problem> {
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
        self.rest = self.rest[end + start..].trim_start();
        Ok(template)
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
            (r#"!("${a}" contains "y") || ${n} matches 1\d"#, true),
            ("true", true),
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
        assert!(Condition::compile(&"!".repeat(1_000), &names, "k").is_err());
    }
}
