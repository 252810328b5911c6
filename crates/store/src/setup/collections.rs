//! What collections need in a database, as scripts for an empty one.

use duet_model::{Code, CollectionTable, Error, Result};
use duet_sql::{
    Dialect, Totals, collection_index_statements, collection_key_statements,
    collection_statistics_statement, collection_table_statement, in_order_of_references,
};

/// Checks that the dictionaries of words that collections declare can be had.
///
/// # Errors
/// `Setting` with the text and its dictionary where the store has none of that name.
pub fn check_dictionaries(dialect: &dyn Dialect, tables: &[CollectionTable]) -> Result<()> {
    let declared = tables.iter().flat_map(|table| &table.dictionaries.0);
    let missing = declared.into_iter().find(|(_, name)| !dialect.has_dictionary(name));
    let Some((path, name)) = missing else { return Ok(()) };
    let message =
        format!("The words of `{path}` cannot be compared by the dictionary `{name}` here.");
    let hint = "SQLite has no dictionaries: leave it out, which means `simple`, or use PostgreSQL.";
    Err(Error::new(Code::Setting, message).hint(hint))
}

/// The statements that make the tables of collections in an empty database, as one script, and those that make
/// their indexes: a load makes them behind the rows, which is several times faster.
pub fn scripts(dialect: &dyn Dialect, tables: Vec<CollectionTable>) -> [String; 2] {
    let tables = in_order_of_references(tables);
    let script = |statements: Vec<String>| {
        statements.into_iter().map(|statement| format!("{statement};\n")).collect::<String>()
    };
    let made = tables.iter().map(|table| collection_table_statement(dialect, table));
    let of_tables =
        made.chain(tables.iter().flat_map(|table| collection_key_statements(dialect, table)));
    let of_indexes = tables.iter().flat_map(|table| {
        let indexes = collection_index_statements(dialect, table, false);
        let extension = extension(dialect, table).map(extension_statements);
        let made = indexes.into_iter().chain(collection_statistics_statement(dialect, table));
        let totals = Totals::all(table);
        let totals = totals.into_iter().map(|totals| dialect.totals_script(&totals));
        extension.into_iter().flatten().chain(made.map(|it| it.sql)).chain(totals)
    });
    [script(of_tables.collect()), script(of_indexes.collect())]
}

/// The extension that the indexes of a table need.
pub fn extension(dialect: &dyn Dialect, table: &CollectionTable) -> Option<&'static str> {
    table.indexes.iter().find_map(|index| dialect.index_extension(index.kind))
}

/// Creates an extension and adds its schema to the search path, so that its operator classes are found
/// wherever it is. The first does nothing, and needs no right, where the extension exists.
pub fn extension_statements(name: &str) -> [String; 2] {
    [
        format!("CREATE EXTENSION IF NOT EXISTS {name} WITH SCHEMA public"),
        format!(
            "SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', \
             nullif(pg_catalog.current_setting('search_path'), ''), pg_catalog.quote_ident(n.nspname::text)), false) FROM pg_catalog.pg_extension e \
             JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = '{name}'"
        ),
    ]
}
