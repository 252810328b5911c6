//! Rows that were found by a key in another form than the stored one: the database holds `uu` of a `char(4)`, or `AB` of a
//! text without case, equal to what it has. They get the stored form, so that whatever compares rows of the document and
//! of the database by their keys finds them the same.

use duet_document::same_value;
use duet_model::{Result, RowTree, Shape};

use super::FoundRows;
use super::keys::{Keys, LinkValues};
use super::row_name::RowName;

/// Gives the rows of a document below its root the keys of the stored rows that were found by theirs.
///
/// # Errors
/// Where a value of a key does not fit its column.
pub fn keep_stored_keys<'t>(
    shape: &Shape,
    wanted: &mut RowTree<'t>,
    known: &mut FoundRows<'t>,
) -> Result<()> {
    match known.rows.is_empty() {
        true => Ok(()),
        false => StoredKeys { shape, keys: Keys::new(shape), known }.below(wanted, &[]),
    }
}

struct StoredKeys<'a, 't> {
    shape: &'a Shape,
    keys: Keys<'a>,
    known: &'a mut FoundRows<'t>,
}

impl<'t> StoredKeys<'_, 't> {
    fn below(&mut self, wanted: &mut RowTree<'t>, linked: &LinkValues) -> Result<()> {
        for at in 0..wanted.children.len() {
            let below = self.keys.linked_below(wanted, linked, wanted.children[at].node)?;
            for row in &mut wanted.children[at].rows {
                self.row(row, &below)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, row: &mut RowTree<'t>, linked: &LinkValues) -> Result<()> {
        let Some((columns, key)) = self.keys.complete(row, linked)? else {
            return self.below(row, linked);
        };
        if let Some(found) = self.known.get(row.node, columns, &key) {
            let table = &self.shape.nodes[row.node].table;
            for field in row.fields.iter_mut().filter(|it| columns.contains(&it.member.column)) {
                let column = field.member.column;
                let stored = found.field(column).filter(|stored| {
                    !same_value(&table.columns[column].ty, &stored.value, &field.value)
                });
                if let Some(stored) = stored {
                    field.value = stored.value.clone();
                }
            }
        }
        // A key may have values of rows below.
        self.below(row, linked)?;
        let stored = self.keys.values(row, linked, columns)?.filter(|stored| *stored != key);
        if let Some(stored) = stored
            && let Some(found) = self.known.get(row.node, columns, &key).cloned()
        {
            self.known.rows.insert(RowName::of_node(row.node, columns, &stored), found);
        }
        Ok(())
    }
}
