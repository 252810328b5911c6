//! The published method: a new process connects, reads all keys in order by one prepared statement,
//! closes, and reports the duration.
//!
//! Input: [`ColdRun`], a line of JSON. Output: the seconds, or the error, also a line of JSON.

use std::io::{self, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use duet_bench::record::TransactionCost;
use duet_bench::workload::{CheckCounts, Failed};
use duet_model::Value;
use duet_verdict::outcome::Outcome;
use serde::{Deserialize, Serialize};
use tokio::task::LocalSet;

use super::checks::CHECKS;
use super::endpoint::Endpoint;
use super::reader::Reader;
use super::value_of;

/// The timeout of responses, which fail after it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The message that starts the process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColdRun {
    /// The endpoint of the tables.
    pub endpoint: Endpoint,
    /// The table.
    pub table: String,
    /// Keys are 1 to this.
    pub keys: u64,
    /// Whether to fail if a service does not read an item from memory.
    #[serde(default)]
    pub from_memory: bool,
}

/// The process's report.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Report {
    Seconds(f64),
    Failed { outcome: Outcome, message: String },
}

/// The main function of the process.
///
/// # Errors
/// If its input is malformed, or its output is closed.
pub fn serve_cold(input: impl io::Read, output: &mut impl Write) -> io::Result<()> {
    let once: ColdRun = serde_json::from_reader(input)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Duet's services in this process run on its thread.
    let message = match LocalSet::new().block_on(&runtime, once.timed()) {
        Ok(took) => Report::Seconds(took.as_secs_f64()),
        Err(Failed { outcome, message }) => Report::Failed { outcome, message },
    };
    serde_json::to_writer(&mut *output, &message)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// Starts the process and waits for its end; returns the measured time.
///
/// # Errors
/// The process's error, or that it reported nothing.
pub fn run_cold(mut command: Command, once: &ColdRun) -> Result<Duration, Failed> {
    let broken = |error: io::Error| Failed::new(Outcome::Other, error.to_string());
    // Ctrl-C at the terminal is for the parent; this run completes.
    command.process_group(0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(broken)?;
    let told = match child.stdin.take() {
        Some(input) => serde_json::to_writer(input, once).map_err(io::Error::from),
        None => Err(io::Error::other("no pipe")),
    };
    // It has ended, or ends because its input does: no process is left behind.
    let output = child.wait_with_output().map_err(broken)?;
    told.map_err(broken)?;
    match serde_json::from_slice(&output.stdout) {
        Ok(Report::Seconds(seconds)) => Duration::try_from_secs_f64(seconds)
            .map_err(|error| Failed::new(Outcome::Other, error.to_string())),
        Ok(Report::Failed { outcome, message }) => Err(Failed { outcome, message }),
        Err(_) => Err(Failed::new(Outcome::Other, format!("the process ended: {}", output.status))),
    }
}

impl ColdRun {
    /// The time from after connecting to after closing.
    async fn timed(&self) -> Result<Duration, Failed> {
        let mut reader = Reader::open(&self.endpoint, TIMEOUT).await?;
        if let Endpoint::Memory(rows) = self.endpoint {
            fill(&mut reader, &self.table, rows).await?;
        }
        if let (Endpoint::Process(_), true) = (&self.endpoint, self.from_memory) {
            // A server has had its items in memory for long; those of this process must be read
            // first.
            self.read(&mut reader, false).await?;
        }
        let began = Instant::now();
        // One transaction for all, like drivers without autocommit.
        if let Some(connection) = reader.connection() {
            connection.script("BEGIN").await?;
        }
        self.read(&mut reader, self.from_memory).await?;
        reader.close().await;
        Ok(began.elapsed())
    }

    async fn read(&self, reader: &mut Reader, from_memory: bool) -> Result<(), Failed> {
        let table = reader.prepare(&self.table, from_memory).await?;
        let mut work = TransactionCost::default();
        let checks = CheckCounts::new(&CHECKS, 1);
        let read = reader.read_all(&table, 1..=self.keys, &mut work, checks.of(0)).await;
        read.map_err(|(key, Failed { outcome, message })| {
            Failed::new(outcome, format!("{} key {key}: {message}", self.table))
        })
    }
}

/// Creates the table in the memory of this process.
async fn fill(reader: &mut Reader, table: &str, rows: u64) -> Result<(), Failed> {
    let Some(connection) = reader.connection() else { return Ok(()) };
    let create = format!("CREATE TABLE {table} (key INTEGER PRIMARY KEY, value TEXT NOT NULL)");
    connection.script(&create).await?;
    connection.begin().await?;
    let mut copy = connection.copy_in(table, &["key", "value"]).await?;
    for key in 1..=rows {
        let number = i64::try_from(key).unwrap_or(i64::MAX);
        copy.row(&[Value::Int(number), Value::Text(value_of(key))]).await?;
    }
    copy.finish().await?;
    Ok(connection.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(once: &ColdRun) -> Report {
        let told = serde_json::to_vec(once).unwrap();
        let mut output = Vec::new();
        serve_cold(&told[..], &mut output).unwrap();
        serde_json::from_slice(&output).unwrap()
    }

    #[test]
    fn a_table_in_memory() {
        let mut once = ColdRun {
            endpoint: Endpoint::Memory(200),
            table: "t3".into(),
            keys: 200,
            from_memory: false,
        };
        assert!(matches!(message(&once), Report::Seconds(took) if took > 0.0));
        once.keys = 201;
        let Report::Failed { outcome, message } = message(&once) else {
            panic!("a key is missing")
        };
        assert_eq!((outcome, message.as_str()), (Outcome::Check, "t3 key 201: is found"));
    }

    #[test]
    fn words_that_are_no_order() {
        assert!(serve_cold(&b"{}"[..], &mut Vec::new()).is_err());
    }
}
