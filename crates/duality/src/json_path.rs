//! SQL/JSON paths, as generated members and `JSON_VALUE` have them: `$.driver.points.sum() + 1`.

use duet_model::Arithmetic;

/// An expression over paths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathExpr {
    Number(String),
    Text(String),
    Walk(Walk),
    Negate(Box<PathExpr>),
    Arithmetic(Arithmetic, Box<PathExpr>, Box<PathExpr>),
}

/// `$.a."b c"[*].upper().count()`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walk {
    /// The member names, and whether `[*]` is behind each.
    pub(crate) steps: Vec<(String, bool)>,
    /// The item methods behind them, in order.
    pub(crate) methods: Vec<String>,
}

/// How deep parentheses and signs may be nested.
const DEEPEST: usize = 32;

/// How many operators a path may have.
const MOST_OPERATORS: usize = 64;

/// Reads a path; `None` for what is no path of this language.
pub(crate) fn read(text: &str) -> Option<PathExpr> {
    let mut reader = Reader { rest: text, depth: 0, operators: 0 };
    let _ = reader.word("lax") || reader.word("strict");
    let expr = reader.sum()?;
    reader.blank().is_empty().then_some(expr)
}

/// The member names of a path without steps into arrays and without methods.
pub(crate) fn members(text: &str) -> Option<Vec<String>> {
    match read(text)? {
        PathExpr::Walk(Walk { steps, methods }) if methods.is_empty() => {
            let names = steps.into_iter().map(|(name, repeated)| (!repeated).then_some(name));
            names.collect()
        }
        _ => None,
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    operators: usize,
}

impl<'a> Reader<'a> {
    fn blank(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    fn eat(&mut self, sign: char) -> bool {
        match self.blank().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A word in front of the path.
    fn word(&mut self, word: &str) -> bool {
        let rest = self.blank().strip_prefix(word);
        let found = rest.filter(|rest| rest.starts_with(char::is_whitespace));
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn sum(&mut self) -> Option<PathExpr> {
        let mut left = self.product()?;
        loop {
            let operator = match () {
                () if self.eat('+') => Arithmetic::Add,
                () if self.eat('-') => Arithmetic::Subtract,
                () => return Some(left),
            };
            left = self.joined(operator, left, Self::product)?;
        }
    }

    fn product(&mut self) -> Option<PathExpr> {
        let mut left = self.factor()?;
        loop {
            let operator = match () {
                () if self.eat('*') => Arithmetic::Multiply,
                () if self.eat('/') => Arithmetic::Divide,
                () => return Some(left),
            };
            left = self.joined(operator, left, Self::factor)?;
        }
    }

    fn joined(
        &mut self,
        operator: Arithmetic,
        left: PathExpr,
        right: impl Fn(&mut Self) -> Option<PathExpr>,
    ) -> Option<PathExpr> {
        self.operators += 1;
        if self.operators > MOST_OPERATORS {
            return None;
        }
        Some(PathExpr::Arithmetic(operator, Box::new(left), Box::new(right(self)?)))
    }

    fn factor(&mut self) -> Option<PathExpr> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let found = self.deeper();
        self.depth -= 1;
        found
    }

    fn deeper(&mut self) -> Option<PathExpr> {
        if self.eat('-') {
            return Some(PathExpr::Negate(Box::new(self.factor()?)));
        }
        if self.eat('(') {
            let inner = self.sum()?;
            return self.eat(')').then_some(inner);
        }
        if self.eat('"') {
            let (text, rest) = self.rest.split_once('"')?;
            self.rest = rest;
            return Some(PathExpr::Text(text.to_owned()));
        }
        if self.blank().starts_with(|char: char| char.is_ascii_digit()) {
            let is_part = |char: char| char.is_ascii_digit() || char == '.';
            let end = self.rest.find(|char| !is_part(char)).unwrap_or(self.rest.len());
            let (number, rest) = self.rest.split_at(end);
            self.rest = rest;
            return number.parse::<f64>().is_ok().then(|| PathExpr::Number(number.to_owned()));
        }
        self.eat('$').then(|| self.walk())?.map(PathExpr::Walk)
    }

    fn walk(&mut self) -> Option<Walk> {
        let mut walk = Walk::default();
        while let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            let name = self.name()?;
            if self.rest.starts_with('(') {
                self.rest = self.rest[1..].trim_start().strip_prefix(')')?;
                walk.methods.push(name.to_ascii_lowercase());
                continue;
            }
            // Nothing is below the result of a method.
            if !walk.methods.is_empty() {
                return None;
            }
            let repeated = self.rest.starts_with('[');
            if repeated {
                self.rest = self.rest.strip_prefix("[*]")?;
            }
            walk.steps.push((name, repeated));
        }
        (!walk.steps.is_empty()).then_some(walk)
    }

    fn name(&mut self) -> Option<String> {
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let (name, rest) = quoted.split_once('"')?;
            self.rest = rest;
            return (!name.is_empty()).then(|| name.to_owned());
        }
        let is_part = |char: char| char == '_' || char == '$' || char.is_alphanumeric();
        let end = self.rest.find(|char| !is_part(char)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let begins = name.starts_with(|char: char| char == '_' || char.is_alphabetic());
        begins.then(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_names() {
        let names = |text| members(text).map(|names| names.join("/"));
        assert_eq!(names("$.a.b").as_deref(), Some("a/b"));
        assert_eq!(names("$.\"a b\"._c").as_deref(), Some("a b/_c"));
        for other in
            ["$", "a", "$.a[0]", "$..a", "$.a.sum()", "$.*", "$.\"a", "$.a x", "", "$.a[*]"]
        {
            assert_eq!(members(other), None, "{other}");
        }
    }

    #[test]
    fn operators_and_methods() {
        let walk = |names: &[(&str, bool)], methods: &[&str]| {
            let steps = names.iter().map(|(name, many)| ((*name).to_owned(), *many)).collect();
            let methods = methods.iter().map(|&name| name.to_owned()).collect();
            PathExpr::Walk(Walk { steps, methods })
        };
        let points = walk(&[("driver", true), ("points", false)], &["sum"]);
        assert_eq!(read("lax $.driver[*].points.SUM( )"), Some(points.clone()));
        let boxed = |expr: &PathExpr| Box::new(expr.clone());
        let two = PathExpr::Number("2".to_owned());
        let half = PathExpr::Arithmetic(Arithmetic::Divide, boxed(&points), boxed(&two));
        let name = walk(&[("name", false)], &["upper", "length"]);
        let sum = PathExpr::Arithmetic(
            Arithmetic::Add,
            Box::new(PathExpr::Negate(boxed(&half))),
            boxed(&name),
        );
        let text = "- ($.driver[*].points.sum() / 2) + $.name.upper().length()";
        assert_eq!(read(text), Some(sum));
        for wrong in ["$.a +", "($.a", "$.a.sum().b", "1..2", "$.a ? (@ > 1)", "$.a.sum(1)"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read(&"(".repeat(100_000)), None);
        assert_eq!(read(&"-".repeat(100_000)), None);
        assert_eq!(read(&"1 + ".repeat(100_000)), None);
    }
}
