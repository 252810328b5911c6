//! Recognising a pooler that Duet cannot work through.
//!
//! A pooler that gives a server connection to another client after each transaction must rewrite
//! prepared statements (pgbouncer from 1.21 on, with `max_prepared_statements` above 0). One that
//! does not runs the statements of one client as those of another. There is no question that all
//! poolers answer, so two facts are observed: two connections that are open at once meet the same
//! server process, and a statement is prepared there under the very name that the driver gave it.

use duet_model::{Code, Error, Result};
use tokio_postgres::Client;

use duet_client::sqlstate;

/// How often the connections are compared: others may take a server connection in between.
const TRIES: usize = 20;

const PROCESS: &str = "SELECT pg_catalog.pg_backend_pid()";

/// What is prepared, and found again by its text.
const SAMPLE: &str = "SELECT 1 AS duet_looks_for_a_pooler";

/// The driver's names are `s0`, `s1` and so on; a pooler that rewrites names gives others.
const NAMED: &str = "SELECT coalesce(bool_or(name ~ '^s[0-9]+$'), false)
  FROM pg_catalog.pg_prepared_statements WHERE statement = $1";

/// Checks that prepared statements are safe between two open connections. True where a pooler gives both
/// the same connection of the server: then what one has set need not hold for its next transaction.
///
/// # Errors
/// [`Code::Setting`] where they are not.
pub(crate) async fn check(first: &Client, second: &Client) -> Result<bool> {
    let failed = |error: tokio_postgres::Error| sqlstate::error_of(&error);
    if !share_a_process(first, second).await.map_err(failed)? {
        return Ok(false);
    }
    // In one transaction, so that both statements meet the same server connection.
    let begun = first.batch_execute("BEGIN READ ONLY").await;
    begun.map_err(|error| no_transactions(&sqlstate::chain(&error)))?;
    let own = has_own_name(first).await;
    first.batch_execute("ROLLBACK").await.map_err(failed)?;
    match own {
        Ok(false) => Ok(true),
        Ok(true) => Err(unfit("the names of prepared statements reach the server as they are")),
        Err(error) => Err(unfit(&sqlstate::chain(&error))),
    }
}

/// Whether two connections meet the same process, or one of them several: where others are busy in the pool,
/// either happens before long.
async fn share_a_process(first: &Client, second: &Client) -> Result<bool, tokio_postgres::Error> {
    let mut before = None;
    for _ in 0..TRIES {
        let mut processes = [0, 0];
        for (process, client) in processes.iter_mut().zip([first, second]) {
            let rows = client.query_typed(PROCESS, &[]).await?;
            *process = rows.first().map_or(0, |row| row.get::<_, i32>(0));
        }
        let is_other = before.replace(processes).is_some_and(|before| before != processes);
        if processes[0] == processes[1] || is_other {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn has_own_name(client: &Client) -> Result<bool, tokio_postgres::Error> {
    let prepared = client.prepare(SAMPLE).await?;
    client.query(&prepared, &[]).await?;
    let text = tokio_postgres::types::Type::TEXT;
    let rows = client.query_typed(NAMED, &[(&SAMPLE, text)]).await?;
    Ok(rows.first().is_some_and(|row| row.get(0)))
}

/// What can be used instead.
const HINT: &str = "Use pgbouncer 1.21 or later with `max_prepared_statements` above 0, its session \
                    mode, or the database's own address.";

fn unfit(cause: &str) -> Error {
    let message = "The pooler before the database mixes up prepared statements of its clients.";
    Error::new(Code::Setting, message).hint(HINT).cause(cause)
}

/// A pooler of statements.
fn no_transactions(cause: &str) -> Error {
    let message = "The pooler before the database allows no transactions, which Duet needs.";
    Error::new(Code::Setting, message).hint(HINT).cause(cause)
}

#[cfg(test)]
mod tests {
    use duet_testkit::postgres::Server;

    use super::*;

    /// A pooler that rewrites nothing shows two names for one connection.
    #[test]
    fn poolers_that_keep_statement_names_are_refused() {
        let url = Server::shared().database("pooler").url();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let connect = async || {
                let made = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
                let (client, connection) = made.unwrap();
                tokio::spawn(connection);
                client
            };
            let (first, second) = (connect().await, connect().await);
            assert_eq!(check(&first, &second).await, Ok(false));
            let refused = check(&first, &first).await.unwrap_err();
            assert_eq!(refused.code, Code::Setting);
            assert!(refused.hint.unwrap().contains("pgbouncer 1.21"));
            assert!(first.query_one("SELECT 1", &[]).await.is_ok(), "it is of use afterwards");
        });
    }
}
