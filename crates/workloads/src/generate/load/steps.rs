//! The steps before and after the rows.

use duet_client::{Connection, Failure};
use duet_model::Value;

use crate::generate::state::{start_rows, store};
use crate::generate::{DataSet, Engine};

/// The names of a data set's objects in a store: they must not exist before, or are replaced.
pub(super) fn names(set: &DataSet, store: Engine) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = set.views.iter().map(|(name, _)| *name).collect();
    names.extend(set.tables.iter().rev().map(|filled| filled.table.name));
    names.push(set.metadata);
    if store == Engine::Postgres {
        names.extend(set.sequences.iter().map(|(name, _)| *name));
    }
    names
}

/// Drops existing objects and creates empty tables; the metadata describe the data set.
pub(super) async fn prepare(
    connection: &mut Connection,
    set: &DataSet,
    is_new: bool,
) -> Result<(), Failure> {
    let store = store(connection);
    if store == Engine::Sqlite {
        // `validate` checks references, not each row. A new file is no loss if the power fails.
        connection.script("PRAGMA foreign_keys = OFF").await?;
        if is_new {
            connection.script("PRAGMA synchronous = OFF").await?;
        }
    }
    connection.begin().await?;
    if store == Engine::Postgres {
        connection.script("SET LOCAL client_min_messages = warning").await?;
        connection.script(&format!("CREATE SCHEMA IF NOT EXISTS {}", set.name)).await?;
    }
    connection.script(&drops(set, store)).await?;
    let metadata = store.name(set.name, set.metadata);
    let create = format!(
        "CREATE TABLE {metadata} (metadata_key text NOT NULL PRIMARY KEY, \
         metadata_value text NOT NULL)"
    );
    connection.script(&create).await?;
    for filled in &set.tables {
        connection.script(&filled.table.create(set.name, store)).await?;
    }
    write_metadata(connection, set, &start_rows(set)).await?;
    connection.commit().await
}

fn drops(set: &DataSet, store: Engine) -> String {
    let is_view = |name: &str| set.views.iter().any(|(view, _)| *view == name);
    let is_sequence = |name: &str| set.sequences.iter().any(|(sequence, _)| *sequence == name);
    let cascade = if store == Engine::Postgres { " CASCADE" } else { "" };
    let drop = |name: &&str| {
        let kind = match *name {
            view if is_view(view) => "VIEW",
            sequence if is_sequence(sequence) => "SEQUENCE",
            _ => "TABLE",
        };
        format!("DROP {kind} IF EXISTS {}{cascade};\n", store.name(set.name, name))
    };
    names(set, store).iter().map(drop).collect()
}

/// Keys and indexes, to be created in parallel.
pub(super) fn keys(set: &DataSet, store: Engine) -> Vec<String> {
    set.tables.iter().flat_map(|filled| filled.table.keys(set.name, store)).collect()
}

/// All steps after the rows, except for PostgreSQL's keys; the last row of the metadata marks the
/// load as complete.
pub(super) async fn finish(connection: &mut Connection, set: &DataSet) -> Result<(), Failure> {
    let store = store(connection);
    if store == Engine::Sqlite {
        for sql in keys(set, store) {
            connection.script(&sql).await?;
        }
    }
    connection.begin().await?;
    for filled in &set.tables {
        for sql in filled.table.constraints(set.name, store) {
            connection.script(&sql).await?;
        }
    }
    for (_, sql) in set.views {
        connection.script(&store.statement(set.name, sql)).await?;
    }
    if store == Engine::Postgres {
        for (name, start) in &set.sequences {
            let name = store.name(set.name, name);
            connection.script(&format!("CREATE SEQUENCE {name} START {start} CACHE 100")).await?;
        }
    }
    let bounds: Vec<_> =
        set.bounds.iter().map(|(key, value)| ((*key).to_owned(), value.to_string())).collect();
    write_metadata(connection, set, &bounds).await?;
    connection.commit().await?;
    statistics(connection, set).await?;
    write_metadata(connection, set, &[(set.metadata_key("COMPLETE"), "yes".into())]).await?;
    if store == Engine::Sqlite {
        connection.script("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA foreign_keys = ON").await?;
    }
    Ok(())
}

/// Statistics; on PostgreSQL with a vacuum, which would otherwise start during a run.
async fn statistics(connection: &mut Connection, set: &DataSet) -> Result<(), Failure> {
    let store = store(connection);
    if store == Engine::Sqlite {
        // From here on writes must be durable: the checkpoint syncs the whole file.
        connection.script("PRAGMA synchronous = FULL; ANALYZE").await?;
        return connection.script("PRAGMA wal_checkpoint(TRUNCATE)").await;
    }
    for filled in &set.tables {
        let name = store.name(set.name, filled.table.name);
        connection.script(&format!("VACUUM (ANALYZE) {name}")).await?;
    }
    Ok(())
}

async fn write_metadata(
    connection: &mut Connection,
    set: &DataSet,
    rows: &[(String, String)],
) -> Result<(), Failure> {
    let metadata = store(connection).name(set.name, set.metadata);
    let sql = format!("INSERT INTO {metadata} (metadata_key, metadata_value) VALUES ($1, $2)");
    let insert = connection.prepare(&sql).await?;
    for (key, value) in rows {
        let values = [Value::Text(key.clone()), Value::Text(value.clone())];
        connection.execute(&insert, &values).await?;
    }
    Ok(())
}
