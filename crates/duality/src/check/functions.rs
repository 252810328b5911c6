//! The operators and functions of expressions: what each takes, gives and means on both stores.
//!
//! The meaning is PostgreSQL's. The tables here drive the check, its messages and the manual.

use std::collections::BTreeSet;

use duet_model::{Code, Expr as Resolved, FieldRef, JsonTest, TextTest, Type, Value};
use duet_text::{Positions, regex_pattern};

use super::expr::{Resolver, TypedExpr};
use super::types::{Family, family, signed};
use crate::ast::{Expr, ExprKind, ItemMethod, Literal, Name};
use crate::diagnostic::Diagnostic;
use crate::json_path;
use crate::rules;

/// What an argument of a function is.
#[derive(Clone, Copy)]
enum Takes {
    Text,
    Number,
    /// A whole number.
    Whole,
    /// A value of the type that the others have.
    Alike,
    /// What only the function itself can read.
    Own,
}

/// A function of expressions.
pub(crate) struct Function {
    name: &'static str,
    aliases: &'static [&'static str],
    least: usize,
    /// The last kind is that of all further arguments.
    takes: &'static [Takes],
    most: usize,
    /// How the manual writes it, and what it gives.
    pub(crate) form: &'static str,
    pub(crate) meaning: &'static str,
}

/// Characters of a regular expression, as filters have at most.
const LARGEST_PATTERN: usize = 1_000;

/// The functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function {
        name: "lower",
        aliases: &[],
        least: 1,
        takes: &[Takes::Text],
        most: 1,
        form: "lower(text)",
        meaning: "Unicode's lower case, in every locale",
    },
    Function {
        name: "upper",
        aliases: &[],
        least: 1,
        takes: &[Takes::Text],
        most: 1,
        form: "upper(text)",
        meaning: "Unicode's upper case: `ß` becomes `SS`",
    },
    Function {
        name: "length",
        aliases: &[],
        least: 1,
        takes: &[Takes::Text],
        most: 1,
        form: "length(text)",
        meaning: "its characters (code points)",
    },
    Function {
        name: "trim",
        aliases: &[],
        least: 1,
        takes: &[Takes::Text],
        most: 1,
        form: "trim(text)",
        meaning: "without blanks at both ends; tabs and line ends stay",
    },
    Function {
        name: "coalesce",
        aliases: &["nvl", "ifnull"],
        least: 2,
        takes: &[Takes::Alike],
        most: 50,
        form: "coalesce(value, …)",
        meaning: "the first that is not NULL, also `nvl`, `ifnull`; numbers, or values of one type",
    },
    Function {
        name: "abs",
        aliases: &[],
        least: 1,
        takes: &[Takes::Number],
        most: 1,
        form: "abs(number)",
        meaning: "without its sign",
    },
    Function {
        name: "round",
        aliases: &[],
        least: 1,
        takes: &[Takes::Number, Takes::Whole],
        most: 2,
        form: "round(number [, digits])",
        meaning: "decimals: halves away from zero, and to tens with `-1`. Floats, and whole numbers without digits: \
                  a float, halves to even; floats take no digits",
    },
    Function {
        name: "ceil",
        aliases: &["ceiling"],
        least: 1,
        takes: &[Takes::Number],
        most: 1,
        form: "ceil(number)",
        meaning: "the next whole number above, also `ceiling`",
    },
    Function {
        name: "floor",
        aliases: &[],
        least: 1,
        takes: &[Takes::Number],
        most: 1,
        form: "floor(number)",
        meaning: "the next whole number below",
    },
    Function {
        name: "number",
        aliases: &["to_number"],
        least: 1,
        takes: &[Takes::Own],
        most: 1,
        form: "number(text)",
        meaning: "the decimal that a text is, NULL for any other text; also `to_number`",
    },
    Function {
        name: "nullif",
        aliases: &[],
        least: 2,
        takes: &[Takes::Alike],
        most: 2,
        form: "nullif(value, other)",
        meaning: "NULL if both are equal, else the first",
    },
    Function {
        name: "replace",
        aliases: &[],
        least: 3,
        takes: &[Takes::Text],
        most: 3,
        form: "replace(text, part, by)",
        meaning: "every part replaced, case counts; an empty part is found nowhere",
    },
    Function {
        name: "substr",
        aliases: &["substring"],
        least: 2,
        takes: &[Takes::Text, Takes::Whole],
        most: 3,
        form: "substr(text, from [, length])",
        meaning: "the characters from a position on, also `substring`; the first is 1, and positions before it count \
                  and are empty. A negative length is an error",
    },
    Function {
        name: "regexp_like",
        aliases: &[],
        least: 2,
        takes: &[Takes::Own],
        most: 3,
        form: "regexp_like(text, 'pattern')",
        meaning: "in conditions: a [pattern](filters.md#regular-expressions) matches a part",
    },
    Function {
        name: "json_exists",
        aliases: &[],
        least: 2,
        takes: &[Takes::Own],
        most: 2,
        form: "json_exists(column, '$.a.b')",
        meaning: "in conditions: the path leads to anything, be it `null`",
    },
];

