//! Reads through Duet in the reading process: its service without HTTP, tokens and socket copies.
//! The path of each read is routed like a request's.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use duet_bench::record::TransactionCost;
use duet_bench::workload::{Checker, Done, Failed, Success};
use duet_document::{DocumentText, Links};
use duet_model::{Code, Error};
use duet_service::rowstore::CacheStatus;
use duet_service::{ItemQuery, Service, WorkerHandle};
use duet_verdict::outcome::Outcome;
use memchr::memmem;

use super::checks::{FOUND, MEMORY, VALUE};
use super::served::MOUNT;
use super::value_of;

thread_local! {
    /// State shared by the thread's readers, as by the connections of a server's worker; it stays
    /// on its thread, while readers can move.
    static WORKER: RefCell<Option<Rc<WorkerHandle>>> = const { RefCell::new(None) };
}

/// A reader. Its thread must run a local task set while it reads.
pub(super) struct ProcessReader {
    service: Arc<Service>,
    path: String,
    needle: Vec<u8>,
}

/// A table and its addresses.
#[derive(Debug)]
pub(super) struct Addresses {
    path: String,
    collection: String,
    described_by: String,
    /// Whether to fail if an item does not come from memory.
    from_memory: bool,
}

impl Addresses {
    pub(super) fn of(table: &str, from_memory: bool) -> Self {
        Self {
            path: format!("{MOUNT}/{table}/"),
            collection: format!("http://localhost{MOUNT}/{table}/"),
            described_by: format!("http://localhost{MOUNT}/metadata-catalog/{table}/"),
            from_memory,
        }
    }
}

impl ProcessReader {
    pub(super) fn new(service: Arc<Service>) -> Self {
        Self { service, path: String::new(), needle: Vec::new() }
    }

    /// Drops the shared state of the thread's readers.
    pub(super) fn close(self) {
        WORKER.take();
    }

    /// Reads an item and checks its value.
    pub(super) async fn read(
        &mut self,
        of: &Addresses,
        key: u64,
        work: &mut TransactionCost,
        checks: Checker<'_>,
    ) -> Done {
        let worker = attached(&self.service).map_err(|error| failed(&error))?;
        let Self { path, needle, .. } = self;
        path.clear();
        needle.clear();
        // Writing to memory cannot fail.
        let _ = write!(path, "{}{key}", of.path);
        let _ = io::Write::write_fmt(needle, format_args!("\"value\":\"{}\"", value_of(key)));
        let snapshot = worker.snapshot();
        let (mount, rest) = snapshot.route(path).ok_or_else(|| failed(&Service::nothing_here()))?;
        let (name, key_text) = rest.trim_start_matches('/').split_once('/').unwrap_or((rest, ""));
        let resource = mount.resource(name).map_err(|error| failed(&error))?;
        let links = Links {
            collection: &of.collection,
            described_by: &of.described_by,
            writable: false,
            plain: false,
        };
        let query = ItemQuery { key: key_text, fields: None, expansion: None, fresh: false };
        let item = match worker.acting(None).item(resource, query, &links).await {
            Ok(item) => item,
            Err(error) if error.code == Code::NoSuchItem => {
                checks.hold(FOUND, false)?;
                return Err(failed(&error));
            }
            Err(error) => return Err(failed(&error)),
        };
        checks.hold(FOUND, true)?;
        work.looked_up(item.source.map(|source| source == CacheStatus::Hit));
        if of.from_memory {
            checks.hold(MEMORY, item.source == Some(CacheStatus::Hit))?;
        }
        let text = match &item.document.body {
            DocumentText::Whole(body) => &body.text[..],
            DocumentText::Pieces(_) => &[],
        };
        checks.hold(VALUE, memmem::find(text, needle).is_some())?;
        Ok(Success::Ok)
    }
}

fn attached(service: &Arc<Service>) -> Result<Rc<WorkerHandle>, Error> {
    WORKER.with_borrow_mut(|shared| {
        let there = shared.as_ref().filter(|worker| Arc::ptr_eq(worker.service(), service));
        if let Some(worker) = there {
            return Ok(worker.clone());
        }
        Ok(shared.insert(Rc::new(service.attach()?)).clone())
    })
}

/// The bench's error for an error of the service.
pub(super) fn failed(error: &Error) -> Failed {
    let outcome = match error.code {
        Code::DatabaseUnavailable => Outcome::Connection,
        Code::Timeout => Outcome::Timeout,
        _ => Outcome::Other,
    };
    Failed::new(outcome, error.to_string())
}
