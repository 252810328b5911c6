//! From the syntax tree to an expression: indexes become fields, operators join conditions.
//!
//! Recursion is bounded by the depth of groups, which the parser has checked; the depth of the
//! expression, which grows where `and` and `or` alternate, is checked here.

use duet_model::error::Place;
use duet_model::problem::{fault, quoted};
use duet_model::shape::Field;
use duet_model::{Code, Error, Expr, Result};

use super::condition::{self, Condition};
use super::labels;
use super::modifiers::{unsupported, without_set};
use super::sort;
use super::tree::{Boolean, BooleanKind, Clause, Prefix, Query, Scoped, Subject, Symbol};
use crate::fields::FieldIndex;
use crate::grammar::Filter;
use crate::limits::Limits;

/// Gives a query the meaning that these fields have.
///
/// # Errors
/// One of the codes of filters, with the byte position in the query.
pub fn compile(query: &Query, fields: &FieldIndex, limits: &Limits) -> Result<Filter> {
    no_prefixes(&query.prefixes)?;
    let compiler = Compiler { fields, limits };
    let expr = compiler.scoped(&query.scoped, None)?.expr;
    Limits::check_values(&expr)?;
    limits.check_regexes(&expr)?;
    Ok(Filter { expr, order: sort::read(&query.sort, fields)? })
}

fn no_prefixes(prefixes: &[Prefix]) -> Result<()> {
    let Some(prefix) = prefixes.first() else { return Ok(()) };
    let message = "Prefix assignments are not supported.";
    Err(fault(Code::FilterUnsupported, prefix.at.0, message)
        .hint("Indexes are the fields of the resource; name them without a context set."))
}

/// An expression and how deep it is.
struct Built {
    expr: Expr,
    depth: usize,
}

struct Compiler<'c> {
    fields: &'c FieldIndex,
    limits: &'c Limits,
}

impl Compiler<'_> {
    fn scoped(&self, scoped: &Scoped, inherited: Option<&Subject>) -> Result<Built> {
        let mut built = self.clause(&scoped.first, inherited)?;
        for (boolean, clause) in &scoped.rest {
            let right = self.clause(clause, inherited)?;
            built = self.join(boolean, built, right)?;
        }
        Ok(built)
    }

    fn join(&self, boolean: &Boolean, left: Built, right: Built) -> Result<Built> {
        if let Some(modifier) =
            boolean.modifiers.first().filter(|_| boolean.kind != BooleanKind::Prox)
        {
            return Err(unsupported(modifier, "those of `prox`"));
        }
        // Whether the operator continues a list, which adds no level.
        let (continues, added) = match (&left.expr, boolean.kind) {
            (Expr::And(_), BooleanKind::And) | (Expr::Or(_), BooleanKind::Or) => (true, 1),
            (Expr::And(_), BooleanKind::Not) => (true, 2),
            (_, BooleanKind::Not | BooleanKind::Prox) => (false, 2),
            _ => (false, 1),
        };
        let depth = (left.depth + usize::from(!continues)).max(right.depth + added);
        if depth > self.limits.effective_depth() {
            let message = format!(
                "Conditions are nested deeper than {} levels; each change between `and` and `or` is one.",
                self.limits.effective_depth()
            );
            return Err(fault(Code::FilterLimit, boolean.at.0, message)
                .hint("Put what belongs together into parentheses, side by side."));
        }
        let expr = match boolean.kind {
            BooleanKind::And => both(left.expr, right.expr),
            BooleanKind::Or if left.expr.is_all() || right.expr.is_all() => Expr::all(),
            BooleanKind::Or => left.expr.or(right.expr),
            BooleanKind::Not => both(left.expr, Expr::NotTrue(Box::new(right.expr))),
            BooleanKind::Prox => same_element(boolean, left.expr, right.expr)?,
        };
        Ok(Built { expr, depth })
    }

    fn clause(&self, clause: &Clause, inherited: Option<&Subject>) -> Result<Built> {
        match clause {
            Clause::Group { subject, prefixes, scoped, .. } => {
                no_prefixes(prefixes)?;
                self.scoped(scoped, subject.as_ref().or(inherited))
            }
            Clause::Search { subject, term } => {
                let expr = self.search(subject.as_ref().or(inherited), term)?;
                Ok(Built { expr, depth: 3 })
            }
        }
    }

    fn search(&self, subject: Option<&Subject>, term: &Symbol) -> Result<Expr> {
        let Some(subject) = subject else { return Err(no_index(term)) };
        let index = &subject.index;
        match index.text.to_ascii_lowercase().as_str() {
            "cql.allrecords" => return Ok(Expr::all()),
            "cql.serverchoice" => return Err(no_index(term)),
            "cql.anyindexes" | "cql.allindexes" | "cql.anywhere" | "cql.resultsetid" => {
                let message = format!("The index {} is not supported.", quoted(&index.text));
                return Err(fault(Code::FilterUnsupported, index.at.0, message)
                    .hint("Name a field; cql.allRecords=1 finds everything."));
            }
            _ => {}
        }
        let field = self.field(index)?;
        let has_words = self.fields.has_words(&field);
        let on = |field: &Field| {
            let condition = Condition::new(field, subject, term, (self.limits, has_words))?;
            condition::expression(&condition)
        };
        match labels::of(&field) {
            Some(labels) => labels::expression(&field, labels, on),
            None => on(&field),
        }
    }

    fn field(&self, index: &Symbol) -> Result<Field> {
        let path = &index.text;
        if let Some(field) = self.fields.find(path) {
            return Ok(field.clone());
        }
        if self.fields.object(path).is_none()
            && let Some(field) = self.fields.inside(path)
        {
            return Ok(field);
        }
        Err(self.fields.unknown(path).at(Place::Offset(index.at.0)))
    }
}

