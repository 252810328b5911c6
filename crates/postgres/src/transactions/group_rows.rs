//! Rows of several documents: those that were read together taken apart, and updates of each put
//! together.

use std::rc::Rc;
use std::sync::Arc;

use duet_document::{Datum, FetchedRows, RowSet};
use duet_model::{Result, Value};
use duet_store::memory::row_limit::RowLimit;
use duet_store::read::{Answer, KeyedRead};
use duet_store::write::UpdatedRows;

use crate::read::keyed::Matcher;

/// Finds the documents that a level's rows belong to, by their positions in `keys`.
pub(crate) fn owners(
    read: &KeyedRead,
    level: usize,
    rows: &RowSet,
    keys: &[&[Value]],
) -> Vec<Option<usize>> {
    let matcher = Matcher::new(&read.plan, keys);
    let root_key = &read.plan.levels[level].root_key;
    (0..rows.len()).map(|row| matcher.key(rows, row, root_key)).collect()
}

/// An answer for each key, with the rows of its document alone.
///
/// # Errors
/// Where the rows are more than there is memory for.
pub(crate) fn apart(
    read: &KeyedRead,
    levels: &[RowSet],
    keys: &[&[Value]],
    limit: &RowLimit,
) -> Result<Vec<Answer>> {
    let widths = read.codecs.iter().map(Vec::len);
    let empty: Vec<RowSet> = widths.map(RowSet::new).collect();
    let mut documents = vec![empty; keys.len()];
    for (level, rows) in levels.iter().enumerate() {
        for (row, owner) in owners(read, level, rows, keys).into_iter().enumerate() {
            let Some(document) = owner.and_then(|owner| documents.get_mut(owner)) else { continue };
            for column in 0..rows.width() {
                document[level].push(rows.get(row, column));
            }
        }
    }
    let answer = |mut levels: Vec<RowSet>| {
        for rows in &mut levels {
            limit.admit(rows, 0)?;
        }
        let row = (!levels[0].is_empty()).then_some(0);
        let fetched = FetchedRows::assemble(&read.plan, levels, 0, |_, _, _| Some(0));
        Ok(Answer { fetched: Rc::new(fetched), row })
    };
    documents.into_iter().map(answer).collect()
}

/// Updates of several documents, one for each statement.
#[derive(Default)]
pub(crate) struct MergedUpdates {
    /// The updates.
    pub(crate) updates: Vec<UpdatedRows>,
    /// For each of them, where the rows of a document begin, and which of its updates that is.
    parts: Vec<Vec<DocumentRows>>,
    /// How many updates each document has.
    counts: Vec<usize>,
}

/// The rows of one document in a statement.
struct DocumentRows {
    begin: usize,
    document: usize,
    update: usize,
}

impl MergedUpdates {
    /// Adds the updates of the next document.
    pub(crate) fn add(&mut self, updates: Vec<UpdatedRows>) {
        let document = self.counts.len();
        self.counts.push(updates.len());
        for (update, updated) in updates.into_iter().enumerate() {
            let same = |known: &UpdatedRows| Arc::ptr_eq(&known.update, &updated.update);
            match self.updates.iter().position(same) {
                Some(at) => {
                    let known = &mut self.updates[at];
                    self.parts[at].push(DocumentRows { begin: known.rows.len(), document, update });
                    known.rows.extend(updated.rows);
                    known.changes.extend(updated.changes);
                }
                None => {
                    self.parts.push(vec![DocumentRows { begin: 0, document, update }]);
                    self.updates.push(updated);
                }
            }
        }
    }

    /// The returned rows of each document's updates, from those of the statements.
    pub(crate) fn apart(&self, returned: &[RowSet]) -> Vec<Vec<RowSet>> {
        let mut sets: Vec<Vec<RowSet>> =
            self.counts.iter().map(|&count| vec![RowSet::default(); count]).collect();
        for ((updated, parts), rows) in self.updates.iter().zip(&self.parts).zip(returned) {
            for part in parts {
                sets[part.document][part.update] = RowSet::new(rows.width());
            }
            for row in 0..rows.len() {
                let Some(given) = updated.update.given(rows, row) else { continue };
                let at = parts.partition_point(|part| part.begin <= given);
                let Some(part) = at.checked_sub(1).map(|at| &parts[at]) else { continue };
                let own = &mut sets[part.document][part.update];
                let ordinal = updated.update.ordinal();
                for column in 0..rows.width() {
                    own.push(match rows.get(row, column) {
                        Datum::Int(value) if column == ordinal => {
                            Datum::Int(value - i64::try_from(part.begin).unwrap_or(i64::MAX))
                        }
                        cell => cell,
                    });
                }
            }
        }
        sets
    }
}
