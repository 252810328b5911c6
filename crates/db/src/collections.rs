//! Makes the tables and indexes of collections, on request alone: `serve` makes nothing in a user's database.

use std::path::Path;
use std::time::Duration;

use duet_model::{Code, CollectionTable, Error, Result};
use duet_sql::{
    Dialect, IndexStatement, Postgres, SearchIndex, Sqlite, Totals, collection_column_statements,
    collection_index_statements, collection_statistics_statement, collection_table_statement,
    in_order_of_references,
};
use rusqlite::Connection;
use tokio_postgres::Client;

use crate::introspect::postgres::totals;
use crate::introspect::sqlite::search_indexes::SearchIndexes;
use crate::introspect::sqlite::totals::StoredTotals;
use crate::postgres::connect::Settings;
use crate::postgres::sqlstate;
use crate::sqlite::functions;

/// How long another program's lock on a SQLite file is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// What was made; all else was there already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The extensions of PostgreSQL.
    pub extensions: Vec<String>,
    /// The tables.
    pub tables: Vec<String>,
    /// The columns that were added to tables, each as `table.column`.
    pub columns: Vec<String>,
    /// The indexes.
    pub indexes: Vec<String>,
    /// The indexes that were dropped.
    pub dropped: Vec<String>,
}

/// Which indexes a database is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexes {
    /// All that are declared.
    Declared,
    /// Those of references alone, which belong to keys: the declared ones are dropped. What is declared unique
    /// is not checked then.
    OfReferences,
}

impl Indexes {
    /// The statements of the indexes that a table is to have, and the names of those that it is not to have.
    fn of(
        self,
        dialect: &dyn Dialect,
        table: &CollectionTable,
        online: bool,
    ) -> (Vec<IndexStatement>, Vec<String>) {
        let all = collection_index_statements(dialect, table, online);
        if self == Self::Declared {
            return (all, Vec::new());
        }
        let of_references = CollectionTable { indexes: Vec::new(), ..table.clone() };
        let wanted = collection_index_statements(dialect, &of_references, online);
        let unwanted = all.into_iter().map(|index| index.name);
        let unwanted = unwanted.filter(|name| wanted.iter().all(|index| index.name != *name));
        let unwanted = unwanted.collect();
        (wanted, unwanted)
    }
}

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
    let of_tables = tables.iter().map(|table| collection_table_statement(dialect, table));
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
pub(crate) fn extension(dialect: &dyn Dialect, table: &CollectionTable) -> Option<&'static str> {
    table.indexes.iter().find_map(|index| dialect.index_extension(index.kind))
}

/// Creates an extension and adds its schema to the search path, so that its operator classes are found
/// wherever it is. The first does nothing, and needs no right, where the extension exists.
pub(crate) fn extension_statements(name: &str) -> [String; 2] {
    [
        format!("CREATE EXTENSION IF NOT EXISTS {name} WITH SCHEMA public"),
        format!(
            "SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', \
             nullif(pg_catalog.current_setting('search_path'), ''), pg_catalog.quote_ident(n.nspname::text)), false) FROM pg_catalog.pg_extension e \
             JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = '{name}'"
        ),
    ]
}

/// Creates absent objects in a PostgreSQL database. Indexes are created beside writes of their table.
///
/// # Errors
/// `Setting` if the user may not create them, or stored values do not fit; objects created before remain.
pub async fn prepare_postgres(
    settings: &Settings,
    tables: Vec<CollectionTable>,
    indexes: Indexes,
) -> Result<Prepared> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let prepared = in_postgres(&client, tables, indexes).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    prepared
}

async fn in_postgres(
    client: &Client,
    tables: Vec<CollectionTable>,
    indexes: Indexes,
) -> Result<Prepared> {
    // Connections of this program only read unless they say otherwise.
    run(client, "SET default_transaction_read_only = off").await?;
    let icu = "SELECT 1 FROM pg_catalog.pg_collation WHERE collname = 'und-x-icu'";
    let dialect = Postgres { icu: !names(client, icu, &[]).await?.is_empty() };
    let mut prepared = Prepared::default();
    for mut table in in_order_of_references(tables) {
        table.schema.get_or_insert_with(|| "public".to_owned());
        let schema = table.schema.clone().unwrap_or_default();
        let known = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2";
        if names(client, known, &[&schema, &table.name]).await?.is_empty() {
            let make = format!("CREATE SCHEMA IF NOT EXISTS \"{}\"", schema.replace('"', "\"\""));
            run(client, &make).await?;
            run(client, &collection_table_statement(&dialect, &table)).await?;
            prepared.tables.push(table.name.clone());
        } else {
            let known = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2";
            let columns = names(client, known, &[&schema, &table.name]).await?;
            for column in missing(collection_column_statements(&dialect, &table), &columns) {
                run(client, &column.sql).await?;
                prepared.columns.push(format!("{}.{}", table.name, column.name));
            }
        }
        indexes_in_postgres(client, &dialect, &table, indexes, &mut prepared).await?;
        totals_in_postgres(client, &dialect, &table, indexes, &mut prepared).await?;
        if let Some(statistics) = collection_statistics_statement(&dialect, &table) {
            run(client, &statistics.sql).await?;
        }
    }
    run(client, "ANALYZE").await?;
    Ok(prepared)
}

