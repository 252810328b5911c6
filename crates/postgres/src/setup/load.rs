//! Loading into a PostgreSQL database.

use duet_model::{Code, Error, Result};
use tokio_postgres::error::{DbError, ErrorPosition};
use tokio_postgres::{Client, Transaction};

use crate::notify::{self, Topic};
use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_store::setup::load::{Load, LoadSource, LoadedRows, failed, quoted, refused};

/// Loads into a PostgreSQL database, by one statement per script.
///
/// # Errors
/// `Setting` if a table of the same name exists and is not to be replaced, or a script
/// fails; other codes where the database cannot be reached. Nothing has changed then.
pub(crate) async fn into_postgres(settings: &Settings, load: &Load) -> Result<LoadedRows> {
    let (mut client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let loaded = run(&mut client, &settings.describe(), load).await?;
    notify::tell(&client, Topic::Schema).await;
    tidy_up(&client, load).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    Ok(loaded)
}

async fn run(client: &mut Client, database: &str, load: &Load) -> Result<LoadedRows> {
    let transaction = client
        .build_transaction()
        .read_only(false)
        .start()
        .await
        .map_err(|error| sqlstate::error_of(&error))?;
    if let Some(schema) = &load.schema {
        let schema = quoted(schema);
        let statement =
            format!("CREATE SCHEMA IF NOT EXISTS {schema}; SET LOCAL search_path = {schema}");
        execute(&transaction, "The schema", &statement).await?;
    }
    make_room(&transaction, database, load).await?;
    for source in &load.sources {
        match source {
            LoadSource::Script { name, text } => execute(&transaction, name, text).await?,
            LoadSource::Database(file) => {
                let message = format!("{} is for SQLite only.", file.display());
                return Err(Error::new(Code::Setting, message));
            }
        }
    }
    let loaded = count(&transaction, load).await?;
    transaction.commit().await.map_err(|error| script_error(&error, "The load", ""))?;
    Ok(loaded)
}

async fn execute(transaction: &Transaction<'_>, name: &str, text: &str) -> Result<()> {
    transaction.batch_execute(text).await.map_err(|error| script_error(&error, name, text))
}

/// The error of a script, with its line if the server reports a position.
fn script_error(error: &tokio_postgres::Error, script: &str, text: &str) -> Error {
    let Some(db_error) = error.as_db_error() else { return sqlstate::error_of(error) };
    let made = failed(script, line_of(db_error, text), db_error.message());
    made.maybe_hint(db_error.hint().or(db_error.detail()).map(str::to_owned))
}

fn line_of(db_error: &DbError, text: &str) -> Option<usize> {
    let Some(ErrorPosition::Original(position)) = db_error.position() else { return None };
    let before = text.chars().take((*position).saturating_sub(1) as usize);
    Some(before.filter(|char| *char == '\n').count() + 1)
}

/// Finds existing tables and functions of the same names, and drops them on request.
async fn make_room(transaction: &Transaction<'_>, database: &str, load: &Load) -> Result<()> {
    const IN_THE_WAY: &str = "
        SELECT relname::text, CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
                                           WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END
        FROM pg_catalog.pg_class
        WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
          AND relname = ANY ($1::text[])
          AND relkind IN ('r', 'p', 'v', 'm', 'f')
        ORDER BY 1";
    let rows = transaction
        .query(IN_THE_WAY, &[&load.tables])
        .await
        .map_err(|error| sqlstate::error_of(&error))?;
    let existing: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    if !existing.is_empty() && !load.replace {
        let names: Vec<String> = existing.into_iter().map(|(name, _)| name).collect();
        return Err(refused(&names, database));
    }
    for (name, kind) in existing {
        let statement = format!("DROP {kind} IF EXISTS {} CASCADE", quoted(&name));
        execute(transaction, "Dropping a table", &statement).await?;
    }
    if load.replace {
        for function in &load.functions {
            let statement = format!("DROP FUNCTION IF EXISTS {} CASCADE", quoted(function));
            execute(transaction, "Dropping a function", &statement).await?;
        }
    }
    Ok(())
}

async fn count(transaction: &Transaction<'_>, load: &Load) -> Result<LoadedRows> {
    let mut loaded = Vec::new();
    for table in &load.tables {
        let statement = format!("SELECT count(*) FROM {}", quoted(table));
        let row = transaction
            .query_one(&statement, &[])
            .await
            .map_err(|error| script_error(&error, &format!("Counting `{table}`"), ""))?;
        loaded.push((table.clone(), row.get::<_, i64>(0).unsigned_abs()));
    }
    Ok(loaded)
}

/// Statistics and the visibility map: without them everything works, only slower at first.
async fn tidy_up(client: &Client, load: &Load) {
    let schema = load.schema.as_deref().map(|schema| format!("{}.", quoted(schema)));
    for table in &load.tables {
        let table = format!("{}{}", schema.as_deref().unwrap_or(""), quoted(table));
        let _ = client.batch_execute(&format!("VACUUM (ANALYZE) {table}")).await;
    }
}

#[cfg(test)]
mod tests {
    use duet_testkit::postgres::Server;

    use super::*;

    const SCRIPT: &str = "CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t);
        CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
        INSERT INTO t VALUES (1, 2), (2, NULL);";

    fn load(script: &str) -> Load {
        Load {
            sources: vec![LoadSource::Script { name: "a.sql".into(), text: script.into() }],
            tables: vec!["t".into()],
            functions: vec!["f".into()],
            ..Load::default()
        }
    }

    fn into(database: &duet_testkit::postgres::Database, load: &Load) -> Result<LoadedRows> {
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(into_postgres(&settings, load))
    }

    #[test]
    fn made_refused_replaced() {
        let database = Server::shared().database("load");
        let wanted = load(SCRIPT);
        assert_eq!(into(&database, &wanted).unwrap(), [("t".to_owned(), 2)]);
        let refusal = into(&database, &wanted).unwrap_err();
        assert!(refusal.message.starts_with("`t` is already in postgres://"), "{refusal}");
        let replacing = Load { replace: true, ..wanted.clone() };
        assert_eq!(into(&database, &replacing).unwrap(), [("t".to_owned(), 2)]);
        let elsewhere = Load { schema: Some("o'ther \"x".into()), ..wanted };
        assert_eq!(into(&database, &elsewhere).unwrap(), [("t".to_owned(), 2)]);
        assert_eq!(database.query("SELECT count(*) FROM \"o'ther \"\"x\".t"), "2");
    }

    #[test]
    fn nothing_remains_of_a_failure() {
        let database = Server::shared().database("load_failure");
        let error = into(&database, &load(&format!("{SCRIPT}\nINSERT INTO nowhere VALUES (1)")))
            .unwrap_err();
        let expected = "a.sql:4 failed: relation \"nowhere\" does not exist. Nothing was loaded.";
        assert_eq!(error.message, expected);
        assert_eq!(database.query("SELECT to_regclass('t') IS NULL"), "t");
    }
}
