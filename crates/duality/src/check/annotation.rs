//! Annotations: where each is allowed, once, and never with its opposite.

use duet_model::Code;

use super::Checker;
use crate::ast::{Annotation, Kind};
use crate::diagnostic::Diagnostic;
use crate::rules;

/// The element that annotations belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Table,
    Column,
    Group,
    Generated,
}

/// The annotations of one thing, after the rules of their place.
#[derive(Default)]
pub(super) struct Marks<'a> {
    list: Vec<&'a Annotation>,
}

impl<'a> Marks<'a> {
    pub(super) fn get(&self, kind: Kind) -> Option<&'a Annotation> {
        self.list.iter().copied().find(|annotation| annotation.kind == kind)
    }

    /// Those of a kind that may be repeated.
    pub(super) fn all(&self, kind: Kind) -> impl Iterator<Item = &'a Annotation> {
        self.list.iter().copied().filter(move |annotation| annotation.kind == kind)
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        self.get(kind).is_some()
    }

    /// The value of `@kind` or `@nokind`; `None` without either.
    pub(super) fn flag(&self, kind: Kind) -> Option<bool> {
        self.get(kind).map(|annotation| annotation.on)
    }

    pub(super) fn on(&self, kind: Kind) -> bool {
        self.flag(kind) == Some(true)
    }
}

impl Checker<'_> {
    /// Takes the annotations that are right and reports the others.
    pub(super) fn marks<'a>(&mut self, annotations: &'a [Annotation], place: Place) -> Marks<'a> {
        let mut list: Vec<&Annotation> = Vec::new();
        for annotation in annotations {
            let problem = misplaced(annotation, place).or_else(|| repeated(annotation, &list));
            match problem {
                Some((message, rule)) => self.report(
                    Diagnostic::new(Code::ViewAnnotation, annotation.span, message).rule(rule),
                ),
                None => list.push(annotation),
            }
        }
        Marks { list }
    }
}

type Problem = (String, &'static str);

fn misplaced(annotation: &Annotation, place: Place) -> Option<Problem> {
    use Kind::{
        Array, Cast, Check, Delete, Flex, Generated, Hidden, Insert, Link, Nest, Notify, Object,
        OnNull, Unnest, Update, Validate, Where,
    };
    let (right, rule) = match (place, annotation.kind) {
        (Place::Generated, kind) => (matches!(kind, Generated | Hidden), rules::GENERATED_ALONE),
        (Place::Group, kind) => (matches!(kind, Nest | OnNull), rules::PLACE_GROUP),
        (_, Nest) => (false, rules::PLACE_GROUP),
        (Place::Table, Flex | Hidden | Cast | Generated) => (false, rules::PLACE_COLUMN),
        (Place::Column, Insert | Delete) => (false, rules::ROW_OPERATIONS),
        (Place::Column, Unnest) => (false, rules::UNNEST_ONE),
        (Place::Column, OnNull) => (false, rules::NULLS),
        (Place::Column, Validate) => (false, rules::VALIDATE),
        (Place::Column, Notify) => (false, rules::NOTIFY),
        (Place::Column, Link | Where | Array | Object) => (false, rules::PLACE_TABLE),
        (Place::Table | Place::Column, Update | Check) => (true, rules::PLACE_TABLE),
        (
            Place::Table,
            Insert | Delete | Unnest | Link | Where | Array | Object | OnNull | Validate | Notify,
        )
        | (Place::Column, Flex | Hidden | Cast | Generated) => (true, rules::PLACE_TABLE),
    };
    let on = match place {
        Place::Table => "a table",
        Place::Column => "a column",
        Place::Group => "a group",
        Place::Generated => "a generated member",
    };
    (!right).then(|| (format!("{} is not allowed on {on}", annotation.label()), rule))
}

fn repeated(annotation: &Annotation, before: &[&Annotation]) -> Option<Problem> {
    let label = annotation.label();
    let contradicts = |a: Kind, b: Kind| {
        (a == Kind::Array && matches!(b, Kind::Object | Kind::Unnest))
            || (a == Kind::Flex && b != Kind::Flex)
    };
    for other in before {
        if other.kind == Kind::Validate && annotation.kind == Kind::Validate {
            continue;
        }
        if other.kind == annotation.kind && other.on == annotation.on {
            return Some((format!("{label} appears twice"), rules::ONCE));
        }
        let rule = match () {
            () if other.kind == annotation.kind => rules::ONCE,
            () if !contradicts(other.kind, annotation.kind)
                && !contradicts(annotation.kind, other.kind) =>
            {
                continue;
            }
            () if [other.kind, annotation.kind].contains(&Kind::Flex) => rules::FLEX_ALONE,
            () if [other.kind, annotation.kind].contains(&Kind::Unnest) => rules::UNNEST_ONE,
            () => rules::ONCE,
        };
        return Some((format!("{label} contradicts {}", other.label()), rule));
    }
    None
}
