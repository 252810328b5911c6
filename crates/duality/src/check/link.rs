//! Joins: from the WHERE of a subquery, from `@link`, or from the only foreign key there is.

use duet_model::catalog::{TableRef, same_name};
use duet_model::{Cardinality, Code, Compare, NodeId, Relation};

use super::Checker;
use super::annotation::Marks;
use super::types::comparable;
use crate::ast::{Arguments, BinaryOp, ColumnName, Expr, ExprKind, Kind, Name, Style, TableUse};
use crate::diagnostic::Diagnostic;
use crate::joins::{Candidate, candidates, declared, link_text, unique};
use crate::source::Span;
use crate::{names, rules};

/// The join of a node, if there is one that is right.
pub(super) struct FoundJoin {
    pub(super) candidate: Candidate,
    /// Whether at most one child row can match a parent row.
    pub(super) child_unique: bool,
}

/// A join, and the conditions that are no part of it.
pub(super) struct Join<'a> {
    pub(super) found: Option<FoundJoin>,
    pub(super) rest: Vec<&'a Expr>,
}

/// Which table a column of a join belongs to.
#[derive(Clone, Copy)]
enum JoinSide {
    Child(usize),
    Parent(usize),
}

/// The two tables of a join; in SQL style with the names that qualify their columns.
struct Ends<'a> {
    parent: &'a Relation,
    child: &'a Relation,
    aliases: Option<(&'a str, &'a str)>,
}

impl Ends<'_> {
    /// The declared joins, as one would write them.
    fn texts(&self) -> Vec<String> {
        let found = candidates(self.parent, self.child);
        found.iter().map(|candidate| self.text(candidate)).collect()
    }

    fn text(&self, candidate: &Candidate) -> String {
        let Some((above, here)) = self.aliases else {
            return link_text(candidate, self.parent, self.child);
        };
        let pairs = candidate.parent_columns.iter().zip(&candidate.child_columns);
        let equalities: Vec<_> = pairs
            .map(|(&p, &c)| {
                let (p, c) = (names::of(self.parent, p), names::of(self.child, c));
                format!("{here}.{c} = {above}.{p}")
            })
            .collect();
        format!("WHERE {}", equalities.join(" AND "))
    }
}

