//! Keywords of JSON Schema from the check constraints of a table and its domains.
//!
//! Only conditions that say the same in JSON Schema are taken: comparisons with a constant,
//! `BETWEEN`, lists of values, lengths and simple patterns of one column, joined by AND. Anything
//! else is left to the database.

use duet_model::catalog::Relation;
use duet_model::{Column, Type};
use serde_json::{Map, Number, Value, json};

/// What the checks of a table say of the values of a column.
pub fn keywords(table: &Relation, column: &Column) -> Map<String, Value> {
    let kind = match &column.ty {
        Type::Integer { .. } | Type::Decimal { .. } | Type::Float { .. } => ValueKind::Number,
        // Values that differ in their bytes may be equal to a listed one.
        Type::Text if !column.loose_equality => ValueKind::Text,
        _ => return Map::new(),
    };
    let mut found = ColumnKeywords { column: &column.name, kind, keywords: Map::new() };
    for check in &table.checks {
        if let Some(tokens) = tokens(&check.condition) {
            found.condition(&tokens);
        }
    }
    found.keywords
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Number,
    Text,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name or keyword; whether it was quoted.
    Word(String, bool),
    Number(String),
    Text(String),
    Sign(&'static str),
}

impl Token {
    fn is_word(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word, false) if word.eq_ignore_ascii_case(keyword))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self, Self::Sign(known) if *known == sign)
    }
}

/// Signs, longer ones first.
const SIGNS: [&str; 17] =
    ["::", ">=", "<=", "<>", "!=", "!~", "~*", "~~", "(", ")", "[", "]", ",", "=", "<", ">", "~"];

/// The condition without its casts; `None` where it holds something else than these tokens.
fn tokens(condition: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = condition.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '\'' | '"' | '`' => quoted(rest, first)?,
            '0'..='9' | '-' | '.' => number(rest)?,
            _ if first.is_alphabetic() || first == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.'));
                let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
                (Token::Word(word.to_owned(), false), after)
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
                (Token::Sign(sign), &rest[sign.len()..])
            }
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Some(without_casts(&tokens))
}

fn quoted(text: &str, quote: char) -> Option<(Token, &str)> {
    let mut value = String::new();
    let mut rest = &text[1..];
    loop {
        let end = rest.find(quote)?;
        value.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix(quote) {
            Some(after) => {
                value.push(quote);
                rest = after;
            }
            None if quote == '\'' => return Some((Token::Text(value), rest)),
            None => return Some((Token::Word(value, true), rest)),
        }
    }
}

fn number(text: &str) -> Option<(Token, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits.trim_start()),
        None => ("", text),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (digits, after) = digits.split_at(end);
    (!digits.is_empty()).then(|| (Token::Number(format!("{sign}{digits}")), after))
}

/// Casts say nothing of the value, such as `(status)::text = 'new'::text`.
fn without_casts(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if !token.is("::") {
            kept.push(token.clone());
            continue;
        }
        at += 1;
        while tokens.get(at).is_some_and(|t| t.is_word("varying") || t.is_word("precision")) {
            at += 1;
        }
        if tokens.get(at).is_some_and(|token| token.is("(")) {
            at += tokens[at..].iter().take_while(|token| !token.is(")")).count() + 1;
        }
        if tokens.get(at).is_some_and(|token| token.is("[")) {
            at += 2;
        }
    }
    kept
}

/// Where the parenthesis that opens at 0 is closed.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        depth += usize::from(token.is("("));
        if token.is(")") {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The same without parentheses around all of it.
fn unwrapped(mut tokens: &[Token]) -> &[Token] {
    while tokens.first().is_some_and(|token| token.is("("))
        && closing(tokens) == Some(tokens.len() - 1)
    {
        tokens = &tokens[1..tokens.len() - 1];
    }
    tokens
}

/// The parts between a keyword outside of parentheses. The AND of a BETWEEN does not count.
fn parts<'t>(tokens: &'t [Token], keyword: &str) -> Vec<&'t [Token]> {
    let (mut depth, mut between, mut start) = (0_i32, false, 0);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        if depth != 0 {
            continue;
        }
        if token.is_word("BETWEEN") {
            between = true;
        } else if token.is_word(keyword) && !(keyword == "AND" && std::mem::take(&mut between)) {
            found.push(&tokens[start..at]);
            start = at + 1;
        }
    }
    found.push(&tokens[start..]);
    found
}

struct ColumnKeywords<'a> {
    column: &'a str,
    kind: ValueKind,
    keywords: Map<String, Value>,
}

