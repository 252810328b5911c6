//! Expressions of pgbench's `\set`: whole numbers, and a random number.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

/// How many parentheses and signs may be in each other.
const DEEPEST: usize = 100;
const TOO_LARGE: &str = "The number is too large.";

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    /// The same in each transaction.
    Constant(i64),
    /// `random(from, to)`.
    Uniform(i64, i64),
    /// `random_zipfian(from, to, parameter)`.
    Zipf(i64, i64, f64),
}

/// Parses an expression with the variables that are constants.
///
/// # Errors
/// The construct that cannot be taken, as a sentence.
pub(super) fn parse(text: &str, known: &BTreeMap<String, i64>) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    if let Some(Token::Name(name)) = tokens.first()
        && name.starts_with("random")
    {
        return random(name, &tokens, known);
    }
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), known, depth: 0 };
    let value = parser.sum()?;
    match parser.tokens.next() {
        None => Ok(Expression::Constant(value)),
        Some(token) => Err(format!("{token:?} is not taken in an expression.")),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    /// The least number without its sign.
    Least,
    Fraction(f64),
    Name(String),
    Variable(String),
    Sign(char),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut chars = text.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(&char) = chars.peek() {
        let mut word = |is_part: fn(char) -> bool| {
            let mut word = String::new();
            while let Some(next) = chars.next_if(|next| is_part(*next)) {
                word.push(next);
            }
            word
        };
        if char.is_whitespace() {
            chars.next();
        } else if char.is_ascii_digit() {
            let number = word(|c| c.is_ascii_digit() || c == '.');
            tokens.push(match (number.parse(), number.parse()) {
                (Ok(whole), _) => Token::Number(whole),
                _ if number.parse() == Ok(i64::MIN.unsigned_abs()) => Token::Least,
                _ if !number.contains('.') => return Err(TOO_LARGE.to_owned()),
                (_, Ok(fraction)) => Token::Fraction(fraction),
                _ => return Err(format!("{number} is not a number.")),
            });
        } else if char == ':' {
            chars.next();
            let mut name = String::new();
            while let Some(next) = chars.next_if(|next| next.is_alphanumeric() || *next == '_') {
                name.push(next);
            }
            tokens.push(Token::Variable(name));
        } else if char.is_alphabetic() {
            tokens.push(Token::Name(word(|c| c.is_alphanumeric() || c == '_')));
        } else {
            chars.next();
            tokens.push(Token::Sign(char));
        }
    }
    Ok(tokens)
}

/// A function that draws a number; its arguments are constants.
fn random(
    name: &str,
    tokens: &[Token],
    known: &BTreeMap<String, i64>,
) -> Result<Expression, String> {
    let not_taken = || format!("`{name}` is taken as the whole expression, with constants.");
    if !["random", "random_zipfian"].contains(&name) {
        return Err(format!("The function `{name}` is not taken."));
    }
    let [_, Token::Sign('('), inside @ .., Token::Sign(')')] = tokens else {
        return Err(not_taken());
    };
    let (mut arguments, mut depth) = (vec![Vec::new()], 0);
    for token in inside {
        match token {
            Token::Sign(',') if depth == 0 => arguments.push(Vec::new()),
            token => {
                depth += i32::from(*token == Token::Sign('('));
                depth -= i32::from(*token == Token::Sign(')'));
                if depth < 0 {
                    return Err(not_taken());
                }
                if let Some(last) = arguments.last_mut() {
                    last.push(token.clone());
                }
            }
        }
    }
    let whole = |argument: &Vec<Token>| {
        let mut parser =
            Parser { tokens: argument.clone().into_iter().peekable(), known, depth: 0 };
        let value = parser.sum()?;
        if parser.tokens.next().is_some() { Err(not_taken()) } else { Ok(value) }
    };
    match (name, &arguments[..]) {
        ("random", [from, to]) => ordered(whole(from)?, whole(to)?, Expression::Uniform),
        ("random_zipfian", [from, to, last]) => {
            let theta = match &last[..] {
                [Token::Fraction(theta)] => *theta,
                // A number below 2^53.
                [Token::Number(theta)] => *theta as f64,
                _ => return Err("The parameter of `random_zipfian` is a number.".into()),
            };
            ordered(whole(from)?, whole(to)?, |from, to| Expression::Zipf(from, to, theta))
        }
        _ => Err(format!("`{name}` has another number of arguments.")),
    }
}