/// Creates the absent indexes of a table, and drops those that are no longer declared.
async fn indexes_in_postgres(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    indexes: Indexes,
    prepared: &mut Prepared,
) -> Result<()> {
    let schema = table.schema.clone().unwrap_or_default();
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let drop = |kind: &str, name: &str| {
        format!("DROP INDEX {kind} IF EXISTS {}.{}", quoted(&schema), quoted(name))
    };
    // What a broken attempt left behind is not valid, and of no use.
    let valid = "SELECT i.relname::text FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = i.relnamespace WHERE n.nspname = $1 AND x.indisvalid";
    let known = names(client, valid, &[&schema]).await?;
    if let Some(name) = extension(dialect, table).filter(|_| indexes == Indexes::Declared) {
        let there = "SELECT extname::text FROM pg_catalog.pg_extension WHERE extname = $1";
        let [create, find] = extension_statements(name);
        if names(client, there, &[&name.to_owned()]).await?.is_empty() {
            run(client, &create).await?;
            prepared.extensions.push(name.to_owned());
        }
        run(client, &find).await?;
    }
    let (wanted, unwanted) = indexes.of(dialect, table, true);
    // One of words by another dictionary is of no use either.
    let other =
        "SELECT indexdef FROM pg_catalog.pg_indexes WHERE schemaname = $1 AND indexname = $2";
    let mut usable = known.clone();
    for index in wanted.iter().filter(|index| dictionary_in(&index.sql).is_some()) {
        let there = names(client, other, &[&schema, &index.name]).await?;
        if there.iter().any(|sql| dictionary_in(sql) != dictionary_in(&index.sql)) {
            usable.retain(|name| *name != index.name);
        }
    }
    for index in missing(wanted, &usable) {
        run(client, &drop("", &index.name)).await?;
        run(client, &index.sql).await?;
        prepared.indexes.push(index.name);
    }
    for name in unwanted.into_iter().filter(|name| known.contains(name)) {
        run(client, &drop("CONCURRENTLY", &name)).await?;
        prepared.dropped.push(name);
    }
    Ok(())
}

