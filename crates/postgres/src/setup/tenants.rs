//! The schemas of tenants in a PostgreSQL database.

use std::collections::BTreeMap;

use duet_model::tenant::TenantName;
use duet_model::{Code, Error, Result};
use duet_sql::{KeySyntax as _, Postgres};
use tokio_postgres::Client;

use crate::notify::{self, Topic};
use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_store::setup::tenants::{SchemaState, comment_of, owner_of, schema_of};

/// The tenants of an application, with the numbers of their schemas in the catalog.
///
/// # Errors
/// Where the database cannot be read.
pub(crate) async fn list(settings: &Settings, suffix: &str) -> Result<BTreeMap<TenantName, u32>> {
    let sql = "SELECT nspname::text, pg_catalog.obj_description(oid, 'pg_namespace'), oid FROM pg_catalog.pg_namespace \
        WHERE pg_catalog.obj_description(oid, 'pg_namespace') LIKE 'Duet tenant: %'";
    let rows = with_client(settings, async |client| {
        client.query(sql, &[]).await.map_err(|error| sqlstate::error_of(&error))
    })
    .await?;
    let each = rows.iter().filter_map(|row| {
        let (schema, comment): (String, String) = (row.get(0), row.get(1));
        let name = schema.strip_suffix(suffix)?.strip_suffix('_')?.parse().ok()?;
        (comment == comment_of(&name, suffix)).then_some((name, row.get(2)))
    });
    Ok(each.collect())
}

/// What the schema of a tenant is.
///
/// # Errors
/// Where the database cannot be read.
pub(crate) async fn state(
    settings: &Settings,
    name: &TenantName,
    suffix: &str,
) -> Result<SchemaState> {
    let (schema, comment) = (schema_of(name, suffix), comment_of(name, suffix));
    with_client(settings, async |client| state_by(client, &schema, &comment).await).await
}

async fn state_by(client: &Client, schema: &str, comment: &str) -> Result<SchemaState> {
    let sql = "SELECT pg_catalog.obj_description(oid, 'pg_namespace'), oid FROM pg_catalog.pg_namespace \
        WHERE nspname = $1";
    let found = client.query_opt(sql, &[&schema]).await;
    let found = found.map_err(|error| sqlstate::error_of(&error))?;
    Ok(match found.map(|row| (row.get::<_, Option<String>>(0), row.get(1))) {
        None => SchemaState::Absent,
        Some((Some(own), number)) if own == comment => SchemaState::Tenant(number),
        Some((own, _)) => match own.as_deref().and_then(owner_of) {
            Some(owner) => SchemaState::Taken(owner.to_owned()),
            None => SchemaState::Other,
        },
    })
}

/// Drops the schema of a tenant with everything in it, and what Duet keeps for it elsewhere; `false` where it is
/// not a tenant's.
///
/// # Errors
/// `Setting` where the user may not drop it; others where the database cannot be reached.
pub(crate) async fn drop_schema(
    settings: &Settings,
    name: &TenantName,
    suffix: &str,
) -> Result<bool> {
    let (schema, comment) = (schema_of(name, suffix), comment_of(name, suffix));
    // As callers of the tenant are kept with their keys: other applications' tenants of this name keep theirs.
    let keys = format!("/{schema} ");
    with_client(settings, async |client| {
        if !matches!(state_by(client, &schema, &comment).await?, SchemaState::Tenant(_)) {
            return Ok(false);
        }
        let refused = |error: tokio_postgres::Error| {
            Error::new(Code::Setting, format!("The schema {schema:?} cannot be dropped."))
                .hint(
                    "The user of the connection must own it, and nothing outside may depend on it.",
                )
                .cause(sqlstate::chain(&error))
        };
        let sql = format!("BEGIN READ WRITE; DROP SCHEMA \"{schema}\" CASCADE");
        client.batch_execute(&sql).await.map_err(refused)?;
        let table = Postgres { icu: false }.key_table().usable;
        let table =
            client.query_opt(table, &[]).await.map_err(|error| sqlstate::error_of(&error))?;
        if table.is_some() {
            let sql = "DELETE FROM duet.idempotency WHERE left(caller, length($1)) = $1";
            client.execute(sql, &[&keys]).await.map_err(|error| sqlstate::error_of(&error))?;
        }
        client.batch_execute("COMMIT").await.map_err(refused)?;
        notify::tell(client, Topic::Schema).await;
        Ok(true)
    })
    .await
}

async fn with_client<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Client) -> Result<T>,
) -> Result<T> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let done = work(&client).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    done
}
