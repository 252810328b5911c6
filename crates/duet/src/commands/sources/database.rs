//! Opens the store of a database URL.

use duet_client::connect;
use duet_model::Result;
use duet_model::memory::Budget;
use duet_store::{Limits, OpenOptions, SharedStore, StandbyOptions, files};

use crate::application::process_environment;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::warn;
use crate::settings::{ReadPosition, Settings};

/// Opens the store for a command that runs alone.
///
/// # Errors
/// As [`open_with`].
pub(in crate::commands) async fn open(
    database: &DatabaseUrl,
    settings: &Settings,
) -> Result<SharedStore> {
    // What it reads, it reads from the database itself.
    let standbys = StandbyOptions::default();
    opened(database, settings, 0, &Budget::unlimited(), standbys).await
}

/// Opens the store. `others` are connections that other applications of the process may open to the
/// same server; `memory` is shared with them.
///
/// # Errors
/// If the file does not exist, the server is unreachable, or too many connections are requested.
pub(in crate::commands) async fn open_with(
    database: &DatabaseUrl,
    settings: &Settings,
    others: usize,
    memory: &Budget,
) -> Result<SharedStore> {
    opened(database, settings, others, memory, standbys(settings)).await
}

async fn opened(
    database: &DatabaseUrl,
    settings: &Settings,
    others: usize,
    memory: &Budget,
    standbys: StandbyOptions,
) -> Result<SharedStore> {
    warn_of(database)?;
    let options = OpenOptions {
        limits: Limits { others, memory: memory.clone(), ..limits(settings) },
        files: files::Options {
            wal: settings.wal.value,
            synchronous: settings.sqlite_synchronous.value,
            wal_bytes: settings.sqlite_wal_bytes.value.0 as u64,
            disk_reserve: settings.sqlite_disk_reserve.value.0 as u64,
        },
        standbys,
    };
    let opened = database.open(options).await;
    opened.map_err(|error| match database.path() {
        Some(path) if !path.exists() => {
            error.hint(format!("`duet load APP --database {}:PATH` creates one.", database.store()))
        }
        _ => error,
    })
}

/// The connections that an application may open, and their server; `None` for a file.
pub(in crate::commands) fn connections(
    database: &DatabaseUrl,
    settings: &Settings,
) -> Result<Option<(String, usize)>> {
    database.connections(&limits(settings))
}

/// The settings of connections to PostgreSQL, completed from the environment; prints their warnings.
pub(in crate::commands) fn postgres_settings(url: &str) -> Result<connect::Settings> {
    let settings = connect::Settings::from_url(url, &process_environment)?;
    settings.warnings().iter().for_each(|warning| warn(warning));
    Ok(settings)
}

/// The standbys that answer reads.
fn standbys(settings: &Settings) -> StandbyOptions {
    let clients = match settings.read_position.value {
        ReadPosition::Auto => settings.position_clients.value.get(),
        ReadPosition::Header => 0,
    };
    StandbyOptions {
        urls: settings.read_database.value.0.clone(),
        position_wait: settings.position_wait.value,
        clients,
        max_lag: settings.max_lag.value,
        beat: settings.position_beat.value,
    }
}

fn limits(settings: &Settings) -> Limits {
    Limits {
        connections: settings.db_connections.value.get(),
        others: 0,
        workers: settings.workers.value.get(),
        statement_timeout: settings.statement_timeout.value,
        schema_timeout: settings.schema_timeout.value,
        lock_timeout: settings.lock_timeout.value,
        capture: settings.rowstore_capture.value,
        queue_timeout: settings.queue_timeout.value,
        queue_length: settings.queue_length.value.get(),
        interactive_requests: settings.interactive_requests.value.get(),
        batch_requests: settings.batch_requests.value.get(),
        batch_queue: settings.batch_queue.value.get(),
        batch: settings.batch.value.get(),
        answer_bytes: settings.answer_bytes.value.0,
        memory: Budget::unlimited(),
        streams: settings.streams.value.get(),
        stream_timeout: settings.stream_timeout.value,
        loads: settings.loads.value.get(),
        beats: usize::from(!settings.read_database.value.0.is_empty()),
    }
}
