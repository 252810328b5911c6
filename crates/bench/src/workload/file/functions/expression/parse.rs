//! Parses expressions: recursive descent, in the order of precedence of pgbench.

use super::{Expression, Number};

/// How deep parentheses, signs and the like may be in each other.
const DEEPEST: usize = 100;

/// The functions, with the fewest and the most arguments.
const FUNCTIONS: [(&str, [usize; 2]); 20] = [
    ("abs", [1, 1]),
    ("debug", [1, 1]),
    ("double", [1, 1]),
    ("exp", [1, 1]),
    ("greatest", [1, 16]),
    ("hash", [1, 2]),
    ("hash_fnv1a", [1, 2]),
    ("hash_murmur2", [1, 2]),
    ("int", [1, 1]),
    ("least", [1, 16]),
    ("ln", [1, 1]),
    ("mod", [2, 2]),
    ("pi", [0, 0]),
    ("pow", [2, 2]),
    ("power", [2, 2]),
    ("random", [2, 2]),
    ("random_exponential", [3, 3]),
    ("random_gaussian", [3, 3]),
    ("random_zipfian", [3, 3]),
    ("sqrt", [1, 1]),
];

/// The names of the functions.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// The operators of two operands, from those that bind least; those of a level are taken from left to right.
const LEVELS: [&[(&str, &str)]; 6] = [
    &[("or", "or")],
    &[("and", "and")],
    // Between these: NOT, IS.
    &[("=", "="), ("<>", "<>"), ("!=", "<>"), ("<=", "<="), (">=", ">="), ("<", "<"), (">", ">")],
    &[("|", "|"), ("#", "#"), ("&", "&"), ("<<", "<<"), (">>", ">>")],
    &[("+", "+"), ("-", "-")],
    &[("*", "*"), ("/", "/"), ("%", "%")],
];

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(Number),
    /// The least whole number without its sign.
    Least,
    /// A name, in small letters.
    Name(String),
    Variable(String),
    Sign(&'static str),
    Other(char),
}

/// Parses an expression.
///
/// # Errors
/// What is not taken, as a sentence.
pub(crate) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let expression = parser.level(0)?;
    match parser.next() {
        None => Ok(expression),
        Some(token) => Err(format!("{} is not expected.", shown(&token))),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Number(number) => format!("`{}`", number.source()),
        Token::Least => "`9223372036854775808`".to_owned(),
        Token::Name(name) => format!("`{name}`"),
        Token::Variable(name) => format!("`:{name}`"),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::Other(char) => format!("`{char}`"),
    }
}