impl Checker<'_> {
    pub(super) fn join<'a>(
        &mut self,
        parent: NodeId,
        definition: &'a TableUse,
        table: &TableRef,
        marks: &Marks<'a>,
        conditions: &[&'a Expr],
    ) -> Join<'a> {
        let parts: Vec<&Expr> = conditions.iter().flat_map(|expr| expr.conjuncts()).collect();
        let parent_table = TableRef::clone(&self.drafts[parent].node.table);
        let span = definition.table.span();
        if definition.style == Style::Sql {
            return self.sql_join(parent, definition, table, parts);
        }
        let candidate = match marks.get(Kind::Link) {
            Some(annotation) => match &annotation.arguments {
                Arguments::Link { from, to } => {
                    self.linked(&parent_table, table, from, to, annotation.span)
                }
                _ => None,
            },
            None => self.inferred(&parent_table, table, span),
        };
        let found = candidate.map(|candidate| {
            let child_unique = unique(table, &candidate.child_columns);
            FoundJoin { candidate, child_unique }
        });
        Join { found, rest: parts }
    }

    fn inferred(&mut self, parent: &Relation, child: &Relation, span: Span) -> Option<Candidate> {
        let mut found = candidates(parent, child);
        if found.len() == 1 {
            return found.pop();
        }
        let texts: Vec<_> =
            found.iter().map(|candidate| link_text(candidate, parent, child)).collect();
        let (message, hint) = if found.is_empty() {
            let message = format!(
                "there is no foreign key between {} and {}",
                names::of_table(parent),
                names::of_table(child)
            );
            (message, guess(parent, child))
        } else {
            let message = format!(
                "{} can be joined to {} in {} ways",
                names::of_table(child),
                names::of_table(parent),
                found.len()
            );
            (message, format!("Write one of {}.", texts.join("  or  ")))
        };
        self.report(
            Diagnostic::new(Code::ViewJoin, span, message).rule(rules::JOIN_CHOSEN).hint(hint),
        );
        None
    }

    /// `@link(from, to)`: `from` are columns of the parent, `to` of this table. If only one
    /// is given, a foreign key completes it, otherwise the identity of the other table.
    fn linked(
        &mut self,
        parent: &Relation,
        child: &Relation,
        from: &[Name],
        to: &[Name],
        span: Span,
    ) -> Option<Candidate> {
        let from = self.columns_of(parent, from)?;
        let to = self.columns_of(child, to)?;
        let same = |a: &[usize], b: &[usize]| {
            a.len() == b.len() && a.iter().all(|column| b.contains(column))
        };
        let all = candidates(parent, child);
        let of_key = |natural, fits: &dyn Fn(&Candidate) -> bool| {
            all.iter().find(|found| found.natural == natural && fits(found)).cloned()
        };
        let (one, many) = (Cardinality::One, Cardinality::Many);
        let completed = if to.is_empty() {
            let fits = |found: &Candidate| same(&found.parent_columns, &from);
            of_key(one, &fits).or_else(|| of_key(many, &fits))
        } else if from.is_empty() {
            let fits = |found: &Candidate| same(&found.child_columns, &to);
            of_key(many, &fits).or_else(|| of_key(one, &fits))
        } else {
            None
        };
        if completed.is_some() {
            return completed;
        }
        let from = if from.is_empty() { parent.identity().to_vec() } else { from };
        let to = if to.is_empty() { child.identity().to_vec() } else { to };
        if from.len() != to.len() {
            let message = format!(
                "the link names {} columns of {} and {} of {}",
                from.len(),
                names::of_table(parent),
                to.len(),
                names::of_table(child)
            );
            self.report(
                Diagnostic::new(Code::ViewJoin, span, message)
                    .rule(rules::JOIN_KEYS)
                    .hint("Write both `from` and `to`."),
            );
            return None;
        }
        let pairs: Vec<_> = from.into_iter().zip(to).collect();
        self.keyed(&Ends { parent, child, aliases: None }, &pairs, span)
    }

    fn columns_of(&mut self, table: &Relation, names: &[Name]) -> Option<Vec<usize>> {
        let found: Vec<_> = names.iter().filter_map(|name| self.column_of(table, name)).collect();
        (found.len() == names.len()).then_some(found)
    }

    /// The position of a column, or a report with the nearest name.
    pub(super) fn column_of(&mut self, table: &Relation, name: &Name) -> Option<usize> {
        let found = table.column_index(&name.text);
        if found.is_none() {
            let message = format!("table {} has no column {}", names::of_table(table), name.text);
            let known = table.columns.iter().map(names::of_column);
            let known_table = self.catalog.called(&name.text).next().is_some();
            let mut diagnostic = Diagnostic::new(Code::ViewColumn, name.span, message)
                .rule(rules::NAMES_EXIST)
                .nearest(&name.text, known);
            if known_table && diagnostic.hint.is_none() {
                let hint = format!("It is a table: give it members, {} {{ … }}.", name.text);
                diagnostic = diagnostic.hint(hint);
            }
            self.report(diagnostic);
        }
        found
    }

    /// Holds pairs of columns against the rule that joins are on keys.
    fn keyed(
        &mut self,
        ends: &Ends<'_>,
        pairs: &[(usize, usize)],
        span: Span,
    ) -> Option<Candidate> {
        let Ends { parent, child, .. } = *ends;
        if let Some(candidate) = declared(parent, child, pairs) {
            return Some(candidate);
        }
        let (parent_columns, child_columns): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        let natural = match (unique(child, &child_columns), unique(parent, &parent_columns)) {
            (true, _) => Cardinality::One,
            (false, true) => Cardinality::Many,
            (false, false) => {
                let message = format!(
                    "neither the columns of {} nor those of {} in this join are a key",
                    names::of_table(parent),
                    names::of_table(child)
                );
                self.report_join(ends, span, message, rules::JOIN_KEYS);
                return None;
            }
        };
        if self.options.require_foreign_keys {
            let message = format!(
                "no foreign key declares this join of {} and {}",
                names::of_table(parent),
                names::of_table(child)
            );
            self.report_join(ends, span, message, rules::JOIN_DECLARED);
            return None;
        }
        let mistyped =
            pairs.iter().find(|&&(p, c)| !comparable(&parent.columns[p].ty, &child.columns[c].ty));
        if let Some(&(p, c)) = mistyped {
            let (p, c) = (&parent.columns[p], &child.columns[c]);
            let message = format!(
                "{}.{} is {} and {}.{} is {}",
                names::of_table(parent),
                names::of_column(p),
                p.ty.name(),
                names::of_table(child),
                names::of_column(c),
                c.ty.name()
            );
            self.report(Diagnostic::new(Code::ViewJoin, span, message).rule(rules::TYPES));
            return None;
        }
        Some(Candidate { parent_columns, child_columns, natural })
    }

    fn report_join(&mut self, ends: &Ends<'_>, span: Span, message: String, rule: &'static str) {
        let declared = ends.texts();
        let mut diagnostic = Diagnostic::new(Code::ViewJoin, span, message).rule(rule);
        if !declared.is_empty() {
            diagnostic = diagnostic.hint(format!("Declared: {}.", declared.join("  and  ")));
        }
        self.report(diagnostic);
    }

    /// Takes the join out of the conditions of a subquery.
    fn sql_join<'a>(
        &mut self,
        parent: NodeId,
        definition: &TableUse,
        table: &TableRef,
        parts: Vec<&'a Expr>,
    ) -> Join<'a> {
        let mut pairs = Vec::new();
        let mut rest = Vec::new();
        let mut span: Option<Span> = None;
        for part in parts {
            match self.join_pair(parent, definition, table, part) {
                Some(pair) => {
                    if !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                    span = Some(span.map_or(part.span, |span| span.to(part.span)));
                }
                None => rest.push(part),
            }
        }
        let parent_table = TableRef::clone(&self.drafts[parent].node.table);
        let above = self.drafts[parent].alias.clone();
        let aliases = Some((&*above, &*definition.alias().text));
        let ends = Ends { parent: &parent_table, child: table, aliases };
        let candidate = match span {
            Some(span) => self.keyed(&ends, &pairs, span),
            None => {
                // A condition that reaches outwards is reported by itself, with a better reason.
                let reaches = rest.iter().any(|part| self.reaches_out(parent, definition, part));
                if !reaches {
                    self.report_no_join(&ends, definition.table.span());
                }
                None
            }
        };
        let found = candidate.map(|candidate| {
            let child_unique = unique(table, &candidate.child_columns);
            FoundJoin { candidate, child_unique }
        });
        Join { found, rest }
    }

    /// The columns that a condition `child.column = parent.column` joins.
    fn join_pair(
        &self,
        parent: NodeId,
        definition: &TableUse,
        table: &TableRef,
        part: &Expr,
    ) -> Option<(usize, usize)> {
        let ExprKind::Binary(BinaryOp::Compare(Compare::Eq), left, right) = &part.kind else {
            return None;
        };
        let (ExprKind::Column(left), ExprKind::Column(right)) = (&left.kind, &right.kind) else {
            return None;
        };
        let left = self.side(parent, definition, table, left)?;
        let right = self.side(parent, definition, table, right)?;
        match (left, right) {
            (JoinSide::Child(child), JoinSide::Parent(parent))
            | (JoinSide::Parent(parent), JoinSide::Child(child)) => Some((parent, child)),
            _ => None,
        }
    }

    fn side(
        &self,
        parent: NodeId,
        definition: &TableUse,
        table: &TableRef,
        column: &ColumnName,
    ) -> Option<JoinSide> {
        let outer = &self.drafts[parent];
        let in_child = || table.column_index(&column.name.text).map(JoinSide::Child);
        let in_parent = || outer.node.table.column_index(&column.name.text).map(JoinSide::Parent);
        match &column.qualifier {
            None => in_child().or_else(in_parent),
            Some(name) if same_name(&name.text, &definition.alias().text) => in_child(),
            Some(name) if same_name(&name.text, &outer.alias) => in_parent(),
            Some(_) => None,
        }
    }

    /// Whether an expression names a column of a table outside of `definition`.
    fn reaches_out(&self, parent: NodeId, definition: &TableUse, expr: &Expr) -> bool {
        if let ExprKind::Column(ColumnName { qualifier: Some(name), .. }) = &expr.kind {
            return !same_name(&name.text, &definition.alias().text)
                && self.ancestor(Some(parent), &name.text).is_some();
        }
        expr.kind.operands().iter().any(|operand| self.reaches_out(parent, definition, operand))
    }

    /// The node of this alias at `from` or above.
    pub(super) fn ancestor(&self, from: Option<NodeId>, alias: &str) -> Option<NodeId> {
        let mut at = from;
        while let Some(node) = at {
            if same_name(&self.drafts[node].alias, alias) {
                return Some(node);
            }
            at = self.drafts[node].parent;
        }
        None
    }

    fn report_no_join(&mut self, ends: &Ends<'_>, span: Span) {
        let Ends { parent, child, .. } = *ends;
        let message =
            format!("{} is not joined to {}", names::of_table(child), names::of_table(parent));
        let mut diagnostic = Diagnostic::new(Code::ViewJoin, span, message).rule(rules::JOIN_KEYS);
        let joins = ends.texts();
        if !joins.is_empty() {
            diagnostic = diagnostic.hint(format!("Write {}.", joins.join("  or  ")));
        }
        self.report(diagnostic);
    }
}

/// A link that column names suggest where no foreign key is declared.
fn guess(parent: &Relation, child: &Relation) -> String {
    let matching = |key: &[usize], of: &Relation, other: &Relation| -> Option<Vec<usize>> {
        let found = key.iter().map(|&column| other.column_index(names::of(of, column)));
        found.collect::<Option<Vec<_>>>().filter(|columns| !columns.is_empty())
    };
    let natural = Cardinality::Many;
    let (up, down) = (parent.identity(), child.identity());
    let candidate = if let Some(child_columns) = matching(up, parent, child) {
        Some(Candidate { parent_columns: up.to_vec(), child_columns, natural })
    } else {
        matching(down, child, parent).map(|parent_columns| Candidate {
            parent_columns,
            child_columns: down.to_vec(),
            natural,
        })
    };
    match candidate {
        Some(candidate) => format!("Perhaps {}.", link_text(&candidate, parent, child)),
        None => format!(
            "Write @link(from: [columns of {}], to: [columns of {}]).",
            names::of_table(parent),
            names::of_table(child)
        ),
    }
}
