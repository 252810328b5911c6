//! SQL/JSON paths, as generated members and `JSON_VALUE` have them: `$.driver.points.sum() + 1`.

use duet_model::{Arithmetic, Compare};
use duet_text::{JsonStep, Positions};

/// An expression over paths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathExpr {
    Number(String),
    Text(String),
    Truth(bool),
    Null,
    Walk(Walk),
    /// A path from `@`, the element that a filter is about.
    OfElement(Walk),
    Negate(Box<PathExpr>),
    Arithmetic(Arithmetic, Box<PathExpr>, Box<PathExpr>),
}

/// `$.a."b c"[*]?(@.d > 1).e[0].upper().count()`
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Walk {
    /// The array steps in front of the first member.
    pub(crate) elements: Vec<Elements>,
    /// The steps, in order.
    pub(crate) steps: Vec<Step>,
    /// The item methods behind them, in order.
    pub(crate) methods: Vec<String>,
}

/// A step to a member.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) name: String,
    /// The array steps behind it.
    pub(crate) elements: Vec<Elements>,
    /// The filter behind those.
    pub(crate) filter: Option<Condition>,
}

impl Step {
    /// A step without more.
    pub(crate) fn to(name: &str) -> Self {
        Self { name: name.to_owned(), elements: Vec::new(), filter: None }
    }
}

/// An array step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    /// `[*]`
    All,
    /// `[0]`, `[last-1]`, `[0 to 2]`, `[0,2]`
    Some(Positions),
}

impl Elements {
    /// Whether it selects a value that is no array, which is an array of one in lax mode.
    pub(crate) fn select_the_only(&self) -> bool {
        match self {
            Self::All => true,
            Self::Some(positions) => positions.select_the_only(),
        }
    }
}

/// A filter: `?(@.points > 10 && !(@.name == "x"))`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    Compare(Compare, PathExpr, PathExpr),
    Exists(PathExpr),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// How deep parentheses and signs may be nested.
const DEEPEST: usize = 32;

/// How many operators a path may have.
const MOST_OPERATORS: usize = 64;

/// Reads a path; `None` for what is no path of this language.
pub(crate) fn read(text: &str) -> Option<PathExpr> {
    let mut reader = Reader { rest: text, depth: 0, operators: 0, in_filter: false };
    let _ = reader.word("lax") || reader.word("strict");
    let expr = reader.sum()?;
    reader.blank().is_empty().then_some(expr)
}

/// Why a path has no value inside JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoSteps {
    /// It is no path, or a calculation, or ends with another method than `.size()`.
    Form,
    /// It leads to several elements of the array behind this member.
    Several(String),
}

/// The steps of a path inside JSON, without methods but `.size()` at its end.
pub(crate) fn inside_json(text: &str) -> Result<Vec<JsonStep>, NoSteps> {
    let Some(PathExpr::Walk(Walk { elements, steps, methods })) = read(text) else {
        return Err(NoSteps::Form);
    };
    let mut inside = json_steps("$", &elements, &steps)?;
    match methods.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["size"] => inside.push(JsonStep::Size),
        _ => return Err(NoSteps::Form),
    }
    Ok(inside)
}

/// The same steps inside a JSON value that this member has.
pub(crate) fn json_steps(
    name: &str,
    elements: &[Elements],
    steps: &[Step],
) -> Result<Vec<JsonStep>, NoSteps> {
    let mut inside = Vec::new();
    let several = |name: &str| NoSteps::Several(name.to_owned());
    let select = |name: &str, elements: &[Elements], inside: &mut Vec<JsonStep>| {
        for one in elements {
            let Elements::Some(positions) = one else { return Err(several(name)) };
            let position = positions.single().ok_or_else(|| several(name))?;
            inside.push(JsonStep::Element(position));
        }
        Ok(())
    };
    select(name, elements, &mut inside)?;
    for step in steps {
        inside.push(JsonStep::Member(step.name.clone()));
        select(&step.name, &step.elements, &mut inside)?;
        if step.filter.is_some() {
            return Err(several(&step.name));
        }
    }
    Ok(inside)
}

/// What to write instead of a path to several values inside JSON.
pub(crate) fn several(name: &str) -> String {
    format!(
        "`{name}` is an array inside JSON, of which a path leads to one element: write its position, as in [0] or [last]"
    )
}

