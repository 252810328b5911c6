//! Expressions of numbers, with the operators and functions of pgbench (PostgreSQL's manual, pgbench, "Built-in
//! Operators" and "Built-in Functions"): whole numbers of 64 bits, numbers with a fraction, truth values and NULL.

mod digits;
mod draw;
mod operation;
mod parse;

use std::fmt;

use fastrand::Rng;

pub(crate) use digits::fifteen_digits;
#[cfg(test)]
pub(crate) use parse::function_names;
pub(crate) use parse::parse;

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Null,
    Truth(bool),
    Whole(i64),
    Fraction(f64),
}

/// As pgbench writes it into statements: 15 digits, and no fraction that is 0.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Truth(truth) => truth.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Fraction(number) => f.write_str(&fifteen_digits(*number)),
        }
    }
}

impl Number {
    /// The same number in an expression: with all its digits, and a fraction where it is one.
    pub(crate) fn source(self) -> String {
        match self {
            Self::Fraction(number) if number.is_nan() => "(1e999 - 1e999)".to_owned(),
            Self::Fraction(number) if number.is_infinite() => {
                if number > 0.0 { "1e999" } else { "-1e999" }.to_owned()
            }
            Self::Fraction(number) => format!("{number:?}"),
            other => other.to_string(),
        }
    }

    /// As a condition: numbers but 0 are true.
    pub(crate) fn holds(self) -> bool {
        match self {
            Self::Null => false,
            Self::Truth(truth) => truth,
            Self::Whole(number) => number != 0,
            Self::Fraction(number) => number != 0.0,
        }
    }
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Number(Number),
    /// `:name`.
    Variable(String),
    /// A function or an operator with its operands.
    Call(&'static str, Vec<Expression>),
    /// `CASE`: conditions with their values, then the value of `ELSE`.
    Case(Vec<(Expression, Expression)>, Box<Expression>),
}

impl Expression {
    /// The value, with those of its variables.
    ///
    /// # Errors
    /// Why it has none, as a sentence.
    pub(crate) fn value(
        &self,
        variables: &dyn Fn(&str) -> Option<Number>,
        random: &mut Rng,
    ) -> Result<Number, String> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Variable(name) => {
                variables(name).ok_or_else(|| format!("`:{name}` is no number that is known."))
            }
            Self::Case(arms, otherwise) => {
                for (condition, value) in arms {
                    if condition.value(variables, random)?.holds() {
                        return value.value(variables, random);
                    }
                }
                otherwise.value(variables, random)
            }
            // NULL decides too: what is behind it is not computed.
            Self::Call(name @ ("and" | "or"), both) => {
                let first = both[0].value(variables, random)?;
                if first == Number::Null {
                    return Ok(first);
                }
                if operation::truth(first)? == (*name == "or") {
                    return Ok(first);
                }
                match both[1].value(variables, random)? {
                    Number::Null => Ok(Number::Null),
                    second => operation::truth(second).map(Number::Truth),
                }
            }
            Self::Call(name, operands) => {
                let mut numbers = Vec::with_capacity(operands.len());
                for operand in operands {
                    numbers.push(operand.value(variables, random)?);
                }
                operation::call(name, &numbers, random)
            }
        }
    }

    /// Whether it has the same value each time: no variables and no random numbers.
    pub(crate) fn is_constant(&self) -> bool {
        self.is_free_of(&|one| match one {
            Self::Variable(_) => true,
            Self::Call(name, _) => name.starts_with("random"),
            _ => false,
        })
    }

    /// Whether it has no variables.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_free_of(&|one| matches!(one, Self::Variable(_)))
    }

    /// Whether no part of it is so.
    fn is_free_of(&self, is_so: &dyn Fn(&Self) -> bool) -> bool {
        let parts = match self {
            Self::Number(_) | Self::Variable(_) => true,
            Self::Call(_, operands) => operands.iter().all(|one| one.is_free_of(is_so)),
            Self::Case(arms, otherwise) => {
                let mut all = arms.iter().flat_map(|(one, two)| [one, two]).chain([&**otherwise]);
                all.all(|one| one.is_free_of(is_so))
            }
        };
        parts && !is_so(self)
    }

    /// With the variables of this table replaced by their expressions.
    #[must_use]
    pub(crate) fn replaced(&self, known: &dyn Fn(&str) -> Option<Self>) -> Self {
        let all = |some: &[Self]| some.iter().map(|one| one.replaced(known)).collect();
        match self {
            Self::Number(number) => Self::Number(*number),
            Self::Variable(name) => known(name).unwrap_or_else(|| self.clone()),
            Self::Call(name, operands) => Self::Call(name, all(operands)),
            Self::Case(arms, otherwise) => Self::Case(
                arms.iter().map(|(one, two)| (one.replaced(known), two.replaced(known))).collect(),
                Box::new(otherwise.replaced(known)),
            ),
        }
    }
}

