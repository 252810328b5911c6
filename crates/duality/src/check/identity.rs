//! Identifying columns: every table exposes them all.
//!
//! A column counts as exposed where its value can be read off the document: as a member of the
//! table's own object (hidden or not), or because the table's join equates it with an exposed
//! column of the parent, or because a declared foreign key equates it with an exposed column of a
//! to-one table below, without a row filter there. So a mapping table whose key consists of two
//! foreign keys needs no members of its own for them. An array of scalars exposes nothing and is
//! read-only.

use duet_model::{Cardinality, Code, NodeId, Relation};

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::joins::declared;
use crate::source::Span;
use crate::{names, rules};

impl Checker<'_> {
    pub(super) fn identities(&mut self) {
        for node in 0..self.drafts.len() {
            let draft = &self.drafts[node];
            if draft.scalar || draft.broken {
                continue;
            }
            let table = duet_model::TableRef::clone(&draft.node.table);
            let span = draft.span;
            if table.identity().is_empty() {
                // The root's lack has been reported already.
                if node > 0 {
                    self.report_no_identity(&table, span);
                }
                continue;
            }
            let hidden: Vec<usize> = table
                .identity()
                .iter()
                .copied()
                .filter(|&column| !self.exposed(node, column, &mut Vec::new()))
                .collect();
            self.report_hidden(&table, &hidden, span);
        }
    }

    pub(super) fn report_no_identity(&mut self, table: &Relation, span: Span) {
        let message = format!("table {} has no key", names::of_table(table));
        let diagnostic = Diagnostic::new(Code::ViewIdentity, span, message);
        self.report(diagnostic.rule(rules::IDENTITY_NEEDED));
    }

    fn report_hidden(&mut self, table: &Relation, columns: &[usize], span: Span) {
        if columns.is_empty() {
            return;
        }
        let names: Vec<_> = columns.iter().map(|&column| names::of(table, column)).collect();
        let message =
            format!("the object of {} lacks {}", names::of_table(table), names.join(" and "));
        let members: Vec<_> = names.iter().map(|name| format!("{name}: {name}")).collect();
        let diagnostic = Diagnostic::new(Code::ViewIdentity, span, message)
            .rule(rules::IDENTITY_SHOWN)
            .hint(format!("Add {}.", members.join(", ")));
        self.report(diagnostic);
    }

    /// Whether the value of a column can be read off the document. `seen` are the questions
    /// asked already, so that joins cannot answer each other.
    fn exposed(&self, node: NodeId, column: usize, seen: &mut Vec<(NodeId, usize)>) -> bool {
        if seen.contains(&(node, column)) {
            return false;
        }
        seen.push((node, column));
        let draft = &self.drafts[node];
        if draft.columns.iter().any(|(member, _)| *member == column) {
            return true;
        }
        if let Some(link) = &draft.node.link {
            let pairs = link.parent_columns.iter().zip(&link.child_columns);
            let mut matched = pairs.filter(|(_, child)| **child == column);
            if matched.any(|(parent, _)| self.exposed(link.parent, *parent, seen)) {
                return true;
            }
        }
        (node + 1..self.drafts.len()).any(|child| self.exposed_below(node, column, child, seen))
    }

    fn exposed_below(
        &self,
        node: NodeId,
        column: usize,
        child: NodeId,
        seen: &mut Vec<(NodeId, usize)>,
    ) -> bool {
        let draft = &self.drafts[child];
        let Some(link) = &draft.node.link else { return false };
        if link.parent != node
            || link.cardinality != Cardinality::One
            || draft.node.filter.is_some()
        {
            return false;
        }
        let pairs: Vec<_> =
            link.parent_columns.iter().copied().zip(link.child_columns.iter().copied()).collect();
        let declared = declared(&self.drafts[node].node.table, &draft.node.table, &pairs)
            .is_some_and(|candidate| candidate.natural == Cardinality::One);
        declared
            && pairs
                .iter()
                .any(|&(parent, inner)| parent == column && self.exposed(child, inner, seen))
    }
}
