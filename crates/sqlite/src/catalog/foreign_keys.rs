//! Foreign keys of SQLite tables as they are declared.

use std::collections::BTreeMap;

use duet_store::catalog::effects::ReferentialAction;
use rusqlite::Connection;

use super::ddl::Ddl;

/// A foreign key as written: the target's names may differ in case or be left out.
#[derive(Debug)]
pub(crate) struct DeclaredForeignKey {
    pub(crate) name: Option<String>,
    pub(crate) table: String,
    /// The name of the target in lower case.
    pub(crate) target: String,
    pub(crate) columns: Vec<String>,
    /// `None` is the target's primary key.
    pub(crate) targets: Option<Vec<String>>,
    /// What happens to its rows when the target is deleted, and when its columns are updated.
    pub(crate) rules: (ReferentialAction, ReferentialAction),
}

/// The foreign keys of a table, in the order of their declaration.
pub(crate) fn declared(
    connection: &Connection,
    table: &str,
    ddl: &Ddl,
) -> rusqlite::Result<Vec<DeclaredForeignKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, \"table\", \"from\", \"to\", on_delete, on_update \
         FROM pragma_foreign_key_list(?1, 'main') ORDER BY id DESC, seq",
    )?;
    let mut rows = statement.query([table])?;
    // The pragma counts from the last declared key to the first.
    let mut keys: BTreeMap<std::cmp::Reverse<i64>, DeclaredForeignKey> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (target, column): (String, String) = (row.get(1)?, row.get(2)?);
        let to: Option<String> = row.get(3)?;
        let rule = |at: usize| row.get::<_, String>(at).map(|text| ReferentialAction::of(&text));
        let rules = (rule(4)?, rule(5)?);
        let key = keys.entry(std::cmp::Reverse(row.get(0)?)).or_insert_with(|| {
            let targets = to.is_some().then(Vec::new);
            let (name, columns) = (None, Vec::new());
            let lower = target.to_ascii_lowercase();
            DeclaredForeignKey { name, table: target, target: lower, columns, targets, rules }
        });
        key.columns.push(column);
        key.targets.iter_mut().for_each(|targets| targets.extend(to.clone()));
    }
    let mut keys: Vec<_> = keys.into_values().collect();
    if keys.len() == ddl.foreign_key_names.len() {
        for (key, name) in keys.iter_mut().zip(&ddl.foreign_key_names) {
            key.name.clone_from(name);
        }
    }
    Ok(keys)
}
