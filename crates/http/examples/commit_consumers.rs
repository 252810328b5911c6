//! Serves all tables of a database, open to all, with or without a consumer of commit events: what
//! events cost is the difference, measured by any load generator.
//!
//! `commit_consumers FILE|URL ADDRESS none|rows [SECONDS]`: `none` has no consumer but the counters of
//! `/metrics`, `rows` one that needs every changed row. Prints what came when it ends.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use duet_auth::{Open, State};
use duet_http::{Listen, ServeOptions};
use duet_model::commit::{CommitConsumer, CommitEvent};
use duet_model::{Code, Error, Result};
use duet_registry::DatabaseUrl;
use duet_service::definition::{Application, Mounts};
use duet_service::{Auth, Service};
use duet_store::OpenOptions;

/// Counts what it is given.
#[derive(Default)]
struct Rows {
    events: AtomicU64,
    rows: AtomicU64,
}

impl CommitConsumer for Rows {
    fn committed(&self, event: &CommitEvent<'_>) {
        let rows = event.relations.iter().filter_map(|change| change.extent.rows());
        let rows: usize = rows.map(<[_]>::len).sum();
        self.events.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wrong = || Error::new(Code::Setting, "Give a database, an address, and `none` or `rows`.");
    let (Some(database), Some(address)) = (arguments.first(), arguments.get(1)) else {
        return Err(wrong());
    };
    let address: SocketAddr = address.parse().map_err(|_| wrong())?;
    let needs_rows = arguments.get(2).is_some_and(|mode| mode == "rows");
    let seconds = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::internal)?;
    let service = runtime.block_on(open(database))?;
    let rows = Arc::new(Rows::default());
    if needs_rows {
        service.store().commits().subscribe(Arc::clone(&rows) as _);
    }
    let options = ServeOptions { listen: vec![Listen::Tcp(address)], ..ServeOptions::default() };
    let server = duet_http::start(service, options)?;
    let time = Duration::from_secs(seconds.min(1 << 30));
    // The schema is looked at on this thread.
    runtime.block_on(async {
        tokio::select! {
            () = server.watch() => {}
            () = tokio::time::sleep(time) => {}
        }
    });
    server.stop();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    // It has no log; its last word is its result.
    #[expect(clippy::print_stdout, reason = "a program's result")]
    {
        println!("{} events, {} rows", count(&rows.events), count(&rows.rows));
    }
    Ok(())
}

async fn open(database: &str) -> Result<Arc<Service>> {
    let files = duet_sqlite::Options { wal: true, ..duet_sqlite::Options::default() };
    let options = OpenOptions { files, ..OpenOptions::default() };
    let store = DatabaseUrl::read(database, Path::new(""))?.open(options).await?;
    let application =
        Application { name: "commits".into(), mounts: Mounts::AdHoc, ..Application::default() };
    Service::open(store, application, Auth::in_memory(&State::new(0)?, Open::All)).await
}
