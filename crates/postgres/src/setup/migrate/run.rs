//! Carries out the steps of a migration on PostgreSQL.

use duet_client::sqlstate;
use duet_model::{Code, Error, Result};
use duet_store::setup::migrate::{
    Action, MigrationEvent, MigrationStatement, Object, Observer, Options, Plan, Step, names,
};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::lock::Lock;
use super::objects::{Found, indexes_of, quoted};

/// Carries out all steps.
pub(super) async fn run_steps(
    client: &Client,
    plan: &Plan,
    options: Options,
    lock: &Lock,
    observer: Observer<'_>,
) -> Result<()> {
    observer(&MigrationEvent::Planned(plan))?;
    for (number, step) in (1..).zip(&plan.steps) {
        lock.check().await?;
        observer(&MigrationEvent::Step(number, step))?;
        for (at, statement) in (1..).zip(&step.statements) {
            observer(&MigrationEvent::Statement(number, at))?;
            if let Err(error) = run_one(client, statement, options, observer).await {
                return Err(undone(client, step, &error).await);
            }
        }
        if step.object == Object::Index && step.action != Action::Drop {
            check_index(client, step).await?;
        }
    }
    Ok(())
}

/// Runs a statement, one that requests would wait behind again and again until it gets its lock in time.
async fn run_one(
    client: &Client,
    statement: &MigrationStatement,
    options: Options,
    observer: &mut dyn FnMut(&MigrationEvent<'_>) -> Result<()>,
) -> std::result::Result<(), Failed> {
    if !statement.locks {
        return client.batch_execute(&statement.sql).await.map_err(Failed::Statement);
    }
    let timeout = options.lock_timeout.as_millis().max(1);
    let script =
        format!("BEGIN;\nSET LOCAL lock_timeout = '{timeout}ms';\n{};\nCOMMIT", statement.sql);
    for attempt in 1_u32.. {
        let Err(error) = client.batch_execute(&script).await else { return Ok(()) };
        // The transaction is broken, or there is none.
        drop(client.batch_execute("ROLLBACK").await);
        let is_locked = error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE);
        if !is_locked || attempt >= options.attempts {
            return Err(Failed::Statement(error));
        }
        observer(&MigrationEvent::Locked(attempt)).map_err(Failed::Observer)?;
        // Those who waited behind it have their turn.
        tokio::time::sleep(options.lock_timeout).await;
    }
    Ok(())
}

enum Failed {
    Statement(tokio_postgres::Error),
    Observer(Error),
}

/// The error of a step. What is left of an index that could not be built is dropped: a unique one would still refuse
/// documents.
async fn undone(client: &Client, step: &Step, failed: &Failed) -> Error {
    let error = match failed {
        Failed::Observer(error) => return Error::new(error.code, error.message.clone()),
        Failed::Statement(error) => error,
    };
    if step.object == Object::Index && !client.is_closed() {
        for index in left_of(client, step).await.unwrap_or_default() {
            let sql = format!("DROP INDEX CONCURRENTLY IF EXISTS {index}");
            drop(client.batch_execute(&sql).await);
        }
    }
    step_error(step, error)
}

/// What the error of a statement means for its step.
pub(super) fn step_error(step: &Step, error: &tokio_postgres::Error) -> Error {
    let what = format!("{} {}", step.object.name(), step.name);
    let db_error = error.as_db_error();
    let detail = db_error.and_then(|it| it.detail()).unwrap_or_default();
    let made = |message: String| Error::new(Code::Setting, message).cause(sqlstate::chain(error));
    match error.code() {
        Some(code) if *code == SqlState::UNIQUE_VIOLATION => made(format!(
            "The {what} cannot be built, because documents of {} have the same value: {detail}",
            step.table
        ))
        .hint("Change or delete all but one of them, then run the command again."),
        Some(code) if *code == SqlState::FOREIGN_KEY_VIOLATION => made(format!(
            "The {what} of {} cannot be made, because a document refers to one that does not exist: {detail}",
            step.table
        ))
        .hint("Change or delete the document, then run the command again."),
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => made(format!(
            "The {what} did not get its lock on {}: transactions of others hold it.",
            step.table
        ))
        .hint("End long transactions, or allow more by `--lock-timeout`; the next run continues here."),
        Some(_) => made(format!("The {what} cannot be changed: {error}."))
            .hint("The user of the connection must own the table; the next run continues here."),
        None => lost(error),
    }
}

/// The error of a lost connection.
pub(super) fn lost(error: &tokio_postgres::Error) -> Error {
    Error::new(Code::DatabaseUnavailable, "The connection was lost.")
        .hint("Run the command again: it continues.")
        .cause(sqlstate::chain(error))
}

/// The indexes of a step that are not valid, each with its schema.
async fn left_of(client: &Client, step: &Step) -> Result<Vec<String>> {
    let names = [step.name.clone(), names::replacement(&step.name)];
    let indexes = indexes_of(client, &step.schema, &step.table).await?;
    let left = indexes.iter().filter(|it| !it.is_valid && names.contains(&it.name));
    Ok(left.map(|it| format!("{}.{}", quoted(&step.schema), quoted(&it.name))).collect())
}

/// Checks that an index is there: `IF NOT EXISTS` says nothing about what another program made meanwhile.
pub(super) async fn check_index(client: &Client, step: &Step) -> Result<()> {
    let is_ready = |found: &Found| found.name == step.name && found.is_valid;
    if indexes_of(client, &step.schema, &step.table).await?.iter().any(is_ready) {
        return Ok(());
    }
    let message =
        format!("The index {} was changed by another program while it was built.", step.name);
    Err(Error::new(Code::Setting, message).hint("Run the command again: it continues."))
}