/// The operators, as the manual writes them, and what they give.
pub(crate) const OPERATORS: &[(&str, &str)] = &[
    (
        "+ - *",
        "whole numbers have 64 bits; decimals are exact, on SQLite [to 15 digits](types.md#decimals-on-sqlite); with a \
         float a float. A result beyond the type is an error",
    ),
    (
        "/",
        "a decimal with up to ten digits after the point, halves away from zero; NULL for a division by zero",
    ),
    ("||", "joins texts and whole numbers; with NULL it is NULL"),
    (
        "= <> < <= > >= IN BETWEEN",
        "columns by the database's rules, as in filters; computed texts by code point. NaN equals itself and is the \
         greatest number",
    ),
    (
        "LIKE",
        "case counts; `%` any text, `_` one character, `\\` before one of them the character itself",
    ),
    ("AND OR NOT IS NULL CASE", "as in SQL: with NULL a comparison is neither true nor false"),
];

impl Resolver<'_, '_> {
    pub(super) fn function(
        &mut self,
        name: &Name,
        given: &[Expr],
    ) -> Option<(Resolved, Option<Type>)> {
        let lower = name.text.to_lowercase();
        match &*lower {
            "positions" if self.rows.is_some() => return self.positions(name, given),
            "regexp_like" => return self.regexp_like(name, given),
            "json_exists" => return self.json_exists(name, given),
            other if other.starts_with("regexp_") => {
                let message = format!(
                    "{other} may find another part of a text on each store: use substr or replace, or regexp_like in a condition"
                );
                return self.report(name.span, message, rules::FUNCTIONS);
            }
            _ => {}
        }
        let known =
            FUNCTIONS.iter().find(|known| known.name == lower || known.aliases.contains(&&*lower));
        let Some(function) = known else {
            let names = FUNCTIONS.iter().map(|known| known.name);
            let message = format!("there is no function {lower}");
            let diagnostic = Diagnostic::new(Code::ViewPredicate, name.span, message);
            self.checker.report(diagnostic.rule(rules::FUNCTIONS).nearest(&lower, names));
            return None;
        };
        if !(function.least..=function.most).contains(&given.len()) {
            let (least, most) = (function.least, function.most);
            let takes =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            let message = format!("{} takes {takes} arguments, not {}", function.name, given.len());
            return self.report(name.span, message, rules::FUNCTIONS);
        }
        let method = match function.name {
            "ceil" => Some(ItemMethod::Ceiling),
            "floor" => Some(ItemMethod::Floor),
            "number" => Some(ItemMethod::Number),
            _ => None,
        };
        if let (Some(method), [operand]) = (method, given) {
            return self.item(method, operand);
        }
        let (arguments, ty) = match function.name {
            "coalesce" => self.alternatives(given.iter())?,
            "nullif" => self.comparable_alternatives(name, given)?,
            "abs" | "round" => self.numbers(name, function, given)?,
            "length" => (self.arguments(function, given)?, Some(Type::Integer { bits: 32 })),
            _ => (self.arguments(function, given)?, Some(Type::Text)),
        };
        let arguments = arguments.into_iter().map(|argument| argument.expr).collect();
        Some((Resolved::Function(function.name, arguments), ty))
    }

    /// `positions('0 to 2', condition, column, …)` in a query: how definitions are printed whose paths have array
    /// steps.
    fn positions(&mut self, name: &Name, given: &[Expr]) -> Option<(Resolved, Option<Type>)> {
        let all: Vec<_> = given.iter().map(|expr| self.resolve(expr)).collect();
        let all = all.into_iter().collect::<Option<Vec<_>>>()?;
        let arguments: Vec<Resolved> = all.into_iter().map(|argument| argument.expr).collect();
        let is_column = |expr: &Resolved| expr.whole_column().is_some();
        let nodes: BTreeSet<_> = arguments.iter().flat_map(Resolved::nodes).collect();
        match &arguments[..] {
            [Resolved::Literal(Value::Text(positions)), _, columns @ ..]
                if Positions::parse(positions).is_some()
                    && !columns.is_empty()
                    && columns.iter().all(is_column)
                    && nodes.len() == 1 =>
            {
                Some((Resolved::Function("positions", arguments), Some(Type::Boolean)))
            }
            _ => {
                let message = "positions takes positions, a condition and columns of one table";
                self.report(name.span, message.to_owned(), rules::FUNCTIONS)
            }
        }
    }

    /// `json_exists(column, '$.a.b')`: whether a path of members leads to anything, be it null.
    fn json_exists(&mut self, name: &Name, given: &[Expr]) -> Option<(Resolved, Option<Type>)> {
        let [column, Expr { kind: ExprKind::Literal(Literal::Text(text)), span, .. }] = given
        else {
            let message = "json_exists takes a JSON column and a path in single quotes".to_owned();
            return self.report(name.span, message, rules::FUNCTIONS);
        };
        let typed = self.resolve(column)?;
        let (Resolved::Field(field), Some(Type::Json)) = (&typed.expr, &typed.ty) else {
            let message = format!("a path leads into JSON, not into {}", typed.type_name());
            return self.report(typed.span, message, rules::TYPES);
        };
        let steps = json_path::inside_json(text).ok();
        match steps.as_deref().and_then(json_path::names).filter(|path| !path.is_empty()) {
            Some(path) => {
                let field = FieldRef { path, ..field.clone() };
                Some((Resolved::Json(field, JsonTest::Exists), Some(Type::Boolean)))
            }
            None => {
                let message =
                    "json_exists takes a path of member names, such as '$.a.b'".to_owned();
                self.report(*span, message, rules::FUNCTIONS)
            }
        }
    }

