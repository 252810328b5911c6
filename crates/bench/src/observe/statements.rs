//! The statements that took most of a PostgreSQL database's time, from the extension
//! `pg_stat_statements`: its counts before the run are subtracted from those after it. Without the
//! extension, or without the right to read it, there are none, which is no reason for a warning.

use std::collections::BTreeMap;

use duet_client::Rows;
use duet_model::Value;
use duet_verdict::result::SqlStatement;

use super::postgres::Postgres;

/// The schema of the extension, quoted.
const SCHEMA: &str = "SELECT quote_ident(nspname) FROM pg_extension \
    JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_stat_statements'";

/// The rows of this database.
const HERE: &str = "dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND queryid IS NOT NULL";

/// The most statements of a result.
const MOST: usize = 25;
/// The most characters of a statement.
const LONGEST: usize = 2_000;

/// Statements that the server stores with placeholders. Others may hold passwords.
const WITHOUT_VALUES: [&str; 6] = ["select", "insert", "update", "delete", "merge", "with"];

/// Counts by the server's number of the statement: calls, milliseconds, rows, pages found, pages read.
type Counts = BTreeMap<String, [f64; 5]>;

/// The counts of a moment.
#[derive(Debug)]
pub(super) struct Statements {
    schema: String,
    counts: Counts,
}

impl Statements {
    /// The current counts; `None` if the server has none.
    pub(super) async fn read(server: &mut Postgres) -> Option<Self> {
        let rows = server.ask(SCHEMA, &[]).await.ok()?;
        let schema = rows.first(0).map(Value::to_string)?;
        let counts = counts(server, &schema).await?;
        Some(Self { schema, counts })
    }

    /// What has been counted since, most time first.
    pub(super) async fn since(self, server: &mut Postgres) -> Vec<SqlStatement> {
        let Some(now) = counts(server, &self.schema).await else { return Vec::new() };
        let mut grown: Vec<(String, [f64; 5])> = now
            .into_iter()
            .filter_map(|(id, now)| {
                let then = self.counts.get(&id).copied().unwrap_or_default();
                let grown = std::array::from_fn(|at| now[at] - then[at]);
                // A decrease: the counts were reset meanwhile.
                let is_known = grown.iter().all(|count: &f64| *count >= 0.0) && grown[0] > 0.0;
                is_known.then_some((id, grown))
            })
            .collect();
        grown.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
        // The observer's own are among them.
        grown.truncate(2 * MOST);
        let texts = texts(server, &self.schema, &grown).await.unwrap_or_default();
        let statement = |(id, [calls, total_ms, rows, hit, read]): (String, [f64; 5])| {
            let query = texts.get(&id).filter(|text| !is_of_observer(text))?;
            Some(SqlStatement {
                query: shown(query),
                calls: calls as u64,
                total_ms: (total_ms * 1e3).round() / 1e3,
                rows: rows as u64,
                blocks_hit: hit as u64,
                blocks_read: read as u64,
            })
        };
        grown.into_iter().filter_map(statement).take(MOST).collect()
    }
}

async fn counts(server: &mut Postgres, schema: &str) -> Option<Counts> {
    let sql = format!(
        "SELECT queryid::text, sum(calls)::float8, sum(total_exec_time)::float8, sum(rows)::float8, \
            sum(shared_blks_hit)::float8, sum(shared_blks_read)::float8 \
        FROM {schema}.pg_stat_statements(false) WHERE {HERE} GROUP BY 1"
    );
    let rows = server.ask(&sql, &[]).await.ok()?;
    let row = |row: &Vec<Value>| match &row[..] {
        [Value::Text(id), rest @ ..] => {
            let number = |at: usize| match rest.get(at) {
                Some(Value::Float(value)) => *value,
                _ => 0.0,
            };
            Some((id.clone(), std::array::from_fn(number)))
        }
        _ => None,
    };
    Some(rows.rows.iter().filter_map(row).collect())
}

async fn texts(
    server: &mut Postgres,
    schema: &str,
    grown: &[(String, [f64; 5])],
) -> Option<BTreeMap<String, String>> {
    let sql = format!(
        "SELECT queryid::text, min(query) FROM {schema}.pg_stat_statements \
        WHERE {HERE} AND queryid::text = ANY(string_to_array($1, ',')) GROUP BY 1"
    );
    let ids: Vec<&str> = grown.iter().map(|(id, _)| id.as_str()).collect();
    let Rows { rows, .. } = server.ask(&sql, &[Value::Text(ids.join(","))]).await.ok()?;
    let pair = |row: &Vec<Value>| match &row[..] {
        [Value::Text(id), Value::Text(query)] => Some((id.clone(), query.clone())),
        _ => None,
    };
    Some(rows.iter().filter_map(pair).collect())
}

/// Statements on the server's own statistics.
fn is_of_observer(query: &str) -> bool {
    query.contains("pg_stat_") || query.contains("pg_settings") || query.contains("pg_backend_pid")
}

/// A statement's text, without values that it may hold.
fn shown(query: &str) -> String {
    let query = query.trim();
    let first = query.split(|char: char| !char.is_alphanumeric()).find(|word| !word.is_empty());
    let first = first.unwrap_or_default();
    if !WITHOUT_VALUES.iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return first.to_uppercase();
    }
    duet_verdict::text::cut(query, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_with_values_are_not_shown() {
        assert_eq!(shown("  SELECT a FROM b WHERE c = $1 "), "SELECT a FROM b WHERE c = $1");
        assert_eq!(shown("(select 1)"), "(select 1)");
        assert_eq!(shown("CREATE ROLE a PASSWORD 'secret'"), "CREATE");
        assert_eq!(shown(""), "");
        assert_eq!(shown(&format!("SELECT {}", "a".repeat(3_000))).chars().count(), LONGEST);
        assert!(is_of_observer("SELECT x FROM pg_stat_activity") && !is_of_observer("SELECT 1"));
    }
}
