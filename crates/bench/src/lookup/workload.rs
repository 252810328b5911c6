//! The workload: users that read the values of random keys.

use std::time::Duration;

use duet_db::raw::Moved;
use serde::{Deserialize, Serialize};

use super::TABLES;
use super::reader::{Reader, Ready};
use super::way::Way;
use crate::workload::{Done, Failed, Kind, Local, Session, Turn, Workload};

/// The checks of every answer, by their names in results.
pub const CHECKS: [&str; 2] = ["is found", "is the key's value"];

/// Everything that users need to know; it goes to every process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Where the tables are.
    pub way: Way,
    /// Keys go from 1 to this.
    pub keys: u64,
    /// Weights of [`TABLES`]. Only those with a weight need to be there.
    pub weights: [f64; TABLES.len()],
    /// An answer that takes longer is a failure.
    pub timeout: Duration,
}

/// The workload.
#[derive(Debug)]
pub struct Lookup {
    facts: Facts,
    kinds: Vec<Kind>,
}

impl Lookup {
    /// Of these facts.
    pub fn new(facts: Facts) -> Self {
        let kind =
            |(table, weight): (&&str, &f64)| Kind::new(&format!("Read {table}"), table, *weight);
        let kinds = TABLES.iter().zip(&facts.weights).map(kind).collect();
        Self { facts, kinds }
    }
}

impl Workload for Lookup {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn is_blocking(&self) -> bool {
        self.facts.way.is_blocking()
    }

    fn open(&self, _user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let mut reader = Reader::open(&self.facts.way, self.facts.timeout).await?;
            let mut tables = Vec::new();
            for kind in &self.kinds {
                tables.push(match kind.weight > 0.0 {
                    true => Some(reader.prepare(&kind.short).await?),
                    false => None,
                });
            }
            Ok(Box::new(Looking { reader, tables, keys: self.facts.keys }) as Box<dyn Session>)
        })
    }
}

/// One user.
struct Looking {
    reader: Reader,
    /// Reads of the tables that have a weight.
    tables: Vec<Option<Ready>>,
    keys: u64,
}

impl Session for Looking {
    fn moved(&self) -> Moved {
        self.reader.moved()
    }

    fn run<'a>(&'a mut self, kind: usize, turn: &'a mut Turn) -> Local<'a, Done> {
        Box::pin(async move {
            let key = turn.random.u64(1..=self.keys.max(1));
            match self.tables.get(kind) {
                Some(Some(table)) => self.reader.read(table, key, &mut turn.work).await,
                _ => Err(Failed::check("this table is not read in this run")),
            }
        })
    }
}
