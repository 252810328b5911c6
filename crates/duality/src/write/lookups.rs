//! Which rows a document names that have to be looked for: those that the stored document does not
//! have at the same place.

use duet_model::{Result, RowTree, Shape, Value};

use super::Lookup;
use super::keys::{Keys, LinkValues};
use super::row_name::{RowMap, RowName, RowSet};

/// The rows to look for before a write can be planned, each once. `stored` is the document as it is,
/// if there is one. The root itself is never looked for.
///
/// # Errors
/// Where a value of a key does not fit its column.
pub fn lookups(
    shape: &Shape,
    stored: Option<&RowTree<'_>>,
    wanted: &RowTree<'_>,
) -> Result<Vec<Lookup>> {
    let mut search = Search { keys: Keys::new(shape), names: RowSet::default(), found: Vec::new() };
    search.below(stored, wanted, &[])?;
    Ok(search.found)
}

struct Search<'a> {
    keys: Keys<'a>,
    names: RowSet,
    found: Vec<Lookup>,
}

impl Search<'_> {
    fn below(
        &mut self,
        stored: Option<&RowTree<'_>>,
        wanted: &RowTree<'_>,
        linked: &LinkValues,
    ) -> Result<()> {
        for child in &wanted.children {
            let below = self.keys.linked_below(wanted, linked, child.node)?;
            let stored_rows = stored
                .and_then(|stored| stored.below(child.node))
                .map_or(&[][..], |rows| &rows.rows);
            let index = index_rows(self.keys, stored_rows, &below);
            for row in &child.rows {
                let complete = self.keys.complete(row, &below)?;
                let same = complete.as_ref().and_then(|(columns, key)| {
                    index.get(&RowName::of_node(row.node, columns, key)).map(|&at| &stored_rows[at])
                });
                if let (None, Some((columns, key))) = (same, complete) {
                    let lookup = Lookup { node: row.node, columns: columns.to_vec(), key };
                    if self.names.insert(RowName::of_node(row.node, columns, &lookup.key)) {
                        self.found.push(lookup);
                    }
                }
                self.below(same, row, &below)?;
            }
        }
        Ok(())
    }
}

/// Rows by each of their complete keys.
pub(super) fn index_rows(
    keys: Keys<'_>,
    rows: &[RowTree<'_>],
    linked: &LinkValues,
) -> RowMap<usize> {
    let all = rows.first().map(|row| keys.of(row.node)).unwrap_or_default();
    let mut index = RowMap::default();
    index.reserve(rows.len() * all.len());
    for (at, row) in rows.iter().enumerate() {
        for &columns in &all {
            let values: Vec<Value> =
                columns.iter().map(|&column| keys.stored_value(row, linked, column)).collect();
            if !values.iter().any(Value::is_null) {
                index.insert(RowName::of_node(row.node, columns, &values), at);
            }
        }
    }
    index
}
