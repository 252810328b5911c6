//! Makes what a database lacks of what collections declare, and drops nothing of earlier declarations: a migration
//! without an observer, for commands that only say what they made.

use std::path::Path;

use duet_model::{CollectionTable, Result};
use duet_store::setup::migrate::prepared::options;
use duet_store::setup::migrate::{Indexes, MadeObjects};

use super::run::apply_sqlite;

/// Makes what a SQLite file lacks, and the file where there is none.
///
/// # Errors
/// As [`apply_sqlite`].
pub(crate) fn prepare_sqlite(
    path: &Path,
    tables: Vec<CollectionTable>,
    indexes: Indexes,
) -> Result<MadeObjects> {
    let plan = apply_sqlite(path, tables.into(), options(indexes), &mut |_| Ok(()))?;
    Ok(MadeObjects::of(plan))
}

#[cfg(test)]
mod tests {
    use duet_model::{CollectionIndex, DocumentField, Folding, IndexKind, Type};
    use duet_text::Fold;
    use rusqlite::Connection;

    use super::*;
    use crate::functions;

    fn table(paths: &[&str]) -> CollectionTable {
        let index = |path: &&str| CollectionIndex {
            field: DocumentField {
                path: (*path).to_owned(),
                ty: Type::Text,
                column: None,
                folding: Folding::Always(Fold::Both),
                repeated: false,
                joined: None,
            },
            kind: IndexKind::Ordered,
            folding: None,
            own_name: None,
            then: Vec::new(),
            condition: None,
        };
        let indexes = paths.iter().map(index).collect();
        CollectionTable { name: "items".into(), indexes, ..CollectionTable::default() }
    }

    #[test]
    fn a_file_gets_what_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let made = prepare_sqlite(&path, vec![table(&["a"])], Indexes::Declared).unwrap();
        assert_eq!((made.tables.len(), made.indexes.len()), (1, 1));
        assert_eq!(
            prepare_sqlite(&path, vec![table(&["a"])], Indexes::Declared).unwrap(),
            MadeObjects::default()
        );
        let made = prepare_sqlite(&path, vec![table(&["a", "b.c"])], Indexes::Declared).unwrap();
        assert_eq!(
            (made.columns, made.indexes),
            (vec!["items.b_c".into()], vec!["items_b_c_idx".into()])
        );
        let connection = Connection::open(&path).unwrap();
        functions::register(&connection).unwrap();
        connection
            .execute_batch(r#"INSERT INTO items VALUES ('1', '{"a":"É","b":{"c":"x"}}')"#)
            .unwrap();
        let plan: String = connection
            .query_row(
                "EXPLAIN QUERY PLAN SELECT 1 FROM items WHERE duet_fold(a) = 'e'",
                [],
                |row| row.get(3),
            )
            .unwrap();
        assert!(plan.contains("items_a_idx"), "{plan}");
    }
}
