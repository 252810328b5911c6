//! The joins of two tables that declared foreign keys allow, and what keys make unique.

use duet_model::catalog::{ForeignKey, same_name};
use duet_model::{Cardinality, Relation};

use crate::names::{self, quoted};

/// A possible join of a table below another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) parent_columns: Vec<usize>,
    pub(crate) child_columns: Vec<usize>,
    /// What it gives unless the definition says otherwise.
    pub(crate) natural: Cardinality,
}

/// The joins that declared foreign keys allow, in either direction, each once.
pub(crate) fn candidates(parent: &Relation, child: &Relation) -> Vec<Candidate> {
    let upwards = child.foreign_keys.iter().filter_map(|key| {
        let parent_columns = referenced(key, parent)?;
        let child_columns = key.columns.clone();
        Some(Candidate { parent_columns, child_columns, natural: Cardinality::Many })
    });
    let downwards = parent.foreign_keys.iter().filter_map(|key| {
        let child_columns = referenced(key, child)?;
        let parent_columns = key.columns.clone();
        Some(Candidate { parent_columns, child_columns, natural: Cardinality::One })
    });
    let mut found: Vec<Candidate> = Vec::new();
    for candidate in upwards.chain(downwards) {
        if !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    found
}

/// The columns of `table` that a foreign key refers to, if it refers to that table.
fn referenced(key: &ForeignKey, table: &Relation) -> Option<Vec<usize>> {
    let right = same_name(&key.references_table, &table.name)
        && same_name(&key.references_schema, &table.schema)
        && key.references_columns.len() == key.columns.len();
    if !right {
        return None;
    }
    // A foreign key names columns as the database spells them.
    let position = |name: &String| {
        let spelled = table.columns.iter().position(|column| column.name == *name);
        spelled.or_else(|| table.column_index(name))
    };
    key.references_columns.iter().map(position).collect()
}

/// The declared join over exactly these pairs of columns. Where each table refers to the other,
/// the one that gives an object wins.
pub(crate) fn declared(
    parent: &Relation,
    child: &Relation,
    pairs: &[(usize, usize)],
) -> Option<Candidate> {
    let same = |candidate: &Candidate| {
        let columns = || candidate.parent_columns.iter().zip(&candidate.child_columns);
        columns().count() == pairs.len()
            && pairs.iter().all(|&(p, c)| columns().any(|(&a, &b)| (a, b) == (p, c)))
    };
    let found = candidates(parent, child).into_iter().filter(same);
    found.max_by_key(|candidate| candidate.natural == Cardinality::One)
}

/// What a join over these columns gives unless the definition says otherwise.
pub(crate) fn natural(
    parent: &Relation,
    child: &Relation,
    parent_columns: &[usize],
    child_columns: &[usize],
) -> Cardinality {
    let pairs: Vec<_> = parent_columns.iter().copied().zip(child_columns.iter().copied()).collect();
    match declared(parent, child, &pairs) {
        Some(candidate) => candidate.natural,
        None if unique(child, child_columns) => Cardinality::One,
        None => Cardinality::Many,
    }
}

/// The annotation that chooses a join.
pub(crate) fn link_text(candidate: &Candidate, parent: &Relation, child: &Relation) -> String {
    let list = |table: &Relation, columns: &[usize]| {
        let names: Vec<_> =
            columns.iter().map(|&column| quoted(names::of(table, column))).collect();
        names.join(", ")
    };
    format!(
        "@link(from: [{}], to: [{}])",
        list(parent, &candidate.parent_columns),
        list(child, &candidate.child_columns)
    )
}

/// Whether the columns contain a key, so that they name one row at most.
pub(crate) fn unique(table: &Relation, columns: &[usize]) -> bool {
    let contained =
        |key: &[usize]| !key.is_empty() && key.iter().all(|column| columns.contains(column));
    contained(&table.primary_key) || table.unique_keys.iter().any(|key| contained(&key.columns))
}
