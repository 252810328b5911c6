//! Tries the steps of a migration on PostgreSQL: in one transaction, because a step may need what another one makes, which
//! is rolled back. The locks of a step are held until then, so all together may not take long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_client::sqlstate;
use duet_model::Result;
use duet_store::setup::migrate::{Action, Object, Options, Plan, Step, StepTrial};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::run::{check_index, lost, step_error};

/// How long all steps may take: requests may wait for them.
const LONGEST: Duration = Duration::from_secs(5);

/// What runs in no transaction, by the begins of its statements. The rest of what migrations run does.
const ALONE: [&str; 4] = [
    "CREATE INDEX CONCURRENTLY",
    "CREATE UNIQUE INDEX CONCURRENTLY",
    "DROP INDEX CONCURRENTLY",
    "REINDEX INDEX CONCURRENTLY",
];

/// Tries all steps, and undoes them.
pub(super) async fn try_steps(
    client: &Client,
    plan: &Plan,
    options: Options,
) -> Result<Vec<StepTrial>> {
    if plan.steps.is_empty() {
        return Ok(Vec::new());
    }
    let timeout = options.lock_timeout.as_millis().max(1);
    let begin = format!("BEGIN; SET LOCAL lock_timeout = '{timeout}ms'");
    client.batch_execute(&begin).await.map_err(|error| sqlstate::error_of(&error))?;
    let (began, mut trials) = (Instant::now(), Vec::with_capacity(plan.steps.len()));
    for step in &plan.steps {
        let left = LONGEST.saturating_sub(began.elapsed());
        let trial = try_step(client, step, left, &trials).await?;
        trials.push(trial);
    }
    client.batch_execute("ROLLBACK").await.map_err(|error| lost(&error))?;
    Ok(trials)
}

async fn try_step(
    client: &Client,
    step: &Step,
    left: Duration,
    before: &[StepTrial],
) -> Result<StepTrial> {
    if let Some(statement) = step.statements.iter().find_map(|it| alone(&it.sql)) {
        return Ok(StepTrial::NotTried(format!("{statement} runs in no transaction")));
    }
    if left.is_zero() {
        return Ok(takes_long());
    }
    let begin = format!(
        "SAVEPOINT duet_step; SET LOCAL statement_timeout = '{}ms'",
        left.as_millis().max(1)
    );
    let statements = step.statements.iter().map(|statement| statement.sql.as_str());
    for sql in std::iter::once(begin.as_str()).chain(statements) {
        let Err(error) = client.batch_execute(sql).await else { continue };
        let undone = client.batch_execute("ROLLBACK TO SAVEPOINT duet_step").await;
        undone.map_err(|error| lost(&error))?;
        return failed(step, &error, before);
    }
    if step.object == Object::Index && step.action != Action::Drop {
        check_index(client, step).await?;
    }
    Ok(StepTrial::Done)
}

/// The statement that a text is, where it runs in no transaction.
fn alone(sql: &str) -> Option<&'static str> {
    let words: Vec<String> = sql.split_whitespace().take(4).map(str::to_ascii_uppercase).collect();
    let begin = words.join(" ");
    ALONE.into_iter().find(|known| begin.starts_with(known))
}

fn takes_long() -> StepTrial {
    let seconds = LONGEST.as_secs();
    StepTrial::NotTried(format!(
        "the trial would take more than {seconds} s, and requests would wait meanwhile"
    ))
}

/// What an error says of a step: that of a step behind one that was not done may be due to that alone, unless it is one of
/// what is stored, or of rights.
fn failed(step: &Step, error: &tokio_postgres::Error, before: &[StepTrial]) -> Result<StepTrial> {
    let not_tried = |why: String| Ok(StepTrial::NotTried(why));
    let Some(code) = error.code() else { return Err(lost(error)) };
    if *code == SqlState::LOCK_NOT_AVAILABLE {
        return not_tried("others hold its lock at the moment".to_owned());
    }
    if *code == SqlState::QUERY_CANCELED {
        return Ok(takes_long());
    }
    let is_certain = code.code().starts_with("23") || *code == SqlState::INSUFFICIENT_PRIVILEGE;
    let lacking = before.iter().position(|trial| !matches!(trial, StepTrial::Done));
    match lacking.filter(|_| !is_certain) {
        Some(at) => not_tried(format!("it may need step {}, which was not done", at + 1)),
        None => Ok(StepTrial::Failed(Arc::new(step_error(step, error)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_their_own_are_known() {
        for (sql, expected) in [
            ("CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON b (c)", Some(ALONE[0])),
            ("create  unique index\n concurrently a ON b (c)", Some(ALONE[1])),
            ("DROP INDEX CONCURRENTLY IF EXISTS a", Some(ALONE[2])),
            ("CREATE INDEX a ON b (c)", None),
            ("ANALYZE b", None),
        ] {
            assert_eq!(alone(sql), expected, "{sql}");
        }
    }
}
