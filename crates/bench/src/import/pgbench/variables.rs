//! The variables of a script: what each means at a place of the script, and the type that its value has there.
//!
//! pgbench keeps variables as long as a client runs; a workload's values are those of one transaction. A variable is
//! therefore taken where the script itself has set it on every way there.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::Columns;
use crate::workload::file::functions::expression::{Expression, Number};

/// The type of a value, as pgbench writes it into a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole number of 32 bits.
    Integer,
    /// A whole number of 64 bits.
    Bigint,
    /// What the value itself decides: a number with a fraction, a truth value, or a captured value.
    Untyped,
}

impl Kind {
    /// Its name in SQL; `None` if it has no type.
    pub(super) fn sql(self) -> Option<&'static str> {
        match self {
            Self::Integer => Some("integer"),
            Self::Bigint => Some("bigint"),
            Self::Untyped => None,
        }
    }

    /// That of a value which is of the one or the other.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Untyped, _) | (_, Self::Untyped) => Self::Untyped,
            (Self::Integer, Self::Integer) => Self::Integer,
            _ => Self::Bigint,
        }
    }

    /// That of all whole numbers between two.
    pub(super) fn between(from: i64, to: i64) -> Self {
        let fits = |number: i64| i32::try_from(number).is_ok();
        if fits(from) && fits(to) { Self::Integer } else { Self::Bigint }
    }

    /// That of an expression, with those of its variables.
    pub(super) fn of(expression: &Expression, variable: &dyn Fn(&str) -> Self) -> Self {
        let whole = |operands: &[Expression]| {
            let whole = operands.iter().all(|one| Self::of(one, variable) != Self::Untyped);
            if whole { Self::Bigint } else { Self::Untyped }
        };
        match expression {
            Expression::Number(Number::Whole(number)) => Self::between(*number, *number),
            Expression::Number(_) => Self::Untyped,
            Expression::Variable(name) => variable(name),
            Expression::Call(name, operands) => match *name {
                "int" | "%" | "mod" | "|" | "&" | "#" | "~" | "<<" | ">>" | "hash"
                | "hash_fnv1a" | "hash_murmur2" => Self::Bigint,
                name if name.starts_with("random") => match operands[..] {
                    [
                        Expression::Number(Number::Whole(from)),
                        Expression::Number(Number::Whole(to)),
                        ..,
                    ] => Self::between(from, to),
                    _ => Self::Bigint,
                },
                "debug" => Self::of(&operands[0], variable),
                "+" | "-" | "*" | "/" | "negative" | "abs" | "greatest" | "least" => {
                    whole(operands)
                }
                _ => Self::Untyped,
            },
            Expression::Case(arms, otherwise) => {
                let values = arms.iter().map(|(_, value)| value);
                values.fold(Self::of(otherwise, variable), |kind, value| {
                    kind.or(Self::of(value, variable))
                })
            }
        }
    }
}

/// What a variable means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Variable {
    Constant(Number),
    /// A feeder, a computed or a captured value, by the name of its placeholder.
    Placeholder(String, Kind),
    /// It cannot be said here.
    Unsure(Unsure),
}

/// Why it cannot be said what a variable means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsure {
    /// It has a value of the command line first, and later one of an earlier transaction.
    Kept,
    /// Only some branches set it.
    Branch,
    /// A statement before may have a column of its name.
    Hidden,
}

impl Unsure {
    /// What to do, as a sentence.
    pub(super) fn said(self, name: &str) -> String {
        match self {
            Self::Kept => format!(
                "`:{name}` would have the value of an earlier transaction here, since a script sets it: set it before, or give it another name."
            ),
            Self::Branch => format!(
                "`:{name}` is set in some branches only, and would else have the value of an earlier transaction: set it before `\\if` too."
            ),
            Self::Hidden => format!(
                "`:{name}` may be a column of the `\\gset` before: name the statement's columns, or give `\\gset` a prefix."
            ),
        }
    }
}

/// The columns that `\gset` sets.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    /// The number of the statement.
    pub(super) statement: usize,
    pub(super) prefix: String,
    pub(super) columns: Columns,
    /// Whether it is in a branch that has ended.
    pub(super) in_branch: bool,
}