/// The value of a text in which variables are filled in; NULL where it has none, such as a division by 0.
pub(crate) fn computed(text: &str, random: &mut Rng) -> Number {
    let value = parse(text).and_then(|expression| expression.value(&|_| None, random));
    value.unwrap_or(Number::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Number, String> {
        let known = |name: &str| (name == "n").then_some(Number::Whole(10));
        parse(text)?.value(&known, &mut Rng::with_seed(1))
    }

    #[test]
    fn expressions_have_the_values_of_pgbench() {
        for (text, expected) in [
            ("-5 + 2 * (:n - 1)", "13"),
            ("7 / 2", "3"),
            ("7 / 2.0", "3.5"),
            ("-7 % 3", "-1"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("1 + 2 = 3 AND NOT FALSE", "true"),
            ("5 <> 5 OR 2 >= 2", "true"),
            ("NULL IS NULL", "true"),
            ("3 NOTNULL", "true"),
            ("1 IS NOT NULL AND NULL", "NULL"),
            ("CASE WHEN :n > 5 THEN 1 ELSE 2 END", "1"),
            ("CASE WHEN FALSE THEN 1 END", "NULL"),
            ("6 & 3 | 8 # 1", "11"),
            ("1 << 4 >> 1", "8"),
            ("~0", "-1"),
            ("abs(-3) + greatest(1, 5, 2) - least(4, 2)", "6"),
            ("mod(54, 32)", "22"),
            ("int(5.9) + double(1)", "7"),
            ("sqrt(16)", "4"),
            ("power(2, 10)", "1024"),
            ("0.1 + 0.2", "0.3"),
            ("0.1 + 0.2 = 0.3", "false"),
            ("pow(2, 3) / 3", "2.66666666666667"),
            ("1.0 / 0 > 1e300", "true"),
            // Fractions are rounded, a half to the even number.
            ("int(2.7)", "3"),
            ("int(2.5) + int(-3.5)", "-2"),
            ("mod(7.6, 5) + (6.4 & 3)", "5"),
            ("~0.2", "-1"),
            ("-0.0", "0"),
            ("random(2.6, 3.4)", "3"),
            ("debug(NULL)", "NULL"),
            // From left to right: NULL decides.
            ("NULL OR TRUE", "NULL"),
            ("TRUE OR NULL", "true"),
            ("FALSE OR NULL", "NULL"),
            ("NULL AND FALSE", "NULL"),
            ("FALSE AND NULL", "false"),
            ("NULL OR 1", "NULL"),
            ("FALSE AND 1", "false"),
            ("CASE WHEN 5 THEN 1 ELSE 2 END", "1"),
            // As pgbench 15 prints them.
            ("hash_fnv1a(10, 123)", "6400321898261566932"),
            ("hash_murmur2(10, 5432)", "-5817877081768721676"),
            ("hash(10, 5432) = hash_murmur2(10, 5432)", "true"),
        ] {
            assert_eq!(value(text).map(|it| it.to_string()).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_says_why() {
        for (text, said) in [
            ("1 / 0", "divided by 0"),
            ("5 % 0.4", "divided by 0"),
            ("int(1e19)", "1e+19 is out of the range"),
            ("int(1.0 / 0)", "inf is out of the range"),
            ("0 or 1", "0 is no truth value"),
            ("TRUE AND 1", "1 is no truth value"),
            ("NOT 5", "5 is no truth value"),
            ("TRUE = TRUE", "The truth value true is no number"),
            ("TRUE + 1", "The truth value true is no number"),
            ("1 < 2 < 3", "`<` is not expected"),
            ("random(-9223372036854775807, 9223372036854775807)", "too many"),
            ("9223372036854775807 + 1", "out of range"),
            ("9223372036854775808", "out of range"),
            ("1 +", "ends too early"),
            ("(1", "`)` is missing"),
            ("1 2", "`2` is not expected"),
            ("nothing(1)", "The function `nothing` is not taken"),
            ("permute(1, 2)", "The function `permute` is not taken"),
            ("abs(1, 2)", "another number of arguments"),
            ("random(9, 1)", "The numbers from 9 to 1 are none"),
            ("random_gaussian(1, 9, 1.0)", "at least 2"),
            ("random_zipfian(1, 9, 1.0)", "from 1.001 to 1000"),
            (":m", "`:m` is no number"),
            (&"(".repeat(200_000), "nested too deep"),
            (&"-".repeat(200_000), "nested too deep"),
            (&"NOT ".repeat(200_000), "nested too deep"),
            ("\"a\"", "is not expected"),
        ] {
            let why = value(text).unwrap_err();
            assert!(why.contains(said), "{text:.40}: {why}");
        }
    }

    #[test]
    fn draws_are_within_their_bounds_and_have_their_shapes() {
        let mut random = Rng::with_seed(7);
        let mut mean = |text: &str| {
            let expression = parse(text).unwrap();
            let mut sum = 0.0;
            for _ in 0..20_000 {
                let Number::Whole(number) = expression.value(&|_| None, &mut random).unwrap()
                else {
                    panic!("{text}");
                };
                assert!((1..=100).contains(&number), "{text}: {number}");
                sum += number as f64;
            }
            sum / 20_000.0
        };
        for (text, from, to) in [
            ("random(1, 100)", 49.0, 52.0),
            ("random_gaussian(1, 100, 3.0)", 49.5, 51.5),
            // 100 × (1 / 5 − e⁻⁵ / (1 − e⁻⁵)), and a half.
            ("random_exponential(1, 100, 5.0)", 19.0, 21.0),
            ("random_zipfian(1, 100, 2.0)", 2.5, 4.0),
        ] {
            let found = mean(text);
            assert!((from..to).contains(&found), "{text}: {found}");
        }
    }
}