impl ColumnKeywords<'_> {
    fn condition(&mut self, tokens: &[Token]) {
        let tokens = unwrapped(tokens);
        match &parts(tokens, "OR")[..] {
            [_] => {}
            // A check holds for NULL anyway.
            [one, other] if self.is_null(one) => return self.condition(other),
            [one, other] if self.is_null(other) => return self.condition(one),
            _ => return,
        }
        match &parts(tokens, "AND")[..] {
            [one] => drop(self.comparison(one)),
            all => all.iter().for_each(|part| self.condition(part)),
        }
    }

    fn is_null(&self, tokens: &[Token]) -> bool {
        match unwrapped(tokens) {
            [name, is, null] => self.is_column(name) && is.is_word("IS") && null.is_word("NULL"),
            _ => false,
        }
    }

    fn is_column(&self, token: &Token) -> bool {
        match token {
            Token::Word(name, true) => name == self.column,
            Token::Word(name, false) => name.eq_ignore_ascii_case(self.column),
            _ => false,
        }
    }

    fn comparison(&mut self, tokens: &[Token]) -> Option<()> {
        let is_operator = |token: &Token| {
            ["=", "<", ">", "<=", ">=", "~"].iter().any(|sign| token.is(sign))
                || token.is_word("IN")
                || token.is_word("BETWEEN")
        };
        let at = tokens.iter().position(is_operator)?;
        let (left, right) = (unwrapped(&tokens[..at]), unwrapped(&tokens[at + 1..]));
        match (&tokens[at], self.subject(left), self.subject(right)) {
            (Token::Sign("~"), Some(Subject::Value), None) => self.pattern(right),
            (Token::Sign("="), Some(Subject::Value), None) if right.len() > 1 => self.any(right),
            (Token::Sign(sign), Some(subject), None) => self.bound(subject, sign, right),
            (Token::Sign(sign), None, Some(subject)) => {
                let turned = match *sign {
                    "<" => ">",
                    ">" => "<",
                    "<=" => ">=",
                    ">=" => "<=",
                    same => same,
                };
                self.bound(subject, turned, left)
            }
            (word, Some(Subject::Value), None) if word.is_word("IN") => self.list(right),
            (word, Some(subject), None) if word.is_word("BETWEEN") => {
                let [low, high] = parts(right, "AND")[..] else { return None };
                self.bound(subject, ">=", low)?;
                self.bound(subject, "<=", high)
            }
            _ => None,
        }
    }

    /// What is compared: the column, or its length.
    fn subject(&self, tokens: &[Token]) -> Option<Subject> {
        match tokens {
            [name] if self.is_column(name) => Some(Subject::Value),
            [function, rest @ ..]
                if ["length", "char_length", "character_length"]
                    .iter()
                    .any(|name| function.is_word(name))
                    && self.kind == ValueKind::Text =>
            {
                match unwrapped(rest) {
                    [name] if rest.len() > 1 && self.is_column(name) => Some(Subject::Length),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn bound(&mut self, subject: Subject, sign: &str, value: &[Token]) -> Option<()> {
        let [value] = unwrapped(value) else { return None };
        if let (Subject::Value, ValueKind::Text) = (subject, self.kind) {
            let Token::Text(text) = value else { return None };
            return (sign == "=").then(|| self.put("enum", json!([text])));
        }
        let number = number_of(value)?;
        if subject == Subject::Length {
            let length = number.as_u64()?;
            let (name, length) = match sign {
                "<=" => ("maxLength", length),
                "<" => ("maxLength", length.checked_sub(1)?),
                ">=" => ("minLength", length),
                ">" => ("minLength", length.checked_add(1)?),
                _ => return None,
            };
            self.put(name, json!(length));
            return Some(());
        }
        let name = match sign {
            "<=" => "maximum",
            "<" => "exclusiveMaximum",
            ">=" => "minimum",
            ">" => "exclusiveMinimum",
            _ => return None,
        };
        self.put(name, Value::Number(number));
        Some(())
    }

    /// `= ANY (ARRAY['a', 'b'])`, as PostgreSQL prints IN.
    fn any(&mut self, tokens: &[Token]) -> Option<()> {
        let [any, rest @ ..] = tokens else { return None };
        let [array, list @ ..] = unwrapped(rest) else { return None };
        let [open, items @ .., close] = list else { return None };
        let is_array = any.is_word("ANY") && array.is_word("ARRAY");
        (is_array && open.is("[") && close.is("]")).then(|| self.list(items)).flatten()
    }

    fn list(&mut self, tokens: &[Token]) -> Option<()> {
        let items = tokens.split(|token| token.is(",")).map(|item| {
            let [item] = unwrapped(item) else { return None };
            match (self.kind, item) {
                (ValueKind::Text, Token::Text(text)) => Some(Value::from(text.as_str())),
                (ValueKind::Number, number) => number_of(number).map(Value::Number),
                _ => None,
            }
        });
        let items: Vec<Value> = items.collect::<Option<_>>()?;
        self.put("enum", Value::Array(items));
        Some(())
    }

    fn pattern(&mut self, tokens: &[Token]) -> Option<()> {
        let [Token::Text(pattern)] = tokens else { return None };
        if self.kind == ValueKind::Text {
            self.put("pattern", Value::from(translated(pattern)?));
        }
        Some(())
    }

    /// The first condition of a kind is kept; a schema may say less than the checks, never more.
    fn put(&mut self, name: &str, value: Value) {
        self.keywords.entry(name).or_insert(value);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Value,
    Length,
}

fn number_of(token: &Token) -> Option<Number> {
    let (Token::Number(text) | Token::Text(text)) = token else { return None };
    match text.parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => Number::from_f64(text.parse().ok().filter(|number: &f64| number.is_finite())?),
    }
}

/// A pattern of PostgreSQL as JSON Schema has it (ECMA-262), where it means the same in both.
fn translated(pattern: &str) -> Option<String> {
    if pattern.starts_with("***") || pattern.contains("(?") || pattern.contains("[[") {
        return None;
    }
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                let escaped = chars.next()?;
                if !"\\.+*?()[]{}|^$/d".contains(escaped) {
                    return None;
                }
                out.push('\\');
                out.push(escaped);
                continue;
            }
            '[' if in_class => return None,
            '[' => in_class = true,
            ']' => in_class = false,
            // A point of PostgreSQL is any character, line breaks too.
            '.' if !in_class => {
                out.push_str("[\\s\\S]");
                continue;
            }
            _ => {}
        }
        out.push(char);
    }
    (!in_class).then_some(out)
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::{Check, RelationKind};

    use super::*;

    #[track_caller]
    fn expect(ty: Type, condition: &str, expected: &Value) {
        let column = Column::new("x", ty);
        let check = Check { name: "t_check".into(), condition: condition.into() };
        let relation = Relation {
            schema: "hr".into(),
            name: "t".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![column.clone()],
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: vec![check],
            comment: None,
            estimated_rows: None,
            batchable: false,
            plain: false,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        };
        assert_eq!(&Value::Object(keywords(&relation, &column)), expected, "{condition}");
    }

    #[test]
    fn ranges() {
        let number = || Type::Decimal { scale: None };
        expect(
            number(),
            "((x >= (0)::numeric) AND (x <= 100.5))",
            &json!({"minimum": 0, "maximum": 100.5}),
        );
        expect(number(), "x BETWEEN -1 AND 5 AND y > 2", &json!({"minimum": -1, "maximum": 5}));
        expect(number(), "0 < \"x\"", &json!({"exclusiveMinimum": 0}));
        expect(number(), "x IS NULL OR x < '-5'::integer", &json!({"exclusiveMaximum": -5}));
        expect(
            number(),
            "(x)::double precision > (0)::double precision",
            &json!({"exclusiveMinimum": 0}),
        );
        expect(number(), "x = ANY (ARRAY[1, 2])", &json!({"enum": [1, 2]}));
    }

    #[test]
    fn texts() {
        let anys = "((x)::text = ANY ((ARRAY['a'::character varying, 'it''s'::character varying])::text[]))";
        expect(Type::Text, anys, &json!({"enum": ["a", "it's"]}));
        expect(Type::Text, "[x] IN ('a')", &json!({}));
        expect(Type::Text, "x in ('a', 'b')", &json!({"enum": ["a", "b"]}));
        expect(
            Type::Text,
            "length(x) <= 5 AND char_length(x) > 1",
            &json!({"maxLength": 5, "minLength": 2}),
        );
        expect(
            Type::Text,
            "x ~ '^[A-Z]{2}-\\d+\\.?$'::text",
            &json!({"pattern": "^[A-Z]{2}-\\d+\\.?$"}),
        );
        expect(Type::Text, "x ~ '^.+@.+$'", &json!({"pattern": "^[\\s\\S]+@[\\s\\S]+$"}));
    }

    /// What cannot be said, or would say too much, is left out.
    #[test]
    fn others_are_left_to_the_database() {
        let integer = || Type::Integer { bits: 32 };
        for condition in [
            "x > 0 OR y > 0",
            "x > y",
            "NOT (x > 0)",
            "x <> 5",
            "x NOT IN (1, 2)",
            "x NOT BETWEEN 1 AND 2",
            "(x + 1) > 0",
            "abs(x) < 5",
            "x % 2 = 0",
            "CASE WHEN y THEN x > 0 END",
        ] {
            expect(integer(), condition, &json!({}));
        }
        for condition in ["x ~* '^a'", "x !~ 'a'", "x ~ '\\mword'", "x ~ '[[:alpha:]]'", "x > 'a'"]
        {
            expect(Type::Text, condition, &json!({}));
        }
        expect(Type::Date, "x > '2020-01-01'", &json!({}));
    }
}
