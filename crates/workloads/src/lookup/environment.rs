//! Facts about the databases before they are measured: versions, and how they read each table.

use duet_bench::targets::sql::SESSION;
use duet_bench::workload::Failed;
use duet_client::{ConnectOptions, Connection};
use duet_model::Value;

use super::{Endpoint, TABLES};
use crate::generate::Engine;

/// The databases behind some endpoints.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The databases with their versions.
    pub databases: Vec<String>,
    /// How each database reads each table, from its query plan: store, table, description.
    pub plans: Vec<(&'static str, &'static str, String)>,
}

/// Queries the databases of these endpoints.
///
/// # Errors
/// If one of them is unreachable.
pub async fn environment(endpoints: &[Endpoint]) -> Result<Environment, Failed> {
    let mut environment = Environment::default();
    for endpoint in endpoints {
        if let Some(target) = endpoint.target()? {
            of_database(&target, &mut environment).await?;
        }
    }
    Ok(environment)
}

async fn of_database(target: &ConnectOptions, environment: &mut Environment) -> Result<(), Failed> {
    let (name, version, explain, place) = match target {
        ConnectOptions::Postgres(_) => {
            ("PostgreSQL", "SHOW server_version", "EXPLAIN (COSTS OFF)", 0)
        }
        ConnectOptions::Sqlite { .. } => {
            ("SQLite", "SELECT sqlite_version()", "EXPLAIN QUERY PLAN", 3)
        }
    };
    let mut connection = Connection::open(target, SESSION).await?;
    if let Some(Value::Text(version)) = connection.ask(version, &[]).await?.first(0) {
        environment.databases.push(format!("{name} {version}"));
    }
    for table in TABLES {
        let full = Engine::of(target).name("lookup", table);
        let sql = format!("{explain} SELECT value FROM {full} WHERE key = 1");
        if let Some(Value::Text(words)) = connection.ask(&sql, &[]).await?.first(place) {
            environment.plans.push((name, table, words.clone()));
        }
    }
    connection.close().await;
    Ok(())
}