/// The member names of steps that lead into no array.
pub(crate) fn names(steps: &[JsonStep]) -> Option<Vec<String>> {
    let name = |step: &JsonStep| match step {
        JsonStep::Member(name) => Some(name.clone()),
        JsonStep::Element(_) | JsonStep::Size => None,
    };
    steps.iter().map(name).collect()
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    operators: usize,
    /// Whether paths begin at `@`.
    in_filter: bool,
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
        self.count()?;
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
        if self.in_filter {
            for (word, value) in [
                ("true", PathExpr::Truth(true)),
                ("false", PathExpr::Truth(false)),
                ("null", PathExpr::Null),
            ] {
                if self.keyword(word) {
                    return Some(value);
                }
            }
            return self.eat('@').then(|| self.walk())?.map(PathExpr::OfElement);
        }
        self.eat('$').then(|| self.walk())?.map(PathExpr::Walk)
    }

    /// A word of the language, which no letter follows.
    fn keyword(&mut self, word: &str) -> bool {
        let is_part = |char: char| char == '_' || char.is_alphanumeric();
        let rest = self.blank().strip_prefix(word).filter(|rest| !rest.starts_with(is_part));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `?(…)`, where there is one. Filters are not nested.
    fn filter(&mut self) -> Option<Option<Condition>> {
        let rest = self.rest.trim_start().strip_prefix('?').filter(|_| !self.in_filter);
        let Some(rest) = rest else { return Some(None) };
        self.rest = rest;
        self.in_filter = true;
        let condition = self.eat('(').then(|| self.any_of()).flatten();
        self.in_filter = false;
        self.eat(')').then_some(Some(condition?))
    }

    fn any_of(&mut self) -> Option<Condition> {
        let mut left = self.all_of()?;
        while self.eat_sign("||") {
            self.count()?;
            left = Condition::Or(Box::new(left), Box::new(self.all_of()?));
        }
        Some(left)
    }

    fn all_of(&mut self) -> Option<Condition> {
        let mut left = self.one_of_all()?;
        while self.eat_sign("&&") {
            self.count()?;
            left = Condition::And(Box::new(left), Box::new(self.one_of_all()?));
        }
        Some(left)
    }

    fn one_of_all(&mut self) -> Option<Condition> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let found = self.condition();
        self.depth -= 1;
        found
    }

    fn condition(&mut self) -> Option<Condition> {
        if self.eat('!') {
            return Some(Condition::Not(Box::new(self.one_of_all()?)));
        }
        if self.keyword("exists") {
            let found = self.eat('(').then(|| self.factor())??;
            return self.eat(')').then_some(Condition::Exists(found));
        }
        // A parenthesis is of conditions or of a number.
        let (rest, operators) = (self.rest, self.operators);
        if self.eat('(') {
            if let Some(inner) = self.any_of()
                && self.eat(')')
            {
                return Some(inner);
            }
            (self.rest, self.operators) = (rest, operators.max(self.operators));
        }
        let left = self.sum()?;
        let signs = [
            ("==", Compare::Eq),
            ("!=", Compare::Ne),
            ("<>", Compare::Ne),
            ("<=", Compare::Lte),
            (">=", Compare::Gte),
            ("<", Compare::Lt),
            (">", Compare::Gt),
            ("=", Compare::Eq),
        ];
        let (_, operator) = signs.into_iter().find(|(sign, _)| self.eat_sign(sign))?;
        Some(Condition::Compare(operator, left, self.sum()?))
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let rest = self.blank().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Counts an operator; `None` where there are too many.
    fn count(&mut self) -> Option<()> {
        self.operators += 1;
        (self.operators <= MOST_OPERATORS).then_some(())
    }

    /// `[*]`, `[0]`, `[0 to 2, last]`, as many as there are.
    fn elements(&mut self) -> Option<Vec<Elements>> {
        let mut all = Vec::new();
        while let Some(rest) = self.rest.strip_prefix('[') {
            let (inside, rest) = rest.split_once(']')?;
            self.rest = rest;
            all.push(match inside.trim() {
                "*" => Elements::All,
                positions => Elements::Some(Positions::parse(positions)?),
            });
        }
        Some(all)
    }

    fn walk(&mut self) -> Option<Walk> {
        let mut walk = Walk { elements: self.elements()?, ..Walk::default() };
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
            let elements = self.elements()?;
            let filter = self.filter()?;
            walk.steps.push(Step { name, elements, filter });
        }
        (!walk.steps.is_empty() || !walk.elements.is_empty()).then_some(walk)
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
    fn steps_inside_json() {
        let encoded = |text| inside_json(text).map(|steps| JsonStep::encode(&steps));
        let steps = |text: &str| Ok(text.to_owned());
        assert_eq!(encoded("$.a.b"), steps(r#"["a","b"]"#));
        assert_eq!(encoded("$.\"a b\"._c"), steps(r#"["a b","_c"]"#));
        assert_eq!(encoded("lax $[1].a[last - 1][ 0 ].b"), steps(r#"[1,"a",-2,0,"b"]"#));
        assert_eq!(encoded("$[last].size()"), steps("[-1,true]"));
        for (several, name) in [
            ("$.a[*]", "a"),
            ("$[*].a", "$"),
            ("$.a.b[0 to 2].c", "b"),
            ("$.a[0,1]", "a"),
            ("$.a?(@.b > 1).c", "a"),
        ] {
            assert_eq!(encoded(several), Err(NoSteps::Several(name.to_owned())), "{several}");
        }
        for other in [
            "$",
            "a",
            "$..a",
            "$.a.sum()",
            "$.*",
            "$.\"a",
            "$.a x",
            "",
            "$.a[",
            "$.a[]",
            "$.a[b]",
            "$.a[0",
            "$.a[last to 0]",
            "$.a + 1",
        ] {
            assert_eq!(encoded(other), Err(NoSteps::Form), "{other}");
        }
        let plain = inside_json("$.a.b").unwrap();
        assert_eq!(names(&plain), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(names(&inside_json("$.a[0]").unwrap()), None);
    }

    #[test]
    fn filters() {
        let filter_of = |text: &str| match read(text) {
            Some(PathExpr::Walk(walk)) => walk.steps[0].filter.clone(),
            other => panic!("{text}: {other:?}"),
        };
        let own = |name: &str| {
            PathExpr::OfElement(Walk { steps: vec![Step::to(name)], ..Walk::default() })
        };
        let one = PathExpr::Number("1".to_owned());
        let more = Condition::Compare(Compare::Gt, own("b"), one.clone());
        for text in ["$.a?(@.b > 1)", "$.a[*] ? ( @.b>1 ).c.sum()", "$.a?((@.b > 1))"] {
            assert_eq!(filter_of(text), Some(more.clone()), "{text}");
        }
        let sum = PathExpr::Arithmetic(Arithmetic::Add, Box::new(own("b")), Box::new(one));
        let name = Condition::Compare(Compare::Ne, PathExpr::Text("x".to_owned()), own("c"));
        let none = Condition::Compare(Compare::Eq, own("d"), PathExpr::Null);
        let expected = Condition::Or(
            Box::new(Condition::And(
                Box::new(Condition::Compare(Compare::Lte, sum, PathExpr::Number("2.5".to_owned()))),
                Box::new(name),
            )),
            Box::new(Condition::Not(Box::new(none))),
        );
        let text = r#"$.a?((@.b + 1) <= 2.5 && "x" != @.c || !(@.d == null)).count()"#;
        assert_eq!(filter_of(text), Some(expected));
        assert_eq!(filter_of("$.a?(exists(@.b))"), Some(Condition::Exists(own("b"))));
    }

    #[test]
    fn operators_and_methods() {
        let walk = |names: &[(&str, bool)], methods: &[&str]| {
            let steps = names.iter();
            let step = |(name, many): &(&str, bool)| {
                let elements = if *many { vec![Elements::All] } else { Vec::new() };
                Step { elements, ..Step::to(name) }
            };
            let methods = methods.iter().map(|&name| name.to_owned()).collect();
            PathExpr::Walk(Walk { elements: Vec::new(), steps: steps.map(step).collect(), methods })
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
        for wrong in [
            "$.a +",
            "($.a",
            "$.a.sum().b",
            "1..2",
            "$.a ? (@ > 1)",
            "$.a.sum(1)",
            "$.a?(@.b)",
            "$.a?(@.b > )",
            "$.a?($.b > 1)",
            "$.a?(@.b > 1",
            "$.a?(@.b?(@.c > 1) > 2)",
            "@.a",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read(&"(".repeat(100_000)), None);
        assert_eq!(read(&"-".repeat(100_000)), None);
        assert_eq!(read(&"1 + ".repeat(100_000)), None);
        assert_eq!(read(&format!("$.a?({}", "(".repeat(100_000))), None);
        assert_eq!(read(&format!("$.a?({}", "!".repeat(100_000))), None);
        assert_eq!(read(&format!("$.a?(@.b > 1{})", " && @.b > 1".repeat(100))), None);
    }
}