const SIGNS: [&str; 20] = [
    "<>", "!=", "<=", ">=", "<<", ">>", "<", ">", "=", "|", "#", "&", "~", "+", "-", "*", "/", "%",
    "(", ")",
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let word = |text: &str| text.find(|char| !is_word(char)).unwrap_or(text.len());
        let length = if first.is_ascii_digit() || first == '.' {
            let (token, length) = number(rest)?;
            tokens.push(token);
            length
        } else if first == ':' {
            let length = word(&rest[1..]) + 1;
            tokens.push(Token::Variable(rest[1..length].to_owned()));
            length
        } else if first.is_alphabetic() || first == '_' {
            let length = word(rest);
            tokens.push(Token::Name(rest[..length].to_lowercase()));
            length
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else {
            tokens.push(Token::Other(first));
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let bytes = text.as_bytes();
    let mut length = 0;
    let mut is_fraction = false;
    while let Some(byte) = bytes.get(length) {
        let is_exponent = matches!(byte, b'e' | b'E')
            && bytes
                .get(length + 1)
                .is_some_and(|next| next.is_ascii_digit() || b"+-".contains(next));
        match byte {
            b'0'..=b'9' => length += 1,
            b'.' => {
                is_fraction = true;
                length += 1;
            }
            _ if is_exponent => {
                is_fraction = true;
                length += 2;
            }
            _ => break,
        }
    }
    let digits = &text[..length];
    let token = match (is_fraction, digits.parse::<i64>(), digits.parse::<f64>()) {
        (false, Ok(whole), _) => Token::Number(Number::Whole(whole)),
        (false, Err(_), _) if digits.parse() == Ok(i64::MIN.unsigned_abs()) => Token::Least,
        (false, Err(_), _) => return Err(format!("{digits} is out of range.")),
        (true, _, Ok(fraction)) => Token::Number(Number::Fraction(fraction)),
        (true, _, Err(_)) => return Err(format!("{digits} is not a number.")),
    };
    Ok((token, length))
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Name(next)) if next == name);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        match self.takes_sign(sign) {
            true => Ok(()),
            false => Err(format!("`{sign}` is missing.")),
        }
    }

    fn deeper(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<Expression, String>,
    ) -> Result<Expression, String> {
        if self.depth >= DEEPEST {
            return Err(format!("It is nested too deep: more than {DEEPEST}."));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Operators of two operands.
    fn level(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        // NOT binds less than IS, and this less than comparisons.
        if level == 2 && self.takes_name("not") {
            let operand = self.deeper(|parser| parser.level(2))?;
            return Ok(Expression::Call("not", vec![operand]));
        }
        let mut left = self.level(level + 1)?;
        loop {
            let operator = operators
                .iter()
                .find(|(written, _)| self.takes_sign(written) || self.takes_name(written));
            match operator {
                Some((_, name)) => {
                    let right = self.level(level + 1)?;
                    left = Expression::Call(name, vec![left, right]);
                    // Comparisons do not follow each other.
                    if level == 2 {
                        return self.is(left);
                    }
                }
                None if level == 2 => return self.is(left),
                None => return Ok(left),
            }
        }
    }

    /// `IS NULL` and its like.
    fn is(&mut self, mut left: Expression) -> Result<Expression, String> {
        loop {
            let (is_not, what) = match () {
                () if self.takes_name("isnull") => (false, "is null"),
                () if self.takes_name("notnull") => (true, "is null"),
                () if self.takes_name("is") => {
                    let is_not = self.takes_name("not");
                    let what = ["null", "true", "false"].into_iter().find(|it| self.takes_name(it));
                    match what {
                        Some("null") => (is_not, "is null"),
                        Some("true") => (is_not, "is true"),
                        Some(_) => (is_not, "is false"),
                        None => return Err("`IS` is followed by NULL, TRUE or FALSE.".to_owned()),
                    }
                }
                () => return Ok(left),
            };
            left = Expression::Call(what, vec![left]);
            if is_not {
                left = Expression::Call("not", vec![left]);
            }
        }
    }

    fn unary(&mut self) -> Result<Expression, String> {
        if self.takes_sign("-") {
            if self.tokens.get(self.at) == Some(&Token::Least) {
                self.at += 1;
                return Ok(Expression::Number(Number::Whole(i64::MIN)));
            }
            let operand = self.deeper(Self::unary)?;
            return Ok(Expression::Call("negative", vec![operand]));
        }
        if self.takes_sign("+") {
            return self.deeper(Self::unary);
        }
        if self.takes_sign("~") {
            let operand = self.deeper(Self::unary)?;
            return Ok(Expression::Call("~", vec![operand]));
        }
        match self.next() {
            Some(Token::Number(number)) => Ok(Expression::Number(number)),
            Some(Token::Least) => Err("9223372036854775808 is out of range.".to_owned()),
            Some(Token::Variable(name)) => Ok(Expression::Variable(name)),
            Some(Token::Sign("(")) => {
                let inside = self.deeper(|parser| parser.level(0))?;
                self.expect(")")?;
                Ok(inside)
            }
            Some(Token::Name(name)) => self.named(&name),
            Some(token) => Err(format!("{} is not expected.", shown(&token))),
            None => Err("The expression ends too early.".to_owned()),
        }
    }

    fn named(&mut self, name: &str) -> Result<Expression, String> {
        let constant = match name {
            "null" => Some(Number::Null),
            "true" => Some(Number::Truth(true)),
            "false" => Some(Number::Truth(false)),
            _ => None,
        };
        if let Some(constant) = constant {
            return Ok(Expression::Number(constant));
        }
        if name == "case" {
            return self.deeper(Self::case);
        }
        let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
        let Some((known, [least, most])) = known else {
            let known = function_names().collect::<Vec<_>>().join(", ");
            return Err(format!("The function `{name}` is not taken; there are {known}."));
        };
        self.expect("(")?;
        let mut arguments = Vec::new();
        if !self.takes_sign(")") {
            loop {
                arguments.push(self.deeper(|parser| parser.level(0))?);
                if self.tokens.get(self.at) != Some(&Token::Other(',')) {
                    break;
                }
                self.at += 1;
            }
            self.expect(")")?;
        }
        if !(*least..=*most).contains(&arguments.len()) {
            return Err(format!("`{name}` has another number of arguments."));
        }
        let known = if *known == "pow" { "power" } else { known };
        Ok(Expression::Call(known, arguments))
    }

    fn case(&mut self) -> Result<Expression, String> {
        let mut arms = Vec::new();
        while self.takes_name("when") {
            let condition = self.level(0)?;
            if !self.takes_name("then") {
                return Err("`THEN` is missing.".to_owned());
            }
            arms.push((condition, self.level(0)?));
        }
        let otherwise = match self.takes_name("else") {
            true => self.level(0)?,
            false => Expression::Number(Number::Null),
        };
        match (arms.is_empty(), self.takes_name("end")) {
            (false, true) => Ok(Expression::Case(arms, Box::new(otherwise))),
            (true, _) => Err("`WHEN` is missing.".to_owned()),
            (_, false) => Err("`END` is missing.".to_owned()),
        }
    }
}
