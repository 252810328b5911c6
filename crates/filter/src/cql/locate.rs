//! Where in a query a term is that a database could not read.

use super::expression::enclosing;
use super::tree::{Clause, ClauseChain};
use super::{mask, parser};
use crate::limits::Limits;

/// The byte position of the first term that a statement carries as this text.
pub(crate) fn operand_at(query: &str, carried: &str, limits: &Limits) -> Option<usize> {
    find(&parser::read(query, limits).ok()?.scoped, carried)
}

fn find(scoped: &ClauseChain, carried: &str) -> Option<usize> {
    let clauses = std::iter::once(&scoped.first).chain(scoped.rest.iter().map(|(_, it)| it));
    clauses.into_iter().find_map(|clause| match clause {
        Clause::Group { scoped, .. } => find(scoped, carried),
        Clause::Search { term, .. } => {
            let text = mask::literal(&term.text);
            (text == carried || enclosing(&text) == carried).then_some(term.at.0)
        }
    })
}