    /// `regexp_like(text, 'pattern')`, in the dialect of regular expressions that both stores match alike.
    fn regexp_like(&mut self, name: &Name, given: &[Expr]) -> Option<(Resolved, Option<Type>)> {
        let is_text = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(Literal::Text(_)));
        let (operand, pattern) = match given {
            [operand, pattern] if is_text(pattern) => (operand, pattern),
            [operand, pattern, Expr { kind: ExprKind::Literal(Literal::Text(flags)), .. }]
                if is_text(pattern) =>
            {
                // Case counts, and a point is any character, as without them here.
                if !flags.chars().all(|flag| matches!(flag, 'c' | 'n')) {
                    let message = "regexp_like has the flags 'c' and 'n' alone: for any case, compare lower(text)";
                    return self.report(name.span, message.to_owned(), rules::FUNCTIONS);
                }
                (operand, pattern)
            }
            _ => {
                let message = "regexp_like takes text and a pattern in single quotes".to_owned();
                return self.report(name.span, message, rules::FUNCTIONS);
            }
        };
        let ExprKind::Literal(Literal::Text(text)) = &pattern.kind else { return None };
        let operand = self.operand(operand, Family::Text)?;
        match regex_pattern::read(text) {
            Ok(read) if read.size <= LARGEST_PATTERN => {
                let test = TextTest::matches(read.printed);
                Some((Resolved::Search(Box::new(operand.expr), test), Some(Type::Boolean)))
            }
            Ok(_) => {
                let message = format!(
                    "the pattern has more than {LARGEST_PATTERN} characters, repetitions written out"
                );
                self.report(pattern.span, message, rules::FUNCTIONS)
            }
            Err(problem) => {
                let message = format!(
                    "the pattern is wrong at its character {}: {}",
                    problem.at, problem.message
                );
                self.report(pattern.span, message, rules::FUNCTIONS)
            }
        }
    }

    /// Values of one type that is compared.
    fn comparable_alternatives(
        &mut self,
        name: &Name,
        given: &[Expr],
    ) -> Option<(Vec<TypedExpr>, Option<Type>)> {
        let (all, ty) = self.alternatives(given.iter())?;
        match ty.as_ref().filter(|ty| family(ty) == Family::Opaque) {
            Some(opaque) => {
                let message = format!("{} cannot be compared", opaque.name());
                self.report(name.span, message, rules::TYPES)
            }
            None => Some((all, ty)),
        }
    }

    /// Arguments of the kinds that a function takes.
    fn arguments(&mut self, function: &Function, given: &[Expr]) -> Option<Vec<TypedExpr>> {
        let kinds = function.takes.iter().chain(function.takes.last().into_iter().cycle());
        let mut all = Vec::with_capacity(given.len());
        for (expr, kind) in given.iter().zip(kinds) {
            all.push(match kind {
                Takes::Text => self.operand(expr, Family::Text)?,
                Takes::Number => self.operand(expr, Family::Number)?,
                Takes::Whole => self.whole(expr)?,
                Takes::Alike | Takes::Own => self.resolve(expr)?,
            });
        }
        Some(all)
    }

    fn whole(&mut self, expr: &Expr) -> Option<TypedExpr> {
        let typed = self.resolve(expr)?;
        if matches!(typed.ty, None | Some(Type::Integer { .. })) {
            return Some(typed);
        }
        let message = format!("expected a whole number, found {}", typed.type_name());
        self.report(expr.span, message, rules::TYPES)
    }

    fn numbers(
        &mut self,
        name: &Name,
        function: &Function,
        given: &[Expr],
    ) -> Option<(Vec<TypedExpr>, Option<Type>)> {
        let arguments = self.arguments(function, given)?;
        let first = arguments.first().and_then(|argument| argument.ty.clone());
        let ty = match (function.name, first) {
            ("round", Some(Type::Float { .. })) if arguments.len() > 1 => {
                let message = "round to digits takes a decimal number, not FLOAT".to_owned();
                return self.report(name.span, message, rules::TYPES);
            }
            ("round", Some(Type::Integer { .. } | Type::Float { .. })) if arguments.len() == 1 => {
                Type::Float { bits: 64 }
            }
            ("round", _) => Type::Decimal { scale: None },
            (_, Some(ty)) => signed(ty),
            (_, None) => Type::Decimal { scale: None },
        };
        Some((arguments, Some(ty)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_names_all_functions() {
        let names: Vec<_> = FUNCTIONS.iter().map(|function| function.name).collect();
        assert!(rules::FUNCTIONS.ends_with(&names.join(" ")), "{names:?}");
    }
}
