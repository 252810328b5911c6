//! How PostgreSQL prints what collections declare. Declared indexes are made over an empty temporary table, in a
//! transaction that is rolled back, so definitions are compared as texts of one printer, whatever its version.

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_client::sqlstate;
use duet_model::collection::{DOCUMENT, KEY, column_name};
use duet_model::{
    CollectionIndex, CollectionTable, DocumentField, Folding, IndexKind, Pair, PairKind, Result,
    Type,
};
use duet_sql::{Postgres, collection_index_statements, collection_statistics_statement};
use duet_store::setup::migrate::names;
use duet_text::Fold;
use tokio_postgres::Client;

use super::objects::{Found, indexes_of, quoted};
use crate::setup::collections::{dictionary_in, run};

/// The schema of temporary tables.
const TEMPORARY: &str = "pg_temp";

/// What a table of a collection is to have, as PostgreSQL prints it.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// The definitions of indexes by their names.
    pub(super) indexes: BTreeMap<String, String>,
    /// What statistics are of.
    pub(super) statistics: Option<String>,
    /// The names of the given indexes that Duet has made, for earlier declarations.
    pub(super) own: Vec<String>,
}

/// The declared definitions, and which of the indexes `others` an earlier declaration may have had.
pub(super) async fn read(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    others: &[&Found],
) -> Result<Definitions> {
    run(client, "BEGIN").await?;
    let read = in_transaction(client, dialect, table, others).await;
    run(client, "ROLLBACK").await?;
    read
}

async fn in_transaction(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    others: &[&Found],
) -> Result<Definitions> {
    let table = CollectionTable { schema: Some(TEMPORARY.to_owned()), ..table.clone() };
    let columns = table.references.iter().map(|one| format!(", {} uuid", quoted(&one.column())));
    let make = format!(
        "CREATE TEMPORARY TABLE {} ({} uuid, {} jsonb{})",
        quoted(&table.name),
        quoted(KEY),
        quoted(DOCUMENT),
        columns.collect::<String>()
    );
    run(client, &make).await?;
    let mut read = Definitions::default();
    for index in collection_index_statements(dialect, &table, false) {
        tried(client, &index.sql).await?;
    }
    for index in indexes_of(client, TEMPORARY, &table.name).await? {
        read.indexes.insert(index.name, index.definition);
    }
    if let Some(statistics) = collection_statistics_statement(dialect, &table)
        && tried(client, &statistics.sql).await?
    {
        read.statistics = statistics_of(client, TEMPORARY, &table.name, &statistics.name).await?;
    }
    for other in others {
        if is_own(client, dialect, &table, other).await? {
            read.own.push(other.name.clone());
        }
    }
    Ok(read)
}

/// What the statistics of this name are of.
pub(super) async fn statistics_of(
    client: &Client,
    schema: &str,
    table: &str,
    name: &str,
) -> Result<Option<String>> {
    const LIST: &str = "SELECT pg_catalog.pg_get_statisticsobjdef(oid) FROM pg_catalog.pg_statistic_ext \
        WHERE stxname = $1 AND stxrelid = pg_catalog.to_regclass($2)";
    let relation = format!("{}.{}", quoted(schema), quoted(table));
    let rows = client.query(LIST, &[&name, &relation]).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    let definition = rows.first().and_then(|row| row.try_get::<_, String>(0).ok());
    Ok(definition.and_then(|text| {
        let (_, behind) = text.split_once(") ON ")?;
        behind.rsplit_once(" FROM ").map(|(of, _)| of.to_owned())
    }))
}

/// Runs a statement that may fail, as for want of an extension.
async fn tried(client: &Client, sql: &str) -> Result<bool> {
    run(client, "SAVEPOINT tried").await?;
    let succeeded = client.batch_execute(sql).await.is_ok();
    run(client, if succeeded { "RELEASE tried" } else { "ROLLBACK TO tried" }).await?;
    Ok(succeeded)
}

