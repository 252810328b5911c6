//! The workload: users that read the values of random keys.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::workload::{
    CheckCounts, Done, Failed, TransactionType, Local, Session, Success, TransactionContext, Workload,
};
use duet_client::Moved;
use duet_service::Service;
use duet_verdict::result::CheckRow;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::checks::CHECKS;
use super::endpoint::Endpoint;
use super::process_reader::failed;
use super::reader::{Reader, Ready};
use super::{TABLES, served};

/// The keys that a call of a loop inside the database reads, from a random one on.
const OF_LOOP: u64 = 1_000;

/// The data that users need, for every process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The endpoint of the tables.
    pub endpoint: Endpoint,
    /// Keys are 1 to this.
    pub keys: u64,
    /// Weights of [`TABLES`]. Those without a weight need not exist.
    pub weights: [f64; TABLES.len()],
    /// The timeout of responses, which fail after it.
    pub timeout: Duration,
}

/// The workload.
#[derive(Debug)]
pub struct Lookup {
    facts: Facts,
    kinds: Vec<TransactionType>,
    checks: Arc<CheckCounts>,
    /// The service in this process, if reads use it; all users share it.
    service: Mutex<Option<Arc<Service>>>,
}

impl Lookup {
    /// Of these facts.
    pub fn new(facts: Facts) -> Self {
        let kind =
            |(table, weight): (&&str, &f64)| TransactionType::new(&format!("Read {table}"), table, *weight);
        let kinds: Vec<TransactionType> = TABLES.iter().zip(&facts.weights).map(kind).collect();
        let checks = Arc::new(CheckCounts::new(&CHECKS, kinds.len()));
        Self { facts, kinds, checks, service: Mutex::default() }
    }

    async fn reader(&self) -> Result<Reader, Failed> {
        let Endpoint::Process(database) = &self.facts.endpoint else {
            return Reader::open(&self.facts.endpoint, self.facts.timeout).await;
        };
        let mut service = self.service.lock().await;
        let service = match &*service {
            Some(service) => service.clone(),
            None => service
                .insert(served::open(database).await.map_err(|error| failed(&error))?)
                .clone(),
        };
        Ok(Reader::of(service))
    }
}

impl Workload for Lookup {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn is_blocking(&self) -> bool {
        self.facts.endpoint.is_blocking()
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn open(&self, _user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let mut tables = Vec::new();
            for kind in &self.kinds {
                tables.push(match kind.weight > 0.0 {
                    true => Some(reader.prepare(&kind.short, false).await?),
                    false => None,
                });
            }
            let (keys, checks) = (self.facts.keys, self.checks.clone());
            Ok(Box::new(Looking { reader, tables, keys, checks }) as Box<dyn Session>)
        })
    }
}

/// One user.
struct Looking {
    reader: Reader,
    /// Reads of the tables that have a weight.
    tables: Vec<Option<Ready>>,
    keys: u64,
    checks: Arc<CheckCounts>,
}

impl Session for Looking {
    fn moved(&self) -> Moved {
        self.reader.moved()
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let many = if self.reader.is_loop() { OF_LOOP.min(self.keys) } else { 1 };
            let key = context.random.u64(1..=(self.keys + 1 - many).max(1));
            match self.tables.get(kind) {
                Some(Some(table)) => {
                    let (checks, keys) = (self.checks.of(kind), key..=key + many - 1);
                    let read = self.reader.read_all(table, keys, &mut context.work, checks).await;
                    read.map_err(|(_, failed)| failed).map(|()| Success::Ok)
                }
                _ => Err(Failed::check("this table is not read in this run")),
            }
        })
    }
}
