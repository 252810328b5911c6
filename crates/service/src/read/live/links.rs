//! From changed rows to their documents, where the way leads over rows that the commit does not name: these are read.

use std::collections::{BTreeMap, HashMap};

use duet_model::commit::{Cause, CommitEvent, RelationChange};
use duet_model::dependents::{AffectedDocuments, Dependents, RowQuery};
use duet_model::{Result, Value};

use super::reads::Reader;

/// The documents of one shape that changed rows concern. `index` has this shape alone.
pub(crate) async fn affected(
    reader: &Reader,
    index: &Dependents,
    relations: &[RelationChange],
) -> Result<AffectedDocuments> {
    let event = CommitEvent { cause: Cause::Commit, everything: false, relations };
    let mut known = HashMap::<String, Vec<Vec<Value>>>::new();
    // Each round leads one table further up.
    for _ in 0..=reader.resource.shape.nodes.len() {
        let mut missing = BTreeMap::<String, OwnedQuery>::new();
        let mut resolve = |query: &RowQuery<'_>| {
            let name = name_of(query);
            if let Some(rows) = known.get(&name) {
                return Some(rows.clone());
            }
            missing.insert(name, OwnedQuery::of(query));
            // The other changes go on meanwhile.
            Some(Vec::new())
        };
        let found = index.affected(&event, &mut resolve);
        if missing.is_empty() {
            let only = found.into_iter().next().map(|(_, affected)| affected);
            return Ok(only.unwrap_or(AffectedDocuments::Keys(Vec::new())));
        }
        for (name, query) in missing {
            match reader.linked(&query.borrowed()).await? {
                Some(rows) => drop(known.insert(name, rows)),
                None => return Ok(AffectedDocuments::Any),
            }
        }
    }
    Ok(AffectedDocuments::Any)
}

fn name_of(query: &RowQuery<'_>) -> String {
    let RowQuery { table, known, wanted } = query;
    format!("{:?}", (&table.schema, &table.name, known, wanted))
}

struct OwnedQuery {
    table: duet_model::catalog::TableRef,
    known: Vec<(usize, Value)>,
    wanted: Vec<usize>,
}

impl OwnedQuery {
    fn of(query: &RowQuery<'_>) -> Self {
        let (known, wanted) = (query.known.to_vec(), query.wanted.to_vec());
        Self { table: query.table.clone(), known, wanted }
    }

    fn borrowed(&self) -> RowQuery<'_> {
        RowQuery { table: &self.table, known: &self.known, wanted: &self.wanted }
    }
}
