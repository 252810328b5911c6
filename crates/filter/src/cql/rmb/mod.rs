//! CQL as FOLIO's raml-module-builder (RMB) 35 means it: the profile `compat = "rmb"` of collections.
//!
//! Every value is a text: that of PostgreSQL's `jsonb ->> name`. Arrays are not traversed: they are compared as
//! JSON text. A path that no document has matches nothing. Keys and references are UUIDs, with relations of
//! their own. `field = *` is true of everything, also of documents that lack the field, and `or` drops it.

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
use super::tree::{RelationKind, Subject, Symbol};
use crate::fields::FieldIndex;
use crate::limits::Limits;
use field_search::FieldSearch;
use modifiers::Modifiers;
use target::SearchedValue;

pub(super) use sort::read as order;

/// The expression of a condition, and whether it is `field = *`, which `or` drops.
pub(super) struct Condition {
    pub(super) expr: Expr,
    pub(super) is_star: bool,
}

/// The condition of a term.
///
/// # Errors
/// What RMB refuses with 400.
pub(super) fn search(
    (fields, limits): (&FieldIndex, &Limits),
    subject: &Subject,
    term: &Symbol,
) -> Result<Condition> {
    let relation = &subject.relation;
    let target = SearchedValue::find(fields, &subject.index.text);
    let row_exists = fields.row_exists(&target.text);
    let search = FieldSearch {
        target,
        row_exists: &row_exists,
        meaning: meaning(&relation.kind, relation.at.0)?,
        is_sign: matches!(relation.kind, RelationKind::Sign(_)),
        modifiers: Modifiers::read(&relation.modifiers)?,
        term,
        limits,
        at: relation.at.0,
    };
    if let Some(field) = search.target.id() {
        return ids::expression(&search, field).map(plain);
    }
    if !search.modifiers.elements.is_empty() {
        return elements::expression(&search, fields.rules()).map(plain);
    }
    search.expression()
}

fn plain(expr: Expr) -> Condition {
    Condition { expr, is_star: false }
}

impl FieldSearch<'_> {
    fn expression(&self) -> Result<Condition> {
        let is_words = self.is_words();
        if self.modifiers.number && self.is_sign {
            return numbers::expression(self).map(plain);
        }
        if is_words && self.term.text == "*" {
            // For a related document it tests whether there is one.
            let is_related = self.target.is_related();
            let expr = self.row_exists.clone();
            return Ok(Condition { expr, is_star: !is_related });
        }
        let Some((field, labels)) = self.target.labelled() else {
            return text::expression(self).map(plain);
        };
        let of_label = |field: &Field| {
            text::expression(&FieldSearch {
                target: self.target.of_text(field),
                modifiers: Modifiers::default(),
                ..*self
            })
        };
        labels::expression(field, labels, of_label).map(plain)
    }
}

fn meaning(kind: &RelationKind, at: usize) -> Result<Meaning> {
    let name = match kind {
        RelationKind::Sign(sign) => {
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
        RelationKind::Named(name) => name.as_str(),
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
