//! CQL as FOLIO's raml-module-builder (RMB) 35 means it: the profile `compat = "rmb"` of collections.
//!
//! Every value is a text: that of PostgreSQL's `jsonb ->> name`. Arrays are not traversed: they are compared as
//! JSON text. A path that no document has matches nothing. Keys and references are UUIDs, with relations of
//! their own. `field = *` is true of everything, also of documents that lack the field; behind `or` it is dropped.

mod elements;
mod field_search;
mod ids;
mod modifiers;
mod numbers;
mod sort;
mod target;
mod text;

use duet_model::shape::Field;
use duet_model::{Code, Compare, Expr, Result};
use duet_text::problem::{fault, quoted};

use super::condition::Meaning;
use super::labels;
use super::modifiers::without_set;
use super::sign::Sign;
use super::tree::{CqlRelationKind, Subject, Symbol};
use crate::fields::FieldIndex;
use crate::limits::Limits;
use field_search::FieldSearch;
use modifiers::Modifiers;
use target::SearchedValue;

pub(super) use sort::read as order;

/// Whether a condition is `field = *`, which `or` drops behind itself, whatever the field is.
pub(super) fn is_star(subject: Option<&Subject>, term: &Symbol) -> bool {
    let is_equal =
        |subject: &Subject| matches!(subject.relation.kind, CqlRelationKind::Sign(Sign::Equal));
    term.text == "*" && subject.is_none_or(is_equal)
}

/// The condition of a term.
///
/// # Errors
/// What RMB refuses with 400.
pub(super) fn search(
    fields: &FieldIndex,
    limits: &Limits,
    subject: &Subject,
    term: &Symbol,
) -> Result<Expr> {
    let relation = &subject.relation;
    let target = SearchedValue::find(fields, &subject.index.text);
    let row_exists = fields.row_exists(&target.text);
    let search = FieldSearch {
        target,
        row_exists: &row_exists,
        meaning: meaning(&relation.kind, relation.at.0)?,
        is_sign: matches!(relation.kind, CqlRelationKind::Sign(_)),
        modifiers: Modifiers::read(&relation.modifiers)?,
        term,
        limits,
        at: relation.at.0,
    };
    if let Some(field) = search.target.id() {
        return ids::expression(&search, field);
    }
    if !search.modifiers.elements.is_empty() {
        return elements::expression(&search, fields.rules());
    }
    search.expression()
}

impl FieldSearch<'_> {
    fn expression(&self) -> Result<Expr> {
        let is_words = self.is_words();
        if self.modifiers.number && self.is_sign {
            return numbers::expression(self);
        }
        if is_words && text::cleaned(&self.term.text) == "*" {
            // For a related document it tests whether there is one.
            return Ok(self.row_exists.clone());
        }
        let Some((field, labels)) = self.target.labelled() else {
            return text::expression(self);
        };
        let of_label = |field: &Field| {
            text::expression(&FieldSearch {
                target: self.target.of_text(field),
                modifiers: Modifiers::default(),
                ..*self
            })
        };
        labels::expression(field, labels, of_label)
    }
}

fn meaning(kind: &CqlRelationKind, at: usize) -> Result<Meaning> {
    let name = match kind {
        CqlRelationKind::Sign(sign) => {
            return Ok(match sign {
                Sign::Equal => Meaning::Phrase,
                Sign::Exact => Meaning::Exact,
                Sign::NotEqual => Meaning::Differs,
                Sign::Less => Meaning::Order(Compare::Lt),
                Sign::LessOrEqual => Meaning::Order(Compare::Lte),
                Sign::Greater => Meaning::Order(Compare::Gt),
                Sign::GreaterOrEqual => Meaning::Order(Compare::Gte),
            });
        }
        CqlRelationKind::Named(name) => name.as_str(),
    };
    match without_set(name, "cql.") {
        "adj" => Ok(Meaning::Phrase),
        "all" => Ok(Meaning::All),
        "any" => Ok(Meaning::Any),
        _ => {
            let message = format!("The relation {} is not supported.", quoted(name));
            Err(fault(Code::FilterUnsupported, at, message).hint(
                "The relations are =, ==, <>, <, <=, >, >=, adj, all and any. A term of several words with a dot in \
                 one needs quotes.",
            ))
        }
    }
}
