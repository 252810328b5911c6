//! What commands for collections ask of a connection.

use duet_model::{Code, Error, Result};
use tokio_postgres::Client;

use duet_client::sqlstate;

/// The dictionary in the statement of an index of words, as PostgreSQL prints it too.
pub(crate) fn dictionary_in(sql: &str) -> Option<&str> {
    let (_, behind) = sql.split_once("to_tsvector(")?;
    behind.split_once("::regconfig").map(|(name, _)| name)
}

/// The names that a query gives.
pub(crate) async fn names(client: &Client, sql: &str, given: &[&String]) -> Result<Vec<String>> {
    let given: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> =
        given.iter().map(|text| *text as _).collect();
    let rows = client.query(sql, &given).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    Ok(rows.iter().map(|row| row.try_get::<_, String>(0).unwrap_or_default()).collect())
}

/// Runs a statement that prepares tables.
pub(crate) async fn run(client: &Client, sql: &str) -> Result<()> {
    client.batch_execute(sql).await.map_err(|error| {
        Error::new(Code::Setting, format!("The tables of the collections cannot be prepared: {error}."))
            .hint("The user of the connection needs CREATE on the schema, and for trigram indexes CREATE on the database or the extension pg_trgm in it.")
            .cause(sqlstate::chain(&error))
    })
}