/// Makes the totals of a table that are absent or not whole, or drops them.
async fn totals_in_postgres(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    indexes: Indexes,
    prepared: &mut Prepared,
) -> Result<()> {
    let schema = table.schema.clone().unwrap_or_default();
    let stored = totals::stored(client, dialect, (&schema, &table.name))
        .await
        .map_err(|error| sqlstate::error_of(&error))?;
    for totals in Totals::all(table) {
        match (indexes, stored.contains(&totals)) {
            (Indexes::Declared, false) => {
                run(client, &dialect.totals_script(&totals)).await?;
                prepared.indexes.push(totals.name);
            }
            (Indexes::OfReferences, true) => {
                run(client, &dialect.totals_drop_script(&totals)).await?;
                prepared.dropped.push(totals.name);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The dictionary in the statement of an index of words, as PostgreSQL prints it too.
pub(crate) fn dictionary_in(sql: &str) -> Option<&str> {
    let (_, behind) = sql.split_once("to_tsvector(")?;
    behind.split_once("::regconfig").map(|(name, _)| name)
}

fn missing(wanted: Vec<IndexStatement>, known: &[String]) -> Vec<IndexStatement> {
    wanted.into_iter().filter(|one| known.iter().all(|name| *name != one.name)).collect()
}

pub(crate) async fn names(client: &Client, sql: &str, given: &[&String]) -> Result<Vec<String>> {
    let given: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> =
        given.iter().map(|text| *text as _).collect();
    let rows = client.query(sql, &given).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    Ok(rows.iter().map(|row| row.try_get::<_, String>(0).unwrap_or_default()).collect())
}

pub(crate) async fn run(client: &Client, sql: &str) -> Result<()> {
    client.batch_execute(sql).await.map_err(|error| {
        Error::new(Code::Setting, format!("The tables of the collections cannot be prepared: {error}."))
            .hint("The user of the connection needs CREATE on the schema, and for trigram indexes CREATE on the database or the extension pg_trgm in it.")
            .cause(sqlstate::chain(&error))
    })
}

/// Creates absent objects in a SQLite file.
///
/// # Errors
/// `Setting` if the file cannot be written, or stored values do not fit; the file is then unchanged.
pub fn prepare_sqlite(
    path: &Path,
    tables: Vec<CollectionTable>,
    indexes: Indexes,
) -> Result<Prepared> {
    check_dictionaries(&Sqlite, &tables)?;
    let failed = |error: rusqlite::Error| {
        let message = format!("{} cannot be prepared: {error}. Nothing was made.", path.display());
        Error::new(Code::Setting, message).cause(error)
    };
    let connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    functions::register(&connection).map_err(failed)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let prepared = in_sqlite(&connection, tables, indexes).map_err(failed)?;
    connection.execute_batch("COMMIT; ANALYZE").map_err(failed)?;
    Ok(prepared)
}

fn in_sqlite(
    connection: &Connection,
    tables: Vec<CollectionTable>,
    indexes: Indexes,
) -> rusqlite::Result<Prepared> {
    let names = |sql: &str, table: &str| -> rusqlite::Result<Vec<String>> {
        connection.prepare(sql)?.query_map([table], |row| row.get(0))?.collect()
    };
    let mut prepared = Prepared::default();
    for table in in_order_of_references(tables) {
        let table = CollectionTable { schema: None, ..table };
        let columns = names("SELECT name FROM pragma_table_xinfo(?1)", &table.name)?;
        if columns.is_empty() {
            connection.execute_batch(&collection_table_statement(&Sqlite, &table))?;
            prepared.tables.push(table.name.clone());
        } else {
            for column in missing(collection_column_statements(&Sqlite, &table), &columns) {
                connection.execute_batch(&column.sql)?;
                prepared.columns.push(format!("{}.{}", table.name, column.name));
            }
        }
        indexes_in_sqlite(connection, &table, indexes, &mut prepared)?;
        totals_in_sqlite(connection, &table, indexes, &mut prepared)?;
    }
    Ok(prepared)
}

/// Creates the absent indexes of a table, and drops those that are no longer declared.
fn indexes_in_sqlite(
    connection: &Connection,
    table: &CollectionTable,
    indexes: Indexes,
    prepared: &mut Prepared,
) -> rusqlite::Result<()> {
    let mut known: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1")?
        .query_map([&table.name], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let (wanted, unwanted) = indexes.of(&Sqlite, table, false);
    // A search index whose declaration has changed is created again.
    let searched = SearchIndexes::read(connection, "main")?;
    let is_declared =
        |index: &&SearchIndex| wanted.iter().any(|wanted| wanted.sql == index.script());
    known.extend(searched.of(&table.name).filter(is_declared).map(|index| index.name.clone()));
    for index in missing(wanted, &known) {
        connection.execute_batch(&index.sql)?;
        prepared.indexes.push(index.name);
    }
    let has = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    for name in unwanted {
        if !connection.prepare(has)?.exists([&name])? {
            continue;
        }
        let search = search_index(table, &name);
        let script = search.map_or_else(
            || format!("DROP INDEX \"{}\"", name.replace('"', "\"\"")),
            |search| search.drop_script(),
        );
        connection.execute_batch(&script)?;
        prepared.dropped.push(name);
    }
    Ok(())
}

/// Makes the totals of a table that are absent or not whole, or drops them.
fn totals_in_sqlite(
    connection: &Connection,
    table: &CollectionTable,
    indexes: Indexes,
    prepared: &mut Prepared,
) -> rusqlite::Result<()> {
    let stored = StoredTotals::read(connection)?;
    for totals in Totals::all(table) {
        match (indexes, stored.all().contains(&totals)) {
            (Indexes::Declared, false) => {
                connection.execute_batch(&Sqlite.totals_script(&totals))?;
                prepared.indexes.push(totals.name);
            }
            (Indexes::OfReferences, true) => {
                connection.execute_batch(&Sqlite.totals_drop_script(&totals))?;
                prepared.dropped.push(totals.name);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The declared search index of this name.
fn search_index(table: &CollectionTable, name: &str) -> Option<SearchIndex> {
    let mut declared = table.indexes.iter().filter_map(|index| Sqlite.search_index(table, index));
    declared.find(|index| index.name == name)
}

#[cfg(test)]
mod tests {
    use duet_model::{CollectionIndex, DocumentField, Fold, Folding, IndexKind, Type};

    use super::*;

    fn table(paths: &[&str]) -> CollectionTable {
        let index = |path: &&str| CollectionIndex {
            field: DocumentField {
                path: (*path).to_owned(),
                ty: Type::Text,
                column: None,
                folding: Folding::Always(Fold::Both),
                repeated: false,
            },
            kind: IndexKind::Ordered,
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
            Prepared::default()
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