/// Whether an index is one that Duet makes for some declaration: of its name, and letter by letter of its definition.
async fn is_own(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    index: &Found,
) -> Result<bool> {
    // Which documents a partial index has may be anything.
    let condition = index.definition.split_once(" WHERE ");
    let definition = condition.map_or(index.definition.as_str(), |(definition, _)| definition);
    let of_pairs = IndexKind::all(IndexKind::is_of_pairs).find_map(|kind| {
        let name = names::columns_in(&table.name, &index.name, kind, condition.is_some())?;
        Some(PairIndex { key: &index.keys, kind, name })
    });
    if let Some(pair) = of_pairs {
        return is_own_pair(client, dialect, table, pair, definition).await;
    }
    let paths: Option<Vec<String>> = index.keys.iter().map(|key| path_in(key)).collect();
    let Some(paths) = paths else { return Ok(false) };
    let named: Vec<String> = paths.iter().map(|path| column_name(path)).collect();
    let kinds = names::kinds(&table.name, &index.name, &named.join("_"), condition.is_some());
    let mut table = table.clone();
    if let (Some(dictionary), Some(path)) = (dictionary_in(&index.definition), paths.first()) {
        table.dictionaries.0 = vec![(path.clone(), dictionary.trim_matches('\'').to_owned())];
    }
    for kind in kinds {
        let mut fields = Vec::with_capacity(paths.len());
        for (path, key) in paths.iter().zip(&index.keys) {
            fields.extend(field_of(client, dialect, &table, path, key, kind).await?);
        }
        if fields.len() != paths.len() {
            continue;
        }
        let mut fields = fields.into_iter();
        let Some(first) = fields.next() else { continue };
        let mut declared = CollectionIndex::new(first, kind);
        declared.then = fields.collect();
        let printed = printed(client, dialect, &table, declared).await?;
        if printed.is_some_and(|printed| printed.definition == definition) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// An index of what two members are together.
#[derive(Clone, Copy)]
struct PairIndex<'i> {
    key: &'i [String],
    kind: IndexKind,
    /// The name that the declaration gave.
    name: &'i str,
}

/// The same of an index of what two members are together, whose name the declaration gave.
async fn is_own_pair(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    pair: PairIndex<'_>,
    definition: &str,
) -> Result<bool> {
    let PairIndex { key, kind, name } = pair;
    let [key] = key else { return Ok(false) };
    let mut members: Vec<String> = Vec::new();
    let mut rest = key.as_str();
    while let Some(path) = path_in(rest) {
        rest = rest.split_once("}'::text[]").map_or("", |(_, behind)| behind);
        if !members.contains(&path) {
            members.push(path);
        }
    }
    let Ok(members) = <[String; 2]>::try_from(members) else { return Ok(false) };
    for of in PairKind::ALL {
        let pair = Pair { kind: of, members: members.clone() };
        let field = DocumentField {
            path: name.to_owned(),
            ty: Type::Pair(Arc::new(pair)),
            column: None,
            folding: Folding::Never,
            repeated: false,
            joined: None,
        };
        let printed = printed(client, dialect, table, CollectionIndex::new(field, kind)).await?;
        if printed.is_some_and(|printed| printed.definition == definition) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The field that an index of this kind has as this key.
async fn field_of(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    path: &str,
    key: &str,
    kind: IndexKind,
) -> Result<Option<DocumentField>> {
    let texts = [Fold::Both, Fold::Case, Fold::Accents].map(Folding::Always);
    let texts = texts.into_iter().chain([Folding::Never]).map(|folding| (Type::Text, folding));
    let plain = [Type::Boolean, Type::Decimal { scale: None }].map(|ty| (ty, Folding::Never));
    for (ty, folding) in texts.chain(plain) {
        let field = DocumentField {
            path: path.to_owned(),
            ty,
            column: None,
            folding,
            repeated: false,
            joined: None,
        };
        let index = CollectionIndex::new(field.clone(), kind);
        let printed = printed(client, dialect, table, index).await?;
        if printed.is_some_and(|printed| printed.keys == [key]) {
            return Ok(Some(field));
        }
    }
    Ok(None)
}

/// An index as PostgreSQL prints it.
async fn printed(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    index: CollectionIndex,
) -> Result<Option<Found>> {
    let alone = CollectionTable {
        references: Vec::new(),
        indexes: vec![index],
        schema: table.schema.clone(),
        name: table.name.clone(),
        dictionaries: table.dictionaries.clone(),
    };
    let statement = collection_index_statements(dialect, &alone, false).into_iter().next();
    let Some(statement) = statement else { return Ok(None) };
    run(client, "SAVEPOINT printed").await?;
    let mut found = None;
    if client.batch_execute(&statement.sql).await.is_ok() {
        let all = indexes_of(client, TEMPORARY, &table.name).await?;
        found = all.into_iter().find(|one| one.name == statement.name);
    }
    run(client, "ROLLBACK TO printed").await?;
    Ok(found)
}

/// The path in an index's key, from the array that PostgreSQL prints: `'{a,b}'::text[]` is `a.b`.
fn path_in(key: &str) -> Option<String> {
    let (_, behind) = key.split_once("'{")?;
    let (list, _) = behind.split_once("}'::text[]")?;
    let (mut path, mut escaped) = (String::new(), false);
    for char in list.replace("''", "'").chars() {
        match char {
            _ if escaped => {
                path.push(char);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => {}
            ',' => path.push('.'),
            other => path.push(other),
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_from_definitions() {
        for (key, path) in [
            ("(jsonb #>> '{vendor}'::text[])", Some("vendor")),
            ("lower((jsonb #>> '{a,Name}'::text[]))", Some("a.Name")),
            (r#"(jsonb #>> '{"a b",it''s}'::text[])"#, Some("a b.it's")),
            ("vendorid", None),
            ("(jsonb ->> 'vendor'::text)", None),
        ] {
            assert_eq!(path_in(key).as_deref(), path, "{key}");
        }
    }
}
