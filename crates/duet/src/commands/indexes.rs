//! `duet indexes`: lists the indexes of a database with their sizes and how often each was used.
use duet_store::OpenOptions;
use duet_store::setup::indexes::IndexEntry;
use duet_text::name;

use crate::args::Indexes;
use crate::columns::columns;
use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};

pub(super) fn run(arguments: &Indexes) -> Outcome {
    let here = std::path::Path::new("");
    let database = DatabaseUrl::read(&arguments.database, here)?;
    warn_of(&database)?;
    let entries = crate::runtime::runtime()?.block_on(database.indexes())?;
    let is_wanted = |entry: &IndexEntry| match &arguments.table {
        Some(table) => entry.table.eq_ignore_ascii_case(table),
        None => true,
    };
    let entries: Vec<_> = entries.into_iter().filter(is_wanted).collect();
    if let (Some(table), true) = (&arguments.table, entries.is_empty()) {
        crate::runtime::runtime()?.block_on(refuse_unknown(&database, table))?;
    }
    print(&table(&entries))
}

/// Refuses a table that the database does not have; one without indexes is none of these.
///
/// # Errors
/// `Setting`, with the name that is nearest.
async fn refuse_unknown(database: &DatabaseUrl, table: &str) -> Outcome {
    let store = database.open(OpenOptions::default()).await?;
    let catalog = store.introspect().await?;
    let names: Vec<&str> = catalog.relations.iter().map(|it| it.name.as_str()).collect();
    if names.iter().any(|name| name.eq_ignore_ascii_case(table)) {
        return Ok(());
    }
    let error = CommandError::refusal(format!("There is no table {table:?}."));
    let near = name::nearest(table, names.iter().copied());
    Err(match near {
        Some(near) => error.hint(format!("Did you mean {near}?")),
        None => error.hint("`duet indexes DATABASE` lists those of all tables."),
    })
}

/// A line for each index.
fn table(entries: &[IndexEntry]) -> String {
    if entries.is_empty() {
        return "There are no indexes.\n".to_owned();
    }
    let rows = entries.iter().map(|entry| {
        let unique = if entry.unique { "unique" } else { "" };
        let uses = entry.uses.map_or_else(|| "not counted".to_owned(), |uses| uses.to_string());
        let size = format!("{} kB", entry.bytes.div_ceil(1024));
        let table = match entry.schema.as_str() {
            "main" | "public" => entry.table.clone(),
            schema => format!("{schema}.{}", entry.table),
        };
        vec![table, entry.name.clone(), unique.to_owned(), size, uses, entry.definition.clone()]
    });
    columns(&["table", "index", "", "size", "used", "of"], &[0, 1, 2, 5], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let entry = |name: &str, uses| IndexEntry {
            schema: "main".into(),
            table: "t".into(),
            name: name.into(),
            definition: "(a)".into(),
            unique: false,
            bytes: 4096,
            uses,
        };
        let text = table(&[entry("t_a", Some(12)), entry("t_long", None)]);
        let expected = "\
table  index     size         used  of
t      t_a       4 kB           12  (a)
t      t_long    4 kB  not counted  (a)
";
        assert_eq!(text, expected);
        assert_eq!(table(&[]), "There are no indexes.\n");
    }
}
