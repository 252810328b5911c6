//! The statements of migration files whose objects a database lacks, each a step.

use duet_model::Result;
use duet_store::setup::migrate::{
    Action, Addition, Blocks, DeclaredObjects, MigrationStatement, Object, Plan, Step,
};
use tokio_postgres::Client;

use super::objects::{indexes_of, quoted};
use crate::setup::collections::{names, run};

/// The schema of names without one.
const DEFAULT: &str = "public";

/// Adds the pending ones to a plan, in their order.
pub(super) async fn plan_additions(
    client: &Client,
    declared: &DeclaredObjects,
    plan: &mut Plan,
) -> Result<()> {
    if declared.additions.is_empty() {
        return Ok(());
    }
    let own = declared.schema.as_deref().unwrap_or(DEFAULT);
    if own != DEFAULT {
        run(client, &format!("SET search_path = {}, {DEFAULT}", quoted(own))).await?;
    }
    for addition in &declared.additions {
        let schema = addition.schema.as_deref().unwrap_or(own);
        plan.notes.extend(difference(client, addition, schema).await?);
        if let Some((action, statements)) = pending(client, addition, schema).await? {
            plan.steps.push(Step {
                action,
                object: addition.object,
                name: addition.name.clone(),
                schema: schema.to_owned(),
                table: addition.table.clone(),
                reason: None,
                statements,
                rows: None,
                bytes: None,
                blocks: match addition.object {
                    Object::Column => Blocks::Briefly,
                    _ => Blocks::Nothing,
                },
            });
        }
    }
    Ok(())
}

/// The names of the columns of a table.
const COLUMNS: &str = "SELECT attname::text FROM pg_catalog.pg_attribute \
    WHERE attrelid = pg_catalog.to_regclass($1) AND attnum > 0 AND NOT attisdropped";

/// What to say of a table of this name that is there, where it is seen to be another one. An index of this name on
/// another table fails where it is made.
async fn difference(client: &Client, addition: &Addition, schema: &str) -> Result<Option<String>> {
    if addition.object != Object::Table {
        return Ok(None);
    }
    let relation = format!("{}.{}", quoted(schema), quoted(&addition.table));
    let known = names(client, COLUMNS, &[&relation]).await?;
    let lacks = addition.lacks(&known, |known, wanted| known == wanted);
    Ok(lacks.filter(|_| !known.is_empty()))
}

/// What makes an object; `None` where it is there.
async fn pending(
    client: &Client,
    addition: &Addition,
    schema: &str,
) -> Result<Option<(Action, Vec<MigrationStatement>)>> {
    const TABLE: &str = "SELECT c.relname::text FROM pg_catalog.pg_class c \
        WHERE c.oid = pg_catalog.to_regclass($1)";
    let relation = format!("{}.{}", quoted(schema), quoted(&addition.table));
    match addition.object {
        Object::Column => {
            let known = names(client, COLUMNS, &[&relation]).await?;
            let make = vec![MigrationStatement::locking(&addition.sql)];
            Ok((!known.contains(&addition.name)).then_some((Action::Create, make)))
        }
        Object::Index => index(client, addition, schema).await,
        _ => {
            let known = names(client, TABLE, &[&relation]).await?;
            // A foreign key locks the other table for a moment.
            let make = vec![MigrationStatement::locking(&addition.sql)];
            Ok(known.is_empty().then_some((Action::Create, make)))
        }
    }
}

/// An index, which is built beside requests; what an interrupted build has left is made anew.
async fn index(
    client: &Client,
    addition: &Addition,
    schema: &str,
) -> Result<Option<(Action, Vec<MigrationStatement>)>> {
    let known = indexes_of(client, schema, &addition.table).await?;
    let found = known.iter().find(|index| index.name == addition.name);
    if found.is_some_and(|index| index.is_valid) {
        return Ok(None);
    }
    let mut statements = Vec::new();
    if found.is_some() {
        let name = format!("{}.{}", quoted(schema), quoted(&addition.name));
        statements
            .push(MigrationStatement::online(format!("DROP INDEX CONCURRENTLY IF EXISTS {name}")));
    }
    let (head, rest) = addition.sql.split_at(addition.index_word);
    let make = match head {
        "" => rest.to_owned(),
        head => format!("{head} CONCURRENTLY{rest}"),
    };
    statements.push(MigrationStatement::online(make));
    let action = if found.is_some() { Action::Finish } else { Action::Create };
    Ok(Some((action, statements)))
}