impl Capture {
    /// The column that a variable is.
    pub(super) fn column<'a>(&self, name: &'a str) -> Option<&'a str> {
        name.strip_prefix(&*self.prefix).filter(|column| self.columns.may_have(column))
    }
}

/// The variables at a place of a script.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    known: BTreeMap<String, Variable>,
    captures: Vec<Capture>,
}

/// What is found for a name.
pub(super) enum Found<'a> {
    Variable(&'a Variable),
    /// A column of a statement, by the statement's number.
    Column(usize, String),
}

impl Variables {
    pub(super) fn set(&mut self, name: &str, variable: Variable) {
        self.known.insert(name.to_owned(), variable);
    }

    /// The columns of a statement replace variables of their names.
    pub(super) fn capture(&mut self, capture: Capture) {
        let named = |name: &str, all: &[String]| {
            name.strip_prefix(&*capture.prefix).is_some_and(|rest| all.iter().any(|it| it == rest))
        };
        self.known.retain(|name, _| !named(name, &capture.columns.names));
        for (name, variable) in &mut self.known {
            if capture.column(name).is_some() {
                *variable = Variable::Unsure(Unsure::Hidden);
            }
        }
        self.captures.push(capture);
    }

    pub(super) fn get(&self, name: &str) -> Option<Found<'_>> {
        if let Some(variable) = self.known.get(name) {
            return Some(Found::Variable(variable));
        }
        const BRANCH: &Variable = &Variable::Unsure(Unsure::Branch);
        const HIDDEN: &Variable = &Variable::Unsure(Unsure::Hidden);
        let mut matching =
            self.captures.iter().rev().filter_map(|capture| Some((capture, capture.column(name)?)));
        let (capture, column) = matching.next()?;
        if capture.in_branch {
            return Some(Found::Variable(BRANCH));
        }
        // Of two statements, the last one may have the column or not.
        let is_sure = capture.columns.names.iter().any(|known| known == column);
        if !is_sure && matching.next().is_some() {
            return Some(Found::Variable(HIDDEN));
        }
        Some(Found::Column(capture.statement, column.to_owned()))
    }

    /// The names with a value here.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Those that have one value during the run.
    pub(super) fn constant(&self, name: &str) -> Option<Number> {
        match self.known.get(name) {
            Some(Variable::Constant(number)) => Some(*number),
            _ => None,
        }
    }

    /// The type of a variable.
    pub(super) fn kind(&self, name: &str) -> Kind {
        match self.known.get(name) {
            Some(Variable::Constant(Number::Whole(number))) => Kind::between(*number, *number),
            Some(Variable::Placeholder(_, kind)) => *kind,
            _ => Kind::Untyped,
        }
    }

    /// Where the branches of a condition meet, with what was known before it: a variable is what it is in all.
    pub(super) fn joined(mut self, ends: &[Self]) -> Self {
        let before = self.captures.len();
        let ended = ends.iter().flat_map(|end| end.captures.iter().skip(before));
        let ended = ended.map(|capture| Capture { in_branch: true, ..capture.clone() });
        self.captures.extend(ended.collect::<Vec<_>>());
        let names: BTreeSet<&String> = ends.iter().flat_map(|end| end.known.keys()).collect();
        self.known = names
            .into_iter()
            .map(|name| {
                let each = ends.iter().map(|end| end.known.get(name).cloned());
                let both = each.reduce(|one, two| one.zip(two).map(|(one, two)| one.or(two)));
                let unsure = Variable::Unsure(Unsure::Branch);
                (name.clone(), both.flatten().unwrap_or(unsure))
            })
            .collect();
        self
    }
}

impl Variable {
    /// What it is where it is the one or the other.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unsure(why), _) | (_, Self::Unsure(why)) => Self::Unsure(why),
            (Self::Placeholder(one, kind), Self::Placeholder(two, other)) if one == two => {
                Self::Placeholder(one, kind.or(other))
            }
            (one, two) if one == two => one,
            _ => Self::Unsure(Unsure::Branch),
        }
    }
}
