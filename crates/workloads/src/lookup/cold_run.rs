//! The published method: a fresh process connects, reads all keys in their order by one prepared
//! statement, closes, and tells how long that took.
//!
//! In: [`ColdRun`], a line of JSON. Out: the seconds, or why there are none, a line of JSON too.

use std::io::{self, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use duet_bench::record::Work;
use duet_bench::workload::{CheckCounts, Failed};
use duet_model::Value;
use duet_verdict::outcome::Outcome;
use serde::{Deserialize, Serialize};
use tokio::task::LocalSet;

use super::endpoint::Endpoint;
use super::reader::Reader;
use super::value_of;
use super::workload::CHECKS;

/// An answer that takes longer is a failure.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The message that starts the process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColdRun {
    /// Where the tables are.
    pub endpoint: Endpoint,
    /// The table.
    pub table: String,
    /// Keys go from 1 to this.
    pub keys: u64,
    /// Whether items that a service does not take from memory fail.
    #[serde(default)]
    pub from_memory: bool,
}

/// What it says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Said {
    Seconds(f64),
    Failed { outcome: Outcome, said: String },
}

/// The whole life of the process.
///
/// # Errors
/// Where its input is not what [`run_cold`] says, or its output is closed.
pub fn serve_cold(input: impl io::Read, output: &mut impl Write) -> io::Result<()> {
    let once: ColdRun = serde_json::from_reader(input)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // What Duet runs in this process belongs to its thread.
    let said = match LocalSet::new().block_on(&runtime, once.timed()) {
        Ok(took) => Said::Seconds(took.as_secs_f64()),
        Err(Failed { outcome, said }) => Said::Failed { outcome, said },
    };
    serde_json::to_writer(&mut *output, &said)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// Starts a process that does it, and waits for its end; the time that it measured.
///
/// # Errors
/// What the process says, or that it says nothing.
pub fn run_cold(mut command: Command, once: &ColdRun) -> Result<Duration, Failed> {
    let broken = |error: io::Error| Failed::new(Outcome::Other, error.to_string());
    // Ctrl-C at the terminal is for who started it; this run comes to its end.
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
        Ok(Said::Seconds(seconds)) => Duration::try_from_secs_f64(seconds)
            .map_err(|error| Failed::new(Outcome::Other, error.to_string())),
        Ok(Said::Failed { outcome, said }) => Err(Failed { outcome, said }),
        Err(_) => Err(Failed::new(Outcome::Other, format!("the process ended: {}", output.status))),
    }
}

impl ColdRun {
    /// From after connecting to after closing.
    async fn timed(&self) -> Result<Duration, Failed> {
        let mut reader = Reader::open(&self.endpoint, TIMEOUT).await?;
        if let Endpoint::Memory(rows) = self.endpoint {
            fill(&mut reader, &self.table, rows).await?;
        }
        if let (Endpoint::Process(_), true) = (&self.endpoint, self.from_memory) {
            // A server has had its items for long; those of this process come first.
            self.read(&mut reader, false).await?;
        }
        let began = Instant::now();
        // One transaction for all, as drivers have it that do not commit by themselves.
        if let Some(connection) = reader.connection() {
            connection.script("BEGIN").await?;
        }
        self.read(&mut reader, self.from_memory).await?;
        reader.close().await;
        Ok(began.elapsed())
    }

    async fn read(&self, reader: &mut Reader, from_memory: bool) -> Result<(), Failed> {
        let table = reader.prepare(&self.table, from_memory).await?;
        let mut work = Work::default();
        let checks = CheckCounts::new(&CHECKS, 1);
        let read = reader.read_all(&table, 1..=self.keys, &mut work, checks.of(0)).await;
        read.map_err(|(key, Failed { outcome, said })| {
            Failed::new(outcome, format!("{} key {key}: {said}", self.table))
        })
    }
}

/// Makes the table in the memory of this process.
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

    fn said(once: &ColdRun) -> Said {
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
        assert!(matches!(said(&once), Said::Seconds(took) if took > 0.0));
        once.keys = 201;
        let Said::Failed { outcome, said } = said(&once) else { panic!("a key is missing") };
        assert_eq!((outcome, said.as_str()), (Outcome::Check, "t3 key 201: is found"));
    }

    #[test]
    fn words_that_are_no_order() {
        assert!(serve_cold(&b"{}"[..], &mut Vec::new()).is_err());
    }
}