fn ordered(
    from: i64,
    to: i64,
    make: impl FnOnce(i64, i64) -> Expression,
) -> Result<Expression, String> {
    match from <= to {
        true => Ok(make(from, to)),
        false => Err(format!("The numbers from {from} to {to} are none.")),
    }
}

/// Sums and products of constants.
struct Parser<'a> {
    tokens: Peekable<IntoIter<Token>>,
    known: &'a BTreeMap<String, i64>,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.sign(&['+', '-']) {
            let next = self.product()?;
            let sum = if sign == '+' { value.checked_add(next) } else { value.checked_sub(next) };
            value = sum.ok_or(TOO_LARGE)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.single()?;
        while let Some(sign) = self.sign(&['*', '/', '%']) {
            let next = self.single()?;
            let product = match sign {
                '*' => value.checked_mul(next),
                '/' => value.checked_div(next),
                _ => value.checked_rem(next),
            };
            value = product.ok_or("The number is too large, or divided by 0.")?;
        }
        Ok(value)
    }

    fn single(&mut self) -> Result<i64, String> {
        if self.depth == DEEPEST {
            return Err(format!("It has more than {DEEPEST} parentheses and signs in each other."));
        }
        self.depth += 1;
        let value = self.deeper();
        self.depth -= 1;
        value
    }

    fn deeper(&mut self) -> Result<i64, String> {
        match self.tokens.next() {
            Some(Token::Number(number)) => Ok(number),
            Some(Token::Sign('-')) => {
                // The least number is the negative of none.
                if self.tokens.next_if_eq(&Token::Least).is_some() {
                    return Ok(i64::MIN);
                }
                self.single()?.checked_neg().ok_or_else(|| TOO_LARGE.to_owned())
            }
            Some(Token::Least) => Err(TOO_LARGE.to_owned()),
            Some(Token::Sign('(')) => {
                let value = self.sum()?;
                match self.tokens.next() {
                    Some(Token::Sign(')')) => Ok(value),
                    _ => Err("A parenthesis is not closed.".to_owned()),
                }
            }
            Some(Token::Variable(name)) => self.known.get(&name).copied().ok_or_else(|| {
                format!("`:{name}` in an expression is taken where it is a constant.")
            }),
            Some(Token::Name(name)) => Err(format!("`{name}` is not taken in an expression.")),
            Some(Token::Fraction(number)) => Err(format!("{number} is no whole number.")),
            Some(Token::Sign(sign)) => Err(format!("`{sign}` is not taken in an expression.")),
            None => Err("The expression ends too early.".to_owned()),
        }
    }

    fn sign(&mut self, signs: &[char]) -> Option<char> {
        let next =
            self.tokens.next_if(|token| matches!(token, Token::Sign(sign) if signs.contains(sign)));
        next.and_then(|token| if let Token::Sign(sign) = token { Some(sign) } else { None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let known = BTreeMap::from([("scale".to_owned(), 3), ("n".to_owned(), 10)]);
        let of = |text| parse(text, &known);
        let deep = ["(".repeat(99), "7".to_owned(), ")".repeat(99)].concat();
        for (text, expected) in [
            ("5", Expression::Constant(5)),
            ("-5 + 2 * (:n - 1)", Expression::Constant(13)),
            ("random(1, 100000 * :scale)", Expression::Uniform(1, 300_000)),
            ("random(-5000, 5000)", Expression::Uniform(-5000, 5000)),
            ("-9223372036854775808", Expression::Constant(i64::MIN)),
            (&deep, Expression::Constant(7)),
            ("random_zipfian(1, :n, 1.07)", Expression::Zipf(1, 10, 1.07)),
        ] {
            assert_eq!(of(text), Ok(expected), "{text}");
        }
        for (text, said) in [
            ("random(1, 10) + 1", "taken as the whole expression"),
            ("random(1, :aid)", "`:aid` in an expression"),
            ("random_gaussian(1, 10, 2.5)", "The function `random_gaussian` is not taken"),
            ("abs(-1)", "`abs` is not taken"),
            ("1.5", "1.5 is no whole number"),
            ("random(9, 1)", "The numbers from 9 to 1 are none"),
            ("1 / 0", "divided by 0"),
            ("9223372036854775808", "too large"),
            ("-9223372036854775809", "too large"),
            (&"(".repeat(200_000), "more than 100 parentheses"),
            (&"-".repeat(200_000), "more than 100 parentheses"),
            ("", "ends too early"),
        ] {
            assert!(of(text).unwrap_err().contains(said), "{text}: {:?}", of(text));
        }
    }
}