fn no_index(term: &Symbol) -> Error {
    let message = format!("The term {} has no index, and none is the default.", quoted(&term.text));
    fault(Code::FilterUnsupported, term.at.0, message)
        .hint("Name a field and a relation, as in name = love; a term with spaces needs quotes.")
}

/// The conjunction; what holds for everything adds nothing.
fn both(left: Expr, right: Expr) -> Expr {
    match (left.is_all(), right.is_all()) {
        (true, _) => right,
        (_, true) => left,
        _ => left.and(right),
    }
}

/// `prox/unit=element`: both hold for the same element of an array.
fn same_element(boolean: &Boolean, left: Expr, right: Expr) -> Result<Expr> {
    let is = |name: &str, text: &str| {
        boolean.modifiers.iter().any(|modifier| {
            let value = modifier.value.as_ref();
            without_set(&modifier.name, "cql.") == name
                && value.is_some_and(|(_, value)| value.text.eq_ignore_ascii_case(text))
        })
    };
    let known = |name: &str| matches!(without_set(name, "cql."), "unit" | "distance");
    let others = boolean.modifiers.iter().any(|modifier| !known(&modifier.name));
    let has_distance = boolean.modifiers.iter().any(|it| it.name.ends_with("distance"));
    if !is("unit", "element") || others || has_distance && !is("distance", "0") {
        let message = "`prox` is supported as `prox/unit=element` only.";
        return Err(fault(Code::FilterUnsupported, boolean.at.0, message).hint(
            "It joins conditions on one element of an array; for words near each other use `adj`.",
        ));
    }
    let both = left.and(right);
    let nodes = both.nodes();
    if nodes.len() == 1 && !nodes.contains(&0) {
        return Ok(Expr::SameRow(Box::new(both)));
    }
    let message = "`prox/unit=element` joins conditions on fields of the elements of one array.";
    Err(fault(Code::FilterUnsupported, boolean.at.0, message)
        .hint("Put both conditions into parentheses where others come before them."))
}
