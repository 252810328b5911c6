//! The results of statements of services, as PostgreSQL prepares them.

use duet_model::{Column, Result};
use duet_sql::Statement;
use duet_store::describe::{StatementDescription, StatementMistake, byte_of_character};
use tokio_postgres::Client;
use tokio_postgres::error::{DbError, ErrorPosition};

use super::types::Types;
use super::{CatalogReader, failed};
use crate::catalog::SchemaFilter;

/// One transaction for all, so that a pooler in front of the server keeps to one of its connections.
const BEGIN: &str = "BEGIN TRANSACTION READ ONLY";

/// Prepares statements and says what each gives.
///
/// The connection must be outside of a transaction, and not be used again if this future is dropped before
/// its end.
///
/// # Errors
/// If the server cannot be queried.
pub(crate) async fn describe(
    client: &Client,
    statements: &[Statement],
) -> Result<Vec<StatementDescription>> {
    client.batch_execute(BEGIN).await.map_err(|error| failed(&error))?;
    let described = describe_all(client, statements).await;
    let end = client.batch_execute("ROLLBACK").await;
    let described = described.map_err(|error| failed(&error))?;
    end.map_err(|error| failed(&error))?;
    Ok(described)
}

async fn describe_all(
    client: &Client,
    statements: &[Statement],
) -> std::result::Result<Vec<StatementDescription>, tokio_postgres::Error> {
    let types =
        Types::read(&CatalogReader { client, schemas: &SchemaFilter::default(), only: None })
            .await?;
    let mut all = Vec::with_capacity(statements.len());
    for statement in statements {
        client.batch_execute("SAVEPOINT described").await?;
        let prepared = client.prepare(&statement.sql).await;
        client.batch_execute("ROLLBACK TO SAVEPOINT described").await?;
        all.push(match prepared {
            Ok(prepared) => Ok(columns(client, &types, &prepared).await?),
            Err(error) => match error.as_db_error() {
                Some(db_error) => Err(mistake(db_error, &statement.sql)),
                None => return Err(error),
            },
        });
    }
    Ok(all)
}

/// The columns of a result. Whether they can be NULL is not known.
async fn columns(
    client: &Client,
    types: &Types,
    prepared: &tokio_postgres::Statement,
) -> std::result::Result<Vec<Column>, tokio_postgres::Error> {
    let ids: Vec<u32> = prepared.columns().iter().map(|column| column.type_().oid()).collect();
    let modifiers: Vec<i32> =
        prepared.columns().iter().map(tokio_postgres::Column::type_modifier).collect();
    let names = "SELECT pg_catalog.format_type(id, modifier) FROM \
                 unnest($1::pg_catalog.oid[], $2::pg_catalog.int4[]) WITH ORDINALITY AS t(id, modifier, number) \
                 ORDER BY number";
    let declared = client.query(names, &[&ids, &modifiers]).await?;
    let mut columns = Vec::with_capacity(ids.len());
    for (at, column) in prepared.columns().iter().enumerate() {
        let resolved = types.resolve(ids[at], modifiers[at]);
        let declared = match declared.get(at) {
            Some(row) => row.try_get(0)?,
            None => String::new(),
        };
        let ty = resolved.column_type(&declared);
        columns.push(Column {
            declared,
            loose_equality: resolved.loose_equality,
            ranges: resolved.ranges,
            ..Column::new(column.name(), ty)
        });
    }
    Ok(columns)
}

fn mistake(db_error: &DbError, text: &str) -> StatementMistake {
    let offset = match db_error.position() {
        Some(ErrorPosition::Original(number)) => {
            let number = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
            Some(byte_of_character(text, number))
        }
        _ => None,
    };
    let hint = db_error.hint().map(str::to_owned);
    StatementMistake { message: db_error.message().to_owned(), hint, offset }
}
