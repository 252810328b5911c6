//! From the syntax tree to an expression: indexes become fields, operators join conditions.
//!
//! Recursion is bounded by the depth of groups, which the parser has checked; the depth of the
//! expression, which grows where `and` and `or` alternate, is checked here.

use duet_model::profiles::CqlMeaning;
use duet_model::shape::Field;
use duet_model::{Code, Error, Expr, Result};
use duet_text::error::Place;
use duet_text::problem::{fault, quoted};

use super::condition::Condition;
use super::expression;
use super::modifiers::{Modifiers, unsupported};
use super::sign::Sign;
use super::tree::{
    Boolean, BooleanKind, Clause, ClauseChain, CqlRelation, CqlRelationKind, Prefix, Query,
    Subject, Symbol,
};
use super::{labels, mask, rmb, same_element, sort};
use crate::fields::FieldIndex;
use crate::grammar::Filter;
use crate::limits::Limits;
use crate::similarity;

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
    let order = match fields.rules().profile.cql() {
        CqlMeaning::Typed => sort::read(&query.sort, fields, limits)?,
        CqlMeaning::Texts => rmb::order(&query.sort, fields, limits)?,
    };
    Ok(Filter { expr, order })
}

fn no_prefixes(prefixes: &[Prefix]) -> Result<()> {
    let Some(prefix) = prefixes.first() else { return Ok(()) };
    let message = "Prefix assignments are not supported.";
    Err(fault(Code::FilterUnsupported, prefix.at.0, message)
        .hint("Indexes are the fields of the resource; name them without a context set."))
}

/// How deep the expression of one condition is at most.
const CLAUSE: usize = 3;

/// An expression and how deep it is.
struct Built {
    expr: Expr,
    depth: usize,
    /// Whether it is `field = *` of RMB, which `or` drops.
    is_star: bool,
}

struct Compiler<'c> {
    fields: &'c FieldIndex,
    limits: &'c Limits,
}

impl Compiler<'_> {
    fn scoped(&self, scoped: &ClauseChain, inherited: Option<&Subject>) -> Result<Built> {
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
        let is_typed = self.fields.rules().profile.cql() == CqlMeaning::Typed;
        match boolean.kind {
            BooleanKind::Or if right.is_star => return Ok(Built { is_star: false, ..left }),
            BooleanKind::Prox if !is_typed => {
                let message = "`prox` is not supported.";
                return Err(fault(Code::FilterUnsupported, boolean.at.0, message));
            }
            _ => {}
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
            BooleanKind::Prox => {
                same_element::expression(boolean, left.expr, right.expr, self.fields.rules())?
            }
        };
        Ok(Built { expr, depth, is_star: false })
    }

    fn clause(&self, clause: &Clause, inherited: Option<&Subject>) -> Result<Built> {
        match clause {
            Clause::Group { subject, prefixes, scoped, .. } => {
                no_prefixes(prefixes)?;
                self.scoped(scoped, subject.as_ref().or(inherited))
            }
            Clause::Search { subject, term } => {
                let subject = subject.as_ref().or(inherited);
                let built = self.search(subject, term)?;
                let expr = self.limits.checked(built.expr, term.at.0)?;
                let is_texts = self.fields.rules().profile.cql() == CqlMeaning::Texts;
                Ok(Built { expr, is_star: is_texts && rmb::is_star(subject, term), ..built })
            }
        }
    }

    fn search(&self, subject: Option<&Subject>, term: &Symbol) -> Result<Built> {
        let built = |expr| Built { expr, depth: CLAUSE, is_star: false };
        let Some(subject) = subject else { return self.server_choice(None, term) };
        let index = &subject.index;
        match index.text.to_ascii_lowercase().as_str() {
            "cql.allrecords" => return Ok(built(Expr::all())),
            "cql.serverchoice" => return self.server_choice(Some(&subject.relation), term),
            "cql.anyindexes" | "cql.allindexes" | "cql.anywhere" | "cql.resultsetid" => {
                let message = format!("The index {} is not supported.", quoted(&index.text));
                return Err(fault(Code::FilterUnsupported, index.at.0, message)
                    .hint("Name a field; cql.allRecords=1 finds everything."));
            }
            _ => {}
        }
        let modifiers = &subject.relation.modifiers;
        let of_elements = modifiers.iter().any(|modifier| modifier.name.starts_with('@'));
        if self.fields.rules().profile.cql() == CqlMeaning::Texts || of_elements {
            return rmb::search(self.fields, self.limits, subject, term).map(built);
        }
        let field = self.field(index)?;
        let has_words = self.fields.has_words(&field);
        if Condition::new(&field, subject, term, self.limits, has_words)?.is_star() {
            return Ok(built(self.fields.row_exists(&field.value)));
        }
        if Modifiers::read(modifiers)?.fuzzy {
            return fuzzy(self.fields, &field, subject, term).map(built);
        }
        let on = |field: &Field| {
            Condition::new(field, subject, term, self.limits, has_words)
                .and_then(|it| expression::of(&it))
        };
        let expr = match labels::of(&field) {
            Some(labels) => labels::expression(&field, labels, on),
            None => on(&field),
        };
        expr.map(built)
    }

    /// A term without an index: the fields that the collection declares for it, any of several.
    fn server_choice(&self, relation: Option<&CqlRelation>, term: &Symbol) -> Result<Built> {
        let paths = &self.fields.rules().server_choice;
        let mut any = Vec::with_capacity(paths.len());
        for path in paths {
            let index = Symbol::new(path.clone(), term.at.0);
            let relation = relation.cloned().unwrap_or_else(|| CqlRelation::equal(term.at));
            any.push(self.search(Some(&Subject { index, relation }), term)?.expr);
        }
        match any.len() {
            0 => Err(no_index(term)),
            1 => Ok(Built { expr: any.remove(0), depth: CLAUSE, is_star: false }),
            _ => Ok(Built { expr: Expr::Or(any), depth: CLAUSE + 1, is_star: false }),
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

/// Texts similar to a term.
fn fuzzy(fields: &FieldIndex, field: &Field, subject: &Subject, term: &Symbol) -> Result<Expr> {
    let relation = &subject.relation;
    let asks = matches!(relation.kind, CqlRelationKind::Sign(Sign::Equal | Sign::Exact));
    if !asks || relation.modifiers.len() > 1 {
        let message = "`/fuzzy` is a modifier of `=` and `==`, without others.";
        return Err(fault(Code::FilterUnsupported, relation.at.0, message)
            .hint("Similarity ignores what the collection's texts ignore."));
    }
    similarity::check(fields, field, subject.index.at.0)?;
    Ok(similarity::condition(field, &mask::literal(&term.text)))
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
